/*
 * explore: its modes, and the two that walk.
 */
#include "mcp/tools_explore.h"

#include <string.h>

#include "graph/joined.h"
#include "knowledge/text.h"
#include "mcp/json.h"
#include "mcp/tools_args.h"
#include "mcp/tools_code.h"
#include "mcp/tools_reply.h"

enum {
    LIMIT = 50,
    LIMIT_MAX = 200,
    DEPTH_MAX = 3,
    SPOTS_MAX = 2000,
    MARGIN = 6000
};

int64_t
explore_clamp(struct tool_run *run, const char *name, int64_t otherwise,
              int64_t least, int64_t most)
{
    int64_t asked = tool_int(run, name, otherwise, INT32_MIN, INT32_MAX);

    return asked < least ? least : asked > most ? most : asked;
}

bool
explore_push(struct explore *e, cJSON *row)
{
    char *text = cJSON_PrintUnformatted(row);

    e->bytes += text ? strlen(text) + 1 : 0;
    cJSON_free(text);
    json_push(e->entities, row);
    return e->bytes < TOOLS_REPLY_BYTES - MARGIN;
}

void
explore_total(struct explore *e, size_t shown, size_t matching)
{
    cJSON *reply = e->run->reply;
    size_t next = (size_t)e->offset + shown;

    put_num(reply, "total", (double)shown);
    put_num(reply, "actual_total", (double)matching);
    cJSON_AddBoolToObject(reply, "has_more", next < matching);
    if (next < matching)
        tool_hint(e->run, "%zu more: go on with offset=%zu, or narrow types",
                  matching - next, next);
}

/* ---- related, traverse ---- */

static enum err
put_step(struct explore *e, const struct near_step *step, bool *is_full)
{
    const struct near_arc *arc = &step->arc;
    struct object object = {0};
    cJSON *row = cJSON_CreateObject();
    enum err err = near_object(&e->n.know.moment, arc->spot, &object);

    put_str(row, "id", buf_str(&object.gid));
    cJSON_AddStringToObject(row, "type", object.type);
    put_str(row, "name", buf_str(&object.name));
    cJSON_AddStringToObject(row, "relationship", arc->type);
    cJSON_AddStringToObject(row, "direction",
                            arc->is_out ? "outgoing" : "incoming");
    put_num(row, "distance", step->depth);
    put_round(row, "confidence", arc->confidence);
    if (arc->evidence)
        cJSON_AddStringToObject(row, "evidence", evidence_str(arc->evidence));
    if (arc->provenance[0])
        cJSON_AddStringToObject(row, "provenance", arc->provenance);
    if (arc->count) {
        put_num(row, "observations", (double)arc->count);
        put_time(row, "last_observed", arc->last_s);
    }
    *is_full = !explore_push(e, row);
    object_fini(&object);
    return err;
}

static enum err
show_walk(struct explore *e, const struct near_walk *walk)
{
    size_t at = 1 + (size_t)e->offset;
    size_t shown = 0;
    bool is_full = false;
    enum err err = OK;

    for (; at + shown < walk->len && shown < (size_t)e->limit && !is_full;
         shown++)
        if ((err = put_step(e, &walk->steps[at + shown], &is_full)))
            return err;
    explore_total(e, shown, walk->len - 1);
    if (walk->is_truncated) {
        cJSON_AddTrueToObject(e->filters, "truncated");
        tool_hint(e->run,
                  "the walk was cut at %d objects; name "
                  "relationship_types or a smaller depth",
                  SPOTS_MAX);
    }
    return err;
}

enum err
explore_walk(struct explore *e, uint32_t depth)
{
    struct moment *moment = &e->n.know.moment;
    struct object seed;
    struct near_types types;
    struct near_walk walk = {0};
    enum err err = near_seed(&e->n, "entity_id", &seed);

    if (!err)
        err = near_types_of(moment, know_array(e->run, "relationship_types"),
                            &types);
    if (!err)
        err = e->run->err;
    if (!err) {
        const struct near_ask ask = {.from = near_spot_of(&seed),
                                     .way = NEAR_BOTH,
                                     .types = &types,
                                     .max_depth = depth,
                                     .max_spots = SPOTS_MAX};

        err = near_walk(e->n.near, &ask, &walk);
    }
    if (!err) {
        const cJSON *asked = know_array(e->run, "relationship_types");

        put_str(e->filters, "entity_id", buf_str(&seed.gid));
        if (asked && asked->child)
            json_give(e->filters, "relationship_types",
                      cJSON_Duplicate(asked, true));
        if (depth != 1 || strcmp(e->mode, "traverse") == 0)
            put_num(e->filters, "depth", depth);
        err = show_walk(e, &walk);
    }
    if (!err)
        reply_summary(e->run, "%zu object%s within %u of %s", walk.len - 1,
                      many((int64_t)walk.len - 1), depth, buf_cstr(&seed.gid));
    near_walk_fini(&walk);
    object_fini(&seed);
    return err;
}

/* ---- the tool ---- */

static enum err
run_mode(struct explore *e)
{
    struct tool_run *run = e->run;
    uint32_t depth = (uint32_t)explore_clamp(run, "depth", 1, 1, DEPTH_MAX);

    if (run->err)
        return run->err;
    if (strcmp(e->mode, "list") == 0)
        return explore_list(e);
    if (strcmp(e->mode, "related") == 0)
        return explore_walk(e, 1);
    if (strcmp(e->mode, "traverse") == 0)
        return explore_walk(e, depth);
    return explore_depends(e);
}

static const char *
read_mode(struct tool_run *run)
{
    static const char *const modes[] = {"list", "related", "traverse",
                                        "dependencies"};
    str word = text_trim(tool_str(run, "mode"));

    if (word.len == 0)
        return modes[0];
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
        if (text_same(word, str_of(modes[i])))
            return modes[i];
    tool_fail(run, ERR_INVALID,
              "mode \"%.40s\" is none of list, related, traverse, dependencies",
              word.ptr);
    return modes[0];
}

void
tool_explore(struct tool_run *run)
{
    struct explore e = {.run = run, .mode = read_mode(run)};
    enum err err = OK;

    e.limit = explore_clamp(run, "limit", LIMIT, 1, LIMIT_MAX);
    e.offset = explore_clamp(run, "offset", 0, 0, INT32_MAX);
    if (near_begin(&e.n, run)) {
        cJSON_AddStringToObject(run->reply, "mode", e.mode);
        e.entities = cJSON_AddArrayToObject(run->reply, "entities");
        e.filters = cJSON_AddObjectToObject(run->reply, "filters");
        put_num(run->reply, "limit", (double)e.limit);
        put_num(run->reply, "offset", (double)e.offset);
        err = run_mode(&e);
    }
    near_end(&e.n, err);
}
