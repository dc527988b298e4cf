/*
 * Views of Python: what a decorator stands above, what `add_url_rule` and its
 * like are given, and resources of Flask-RESTful and Flask-RESTX.
 */
#include "index/routes_marks.h"
#include "index/routes_verbs.h"

static struct at
view_path(const struct parts *p, struct at call)
{
    struct at path = part_arg(p, call, 0);

    if (!path.id)
        path = part_named(p, call, "rule");
    if (!path.id)
        path = part_named(p, call, "path");
    return path.id ? path : part_named(p, call, "uri");
}

/* A name of `View.as_view(...)` is followed to it. */
static struct at
view_made(struct parts *p, struct at view)
{
    struct value value;

    view = part_bare(p, view);
    if (part_kind(p, view) == EXPR_NAME && resolve_value(p->r, view, &value) &&
        value.kind == VALUE_MADE && part_kind(p, value.at) == EXPR_CALL)
        return value.at;
    return view;
}

/* `app.get("/x")(show)`: a decorator that is called. */
static struct at
mark_called(const struct parts *p, struct at mark)
{
    enum { NEAR = 64 };
    const struct facts *facts = part_facts(p, mark.file);

    for (uint32_t i = mark.id + 1; i < facts->expr_len && i < mark.id + NEAR;
         i++) {
        struct at call = {mark.file, i};
        if (facts->exprs[i].kind == EXPR_CALL && facts->exprs[i].a == mark.id)
            return part_arg(p, call, 0);
    }
    return (struct at){mark.file, 0};
}

/* Where the methods stand that a call says by their place; 0: nowhere. */
static uint32_t
methods_place(const struct verb_call *v)
{
    str name = str_of(v->rule->name);

    switch ((enum framework)v->rule->framework) {
    case FW_BOTTLE:
        return 1;
    case FW_STARLETTE:
    case FW_FASTAPI:
    case FW_SANIC:
        if (str_eq(name, STR("add_route")))
            return 2;
        return str_eq(name, STR("route")) ? 1 : 0;
    default:
        return 0;
    }
}

/* What a call that is no decorator is given to answer; or id 0. */
static struct at
mark_view(struct parts *p, const struct verb_call *v)
{
    str name = str_of(v->rule->name);
    bool has_endpoint =
        str_eq(name, STR("add_url_rule")) || str_eq(name, STR("add_websocket"));
    struct at view =
        part_named(p, v->call, has_endpoint ? "view_func" : "endpoint");

    if (v->rule->framework == FW_BOTTLE) {
        view = part_named(p, v->call, "callback");
        return view.id ? view : part_arg(p, v->call, 2);
    }
    if (!str_starts(name, STR("add_")))
        return (struct at){v->call.file, 0};
    if (!view.id && v->rule->framework == FW_STARLETTE)
        view = part_named(p, v->call, "route");
    if (!view.id && v->rule->framework == FW_SANIC)
        view = part_named(p, v->call, "handler");
    if (view.id)
        return view_made(p, view);
    if (!has_endpoint && v->rule->framework == FW_SANIC)
        return part_arg(p, v->call, 0);
    view = part_arg(p, v->call, has_endpoint ? 2 : 1);
    return view.id ? view_made(p, view) : view;
}

/* The value of `methods = ["GET", "POST"]` in the class itself. */
static struct at
own_methods(const struct parts *p, struct at type)
{
    const struct facts *facts = part_facts(p, type.file);
    struct at out = {type.file, 0};

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        if (bind->scope == type.id &&
            str_eq(facts_text(facts, bind->name), STR("methods")))
            out.id = bind->value;
    }
    return out;
}

/* That of a class or of its nearest base; false: not looked for. */
static bool
class_methods(struct parts *p, struct at type, struct at *out)
{
    struct marks_seen seen = {.len = 0};

    *out = (struct at){type.file, 0};
    (void)marks_see(&seen, type);
    for (uint32_t k = 0; k < seen.len; k++) {
        struct at base;
        if (p->lookups++ > PART_LOOKUPS_MAX)
            return false;
        *out = own_methods(p, seen.at[k]);
        if (out->id)
            return true;
        for (uint32_t i = 0; marks_base_of(p, seen.at[k], &i, &base);)
            (void)marks_see(&seen, base);
    }
    return true;
}

/* What answers for each method that |methods| or the class itself names, or for
 * all. */
static bool
view_verbs(const struct verb_call *v, struct at type, struct at path,
           struct at methods)
{
    struct parts *p = v->p;
    struct at list;
    char lower[16];
    unsigned count = 0;

    if (!methods.id)
        methods = own_methods(p, type);
    if (!methods.id || !part_literal(p, methods, &list))
        return verb_class(v, type, path) > 0;
    for (uint32_t i = 0; i < part_expr(p, list)->list_len; i++) {
        str word = part_word(p, part_list(p, list, i));
        size_t len = word.len < sizeof(lower) ? word.len : 0;
        for (size_t k = 0; k < len; k++)
            lower[k] = (char)(word.ptr[k] | 0x20);
        uint32_t node = part_method_of(p, type, (str){lower, len});
        if (len > 0 && verb_route(v, word, path, node))
            count++;
    }
    return count > 0;
}

/* A class of Flask: a MethodView, whose dispatch_request, if it has one, hands
 * on to its methods; or a View, which answers whatever is asked. */
static bool
view_class(const struct verb_call *v, struct at type, struct at path,
           struct at methods)
{
    struct parts *p = v->p;
    uint32_t all = part_method_of(p, type, STR("dispatch_request"));

    if (!all || verb_has_class(p, type))
        return view_verbs(v, type, path, methods);
    if (!methods.id && !class_methods(p, type, &methods))
        return verb_route(v, STR("ANY"), path, all);
    return methods.id ? verb_routes(v, methods, path, all)
                      : verb_route(v, STR("GET"), path, all);
}

/* Each further argument is a path of the class, too. */
static bool
class_paths(const struct verb_call *v, struct at type, uint32_t from)
{
    struct at methods = part_option(v->p, v->call, "methods");
    bool is_told = false;

    for (uint32_t i = from; i < part_args(v->p, v->call); i++)
        is_told |= view_verbs(v, type, part_arg(v->p, v->call, i), methods);
    return is_told;
}

/* add_resource(Resource, "/x", "/y") */
void
verb_resource(const struct verb_call *v)
{
    struct at type;

    if (verb_class_of(v->p, part_arg(v->p, v->call, 0), &type))
        (void)class_paths(v, type, 1);
}

/* @routes.route("GET", "/x") of aiohttp, @api.api_operation(["GET"], "/x"). */
static bool
mark_method_first(const struct verb_call *v, uint32_t handler)
{
    struct parts *p = v->p;

    str name = str_of(v->rule->name);
    bool is_first = v->rule->framework == FW_AIOHTTP
                        ? str_eq(name, STR("route"))
                        : str_eq(name, STR("api_operation"));

    return is_first && verb_routes(v, part_arg(p, v->call, 0),
                                   part_arg(p, v->call, 1), handler);
}

void
verb_mark(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct at def = part_marked(p, v->call);
    struct at path = view_path(p, v->call);
    struct at methods = part_option(p, v->call, "methods");
    struct at type = def;
    uint32_t handler = 0;
    bool is_flask = v->rule->framework == FW_FLASK;

    if (methods.id && part_kind(p, methods) == EXPR_SPREAD)
        methods.id = 0;
    if (!methods.id)
        methods = part_named(p, v->call, "method");
    if (!methods.id && methods_place(v) > 0)
        methods = part_arg(p, v->call, methods_place(v));
    if (def.id && !verb_is_type(p, def)) {
        handler = resolve_node(p->r, def.file, def.id);
        type.id = 0;
    } else if (!def.id) {
        struct at view = mark_called(p, v->call);
        if (!view.id)
            view = mark_view(p, v);
        if (!view.id)
            return;
        handler = part_handler(p, view);
        if (v->rule->framework == FW_SANIC && part_arg(p, v->call, 1).id &&
            str_starts(str_of(v->rule->name), STR("add_")))
            path = part_arg(p, v->call, 1);
        if (!handler && !verb_class_of(p, view, &type))
            type.id = 0;
    }
    if (type.id && is_flask && def.id && class_paths(v, type, 0))
        return;
    if (type.id && (is_flask ? view_class(v, type, path, methods)
                             : verb_class(v, type, path) > 0))
        return;
    if (mark_method_first(v, handler) ||
        (methods.id && verb_routes(v, methods, path, handler)))
        return;
    (void)verb_route(v, str_of(v->rule->detail ? v->rule->detail : "GET"), path,
                     handler);
}
