/*
 * One edge after the other: its deltas are gathered and sorted by hour, so that
 * hours and days are runs of them.  The durations of a day are what the logs of
 * its run come to.
 *
 * The quantile sketch of a day cannot be added to by SQL: it is read, merged
 * and written back.  One that cannot be read is begun anew, since a bad blob
 * must not keep all edges from being stored.
 */
#include "graph/edges.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "graph/edges_impl.h"
#include "graph/identity.h"

enum { WORD = 64, DELTAS_MIN = 16, H_PER_DAY = 24 };

struct flush {
    struct edges *edges;
    struct store *store;
    struct edges_window window;
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

/* Of a delta that counts more than was taken back. */
static uint32_t
first_s_of(const struct delta *delta)
{
    return delta->hour * S_PER_H + delta->first_s;
}

static uint32_t
last_s_of(const struct delta *delta)
{
    return delta->hour * S_PER_H + delta->last_s;
}

static struct edge_delta
sum_up(const struct delta *deltas, uint32_t len)
{
    struct edge_delta sum = {0};

    for (uint32_t i = 0; i < len; i++) {
        const struct delta *delta = &deltas[i];
        sum.count += delta->count;
        sum.errors += delta->errors;
        sum.known += delta->known;
        if (__builtin_add_overflow(sum.weighted, delta->weight, &sum.weighted))
            sum.weighted = delta->weight > 0 ? INT64_MAX : INT64_MIN;
        if (delta->count <= 0)
            continue;
        if (sum.first_s == 0 || sum.first_s > first_s_of(delta))
            sum.first_s = first_s_of(delta);
        if (sum.last_s < last_s_of(delta))
            sum.last_s = last_s_of(delta);
    }
    return sum;
}

static bool
is_zero(const struct edge_delta *sum)
{
    return sum->count == 0 && sum->errors == 0 && sum->known == 0 &&
           sum->weighted == 0;
}

static enum err
write_edge(struct flush *flush, struct record *record, uint32_t len)
{
    struct edges *edges = flush->edges;
    struct edge_delta sum = sum_up(edges->deltas, len);
    unsigned char hash[SHA256_LEN];

    if (record->id == 0)
        record->id = edges->next_id++;
    sum.id = record->id;
    sum.key = (struct edge_key){record->src, record->dst, record->kind};
    sum.is_new = !(record->flags & RECORD_STORED);
    if (!sum.is_new && is_zero(&sum))
        return OK;
    if (sum.is_new && sum.key.src != 0 && sum.key.kind < EDGE_KIND_SHOWN_END) {
        identity_of_edge(edges->nodes, sum.key, hash);
        sum.hash = hash;
    }
    return store_add_edge(flush->store, &sum);
}

static enum err
write_versions(struct flush *flush, uint32_t edge, const struct delta *delta)
{
    const uint32_t versions[] = {delta->src_version, delta->dst_version};
    enum err err = OK;

    for (uint8_t side = 0; side < 2 && delta->count > 0 && !err; side++) {
        const struct version_delta seen = {
            .edge = edge,
            .version = versions[side],
            .side = side,
            .first_s = first_s_of(delta),
            .last_s = last_s_of(delta),
        };
        if (seen.version != 0)
            err = store_add_version(flush->store, &seen);
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
write_hour(struct flush *flush, uint32_t edge, const struct delta *deltas,
           uint32_t len, uint32_t *hours)
{
    struct edge_delta sum = sum_up(deltas, len);
    uint32_t hour = deltas[0].hour;

    if (sum.count > 0)
        *hours |= UINT32_C(1) << hour % H_PER_DAY;
    if (hour < flush->window.first_hour || is_zero(&sum))
        return OK;
    struct bucket_delta bucket = bucket_of(edge, hour, &sum);
    return store_add_hour(flush->store, &bucket);
}

/* The end of the run of deltas of the same day that begins with the first. */
static uint32_t
day_end(const struct delta *deltas, uint32_t len)
{
    uint32_t i = 1;

    while (i < len && deltas[i].hour / H_PER_DAY == deltas[0].hour / H_PER_DAY)
        i++;
    return i;
}

/* The durations of a day, whose run of deltas it is; returns how many differ.
 */
static size_t
sum_durations(struct edges *edges, const struct delta *deltas, uint32_t len,
              const struct sketch_count **out)
{
    for (uint32_t i = 0; i < len; i++)
        durations_gather(&edges->durations, &deltas[i].durations);
    return durations_take(&edges->durations, out);
}

/* Adds |counts| to what is stored of the day, as new bytes in |merged|. */
static enum err
merge_durations(struct flush *flush, const struct bucket_delta *day,
                const struct sketch_count *counts, size_t len)
{
    struct edges *edges = flush->edges;
    enum err err;

    buf_reset(&edges->stored);
    buf_reset(&edges->merged);
    err =
        store_get_latency(flush->store, day->edge, day->number, &edges->stored);
    if (err)
        return err;
    err = sketch_merge(buf_str(&edges->stored), counts, len, &edges->merged);
    if (err != ERR_CORRUPT)
        return err;
    log_error("a stored latency sketch is damaged and begun anew", "edge", "%u",
              day->edge);
    return sketch_merge(STR(""), counts, len, &edges->merged);
}

static enum err
write_day(struct flush *flush, uint32_t at, const struct delta *deltas,
          uint32_t len, uint32_t hours)
{
    struct edges *edges = flush->edges;
    struct edge_delta sum = sum_up(deltas, len);
    uint32_t number = deltas[0].hour / H_PER_DAY;
    const struct sketch_count *counts;
    size_t count_len = sum_durations(edges, deltas, len, &counts);
    struct bucket_delta day = bucket_of(edges->records[at].id, number, &sum);
    enum err err;

    day.hours = hours;
    if (number < flush->window.first_day || (is_zero(&sum) && count_len == 0))
        return OK;
    if (count_len > 0) {
        if ((err = merge_durations(flush, &day, counts, count_len)))
            return err;
        day.latency = buf_str(&edges->merged);
    }
    return store_add_day(flush->store, &day);
}

static enum err
write_buckets(struct flush *flush, uint32_t at, uint32_t len)
{
    const struct delta *deltas = flush->edges->deltas;
    uint32_t id = flush->edges->records[at].id;
    enum err err = OK;

    for (uint32_t day_at = 0, i = 0; i < len && !err; day_at = i) {
        uint32_t end = day_at + day_end(deltas + day_at, len - day_at);
        uint32_t hours = 0;
        while (i < end && !err) {
            uint32_t hour_at = i;
            while (i < end && deltas[i].hour == deltas[hour_at].hour && !err)
                err = write_versions(flush, id, &deltas[i++]);
            if (!err)
                err = write_hour(flush, id, deltas + hour_at, i - hour_at,
                                 &hours);
        }
        if (!err)
            err = write_day(flush, at, deltas + day_at, end - day_at, hours);
    }
    return err;
}

/* Is there anything but what was taken back again? */
static bool
has_changed(struct edges *edges, uint32_t len)
{
    const struct sketch_count *counts;

    for (uint32_t i = 0; i < len; i++) {
        if (!delta_is_zero(&edges->deltas[i]))
            return true;
    }
    for (uint32_t i = 0, end; i < len; i = end) {
        end = i + day_end(edges->deltas + i, len - i);
        if (sum_durations(edges, edges->deltas + i, end - i, &counts) > 0)
            return true;
    }
    return false;
}

static enum err
write_record(struct flush *flush, uint32_t at)
{
    struct edges *edges = flush->edges;
    struct record *record = &edges->records[at];
    uint32_t len = 0;
    enum err err;

    if ((err = gather_deltas(edges, record, &len)))
        return err;
    if (!has_changed(edges, len))
        return OK;
    if ((err = write_edge(flush, record, len)))
        return err;
    record->flags |= RECORD_WRITTEN;
    return write_buckets(flush, at, len);
}

enum err
edges_flush(struct edges *edges, struct store *store,
            struct edges_window window)
{
    struct flush flush = {.edges = edges, .store = store, .window = window};
    enum err err = OK;

    edges_settle(edges);
    for (uint32_t word = 0; word < edges->record_cap / WORD && !err; word++) {
        uint64_t left = edges->dirty[word];
        for (; left && !err; left &= left - 1)
            err = write_record(&flush,
                               word * WORD + (uint32_t)__builtin_ctzll(left));
    }
    return err;
}
