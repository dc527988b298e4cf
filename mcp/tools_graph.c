/*
 * The tool that tells of one node, and the totals.
 */
#include <string.h>

#include "graph/query_edges.h"
#include "graph/query_stats.h"
#include "graph/query_ways.h"
#include "knowledge/resolve.h"
#include "mcp/json.h"
#include "mcp/tools_args.h"
#include "mcp/tools_code.h"
#include "mcp/tools_near.h"
#include "mcp/tools_reply.h"

enum { NEIGHBOURS = 5 };

static uint32_t
kind_bit(str word)
{
    for (int kind = NODE_SERVICE; kind <= NODE_SYMBOL; kind++) {
        if (str_eq(word, str_of(node_kind_str((uint8_t)kind))))
            return UINT32_C(1) << kind;
    }
    return 0;
}

/* The name in `kind:name`, and the bit of its kind; |asked| and 0 if no kind
 * stands before it. */
static str
cut_kind(str asked, uint32_t *kinds)
{
    const char *colon = asked.len ? memchr(asked.ptr, ':', asked.len) : NULL;
    size_t at = colon ? (size_t)(colon - asked.ptr) : 0;

    *kinds = colon ? kind_bit(str_cut(asked, 0, at)) : 0;
    return *kinds ? str_cut(asked, at + 1, asked.len) : asked;
}

/* A name with a `*` in it is no pattern where something is called just so. */
static void
prefer_called(struct tool_run *run, str name, struct ids *found)
{
    struct buf qualified = {0};
    size_t len = 0;

    for (size_t i = 0; i < found->len; i++) {
        buf_reset(&qualified);
        query_qualified(run->view, found->ids[i], &qualified);
        if (str_eq(query_node(run->view, found->ids[i])->name, name) ||
            str_eq(buf_str(&qualified), name))
            found->ids[len++] = found->ids[i];
    }
    if (len)
        found->len = len;
    buf_fini(&qualified);
}

/* By hash, by `kind:name`, or by name; the last two in that order because a
 * topic's name has a colon too. */
void
tool_find_node(struct tool_run *run, str asked, struct ids *out)
{
    unsigned char hash[32];
    struct query_find find = {.env = tool_str(run, "env")};

    if (str_read_hex(asked, hash, SHA256_LEN)) {
        find.hash = hash;
        run->err = query_find(run->view, &find, out);
        return;
    }
    find.qualified = cut_kind(asked, &find.kinds);
    if (find.kinds)
        run->err = query_find(run->view, &find, out);
    if (!run->err && out->len == 0) {
        find.kinds = 0;
        find.qualified = asked;
        run->err = query_find(run->view, &find, out);
    }
    prefer_called(run, find.qualified, out);
}

static void
fail_node(struct tool_run *run, str asked, const struct ids *found)
{
    struct ids near = {0};
    const struct ids *list = found->len ? found : &near;
    struct buf names = {0};
    uint32_t kinds;
    str word = cut_kind(asked, &kinds);

    if (found->len == 0 &&
        query_nearest(run->view, kinds, word, NEIGHBOURS, &near))
        near.len = 0;
    for (size_t i = 0; i < list->len && i < NEIGHBOURS; i++) {
        const struct query_node *node = query_node(run->view, list->ids[i]);

        buf_printf(&names, "%s\"%s:", i ? ", " : "", node_kind_str(node->kind));
        query_qualified(run->view, list->ids[i], &names);
        buf_add_char(&names, '"');
        if (node->env.len)
            buf_printf(&names, " (env %.*s)", (int)node->env.len,
                       node->env.ptr);
    }
    tool_fail(
        run, found->len ? ERR_AMBIGUOUS : ERR_INVALID, "nodeId '%.100s' %s%s%s",
        asked.ptr, found->len ? "fits several; use one of: " : "unknown",
        found->len || names.len == 0 ? "" : "; closest: ", buf_cstr(&names));
    if (list->len == 0)
        buf_printf(run->why, "; graph_query{\"prefix\":\"\"} lists what there "
                             "is");
    buf_fini(&names);
    ids_fini(&near);
}

/* A message to or from a topic is not counted again from end to end. */
static int64_t
sum_calls(struct tool_run *run, const struct query_edges *edges, bool is_in)
{
    struct query_ways ways = {0};
    int64_t sum = 0;

    run->err = query_ways_make(edges, &ways);
    for (size_t i = 0; i < edges->len; i++) {
        if (!query_ways_is_twice(&ways, &edges->rows[i], is_in))
            sum += edges->rows[i].count;
    }
    query_ways_fini(&ways);
    return sum;
}

/* One direction: how many edges, how many calls, and the busiest. */
static void
put_neighbours(struct tool_run *run, cJSON *node, const char *name,
               const struct query_filter *filter)
{
    struct query_edges edges;
    cJSON *object;
    cJSON *top;

    if (run->err)
        return;
    run->err = query_edges(run->view, filter, &edges);
    if (run->err)
        return;
    object = cJSON_AddObjectToObject(node, name);
    put_num(object, "edges", (double)edges.len);
    put_num(object, "count", (double)sum_calls(run, &edges, !filter->sources));
    top = cJSON_AddArrayToObject(object, "top");
    for (size_t i = 0; i < edges.len && i < NEIGHBOURS; i++) {
        const struct query_edge *edge = &edges.rows[i];
        cJSON *row = cJSON_CreateObject();

        put_qualified(run, row, "name",
                      filter->sources ? edge->target : edge->source);
        cJSON_AddStringToObject(row, "kind", edge_kind_str(edge->kind));
        put_num(row, "count", (double)edge->count);
        put_num(row, "errors", (double)edge->errors);
        put_time(row, "last_observed", edge->last_s);
        json_push(top, row);
    }
    query_edges_fini(&edges);
}

struct estimate {
    uint32_t node;
    uint64_t distinct;
};

static enum err
take_estimate(void *ctx, uint32_t node, uint64_t distinct)
{
    struct estimate *wanted = ctx;

    if (node == wanted->node)
        wanted->distinct = distinct;
    return OK;
}

/* How many names an overflow node stands for; other nodes have no such thing.
 */
static void
put_estimate(struct tool_run *run, cJSON *object, uint32_t id)
{
    struct estimate wanted = {.node = id};

    if (run->err)
        return;
    run->err = query_overflow(run->view, take_estimate, &wanted);
    if (wanted.distinct)
        put_num(object, "distinct_estimate", (double)wanted.distinct);
}

/* What near_disclose does not tell of an observed node: 3 where it belongs and
 * with whom it talks, 4 its hash and when it was first seen. */
static void
put_node(struct tool_run *run, uint32_t id, int64_t level)
{
    const struct query_node *node = query_node(run->view, id);
    uint32_t one[] = {id};
    const struct ids self = {one, 1, 1};
    struct query_filter filter = {
        .level = node->kind == NODE_SERVICE ? LEVEL_SERVICE : LEVEL_ENDPOINT};
    cJSON *object = cJSON_AddObjectToObject(run->reply, "node");

    put_node_id(run, object, id);
    cJSON_AddStringToObject(object, "type", node_kind_str(node->kind));
    put_num(object, "level", (double)level);
    if (level >= 1)
        put_str(object, "name", node->name);
    if (level >= 3) {
        put_estimate(run, object, id);
        put_str(object, "service", node->service);
        put_str(object, "env", node->env);
        put_code(run, object, "code", id);
        filter.targets = &self;
        put_neighbours(run, object, "callers", &filter);
        filter.targets = NULL;
        filter.sources = &self;
        put_neighbours(run, object, "callees", &filter);
    }
    if (level >= 4) {
        put_hash(object, "NodeHash", node->hash);
        put_time(object, "created_at", node->created_s);
    }
}

/* What is known of any object at that level, beside what is there. */
static enum err
put_disclosed(struct near_run *n, const struct object *object, int64_t level)
{
    cJSON *node = cJSON_GetObjectItem(n->run->reply, "node");
    cJSON *row = cJSON_CreateObject();
    enum err err = near_disclose(n, object, level, row);

    if (!node)
        node = cJSON_AddObjectToObject(n->run->reply, "node");
    while (row->child) {
        cJSON *item = cJSON_DetachItemViaPointer(row, row->child);

        if (cJSON_GetObjectItemCaseSensitive(node, item->string))
            cJSON_Delete(item);
        else
            cJSON_AddItemToObject(node, item->string, item);
    }
    cJSON_Delete(row);
    return err;
}

/* The same of observed node |id|, or else of |vertex|. */
static void
add_disclosed(struct tool_run *run, uint32_t id, uint32_t vertex, int64_t level)
{
    struct near_run n;
    struct object object = {0};
    enum err err = OK;

    if (near_begin(&n, run)) {
        err = id ? object_of_node(&n.know.moment, id, &object)
                 : object_of_vertex(&n.know.moment, vertex, &object);
        if (!err)
            err = object_look(&n.know.moment, &object);
        if (!err)
            err = put_disclosed(&n, &object, level);
    }
    object_fini(&object);
    near_end(&n, err);
}

static void
show_node(struct tool_run *run, uint32_t id, int64_t level)
{
    struct buf name = {0};

    put_node(run, id, level);
    add_disclosed(run, id, 0, level);
    query_qualified(run->view, id, &name);
    reply_summary(run, "%s %s", node_kind_str(query_node(run->view, id)->kind),
                  buf_cstr(&name));
    buf_fini(&name);
    tool_hint(run, "who_calls lists all callers with latencies");
}

/* What is no observed node. */
static void
show_other(struct tool_run *run, str asked, int64_t level)
{
    const struct ids none = {0};
    struct near_run n;
    struct object object = {0};
    bool is_none = false;
    enum err err = OK;

    if (near_begin(&n, run)) {
        err = object_find(&n.know.moment, asked, IN_ANY_WORLD, &object, NULL);
        if (err == ERR_AMBIGUOUS) {
            object_fini(&object);
            err = object_resolve(&n.know.moment, asked, IN_ANY_WORLD, &object);
        }
        is_none = err == ERR_NOT_FOUND;
        if (is_none)
            err = OK;
        else if (!err)
            err = put_disclosed(&n, &object, level);
        if (!err && !is_none)
            reply_summary(run, "%s %s", object.type, buf_cstr(&object.name));
    }
    object_fini(&object);
    near_end(&n, err);
    if (is_none && !run->err)
        fail_node(run, asked, &none);
}

/* What only the code has; false: it has nothing of that name. */
static bool
put_symbol_node(struct tool_run *run, str asked, int64_t level)
{
    struct ids found = {0};

    if (!tool_has_code(run) || !tool_joined(run) ||
        code_resolve(run->joined->code, asked, 0, &found)) {
        ids_fini(&found);
        return false;
    }
    ids_fini(&found);
    uint32_t id = tool_place(run, run->joined, "nodeId");
    if (run->err)
        return true;
    const struct code *code = run->joined->code;
    const struct code_vertex *node = code_node(code, id);
    cJSON *object = cJSON_AddObjectToObject(run->reply, "node");

    put_str(object, "id", node->qualified);
    cJSON_AddStringToObject(object, "type", code_kind_str(node->kind));
    put_num(object, "level", (double)level);
    if (level >= 1)
        put_str(object, "name", node->name);
    if (level >= 3) {
        put_str(object, "signature", node->signature);
        put_at(code, object, id);
        put_num(object, "edges_in", code->in_at[id + 1] - code->in_at[id]);
        put_num(object, "edges_out", code->out_at[id + 1] - code->out_at[id]);
    }
    if (level >= 4)
        put_hash(object, "NodeHash", node->hash);
    reply_summary(run, "%s %.*s", code_kind_str(node->kind),
                  (int)node->qualified.len, node->qualified.ptr);
    tool_hint(run, "cross_repo_callers and trace_dataflow list its callers "
                   "and callees");
    add_disclosed(run, 0, id, level);
    return true;
}

void
tool_graph_node(struct tool_run *run)
{
    str asked = tool_str(run, "nodeId");
    int64_t level = tool_int(run, "disclosureLevel", 3, 0, 4);
    struct ids found = {0};

    if (!run->err && asked.len == 0)
        tool_fail(run, ERR_INVALID,
                  "nodeId is required: an id, a name or a hash; try %s%s; "
                  "graph_query{\"prefix\":\"\"} lists ids",
                  run->tool->name, run->tool->example);
    if (!run->err)
        tool_find_node(run, asked, &found);
    if (!run->err && found.len == 1)
        show_node(run, found.ids[0], level);
    else if (!run->err && found.len == 0) {
        if (!put_symbol_node(run, asked, level))
            show_other(run, asked, level);
    } else if (!run->err)
        fail_node(run, asked, &found);
    ids_fini(&found);
}

static enum err
put_counter(void *ctx, str name, int64_t value)
{
    struct buf key = {0};

    buf_add(&key, name);
    put_num(ctx, buf_cstr(&key), (double)value);
    buf_fini(&key);
    return OK;
}

struct overflow_sum {
    struct tool_run *run;
    const struct ids *services; /* NULL: all */
    size_t nodes;
    uint32_t largest;
    uint64_t distinct; /* in that one */
};

static enum err
take_overflow(void *ctx, uint32_t id, uint64_t distinct)
{
    struct overflow_sum *sum = ctx;
    const struct query_node *node = query_node(sum->run->view, id);

    if (sum->services && !ids_has(sum->services, node->owner))
        return OK;
    if (sum->nodes++ == 0) {
        sum->largest = id;
        sum->distinct = distinct;
    }
    return OK;
}

static void
hint_overflow(struct tool_run *run, const struct ids *services)
{
    struct overflow_sum sum = {.run = run, .services = services};
    struct buf name = {0};

    if (!run->err)
        run->err = query_overflow(run->view, take_overflow, &sum);
    if (run->err || sum.nodes == 0)
        return;
    query_qualified(run->view, sum.largest, &name);
    tool_hint(run,
              "%s stands for about %llu names beyond the limits of "
              "graph.max_routes, graph.max_symbols and graph.max_nodes%s",
              buf_cstr(&name), (unsigned long long)sum.distinct,
              sum.nodes > 1 ? "; there are more such nodes" : "");
    buf_fini(&name);
}

/* knowing's fields: its stale edges include those that may be collected. */
void
tool_trace_stats(struct tool_run *run)
{
    struct ids services = {0};
    struct query_stats stats;
    const struct ids *only = tool_scope(run, TOOL_SERVICE, &services);
    cJSON *types;

    if (!run->err)
        run->err = query_stats(run->view, only, &stats);
    if (run->err)
        goto out;
    put_num(run->reply, "TotalEdges", (double)stats.edges);
    put_num(run->reply, "ActiveEdges", (double)stats.by_age[AGE_ACTIVE]);
    put_num(run->reply, "RecentEdges", (double)stats.by_age[AGE_RECENT]);
    put_num(run->reply, "StaleEdges",
            (double)(stats.by_age[AGE_STALE] + stats.by_age[AGE_ELIGIBLE]));
    put_num(run->reply, "GCEligible", (double)stats.by_age[AGE_ELIGIBLE]);
    types = cJSON_AddObjectToObject(run->reply, "ByEdgeType");
    for (int kind = EDGE_CALL; kind < EDGE_KIND_SHOWN_END; kind++) {
        if (stats.by_kind[kind])
            put_num(types, edge_kind_str((uint8_t)kind),
                    (double)stats.by_kind[kind]);
    }
    put_num(run->reply, "nodes", (double)stats.nodes);
    put_num(run->reply, "services", (double)stats.services);
    put_time(run->reply, "first_observed", stats.first_s);
    put_time(run->reply, "last_observed", stats.last_s);
    run->err = query_counters(run->view, put_counter,
                              cJSON_AddObjectToObject(run->reply, "counters"));
    reply_window(run, query_window(run->view, 0));
    reply_summary(run,
                  "%lld edge%s between %lld node%s of %lld service%s; %lld "
                  "active in the last %u days",
                  (long long)stats.edges, many(stats.edges),
                  (long long)stats.nodes, many(stats.nodes),
                  (long long)stats.services, many(stats.services),
                  (long long)stats.by_age[AGE_ACTIVE],
                  query_ages(run->view)->active_days);
    if (stats.edges == 0)
        reply_silence(run, only);
    else if (only)
        reply_blind(run, only);
    hint_overflow(run, only);
    if (only)
        tool_hint(run, "counters are those of all services");
    if (stats.edges)
        tool_hint(run, "service_map shows the edges; explain why some are "
                       "missing");
out:
    ids_fini(&services);
}
