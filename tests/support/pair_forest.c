#include "tests/support/pair_forest.h"

#include <string.h>

uint64_t
pair_random(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random * UINT64_C(2685821657736338717) >> 16;
}

bool
pair_one_in(uint64_t *random, uint32_t n)
{
    return pair_random(random) % n == 0;
}

static uint32_t
kind_flags(uint64_t *random, struct stub *stub)
{
    static const uint8_t kinds[] = {
        SPAN_UNSPECIFIED, SPAN_INTERNAL, SPAN_INTERNAL, SPAN_SERVER,
        SPAN_SERVER,      SPAN_CLIENT,   SPAN_CLIENT,   SPAN_CLIENT,
        SPAN_PRODUCER,    SPAN_PRODUCER, SPAN_CONSUMER, SPAN_CONSUMER};
    uint32_t db = pair_one_in(random, 3) ? STUB_DB : 0;
    uint32_t above = pair_one_in(random, db ? 3 : 5) ? STUB_ABOVE : 0;
    uint32_t place = db && pair_one_in(random, 2) ? STUB_UNPLACED : 0;
    uint32_t send = pair_one_in(random, 3) ? STUB_CREATE : STUB_PUBLISH;

    stub->kind = kinds[pair_random(random) % sizeof(kinds)];
    switch (stub->kind) {
    case SPAN_SERVER:
        return STUB_INGRESS | (pair_one_in(random, 9) ? STUB_DENIED : 0);
    case SPAN_CONSUMER:
        return STUB_INGRESS | (pair_one_in(random, 3) ? STUB_RECEIVE : 0);
    case SPAN_CLIENT:
        if (pair_one_in(random, 4))
            return pair_one_in(random, 4) ? 0 : STUB_RECEIVE;
        return STUB_EGRESS | db | above | place |
               (pair_one_in(random, 9) ? STUB_PUBLISH : 0);
    case SPAN_PRODUCER:
        return STUB_EGRESS | (pair_one_in(random, 5) ? 0 : send);
    default:
        return pair_one_in(random, 8) ? STUB_INPROC_DB : 0;
    }
}

static void
make_span(uint64_t *random, struct stub *stub, uint32_t services)
{
    uint32_t service =
        PAIR_FOREST_SERVICE + (uint32_t)(pair_random(random) % services);

    stub->span_id = 1 + pair_random(random) % 1000000;
    stub->service = service;
    stub->flags = kind_flags(random, stub);
    stub->start_ns =
        PAIR_FOREST_START_NS + pair_random(random) % (300 * NS_PER_S);
    if (pair_one_in(random, 2))
        stub->start_ns = PAIR_FOREST_START_NS; /* some are seen together */
    stub->duration_ns = pair_random(random) >> 16;
    stub->duration_ns >>= pair_random(random) % 24;
    stub->version =
        pair_one_in(random, 3)
            ? 0
            : PAIR_FOREST_VERSION + (uint32_t)pair_random(random) % 2;
    stub->scope = PAIR_FOREST_SCOPE + (uint32_t)(pair_random(random) % 2);
    stub->weight = WEIGHT_ONE;
    if (stub->flags & STUB_INGRESS && !pair_one_in(random, 8))
        stub->endpoint = PAIR_FOREST_ROUTE + service * 2 +
                         (uint32_t)(pair_random(random) % 2);
    if (!pair_one_in(random, 3))
        stub->peer = PAIR_FOREST_PEER + (uint32_t)(pair_random(random) % 3);
    if (!stub->peer)
        stub->flags &= ~(STUB_DB | STUB_ABOVE | STUB_UNPLACED);
    if (stub->flags & STUB_PUBLISH)
        stub->flags &= ~STUB_UNPLACED;
    if (pair_one_in(random, 4))
        stub->symbol = PAIR_FOREST_SYMBOL + service * 2 +
                       (uint32_t)(pair_random(random) % 2);
    if (pair_one_in(random, 4))
        stub->flags |= STUB_FAILED;
    if (pair_one_in(random, 12))
        stub->flags |= STUB_SYNTHETIC;
    if (pair_one_in(random, 10))
        stub->flags |= STUB_BACKWARDS;
    if (pair_one_in(random, 6))
        stub->flags |=
            STUB_REMOTE_KNOWN | (pair_one_in(random, 2) ? STUB_REMOTE : 0);
    if (pair_one_in(random, 3)) {
        stub->flags |= STUB_WEIGHT_KNOWN;
        stub->weight = 1 + pair_random(random) % (8 * WEIGHT_ONE);
    }
}

static void
make_links(uint64_t *random, struct pair_forest *forest, uint32_t i)
{
    struct stub *stub = &forest->span[i];

    if (!pair_one_in(
            random,
            stub->kind == SPAN_CONSUMER || stub->flags & STUB_RECEIVE ? 2 : 12))
        return;
    stub->link_len = (uint16_t)(1 + pair_random(random) % 4);
    for (int n = 0; n < stub->link_len; n++) {
        const struct stub *to =
            &forest->span[pair_random(random) % forest->len];
        forest->link[i][n] =
            (struct span_link){pair_one_in(random, 8) ? 0 : to->trace_hi,
                               to->trace_lo, to->span_id};
        if (pair_one_in(random, 6))
            forest->link[i][n].span_id =
                3000000 + pair_random(random) % 2; /* never comes */
    }
}

void
pair_forest_make(uint64_t *random, struct pair_forest *forest)
{
    uint32_t services = 1 + (uint32_t)(pair_random(random) % 4);
    uint32_t traces = 1 + (uint32_t)(pair_random(random) % 2);
    uint32_t wildness = pair_one_in(random, 3) ? 3 : 40;

    memset(forest, 0, sizeof(*forest));
    forest->len = 1 + (uint32_t)(pair_random(random) % PAIR_FOREST_SPANS);
    for (uint32_t i = 0; i < forest->len; i++) {
        struct stub *stub = &forest->span[i];
        make_span(random, stub, services);
        stub->trace_lo = 7 + pair_random(random) % traces;
        stub->trace_hi = pair_one_in(random, 5) ? 0 : stub->trace_lo * 11;
    }
    for (uint32_t i = 0; i < forest->len; i++) {
        struct stub *stub = &forest->span[i];
        uint32_t from = pair_one_in(random, wildness) ? forest->len : i;
        const struct stub *to =
            from ? &forest->span[pair_random(random) % from] : stub;
        if (to != stub || pair_one_in(random, 9)) {
            stub->parent_id = to->span_id;
            stub->trace_lo = to->trace_lo;
            stub->trace_hi = pair_one_in(random, 5) ? 0 : stub->trace_lo * 11;
        }
        if (pair_one_in(random, 12))
            stub->parent_id =
                3000000 + pair_random(random) % 2; /* never comes */
    }
    for (uint32_t i = 0; i < forest->len; i++)
        make_links(random, forest, i);
}

/* ---- shared ids ---- */

/* Whether |other| can be the half of a span of |service|, and is not yet. */
static bool
is_single(const struct pair_forest *forest, const struct stub *other,
          uint32_t service)
{
    const uint32_t messages = STUB_PUBLISH | STUB_RECEIVE;
    uint32_t len = 0;

    for (uint32_t i = 0; i < forest->len; i++)
        len += forest->span[i].span_id == other->span_id;
    return len == 1 && other->service != service &&
           (other->kind == SPAN_SERVER || other->kind == SPAN_CLIENT) &&
           other->flags & (STUB_INGRESS | STUB_EGRESS) &&
           !(other->flags & messages);
}

/* Gives span |i| the id of |other|, and |always| or mostly the other side. */
static void
share_id(uint64_t *random, struct pair_forest *forest, uint32_t i,
         const struct stub *other, bool always)
{
    struct stub *stub = &forest->span[i];
    uint64_t old = stub->span_id;

    if (other->kind == SPAN_SERVER && (always || pair_one_in(random, 2))) {
        stub->kind = SPAN_CLIENT;
        stub->flags &= ~(STUB_INGRESS | STUB_DENIED);
        if (always)
            stub->flags &= ~(STUB_PUBLISH | STUB_CREATE | STUB_RECEIVE);
        stub->flags |= STUB_EGRESS;
    } else if (other->kind == SPAN_CLIENT &&
               (always || pair_one_in(random, 2))) {
        stub->kind = SPAN_SERVER;
        stub->flags &= STUB_FAILED | STUB_BACKWARDS | STUB_WEIGHT_KNOWN;
        stub->flags |= STUB_INGRESS;
    }
    for (uint32_t n = 0; n < forest->len; n++) {
        if (forest->span[n].parent_id == old)
            forest->span[n].parent_id = other->span_id;
    }
    stub->span_id = other->span_id;
    stub->trace_lo = other->trace_lo;
    stub->trace_hi = pair_one_in(random, 5) ? 0 : stub->trace_lo * 11;
}

void
pair_forest_share(uint64_t *random, struct pair_forest *forest, bool repeats)
{
    for (uint32_t i = 1; i < forest->len; i++) {
        const struct stub *other = &forest->span[pair_random(random) % i];
        if (pair_one_in(random, 4) &&
            (repeats || is_single(forest, other, forest->span[i].service)))
            share_id(random, forest, i, other, !repeats);
    }
    for (uint32_t i = 0; i < forest->len; i++) {
        struct stub *stub = &forest->span[i];
        uint32_t first = 0;
        while (forest->span[first].span_id != stub->span_id)
            first++;
        if (first == i)
            continue;
        stub->parent_id = forest->span[first].parent_id;
        if (stub->kind == SPAN_SERVER && pair_one_in(random, 4))
            stub->parent_id = 0;
        if (stub->kind == SPAN_CLIENT)
            stub->flags &= ~STUB_SYNTHETIC;
        if (forest->span[first].kind == SPAN_CLIENT)
            forest->span[first].flags &= ~STUB_SYNTHETIC;
    }
}
