/* As the intake of the gateway makes stubs of what was stripped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/nodes.h"
#include "graph/routes.h"
#include "runtime/intake.h"
#include "tests/support/payload.h"
#include "tests/support/strip_rig.h"

#define NOW (UINT64_C(1800000000) * 1000000000)

struct gateway {
    struct nodes *nodes;
    struct routes *routes;
    struct intake_cfg cfg;
    struct intake_lane *lane;
};

static void
open_gateway(struct gateway *gateway)
{
    struct nodes_cfg nodes = {
        .max_nodes = 1000000, .max_routes = 3000, .max_symbols = 3000};

    *gateway = (struct gateway){.cfg = {.past_ns = UINT64_MAX,
                                        .future_ns = UINT64_MAX,
                                        .external_by_address = true,
                                        .environment_by_k8s_namespace = true,
                                        .sample_rate_key = "sampler.param"}};
    assert_int_equal(nodes_new(&gateway->nodes, nodes), OK);
    assert_int_equal(routes_new(&gateway->routes, gateway->nodes), OK);
    assert_int_equal(intake_lane_new(&gateway->lane, &gateway->cfg,
                                     gateway->nodes, gateway->routes),
                     OK);
}

static void
close_gateway(struct gateway *gateway)
{
    intake_lane_free(gateway->lane);
    routes_free(gateway->routes);
    nodes_free(gateway->nodes);
}

static struct stub_batch *
stubs_of(struct strip_rig *f, struct gateway *gateway, str bytes)
{
    struct span_visitor visitor;
    struct stub_batch *batch;
    char *copy = calloc(1, bytes.len + STRIP_PAD);

    memcpy(copy, bytes.ptr, bytes.len);
    intake_begin(gateway->lane, NOW, &visitor);
    assert_int_equal(decode_protobuf(f->scratch, (str){copy, bytes.len},
                                     &visitor, &f->result),
                     OK);
    assert_int_equal(intake_take(gateway->lane, &batch), OK);
    free(copy);
    return batch;
}

/* Equal stubs of equal nodes are an equal graph, whatever it does with them. */
static void
a_gateway_makes_the_same_stubs_and_nodes_of_it(void **state)
{
    struct strip_rig *f = *state;
    struct payload *payload = payload_new(40, 100, true);
    struct gateway direct;
    struct gateway relayed;

    open_gateway(&direct);
    open_gateway(&relayed);
    for (size_t i = 0; i < payload->len; i++) {
        struct stub_batch *a = stubs_of(f, &direct, payload->batches[i]);
        assert_int_equal(strip_rig_strip(f, payload->batches[i], false), OK);
        struct stub_batch *b = stubs_of(f, &relayed, buf_str(&f->out));
        assert_int_equal(a->stub_len, b->stub_len);
        assert_int_equal(a->link_len, b->link_len);
        assert_int_equal(a->clamped, b->clamped);
        for (uint32_t k = 0; k < a->stub_len; k++) /* without the padding */
            assert_memory_equal(&a->stubs[k], &b->stubs[k],
                                offsetof(struct stub, kind) + 1);
        if (a->link_len)
            assert_memory_equal(a->links, b->links,
                                a->link_len * sizeof(*a->links));
        stub_batch_free(a);
        stub_batch_free(b);
    }
    assert_true(nodes_len(direct.nodes) > 50);
    assert_int_equal(nodes_len(direct.nodes), nodes_len(relayed.nodes));
    for (uint32_t id = 1; id <= nodes_len(direct.nodes); id++) {
        struct node a = nodes_get(direct.nodes, id);
        struct node b = nodes_get(relayed.nodes, id);
        assert_int_equal(a.kind, b.kind);
        assert_true(str_eq(a.name, b.name) && str_eq(a.env, b.env));
    }
    close_gateway(&direct);
    close_gateway(&relayed);
    payload_free(payload);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gateway_makes_the_same_stubs_and_nodes_of_it),
    };

    return cmocka_run_group_tests(tests, strip_rig_setup, strip_rig_teardown);
}
