#include "graph/code_fields.h"

#include <stdlib.h>

#include "graph/code_build.h"

enum { CALLED_MAX = 40 };

/* ---- rows by vertex ---- */

/* To which vertex row |i| belongs; 0: to none. */
typedef uint32_t row_fn(const struct code *code, uint32_t i);

static uint32_t
said_by(const struct code *code, uint32_t i)
{
    return code->literals[i].node;
}

/* Twice as many rows as routes: their own, and their handlers'. */
static uint32_t
routed_by(const struct code *code, uint32_t i)
{
    const struct code_route *route = &code->routes[i / 2];

    if (i % 2 == 0)
        return route->node;
    return route->handler != route->node ? route->handler : 0;
}

static uint32_t *
index_rows(const struct code *code, uint32_t len, row_fn *of, uint32_t **at)
{
    uint32_t *starts = calloc((size_t)code->node_len + 3, sizeof(*starts));
    uint32_t *items = calloc((size_t)len + 1, sizeof(*items));

    *at = starts;
    if (!starts || !items) {
        free(items);
        return NULL;
    }
    for (uint32_t i = 0; i < len; i++)
        starts[of(code, i) + 2]++;
    for (uint32_t v = 2; v < code->node_len + 2; v++)
        starts[v] += starts[v - 1];
    for (uint32_t i = 0; i < len; i++)
        items[starts[of(code, i) + 1]++] = i;
    return items;
}

enum err
code_fields_make(const struct code *code, struct code_fields *out)
{
    out->said = index_rows(code, code->literal_len, said_by, &out->said_at);
    out->routes =
        index_rows(code, 2 * code->route_len, routed_by, &out->route_at);
    if (!out->said || !out->routes)
        return ERR_NOMEM;
    for (uint32_t i = 0; i < 2 * code->route_len; i++)
        out->routes[i] /= 2;
    return OK;
}

void
code_fields_fini(struct code_fields *fields)
{
    free(fields->said);
    free(fields->said_at);
    free(fields->routes);
    free(fields->route_at);
    *fields = (struct code_fields){0};
}

/* ---- fields ---- */

struct telling {
    const struct code *code;
    const struct code_fields *fields;
    code_field_fn *fn;
    void *ctx;
};

static void
tell(const struct telling *t, str text, enum code_field field)
{
    t->fn(t->ctx, &(struct code_field_text){.text = text, .field = field});
}

static void
tell_name(const struct telling *t, uint32_t node, enum code_field field)
{
    t->fn(t->ctx, &(struct code_field_text){.text = t->code->nodes[node].name,
                                            .field = field,
                                            .node = node});
}

static void
tell_said(const struct telling *t, uint32_t node)
{
    static const enum code_field fields[] = {
        [LITERAL_SPAN] = FIELD_SAID,
        [LITERAL_SAID] = FIELD_SAID,
        [LITERAL_DOC] = FIELD_DOC,
        [LITERAL_BODY] = FIELD_BODY,
    };
    const struct code_fields *f = t->fields;

    for (uint32_t i = f->said_at[node]; i < f->said_at[node + 1]; i++) {
        const struct code_literal *said = &t->code->literals[f->said[i]];

        if (said->kind <= LITERAL_BODY)
            tell(t, said->text, fields[said->kind]);
    }
}

/* The comment of what is behind a route. */
static void
tell_behind(const struct telling *t, uint32_t node)
{
    const struct code_fields *f = t->fields;

    for (uint32_t i = f->said_at[node]; i < f->said_at[node + 1]; i++) {
        const struct code_literal *said = &t->code->literals[f->said[i]];

        if (said->kind == LITERAL_DOC)
            tell(t, said->text, FIELD_BEHIND);
    }
}

/* What it calls says what it does; of those that call very much, little. */
static void
tell_called(const struct telling *t, uint32_t node)
{
    const struct code *code = t->code;
    uint32_t taken = 0;

    for (uint32_t i = code->out_at[node];
         i < code->out_at[node + 1] && taken < CALLED_MAX; i++)
        if (code->out[i].type == CODE_CALLS) {
            tell_name(t, code->out[i].node, FIELD_CALLED);
            taken++;
        }
}

str
code_method_words(str method)
{
    static const struct {
        const char *method;
        const char *words;
    } methods[] = {
        {"GET", "get list show read fetch"}, {"POST", "post create add send"},
        {"PUT", "put update change set"},    {"PATCH", "patch update change"},
        {"DELETE", "delete remove"},
    };

    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        if (str_eq(method, str_of(methods[i].method)))
            return str_of(methods[i].words);
    return STR("");
}

bool
code_is_nameless(str name)
{
    size_t at = name.len;

    while (at > 0 && name.ptr[at - 1] >= '0' && name.ptr[at - 1] <= '9')
        at--;
    str before = str_cut(name, 0, at);
    return at < name.len && (str_ends(before, STR(".func")) ||
                             str_ends(before, STR(".anonymous")) ||
                             str_ends(before, STR(".")) || before.len == 0);
}

bool
code_is_entry(const struct code *code, const struct code_fields *fields,
              uint32_t node)
{
    const struct code_vertex *vertex = &code->nodes[node];
    str path = vertex->file ? code->files[vertex->file].path : STR("");

    return fields->route_at[node] < fields->route_at[node + 1] ||
           (vertex->kind == CODE_METHOD &&
            (str_ends(path, STR(".proto")) || str_ends(path, STR(".thrift"))));
}

static void
tell_handler(const struct telling *t, uint32_t handler)
{
    const struct code_vertex *node = &t->code->nodes[handler];

    if (!code_is_nameless(node->name))
        tell_name(t, handler, FIELD_HANDLER);
    tell_behind(t, handler);
    tell_called(t, handler);
}

static void
tell_routes(const struct telling *t, uint32_t node)
{
    const struct code_fields *f = t->fields;

    for (uint32_t i = f->route_at[node]; i < f->route_at[node + 1]; i++) {
        const struct code_route *route = &t->code->routes[f->routes[i]];
        bool is_route = node == route->node;

        tell(t, code_method_words(route->method), FIELD_METHOD);
        if (!is_route)
            tell(t, route->raw, FIELD_ROUTE);
        else if (route->handler)
            tell_handler(t, route->handler);
    }
}

void
code_fields_each(const struct code *code, const struct code_fields *fields,
                 uint32_t node, code_field_fn *fn, void *ctx)
{
    const struct telling t = {code, fields, fn, ctx};
    const struct code_vertex *vertex = &code->nodes[node];

    tell_name(&t, node, vertex->kind == CODE_FILE ? FIELD_PATH : FIELD_NAME);
    tell(&t, vertex->signature, FIELD_SIGNATURE);
    tell(&t, vertex->package, FIELD_PACKAGE);
    if (vertex->file)
        fn(ctx,
           &(struct code_field_text){.text = code->files[vertex->file].path,
                                     .field = FIELD_PATH,
                                     .file = vertex->file});
    if (vertex->kind == CODE_ROUTE || vertex->kind == CODE_RPC)
        tell(&t, STR("route endpoint"), FIELD_PACKAGE);
    tell_said(&t, node);
    tell_called(&t, node);
    tell_routes(&t, node);
}
