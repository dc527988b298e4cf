/*
 * Edges at service level come with the busiest first.  They are folded by
 * sorting references to them by name, and the sums sorted back by count.  Each
 * sum keeps the chain of the edges in it, from which durations are read for
 * those alone that are told.
 */
#include "api/links.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/write.h"
#include "graph/query_edges.h"

struct link {
    str client;
    str server;
    const char *type;
    const char *virtual_node; /* which end left no span; "": none */
    int64_t count;
    int64_t errors;
    size_t first; /* of its edges */
};

enum { NO_MORE = -1 };

struct links {
    struct link *rows;
    size_t len;
    struct query_edges edges;
    ptrdiff_t *next; /* of an edge in its chain, or NO_MORE */
};

static void
links_fini(struct links *links)
{
    free(links->rows);
    free(links->next);
    query_edges_fini(&links->edges);
}

static int
compare_names(const void *a, const void *b)
{
    const struct link *x = a;
    const struct link *y = b;
    int order = str_order(x->client, y->client);

    if (order == 0)
        order = str_order(x->server, y->server);
    if (order == 0)
        order = strcmp(x->type, y->type);
    return order ? order : strcmp(x->virtual_node, y->virtual_node);
}

static int
compare_counts(const void *a, const void *b)
{
    const struct link *x = a;
    const struct link *y = b;

    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return compare_names(a, b);
}

/* The connection types of the Collector's servicegraph connector. */
static const char *
connection_type(uint8_t kind)
{
    switch (kind) {
    case EDGE_DB:
        return "database";
    case EDGE_MSG:
        return "messaging_system";
    case EDGE_VIRTUAL_IN:
    case EDGE_VIRTUAL_OUT:
        return "virtual_node";
    default:
        return "";
    }
}

static void
fold(struct links *links)
{
    size_t len = 0;

    qsort(links->rows, links->len, sizeof(*links->rows), compare_names);
    for (size_t i = 0; i < links->len; i++) {
        struct link *last = len ? &links->rows[len - 1] : NULL;

        if (last && compare_names(last, &links->rows[i]) == 0) {
            last->count += links->rows[i].count;
            last->errors += links->rows[i].errors;
            links->next[links->rows[i].first] = (ptrdiff_t)last->first;
            last->first = links->rows[i].first;
        } else {
            links->rows[len++] = links->rows[i];
        }
    }
    links->len = len;
    qsort(links->rows, len, sizeof(*links->rows), compare_counts);
}

static const char *
virtual_node(uint8_t kind)
{
    return kind == EDGE_VIRTUAL_IN    ? "client"
           : kind == EDGE_VIRTUAL_OUT ? "server"
                                      : "";
}

/* Names stay good until the view ends; links_fini after any result. */
static enum err
read_links(struct query_view *view, const struct query_filter *filter,
           struct links *out)
{
    *out = (struct links){0};
    enum err err = query_edges(view, filter, &out->edges);
    size_t len = out->edges.len;

    if (!err && len) {
        out->rows = calloc(len, sizeof(*out->rows));
        out->next = calloc(len, sizeof(*out->next));
        if (!out->rows || !out->next)
            err = ERR_NOMEM;
    }
    for (size_t i = 0; !err && i < len; i++) {
        const struct query_edge *edge = &out->edges.rows[i];

        if (edge->count <= 0)
            continue;
        out->next[i] = NO_MORE;
        out->rows[out->len++] = (struct link){
            .client = query_node(view, edge->source)->name,
            .server = query_node(view, edge->target)->name,
            .type = connection_type(edge->kind),
            .virtual_node = virtual_node(edge->kind),
            .count = edge->count,
            .errors = edge->errors,
            .first = i,
        };
    }
    if (!err && out->len)
        fold(out);
    return err;
}

static uint32_t
kind_bit(enum edge_kind kind)
{
    return UINT32_C(1) << kind;
}

/* Label values know three escapes. */
static void
add_label(struct buf *out, str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\n') {
            buf_add(out, STR("\\n"));
            continue;
        }
        if (text.ptr[i] == '"' || text.ptr[i] == '\\')
            buf_add_char(out, '\\');
        buf_add_char(out, text.ptr[i]);
    }
}

/* The labels of |link|, without the closing brace. */
static void
add_labels(struct buf *out, const struct link *link)
{
    buf_add(out, STR("{client=\""));
    add_label(out, link->client);
    buf_add(out, STR("\",server=\""));
    add_label(out, link->server);
    buf_printf(out, "\",connection_type=\"%s\"", link->type);
    if (*link->virtual_node)
        buf_printf(out, ",virtual_node=\"%s\"", link->virtual_node);
}

static void
add_sample(struct buf *out, const char *name, const struct link *link,
           int64_t value)
{
    buf_printf(out, "%s_total", name);
    add_labels(out, link);
    buf_printf(out, "} %" PRId64 "\n", value);
}

/* ---- how long calls took ---- */

/* The connector's default buckets. */
static const uint64_t bounds_ns[] = {
    2000000,    4000000,    6000000,     8000000,     10000000,   50000000,
    100000000,  200000000,  400000000,   800000000,   1000000000, 1400000000,
    2000000000, 5000000000, 10000000000, 15000000000,
};
static const char *const bounds[] = {
    "0.002", "0.004", "0.006", "0.008", "0.01", "0.05", "0.1",  "0.2",  "0.4",
    "0.8",   "1.0",   "1.4",   "2.0",   "5.0",  "10.0", "15.0", "+Inf",
};
enum { BOUNDS = sizeof(bounds_ns) / sizeof(bounds_ns[0]) };

static enum err
read_durations(struct query_view *view, const struct links *links, size_t max,
               struct query_durations *out)
{
    enum err err = OK;

    for (size_t i = 0; !err && i < max; i++) {
        out[i].bounds_ns = bounds_ns;
        out[i].bounds_len = BOUNDS;
        for (ptrdiff_t at = (ptrdiff_t)links->rows[i].first;
             !err && at != NO_MORE; at = links->next[at])
            err = query_durations(view, &links->edges, (size_t)at, &out[i]);
    }
    return err;
}

static void
add_histogram(struct buf *out, const char *name, const struct link *link,
              const struct query_durations *durations)
{
    int64_t count = 0;

    for (size_t i = 0; i <= BOUNDS; i++) {
        count += durations->counts[i];
        buf_printf(out, "%s_bucket", name);
        add_labels(out, link);
        buf_printf(out, ",le=\"%s\"} %" PRId64 "\n", bounds[i], count);
    }
    buf_printf(out, "%s_count", name);
    add_labels(out, link);
    buf_printf(out, "} %" PRId64 "\n%s_sum", count, name);
    add_labels(out, link);
    buf_printf(out, "} %.9g\n", durations->sum_ns / 1e9);
}

/* One duration is kept of a call: the caller's, or where it left no span, as of
 * who comes from outside, the server's (spec R4). */
static bool
is_measured_by_caller(const struct link *link)
{
    return strcmp(link->virtual_node, "client") != 0;
}

/* The family of servers has every call, since that is where Grafana's service
 * graph looks for latency; that of clients only what they measured. */
static void
add_histograms(struct buf *out, const struct links *links, size_t max,
               const struct query_durations *durations)
{
    static const struct {
        const char *name;
        const char *help;
        bool has_all;
    } families[] = {
        {"traces_service_graph_request_server_seconds",
         "Time of a call as its caller's span says or, where the caller left "
         "none, its server's.",
         true},
        {"traces_service_graph_request_client_seconds",
         "Time of a call as its caller's span says.", false},
    };

    for (size_t f = 0; f < 2; f++) {
        bool has_head = false;

        for (size_t i = 0; i < max; i++) {
            if (!families[f].has_all && !is_measured_by_caller(&links->rows[i]))
                continue;
            if (!has_head)
                buf_printf(out, "# TYPE %s histogram\n# HELP %s %s\n",
                           families[f].name, families[f].name,
                           families[f].help);
            has_head = true;
            add_histogram(out, families[f].name, &links->rows[i],
                          &durations[i]);
        }
    }
}

static enum err
tell_durations(struct query_view *view, const struct links *links,
               struct buf *out)
{
    size_t max =
        links->len < LINKS_TIMED_MAX ? links->len : (size_t)LINKS_TIMED_MAX;
    struct query_durations *durations = calloc(max + 1, sizeof(*durations));
    enum err err =
        durations ? read_durations(view, links, max, durations) : ERR_NOMEM;

    if (!err)
        add_histograms(out, links, max, durations);
    free(durations);
    return err;
}

static void
tell_counts(const struct links *links, struct buf *out)
{
    static const char total[] = "traces_service_graph_request";
    static const char failed[] = "traces_service_graph_request_failed";

    buf_printf(out, "# TYPE %s counter\n# HELP %s Calls between services.\n",
               total, total);
    for (size_t i = 0; i < links->len; i++)
        add_sample(out, total, &links->rows[i], links->rows[i].count);
    buf_printf(out,
               "# TYPE %s counter\n"
               "# HELP %s Failed calls between services.\n",
               failed, failed);
    for (size_t i = 0; i < links->len; i++)
        add_sample(out, failed, &links->rows[i], links->rows[i].errors);
}

enum err
links_metrics(struct query_view *view, size_t max, struct buf *out)
{
    const struct query_filter filter = {
        .level = LEVEL_SERVICE,
        .kinds = kind_bit(EDGE_CALL) | kind_bit(EDGE_DB) | kind_bit(EDGE_MSG) |
                 kind_bit(EDGE_VIRTUAL_IN) | kind_bit(EDGE_VIRTUAL_OUT),
    };
    struct links links;
    enum err err = read_links(view, &filter, &links);

    if (links.len > max)
        links.len = max;
    if (!err && links.len) {
        tell_counts(&links, out);
        err = tell_durations(view, &links, out);
    }
    links_fini(&links);
    return err ? err : out->failed ? ERR_NOMEM : OK;
}

/* Jaeger has one link a pair, whatever the kind, and none to oneself. */
static size_t
fold_pairs(struct links *links)
{
    size_t len = 0;

    for (size_t i = 0; i < links->len; i++) {
        if (str_eq(links->rows[i].client, links->rows[i].server))
            continue;
        links->rows[len] = links->rows[i];
        links->rows[len].virtual_node = "";
        links->rows[len++].type = "";
    }
    links->len = len;
    if (len)
        fold(links);
    return links->len;
}

enum err
links_dependencies(struct query_view *view, uint32_t since_s, size_t max,
                   struct buf *out)
{
    const struct query_filter filter = {
        .level = LEVEL_SERVICE,
        .kinds = kind_bit(EDGE_CALL) | kind_bit(EDGE_MSG),
        .since_s = since_s ? since_s : 1,
    };
    struct links links;
    enum err err = read_links(view, &filter, &links);
    size_t len = err ? 0 : fold_pairs(&links);

    write_open(out, NULL, '{');
    write_open(out, "data", '[');
    for (size_t i = 0; i < len && i < max; i++) {
        write_open(out, NULL, '{');
        write_text(out, "parent", links.rows[i].client);
        write_text(out, "child", links.rows[i].server);
        write_int(out, "callCount", links.rows[i].count);
        write_close(out, '}');
    }
    write_close(out, ']');
    write_int(out, "total", len > max ? (int64_t)len : 0);
    write_int(out, "limit", len > max ? (int64_t)max : 0);
    write_int(out, "offset", 0);
    write_null(out, "errors");
    write_close(out, '}');
    links_fini(&links);
    return err ? err : out->failed ? ERR_NOMEM : OK;
}
