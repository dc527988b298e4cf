/*
 * Records stand in an array in the order in which their edges were first seen,
 * which is nearly that of their ids; the index finds them by key.  A bit for
 * each says whether it was touched: walking the bits is walking the array in
 * order, so a flush needs no sort.
 *
 * Nearly all observations of an edge between two flushes are of one hour and
 * one pair of versions: their sums are in the record itself, and so is how long
 * the last few took.  The others are chained behind, and the one touched last
 * is moved to the front.
 *
 * An edge gets its id when it is first taken.  One that came to nothing before
 * that leaves the table again.
 */
#include "graph/edges.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/log.h"
#include "graph/edges_impl.h"
#include "graph/edges_index.h"
#include "store/edge_rows.h"

enum {
    RECORDS_MIN = 256,
    EXTRAS_MIN = 64,
    SUM_MAX = 1 << 30, /* a delta this full is left alone, another is begun */
};

/* ---- durations ---- */

/* Adds how long calls took where the sums are already.  For most there is a
 * place in the record, and for the others memory is asked for, all at once. */
static void
add_durations(struct edges *edges)
{
    struct durations *pool = &edges->durations;
    uint32_t late = 0;

    for (uint32_t i = 0; i < edges->timed_len; i++) {
        struct timed it = edges->timed[i];
        edges->timed[late] = it;
        late += !durations_try(it.log, it.latency, it.count);
    }
    for (uint32_t i = 0; i < late; i++)
        durations_expect(pool, edges->timed[i].log, edges->timed[i].latency);
    for (uint32_t i = 0; i < late; i++) {
        const struct timed *it = &edges->timed[i];
        if (durations_add(pool, it->log, it->latency, it->count))
            edges->stats.dropped++;
    }
    edges->timed_len = 0;
}

/* ---- growing ---- */

static enum err
grow_to(struct edges *edges, uint32_t cap)
{
    struct record *records =
        lines_grow(edges->records, edges->record_len, cap, sizeof(*records));

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
grow_records(struct edges *edges)
{
    add_durations(edges); /* records move */
    return grow_to(edges,
                   edges->record_cap ? 2 * edges->record_cap : RECORDS_MIN);
}

/* ---- records ---- */

/* Returns a new record for |key|, or NULL without memory. */
static struct record *
make_record(struct edges *edges, struct edge_key key)
{
    uint32_t at = edges->unused ? edges->unused - 1 : edges->record_len;

    if (at == edges->record_cap && grow_records(edges))
        return NULL;
    if (edges_make_room(edges, edges->stats.edges + 1))
        return NULL;

    struct record *record = &edges->records[at];
    if (edges->unused)
        edges->unused = record->next;
    else
        edges->record_len++;
    *record = (struct record){
        .src = key.src, .dst = key.dst, .kind = key.kind, .flags = RECORD_USED};
    edges_put(edges, at);
    edges->stats.edges++;
    return record;
}

static void
drop_record(struct edges *edges, uint32_t at)
{
    edges_take_out(edges, at);
    edges->records[at] = (struct record){.next = edges->unused};
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
    uint32_t at = edges_find(edges, other, edges_hash(edges, other));

    edges->overflowing = true;
    if (at != 0)
        return &edges->records[at - 1];
    if (edges->stats.edges >= edges->max_edges + EDGES_OVERFLOW_MAX)
        return NULL;
    return make_record(edges, other);
}

static struct record *
find_or_make(struct edges *edges, struct edge_key key, uint64_t hash)
{
    uint32_t at = edges_find(edges, key, hash);

    if (at != 0)
        return &edges->records[at - 1];
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
    if (!grow_room(edges->extras, edges->extra_len, edges->extra_cap))
        return NULL;
    return &edges->extras[edges->extra_len++];
}

/* Returns the delta of |obs|, now the first of |record|; NULL without
 * memory. */
static struct delta *
find_delta(struct edges *edges, struct record *record,
           const struct edge_obs *obs)
{
    const struct delta fresh = {.hour = obs->at_s / S_PER_H,
                                .src_version = obs->src_version,
                                .dst_version = obs->dst_version,
                                .first_s = DELTA_NEVER};

    if (!(record->flags & RECORD_DIRTY)) {
        uint32_t at = (uint32_t)(record - edges->records);
        edges->dirty[at / WORD] |= UINT64_C(1) << at % WORD;
        edges->stats.dirty++;
        record->flags |= RECORD_DIRTY;
        record->now = fresh;
        return &record->now;
    }
    if (delta_is_of(&record->now, obs, fresh.hour))
        return &record->now;

    add_durations(edges); /* |now| becomes another */
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
    uint32_t hour_s = delta->hour * S_PER_H;
    uint32_t last_at_s = obs->until_s ? obs->until_s : obs->at_s;

    delta->count += obs->count;
    delta->errors += obs->errors;
    delta->known += obs->weight_known;
    delta->weight = weights_add(delta->weight, obs->weight);
    if (obs->count <= 0)
        return;
    uint16_t first_s = (uint16_t)(obs->at_s - hour_s);
    uint16_t last_s = (uint16_t)(last_at_s - hour_s);
    delta->first_s = first_s < delta->first_s ? first_s : delta->first_s;
    delta->last_s = last_s > delta->last_s ? last_s : delta->last_s;
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

    if (record)
        delta = find_delta(edges, record, obs);
    if (!delta) {
        edges->stats.dropped++;
        return;
    }
    add_to_delta(delta, obs);
    count_unresolved(edges, obs->key.kind, obs->count);
    edges->timed[edges->timed_len] =
        (struct timed){&delta->durations, obs->count, obs->latency};
    edges->timed_len += (obs->latency != EDGE_NO_LATENCY) & (obs->count != 0);
}

/* All memory is asked for in rows, and none of it when an observation comes:
 * one place alone takes longer to ask for than its share of many (measured,
 * docs/performance.md). */
void
edges_settle(struct edges *edges)
{
    uint32_t len = edges->waiting_len;
    uint32_t at[EDGES_WAITING];

    for (uint32_t i = 0; i < len; i++)
        edges_expect(edges, edges->waiting[i].hash);
    for (uint32_t i = 0; i < len; i++) {
        at[i] = edges_guess(edges, edges->waiting[i].hash);
        __builtin_prefetch(&edges->records[at[i] ? at[i] - 1 : 0], 1);
    }
    for (uint32_t i = 0; i < len; i++)
        add(edges, &edges->waiting[i], at[i]);
    add_durations(edges);
    edges->waiting_len = 0;
}

void
edges_add(struct edges *edges, const struct edge_obs *obs)
{
    struct waiting *it = &edges->waiting[edges->waiting_len++];

    it->obs = *obs;
    it->hash = edges_hash(edges, obs->key);
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
            record->flags &= (uint8_t)~RECORD_DIRTY;
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

/* Rows become records first, and get into the index when all are there. */
static enum err
load_edge(void *ctx, const struct edge_delta *row)
{
    struct edges *edges = ctx;
    uint32_t nodes = nodes_len(edges->nodes);

    if (row->id < edges->next_id || row->id == UINT32_MAX ||
        row->key.src > nodes || row->key.dst > nodes || row->key.dst == 0) {
        log_error("a stored edge makes no sense", "id", "%u", row->id);
        return ERR_CORRUPT;
    }
    if (edges->record_len == edges->record_cap && grow_records(edges))
        return ERR_NOMEM;
    edges->records[edges->record_len++] =
        (struct record){.src = row->key.src,
                        .dst = row->key.dst,
                        .kind = row->key.kind,
                        .id = row->id,
                        .flags = RECORD_USED | RECORD_STORED};
    edges->next_id = row->id + 1;
    count_unresolved(edges, row->key.kind, row->count);
    return OK;
}

/* Makes room for all rows at once: growing to it would copy most of them and
 * touch twice the memory. */
static enum err
load_rows(struct edges *edges, struct store *store)
{
    uint64_t most = (uint64_t)edges->max_edges + EDGES_OVERFLOW_MAX;
    uint64_t len = 0;
    uint32_t cap = RECORDS_MIN;
    enum err err = store_count_edges(store, &len);

    while (cap < len && cap < most)
        cap *= 2;
    if (err || (err = grow_to(edges, cap)))
        return err;
    return store_each_edge(store, load_edge, edges);
}

enum err
edges_load_taken(struct edges *edges, const struct edge_entry *entry)
{
    uint64_t hash = edges_hash(edges, entry->key);
    uint32_t at = edges_find(edges, entry->key, hash);
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
    edges->exemplars = cfg.exemplars;
    if ((err = load_rows(edges, store)) || (err = edges_index_all(edges)))
        goto out;
    edges->stats.edges = edges->record_len;
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
    free(edges->sums);
    free(edges->times);
    free(edges->extras);
    free(edges->buckets);
    free(edges->dirty);
    free(edges->records);
    free(edges);
}
