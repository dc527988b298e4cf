/*
 * Calls wait in the inbox of the service they go to until that has its turn;
 * one that is full takes no more, and such a call is of its caller alone.
 */
#include "tests/bench/traffic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/hash.h"

enum { INBOX = 64 };

struct call {
    uint64_t trace;
    uint64_t span;
    uint32_t route;
};

struct traffic {
    uint32_t services;
    uint32_t reach;
    uint64_t now_ns;
    uint64_t ids;
    uint64_t turn; /* of the services */
    uint64_t random;
    struct call (*inbox)[INBOX];
    uint32_t *inbox_len;
};

struct traffic *
traffic_new(uint32_t services, uint32_t reach, uint64_t now_ns)
{
    struct traffic *traffic = calloc(1, sizeof(*traffic));

    if (!traffic)
        return NULL;
    *traffic = (struct traffic){
        .services = services,
        .reach = reach,
        .now_ns = now_ns,
        .random = 42,
        .inbox = calloc(services, sizeof(*traffic->inbox)),
        .inbox_len = calloc(services, sizeof(*traffic->inbox_len)),
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
    uint32_t routes = traffic->services * TRAFFIC_ROUTES;
    uint32_t hash = (uint32_t)(hash_mix(route, call) >> 32);
    uint32_t first = 0;

    if (traffic->reach < traffic->services)
        first = (route / TRAFFIC_ROUTES + 1) * TRAFFIC_ROUTES;
    return (first + hash % (traffic->reach * TRAFFIC_ROUTES)) % routes;
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
    uint32_t *len = &traffic->inbox_len[callee / TRAFFIC_ROUTES];

    put(traffic, batch, &client, 0);
    put(traffic, batch, &server, route % TRAFFIC_ROUTES);
    if (*len < INBOX)
        traffic->inbox[callee / TRAFFIC_ROUTES][(*len)++] =
            (struct call){trace, client.span_id, callee};
}

void
traffic_next(struct traffic *traffic, struct traffic_batch *out)
{
    uint32_t service = (uint32_t)(traffic->turn++ % traffic->services);
    uint32_t *len = &traffic->inbox_len[service];

    out->service = service;
    out->len = 0;
    while (out->len < TRAFFIC_BATCH) {
        if (*len == 0) {
            put_request(traffic, out,
                        service * TRAFFIC_ROUTES +
                            below(traffic, TRAFFIC_ROUTES));
            continue;
        }
        struct call call = traffic->inbox[service][--*len];
        struct span span = {.trace_lo = call.trace,
                            .span_id = hash_mix(call.span, 4) | 1,
                            .parent_id = call.span,
                            .kind = SPAN_SERVER};
        put(traffic, out, &span, call.route % TRAFFIC_ROUTES);
    }
}
