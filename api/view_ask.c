#include "api/view_impl.h"

enum err
view_read_ask(struct view_run *run, struct graph_ask *ask)
{
    str level = params_get(&run->params, "level");
    uint64_t depth = VIEW_DEPTH_DEFAULT;
    uint64_t limit = VIEW_NODES_DEFAULT;
    uint64_t from_s = 0;
    uint64_t to_s = 0;
    const struct params *params = &run->params;
    enum err err;

    if (level.len && !query_level_of(level, &ask->level))
        return view_fail(run, ERR_INVALID,
                         "level is service, endpoint or symbol");
    if ((err = params_number(params, "depth", VIEW_DEPTH_MAX, &depth,
                             run->why)) ||
        (err = params_number(params, "limit", VIEW_NODES_MAX, &limit,
                             run->why)) ||
        (err = params_number(params, "from", UINT32_MAX, &from_s, run->why)) ||
        (err = params_number(params, "to", UINT32_MAX, &to_s, run->why)))
        return err;
    if (depth == 0 || limit == 0)
        return view_fail(run, ERR_INVALID, "depth and limit are at least 1");
    if (to_s && to_s <= from_s)
        return view_fail(run, ERR_INVALID, "to is not after from");
    ask->depth = (uint32_t)depth;
    ask->limit = (size_t)limit;
    ask->from_s = (uint32_t)from_s;
    ask->to_s = (uint32_t)to_s;
    ask->focus = params_get(params, "focus");
    ask->env = params_get(params, "env");
    return OK;
}
