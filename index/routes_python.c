/*
 * Python's frameworks whose routes are data: Starlette's lists; and
 * Falcon, whose handlers go by names.
 */
#include <stdio.h>
#include <string.h>

#include "index/routes_rules.h"
#include "index/routes_verbs.h"

enum { LIST_DEPTH_MAX = 8, LIST_ITEMS_MAX = 4096 };

/* A list that stands there or was bound to a name, here or in another file; or
 * a sum of them. */
static struct at
list_of(struct parts *p, struct at expr)
{
    expr = part_bare(p, expr);
    struct at bound = part_bound(p, expr);
    struct at list = bound.id ? part_bare(p, bound) : expr;

    if (!bound.id && part_kind(p, expr) != EXPR_CONCAT)
        (void)part_literal(p, expr, &list);
    bool is_list =
        part_kind(p, list) == EXPR_ARRAY || part_kind(p, list) == EXPR_CONCAT;
    return is_list ? list : (struct at){expr.file, 0};
}

/* ---- Starlette ---- */

static void
starlette_route(struct parts *p, struct at call, uint32_t router)
{
    struct verb_rule rule = {.framework = FW_STARLETTE};
    struct verb_call v = {p, call, router, &rule};
    struct at view = part_named(p, call, "endpoint");
    struct at methods = part_named(p, call, "methods");
    struct at path = part_arg(p, call, 0);
    struct at type;

    if (!view.id)
        view = part_arg(p, call, 1);
    if (!path.id)
        path = part_named(p, call, "path");
    uint32_t handler = part_handler(p, view);
    if (!handler && verb_class_of(p, view, &type) &&
        verb_class(&v, type, path) > 0)
        return;
    if (methods.id)
        (void)verb_routes(&v, methods, path, handler);
    else
        (void)verb_route(&v, STR("GET"), path, handler);
}

/* |left|: items that may still be looked at, since lists may hold each other
 * many times over. */
static void
starlette_list(struct parts *p, struct at list, uint32_t router, bool nests,
               unsigned depth, unsigned *left)
{
    for (uint32_t i = 0; i < part_expr(p, list)->list_len; i++) {
        struct at item = part_bare(p, part_list(p, list, i));
        if (depth == LIST_DEPTH_MAX || *left == 0)
            return;
        --*left;
        if (part_kind(p, item) != EXPR_CALL) {
            /* `*more`, `[...] + more` */
            struct at more = list_of(p, item);
            if (more.id)
                starlette_list(p, more, router, nests, depth + 1, left);
            continue;
        }
        struct at callee = part_callee(p, item);
        if (part_is(p, callee, "starlette.routing.Route") ||
            part_is(p, callee, "starlette.routing.WebSocketRoute")) {
            if (!nests)
                starlette_route(p, item, router);
            continue;
        }
        if (!part_is(p, callee, "starlette.routing.Mount"))
            continue;
        uint32_t child = router_of(p, item);
        struct at app = part_named(p, item, "app");
        struct at inner = list_of(p, part_named(p, item, "routes"));
        if (!app.id)
            app = part_arg(p, item, 1);
        router_mount_at(p, child, router, 0, MOUNT_APART);
        if (app.id)
            router_mount_at(p, router_of(p, app), child, 0, 0);
        if (child && inner.id)
            starlette_list(p, inner, child, nests, depth + 1, left);
    }
}

static void
starlette(struct parts *p, struct at call, bool nests)
{
    struct at callee = part_callee(p, call);
    struct at routes = part_named(p, call, "routes");
    bool is_router = part_is(p, callee, "starlette.routing.Router");

    if (!routes.id && is_router)
        routes = part_arg(p, call, 0);
    if (!routes.id ||
        !(is_router || part_is(p, callee, "starlette.applications.Starlette") ||
          part_is(p, callee, "fastapi.FastAPI")))
        return;
    uint32_t router = router_of(p, call);
    struct at list = list_of(p, routes);
    unsigned left = LIST_ITEMS_MAX;
    if (router && list.id)
        starlette_list(p, list, router, nests, 0, &left);
}

/* ---- Falcon: add_route("/x", Resource(), suffix="all"), on_get_all ---- */

static void
falcon(struct parts *p, struct at call)
{
    static const char *const methods[] = {"get",    "post", "put",    "patch",
                                          "delete", "head", "options"};
    struct verb_rule rule = {.framework = FW_FALCON};
    struct verb_call v = {p, call, router_of(p, part_receiver(p, call)), &rule};
    struct at named = part_named(p, call, "suffix");
    struct at path = part_arg(p, call, 0);
    struct at resource = part_arg(p, call, 1);
    struct buf suffix = {0};
    struct at type;
    char name[128];

    if (!path.id)
        path = part_named(p, call, "uri_template");
    if (!resource.id)
        resource = part_named(p, call, "resource");
    if (!v.router || p->routers[v.router].framework != FW_FALCON ||
        !verb_class_of(p, resource, &type))
        return;
    bool is_known = !named.id || part_text(p, named, false, &suffix).ok;
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]) && is_known;
         i++) {
        int len = snprintf(name, sizeof(name), "on_%s%s%.*s", methods[i],
                           suffix.len ? "_" : "", (int)suffix.len, suffix.ptr);
        uint32_t node = len > 0 && (size_t)len < sizeof(name)
                            ? part_method_of(p, type, str_of(name))
                            : 0;
        if (node)
            (void)verb_route(&v, str_of(methods[i]), path, node);
    }
    buf_fini(&suffix);
}

/* ---- Api(app), Api(blueprint): Flask-RESTful and its likes ---- */

static void
flask_api(struct parts *p, struct at call)
{
    static const char *const makers[] = {"flask_restful.Api", "flask_restx.Api",
                                         "flask_smorest.Api"};
    struct at app = part_arg(p, call, 0);
    bool is_api = false;

    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
        is_api |= part_is(p, part_callee(p, call), makers[i]);
    if (!app.id)
        app = part_field(p, call, STR("app"));
    uint32_t parent = is_api && app.id ? router_of(p, app) : 0;
    if (parent)
        router_mount_at(p, router_of(p, call), parent, 0, 0);
}

void
python_nests(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    bool has_starlette = part_imports(p, file, "starlette");
    bool has_api = part_imports(p, file, "flask_restful") ||
                   part_imports(p, file, "flask_restx") ||
                   part_imports(p, file, "flask_smorest");

    if (!has_starlette && !has_api)
        return;
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        if (has_starlette)
            starlette(p, call, true);
        if (has_api)
            flask_api(p, call);
    }
}

void
routes_python(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    bool has_starlette = part_imports(p, file, "starlette");

    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        if (has_starlette)
            starlette(p, call, false);
        if (str_eq(part_word(p, part_callee(p, call)), STR("add_route")))
            falcon(p, call);
    }
}
