/*
 * graph_traverse: what can be reached from one object, nearest first, each as
 * much as the level of disclosure shows.
 */
#include <string.h>

#include "knowledge/text.h"
#include "mcp/json.h"
#include "mcp/tools_args.h"
#include "mcp/tools_code.h"
#include "mcp/tools_explore.h"
#include "mcp/tools_reply.h"

enum { DEPTH = 3, DEPTH_MAX = 10, SPOTS_MAX = 500, REPLY_MARGIN = 4000 };

static enum near_way
read_way(struct tool_run *run)
{
    static const char *const words[] = {"outgoing", "incoming", "both"};
    str word = text_trim(tool_str(run, "direction"));

    for (size_t i = 0; i < 3; i++)
        if (text_same(word, str_of(words[i])))
            return (enum near_way)(i + 1);
    if (word.len)
        tool_fail(run, ERR_INVALID,
                  "direction \"%.40s\" is none of outgoing, incoming, both",
                  word.ptr);
    return NEAR_OUT;
}

static enum err
put_edge(struct near_run *n, cJSON *edges, const struct near_walk *walk,
         const struct near_step *step)
{
    const struct near_arc *arc = &step->arc;
    struct object here = {0};
    struct object before = {0};
    cJSON *row = cJSON_CreateObject();
    enum err err = near_object(&n->know.moment, arc->spot, &here);

    if (!err)
        err = near_object(&n->know.moment, walk->steps[step->parent].arc.spot,
                          &before);
    put_str(row, "source", buf_str(arc->is_out ? &before.gid : &here.gid));
    put_str(row, "target", buf_str(arc->is_out ? &here.gid : &before.gid));
    cJSON_AddStringToObject(row, "type", arc->type);
    if (arc->evidence)
        cJSON_AddStringToObject(row, "evidence", evidence_str(arc->evidence));
    else
        cJSON_AddStringToObject(row, "provenance", arc->provenance);
    json_push(edges, row);
    object_fini(&here);
    object_fini(&before);
    return err;
}

static enum err
put_step(struct near_run *n, cJSON *path, const struct near_step *step,
         int64_t level, size_t *bytes)
{
    struct object object = {0};
    cJSON *row = cJSON_CreateObject();
    enum err err = near_object(&n->know.moment, step->arc.spot, &object);

    if (!err)
        err = near_disclose(n, &object, level, row);
    put_num(row, "hop", step->depth);
    char *text = cJSON_PrintUnformatted(row);
    *bytes += text ? strlen(text) : 0;
    cJSON_free(text);
    json_push(path, row);
    object_fini(&object);
    return err;
}

/* What was observed of all that may be shown. */
static enum err
read_facts(struct near_run *n, const struct near_walk *walk)
{
    struct ids nodes = {0};
    enum err err = OK;

    for (size_t i = 0; i < walk->len && !err; i++) {
        struct object object = {0};

        err = near_object(&n->know.moment, walk->steps[i].arc.spot, &object);
        if (!err)
            err = near_observed(n, &object, &nodes);
        object_fini(&object);
    }
    if (!err)
        err = near_read_facts_of(n, &nodes);
    ids_fini(&nodes);
    return err;
}

static enum err
show(struct near_run *n, const struct near_walk *walk, int64_t level,
     const struct object *seed)
{
    cJSON *reply = n->run->reply;
    cJSON *path = cJSON_AddArrayToObject(reply, "path");
    cJSON *edges = cJSON_AddArrayToObject(reply, "edgesTraversed");
    size_t shown = 0;
    size_t bytes = 0;
    uint32_t depth = 0;
    enum err err = level > 0 ? read_facts(n, walk) : OK;

    for (; shown < walk->len && !err; shown++) {
        const struct near_step *step = &walk->steps[shown];

        if (bytes + 250 * shown > TOOLS_REPLY_BYTES - REPLY_MARGIN)
            break;
        err = put_step(n, path, step, level, &bytes);
        if (!err && shown)
            err = put_edge(n, edges, walk, step);
        depth = step->depth > depth ? step->depth : depth;
    }
    bool is_cut = shown < walk->len || walk->is_truncated;
    put_num(reply, "depth", depth);
    put_num(reply, "nodeCount", (double)shown);
    cJSON_AddBoolToObject(reply, "truncated", is_cut);
    if (is_cut)
        tool_hint(n->run, "there is more: name edgeTypes, or ask for a smaller "
                          "maxDepth or disclosureLevel");
    reply_summary(n->run, "%zu object%s from %.*s, at most %u away", shown,
                  many((int64_t)shown), (int)seed->gid.len, seed->gid.ptr,
                  depth);
    return err;
}

void
tool_graph_traverse(struct tool_run *run)
{
    int64_t depth = explore_clamp(run, "maxDepth", DEPTH, 1, DEPTH_MAX);
    int64_t level = tool_int(run, "disclosureLevel", 1, 0, 4);
    enum near_way way = read_way(run);
    struct near_run n;
    struct object seed = {0};
    struct near_types types;
    struct near_walk walk = {0};
    enum err err = OK;

    if (!near_begin(&n, run))
        goto out;
    err = near_seed(&n, "seedNodeId", &seed);
    if (!err)
        err =
            near_types_of(&n.know.moment, know_array(run, "edgeTypes"), &types);
    if (!err)
        err = run->err;
    if (!err) {
        const struct near_ask ask = {.from = near_spot_of(&seed),
                                     .way = way,
                                     .types = &types,
                                     .max_depth = (uint32_t)depth,
                                     .max_spots = SPOTS_MAX};

        err = near_walk(n.near, &ask, &walk);
    }
    if (!err)
        err = show(&n, &walk, level, &seed);
out:
    near_walk_fini(&walk);
    object_fini(&seed);
    near_end(&n, err);
}
