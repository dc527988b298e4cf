#include "tests/support/pair_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "runtime/pair_state.h"
#include "tests/support/pair_check.h"

struct pair_cfg
pair_rig_cfg(void)
{
    return (struct pair_cfg){
        .wait_ns = 60 * S,
        .horizon_ns = 900 * S,
        .link_horizon_ns = 86400 * S,
        .max_spans = 1024,
        .max_producers = 64,
        .user = USER,
    };
}

void
pair_rig_open(struct pair_rig *rig, const struct pair_cfg *cfg)
{
    rig->sums.len = 0;
    rig->sums.went_below = false;
    rig->now_ns = START_NS;
    assert_int_equal(pair_new(&rig->pair, cfg, pair_sums_add, &rig->sums), OK);
}

struct stub
pair_rig_span(uint8_t kind, uint64_t id, uint64_t parent, uint32_t service)
{
    struct stub stub = {
        .trace_hi = 5,
        .trace_lo = 6,
        .span_id = id,
        .parent_id = parent,
        .start_ns = START_NS,
        .duration_ns = 1000000,
        .weight = WEIGHT_ONE,
        .service = service,
        .scope = SCOPE,
        .kind = kind,
    };

    if (kind == SPAN_SERVER || kind == SPAN_CONSUMER)
        stub.flags = STUB_INGRESS;
    if (kind == SPAN_CLIENT || kind == SPAN_PRODUCER)
        stub.flags = STUB_EGRESS;
    if (kind == SPAN_PRODUCER) {
        stub.flags |= STUB_PUBLISH;
        stub.peer = TOPIC;
    }
    return stub;
}

void
pair_rig_send(struct pair_rig *rig, struct stub stub, uint64_t link)
{
    struct span_link links[1] = {{5, 6, link}};
    struct stub_batch batch = {.stubs = &stub,
                               .links = links,
                               .stub_len = 1,
                               .link_len = 1,
                               .received_ns = rig->now_ns};
    struct edge_key where;

    stub.link_len = link != 0;
    pair_add(rig->pair, &batch);
    assert_false(pair_sums_negative(&rig->sums, &where));
}

void
pair_rig_crowd(struct pair_rig *rig, uint64_t first, uint64_t len)
{
    for (uint64_t id = first; id < first + len; id++)
        pair_rig_send(rig, pair_rig_span(SPAN_INTERNAL, id, 0, API), 0);
}

void
pair_rig_pass(struct pair_rig *rig, uint64_t ns)
{
    struct edge_key where;

    rig->now_ns += ns;
    pair_advance(rig->pair, rig->now_ns);
    assert_false(pair_sums_negative(&rig->sums, &where));
}

int64_t
pair_rig_count(const struct pair_rig *rig, uint32_t src, uint32_t dst,
               uint8_t kind)
{
    return pair_sums_get(&rig->sums, (struct edge_key){src, dst, kind}).count;
}

void
pair_rig_close(struct pair_rig *rig)
{
    pair_rig_pass(rig, 901 * S);
    assert_int_equal(pair_stats(rig->pair).live, 0);
    assert_int_equal(pair_stats(rig->pair).pending, 0);
    assert_int_equal(rig->pair->table.pool_used, 0);
    assert_int_equal(rig->pair->table.link_used, 0);
    pair_check(rig->pair);
    pair_free(rig->pair);
}
