/*
 * flow_between: the ways from one symbol to another, shortest first.
 */
#include "mcp/tools_args.h"
#include "mcp/tools_code.h"
#include "mcp/tools_reply.h"

enum { PATHS_MAX = 10, DEPTH_MAX = 20 };

struct flow {
    struct tool_run *run;
    const struct joined *joined;
    uint32_t source;
    uint32_t target;
    uint8_t evidence;
};

static cJSON *
step_row(const struct flow *flow, uint32_t place, uint32_t next)
{
    const struct joined_arc *arc =
        next ? joined_arc_between(flow->joined, place, next, JOINED_CALLS,
                                  flow->evidence)
             : NULL;
    const struct code_link *link =
        arc ? arc_link(flow->joined, place, arc) : NULL;
    const struct code *code = flow->joined->code;
    uint32_t vertex = joined_vertex(flow->joined, place);
    cJSON *row = cJSON_CreateObject();

    put_place_name(flow->run, flow->joined, row, "symbol", place);
    cJSON_AddStringToObject(row, "edge_type",
                            arc ? joined_type_str(arc->type) : "");
    if (vertex)
        put_at(code, row, vertex);
    if (!arc)
        return row;
    cJSON_AddStringToObject(row, "evidence", evidence_str(arc->evidence));
    put_num(row, "confidence", arc->permille / 1000.0);
    if (link && link->site_len)
        put_num(row, "call_line", code->sites[link->site_at].line);
    return row;
}

static size_t
put_paths(const struct flow *flow, const struct joined_paths *paths)
{
    cJSON *list = cJSON_AddArrayToObject(flow->run->reply, "paths");
    size_t bytes = 2000;
    size_t shown = 0;

    for (; shown < paths->len; shown++) {
        cJSON *path = cJSON_CreateObject();
        cJSON *steps = cJSON_AddArrayToObject(path, "steps");

        for (uint32_t k = paths->at[shown]; k < paths->at[shown + 1]; k++)
            json_push(steps, step_row(flow, paths->places[k],
                                      k + 1 < paths->at[shown + 1]
                                          ? paths->places[k + 1]
                                          : 0));
        char *text = cJSON_PrintUnformatted(path);
        bytes += text ? str_of(text).len : 0;
        cJSON_free(text);
        if (bytes > TOOLS_REPLY_BYTES - 4000 && shown > 0) {
            cJSON_Delete(path);
            break;
        }
        json_push(list, path);
    }
    return shown;
}

static void
fill(const struct flow *flow, const struct joined_paths *paths, int64_t depth)
{
    struct tool_run *run = flow->run;
    struct buf names[2] = {{0}};

    put_place_name(run, flow->joined, run->reply, "source", flow->source);
    put_place_name(run, flow->joined, run->reply, "target", flow->target);
    size_t shown = put_paths(flow, paths);
    bool is_cut = paths->is_truncated || shown < paths->len;
    put_num(run->reply, "path_count", (double)shown);
    cJSON_AddBoolToObject(run->reply, "truncated", is_cut);
    place_name(run, flow->joined, flow->source, &names[0]);
    place_name(run, flow->joined, flow->target, &names[1]);
    reply_summary(run, "%zu path%s from %s to %s within %lld call%s%s", shown,
                  shown == 1 ? "" : "s", buf_cstr(&names[0]),
                  buf_cstr(&names[1]), (long long)depth, many(depth),
                  is_cut ? ", and there are more" : "");
    buf_fini(&names[0]);
    buf_fini(&names[1]);
    if (shown == 0)
        tool_hint(run, "try a larger max_depth, or the other direction");
    hint_no_code(run, flow->joined->code);
}

/* What is in the target is as good as it, unless it is itself in the source:
 * then what it holds is, too, and no way leads there. */
static void
find_ends(const struct flow *flow, const struct ids *from, struct ids *out)
{
    bool is_within = false;

    for (size_t i = 0; i < from->len; i++)
        is_within |= from->ids[i] == flow->target;
    if (!is_within)
        tool_starts(flow->run, flow->joined, flow->target, out);
    else if (!flow->run->err)
        flow->run->err = ids_add(out, flow->target);
}

void
tool_flow_between(struct tool_run *run)
{
    struct flow flow = {.run = run, .joined = tool_joined(run)};
    int64_t depth = tool_int(run, "max_depth", 5, 1, DEPTH_MAX);
    struct joined_paths paths = {0};
    struct ids from = {0};
    struct ids to = {0};

    flow.evidence = tool_evidence(run);
    if (!run->err)
        flow.source = tool_place(run, flow.joined, "source_symbol");
    if (!run->err)
        flow.target = tool_place(run, flow.joined, "target_symbol");
    if (!run->err)
        tool_starts(run, flow.joined, flow.source, &from);
    if (!run->err)
        find_ends(&flow, &from, &to);
    const struct joined_ask ask = {.from = from.ids,
                                   .from_len = from.len,
                                   .evidence = flow.evidence,
                                   .max_depth = (uint32_t)depth,
                                   .view = run->view};
    if (!run->err)
        run->err = joined_find_paths(flow.joined, &ask, &to, PATHS_MAX, &paths);
    if (!run->err)
        fill(&flow, &paths, depth);
    joined_paths_fini(&paths);
    ids_fini(&from);
    ids_fini(&to);
}
