/*
 * Nearly every span is new and its bucket has room.  Where the bucket alone
 * says so, no entry is read.  Buckets are asked for, of the span and of its
 * parent, one span at a time and a few spans ahead: a processor that is asked
 * for a whole group at once has to wait before it can go on.
 */
#include <assert.h>

#include "base/clock.h"
#include "graph/sketch.h"
#include "runtime/pair_ahead.h"
#include "runtime/pair_beside.h"
#include "runtime/pair_join.h"
#include "runtime/pair_order.h"
#include "runtime/pair_place.h"
#include "runtime/pair_rules.h"
#include "runtime/pair_shared.h"
#include "runtime/pair_stage.h"

/* Spans whose places are asked for before one is held. */
enum { AHEAD = 32 };

enum { KINDS = 8 }; /* and more than there are */

static const uint8_t OF_KIND[KINDS] = {
    [SPAN_PRODUCER] = PAIR_PRODUCER,
    [SPAN_CONSUMER] = PAIR_CONSUMER,
};

static uint32_t
entry_flags(const struct stub *stub)
{
    const uint32_t remote = STUB_REMOTE_KNOWN | STUB_REMOTE;
    uint32_t flags = stub->flags & PAIR_OF_STUB;

    /* Of what sort spans are nobody can predict: no branches. */
    uint32_t is_child = (flags & PAIR_INGRESS) != 0;
    is_child &= stub->parent_id != 0;
    is_child &= (stub->flags & remote) != STUB_REMOTE_KNOWN;
    flags |= OF_KIND[stub->kind % KINDS];
    flags |= stub->symbol ? PAIR_SYMBOL : 0;
    flags |= PAIR_CHILD & -is_child;
    flags |= stub->flags & STUB_ABOVE ? PAIR_ABOVE : 0;
    flags |= stub->flags & STUB_UNPLACED ? PAIR_UNPLACED | PAIR_SUB_DB : 0;
    if (flags & (PAIR_PUBLISH | PAIR_CREATE)) {
        flags |= PAIR_PRODUCER;
        if (flags & PAIR_CREATE || stub->peer)
            flags |= PAIR_ANSWERED; /* by its topic */
    }
    return flags;
}

static uint32_t
own_site(const struct stub *stub)
{
    uint32_t is_ingress = (stub->flags & STUB_INGRESS) != 0;
    uint32_t endpoint = stub->endpoint & -is_ingress;

    return endpoint ? endpoint : stub->service;
}

void
pair_fill(const struct pair *pair, uint32_t id, const struct stub *stub)
{
    bool is_known = stub->flags & STUB_WEIGHT_KNOWN;
    uint32_t unplaced = (stub->flags & STUB_UNPLACED) != 0;
    uint64_t weight = is_known ? stub->weight : WEIGHT_ONE;
    uint64_t latency = sketch_bucket(stub->duration_ns);
    uint32_t flags = entry_flags(stub);

    assert(weight > 0 && weight <= WEIGHT_MAX);
    uint64_t has_none = (flags & (PAIR_INGRESS | PAIR_EGRESS)) == 0;
    has_none |= (stub->flags & STUB_BACKWARDS) != 0;
    latency |= PAIR_NO_LATENCY & -has_none;
    *pair_at(&pair->table, id) = (struct pair_entry){
        .trace_hi = stub->trace_hi,
        .trace_lo = stub->trace_lo,
        .span_id = stub->span_id,
        .flags = flags,
        .service = stub->service,
        .site = own_site(stub),
        .code = stub->symbol,
    };
    *pair_facts(&pair->table, id) = (struct pair_facts){
        .weight = weight & ((UINT64_C(1) << 53) - 1),
        .latency = latency & PAIR_NO_LATENCY,
        .start_s = (uint32_t)(stub->start_ns / NS_PER_S),
        .version = stub->version,
        .peer = stub->peer & (unplaced - 1),
        .scope = stub->scope,
        .arrived_ms = (uint32_t)pair->seen_ms,
        .sub_peer = stub->peer & -unplaced,
    };
}

/* Holds a span that may be known, or has no place in its own bucket.  0: it is
 * a duplicate, and counted, or the other half of a shared span, and put off. */
static uint32_t
hold_doubtful(struct pair *pair, struct pair_stage *stage, uint32_t at)
{
    struct pair_table *table = &pair->table;
    const struct stub *stub = &stage->stubs[at];
    uint64_t hash = stage->hash[at];
    struct pair_key key = {stub->trace_hi, stub->trace_lo, stub->span_id};
    uint32_t *slot = pair_index_find(&table->index, hash, key);

    if (slot && !(pair_at(table, *slot)->flags & PAIR_POOLED)) {
        if (pair_shares_id(pair_at(table, *slot), stub)) {
            stage->half[stage->half_len++] = (uint16_t)at;
            return 0;
        }
        pair->stats.duplicates++;
        pair_tell_duplicate(pair, stub);
        return 0;
    }
    uint32_t id = pair_table_push(table);
    pair_fill(pair, id, stub);
    if (!slot) {
        (void)pair_index_add(&table->index, hash, id);
        return id;
    }
    uint32_t absent = *slot;
    *slot = id;
    stage->heir[stage->heir_len++] = (struct pair_duo){id, absent};
    if (!pair_index_is_home(&table->index, hash, slot))
        pair_at(table, id)->flags |= PAIR_PASSED;
    pair_take_links(pair, id, absent);
    return id;
}

static void
hold(struct pair *pair, struct pair_stage *stage, uint32_t at)
{
    const struct stub *stub = &stage->stubs[at];
    const uint32_t publishes = STUB_PUBLISH | STUB_CREATE;
    uint64_t hash = stage->hash[at];
    uint32_t id = pair_table_next(&pair->table);

    assert(stub->span_id != 0);
    if (pair_index_put(&pair->table.index, hash, id)) {
        (void)pair_table_push(&pair->table);
        pair_fill(pair, id, stub);
    } else {
        id = hold_doubtful(pair, stage, at);
        if (!id)
            return;
    }
    stage->linker[stage->linker_len] = (uint16_t)stage->len;
    stage->linker_len += (stub->link_len != 0) | !!(stub->flags & publishes) |
                         pair_is_alone(stub);
    stage->stub[stage->len] = (uint16_t)at;
    stage->id[stage->len++] = id;
}

/* Asks for the places of a span and of its parent. */
PAIR_PREFETCH
ask(const struct pair_index *index, struct pair_stage *stage, uint32_t at)
{
    const struct stub *stub = &stage->stubs[at];

    stage->hash[at] = pair_hash(index, stub->trace_lo, stub->span_id);
    stage->above[at] = pair_hash(index, stub->trace_lo, stub->parent_id);
    pair_index_prefetch(index, stage->hash[at]);
    pair_index_prefetch(index, stage->above[at]);
}

void
pair_stage_hold(struct pair *pair, struct pair_stage *stage)
{
    const struct pair_table *table = &pair->table;
    const struct pair_index *index = &table->index;
    uint32_t len = stage->stub_len;

    stage->len = stage->heir_len = stage->linker_len = 0;
    stage->half_len = 0;
    for (uint32_t i = 0; i < len && i < AHEAD; i++)
        ask(index, stage, i);
    for (uint32_t i = 0; i < len; i++) {
        if (i + AHEAD < len)
            ask(index, stage, i + AHEAD);
        if (i + AHEAD / 2 < len)
            pair_prefetch(table,
                          pair_index_peek(index, stage->hash[i + AHEAD / 2]));
        hold(pair, stage, i);
    }
    pair->stats.spans += stage->len;
}
