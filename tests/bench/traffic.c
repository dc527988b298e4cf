/*
 * Calls wait in the inbox of the turn in which they are told; one that is full
 * takes no more, and such a call is of its caller alone.
 */
#include "tests/bench/traffic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/hash.h"

enum { INBOX = 64 };

/* What is asked of one service no other is to tell. */
_Static_assert((int)INBOX <= (int)TRAFFIC_BATCH, "a turn empties its inbox");

struct call {
    uint64_t trace;
    uint64_t span;
    uint32_t route;
};

struct traffic {
    struct traffic_cfg cfg;
    uint64_t now_ns;
    uint64_t ids;
    uint64_t turn; /* of the services */
    uint64_t random;
    uint32_t rounds; /* of all services, until a call is told */
    uint32_t inboxes;
    struct call (*inbox)[INBOX]; /* of a turn, modulo |inboxes| */
    uint32_t *inbox_len;
};

struct traffic *
traffic_new(struct traffic_cfg cfg, uint64_t now_ns)
{
    struct traffic *traffic = calloc(1, sizeof(*traffic));
    uint32_t rounds = cfg.late < cfg.services ? 1 : cfg.late / cfg.services;
    uint32_t inboxes = cfg.services * rounds + 1;

    if (!traffic)
        return NULL;
    *traffic = (struct traffic){
        .cfg = cfg,
        .now_ns = now_ns,
        .random = 42,
        .rounds = rounds,
        .inboxes = inboxes,
        .inbox = calloc(inboxes, sizeof(*traffic->inbox)),
        .inbox_len = calloc(inboxes, sizeof(*traffic->inbox_len)),
    };
    if (traffic->inbox && traffic->inbox_len)
        return traffic;
    traffic_free(traffic);
    return NULL;
}

void
traffic_free(struct traffic *traffic)
{
    if (!traffic)
        return;
    free(traffic->inbox);
    free(traffic->inbox_len);
    free(traffic);
}

static uint32_t
below(struct traffic *traffic, uint32_t bound)
{
    traffic->random = hash_mix(traffic->random, UINT64_C(0x2545f4914f6cdd1d));
    return (uint32_t)((traffic->random >> 32) * bound >> 32);
}

void
traffic_set_attr(struct attr_set *attrs, enum attr id, const char *text,
                 int len)
{
    attrs->mask[id / 64] |= UINT64_C(1) << (id % 64);
    attrs->value[id] = (struct attr_value){
        .type = ATTR_STR, .len = (uint32_t)len, .str = text};
}

static void
put(struct traffic *traffic, struct traffic_batch *batch,
    const struct span *span, uint32_t route)
{
    struct traffic_span *made = &batch->spans[batch->len++];
    struct attr_set *attrs = &made->attrs;

    attrs->mask[0] = attrs->mask[1] = 0;
    if (span->kind == SPAN_SERVER) {
        int len = snprintf(made->path, sizeof(made->path),
                           "/svc%" PRIu32 "/r%" PRIu32, batch->service, route);
        traffic_set_attr(attrs, ATTR_HTTP_ROUTE, made->path, len);
        traffic_set_attr(attrs, ATTR_HTTP_METHOD, "GET", 3);
    }
    made->span = *span;
    made->span.attrs = attrs;
    made->span.start_ns = traffic->now_ns;
    made->span.end_ns =
        traffic->now_ns + NS_PER_MS + below(traffic, 50 * NS_PER_MS);
}

/* The route that call number |call| of |route| leads to, always the same. */
static uint32_t
callee_of(const struct traffic *traffic, uint32_t route, uint32_t call)
{
    uint32_t reach = traffic->cfg.reach;
    uint32_t routes = traffic->cfg.services * TRAFFIC_ROUTES;

    if (reach == 0)
        return (uint32_t)(hash_mix(route, call) >> 32) % routes;
    uint32_t first = (route / TRAFFIC_ROUTES + 1) * TRAFFIC_ROUTES;
    uint32_t within = reach * TRAFFIC_ROUTES;
    uint32_t any = (uint32_t)(hash_mix(route, 0) >> 32) % within;
    return (first + (any + call * reach) % within) % routes;
}

/* The inbox of the turn in which |service| tells what is asked of it now. */
static uint32_t
inbox_of(struct traffic *traffic, uint32_t service)
{
    uint32_t services = traffic->cfg.services;
    uint32_t now = (uint32_t)(traffic->turn % services);
    uint32_t turns = (service + services - now - 1) % services + 1;

    if (traffic->rounds > 1)
        turns += services * below(traffic, traffic->rounds);
    return (uint32_t)((traffic->turn + turns) % traffic->inboxes);
}

/* A request that came in at |route|, and the call it makes. */
static void
put_request(struct traffic *traffic, struct traffic_batch *batch,
            uint32_t route)
{
    uint64_t id = traffic->ids += 2;
    uint64_t trace = hash_mix(id, 1);
    struct span server = {.trace_hi = id,
                          .trace_lo = trace,
                          .span_id = hash_mix(id, 2) | 1,
                          .kind = SPAN_SERVER};
    struct span client = {.trace_hi = id,
                          .trace_lo = trace,
                          .span_id = hash_mix(id, 3) | 1,
                          .parent_id = server.span_id,
                          .kind = SPAN_CLIENT};
    uint32_t callee = callee_of(traffic, route, below(traffic, TRAFFIC_CALLS));
    uint32_t inbox = inbox_of(traffic, callee / TRAFFIC_ROUTES);
    uint32_t *len = &traffic->inbox_len[inbox];

    put(traffic, batch, &client, 0);
    put(traffic, batch, &server, route % TRAFFIC_ROUTES);
    if (*len < INBOX)
        traffic->inbox[inbox][(*len)++] =
            (struct call){trace, client.span_id, callee};
}

void
traffic_next(struct traffic *traffic, struct traffic_batch *out)
{
    uint32_t service = (uint32_t)(traffic->turn % traffic->cfg.services);
    uint32_t inbox = (uint32_t)(traffic->turn % traffic->inboxes);
    uint32_t *len = &traffic->inbox_len[inbox];

    out->service = service;
    out->len = 0;
    while (out->len < TRAFFIC_BATCH) {
        if (*len == 0) {
            put_request(traffic, out,
                        service * TRAFFIC_ROUTES +
                            below(traffic, TRAFFIC_ROUTES));
            continue;
        }
        struct call call = traffic->inbox[inbox][--*len];
        struct span span = {.trace_lo = call.trace,
                            .span_id = hash_mix(call.span, 4) | 1,
                            .parent_id = call.span,
                            .kind = SPAN_SERVER};
        put(traffic, out, &span, call.route % TRAFFIC_ROUTES);
    }
    traffic->turn++;
}
