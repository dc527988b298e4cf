/*
 * A moment for those tools that read all worlds, and what was observed of the
 * nodes in it.  Knowledge is a part of it where there is any.
 */
#include "mcp/tools_near.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "knowledge/resolve.h"
#include "mcp/tools_args.h"

bool
near_begin(struct near_run *n, struct tool_run *run)
{
    struct know_run *know = &n->know;

    *n = (struct near_run){.run = run, .know = {.run = run}};
    tool_look_at_code(run);
    if (run->tools->cfg.knowledge) {
        if (!know_begin(know, run, false))
            return false;
    } else if (!run->err) {
        know->moment = (struct moment){
            .view = run->view,
            .joined = run->joined,
            .now_s = run->tools->clock(run->tools->clock_ctx),
            .why = &know->why,
        };
    }
    if (!run->err)
        run->err = near_open(&n->near, &know->moment);
    return !run->err;
}

void
near_end(struct near_run *n, enum err err)
{
    near_close(n->near);
    near_facts_fini(&n->facts);
    know_end(&n->know, err);
}

enum err
near_seed(struct near_run *n, const char *name, struct object *out)
{
    struct tool_run *run = n->run;
    str word = tool_str(run, name);

    *out = (struct object){.world = WORLD_NONE};
    if (!run->err && word.len == 0)
        tool_fail(run, ERR_INVALID,
                  "%s required: an id (service:cart, route:checkout POST "
                  "/buy, func:name, an entity's id), a name or a hash; try "
                  "%s%s",
                  name, run->tool->name, run->tool->example);
    return run->err ? run->err
                    : object_resolve(&n->know.moment, word, IN_ANY_WORLD, out);
}
