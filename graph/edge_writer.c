/*
 * One edge after the other: its deltas come sorted by hour, so that hours and
 * days are runs of them.  The counts of durations come sorted by day too; a
 * cursor moves through them beside.
 *
 * The quantile sketch of a day cannot be added to by SQL: it is read, merged
 * and written back.  One that cannot be read is begun anew, since a bad blob
 * must not keep all edges from being stored.
 */
#include "graph/edge_writer.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "graph/edge_part.h"
#include "graph/identity.h"
#include "graph/sketch.h"
#include "store/edge_rows.h"

struct edge_writer {
    struct store *store;
    const struct nodes *nodes;
    struct edge_reader reader;
    struct sketch_count counts[SKETCH_BUCKETS]; /* of a day */
    struct buf stored;
    struct buf merged;

    struct edges_window window;
    struct edge_entry entry; /* under way */
    size_t duration_at;      /* the first that was not written */
};

static struct edge_delta
sum_up(const struct part_delta *deltas, uint32_t len)
{
    struct edge_delta sum = {0};

    for (uint32_t i = 0; i < len; i++) {
        const struct part_delta *delta = &deltas[i];
        sum.count += delta->count;
        sum.errors += delta->errors;
        sum.known += delta->known;
        sum.weighted = weights_add(sum.weighted, delta->weight);
        if (delta->count <= 0)
            continue;
        if (sum.first_s == 0 || sum.first_s > delta->first_s)
            sum.first_s = delta->first_s;
        if (sum.last_s < delta->last_s)
            sum.last_s = delta->last_s;
    }
    return sum;
}

/* Nothing to add.  In an hour with more observations than were taken back
 * there is something, if only that it was seen then. */
static bool
is_zero(const struct edge_delta *sum)
{
    return sum->count == 0 && sum->errors == 0 && sum->known == 0 &&
           sum->weighted == 0 && sum->last_s == 0;
}

static enum err
write_edge(struct edge_writer *writer)
{
    const struct edge_entry *entry = &writer->entry;
    struct edge_delta sum = sum_up(entry->delta, entry->delta_len);
    unsigned char hash[SHA256_LEN];

    sum.id = entry->id;
    sum.key = entry->key;
    sum.is_new = entry->is_new;
    if (!sum.is_new && is_zero(&sum))
        return OK;
    if (sum.is_new && sum.key.src != 0 && sum.key.kind < EDGE_KIND_SHOWN_END) {
        identity_of_edge(writer->nodes, sum.key, hash);
        sum.hash = hash;
    }
    return store_add_edge(writer->store, &sum);
}

static enum err
write_versions(struct edge_writer *writer, uint32_t edge,
               const struct part_delta *delta)
{
    const uint32_t versions[] = {delta->src_version, delta->dst_version};
    enum err err = OK;

    for (uint8_t side = 0; side < 2 && delta->count > 0 && !err; side++) {
        const struct version_delta seen = {
            .edge = edge,
            .version = versions[side],
            .side = side,
            .first_s = delta->first_s,
            .last_s = delta->last_s,
        };
        if (seen.version != 0)
            err = store_add_version(writer->store, &seen);
    }
    return err;
}

static struct bucket_delta
bucket_of(uint32_t edge, uint32_t number, const struct edge_delta *sum)
{
    return (struct bucket_delta){
        .edge = edge,
        .number = number,
        .count = sum->count,
        .weighted = sum->weighted,
        .errors = sum->errors,
    };
}

/* Writes the run of deltas of one hour.  Sets its bit in |hours|. */
static enum err
write_hour(struct edge_writer *writer, uint32_t edge,
           const struct part_delta *deltas, uint32_t len, uint32_t *hours)
{
    struct edge_delta sum = sum_up(deltas, len);
    uint32_t hour = deltas[0].hour;

    if (sum.count > 0)
        *hours |= UINT32_C(1) << hour % EDGE_PART_DAY_H;
    if (hour < writer->window.first_hour || is_zero(&sum))
        return OK;
    struct bucket_delta bucket = bucket_of(edge, hour, &sum);
    return store_add_hour(writer->store, &bucket);
}

/* The counts of durations on |day|: a run, and moved past. */
static size_t
take_durations(struct edge_writer *writer, uint32_t day)
{
    const struct edge_entry *entry = &writer->entry;
    uint32_t begin = part_day_bucket(day, 0);
    size_t len = 0;

    while (writer->duration_at < entry->duration_len &&
           entry->duration[writer->duration_at].day_bucket < begin)
        writer->duration_at++;
    for (; writer->duration_at < entry->duration_len; writer->duration_at++) {
        const struct part_duration *it = &entry->duration[writer->duration_at];
        if (it->day_bucket > (begin | UINT16_MAX) || len == SKETCH_BUCKETS)
            break;
        writer->counts[len++] = (struct sketch_count){
            .bucket = (uint16_t)it->day_bucket, .count = it->count};
    }
    return len;
}

/* Adds the |len| counts to what is stored of the day, as new bytes in
 * |merged|. */
static enum err
merge_durations(struct edge_writer *writer, const struct bucket_delta *day,
                size_t len)
{
    enum err err;

    buf_reset(&writer->stored);
    buf_reset(&writer->merged);
    err = store_get_latency(writer->store, day->edge, day->number,
                            &writer->stored);
    if (err)
        return err;
    err = sketch_merge(buf_str(&writer->stored), writer->counts, len,
                       &writer->merged);
    if (err != ERR_CORRUPT)
        return err;
    log_error("a stored latency sketch is damaged and begun anew", "edge", "%u",
              day->edge);
    return sketch_merge(STR(""), writer->counts, len, &writer->merged);
}

static enum err
write_day(struct edge_writer *writer, const struct part_delta *deltas,
          uint32_t len, uint32_t hours)
{
    struct edge_delta sum = sum_up(deltas, len);
    uint32_t number = deltas[0].hour / EDGE_PART_DAY_H;
    size_t count_len = take_durations(writer, number);
    struct bucket_delta day = bucket_of(writer->entry.id, number, &sum);
    enum err err;

    day.hours = hours;
    if (number < writer->window.first_day || (is_zero(&sum) && count_len == 0))
        return OK;
    if (count_len > 0) {
        if ((err = merge_durations(writer, &day, count_len)))
            return err;
        day.latency = buf_str(&writer->merged);
    }
    return store_add_day(writer->store, &day);
}

static enum err
write_buckets(struct edge_writer *writer)
{
    const struct part_delta *deltas = writer->entry.delta;
    uint32_t len = writer->entry.delta_len;
    uint32_t id = writer->entry.id;
    uint32_t day_at = 0;
    uint32_t hours = 0;
    enum err err = OK;

    writer->duration_at = 0;
    for (uint32_t i = 0; i < len && !err;) {
        uint32_t hour_at = i;
        while (i < len && deltas[i].hour == deltas[hour_at].hour && !err)
            err = write_versions(writer, id, &deltas[i++]);
        if (!err)
            err = write_hour(writer, id, deltas + hour_at, i - hour_at, &hours);
        if (err || (i < len && deltas[i].hour / EDGE_PART_DAY_H ==
                                   deltas[day_at].hour / EDGE_PART_DAY_H))
            continue;
        err = write_day(writer, deltas + day_at, i - day_at, hours);
        day_at = i;
        hours = 0;
    }
    return err;
}

static enum err
write_exemplars(struct edge_writer *writer)
{
    const struct edge_entry *entry = &writer->entry;
    enum err err = OK;

    for (uint32_t i = 0; i < entry->exemplar_len && !err; i++)
        err = store_put_exemplar(writer->store, entry->id, &entry->exemplar[i]);
    return err;
}

enum err
edge_writer_add(struct edge_writer *writer, str part,
                struct edges_window window)
{
    enum err err = OK;

    writer->window = window;
    edge_part_begin(&writer->reader, part);
    while (edge_part_next(&writer->reader, &writer->entry, &err)) {
        if ((err = write_edge(writer)) || (err = write_buckets(writer)) ||
            (err = write_exemplars(writer)))
            break;
    }
    return err;
}

enum err
edge_writer_new(struct edge_writer **out, struct store *store,
                const struct nodes *nodes)
{
    struct edge_writer *writer = calloc(1, sizeof(*writer));

    *out = writer;
    if (!writer)
        return ERR_NOMEM;
    writer->store = store;
    writer->nodes = nodes;
    return OK;
}

void
edge_writer_free(struct edge_writer *writer)
{
    if (!writer)
        return;
    edge_reader_fini(&writer->reader);
    buf_fini(&writer->stored);
    buf_fini(&writer->merged);
    free(writer);
}
