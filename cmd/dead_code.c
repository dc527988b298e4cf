/*
 * The same facts as the tool gives (mcp/tools_dead_code.c), with nothing cut
 * that a program would want whole.
 */
#include "cmd/dead_code.h"

#include <stdlib.h>
#include <string.h>

enum { CALLERS_MAX = 100, GONE_MAX = 200 };

int
dead_code_open(struct dead_code *code, struct ask *ask, struct audit *audit,
               const struct audit_cfg *cfg)
{
    struct buf why = {0};
    enum err err = world_open(&code->world, ask->data);

    if (!err)
        err = world_hold(code->world, ask->view, &code->joined, &why);
    if (!err && code->joined->code->node_len > 1)
        err = closure_make(&code->closure, code->joined, ask->view, audit, cfg);
    if (err)
        fprintf(stderr, "spangraph: the code cannot be read: %s\n",
                why.len ? buf_cstr(&why) : err_str(err));
    buf_fini(&why);
    return err ? EXIT_CANNOT_RUN : EXIT_CLEAN;
}

void
dead_code_close(struct dead_code *code)
{
    closure_free(code->closure);
    world_drop(code->joined);
    world_close(code->world);
    *code = (struct dead_code){0};
}

static cJSON *
code_row(const struct code *code, const struct closure_code *what)
{
    const struct code_vertex *vertex = code_node(code, what->vertex);
    cJSON *row = cJSON_CreateObject();

    ask_add_str(row, "name", vertex->qualified);
    ask_add_str(row, "file", code->files[vertex->file].path);
    cJSON_AddNumberToObject(row, "line",
                            what->line ? what->line : vertex->line);
    return row;
}

static void
add_callers(cJSON *row, const struct closure *closure, size_t i)
{
    const struct code *code = closure->joined->code;
    cJSON *array = cJSON_AddArrayToObject(row, "static_callers");
    struct closure_list list;

    if (closure_callers(closure, i, CALLERS_MAX, &list))
        return;
    for (size_t k = 0; k < list.len; k++) {
        cJSON *caller = code_row(code, &list.rows[k]);
        cJSON_AddBoolToObject(caller, "live", list.rows[k].is_live);
        cJSON_AddBoolToObject(caller, "test", list.rows[k].is_test);
        cJSON_AddItemToArray(array, caller);
    }
    cJSON_AddNumberToObject(row, "static_callers_total", (double)list.total);
    closure_list_fini(&list);
}

static void
add_path(cJSON *row, const struct closure *closure, size_t i)
{
    cJSON *array = cJSON_AddArrayToObject(row, "live_path");
    uint32_t *path;
    size_t len;

    if (closure_path(closure, i, &path, &len))
        return;
    for (size_t k = 0; k < len; k++) {
        str name = code_node(closure->joined->code, path[k])->qualified;
        struct buf text = {0};
        buf_add(&text, name);
        cJSON_AddItemToArray(array, cJSON_CreateString(buf_cstr(&text)));
        buf_fini(&text);
    }
    free(path);
}

static void
add_gone(cJSON *row, struct closure *closure, size_t i)
{
    const struct code *code = closure->joined->code;
    cJSON *array = cJSON_AddArrayToObject(row, "only_dead");
    struct closure_list list;

    if (closure_code(closure, i, GONE_MAX, &list))
        return;
    for (size_t k = 0; k < list.len; k++) {
        cJSON *gone = code_row(code, &list.rows[k]);
        cJSON_AddBoolToObject(gone, "tested", list.rows[k].is_tested);
        cJSON_AddBoolToObject(gone, "exported_callers_unknown",
                              list.rows[k].is_open);
        cJSON_AddItemToArray(array, gone);
    }
    cJSON_AddNumberToObject(row, "only_dead_total", (double)list.total);
    closure_list_fini(&list);
}

static bool
add_owner(void *ctx, str owner)
{
    struct buf text = {0};

    buf_add(&text, owner);
    cJSON_AddItemToArray(ctx, cJSON_CreateString(buf_cstr(&text)));
    buf_fini(&text);
    return false;
}

static void
add_text(cJSON *row, const char *name, struct buf *text)
{
    if (text->len)
        cJSON_AddStringToObject(row, name, buf_cstr(text));
    else
        cJSON_AddNullToObject(row, name);
    buf_reset(text);
}

void
dead_code_json(cJSON *row, struct closure *closure, size_t i)
{
    const struct closure_row *what = closure_row(closure, i);
    struct buf text = {0};
    uint32_t line;
    str file;

    if (!closure) {
        cJSON_AddNullToObject(row, "handler");
        cJSON_AddNullToObject(row, "file");
        cJSON_AddNullToObject(row, "line");
        cJSON_AddArrayToObject(row, "owners");
        cJSON_AddArrayToObject(row, "static_callers");
        return;
    }
    const struct code *code = closure->joined->code;
    bool is_placed = closure_place(closure, i, &file, &line);
    buf_add(&text, code_node(code, what->handler)->qualified);
    add_text(row, "handler", &text);
    buf_add(&text, file);
    add_text(row, "file", &text);
    if (is_placed)
        cJSON_AddNumberToObject(row, "line", line);
    else
        cJSON_AddNullToObject(row, "line");
    cJSON_AddStringToObject(row, "joined_by", join_how_str(what->how));
    cJSON_AddNumberToObject(row, "join_confidence", what->permille / 1000.0);
    if (what->route) {
        const struct code_route *route = &code->routes[what->route - 1];
        ask_add_str(row, "framework", route->framework);
        buf_add(&text, code->files[route->file].path);
        buf_printf(&text, ":%u", route->line);
        add_text(row, "registered_at", &text);
        ask_add_str(row, "snapshot", code->repos[route->repo].commit);
    }
    buf_fini(&text);
    (void)closure_each_owner(closure, i, add_owner,
                             cJSON_AddArrayToObject(row, "owners"));
    add_callers(row, closure, i);
    add_path(row, closure, i);
    add_gone(row, closure, i);
}

void
dead_code_where(const struct closure *closure, size_t i, struct buf *out)
{
    uint32_t line;
    str file;

    if (!closure_place(closure, i, &file, &line))
        return;
    buf_add(out, file);
    if (line)
        buf_printf(out, ":%u", line);
}

void
dead_code_handler(const struct closure *closure, size_t i, struct buf *out)
{
    const struct closure_row *row = closure_row(closure, i);

    if (row->handler)
        buf_add(out, code_node(closure->joined->code, row->handler)->name);
}
