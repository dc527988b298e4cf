/*
 * Records are taken in the order in which they stand, which is nearly that of
 * their ids and so that of the rows.  The counts of durations come sorted by
 * record too; a cursor moves through them beside.
 *
 * Nothing is forgotten before all of it is packed.
 */
#include "graph/edges.h"

#include <stdlib.h>

#include "graph/edges_impl.h"

enum { WORD = 64, DELTAS_MIN = 16 };

struct take {
    struct edges *edges;
    struct edge_parts *out;
    uint32_t part_edges;
    uint32_t open;                         /* edges in the part that is open */
    const struct duration_count *duration; /* those not yet taken */
    const struct duration_count *duration_end;
};

static int
by_hour(const void *a, const void *b)
{
    const struct delta *x = a;
    const struct delta *y = b;

    return (x->hour > y->hour) - (x->hour < y->hour);
}

static enum err
gather_delta(struct edges *edges, uint32_t *len, const struct delta *delta)
{
    if (*len == edges->delta_cap) {
        uint32_t cap = edges->delta_cap ? 2 * edges->delta_cap : DELTAS_MIN;
        struct delta *deltas =
            realloc(edges->deltas, cap * sizeof(*edges->deltas));
        if (!deltas)
            return ERR_NOMEM;
        edges->deltas = deltas;
        edges->delta_cap = cap;
    }
    edges->deltas[(*len)++] = *delta;
    return OK;
}

static enum err
gather_deltas(struct edges *edges, const struct record *record, uint32_t *len)
{
    enum err err = gather_delta(edges, len, &record->now);

    for (uint32_t at = record->next; at != 0 && !err;
         at = edges->extras[at - 1].next)
        err = gather_delta(edges, len, &edges->extras[at - 1].delta);
    if (*len > 1)
        qsort(edges->deltas, *len, sizeof(*edges->deltas), by_hour);
    return err;
}

/* The counts of durations of record |at|: a run, and moved past. */
static void
take_durations(struct take *take, uint32_t at, struct edge_entry *entry)
{
    while (take->duration < take->duration_end &&
           take->duration->key < duration_key(at, 0, 0))
        take->duration++;
    entry->duration = take->duration;
    while (take->duration < take->duration_end &&
           take->duration->key < duration_key(at + 1, 0, 0))
        take->duration++;
    entry->duration_len = (size_t)(take->duration - entry->duration);
}

static enum err
take_record(struct take *take, uint32_t at)
{
    struct edges *edges = take->edges;
    struct record *record = &edges->records[at];
    struct edge_entry entry = {
        .key = {record->src, record->dst, record->kind},
        .is_new = !(record->flags & RECORD_STORED),
    };
    enum err err = gather_deltas(edges, record, &entry.delta_len);
    if (err)
        return err;
    take_durations(take, at, &entry);
    bool changed = entry.duration_len > 0;
    for (uint32_t i = 0; i < entry.delta_len && !changed; i++)
        changed = !delta_is_zero(&edges->deltas[i]);
    if (!changed)
        return OK;
    if (record->id == 0)
        record->id = edges->next_id++;
    record->flags |= RECORD_TAKEN;
    entry.id = record->id;
    entry.delta = edges->deltas;
    edge_parts_put(take->out, &entry);
    if (++take->open == take->part_edges) {
        edge_parts_end(take->out);
        take->open = 0;
    }
    return OK;
}

static enum err
take_all(struct take *take)
{
    const struct edges *edges = take->edges;
    enum err err = OK;

    for (uint32_t word = 0; word < edges->record_cap / WORD && !err; word++) {
        uint64_t left = edges->dirty[word];
        for (; left && !err; left &= left - 1)
            err = take_record(take,
                              word * WORD + (uint32_t)__builtin_ctzll(left));
    }
    edge_parts_end(take->out);
    if (!err && edge_parts_failed(take->out))
        err = ERR_NOMEM;
    return err;
}

enum err
edges_take(struct edges *edges, uint32_t part_edges, struct edge_parts *out)
{
    struct take take = {.edges = edges, .out = out, .part_edges = part_edges};
    size_t len;

    edges_settle(edges);
    durations_sorted(&edges->durations, &take.duration, &len);
    take.duration_end = take.duration + len;
    enum err err = take_all(&take);
    if (!err) {
        edges_forget_taken(edges);
        return OK;
    }
    edge_parts_fini(out);
    for (uint32_t i = 0; i < edges->record_len; i++)
        edges->records[i].flags &= (uint8_t)~RECORD_TAKEN;
    return err;
}
