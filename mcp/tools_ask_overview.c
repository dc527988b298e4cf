/*
 * Questions about all of it: the communities (knowledge/groups.h), a line each.
 */
#include <string.h>

#include "knowledge/groups.h"
#include "mcp/json.h"
#include "mcp/tools_ask.h"
#include "mcp/tools_reply.h"

struct communities_seen {
    int64_t oids[NODES_MAX];
    size_t len;
};

static void
take_community(void *ctx, int64_t oid, str type)
{
    struct communities_seen *seen = ctx;

    if (seen->len < NODES_MAX && str_eq(type, STR("community")))
        seen->oids[seen->len++] = oid;
}

/* What the graph falls into, in a line each. */
enum err
ask_communities(struct ask *a)
{
    struct communities_seen seen = {.len = 0};
    const struct joined *joined = a->n.know.moment.joined;
    struct groups_age age = {0};
    enum err err = near_each_added(&a->n.know.moment, take_community, &seen);

    a->level = a->level < 1 ? a->level : 1;
    for (size_t i = seen.len; i-- > 0 && !err;) {
        struct object object = {0};

        err = object_of_oid(&a->n.know.moment, seen.oids[i], &object);
        if (!err)
            err = ask_put(a, &object, 0);
        object_fini(&object);
    }
    put_num(a->facts, "communities", (double)seen.len);
    if (!err)
        reply_summary(a->run, "%zu communit%s", seen.len,
                      seen.len == 1 ? "y" : "ies");
    tool_hint(a->run, seen.len ? "overview of <id> tells the members of one"
                               : "manage rebuild_index finds communities");
    if (!err && joined)
        err = groups_age_of(&a->n.know.moment, joined->code, &age);
    if (age.is_code_old)
        tool_hint(a->run, "the code was indexed again since: communities are "
                          "those of before, until the service has made them "
                          "anew or manage rebuild_index does");
    return err;
}

/* The communities that contain |spot|. */
static enum err
put_above(struct ask *a, near_spot spot, const struct near_types *types)
{
    struct near_arcs arcs = {0};
    enum err err = near_arcs_of(a->n.near, spot, NEAR_IN, types, &arcs);

    for (size_t i = 0; i < arcs.len && !err; i++) {
        struct object object = {0};

        if (strcmp(arcs.items[i].type, "CONTAINS") != 0)
            continue;
        err = near_object(&a->n.know.moment, arcs.items[i].spot, &object);
        if (!err && object.world == WORLD_COMMUNITY)
            err = ask_put(a, &object, 0);
        a->above = a->shown;
        object_fini(&object);
    }
    near_arcs_fini(&arcs);
    return err;
}

/* First the communities that contain it, or what it serves, in a line each. */
enum err
ask_overview(struct ask *a, const struct object *seed)
{
    static const char *const words[] = {"contains", "handles_route"};
    cJSON *array = cJSON_CreateStringArray(words, 2);
    struct near_types all;
    struct near_types types;
    struct near_walk walk = {0};
    int64_t level = a->level;
    enum err err = ask_types(a, false, &all);

    if (!err)
        err = near_types_of(&a->n.know.moment, array, &types);
    const struct near_ask ask = {.from = near_spot_of(seed),
                                 .way = NEAR_OUT,
                                 .types = &types,
                                 .max_depth = 2,
                                 .max_spots = NODES_MAX};
    if (!err)
        err = near_walk(a->n.near, &ask, &walk);
    a->level = level < 1 ? level : 1;
    for (size_t i = 0; i < walk.len && !err; i++)
        err = put_above(a, walk.steps[i].arc.spot, &all);
    a->level = level;
    near_walk_fini(&walk);
    cJSON_Delete(array);
    return err;
}
