/*
 * Records stand in an array in the order in which their edges were first seen,
 * which is nearly that of their ids; `slots` finds them by key.  A bit for
 * each says whether it was touched: walking the bits is walking the array in
 * order, so a flush needs no sort.
 *
 * Nearly all observations of an edge between two flushes are of one hour and
 * one pair of versions: their sums are in the record itself.  The others are
 * chained behind, and the one touched last is moved to the front.
 *
 * An edge gets its id when it is first taken.  One that came to nothing before
 * that leaves the table again.
 */
#include "graph/edges.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "graph/edges_impl.h"

enum {
    RECORDS_MIN = 256,
    EXTRAS_MIN = 64,
    WORD = 64,
    SUM_MAX = 1 << 30, /* a delta this full is left alone, another is begun */
};

static uint64_t
hash_key(const struct edges *edges, struct edge_key key)
{
    return hash_mix((uint64_t)key.src << 32 | key.dst, edges->seed + key.kind);
}

static bool
record_is(const struct record *record, struct edge_key key)
{
    return record->src == key.src && record->dst == key.dst &&
           record->kind == key.kind;
}

static struct slot *
find_slot(const struct edges *edges, struct edge_key key, uint64_t hash)
{
    uint32_t tag = (uint32_t)(hash >> 32);
    uint32_t i = (uint32_t)hash & edges->slot_mask;

    for (;; i = (i + 1) & edges->slot_mask) {
        struct slot *slot = &edges->slots[i];
        if (slot->at == 0)
            return slot;
        if (slot->tag == tag && record_is(&edges->records[slot->at - 1], key))
            return slot;
    }
}

/* ---- growing ---- */

static enum err
grow_records(struct edges *edges)
{
    uint32_t cap = edges->record_cap ? 2 * edges->record_cap : RECORDS_MIN;
    struct record *records =
        realloc(edges->records, cap * sizeof(*edges->records));

    if (!records)
        return ERR_NOMEM;
    edges->records = records;
    uint64_t *dirty = realloc(edges->dirty, cap / WORD * sizeof(*dirty));
    if (!dirty)
        return ERR_NOMEM;
    memset(dirty + edges->record_cap / WORD, 0,
           (cap - edges->record_cap) / WORD * sizeof(*dirty));
    edges->dirty = dirty;
    edges->record_cap = cap;
    return OK;
}

static enum err
grow_slots(struct edges *edges, uint32_t records)
{
    uint32_t cap = 4;

    while (cap < 2 * records)
        cap *= 2;
    if (edges->slots && cap <= edges->slot_mask + 1)
        return OK;
    struct slot *slots = calloc(cap, sizeof(*slots));
    if (!slots)
        return ERR_NOMEM;
    free(edges->slots);
    edges->slots = slots;
    edges->slot_mask = cap - 1;
    for (uint32_t i = 0; i < edges->record_len; i++) {
        const struct record *record = &edges->records[i];
        struct edge_key key = {record->src, record->dst, record->kind};
        if (!(record->flags & RECORD_USED))
            continue;
        uint64_t hash = hash_key(edges, key);
        *find_slot(edges, key, hash) =
            (struct slot){.tag = (uint32_t)(hash >> 32), .at = i + 1};
    }
    return OK;
}

/* ---- records ---- */

/* Returns a new record for |key|, or NULL without memory. */
static struct record *
make_record(struct edges *edges, struct edge_key key)
{
    uint32_t at = edges->unused ? edges->unused - 1 : edges->record_len;

    if (at == edges->record_cap && grow_records(edges))
        return NULL;
    if (grow_slots(edges, edges->stats.edges + 1))
        return NULL;

    struct record *record = &edges->records[at];
    if (edges->unused)
        edges->unused = record->next;
    else
        edges->record_len++;
    *record = (struct record){
        .src = key.src, .dst = key.dst, .kind = key.kind, .flags = RECORD_USED};
    uint64_t hash = hash_key(edges, key);
    *find_slot(edges, key, hash) =
        (struct slot){.tag = (uint32_t)(hash >> 32), .at = at + 1};
    edges->stats.edges++;
    return record;
}

/* Takes the record out of the table.  Slots behind it that were pushed on by
 * it move up, so that no search ends early. */
static void
drop_record(struct edges *edges, uint32_t at)
{
    struct record *record = &edges->records[at];
    struct edge_key key = {record->src, record->dst, record->kind};
    struct slot *slot = find_slot(edges, key, hash_key(edges, key));
    uint32_t hole = (uint32_t)(slot - edges->slots);
    uint32_t mask = edges->slot_mask;

    for (uint32_t i = (hole + 1) & mask; edges->slots[i].at != 0;
         i = (i + 1) & mask) {
        const struct record *other = &edges->records[edges->slots[i].at - 1];
        struct edge_key its = {other->src, other->dst, other->kind};
        uint32_t home = (uint32_t)hash_key(edges, its) & mask;
        if (((i - home) & mask) < ((i - hole) & mask))
            continue;
        edges->slots[hole] = edges->slots[i];
        hole = i;
    }
    edges->slots[hole] = (struct slot){0};
    *record = (struct record){.next = edges->unused};
    edges->unused = at + 1;
    edges->stats.edges--;
}

static uint32_t
overflow_node(struct nodes *nodes, uint32_t id)
{
    if (id == 0)
        return 0;
    struct node node = nodes_get(nodes, id);
    if (node.kind == NODE_ROUTE)
        return nodes_intern_route(nodes, node.owner, STR(NODE_NAME_OTHER),
                                  ROUTE_SOURCE_OVERFLOW);
    return nodes_intern(nodes, node.kind, node.owner, STR(NODE_NAME_OVERFLOW),
                        node.env);
}

/* The edge that |key| counts for when there is no place for it; NULL: none. */
static struct record *
overflow_record(struct edges *edges, struct edge_key key)
{
    struct edge_key other = {overflow_node(edges->nodes, key.src),
                             overflow_node(edges->nodes, key.dst), key.kind};
    const struct slot *slot = find_slot(edges, other, hash_key(edges, other));

    edges->overflowing = true;
    if (slot->at != 0)
        return &edges->records[slot->at - 1];
    if (edges->stats.edges >= edges->max_edges + EDGES_OVERFLOW_MAX)
        return NULL;
    return make_record(edges, other);
}

static struct record *
find_or_make(struct edges *edges, struct edge_key key, uint64_t hash)
{
    const struct slot *slot = find_slot(edges, key, hash);

    if (slot->at != 0)
        return &edges->records[slot->at - 1];
    if (key.src > nodes_len(edges->nodes) || key.dst > nodes_len(edges->nodes))
        return NULL; /* from a damaged file; nothing else makes up ids */
    if (!edges->overflowing && edges->stats.edges < edges->max_edges)
        return make_record(edges, key);
    struct record *record = overflow_record(edges, key);
    edges->stats.overflowed += record != NULL;
    return record;
}

/* ---- adding ---- */

static bool
delta_is_of(const struct delta *delta, const struct edge_obs *obs,
            uint32_t hour)
{
    return delta->hour == hour && delta->src_version == obs->src_version &&
           delta->dst_version == obs->dst_version && delta->count < SUM_MAX &&
           delta->count > -SUM_MAX;
}

static struct extra *
make_extra(struct edges *edges)
{
    if (edges->extra_len == edges->extra_cap) {
        uint32_t cap = edges->extra_cap ? 2 * edges->extra_cap : EXTRAS_MIN;
        struct extra *extras =
            realloc(edges->extras, cap * sizeof(*edges->extras));
        if (!extras)
            return NULL;
        edges->extras = extras;
        edges->extra_cap = cap;
    }
    return &edges->extras[edges->extra_len++];
}

/* Returns the delta of |obs|, now the first of |record|; NULL without
 * memory. */
static struct delta *
find_delta(struct edges *edges, struct record *record,
           const struct edge_obs *obs, bool dirty)
{
    const struct delta fresh = {.hour = obs->at_s / S_PER_H,
                                .src_version = obs->src_version,
                                .dst_version = obs->dst_version};

    if (!dirty) {
        record->now = fresh;
        return &record->now;
    }
    if (delta_is_of(&record->now, obs, fresh.hour))
        return &record->now;

    for (uint32_t at = record->next; at != 0; at = edges->extras[at - 1].next) {
        struct extra *extra = &edges->extras[at - 1];
        if (!delta_is_of(&extra->delta, obs, fresh.hour))
            continue;
        struct delta found = extra->delta;
        extra->delta = record->now;
        record->now = found;
        return &record->now;
    }
    struct extra *extra = make_extra(edges);
    if (!extra)
        return NULL;
    *extra = (struct extra){.delta = record->now, .next = record->next};
    record->next = (uint32_t)(extra - edges->extras) + 1;
    record->now = fresh;
    return &record->now;
}

static void
add_to_delta(struct delta *delta, const struct edge_obs *obs)
{
    delta->count += obs->count;
    delta->errors += obs->errors;
    delta->known += obs->weight_known;
    if (__builtin_add_overflow(delta->weight, obs->weight, &delta->weight))
        delta->weight = obs->weight > 0 ? INT64_MAX : INT64_MIN;
    if (obs->count <= 0)
        return;
    if (delta->first_s == 0 || delta->first_s > obs->at_s)
        delta->first_s = obs->at_s;
    uint32_t last_s = obs->until_s ? obs->until_s : obs->at_s;
    if (delta->last_s < last_s)
        delta->last_s = last_s;
}

/* What is short of its other half, in the store and since. */
static void
count_unresolved(struct edges *edges, uint8_t kind, int64_t count)
{
    if (kind >= EDGE_ORPHAN && kind < EDGE_ORPHAN + EDGES_UNRESOLVED)
        edges->stats.unresolved[kind - EDGE_ORPHAN] += count;
}

/* |likely| is the index + 1 of the record it may be for, or 0. */
static void
add(struct edges *edges, const struct waiting *it, uint32_t likely)
{
    const struct edge_obs *obs = &it->obs;
    struct record *record = likely ? &edges->records[likely - 1] : NULL;
    struct delta *delta = NULL;

    if (!record || !record_is(record, obs->key))
        record = find_or_make(edges, obs->key, it->hash);

    if (record) {
        uint32_t at = (uint32_t)(record - edges->records);
        uint64_t bit = UINT64_C(1) << at % WORD;
        bool dirty = edges->dirty[at / WORD] & bit;
        delta = find_delta(edges, record, obs, dirty);
        edges->dirty[at / WORD] |= bit;
        edges->stats.dirty += !dirty;
    }
    if (!delta) {
        edges->stats.dropped++;
        return;
    }
    add_to_delta(delta, obs);
    count_unresolved(edges, obs->key.kind, obs->count);
    if (obs->latency == EDGE_NO_LATENCY || obs->count == 0)
        return;
    uint64_t key = duration_key((uint32_t)(record - edges->records),
                                obs->at_s / S_PER_DAY, obs->latency);
    if (durations_add(&edges->durations, key, obs->count))
        edges->stats.dropped++;
}

/* The record whose slot has the tag of |hash|: most likely the right one. */
static uint32_t
guess(const struct edges *edges, uint64_t hash)
{
    uint32_t i = (uint32_t)hash & edges->slot_mask;

    while (edges->slots[i].at != 0 && edges->slots[i].tag != hash >> 32)
        i = (i + 1) & edges->slot_mask;
    return edges->slots[i].at;
}

void
edges_settle(struct edges *edges)
{
    uint32_t len = edges->waiting_len;
    uint32_t at[EDGES_WAITING];

    for (uint32_t i = 0; i < len; i++) {
        at[i] = guess(edges, edges->waiting[i].hash);
        __builtin_prefetch(&edges->records[at[i] ? at[i] - 1 : 0], 1);
    }
    for (uint32_t i = 0; i < len; i++)
        add(edges, &edges->waiting[i], at[i]);
    edges->waiting_len = 0;
}

void
edges_add(struct edges *edges, const struct edge_obs *obs)
{
    struct waiting *it = &edges->waiting[edges->waiting_len++];

    it->obs = *obs;
    it->hash = hash_key(edges, obs->key);
    __builtin_prefetch(&edges->slots[it->hash & edges->slot_mask], 1);
    if (edges->waiting_len == EDGES_WAITING)
        edges_settle(edges);
}

/* ---- after a take ---- */

void
edges_forget_taken(struct edges *edges)
{
    for (uint32_t word = 0; word < edges->record_cap / WORD; word++) {
        while (edges->dirty[word]) {
            uint32_t at =
                word * WORD + (uint32_t)__builtin_ctzll(edges->dirty[word]);
            struct record *record = &edges->records[at];
            edges->dirty[word] &= edges->dirty[word] - 1;
            record->next = 0;
            if (record->flags & RECORD_TAKEN)
                record->flags = RECORD_USED | RECORD_STORED;
            else if (!(record->flags & RECORD_STORED))
                drop_record(edges, at);
        }
    }
    edges->stats.dirty = 0;
    edges->extra_len = 0;
    durations_clear(&edges->durations);
}

struct edges_stats
edges_stats(struct edges *edges)
{
    edges_settle(edges);

    struct edges_stats stats = edges->stats;
    stats.last_id = edges->next_id - 1;
    return stats;
}

/* ---- opening ---- */

static enum err
load_edge(void *ctx, const struct edge_delta *row)
{
    struct edges *edges = ctx;
    uint32_t nodes = nodes_len(edges->nodes);

    if (row->id < edges->next_id || row->id == UINT32_MAX ||
        row->key.src > nodes || row->key.dst > nodes || row->key.dst == 0)
        goto corrupt;
    if (grow_slots(edges, edges->stats.edges + 1))
        return ERR_NOMEM;
    if (find_slot(edges, row->key, hash_key(edges, row->key))->at != 0)
        goto corrupt;
    struct record *record = make_record(edges, row->key);
    if (!record)
        return ERR_NOMEM;
    record->id = row->id;
    record->flags |= RECORD_STORED;
    edges->next_id = row->id + 1;
    count_unresolved(edges, row->key.kind, row->count);
    return OK;
corrupt:
    log_error("a stored edge makes no sense", "id", "%u", row->id);
    return ERR_CORRUPT;
}

enum err
edges_expect(struct edges *edges, const struct edge_entry *entry)
{
    uint64_t hash = hash_key(edges, entry->key);
    uint32_t at = find_slot(edges, entry->key, hash)->at;
    struct record *record = at ? &edges->records[at - 1] : NULL;

    if (!record && !(record = make_record(edges, entry->key)))
        return ERR_NOMEM;
    if (record->id != 0 && record->id != entry->id)
        return ERR_CORRUPT;
    record->id = entry->id;
    record->flags |= RECORD_STORED;
    if (edges->next_id <= entry->id)
        edges->next_id = entry->id + 1;
    for (uint32_t i = 0; i < entry->delta_len; i++)
        count_unresolved(edges, entry->key.kind, entry->delta[i].count);
    return OK;
}

enum err
edges_open(struct edges **out, struct edges_cfg cfg, struct store *store,
           struct nodes *nodes)
{
    struct edges *edges = calloc(1, sizeof(*edges));
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (!edges)
        return ERR_NOMEM;
    edges->nodes = nodes;
    edges->seed = hash_seed();
    edges->next_id = 1;
    edges->max_edges = cfg.max_edges;
    if ((err = grow_records(edges)) || (err = grow_slots(edges, RECORDS_MIN)) ||
        (err = store_each_edge(store, load_edge, edges)))
        goto out;
    *out = edges;
    edges = NULL;
out:
    edges_free(edges);
    return err;
}

void
edges_free(struct edges *edges)
{
    if (!edges)
        return;
    durations_fini(&edges->durations);
    free(edges->deltas);
    free(edges->extras);
    free(edges->slots);
    free(edges->dirty);
    free(edges->records);
    free(edges);
}
