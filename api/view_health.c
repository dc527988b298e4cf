/*
 * What the process counted (base/metrics.h), when spans were last seen, and for
 * each service what its spans lack: the accounts that the graph keeps of what
 * made no edge, and how many of its routes are guessed.
 */
#include <stdlib.h>
#include <string.h>

#include "api/view_impl.h"
#include "base/metrics.h"
#include "graph/query_stats.h"

enum { SERVICES_DEFAULT = 200, SERVICES_MAX = 2000 };

static const struct {
    const char *name;
    enum metric metric;
} counts[] = {
    {"accepted", METRIC_SPANS_ACCEPTED},
    {"rejected", METRIC_SPANS_REJECTED},
    {"duplicate", METRIC_SPANS_DUPLICATE},
    {"queue", METRIC_QUEUE_STUBS},
    {"live", METRIC_PENDING},
    {"evicted", METRIC_EVICTED},
    {"clamped", METRIC_TIME_CLAMPED},
    {"commit_failures", METRIC_COMMIT_FAILURES},
    {"requests_grpc", METRIC_RECEIVED_GRPC},
    {"requests_http", METRIC_RECEIVED_HTTP},
    {"bytes", METRIC_RECEIVED_BYTES},
    {"unpaired_parent", METRIC_UNRESOLVED_PARENT},
    {"unpaired_egress", METRIC_UNRESOLVED_EGRESS},
    {"unpaired_link", METRIC_UNRESOLVED_LINK},
    {"edge_rows", METRIC_EDGES},
    {"store_bytes", METRIC_STORE_BYTES},
    {"connections", METRIC_CONNECTIONS},
};

static const struct {
    const char *name;
    enum metric metric;
} refusals[] = {
    {"invalid", METRIC_REFUSED_INVALID},
    {"too_large", METRIC_REFUSED_TOO_LARGE},
    {"full", METRIC_REFUSED_FULL},
    {"store", METRIC_REFUSED_STORE},
    {"unsupported", METRIC_REFUSED_UNSUPPORTED},
    {"denied", METRIC_REFUSED_DENIED},
};

struct row {
    uint32_t id;
    struct query_seen seen;
    int64_t routes;
    int64_t guessed; /* of them, from paths */
};

/* Nodes and edges are those of `stats`: the process holds more rows, which say
 * what made no edge. */
static void
write_process(struct view_run *run, const struct query_stats *stats)
{
    struct buf *out = run->out;

    write_bool(out, "writable", run->state.is_writable);
    write_bool(out, "draining", run->state.is_draining);
    write_open(out, "counts", '{');
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        write_int(out, counts[i].name, metrics_get(counts[i].metric));
    write_int(out, "nodes", stats->nodes);
    write_int(out, "edges", stats->edges);
    write_close(out, '}');
    write_open(out, "refused", '{');
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
        write_int(out, refusals[i].name, metrics_get(refusals[i].metric));
    write_close(out, '}');
}

static int
compare_ids(const void *left, const void *right)
{
    uint32_t a = ((const struct row *)left)->id;
    uint32_t b = ((const struct row *)right)->id;

    return (a > b) - (a < b);
}

/* Latest first; those that never sent a span at the end. */
static int
compare(const void *left, const void *right)
{
    const struct row *a = left;
    const struct row *b = right;

    if (a->seen.last_s != b->seen.last_s)
        return a->seen.last_s > b->seen.last_s ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static enum err
write_reasons(struct view_run *run, uint32_t service)
{
    struct query_reasons reasons = {0};
    struct buf *out = run->out;
    enum err err = query_explain(run->view, service, &reasons);

    write_open(out, "reasons", '[');
    for (size_t i = 0; i < reasons.len && !err; i++) {
        const struct query_reason *reason = &reasons.rows[i];

        if (reason->kind == EDGE_SEEN_BY)
            continue;
        write_open(out, NULL, '{');
        write_text(out, "reason", str_of(query_reason_str(reason->kind)));
        write_text(out, "scope", query_node(run->view, reason->scope)->name);
        write_int(out, "count", reason->count);
        write_time(out, "last", reason->last_s);
        write_close(out, '}');
    }
    write_close(out, ']');
    query_reasons_fini(&reasons);
    return err;
}

/* How many routes each of |rows| has. */
static enum err
count_routes(struct view_run *run, struct row *rows, size_t len)
{
    const struct query_find find = {.kinds = UINT32_C(1) << NODE_ROUTE};
    struct ids routes = {0};
    enum err err = query_find(run->view, &find, &routes);

    if (!err && len)
        qsort(rows, len, sizeof(*rows), compare_ids);
    for (size_t i = 0; i < routes.len && len; i++) {
        const struct query_node *route = query_node(run->view, routes.ids[i]);
        const struct row key = {.id = route->owner};
        struct row *row = bsearch(&key, rows, len, sizeof(key), compare_ids);

        if (!row)
            continue;
        row->routes++;
        row->guessed += route->source == ROUTE_SOURCE_HEURISTIC;
    }
    ids_fini(&routes);
    return err;
}

static enum err
write_service(struct view_run *run, const struct row *row)
{
    const struct query_node *node = query_node(run->view, row->id);
    struct buf *out = run->out;
    enum err err;

    write_open(out, NULL, '{');
    view_write_key(run, "key", row->id);
    write_text(out, "name", node->name);
    write_text(out, "env", node->env);
    write_int(out, "spans", row->seen.spans);
    write_int(out, "synthetic", row->seen.synthetic);
    write_time(out, "first", row->seen.first_s);
    write_time(out, "last", row->seen.last_s);
    write_int(out, "routes", row->routes);
    write_int(out, "guessed_routes", row->guessed);
    err = write_reasons(run, row->id);
    write_close(out, '}');
    return err;
}

static enum err
read_services(struct view_run *run, struct row **rows, size_t *len)
{
    const struct query_find find = {.kinds = UINT32_C(1) << NODE_SERVICE};
    struct ids ids = {0};
    enum err err = query_find(run->view, &find, &ids);

    *len = ids.len;
    if (!err && !(*rows = calloc(ids.len + 1, sizeof(**rows))))
        err = ERR_NOMEM;
    for (size_t i = 0; i < ids.len && !err; i++) {
        (*rows)[i].id = ids.ids[i];
        err = query_seen(run->view, ids.ids[i], &(*rows)[i].seen);
    }
    if (!err)
        err = count_routes(run, *rows, ids.len);
    if (!err && ids.len)
        qsort(*rows, ids.len, sizeof(**rows), compare);
    ids_fini(&ids);
    return err;
}

/* The first span of all, and the last. */
static void
write_times(struct buf *out, const struct row *rows, size_t len)
{
    uint32_t first_s = 0;

    for (size_t i = 0; i < len; i++) {
        if (rows[i].seen.first_s &&
            (first_s == 0 || rows[i].seen.first_s < first_s))
            first_s = rows[i].seen.first_s;
    }
    write_time(out, "first_span", first_s);
    write_time(out, "last_span", len ? rows[0].seen.last_s : 0);
}

enum err
view_health(struct view_run *run)
{
    struct buf *out = run->out;
    struct row *rows = NULL;
    struct query_stats stats;
    size_t len = 0;
    uint64_t limit = SERVICES_DEFAULT;
    enum err err =
        params_number(&run->params, "limit", SERVICES_MAX, &limit, run->why);

    if (err)
        return err;
    if (limit == 0)
        return view_fail(run, ERR_INVALID, "limit is at least 1");
    err = read_services(run, &rows, &len);
    if (!err)
        err = query_stats(run->view, NULL, &stats);
    if (err)
        goto out;
    write_open(out, NULL, '{');
    write_int(out, "now", query_now_s(run->view));
    write_time(out, "as_of", query_as_of_s(run->view));
    write_times(out, rows, len);
    write_process(run, &stats);
    write_open(out, "services", '[');
    for (size_t i = 0; i < len && i < limit && !err; i++)
        err = write_service(run, &rows[i]);
    write_close(out, ']');
    write_int(out, "total", (int64_t)len);
    write_close(out, '}');
out:
    free(rows);
    return err;
}
