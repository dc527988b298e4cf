/*
 * Routes that are objects: `{method, path, handler}`, or lists of them.
 */
#include "index/routes_verbs.h"

static void
one_object(const struct verb_call *v, struct at object)
{
    struct parts *p = v->p;
    struct at path = part_named(p, object, "path");
    struct at handler = part_named(p, object, "handler");
    struct at method = part_named(p, object, "method");

    if (!path.id)
        path = part_named(p, object, "url");
    if (!handler.id) {
        struct at options = part_named(p, object, "options");
        if (!options.id)
            options = part_named(p, object, "config");
        if (options.id && part_literal(p, options, &options))
            handler = part_named(p, options, "handler");
    }
    if (path.id && method.id)
        (void)verb_routes(v, method, path, part_handler(p, handler));
}

static bool
is_concat(const struct parts *p, struct at expr)
{
    return part_kind(p, expr) == EXPR_CALL &&
           str_eq(part_word(p, part_callee(p, expr)), STR("concat"));
}

/* An object, or a list of them, of lists and spreads; `list.concat(more)`. */
static void
objects_at(const struct verb_call *v, struct at at, unsigned depth)
{
    enum { DEPTH_MAX = 4 };
    struct parts *p = v->p;

    if (depth == DEPTH_MAX)
        return;
    if (!part_literal(p, at, &at)) {
        if (!is_concat(p, at))
            return;
        objects_at(v, part_receiver(p, at), depth + 1);
    }
    if (part_kind(p, at) == EXPR_OBJECT) {
        one_object(v, at);
        return;
    }
    for (uint32_t i = 0; i < part_expr(p, at)->list_len; i++)
        objects_at(v, part_list(p, at, i), depth + 1);
}

void
verb_object(const struct verb_call *v)
{
    objects_at(v, part_arg(v->p, v->call, 0), 0);
}
