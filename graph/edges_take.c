/*
 * Records are taken in the order in which they stand, which is nearly that of
 * their ids and so that of the rows.  The durations of a day are what the logs
 * of its deltas come to.
 *
 * Nothing is forgotten before all of it is packed.
 */
#include "graph/edges.h"

#include <stdlib.h>

#include "base/clock.h"
#include "graph/edges_impl.h"

enum { DELTAS_MIN = 16 };

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
        struct part_delta *sums =
            realloc(edges->sums, cap * sizeof(*edges->sums));
        if (!sums)
            return ERR_NOMEM;
        edges->sums = sums;
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

/* The sums as a part has them: with times since the epoch. */
static struct part_delta
part_of(const struct delta *delta)
{
    bool never = delta->first_s == DELTA_NEVER;

    return (struct part_delta){
        .hour = delta->hour,
        .src_version = delta->src_version,
        .dst_version = delta->dst_version,
        .first_s = never ? 0 : delta->hour * S_PER_H + delta->first_s,
        .last_s = never ? 0 : delta->hour * S_PER_H + delta->last_s,
        .count = delta->count,
        .errors = delta->errors,
        .known = delta->known,
        .weight = delta->weight,
    };
}

/* Appends the durations of the run of deltas of one day that begins at |at|,
 * which is moved past it. */
static enum err
take_day(struct edges *edges, struct edge_entry *entry, uint32_t *at)
{
    uint32_t day = edges->deltas[*at].hour / EDGE_PART_DAY_H;
    const struct sketch_count *counts;

    while (*at < entry->delta_len &&
           edges->deltas[*at].hour / EDGE_PART_DAY_H == day)
        durations_gather(&edges->durations, &edges->deltas[(*at)++].durations);
    size_t len = durations_take(&edges->durations, &counts);
    if (entry->duration_len + len > edges->time_cap) {
        size_t cap = 2 * (entry->duration_len + len);
        struct part_duration *times =
            realloc(edges->times, cap * sizeof(*edges->times));
        if (!times)
            return ERR_NOMEM;
        edges->times = times;
        edges->time_cap = cap;
    }
    for (size_t i = 0; i < len; i++)
        edges->times[entry->duration_len++] = (struct part_duration){
            part_day_bucket(day, counts[i].bucket), counts[i].count};
    return OK;
}

/* All that |edges->deltas| hold, as an entry has it. */
static enum err
take_sums(struct edges *edges, struct edge_entry *entry, bool *changed)
{
    enum err err = OK;

    for (uint32_t i = 0; i < entry->delta_len; i++) {
        edges->sums[i] = part_of(&edges->deltas[i]);
        *changed |= !delta_is_zero(&edges->deltas[i]);
    }
    for (uint32_t at = 0; at < entry->delta_len && !err;)
        err = take_day(edges, entry, &at);
    *changed |= entry->duration_len > 0;
    entry->delta = edges->sums;
    entry->duration = edges->times;
    return err;
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
    bool changed = false;
    enum err err = gather_deltas(edges, record, &entry.delta_len);
    if (err || (err = take_sums(edges, &entry, &changed)) || !changed)
        return err;
    if (record->id == 0)
        record->id = edges->next_id++;
    record->flags |= RECORD_TAKEN;
    entry.id = record->id;
    if (edges->exemplars)
        entry.exemplar_len =
            exemplars_find(edges->exemplars, entry.key, entry.exemplar);
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

    edges_settle(edges);
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
