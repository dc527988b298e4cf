/*
 * A batch goes in groups: first the hashes of all keys of the group, then the
 * buckets, then the entries behind them, each step asking for memory that the
 * next one reads; only then is anything done.  A span touches about two cache
 * lines that nobody expects, and this is what lets the machine fetch sixty of
 * them at once.
 *
 * What a new span stands for is told after it has been tied to its parent and
 * its producers, and before those that waited for it are tied to it: so hardly
 * anything is told that is taken back at once.
 */
#include "runtime/pair.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "graph/sketch.h"
#include "runtime/pair_join.h"
#include "runtime/pair_links.h"
#include "runtime/pair_rules.h"
#include "runtime/pair_state.h"
#include "runtime/pair_wait.h"

enum { GROUP = 64, KIDS_AHEAD = 3, FAMILY = 4 * GROUP };

enum err
pair_new(struct pair **out, const struct pair_cfg *cfg, pair_sink_fn *sink,
         void *ctx)
{
    struct pair *pair = calloc(1, sizeof(*pair));
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (!pair)
        return ERR_NOMEM;
    pair->cfg = *cfg;
    pair->sink = sink;
    pair->ctx = ctx;
    if ((err = pair_table_init(&pair->table, cfg->max_spans)))
        goto out;
    if ((err = pair_producers_init(&pair->producers, cfg->max_producers)))
        goto out;
    *out = pair;
    pair = NULL; /* now the caller's */
out:
    pair_free(pair);
    return err;
}

void
pair_free(struct pair *pair)
{
    if (!pair)
        return;
    pair_producers_fini(&pair->producers);
    pair_table_fini(&pair->table);
    free(pair);
}

void
pair_advance(struct pair *pair, uint64_t now_ns)
{
    const struct pair_cfg *cfg = &pair->cfg;

    if (now_ns <= pair->now_ns)
        return;
    pair->now_ns = now_ns;
    if (now_ns >= cfg->wait_ns)
        pair_end_waits(pair, now_ns - cfg->wait_ns);
    if (now_ns >= cfg->horizon_ns)
        pair_end_horizons(pair, now_ns - cfg->horizon_ns);
    pair->seen_ms = (now_ns - 1) / NS_PER_MS + 1;
    pair_producers_expire(&pair->producers, (uint32_t)(now_ns / NS_PER_S));
}

void
pair_finish(struct pair *pair)
{
    pair_end_waits(pair, UINT64_MAX);
}

/* ---- one span ---- */

static uint32_t
entry_flags(const struct stub *stub)
{
    const uint32_t remote = STUB_REMOTE_KNOWN | STUB_REMOTE;
    uint32_t flags = stub->flags & PAIR_OF_STUB;

    /* Kinds of spans come in no order that could be predicted. */
    uint32_t is_child = (flags & PAIR_INGRESS) != 0;
    is_child &= stub->parent_id != 0;
    is_child &= (stub->flags & remote) != STUB_REMOTE_KNOWN;
    flags |= stub->kind == SPAN_CONSUMER ? PAIR_CONSUMER : 0;
    flags |= stub->kind == SPAN_PRODUCER ? PAIR_PRODUCER : 0;
    flags |= stub->symbol ? PAIR_SYMBOL : 0;
    flags |= PAIR_CHILD & -is_child;
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

static void
fill(const struct pair *pair, uint32_t id, const struct stub *stub)
{
    bool is_known = stub->flags & STUB_WEIGHT_KNOWN;
    uint64_t weight = is_known ? stub->weight : WEIGHT_ONE;
    uint64_t latency = PAIR_NO_LATENCY;
    uint32_t flags = entry_flags(stub);

    assert(weight > 0 && weight <= WEIGHT_MAX);
    if (flags & (PAIR_INGRESS | PAIR_EGRESS) && !(stub->flags & STUB_BACKWARDS))
        latency = sketch_bucket(stub->duration_ns);
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
        .peer = stub->peer,
        .scope = stub->scope,
        .arrived_ms = (uint32_t)pair->seen_ms,
    };
}

/* Where a parent may be. */
struct guess {
    uint64_t hash;
    uint32_t id; /* 0: not known */
};

static bool
has_parent(const struct stub *stub)
{
    return stub->parent_id != 0 && stub->parent_id != stub->span_id;
}

static void
find_parent(struct pair *pair, uint32_t id, const struct stub *stub,
            struct guess guess)
{
    struct pair_entry *entry = pair_at(&pair->table, id);
    const uint32_t pooled = PAIR_ABSENT | PAIR_GHOST;
    struct pair_key key = {stub->trace_hi, stub->trace_lo, stub->parent_id};
    uint32_t parent = guess.id;
    if (!pair_index_is(&pair->table.index, parent, key) ||
        entry->flags & PAIR_CONSUMER)
        parent = pair_find_or_await(pair, key, guess.hash,
                                    entry->flags & PAIR_CONSUMER);
    const struct pair_entry *above = pair_at(&pair->table, parent);

    if (!parent)
        return;
    if (above->flags & pooled) {
        pair_await(pair, id, parent);
    } else {
        /* Nobody has anything from a new entry yet. */
        if (entry->service == above->service &&
            !(entry->flags & PAIR_INGRESS)) {
            entry->site = above->site;
            entry->code =
                entry->flags & PAIR_SYMBOL ? entry->code : above->code;
        }
        pair_join(pair, id, parent);
    }
    pair_meet_parent(pair, id);
}

static void
tell_new(struct pair *pair, uint32_t id, const struct stub *stub)
{
    struct pair_entry *entry = pair_at(&pair->table, id);

    entry->flags |= PAIR_TOLD;
    pair_tell_arrival(pair, id, stub);
    pair_tell_parent(pair, id, 1);
    if (entry->flags & PAIR_PRODUCER)
        pair_tell_publish(pair, id, 1);
    if (entry->flags & PAIR_RECEIVE)
        pair_tell_receive(pair, id, 1);
    if (entry->flags & PAIR_SYMBOL)
        pair_tell_handled(pair, id, 1);
    for (uint32_t i = pair_facts(&pair->table, id)->out; i;
         i = pair_link_at(&pair->table, i)->next_out)
        pair_tell_link(pair, i, 1);
}

static bool
is_publish(const struct pair_entry *entry)
{
    return entry->flags & PAIR_EGRESS &&
           entry->flags & (PAIR_PUBLISH | PAIR_CREATE) &&
           !(entry->flags & PAIR_SYNTHETIC);
}

/* Where |key| is, after room was made for a span and all it may refer to. */
static uint32_t *
find_with_room(struct pair *pair, const struct stub *stub, uint64_t hash)
{
    struct pair_key key = {stub->trace_hi, stub->trace_lo, stub->span_id};
    uint32_t *slot = pair_index_find(&pair->table.index, hash, key);
    const uint32_t pooled = PAIR_ABSENT | PAIR_GHOST;
    bool is_publishing = stub->flags & (STUB_PUBLISH | STUB_CREATE);
    uint32_t need = 1 + has_parent(stub) + stub->link_len + is_publishing;

    if (slot && !(pair_at(&pair->table, *slot)->flags & pooled))
        return slot;
    if (pair_table_live(&pair->table) + pair->table.pool_used + need <=
        pair->table.max_spans)
        return slot;
    pair_make_room(pair, need);
    return pair_index_find(&pair->table.index, hash, key);
}

static void
add_span(struct pair *pair, const struct stub_batch *batch,
         const struct stub *stub, uint64_t hash, struct guess parent)
{
    uint32_t *slot = find_with_room(pair, stub, hash);
    const uint32_t pooled = PAIR_ABSENT | PAIR_GHOST;
    uint32_t absent = slot ? *slot : 0;

    assert(stub->span_id != 0);
    if (slot && !(pair_at(&pair->table, absent)->flags & pooled)) {
        pair->stats.duplicates++;
        pair_tell_duplicate(pair, stub);
        return;
    }
    uint32_t id = pair_table_push(&pair->table);
    const struct pair_entry *entry = pair_at(&pair->table, id);
    fill(pair, id, stub);
    if (slot)
        *slot = id;
    else
        pair_index_add(&pair->table.index, hash, id);
    pair->stats.spans++;

    if (has_parent(stub))
        find_parent(pair, id, stub, parent);
    if (is_publish(entry))
        pair_mark_publish(pair, id);
    if (stub->link_len)
        pair_link_producers(pair, id, stub, &batch->links[stub->link_at]);
    tell_new(pair, id, stub);
    if (absent)
        pair_take_over(pair, id, absent);
}

/* ---- batches ---- */

/* Asks for |id| unless it came lately; if it did not, it is added to |ids|. */
static inline __attribute__((always_inline)) uint32_t
prefetch_old(const struct pair_table *table, uint32_t id, uint32_t *ids,
             uint32_t len)
{
    if (id == 0 || len == FAMILY || pair_table_is_recent(table, id))
        return len;
    pair_prefetch_all(table, id);
    ids[len] = id;
    return len + 1;
}

/* Asks for the children of |absent|, who did not come yet, for their siblings
 * and for the children of those, a generation or a sibling a round. */
PAIR_PREFETCH
prefetch_kids(const struct pair_table *table, const uint32_t *absent,
              uint32_t len)
{
    uint32_t ids[FAMILY];
    uint32_t end = 0;
    uint32_t at = 0;

    for (uint32_t i = 0; i < len; i++)
        end = prefetch_old(table, pair_at(table, absent[i])->kids, ids, end);
    for (int round = 0; round < KIDS_AHEAD; round++) {
        for (uint32_t stop = end; at < stop; at++) {
            const struct pair_entry *it = pair_at(table, ids[at]);
            pair_prefetch_all(table, it->reps);
            end = prefetch_old(table, it->next, ids, end);
            end = prefetch_old(table, it->kids, ids, end);
        }
    }
}

/* Asks for what is pushed aside by one more child of |above|. */
PAIR_PREFETCH
prefetch_siblings(const struct pair_table *table, uint32_t above)
{
    const struct pair_entry *entry = pair_at(table, above);

    pair_prefetch(table, entry->kids);
    pair_prefetch(table, entry->reps);
    pair_prefetch_all(table, pair_facts(table, above)->holder);
}

static void
add_group(struct pair *pair, const struct stub_batch *batch, uint32_t from,
          uint32_t len)
{
    const struct pair_table *table = &pair->table;
    const struct stub *stubs = &batch->stubs[from];
    uint64_t hash[GROUP];
    struct guess parent[GROUP];
    uint32_t own[GROUP]; /* without gaps */
    uint32_t owns = 0;

    for (uint32_t i = 0; i < len; i++) {
        hash[i] = pair_hash(&table->index, stubs[i].trace_lo, stubs[i].span_id);
        parent[i].hash =
            pair_hash(&table->index, stubs[i].trace_lo, stubs[i].parent_id);
        pair_index_prefetch(&table->index, hash[i]);
        pair_index_prefetch(&table->index, parent[i].hash);
    }
    for (uint32_t i = 0; i < len; i++) {
        own[owns] = pair_index_peek(&table->index, hash[i]);
        parent[i].id = pair_index_peek(&table->index, parent[i].hash);
        pair_prefetch(table, own[owns]);
        owns += own[owns] != 0;
        pair_prefetch_all(table, parent[i].id);
    }
    for (uint32_t i = 0; i < len; i++)
        prefetch_siblings(table, parent[i].id);
    prefetch_kids(table, own, owns);
    for (uint32_t i = 0; i < len; i++)
        add_span(pair, batch, &stubs[i], hash[i], parent[i]);
}

void
pair_add(struct pair *pair, const struct stub_batch *batch)
{
    pair_advance(pair, batch->received_ns);
    for (uint32_t i = 0; i < batch->stub_len; i += GROUP) {
        uint32_t len = batch->stub_len - i;
        add_group(pair, batch, i, len < GROUP ? len : GROUP);
    }
    pair_tell_seen(pair);
}

struct pair_stats
pair_stats(const struct pair *pair)
{
    struct pair_stats stats = pair->stats;

    stats.live = pair_table_live(&pair->table);
    stats.pending = (uint32_t)(pair->table.head - pair->table.wait);
    stats.producers = pair->producers.used;
    return stats;
}

void
pair_save_producers(struct pair *pair, struct buf *out, uint64_t *until_ns)
{
    uint32_t until_s;

    pair_producers_save(&pair->producers, out, &until_s);
    *until_ns = until_s ? (until_s + UINT64_C(1)) * NS_PER_S : 0;
}

enum err
pair_load_producers(struct pair *pair, str bytes)
{
    return pair_producers_load(&pair->producers, bytes,
                               (uint32_t)(pair->now_ns / NS_PER_S));
}
