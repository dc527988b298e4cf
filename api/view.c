#include "api/view.h"

#include <stdarg.h>
#include <string.h>

#include "api/view_impl.h"
#include "graph/joined.h"

static const struct {
    const char *path;
    view_fn *fn;
    const char *params[12];
} views[] = {
    {"/api/v1/graph",
     view_graph,
     {"focus", "depth", "level", "from", "to", "env", "limit"}},
    {"/api/v1/search", view_search, {"q", "limit"}},
    {"/api/v1/dead",
     view_dead,
     {"stale_days", "service", "env", "owner", "verdict", "limit"}},
    {"/api/v1/health", view_health, {"limit"}},
};

enum { VIEWS = sizeof(views) / sizeof(views[0]) };

static size_t
find(str path)
{
    size_t i = 0;

    while (i < VIEWS && !str_eq(path, str_of(views[i].path)))
        i++;
    return i;
}

bool
view_has(str path)
{
    return find(path) < VIEWS;
}

enum err
view_fail(struct view_run *run, enum err err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    buf_vprintf(run->why, format, args);
    va_end(args);
    return err;
}

void
view_join(struct view_run *run)
{
    if (run->joined || run->joined_why.len)
        return;
    if (!run->cfg->world)
        buf_add(&run->joined_why, STR("no code is read here"));
    else if (world_hold(run->cfg->world, run->view, &run->joined,
                        &run->joined_why))
        run->joined = NULL;
}

void
view_join_code(struct view_run *run)
{
    const struct code *code = NULL;

    if (!run->cfg->world)
        return;
    if (code_db_hold(world_code(run->cfg->world), &code, &run->joined_why))
        code = NULL;
    if (code && code->node_len > 1)
        view_join(run);
    code_drop(code);
}

void
view_write_has_code(struct view_run *run)
{
    write_bool(run->out, "has_code",
               run->joined && run->joined->code->node_len > 1);
    write_text(run->out, "no_code_why", buf_str(&run->joined_why));
}

void
view_write_key(struct view_run *run, const char *name, uint32_t id)
{
    struct buf key = {0};

    buf_printf(&key, "%s:", node_kind_str(query_node(run->view, id)->kind));
    query_qualified(run->view, id, &key);
    write_text(run->out, name, buf_str(&key));
    run->out->failed |= key.failed;
    buf_fini(&key);
}

void
view_write_names(struct view_run *run, uint32_t id)
{
    const struct query_node *what = query_node(run->view, id);

    view_write_key(run, "key", id);
    write_text(run->out, "kind", str_of(node_kind_str(what->kind)));
    write_text(run->out, "name", what->name);
    write_text(run->out, "service", what->service);
    write_text(run->out, "env", what->env);
}

static enum err
run_view(struct view_run *run, size_t which)
{
    str unknown = params_unknown(&run->params, views[which].params);
    enum err err;

    if (unknown.len)
        return view_fail(run, ERR_INVALID, "there is no parameter %.*s",
                         (int)(unknown.len < 40 ? unknown.len : 40),
                         unknown.ptr);
    const struct query_stop *stop = &run->cfg->stop;
    if (stop->is_over && stop->is_over(stop->ctx))
        return ERR_CANCELLED;
    err = query_begin(run->cfg->query, run->state.now_s, &run->view);
    if (!err)
        query_stop_when(run->view, *stop);
    if (!err)
        err = views[which].fn(run);
    if (!err && run->out->failed)
        err = ERR_NOMEM;
    world_drop(run->joined);
    query_end(run->view);
    return err;
}

enum err
view_answer(const struct view_cfg *cfg, struct view_state state, str path,
            str query_string, struct buf *out, struct buf *why)
{
    struct view_run run = {.cfg = cfg, .state = state, .out = out, .why = why};
    enum err err = params_read(&run.params, query_string, why);

    if (!err)
        err = run_view(&run, find(path));
    params_fini(&run.params);
    buf_fini(&run.joined_why);
    return err;
}
