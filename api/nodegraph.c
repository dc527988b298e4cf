/*
 * Nodes are gathered from the ends of the edges, in an array sorted by id that
 * sums what came in: a node is coloured by how its calls ended, or, if nobody
 * called it, by how the calls it made did.
 */
#include "api/nodegraph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "api/params.h"
#include "graph/query_edges.h"

struct tally {
    uint32_t id;
    int64_t in;
    int64_t in_errors;
    int64_t out;
    int64_t out_errors;
};

struct tallies {
    struct tally *rows;
    size_t len;
    size_t edges; /* of those given, the first so many are told */
};

/* ---- fields ---- */

static void
add_field(cJSON *fields, const char *name, const char *type, const char *title,
          const char *color)
{
    cJSON *field = cJSON_CreateObject();

    cJSON_AddStringToObject(field, "field_name", name);
    cJSON_AddStringToObject(field, "type", type);
    if (title)
        cJSON_AddStringToObject(field, "displayName", title);
    if (color)
        cJSON_AddStringToObject(field, "color", color);
    cJSON_AddItemToArray(fields, field);
}

static void
print_json(cJSON *json, struct buf *out)
{
    char *text = cJSON_PrintUnformatted(json);

    if (text)
        buf_add(out, str_of(text));
    else
        out->failed = true;
    cJSON_free(text);
    cJSON_Delete(json);
}

void
nodegraph_fields(struct buf *out)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *edges = cJSON_AddArrayToObject(object, "edges_fields");
    cJSON *nodes = cJSON_AddArrayToObject(object, "nodes_fields");

    add_field(edges, "id", "string", NULL, NULL);
    add_field(edges, "source", "string", NULL, NULL);
    add_field(edges, "target", "string", NULL, NULL);
    add_field(edges, "mainStat", "number", "Calls", NULL);
    add_field(edges, "secondaryStat", "number", "Errors", NULL);
    add_field(edges, "detail__kind", "string", "Kind", NULL);
    add_field(nodes, "id", "string", NULL, NULL);
    add_field(nodes, "title", "string", "Name", NULL);
    add_field(nodes, "subTitle", "string", "Kind", NULL);
    add_field(nodes, "mainStat", "number", "Calls received", NULL);
    add_field(nodes, "secondaryStat", "number", "Errors", NULL);
    add_field(nodes, "arc__ok", "number", "Answered", "green");
    add_field(nodes, "arc__failed", "number", "Failed", "red");
    add_field(nodes, "detail__service", "string", "Service", NULL);
    add_field(nodes, "detail__env", "string", "Environment", NULL);
    print_json(object, out);
}

/* ---- nodes and edges ---- */

static int
compare_tallies(const void *a, const void *b)
{
    uint32_t x = ((const struct tally *)a)->id;
    uint32_t y = ((const struct tally *)b)->id;

    return (x > y) - (x < y);
}

static void
fold(struct tallies *tallies)
{
    size_t len = 0;

    if (tallies->len)
        qsort(tallies->rows, tallies->len, sizeof(*tallies->rows),
              compare_tallies);
    for (size_t i = 0; i < tallies->len; i++) {
        const struct tally *row = &tallies->rows[i];
        struct tally *last = len ? &tallies->rows[len - 1] : NULL;

        if (!last || last->id != row->id) {
            tallies->rows[len++] = *row;
            continue;
        }
        last->in += row->in;
        last->in_errors += row->in_errors;
        last->out += row->out;
        last->out_errors += row->out_errors;
    }
    tallies->len = len;
}

static void
take_edge(struct tallies *tallies, const struct query_edge *edge)
{
    tallies->rows[tallies->len++] = (struct tally){
        .id = edge->source, .out = edge->count, .out_errors = edge->errors};
    tallies->rows[tallies->len++] = (struct tally){
        .id = edge->target, .in = edge->count, .in_errors = edge->errors};
    tallies->edges++;
}

/* Folds at each doubling, so that what is gathered stays near what is kept. */
static enum err
gather(const struct query_edges *edges, struct tallies *out)
{
    size_t cap = 4 * (size_t)NODEGRAPH_NODES_MAX;

    *out = (struct tallies){.rows = calloc(cap, sizeof(*out->rows))};
    if (!out->rows)
        return ERR_NOMEM;
    for (size_t i = 0; i < edges->len && i < NODEGRAPH_EDGES_MAX; i++) {
        if (out->len + 2 > cap || out->len + 2 > NODEGRAPH_NODES_MAX)
            fold(out);
        if (out->len + 2 > NODEGRAPH_NODES_MAX)
            break;
        take_edge(out, &edges->rows[i]);
    }
    fold(out);
    return OK;
}

static void
add_text(cJSON *object, const char *name, str value)
{
    struct buf text = {0};

    buf_add(&text, value);
    cJSON_AddStringToObject(object, name, buf_cstr(&text));
    buf_fini(&text);
}

static void
add_id(cJSON *object, const char *name, uint32_t id)
{
    char text[16];

    (void)snprintf(text, sizeof(text), "%u", id);
    cJSON_AddStringToObject(object, name, text);
}

static cJSON *
node_json(const struct query_view *view, const struct tally *tally)
{
    const struct query_node *node = query_node(view, tally->id);
    int64_t calls = tally->in > 0 ? tally->in : tally->out;
    int64_t errors = tally->in > 0 ? tally->in_errors : tally->out_errors;
    double failed = calls > 0 ? (double)errors / (double)calls : 0;
    cJSON *row = cJSON_CreateObject();

    if (failed < 0 || failed > 1)
        failed = failed < 0 ? 0 : 1;
    add_id(row, "id", tally->id);
    add_text(row, "title", node->name);
    cJSON_AddStringToObject(row, "subTitle", node_kind_str(node->kind));
    cJSON_AddNumberToObject(row, "mainStat", (double)tally->in);
    cJSON_AddNumberToObject(row, "secondaryStat", (double)tally->in_errors);
    cJSON_AddNumberToObject(row, "arc__ok", 1 - failed);
    cJSON_AddNumberToObject(row, "arc__failed", failed);
    add_text(row, "detail__service", node->service);
    add_text(row, "detail__env", node->env);
    return row;
}

static cJSON *
edge_json(const struct query_edge *edge)
{
    cJSON *row = cJSON_CreateObject();
    char id[48];

    (void)snprintf(id, sizeof(id), "%u-%u-%s", edge->source, edge->target,
                   edge_kind_str(edge->kind));
    cJSON_AddStringToObject(row, "id", id);
    add_id(row, "source", edge->source);
    add_id(row, "target", edge->target);
    cJSON_AddNumberToObject(row, "mainStat", (double)edge->count);
    cJSON_AddNumberToObject(row, "secondaryStat", (double)edge->errors);
    cJSON_AddStringToObject(row, "detail__kind", edge_kind_str(edge->kind));
    return row;
}

enum err
nodegraph_data(struct query_view *view, const struct query_edges *edges,
               struct buf *out)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *array = cJSON_AddArrayToObject(object, "nodes");
    struct tallies tallies;
    enum err err = gather(edges, &tallies);

    for (size_t i = 0; !err && i < tallies.len; i++)
        cJSON_AddItemToArray(array, node_json(view, &tallies.rows[i]));
    array = cJSON_AddArrayToObject(object, "edges");
    for (size_t i = 0; !err && edges->rows && i < tallies.edges; i++)
        cJSON_AddItemToArray(array, edge_json(&edges->rows[i]));
    if (!err && tallies.edges < edges->len) {
        cJSON_AddTrueToObject(object, "truncated");
        cJSON_AddNumberToObject(object, "total", (double)edges->len);
    }
    free(tallies.rows);
    print_json(object, out);
    return err ? err : out->failed ? ERR_NOMEM : OK;
}

/* ---- the query string ---- */

static enum err
make_filter(const struct params *asked, struct query_filter *filter,
            struct buf *why)
{
    const uint64_t most_ms = UINT64_C(1000) * UINT32_MAX + 999;
    str level = params_get(asked, "level");
    uint64_t from_ms = 0;

    filter->env = params_get(asked, "env");
    if (level.len && (!query_level_of(level, &filter->level) ||
                      filter->level == LEVEL_SYMBOL)) {
        buf_add(why, STR("level is service or endpoint"));
        return ERR_INVALID;
    }
    if (params_number(asked, "from", most_ms, &from_ms, why)) {
        buf_reset(why);
        buf_add(why, STR("from is a Unix time in milliseconds"));
        return ERR_INVALID;
    }
    if (params_get(asked, "from").len)
        filter->since_s = from_ms < 1000 ? 1 : (uint32_t)(from_ms / 1000);
    return OK;
}

static enum err
answer(struct query_view *view, const struct params *asked, struct buf *out,
       struct buf *why)
{
    const struct query_find find = {.kinds = UINT32_C(1) << NODE_SERVICE,
                                    .name = params_get(asked, "service")};
    struct query_filter filter = {.level = LEVEL_SERVICE};
    struct ids services = {0};
    struct query_edges edges = {0};
    enum err err = make_filter(asked, &filter, why);

    if (!err && find.name.len) {
        err = query_find(view, &find, &services);
        filter.services = &services;
    }
    if (!err && (!filter.services || services.len))
        err = query_edges(view, &filter, &edges);
    if (!err)
        err = nodegraph_data(view, &edges, out);
    query_edges_fini(&edges);
    ids_fini(&services);
    return err;
}

enum err
nodegraph_answer(struct query_view *view, str query_string, struct buf *out,
                 struct buf *why)
{
    struct params asked;
    enum err err = params_read(&asked, query_string, why);

    if (!err)
        err = answer(view, &asked, out, why);
    params_fini(&asked);
    return err;
}
