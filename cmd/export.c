/*
 * `spangraph export`: the graph, for the tools that draw and analyse graphs.
 *
 * Nodes are the ends of the edges, numbered; names are only ever labels, so
 * that no name can be syntax.
 */
#include <stdlib.h>
#include <string.h>

#include "api/nodegraph.h"
#include "base/clock.h"
#include "cmd/ask.h"
#include "cmd/backstage.h"
#include "cmd/escape.h"
#include "cmd/export_code.h"
#include "cmd/export_cyclonedx.h"
#include "cmd/export_gexf.h"
#include "graph/query_edges.h"

/* What Mermaid draws unless it is told otherwise (maxEdges). */
enum { MERMAID_EDGES = 500 };

#define FORMATS                                                        \
    "dot, mermaid, graphml, gexf, csv, json, nodegraph, backstage or " \
    "cyclonedx"

struct exporter {
    struct ask ask;
    const char *level;
    const char *format;
    const char *service;
    const char *env;
    const char *owner;
    uint64_t since_ns;
    struct query_edges edges;
    struct ids nodes; /* sorted ids */
    struct buf out;
};

typedef void export_fn(struct exporter *ex);

static int
compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static enum err
collect_nodes(struct exporter *ex)
{
    struct ids *nodes = &ex->nodes;
    size_t len = 0;
    enum err err = OK;

    for (size_t i = 0; !err && i < ex->edges.len; i++) {
        err = ids_add(nodes, ex->edges.rows[i].source);
        if (!err)
            err = ids_add(nodes, ex->edges.rows[i].target);
    }
    if (err || nodes->len == 0)
        return err;
    qsort(nodes->ids, nodes->len, sizeof(*nodes->ids), compare_ids);
    for (size_t i = 0; i < nodes->len; i++)
        if (i == 0 || nodes->ids[i] != nodes->ids[len - 1])
            nodes->ids[len++] = nodes->ids[i];
    nodes->len = len;
    return OK;
}

static size_t
index_of(const struct exporter *ex, uint32_t id)
{
    const uint32_t *at =
        bsearch(&id, ex->nodes.ids, ex->nodes.len, sizeof(id), compare_ids);

    return (size_t)(at - ex->nodes.ids);
}

static const struct query_node *
node_at(const struct exporter *ex, size_t i)
{
    return query_node(ex->ask.view, ex->nodes.ids[i]);
}

/* The label of a node: its service before it, its environment behind. */
static void
add_label(const struct exporter *ex, size_t i, struct buf *out)
{
    const struct query_node *node = node_at(ex, i);

    query_qualified(ex->ask.view, node->id, out);
    if (node->env.len) {
        buf_add(out, STR(" @"));
        buf_add(out, node->env);
    }
}

static void
add_escaped(struct exporter *ex, size_t i,
            void (*escape)(struct buf *out, str text))
{
    struct buf label = {0};

    add_label(ex, i, &label);
    escape(&ex->out, buf_str(&label));
    ex->out.failed |= label.failed;
    buf_fini(&label);
}

static void
export_dot(struct exporter *ex)
{
    struct buf *out = &ex->out;

    buf_add(out,
            STR("digraph spangraph {\n  rankdir=LR;\n  node [shape=box];\n"));
    for (size_t i = 0; i < ex->nodes.len; i++) {
        uint8_t kind = node_at(ex, i)->kind;

        buf_printf(out, "  n%zu [label=", i);
        add_escaped(ex, i, escape_dot);
        buf_printf(out, "%s];\n",
                   kind == NODE_DATABASE   ? ", shape=cylinder"
                   : kind == NODE_TOPIC    ? ", shape=cds"
                   : kind == NODE_EXTERNAL ? ", style=dashed"
                                           : "");
    }
    for (size_t i = 0; i < ex->edges.len; i++) {
        const struct query_edge *edge = &ex->edges.rows[i];

        buf_printf(out, "  n%zu -> n%zu [label=\"%s %lld\"%s];\n",
                   index_of(ex, edge->source), index_of(ex, edge->target),
                   edge_kind_str(edge->kind), (long long)edge->count,
                   edge->errors ? ", color=red" : "");
    }
    buf_add(out, STR("}\n"));
}

static void
export_mermaid(struct exporter *ex)
{
    struct buf *out = &ex->out;

    buf_add(out, STR("flowchart LR\n"));
    for (size_t i = 0; i < ex->nodes.len; i++) {
        uint8_t kind = node_at(ex, i)->kind;
        const char *left = kind == NODE_DATABASE   ? "[("
                           : kind == NODE_TOPIC    ? "[["
                           : kind == NODE_EXTERNAL ? "(["
                                                   : "[";
        const char *right = kind == NODE_DATABASE   ? ")]"
                            : kind == NODE_TOPIC    ? "]]"
                            : kind == NODE_EXTERNAL ? "])"
                                                    : "]";

        buf_printf(out, "  n%zu%s", i, left);
        add_escaped(ex, i, escape_mermaid);
        buf_printf(out, "%s\n", right);
    }
    for (size_t i = 0; i < ex->edges.len; i++) {
        const struct query_edge *edge = &ex->edges.rows[i];

        buf_printf(out, "  n%zu -->|\"%s %lld\"| n%zu\n",
                   index_of(ex, edge->source), edge_kind_str(edge->kind),
                   (long long)edge->count, index_of(ex, edge->target));
    }
    if (ex->edges.len > MERMAID_EDGES)
        fprintf(stderr,
                "spangraph: Mermaid draws %d edges unless maxEdges is set; "
                "there are %zu.  --service narrows them\n",
                MERMAID_EDGES, ex->edges.len);
}

struct graphml_key {
    const char *name;
    const char *of; /* node, edge */
    const char *type;
};

static void
graphml_head(struct buf *out)
{
    static const struct graphml_key keys[] = {
        {"label", "node", "string"}, {"name", "node", "string"},
        {"kind", "node", "string"},  {"service", "node", "string"},
        {"env", "node", "string"},   {"edge_kind", "edge", "string"},
        {"count", "edge", "long"},   {"errors", "edge", "long"},
        {"first", "edge", "long"},   {"last", "edge", "long"},
    };

    buf_add(out, STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\""
                     ">\n"));
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        buf_printf(out,
                   "  <key id=\"%s\" for=\"%s\" attr.name=\"%s\" "
                   "attr.type=\"%s\"/>\n",
                   keys[i].name, keys[i].of, keys[i].name, keys[i].type);
    buf_add(out, STR("  <graph id=\"spangraph\" edgedefault=\"directed\">\n"));
}

static void
graphml_edge(struct exporter *ex, size_t i)
{
    const struct query_edge *edge = &ex->edges.rows[i];

    buf_printf(&ex->out,
               "    <edge id=\"e%zu\" source=\"n%zu\" target=\"n%zu\">\n"
               "      <data key=\"edge_kind\">%s</data>\n"
               "      <data key=\"count\">%lld</data>\n"
               "      <data key=\"errors\">%lld</data>\n"
               "      <data key=\"first\">%u</data>\n"
               "      <data key=\"last\">%u</data>\n"
               "    </edge>\n",
               i, index_of(ex, edge->source), index_of(ex, edge->target),
               edge_kind_str(edge->kind), (long long)edge->count,
               (long long)edge->errors, edge->first_s, edge->last_s);
}

static void
export_graphml(struct exporter *ex)
{
    struct buf *out = &ex->out;

    graphml_head(out);
    for (size_t i = 0; i < ex->nodes.len; i++) {
        const struct query_node *node = node_at(ex, i);

        buf_printf(out, "    <node id=\"n%zu\">\n      <data key=\"label\">",
                   i);
        add_escaped(ex, i, escape_xml);
        buf_add(out, STR("</data>\n"));
        escape_graphml(out, "name", node->name);
        escape_graphml(out, "kind", str_of(node_kind_str(node->kind)));
        escape_graphml(out, "service", node->service);
        escape_graphml(out, "env", node->env);
        buf_add(out, STR("    </node>\n"));
    }
    for (size_t i = 0; i < ex->edges.len; i++)
        graphml_edge(ex, i);
    buf_add(out, STR("  </graph>\n</graphml>\n"));
}

static void
csv_node(struct buf *out, const struct query_node *node)
{
    const str fields[] = {node->name, str_of(node_kind_str(node->kind)),
                          node->service, node->env};

    for (size_t i = 0; i < 4; i++) {
        escape_csv(out, fields[i]);
        buf_add_char(out, ',');
    }
}

static void
export_csv(struct exporter *ex)
{
    struct buf *out = &ex->out;

    buf_add(out, STR("source,source_kind,source_service,source_env,target,"
                     "target_kind,target_service,target_env,kind,count,errors,"
                     "first_observed,last_observed\r\n"));
    for (size_t i = 0; i < ex->edges.len; i++) {
        const struct query_edge *edge = &ex->edges.rows[i];

        csv_node(out, query_node(ex->ask.view, edge->source));
        csv_node(out, query_node(ex->ask.view, edge->target));
        buf_printf(out, "%s,%lld,%lld,%u,%u\r\n", edge_kind_str(edge->kind),
                   (long long)edge->count, (long long)edge->errors,
                   edge->first_s, edge->last_s);
    }
}

static void
json_nodes(const struct exporter *ex, cJSON *array)
{
    for (size_t i = 0; i < ex->nodes.len; i++) {
        const struct query_node *node = node_at(ex, i);
        cJSON *row = cJSON_CreateObject();

        cJSON_AddNumberToObject(row, "id", (double)i);
        ask_add_str(row, "name", node->name);
        cJSON_AddStringToObject(row, "kind", node_kind_str(node->kind));
        ask_add_str(row, "service", node->service);
        ask_add_str(row, "env", node->env);
        cJSON_AddItemToArray(array, row);
    }
}

static void
export_json(struct exporter *ex)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *edges;
    char *text;

    json_nodes(ex, cJSON_AddArrayToObject(object, "nodes"));
    edges = cJSON_AddArrayToObject(object, "edges");
    for (size_t i = 0; i < ex->edges.len; i++) {
        const struct query_edge *edge = &ex->edges.rows[i];
        cJSON *row = cJSON_CreateObject();

        cJSON_AddNumberToObject(row, "source",
                                (double)index_of(ex, edge->source));
        cJSON_AddNumberToObject(row, "target",
                                (double)index_of(ex, edge->target));
        cJSON_AddStringToObject(row, "kind", edge_kind_str(edge->kind));
        cJSON_AddNumberToObject(row, "count", (double)edge->count);
        cJSON_AddNumberToObject(row, "errors", (double)edge->errors);
        cJSON_AddNumberToObject(row, "first_observed", edge->first_s);
        cJSON_AddNumberToObject(row, "last_observed", edge->last_s);
        cJSON_AddItemToArray(edges, row);
    }
    text = cJSON_Print(object);
    if (text)
        buf_printf(&ex->out, "%s\n", text);
    else
        ex->out.failed = true;
    cJSON_free(text);
    cJSON_Delete(object);
}

static void
export_nodegraph(struct exporter *ex)
{
    if (nodegraph_data(ex->ask.view, &ex->edges, &ex->out))
        ex->out.failed = true;
    buf_add_char(&ex->out, '\n');
    if (ex->nodes.len > NODEGRAPH_NODES_MAX)
        fprintf(stderr,
                "spangraph: Grafana draws %d nodes; there are %zu, and the "
                "busiest edges were told.  --service narrows them\n",
                NODEGRAPH_NODES_MAX, ex->nodes.len);
}

static void
export_backstage(struct exporter *ex)
{
    if (backstage_print(ex->ask.view, &ex->edges, ex->owner, &ex->out))
        ex->out.failed = true;
}

static void
export_gexf(struct exporter *ex)
{
    export_gexf_print(ex->ask.view, &ex->edges, &ex->nodes, &ex->out);
}

static void
export_cyclonedx(struct exporter *ex)
{
    if (export_cyclonedx_print(ex->ask.view, &ex->edges, &ex->nodes, &ex->out))
        ex->out.failed = true;
}

static export_fn *
format_of(const char *name)
{
    static const struct {
        const char *name;
        export_fn *fn;
    } formats[] = {
        {"dot", export_dot},
        {"mermaid", export_mermaid},
        {"graphml", export_graphml},
        {"gexf", export_gexf},
        {"csv", export_csv},
        {"json", export_json},
        {"nodegraph", export_nodegraph},
        {"backstage", export_backstage},
        {"cyclonedx", export_cyclonedx},
    };

    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (strcmp(formats[i].name, name) == 0)
            return formats[i].fn;
    return NULL;
}

static int
read_edges(struct exporter *ex, struct query_filter *filter,
           struct ids *services)
{
    uint32_t now_s = query_now_s(ex->ask.view);
    uint64_t since_s = ex->since_ns / NS_PER_S;
    int rc = EXIT_CLEAN;
    enum err err;

    if (since_s)
        filter->since_s = since_s < now_s ? now_s - (uint32_t)since_s : 1;
    filter->env = str_of(ex->env);
    if (ex->service) {
        rc = ask_services(&ex->ask, ex->service, UINT32_C(1) << NODE_SERVICE,
                          services);
        filter->services = services;
    }
    if (rc != EXIT_CLEAN)
        return rc;
    err = query_edges(ex->ask.view, filter, &ex->edges);
    if (!err)
        err = collect_nodes(ex);
    return err ? ask_fail(err) : EXIT_CLEAN;
}

/* Environments and windows are of traces; the code has none. */
static int
run_symbols(const struct exporter *ex)
{
    const struct export_code what = {
        .ask = ex->ask,
        .format = ex->ask.json ? "json" : ex->format,
        .service = ex->service,
    };

    if (!ex->env && !ex->since_ns)
        return export_code_run(&what);
    fprintf(stderr, "spangraph export: --env and --since do not go with "
                    "--level symbol\n");
    return EXIT_USAGE;
}

static bool
can_tell(export_fn *fn, enum query_level level)
{
    if (fn == export_backstage || fn == export_cyclonedx)
        return level == LEVEL_SERVICE;
    return (fn != export_nodegraph && fn != export_gexf) ||
           level != LEVEL_SYMBOL;
}

static int
run(struct exporter *ex)
{
    struct query_filter filter = {0};
    struct ids services = {0};
    export_fn *fn = format_of(ex->ask.json ? "json" : ex->format);
    int rc;

    if (!fn || !query_level_of(str_of(ex->level), &filter.level) ||
        !*ex->owner || !can_tell(fn, filter.level)) {
        fprintf(stderr,
                "spangraph export: --level is service, endpoint or symbol, "
                "--format is " FORMATS
                "; Backstage's catalog and CycloneDX are of services, GEXF and "
                "Grafana's node graph of services or endpoints\n");
        return EXIT_USAGE;
    }
    if (filter.level == LEVEL_SYMBOL)
        return run_symbols(ex);
    rc = ask_open(&ex->ask);
    if (rc == EXIT_CLEAN)
        rc = read_edges(ex, &filter, &services);
    if (rc == EXIT_CLEAN) {
        fn(ex);
        rc = ask_print(&ex->out);
    }
    buf_fini(&ex->out);
    ids_fini(&ex->nodes);
    query_edges_fini(&ex->edges);
    ids_fini(&services);
    ask_close(&ex->ask);
    return rc;
}

int
cmd_export(const struct command *self, int argc, char **argv)
{
    struct exporter options = {.ask = ASK_DEFAULT,
                               .level = "service",
                               .format = "dot",
                               .owner = "unknown"};
    const struct option_spec specs[] = {
        ASK_OPTIONS(options.ask),
        {"level", OPTION_STR, &options.level, "LEVEL",
         "service, endpoint or symbol: functions and routes of the code, too"},
        {"format", OPTION_STR, &options.format, "FORMAT", FORMATS},
        {"service", OPTION_STR, &options.service, "NAME",
         "one end of the edges; * fits any text"},
        {"owner", OPTION_STR, &options.owner, "REF",
         "who owns what a Backstage catalog holds"},
        {"env", OPTION_STR, &options.env, "ENV", "environment of an end"},
        {"since", OPTION_DURATION, &options.since_ns, "DURATION",
         "only what was seen since then, e.g. 24h; 0: all"},
    };
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc > 1) {
        fprintf(stderr, "spangraph export: takes no '%s'; see --help\n",
                argv[1]);
        return EXIT_USAGE;
    }
    return run(&options);
}
