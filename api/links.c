/*
 * Edges at service level come with the busiest first.  They are folded by
 * sorting references to them by name, and the sums sorted back by count.
 */
#include "api/links.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct link {
    str client;
    str server;
    const char *type;
    int64_t count;
    int64_t errors;
};

struct links {
    struct link *rows;
    size_t len;
};

static int
compare_str(str a, str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len ? memcmp(a.ptr, b.ptr, len) : 0;

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int
compare_names(const void *a, const void *b)
{
    const struct link *x = a;
    const struct link *y = b;
    int order = compare_str(x->client, y->client);

    if (order == 0)
        order = compare_str(x->server, y->server);
    return order ? order : strcmp(x->type, y->type);
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
        } else {
            links->rows[len++] = links->rows[i];
        }
    }
    links->len = len;
    qsort(links->rows, len, sizeof(*links->rows), compare_counts);
}

/* Names stay good until the view ends. */
static enum err
read_links(struct query_view *view, const struct query_filter *filter,
           struct links *out)
{
    struct query_edges edges = {0};
    enum err err = query_edges(view, filter, &edges);

    *out = (struct links){0};
    if (!err && edges.len) {
        out->rows = calloc(edges.len, sizeof(*out->rows));
        if (!out->rows)
            err = ERR_NOMEM;
    }
    for (size_t i = 0; !err && i < edges.len; i++) {
        const struct query_edge *edge = &edges.rows[i];

        if (edge->count <= 0)
            continue;
        out->rows[out->len++] = (struct link){
            .client = query_node(view, edge->source)->name,
            .server = query_node(view, edge->target)->name,
            .type = connection_type(edge->kind),
            .count = edge->count,
            .errors = edge->errors,
        };
    }
    if (!err && out->len)
        fold(out);
    query_edges_fini(&edges);
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

static void
add_sample(struct buf *out, const char *name, const struct link *link,
           int64_t value)
{
    buf_printf(out, "%s_total{client=\"", name);
    add_label(out, link->client);
    buf_add(out, STR("\",server=\""));
    add_label(out, link->server);
    buf_printf(out, "\",connection_type=\"%s\"} %" PRId64 "\n", link->type,
               value);
}

enum err
links_metrics(struct query_view *view, size_t max, struct buf *out)
{
    static const char total[] = "traces_service_graph_request";
    static const char failed[] = "traces_service_graph_request_failed";
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
        buf_printf(out,
                   "# TYPE %s counter\n# HELP %s Calls between services.\n",
                   total, total);
        for (size_t i = 0; i < links.len; i++)
            add_sample(out, total, &links.rows[i], links.rows[i].count);
        buf_printf(out,
                   "# TYPE %s counter\n"
                   "# HELP %s Failed calls between services.\n",
                   failed, failed);
        for (size_t i = 0; i < links.len; i++)
            add_sample(out, failed, &links.rows[i], links.rows[i].errors);
    }
    free(links.rows);
    return err ? err : out->failed ? ERR_NOMEM : OK;
}

static void
add_json(struct buf *out, str text)
{
    buf_add_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];

        if (byte < 0x20) {
            buf_printf(out, "\\u%04x", byte);
            continue;
        }
        if (byte == '"' || byte == '\\')
            buf_add_char(out, '\\');
        buf_add_char(out, (char)byte);
    }
    buf_add_char(out, '"');
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
        links->rows[len++].type = "";
    }
    links->len = len;
    if (len)
        fold(links);
    return links->len;
}

enum err
links_dependencies(struct query_view *view, uint32_t since_s, struct buf *out)
{
    const struct query_filter filter = {
        .level = LEVEL_SERVICE,
        .kinds = kind_bit(EDGE_CALL) | kind_bit(EDGE_MSG),
        .since_s = since_s ? since_s : 1,
    };
    struct links links;
    enum err err = read_links(view, &filter, &links);
    size_t len = err ? 0 : fold_pairs(&links);

    buf_add(out, STR("{\"data\":["));
    for (size_t i = 0; i < len; i++) {
        buf_add(out, i ? STR(",{\"parent\":") : STR("{\"parent\":"));
        add_json(out, links.rows[i].client);
        buf_add(out, STR(",\"child\":"));
        add_json(out, links.rows[i].server);
        buf_printf(out, ",\"callCount\":%" PRId64 "}", links.rows[i].count);
    }
    buf_add(out,
            STR("],\"total\":0,\"limit\":0,\"offset\":0,\"errors\":null}"));
    free(links.rows);
    return err ? err : out->failed ? ERR_NOMEM : OK;
}
