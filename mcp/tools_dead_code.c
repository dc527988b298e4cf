/*
 * What the code says of one row of dead_routes.
 */
#include <stdlib.h>

#include "graph/closure.h"
#include "mcp/json.h"
#include "mcp/tools_parts.h"
#include "mcp/tools_reply.h"

enum { CALLERS_MAX = 5, CALLERS_ALL = 20, GONE_MAX = 5, GONE_ALL = 40 };

static cJSON *
code_row(const struct code *code, const struct closure_code *what)
{
    const struct code_vertex *vertex = code_node(code, what->vertex);
    cJSON *row = cJSON_CreateObject();

    put_str(row, "name", vertex->qualified);
    put_str(row, "file", code->files[vertex->file].path);
    put_num(row, "line", what->line ? what->line : vertex->line);
    return row;
}

static void
put_callers(struct tool_run *run, cJSON *row, const struct closure *closure,
            size_t i)
{
    const struct code *code = closure->joined->code;
    cJSON *array = cJSON_AddArrayToObject(row, "static_callers");
    struct closure_list list;
    enum err err = closure_callers(
        closure, i, run->is_detailed ? CALLERS_ALL : CALLERS_MAX, &list);

    for (size_t k = 0; k < list.len; k++) {
        cJSON *caller = code_row(code, &list.rows[k]);
        cJSON_AddBoolToObject(caller, "live", list.rows[k].is_live);
        if (list.rows[k].is_test)
            cJSON_AddBoolToObject(caller, "test", true);
        json_push(array, caller);
    }
    if (list.total > list.len)
        put_num(row, "static_callers_total", (double)list.total);
    closure_list_fini(&list);
    if (err)
        run->err = err;
}

static void
put_path(struct tool_run *run, cJSON *row, const struct closure *closure,
         size_t i)
{
    uint32_t *path;
    size_t len;
    enum err err = closure_path(closure, i, &path, &len);

    if (!err && len) {
        cJSON *array = cJSON_AddArrayToObject(row, "live_path");
        for (size_t k = 0; k < len; k++)
            json_push(
                array,
                json_str(code_node(closure->joined->code, path[k])->qualified));
    }
    free(path);
    if (err)
        run->err = err;
}

/* The handler is a member of the row already. */
static void
put_gone(struct tool_run *run, cJSON *row, struct closure *closure, size_t i)
{
    const struct code *code = closure->joined->code;
    struct closure_list list;
    enum err err =
        closure_code(closure, i, run->is_detailed ? GONE_ALL : GONE_MAX, &list);
    cJSON *array;

    if (!err && list.total) {
        array = cJSON_AddArrayToObject(row, "only_dead");
        put_num(row, "only_dead_total", (double)list.total);
        for (size_t k = 0; k < list.len; k++) {
            const struct closure_code *what = &list.rows[k];
            cJSON *gone = code_row(code, what);
            if (what->is_tested)
                cJSON_AddBoolToObject(gone, "tested", true);
            if (what->is_open)
                cJSON_AddBoolToObject(gone, "exported_callers_unknown", true);
            json_push(array, gone);
        }
    }
    closure_list_fini(&list);
    if (err)
        run->err = err;
}

static bool
add_owner(void *ctx, str owner)
{
    json_push(ctx, json_str(owner));
    return false;
}

static void
put_no_code(cJSON *row)
{
    cJSON_AddNullToObject(row, "handler");
    cJSON_AddNullToObject(row, "file");
    cJSON_AddNullToObject(row, "line");
    cJSON_AddArrayToObject(row, "owners");
}

void
put_dead_code(struct tool_run *run, cJSON *row, struct closure *closure,
              size_t i)
{
    const struct closure_row *what = closure_row(closure, i);
    struct buf at = {0};
    uint32_t line;
    str file;

    if (!closure || !closure_place(closure, i, &file, &line)) {
        put_no_code(row);
        return;
    }
    const struct code *code = closure->joined->code;
    if (what->handler)
        put_str(row, "handler", code_node(code, what->handler)->qualified);
    else
        cJSON_AddNullToObject(row, "handler");
    put_str(row, "file", file);
    put_num(row, "line", line);
    cJSON_AddStringToObject(row, "joined_by", join_how_str(what->how));
    (void)closure_each_owner(closure, i, add_owner,
                             cJSON_AddArrayToObject(row, "owners"));
    put_callers(run, row, closure, i);
    put_path(run, row, closure, i);
    put_gone(run, row, closure, i);
    if (!run->is_detailed || what->route == 0)
        return;
    const struct code_route *route = &code->routes[what->route - 1];
    put_str(row, "framework", route->framework);
    put_str(row, "snapshot", code->repos[route->repo].commit);
    put_round(row, "join_confidence", what->permille / 1000.0);
    buf_add(&at, code->files[route->file].path);
    buf_printf(&at, ":%u", route->line);
    cJSON_AddStringToObject(row, "registered_at", buf_cstr(&at));
    buf_fini(&at);
}
