/*
 * What a span costs in the intake, beside the cost of hashing the strings it
 * is told by once: no intake that looks at them all can cost less.
 *
 *     bench_intake [seconds a measurement]
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/hash.h"
#include "runtime/intake.h"

enum { BATCH = 512, KINDS = 4, ROUTES = 40 };

struct kit {
    struct nodes *nodes;
    struct routes *routes;
    struct intake_lane *lane;
    struct attr_set resource;
    struct attr_set attrs[KINDS * ROUTES];
    struct span spans[KINDS * ROUTES];
    char text[KINDS * ROUTES][64];
};

static void
set(struct attr_set *attrs, enum attr id, str value)
{
    attrs->mask[id / 64] |= UINT64_C(1) << (id % 64);
    attrs->value[id] = (struct attr_value){
        .type = ATTR_STR, .len = (uint32_t)value.len, .str = value.ptr};
}

static void
set_int(struct attr_set *attrs, enum attr id, int64_t value)
{
    attrs->mask[id / 64] |= UINT64_C(1) << (id % 64);
    attrs->value[id] = (struct attr_value){.type = ATTR_INT, .i = value};
}

/* A quarter each: HTTP servers, HTTP clients, databases, messages. */
static void
fill(struct kit *kit, unsigned at)
{
    struct attr_set *attrs = &kit->attrs[at];
    struct span *span = &kit->spans[at];
    str text = {kit->text[at], 0};

    span->attrs = attrs;
    span->name = STR("GET /api/v1/things/{id}");
    text.len = (size_t)snprintf(kit->text[at], sizeof(kit->text[at]),
                                "/api/v1/things%u/{id}/part", at / KINDS);
    switch (at % KINDS) {
    case 0:
        span->kind = SPAN_SERVER;
        set(attrs, ATTR_HTTP_METHOD, STR("GET"));
        set(attrs, ATTR_HTTP_ROUTE, text);
        set(attrs, ATTR_URL_PATH, STR("/api/v1/things/17/part"));
        set(attrs, ATTR_USER_AGENT, STR("Mozilla/5.0 (X11; Linux x86_64)"));
        set_int(attrs, ATTR_HTTP_STATUS, 200);
        break;
    case 1:
        span->kind = SPAN_CLIENT;
        set(attrs, ATTR_HTTP_METHOD, STR("GET"));
        set(attrs, ATTR_SERVER_ADDRESS, STR("cart.shop.svc"));
        set(attrs, ATTR_PEER_SERVICE, STR("cart"));
        set_int(attrs, ATTR_SERVER_PORT, 8080);
        break;
    case 2:
        span->kind = SPAN_CLIENT;
        set(attrs, ATTR_DB_SYSTEM, STR("postgresql"));
        set(attrs, ATTR_DB_NAMESPACE, STR("orders"));
        set(attrs, ATTR_SERVER_ADDRESS, STR("pg1"));
        set_int(attrs, ATTR_SERVER_PORT, 5432);
        break;
    default:
        span->kind = SPAN_CONSUMER;
        set(attrs, ATTR_MSG_SYSTEM, STR("kafka"));
        set(attrs, ATTR_MSG_DESTINATION, STR("orders"));
        set(attrs, ATTR_MSG_OPERATION, STR("process"));
        break;
    }
}

static uint64_t
take_batch(struct kit *kit, uint64_t now, unsigned *next)
{
    struct span_visitor to;
    struct stub_batch *batch;

    intake_begin(kit->lane, now, &to);
    to.resource(to.ctx, &kit->resource);
    to.scope(to.ctx, STR("bench"), (str){NULL, 0});
    for (unsigned i = 0; i < BATCH; i++) {
        struct span *span = &kit->spans[*next];
        *next = (*next + 1) % (KINDS * ROUTES);
        span->span_id++;
        span->start_ns = now;
        span->end_ns = now + 1000;
        to.span(to.ctx, span);
    }
    if (intake_take(kit->lane, &batch))
        abort();
    uint64_t len = batch->stub_len;
    stub_batch_free(batch);
    return len;
}

/* The strings of the same spans, hashed once each. */
static uint64_t
hash_batch(const struct kit *kit, unsigned *next, uint64_t *sum)
{
    for (unsigned i = 0; i < BATCH; i++) {
        const struct attr_set *attrs = kit->spans[*next].attrs;
        *next = (*next + 1) % (KINDS * ROUTES);
        for (unsigned word = 0; word < 2; word++)
            for (uint64_t mask = attrs->mask[word]; mask; mask &= mask - 1) {
                const struct attr_value *value =
                    &attrs->value[word * 64 + (unsigned)__builtin_ctzll(mask)];
                if (value->type == ATTR_STR)
                    *sum += hash_bytes((str){value->str, value->len}, 1);
            }
    }
    return BATCH;
}

int
main(int argc, char **argv)
{
    const struct nodes_cfg nodes_cfg = {
        .max_nodes = 100000, .max_routes = 3000, .max_symbols = 3000};
    const struct intake_cfg cfg = {.past_ns = NS_PER_S * 3600,
                                   .future_ns = NS_PER_S * 600,
                                   .exclude_agents = intake_default_agents,
                                   .exclude_agents_len =
                                       intake_default_agents_len};
    uint64_t span_ns = (uint64_t)(argc > 1 ? atoi(argv[1]) : 1) * NS_PER_S;
    struct kit *kit = calloc(1, sizeof(*kit));
    unsigned next = 0;
    uint64_t sum = 0;
    uint64_t done = 0;

    if (!kit || nodes_new(&kit->nodes, nodes_cfg) ||
        routes_new(&kit->routes, kit->nodes) ||
        intake_lane_new(&kit->lane, &cfg, kit->nodes, kit->routes))
        return 4;
    set(&kit->resource, ATTR_SERVICE_NAME, STR("shop"));
    set(&kit->resource, ATTR_SERVICE_VERSION, STR("1.4.2"));
    for (unsigned i = 0; i < KINDS * ROUTES; i++)
        fill(kit, i);

    uint64_t now = clock_wall_ns();
    uint64_t start = clock_mono_ns();
    uint64_t end;
    while ((end = clock_mono_ns()) - start < span_ns)
        done += take_batch(kit, now, &next);
    double intake = (double)(end - start) / (double)done;

    done = 0;
    start = clock_mono_ns();
    while ((end = clock_mono_ns()) - start < span_ns)
        done += hash_batch(kit, &next, &sum);
    double hashing = (double)(end - start) / (double)done;

    printf("intake          %6.1f ns a span\n", intake);
    printf("hashing alone   %6.1f ns a span (sum %llx)\n", hashing,
           (unsigned long long)sum);
    printf("ratio           %6.2f\n", intake / hashing);
    intake_lane_free(kit->lane);
    routes_free(kit->routes);
    nodes_free(kit->nodes);
    free(kit);
    return 0;
}
