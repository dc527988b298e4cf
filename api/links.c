/*
 * Edges at service level, nodes of one name taken as one, are what is told: the
 * busiest come first, the others in no order.  The labels of an edge are
 * written once for all of its samples in a family.
 */
#include "api/links.h"

#include <stdlib.h>

#include "api/write.h"
#include "graph/query_edges.h"

/* The connection types of the Collector's servicegraph connector. */
static str
connection_type(uint8_t kind)
{
    switch (kind) {
    case EDGE_DB:
        return STR("database");
    case EDGE_MSG:
        return STR("messaging_system");
    case EDGE_VIRTUAL_IN:
    case EDGE_VIRTUAL_OUT:
        return STR("virtual_node");
    default:
        return STR("");
    }
}

/* Which end left no span; empty: none. */
static str
virtual_node(uint8_t kind)
{
    return kind == EDGE_VIRTUAL_IN    ? STR("client")
           : kind == EDGE_VIRTUAL_OUT ? STR("server")
                                      : STR("");
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

/* What is told of, and where. */
struct telling {
    struct query_view *view;
    const struct query_edges *edges;
    size_t len; /* the first of them */
    struct buf labels;
    struct buf *out;
};

/* Writes the labels of row |i|, without the closing brace. */
static void
set_labels(struct telling *t, size_t i)
{
    const struct query_edge *edge = &t->edges->rows[i];
    str missing = virtual_node(edge->kind);

    buf_reset(&t->labels);
    buf_add(&t->labels, STR("{client=\""));
    add_label(&t->labels, query_node(t->view, edge->source)->name);
    buf_add(&t->labels, STR("\",server=\""));
    add_label(&t->labels, query_node(t->view, edge->target)->name);
    buf_add(&t->labels, STR("\",connection_type=\""));
    buf_add(&t->labels, connection_type(edge->kind));
    buf_add_char(&t->labels, '"');
    if (missing.len == 0)
        return;
    buf_add(&t->labels, STR(",virtual_node=\""));
    buf_add(&t->labels, missing);
    buf_add_char(&t->labels, '"');
}

/* Begins a sample with the labels that were set. */
static void
begin_sample(const struct telling *t, str family, str suffix)
{
    buf_add(t->out, family);
    buf_add(t->out, suffix);
    buf_add(t->out, buf_str(&t->labels));
}

/* Counts only rise, from 0. */
static void
end_sample(const struct telling *t, int64_t value)
{
    buf_add(t->out, STR("} "));
    buf_add_u64(t->out, (uint64_t)value);
    buf_add_char(t->out, '\n');
}

static void
add_head(struct buf *out, str family, const char *type, const char *help)
{
    buf_printf(out, "# TYPE %.*s %s\n# HELP %.*s %s\n", (int)family.len,
               family.ptr, type, (int)family.len, family.ptr, help);
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
read_durations(const struct telling *t, struct query_durations *out)
{
    enum err err = OK;

    for (size_t i = 0; !err && i < t->len; i++) {
        out[i].bounds_ns = bounds_ns;
        out[i].bounds_len = BOUNDS;
        err = query_durations(t->view, t->edges, i, &out[i]);
    }
    return err;
}

static void
add_histogram(struct telling *t, str family, size_t i,
              const struct query_durations *durations)
{
    int64_t count = 0;

    set_labels(t, i);
    for (size_t b = 0; b <= BOUNDS; b++) {
        count += durations->counts[b];
        begin_sample(t, family, STR("_bucket"));
        buf_add(t->out, STR(",le=\""));
        buf_add(t->out, str_of(bounds[b]));
        buf_add_char(t->out, '"');
        end_sample(t, count);
    }
    begin_sample(t, family, STR("_count"));
    end_sample(t, count);
    begin_sample(t, family, STR("_sum"));
    buf_printf(t->out, "} %.9g\n", durations->sum_ns / 1e9);
}

/* One duration is kept of a call: the caller's, or where it left no span, as of
 * who comes from outside, the server's (spec R4).  So the family of servers has
 * every call, since that is where Grafana's service graph looks for latency;
 * that of clients only what they measured. */
static void
add_histograms(struct telling *t, const struct query_durations *durations)
{
    static const struct {
        str name;
        const char *help;
        bool has_all;
    } families[] = {
        {STR_INIT("traces_service_graph_request_server_seconds"),
         "Time of a call as its caller's span says or, where the caller left "
         "none, its server's.",
         true},
        {STR_INIT("traces_service_graph_request_client_seconds"),
         "Time of a call as its caller's span says.", false},
    };

    for (size_t f = 0; f < 2; f++) {
        bool has_head = false;

        for (size_t i = 0; i < t->len; i++) {
            if (!families[f].has_all &&
                t->edges->rows[i].kind == EDGE_VIRTUAL_IN)
                continue;
            if (!has_head)
                add_head(t->out, families[f].name, "histogram",
                         families[f].help);
            has_head = true;
            add_histogram(t, families[f].name, i, &durations[i]);
        }
    }
}

static enum err
tell_durations(struct telling *t)
{
    if (t->len > LINKS_TIMED_MAX)
        t->len = LINKS_TIMED_MAX;
    struct query_durations *durations = calloc(t->len + 1, sizeof(*durations));
    enum err err = durations ? read_durations(t, durations) : ERR_NOMEM;

    if (!err)
        add_histograms(t, durations);
    free(durations);
    return err;
}

static void
tell_counts(struct telling *t)
{
    static const str total = STR_INIT("traces_service_graph_request");
    static const str failed = STR_INIT("traces_service_graph_request_failed");

    add_head(t->out, total, "counter", "Calls between services.");
    for (size_t i = 0; i < t->len; i++) {
        set_labels(t, i);
        begin_sample(t, total, STR("_total"));
        end_sample(t, t->edges->rows[i].count);
    }
    add_head(t->out, failed, "counter", "Failed calls between services.");
    for (size_t i = 0; i < t->len; i++) {
        set_labels(t, i);
        begin_sample(t, failed, STR("_total"));
        end_sample(t, t->edges->rows[i].errors);
    }
}

/* Whoever adds the series up shall know of how many there are none. */
static void
tell_bound(const struct telling *t)
{
    add_head(t->out, STR("spangraph_service_graph_series"), "gauge",
             "Kinds of calls between two services that are told as "
             "traces_service_graph_request, and those that are not: the most "
             "called are.");
    buf_printf(t->out,
               "spangraph_service_graph_series{state=\"told\"} %zu\n"
               "spangraph_service_graph_series{state=\"left_out\"} %zu\n",
               t->len, t->edges->len - t->len);
}

enum err
links_metrics(struct query_view *view, size_t max, struct buf *out)
{
    const struct query_filter filter = {
        .level = LEVEL_SERVICE,
        .kinds = kind_bit(EDGE_CALL) | kind_bit(EDGE_DB) | kind_bit(EDGE_MSG) |
                 kind_bit(EDGE_VIRTUAL_IN) | kind_bit(EDGE_VIRTUAL_OUT),
        .first = max,
        .by_name = true,
    };
    struct query_edges edges;
    struct telling t = {.view = view, .edges = &edges, .out = out};
    enum err err = query_edges(view, &filter, &edges);

    t.len = edges.len < max ? edges.len : max;
    if (!err && t.len) {
        tell_bound(&t);
        tell_counts(&t);
        err = tell_durations(&t);
    }
    out->failed |= t.labels.failed;
    buf_fini(&t.labels);
    query_edges_fini(&edges);
    return err ? err : out->failed ? ERR_NOMEM : OK;
}

enum err
links_dependencies(struct query_view *view, uint32_t since_s, size_t max,
                   struct buf *out)
{
    /* Jaeger has one link a pair, whatever the kind, and none to oneself. */
    const struct query_filter filter = {
        .level = LEVEL_SERVICE,
        .kinds = kind_bit(EDGE_CALL) | kind_bit(EDGE_MSG),
        .since_s = since_s ? since_s : 1,
        .first = max,
        .by_name = true,
        .by_pair = true,
    };
    struct query_edges edges;
    enum err err = query_edges(view, &filter, &edges);
    bool is_cut = edges.len > max;

    write_open(out, NULL, '{');
    write_open(out, "data", '[');
    for (size_t i = 0; i < edges.len && i < max; i++) {
        write_open(out, NULL, '{');
        write_text(out, "parent", query_node(view, edges.rows[i].source)->name);
        write_text(out, "child", query_node(view, edges.rows[i].target)->name);
        write_int(out, "callCount", edges.rows[i].count);
        write_close(out, '}');
    }
    write_close(out, ']');
    write_int(out, "total", is_cut ? (int64_t)edges.len : 0);
    write_int(out, "limit", is_cut ? (int64_t)max : 0);
    write_int(out, "offset", 0);
    write_null(out, "errors");
    write_close(out, '}');
    query_edges_fini(&edges);
    return err ? err : out->failed ? ERR_NOMEM : OK;
}
