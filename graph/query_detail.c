/*
 * What is read for one shown row: the days of each stored edge in it, once,
 * from the earlier of the window and the days that count for confidence.
 */
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "graph/query_edges.h"
#include "graph/query_view.h"
#include "graph/sketch.h"
#include "store/edge_rows.h"

struct version_seen {
    uint32_t version;
    uint32_t last_s;
};

struct detail {
    struct sketch sketch;
    struct version_seen seen[2][QUERY_VERSIONS_MAX];
    uint32_t latency_from; /* days, both included */
    uint32_t latency_to;
    uint32_t recent_from;
    int64_t recent;
};

static enum err
take_day(void *ctx, const struct bucket_delta *day)
{
    struct detail *detail = ctx;

    if (day->number >= detail->recent_from)
        detail->recent += day->count;
    if (day->number < detail->latency_from ||
        day->number > detail->latency_to || day->latency.len == 0)
        return OK;
    return sketch_add_encoded(&detail->sketch, day->latency);
}

/* Sorted by last seen; the oldest falls off the end. */
static enum err
take_version(void *ctx, const struct version_delta *row)
{
    struct detail *detail = ctx;
    struct version_seen *seen = detail->seen[row->side != 0];
    size_t at = 0;
    size_t end = 0;

    while (at < QUERY_VERSIONS_MAX && seen[at].last_s >= row->last_s &&
           seen[at].version != row->version)
        at++;
    if (at == QUERY_VERSIONS_MAX ||
        (seen[at].version == row->version && seen[at].last_s >= row->last_s))
        return OK;
    for (end = at; end < QUERY_VERSIONS_MAX - 1; end++) {
        if (seen[end].version == row->version)
            break;
    }
    memmove(&seen[at + 1], &seen[at], (end - at) * sizeof(*seen));
    seen[at] = (struct version_seen){row->version, row->last_s};
    return OK;
}

enum err
query_detail(struct query_view *view, const struct query_edges *edges,
             size_t index, struct query_detail *out)
{
    const struct query_edge *row = &edges->rows[index];
    uint32_t today = view->now_s / S_PER_DAY;
    struct detail detail = {
        .latency_from = edges->window.from_s / S_PER_DAY,
        .latency_to = edges->window.to_s < view->now_s
                          ? (edges->window.to_s - 1) / S_PER_DAY
                          : UINT32_MAX,
        .recent_from =
            today > view->ages.active_days ? today - view->ages.active_days : 0,
    };
    uint32_t from = detail.latency_from < detail.recent_from
                        ? detail.latency_from
                        : detail.recent_from;
    enum err err = OK;

    for (uint32_t i = row->member; !err && i != UINT32_MAX;
         i = edges->members[i].next) {
        uint32_t edge = edges->members[i].edge;

        err = reader_each_day(view->reader, edge, from, UINT32_MAX, take_day,
                              &detail);
        if (!err)
            err =
                reader_each_version(view->reader, edge, take_version, &detail);
    }
    *out = (struct query_detail){
        .p50_ns = sketch_quantile_ns(&detail.sketch, 0.50),
        .p95_ns = sketch_quantile_ns(&detail.sketch, 0.95),
        .p99_ns = sketch_quantile_ns(&detail.sketch, 0.99),
        .recent = detail.recent,
        .confidence =
            confidence(&view->ages, detail.recent, row->last_s, view->now_s),
    };
    for (size_t i = 0; i < QUERY_VERSIONS_MAX; i++) {
        out->source_versions[i] = detail.seen[0][i].version;
        out->target_versions[i] = detail.seen[1][i].version;
    }
    return err;
}

struct latest {
    struct exemplar *rows; /* latest first */
    size_t len;
    uint32_t from_s;
    uint32_t to_s; /* and no more */
};

/* A trace that crosses several of the stored edges is one. */
static bool
is_held(const struct latest *latest, const struct exemplar *row)
{
    for (size_t i = 0; i < latest->len; i++)
        if (latest->rows[i].trace_hi == row->trace_hi &&
            latest->rows[i].trace_lo == row->trace_lo &&
            latest->rows[i].failed == row->failed)
            return true;
    return false;
}

/* Puts |row| where it belongs by its time; the oldest of its sort leaves when
 * there are too many of them. */
static enum err
take_exemplar(void *ctx, const struct exemplar *row)
{
    struct latest *latest = ctx;
    size_t at = latest->len;
    size_t same = 0;

    if (row->at_s < latest->from_s || row->at_s >= latest->to_s ||
        is_held(latest, row))
        return OK;
    for (size_t i = 0; i < latest->len; i++)
        same += latest->rows[i].failed == row->failed;
    if (same == QUERY_EXEMPLARS_MAX / 2) {
        while (latest->rows[--at].failed != row->failed)
            ;
        if (latest->rows[at].at_s >= row->at_s)
            return OK;
        latest->len--;
        memmove(&latest->rows[at], &latest->rows[at + 1],
                (latest->len - at) * sizeof(*row));
    }
    for (at = latest->len; at > 0 && latest->rows[at - 1].at_s < row->at_s;
         at--)
        latest->rows[at] = latest->rows[at - 1];
    latest->rows[at] = *row;
    latest->len++;
    return OK;
}

enum err
query_exemplars(struct query_view *view, const struct query_edges *edges,
                size_t index, struct exemplar out[QUERY_EXEMPLARS_MAX],
                size_t *len)
{
    const struct query_window *window = &edges->window;
    struct latest latest = {
        .rows = out,
        .from_s = window->from_s,
        .to_s = window->to_s < view->now_s ? window->to_s : UINT32_MAX,
    };
    enum err err = OK;

    for (uint32_t i = edges->rows[index].member; !err && i != UINT32_MAX;
         i = edges->members[i].next)
        err = reader_each_exemplar(view->reader, edges->members[i].edge,
                                   take_exemplar, &latest);
    *len = latest.len;
    return err;
}

enum err
query_durations(struct query_view *view, const struct query_edges *edges,
                size_t index, struct query_durations *sum)
{
    struct detail detail = {.latency_from = edges->window.from_s / S_PER_DAY,
                            .latency_to = UINT32_MAX,
                            .recent_from = UINT32_MAX};
    enum err err = OK;
    size_t at = 0;

    for (uint32_t i = edges->rows[index].member; !err && i != UINT32_MAX;
         i = edges->members[i].next)
        err =
            reader_each_day(view->reader, edges->members[i].edge,
                            detail.latency_from, UINT32_MAX, take_day, &detail);
    for (uint16_t i = 0; !err && i < SKETCH_BUCKETS; i++) {
        uint64_t value_ns = sketch_value_ns(i);

        while (at < sum->bounds_len && value_ns > sum->bounds_ns[at])
            at++;
        sum->counts[at] += detail.sketch.count[i];
        sum->sum_ns += (double)detail.sketch.count[i] * (double)value_ns;
    }
    return err;
}

/* knowing's recipe: the ends go in as hex, and what is evidence for the edge
 * is part of what it is. */
void
query_edge_hash(const struct query_view *view, const struct query_edge *edge,
                unsigned char out[32])
{
    const str zero = {"", 1};
    struct buf ends[2] = {{0}, {0}};

    for (size_t i = 0; i < 2; i++)
        buf_add_hex(&ends[i], (str){(const char *)query_node(
                                        view, i ? edge->target : edge->source)
                                        ->hash,
                                    32});
    const str parts[] = {STR("edge"),
                         zero,
                         buf_str(&ends[0]),
                         zero,
                         buf_str(&ends[1]),
                         zero,
                         str_of(edge_kind_str(edge->kind)),
                         zero,
                         STR("otel_trace")};

    hash_sha256(parts, sizeof(parts) / sizeof(parts[0]), out);
    buf_fini(&ends[0]);
    buf_fini(&ends[1]);
}
