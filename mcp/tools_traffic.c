/*
 * The tools that list edges: who talks to whom, how often, how fast.
 */
#include <stdlib.h>
#include <string.h>

#include "base/idset.h"
#include "graph/query_edges.h"
#include "graph/query_ways.h"
#include "mcp/json.h"
#include "mcp/tools_args.h"
#include "mcp/tools_missing.h"
#include "mcp/tools_parts.h"
#include "mcp/tools_reply.h"

/* Of a page, where nothing is said. */
enum { TRAFFIC_ROWS = 100, MAP_ROWS = 50, CALLER_ROWS = 20 };

static void
put_edge_ends(struct tool_run *run, cJSON *row, const struct query_edge *edge)
{
    const struct query_node *source = query_node(run->view, edge->source);
    const struct query_node *target = query_node(run->view, edge->target);

    put_str(row, "source", source->name);
    put_str(row, "target", target->name);
    put_str(row, "source_service", source->service);
    put_str(row, "target_service", target->service);
    cJSON_AddStringToObject(row, "source_kind", node_kind_str(source->kind));
    cJSON_AddStringToObject(row, "target_kind", node_kind_str(target->kind));
    put_str(row, "env", reply_env(run, edge->source, edge->target));
}

static void
put_edge_counts(cJSON *row, const struct query_edge *edge)
{
    put_num(row, "count", (double)edge->count);
    put_num(row, "weighted", (double)edge->weighted / (double)WEIGHT_ONE);
    put_num(row, "errors", (double)edge->errors);
    put_time(row, "first_observed", edge->first_s);
    put_time(row, "last_observed", edge->last_s);
}

/* knowing's Edge, by its names. */
static cJSON *
traffic_row(struct tool_run *run, const struct query_edges *edges, size_t i)
{
    const struct query_edge *edge = &edges->rows[i];
    unsigned char hash[32];
    struct query_detail detail;
    cJSON *row = cJSON_CreateObject();
    enum err err = query_detail(run->view, edges, i, &detail);

    if (err) {
        tool_fail(run, err, "the latencies of an edge cannot be read");
        return row;
    }
    if (run->is_detailed) {
        query_edge_hash(run->view, edge, hash);
        put_hash(row, "EdgeHash", hash);
        put_hash(row, "SourceHash", query_node(run->view, edge->source)->hash);
        put_hash(row, "TargetHash", query_node(run->view, edge->target)->hash);
    }
    cJSON_AddStringToObject(row, "EdgeType", edge_kind_str(edge->kind));
    put_round(row, "Confidence", detail.confidence);
    cJSON_AddStringToObject(row, "Provenance", "otel_trace");
    if (run->is_detailed) {
        put_num(row, "CallSiteLine", 0);
        put_num(row, "CallSiteCol", 0);
        cJSON_AddStringToObject(row, "CallSiteFile", "");
    }
    put_num(row, "ObservationCount", (double)edge->count);
    put_num(row, "LastObserved", edge->last_s);
    put_edge_ends(run, row, edge);
    put_num(row, "weighted", (double)edge->weighted / (double)WEIGHT_ONE);
    put_num(row, "errors", (double)edge->errors);
    put_time(row, "first_observed", edge->first_s);
    put_latency(row, &detail);
    put_exemplars(run, row, edges, i);
    return row;
}

/* Calls without a known caller make no row, but are no silence. */
static void
hint_silence(struct tool_run *run, const struct ids *services,
             const struct query_edges *edges)
{
    if (reply_orphans(run, services, edges->window.from_s))
        reply_blind(run, services);
    else
        reply_silence(run, services);
}

static void
hint_sampled(struct tool_run *run, const struct query_edges *edges)
{
    missing_sampled(run, edges, 1,
                    "count is what was received, weighted is what it stands "
                    "for");
}

/* A message counts where it is published and where it is taken, not a third
 * time from end to end, unless no topic is known. */
static void
sum_traffic(struct tool_run *run, const struct ids *services,
            const struct query_edges *edges)
{
    str name = tool_str(run, "service_name");
    struct query_ways ways = {0};
    struct idset asked = {0};
    int64_t in = 0;
    int64_t out = 0;
    int64_t errors = 0;

    if (!run->err)
        run->err = query_ways_make(edges, &ways);
    if (!run->err)
        run->err = idset_add_all(&asked, services);
    for (size_t i = 0; !run->err && i < edges->len; i++) {
        const struct query_edge *edge = &edges->rows[i];
        const struct query_node *target = query_node(run->view, edge->target);

        bool is_in =
            idset_has(&asked, target->owner ? target->owner : target->id);

        if (query_ways_is_twice(&ways, edge, is_in))
            continue;
        errors += edge->errors;
        if (is_in)
            in += edge->count;
        else
            out += edge->count;
    }
    reply_summary(run,
                  "%zu observed edge%s of %.*s: %lld call%s in, %lld out, "
                  "%lld error%s",
                  edges->len, many((int64_t)edges->len), (int)name.len,
                  name.ptr, (long long)in, many(in), (long long)out,
                  (long long)errors, many(errors));
    idset_fini(&asked);
    query_ways_fini(&ways);
}

void
tool_runtime_traffic(struct tool_run *run)
{
    struct ids services = {0};
    struct query_edges edges = {0};
    struct query_filter filter = {.level = LEVEL_SYMBOL};
    struct buf pattern = {0};
    struct tool_page page = {
        .run = run, .name = "edges", .key = edge_row_key, .ctx = &edges};

    tool_services(run, "service_name", TOOL_SERVICE, &services);
    filter.services = &services;
    filter.target_like = tool_route(run, "route_pattern", &pattern);
    filter.since_s = tool_since(run);
    filter.kinds = tool_kinds(run);
    filter.first = page_reach(run, TRAFFIC_ROWS);
    if (!run->err)
        run->err = query_edges(run->view, &filter, &edges);
    if (run->err)
        goto out;
    page.total = edges.len;
    page_open(&page, TRAFFIC_ROWS);
    while (page_more(&page))
        page_add(&page, traffic_row(run, &edges, page.at));
    page_close(&page);
    reply_window(run, edges.window);
    hint_sampled(run, &edges);
    sum_traffic(run, &services, &edges);
    if (edges.len == 0 && filter.target_like.len)
        tool_hint(run,
                  "nothing fits '%.*s'; %% stands for anything: '/users/%%'",
                  (int)filter.target_like.len, filter.target_like.ptr);
    if (edges.len == 0) {
        hint_silence(run, &services, &edges);
    } else {
        (void)reply_orphans(run, &services, edges.window.from_s);
        tool_hint(run, "who_calls tells callers of one route with versions; "
                       "explain tells why an edge is missing");
    }
out:
    buf_fini(&pattern);
    query_edges_fini(&edges);
    ids_fini(&services);
}

static const char *const map_columns[] = {
    "source",   "target", "kind",           "count",
    "weighted", "errors", "first_observed", "last_observed",
    "p50_ms",   "p95_ms", "p99_ms",         "confidence"};

enum { CONCISE_COLUMNS = 8, MAP_COLUMNS = 12 };

/* Whether rows of one name are to be told apart by their environment. */
static bool
has_env(struct tool_run *run, const struct query_edges *edges)
{
    for (size_t i = 0; i < edges->len; i++)
        if (reply_env(run, edges->rows[i].source, edges->rows[i].target).len)
            return true;
    return false;
}

/* Column names once, then rows of values: a third of the size of objects. */
static cJSON *
map_row(struct tool_run *run, const struct query_edges *edges, size_t i,
        bool with_env)
{
    const struct query_edge *edge = &edges->rows[i];
    size_t columns = run->is_detailed ? MAP_COLUMNS : CONCISE_COLUMNS;
    cJSON *object = cJSON_CreateObject();
    cJSON *row = cJSON_CreateArray();

    put_qualified(run, object, "source", edge->source);
    put_qualified(run, object, "target", edge->target);
    cJSON_AddStringToObject(object, "kind", edge_kind_str(edge->kind));
    put_edge_counts(object, edge);
    if (run->is_detailed) {
        struct query_detail detail;
        enum err err = query_detail(run->view, edges, i, &detail);

        if (err)
            tool_fail(run, err, "the latencies of an edge cannot be read");
        put_latency(object, &detail);
        put_round(object, "confidence", detail.confidence);
    }
    for (size_t c = 0; c < columns; c++)
        json_push(row, cJSON_DetachItemFromObject(object, map_columns[c]));
    if (with_env)
        json_push(row, json_str(reply_env(run, edge->source, edge->target)));
    cJSON_Delete(object);
    return row;
}

static void
add_map_node(struct tool_run *run, cJSON *nodes, struct ids *seen, uint32_t id)
{
    const struct query_node *node = query_node(run->view, id);
    cJSON *object;

    if (run->err || ids_has(seen, id))
        return;
    if ((run->err = ids_add(seen, id)))
        return;
    object = cJSON_CreateObject();
    put_qualified(run, object, "name", id);
    cJSON_AddStringToObject(object, "kind", node_kind_str(node->kind));
    put_str(object, "env", node->env);
    json_push(nodes, object);
}

/* The nodes of the rows that are shown, each once. */
static void
add_map_nodes(struct tool_run *run, const struct tool_page *page,
              const struct query_edges *edges)
{
    cJSON *nodes = cJSON_AddArrayToObject(run->reply, "nodes");
    struct ids seen = {0};

    for (size_t i = page->first; i < page->at; i++) {
        add_map_node(run, nodes, &seen, edges->rows[i].source);
        add_map_node(run, nodes, &seen, edges->rows[i].target);
    }
    ids_fini(&seen);
}

void
tool_service_map(struct tool_run *run)
{
    struct ids services = {0};
    struct query_edges edges = {0};
    struct query_filter filter = {
        .level = tool_level(run, LEVEL_SERVICE),
        .kinds = tool_kinds(run),
        .since_s = tool_since(run),
        .env = tool_str(run, "env"),
    };
    struct tool_page page = {
        .run = run, .name = "rows", .key = edge_row_key, .ctx = &edges};
    size_t columns;

    run->is_detailed =
        str_eq(tool_str(run, "response_format"), STR("detailed"));
    columns = run->is_detailed ? MAP_COLUMNS : CONCISE_COLUMNS;
    filter.services = tool_scope(run, TOOL_PARTY, &services);
    filter.first = page_reach(run, MAP_ROWS);
    if (!run->err)
        run->err = query_edges(run->view, &filter, &edges);
    if (run->err)
        goto out;
    cJSON *names = cJSON_AddArrayToObject(run->reply, "columns");
    for (size_t i = 0; i < columns; i++)
        json_push(names, cJSON_CreateString(map_columns[i]));
    bool with_env = has_env(run, &edges);
    if (with_env)
        json_push(names, cJSON_CreateString("env"));
    page.total = edges.len;
    page_open(&page, MAP_ROWS);
    while (page_more(&page))
        page_add(&page, map_row(run, &edges, page.at, with_env));
    page_close(&page);
    if (run->is_detailed && !run->err)
        add_map_nodes(run, &page, &edges);
    reply_window(run, edges.window);
    hint_sampled(run, &edges);
    reply_summary(run, "%zu edge%s, most calls first", edges.len,
                  many((int64_t)edges.len));
    if (edges.len == 0)
        reply_silence(run, filter.services);
    else
        tool_hint(run, "level=endpoint shows routes; who_calls asks about one "
                       "target");
    if (edges.len > 0 && filter.services)
        missing_orphans(run, filter.services, edges.window.from_s);
out:
    query_edges_fini(&edges);
    ids_fini(&services);
}

static int
compare_ids(const void *a, const void *b)
{
    const uint32_t *left = a;
    const uint32_t *right = b;

    return (*left > *right) - (*left < *right);
}

/* One that calls several routes, or in several ways, has several rows. */
static size_t
count_callers(struct tool_run *run, const struct query_ways *ways,
              const struct query_edges *edges)
{
    struct ids callers = {0};
    size_t count = 0;

    for (size_t i = 0; !run->err && i < edges->len; i++)
        if (!query_ways_is_way(ways, &edges->rows[i]))
            run->err = ids_add(&callers, edges->rows[i].source);
    if (callers.len)
        qsort(callers.ids, callers.len, sizeof(*callers.ids), compare_ids);
    for (size_t i = 0; i < callers.len; i++)
        count += i == 0 || callers.ids[i] != callers.ids[i - 1];
    ids_fini(&callers);
    return count;
}

/* A message counts where it is taken, not once more from end to end, unless it
 * is not known from which topic. */
static void
sum_callers(struct tool_run *run, const struct query_edges *edges)
{
    struct query_ways ways = {0};
    int64_t calls = 0;

    if (!run->err)
        run->err = query_ways_make(edges, &ways);
    for (size_t i = 0; i < edges->len; i++)
        if (!query_ways_is_twice(&ways, &edges->rows[i], true))
            calls += edges->rows[i].count;
    size_t callers = count_callers(run, &ways, edges);
    reply_summary(run, "%zu caller%s, %lld call%s, most calls first", callers,
                  many((int64_t)callers), (long long)calls, many(calls));
    query_ways_fini(&ways);
}

static cJSON *
caller_row(struct tool_run *run, const struct query_edges *edges, size_t i)
{
    const struct query_edge *edge = &edges->rows[i];
    struct query_detail detail;
    cJSON *row = cJSON_CreateObject();
    enum err err = query_detail(run->view, edges, i, &detail);

    if (err) {
        tool_fail(run, err, "the latencies of an edge cannot be read");
        return row;
    }
    put_qualified(run, row, "caller", edge->source);
    put_qualified(run, row, "target", edge->target);
    cJSON_AddStringToObject(row, "kind", edge_kind_str(edge->kind));
    put_edge_counts(row, edge);
    put_latency(row, &detail);
    put_round(row, "confidence", detail.confidence);
    str env = query_node(run->view, edge->source)->env;
    env = env.len ? env : reply_env(run, edge->source, edge->target);
    if (run->is_detailed || env.len)
        put_str(row, "env", env);
    if (run->is_detailed) {
        put_code(run, row, "caller_code", edge->source);
        put_code(run, row, "target_code", edge->target);
        put_versions(run, row, "caller_versions", detail.source_versions);
        put_versions(run, row, "target_versions", detail.target_versions);
    }
    put_exemplars(run, row, edges, i);
    return row;
}

/* The routes of the services that argument `route` names: itself, or with its
 * method, or fitting if it holds a star; else those it is a path of; else those
 * that a function handles that is called so. */
static void
find_routes(struct tool_run *run, const struct ids *services, struct ids *out)
{
    struct buf text = {0};
    str route = tool_route(run, "route", &text);
    struct buf any_method = {0};

    buf_add(&any_method, STR("* "));
    buf_add(&any_method, route);
    for (size_t i = 0; !run->err && i < services->len; i++) {
        struct query_find find = {.owner = services->ids[i], .name = route};

        run->err = query_find(run->view, &find, out);
        find.name = buf_str(&any_method);
        if (!run->err && route.len && route.ptr[0] == '/')
            run->err = query_find(run->view, &find, out);
    }
    buf_fini(&any_method);
    buf_fini(&text);
    if (!run->err && out->len == 0)
        tool_of_path(run, services, out);
    if (!run->err && out->len == 0)
        tool_handled(run, services, tool_str(run, "route"), out);
    if (!run->err && out->len == 0)
        tool_fail_route(run, services);
}

void
tool_who_calls(struct tool_run *run)
{
    struct ids services = {0};
    struct ids routes = {0};
    struct query_edges edges = {0};
    struct query_filter filter = {
        .level = tool_level(run, LEVEL_ENDPOINT),
        .since_s = tool_since(run),
        .targets = &services,
    };
    struct tool_page page = {
        .run = run, .name = "callers", .key = edge_row_key, .ctx = &edges};

    tool_services(run, "service", TOOL_PARTY, &services);
    if (!run->err && tool_str(run, "route").len) {
        find_routes(run, &services, &routes);
        filter.targets = &routes;
    }
    filter.first = page_reach(run, CALLER_ROWS);
    if (!run->err)
        run->err = query_edges(run->view, &filter, &edges);
    if (run->err)
        goto out;
    page.total = edges.len;
    page_open(&page, CALLER_ROWS);
    while (page_more(&page))
        page_add(&page, caller_row(run, &edges, page.at));
    page_close(&page);
    reply_window(run, edges.window);
    hint_sampled(run, &edges);
    sum_callers(run, &edges);
    if (edges.len == 0) {
        hint_silence(run, &services, &edges);
        tool_hint(run, "explain says whether callers were lost (orphans)");
    } else {
        (void)reply_orphans(run, &services, edges.window.from_s);
        tool_hint(run, "dead_routes tells which routes nobody calls");
    }
out:
    query_edges_fini(&edges);
    ids_fini(&routes);
    ids_fini(&services);
}
