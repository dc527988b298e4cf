/*
 * Where the path of Koa's, Hono's and Restify's routes is.
 *
 * Koa's router: a name may come before the path, and is none.
 *
 *     router.get('user', '/users/:id', show)
 *     router.register('/users/:id', ['GET', 'HEAD'], [load, show])
 *
 * As the router itself tells them apart: what is second is the path, if it is a
 * text or a regular expression.
 */
#include "index/routes_verbs.h"

/* Of a list of middlewares the last one answers. */
static uint32_t
last_handler(struct parts *p, struct at expr)
{
    struct at list = part_bare(p, expr);

    if (list.id && part_kind(p, list) == EXPR_ARRAY &&
        part_expr(p, list)->list_len > 0)
        expr = part_list(p, list, part_expr(p, list)->list_len - 1);
    return part_handler(p, expr);
}

void
verb_koa(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct at path = part_arg(p, v->call, 0);
    struct at second = part_arg(p, v->call, 1);
    struct verb_path named;

    if (!second.id)
        return;
    if (!v->rule->detail) {
        (void)verb_routes(v, second, path,
                          last_handler(p, part_arg(p, v->call, 2)));
        return;
    }
    if (verb_path(p, second, &named))
        path = second;
    (void)verb_route(v, str_of(v->rule->detail), path,
                     part_handler(p, part_last(p, v->call)));
}

/* ---- Hono: app.get("/x", show).put(change) ---- */

/* A handler without a path has that of the call before it. */
static struct at
hono_path(struct parts *p, struct at call)
{
    enum { CHAIN_MAX = 64 };
    struct at none = {call.file, 0};
    struct verb_path text;

    for (unsigned i = 0; i < CHAIN_MAX && part_kind(p, call) == EXPR_CALL;
         i++) {
        str word = part_word(p, part_callee(p, call));
        const struct verb_rule *rule = verb_find(p, FW_HONO, word);
        bool is_on = rule && rule->shape == VERB_METHOD;
        bool is_route = rule && rule->shape == VERB_ROUTE;
        struct at path = part_arg(p, call, is_on);
        if (i > 0 && !is_on && !is_route && !str_eq(word, STR("use")))
            return none;
        if (path.id && (part_kind(p, part_bare(p, path)) == EXPR_ARRAY ||
                        verb_path(p, path, &text)))
            return path;
        call = part_receiver(p, call);
    }
    return none;
}

/* ---- Restify: server.get({path: '/x', version: '1.0.0'}, show) ---- */

static struct at
restify_path(struct parts *p, struct at call)
{
    struct at path = part_arg(p, call, 0);
    struct at options;

    if (!part_literal(p, path, &options))
        return path;
    path = part_named(p, options, "path");
    return path.id ? path : part_named(p, options, "url");
}

struct at
plain_path(const struct verb_call *v)
{
    if (v->rule->framework == FW_HONO)
        return hono_path(v->p, v->call);
    if (v->rule->framework == FW_RESTIFY)
        return restify_path(v->p, v->call);
    struct at named = {v->call.file, 0};
    if (v->rule->framework == FW_ASPNET)
        named = part_named(v->p, v->call, "pattern");
    return named.id ? named : part_arg(v->p, v->call, 0);
}

/* ---- app.openapi(createRoute({method: 'get', path: '/x'}), show) ---- */

void
verb_openapi(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct at route = part_bare(p, part_arg(p, v->call, 0));
    struct value made;

    if (resolve_value(p->r, route, &made) && made.kind == VALUE_MADE)
        route = made.at;
    struct at path = part_named(p, route, "path");
    struct at method = part_named(p, route, "method");
    if (path.id && method.id)
        (void)verb_routes(v, method, path,
                          part_handler(p, part_arg(p, v->call, 1)));
}
