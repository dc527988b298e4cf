/*
 * pr_impact: what has changed between two snapshots, and what that reaches.
 *
 * Callers are transitive, in the new graph, of what was removed in the old one;
 * callees direct.  Files and packages are no symbols: they change whenever
 * something in them does.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "mcp/tools_code_diff.h"
#include "mcp/tools_reply.h"

enum { LISTED = 10, HIGH = 20, MEDIUM = 5, RECENT_DAYS = 7 };

static const char rule[] =
    "high: more than 20 callers are affected, or an endpoint observed in the "
    "last 7 days reaches what was removed or has another signature; medium: "
    "more than 5 callers, or such an endpoint reaches a change, or what was "
    "removed or has another signature had callers; else low";

struct change {
    uint32_t node; /* in the graph it is told of */
    bool is_removed;
    bool is_breaking; /* removed, or another signature */
    const char *type;
};

struct impact {
    struct tool_diff d;
    struct tool_run *run;
    struct joined *was; /* the old code with the traces of now */
    struct joined *is;
    struct change *changes;
    size_t len;
    size_t callers; /* distinct, that did not change themselves */
    size_t callees;
    bool is_live;          /* an observed endpoint reaches a change */
    bool is_breaking_live; /* one that breaks */
    bool is_breaking_called;
};

static bool
is_symbol(const struct code *code, uint32_t id)
{
    uint8_t kind = code_node(code, id)->kind;

    return kind != CODE_FILE && kind != CODE_PACKAGE && kind != CODE_EXTERNAL;
}

static void
add_changes(struct impact *im, const struct code_change *list, size_t len,
            const char *type)
{
    for (size_t i = 0; i < len; i++) {
        bool is_removed = list[i].new_node == 0;
        const struct code *code = is_removed ? im->d.old_code : im->d.new_code;
        uint32_t node = is_removed ? list[i].old_node : list[i].new_node;

        if (is_symbol(code, node))
            im->changes[im->len++] = (struct change){
                .node = node,
                .is_removed = is_removed,
                .is_breaking =
                    is_removed || (list[i].mod & CODE_MOD_SIGNATURE) != 0,
                .type = type,
            };
    }
}

static void
collect(struct impact *im)
{
    const struct code_diff *diff = &im->d.diff;
    size_t most = diff->added_len + diff->removed_len + diff->modified_len + 1;

    im->changes = calloc(most, sizeof(*im->changes));
    if (!im->changes) {
        im->run->err = ERR_NOMEM;
        return;
    }
    add_changes(im, diff->removed, diff->removed_len, "removed");
    add_changes(im, diff->modified, diff->modified_len, "modified");
    add_changes(im, diff->added, diff->added_len, "added");
}

static const struct joined *
graph_of(const struct impact *im, const struct change *change)
{
    return change->is_removed ? im->was : im->is;
}

/* ---- all of it at once ---- */

/* Somebody outside was seen to come in here lately. */
static bool
is_live_at(const struct impact *im, const struct joined *joined, uint32_t place)
{
    uint32_t now_s = query_now_s(im->run->view);
    uint32_t since_s = now_s > RECENT_DAYS * (uint32_t)S_PER_DAY
                           ? now_s - RECENT_DAYS * (uint32_t)S_PER_DAY
                           : 0;

    for (uint32_t i = joined->in_at[place]; i < joined->in_at[place + 1]; i++)
        if (joined->in[i].type >= JOINED_RUNTIME_CALLS &&
            joined->in[i].last_s >= since_s)
            return true;
    return false;
}

/* From all changes that |joined| holds and that are |is_breaking|, or any. */
static void
reach_all(struct impact *im, const struct joined *joined, bool is_backward,
          bool is_breaking, struct joined_walk *out)
{
    struct ids from = {0};

    *out = (struct joined_walk){0};
    for (size_t i = 0; i < im->len && !im->run->err; i++)
        if (graph_of(im, &im->changes[i]) == joined &&
            (!is_breaking || im->changes[i].is_breaking))
            im->run->err = ids_add(&from, im->changes[i].node);
    const struct joined_ask ask = {
        .from = from.ids,
        .from_len = from.len,
        .is_backward = is_backward,
        .max_depth = is_backward ? UINT32_MAX : 1,
        .view = im->run->view,
    };
    if (!im->run->err && from.len)
        im->run->err = joined_reach(joined, &ask, out);
    ids_fini(&from);
}

static void
sum_side(struct impact *im, const struct joined *joined)
{
    struct joined_walk walk;

    reach_all(im, joined, true, false, &walk);
    for (size_t i = 0; i < walk.len; i++) {
        im->callers += walk.steps[i].depth > 0;
        im->is_live |= is_live_at(im, joined, walk.steps[i].place);
    }
    joined_walk_fini(&walk);
    reach_all(im, joined, true, true, &walk);
    for (size_t i = 0; i < walk.len; i++) {
        im->is_breaking_called |= walk.steps[i].depth > 0;
        im->is_breaking_live |= is_live_at(im, joined, walk.steps[i].place);
    }
    joined_walk_fini(&walk);
    reach_all(im, joined, false, false, &walk);
    for (size_t i = 0; i < walk.len; i++)
        im->callees += walk.steps[i].depth > 0;
    joined_walk_fini(&walk);
}

static const char *
risk_of(const struct impact *im)
{
    if (im->callers > HIGH || im->is_breaking_live)
        return "high";
    if (im->callers > MEDIUM || im->is_live || im->is_breaking_called)
        return "medium";
    return "low";
}

/* ---- one by one ---- */

static uint64_t
change_key(const void *ctx, size_t i)
{
    const struct impact *im = ctx;
    const struct change *change = &im->changes[i];

    return hash_key(code_node(graph_of(im, change)->code, change->node)->hash);
}

static void
put_near(const struct impact *im, const struct change *change, cJSON *row,
         bool is_backward)
{
    const struct joined *joined = graph_of(im, change);
    const struct joined_ask ask = {
        .from = &change->node,
        .from_len = 1,
        .is_backward = is_backward,
        .max_depth = is_backward ? UINT32_MAX : 1,
        .view = im->run->view,
    };
    cJSON *list =
        cJSON_AddArrayToObject(row, is_backward ? "callers" : "callees");
    struct joined_walk walk = {0};

    if (!im->run->err)
        im->run->err = joined_reach(joined, &ask, &walk);
    for (size_t i = 1; i < walk.len && i <= LISTED; i++) {
        uint32_t place = walk.steps[i].place;
        uint32_t vertex = joined_vertex(joined, place);
        cJSON *near = cJSON_CreateObject();

        put_place_name(im->run, joined, near, "qualified_name", place);
        cJSON_AddStringToObject(
            near, "kind",
            vertex ? code_kind_str(code_node(joined->code, vertex)->kind)
                   : node_kind_str(
                         query_node(im->run->view, joined_node(joined, place))
                             ->kind));
        put_num(near, "depth", walk.steps[i].depth);
        json_push(list, near);
    }
    put_num(row, is_backward ? "caller_count" : "callee_count",
            walk.len ? (double)(walk.len - 1) : 0);
    joined_walk_fini(&walk);
}

static cJSON *
symbol_row(const struct impact *im, const struct change *change)
{
    const struct code *code = graph_of(im, change)->code;
    cJSON *row = cJSON_CreateObject();

    put_symbol(code, cJSON_AddObjectToObject(row, "symbol"), change->node);
    cJSON_AddStringToObject(row, "change_type", change->type);
    put_near(im, change, row, true);
    put_near(im, change, row, false);
    return row;
}

static void
put_edges(struct impact *im)
{
    const struct code_diff *diff = &im->d.diff;
    cJSON *list = cJSON_AddArrayToObject(im->run->reply, "affected_edges");
    size_t total = diff->edges_added_len + diff->edges_removed_len;

    for (size_t i = 0; i < total && i < LISTED; i++) {
        bool is_added = i < diff->edges_added_len;
        cJSON *row =
            is_added ? edge_change_row(im->d.new_code, &diff->edges_added[i])
                     : edge_change_row(
                           im->d.old_code,
                           &diff->edges_removed[i - diff->edges_added_len]);

        cJSON_AddStringToObject(row, "change", is_added ? "added" : "removed");
        json_push(list, row);
    }
    if (total > LISTED)
        tool_hint(im->run,
                  "affected_edges shows %d of %zu; "
                  "semantic_diff lists them all",
                  LISTED, total);
}

static void
show(struct impact *im)
{
    struct tool_run *run = im->run;
    struct tool_page page = {.run = run,
                             .name = "changed_symbols",
                             .key = change_key,
                             .ctx = im,
                             .bytes = 6000,
                             .total = im->len};
    struct buf text = {0};

    put_hash(run->reply, "old_snapshot", im->d.old_snapshot->hash);
    put_hash(run->reply, "new_snapshot", im->d.new_snapshot->hash);
    page_open(&page, 50);
    while (page_more(&page))
        page_add(&page, symbol_row(im, &im->changes[page.at]));
    page_close(&page);
    put_edges(im);
    buf_printf(&text, "%zu symbol%s changed, %zu caller%s affected: %s risk",
               im->len, im->len == 1 ? "" : "s", im->callers,
               im->callers == 1 ? "" : "s", risk_of(im));
    cJSON *counts = reply_counts(run, buf_cstr(&text));
    put_num(counts, "total_symbols_changed", (double)im->len);
    put_num(counts, "total_callers_affected", (double)im->callers);
    put_num(counts, "total_callees_affected", (double)im->callees);
    cJSON_AddStringToObject(counts, "risk_level", risk_of(im));
    cJSON_AddStringToObject(counts, "risk_rule", rule);
    tool_hint(run, "callers are transitive, callees direct");
    tool_hint(run, "test_scope tells which tests to run");
    buf_fini(&text);
}

void
tool_pr_impact(struct tool_run *run)
{
    struct impact im = {.run = run};

    tool_diff_open(&im.d, run);
    if (!run->err)
        run->err = joined_make(&im.was, run->view, im.d.old_code);
    if (!run->err)
        run->err = joined_make(&im.is, run->view, im.d.new_code);
    if (!run->err)
        collect(&im);
    if (!run->err)
        sum_side(&im, im.is);
    if (!run->err)
        sum_side(&im, im.was);
    if (!run->err)
        show(&im);
    free(im.changes);
    joined_free(im.was);
    joined_free(im.is);
    tool_diff_close(&im.d);
}
