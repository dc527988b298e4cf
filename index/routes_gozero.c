/*
 * go-zero: routes are values, given with options, of which one is a prefix.
 *
 *     server.AddRoutes(
 *         rest.WithMiddlewares([]rest.Middleware{auth}, []rest.Route{
 *             {Method: http.MethodGet, Path: "/x", Handler: show(ctx)},
 *         }...),
 *         rest.WithPrefix("/api"))
 *
 * Each call is a router of its own below the server, so that its prefix is
 * joined as any other.
 */
#include "index/routes_nest.h"
#include "index/routes_turns.h"
#include "index/routes_verbs.h"

#define REST "github.com/zeromicro/go-zero/rest."

enum {
    LIST_DEPTH_MAX = 4,
    /* Options of a call; of more, what is before its paths is not known. */
    OPTIONS_MAX = 32,
};

static uint32_t
call_router(struct parts *p, struct at call)
{
    return router_make(p, SPACE_EXPR, call, FW_GOZERO, 0);
}

/* What `WithPrefix` says last is before what it says first. */
void
nest_gozero(const struct verb_call *v)
{
    struct parts *p = v->p;
    uint32_t child = call_router(p, v->call);
    uint32_t args = part_args(p, v->call);
    struct verb_path prefix = {0, args > OPTIONS_MAX};

    for (uint32_t i = prefix.is_tail ? 0 : args; i > 1; i--) {
        struct at option = part_arg(p, v->call, i - 1);
        struct verb_path more;
        if (part_kind(p, option) != EXPR_CALL ||
            !part_is(p, part_callee(p, option), REST "WithPrefix"))
            continue;
        if (!verb_prefix(p, part_arg(p, option, 0), &more))
            more = (struct verb_path){0, true};
        struct buf text = {0};
        buf_add(&text, texts_get(&p->texts, prefix.text));
        if (text.len > 0)
            buf_add_char(&text, '/');
        buf_add(&text, texts_get(&p->texts, more.text));
        prefix.text = texts_add(&p->texts, buf_str(&text));
        prefix.is_tail |= more.is_tail;
        buf_fini(&text);
    }
    router_mount_at(p, child, v->router, prefix.text,
                    prefix.is_tail ? MOUNT_TAIL : 0);
}

/* A field by its name, or in its place: `{http.MethodGet, "/x", show}`. */
static struct at
field(struct parts *p, struct at route, const char *name, uint32_t place)
{
    struct at named = part_named(p, route, name);

    return named.id ? named : part_arg(p, route, place);
}

static void
enter_route(const struct verb_call *v, struct at route)
{
    struct parts *p = v->p;
    struct at method = field(p, route, "Method", 0);
    struct at path = field(p, route, "Path", 1);

    if (method.id && path.id)
        (void)verb_routes(v, method, path,
                          part_handler(p, field(p, route, "Handler", 2)));
}

/* How many of the arguments of |call|, which gives its others as a list, are
 * no routes; none of other calls. */
static bool
gives_arguments(struct parts *p, struct at call, uint32_t *skip)
{
    struct at callee = part_callee(p, call);
    bool is_append = part_kind(p, callee) == EXPR_NAME &&
                     str_eq(part_word(p, callee), STR("append"));

    *skip = !is_append;
    return is_append || part_is(p, callee, REST "WithMiddlewares") ||
           part_is(p, callee, REST "WithMiddleware");
}

static void
enter_routes(const struct verb_call *v, struct at expr, unsigned depth);

static void
enter_list(const struct verb_call *v, struct at list, uint32_t from,
           unsigned depth)
{
    uint32_t len = part_expr(v->p, list)->list_len;

    for (uint32_t i = from; i < len; i++)
        enter_routes(v, part_list(v->p, list, i), depth + 1);
}

/* A list that stands elsewhere, by its name or a function that returns it. */
static void
enter_named(const struct verb_call *v, struct at expr, unsigned depth)
{
    struct parts *p = v->p;
    struct at list = expr;
    struct at def;

    if (p->lookups++ > PART_LOOKUPS_MAX)
        return;
    if (composite_is(p, &list)) {
        enter_list(v, list, 0, depth);
    } else if (part_kind(p, expr) == EXPR_NAME) {
        enter_routes(v, part_bound(p, expr), depth + 1);
    } else if (part_kind(p, expr) == EXPR_CALL &&
               part_function(p, part_callee(p, expr), &def)) {
        enter_routes(v, part_returned(p, def, 0), depth + 1);
    }
}

static void
enter_routes(const struct verb_call *v, struct at expr, unsigned depth)
{
    struct parts *p = v->p;
    uint32_t skip;

    if (part_kind(p, expr) == EXPR_SPREAD)
        expr.id = part_expr(p, expr)->a;
    if (!expr.id || depth == LIST_DEPTH_MAX)
        return;
    struct at list = expr;
    if (part_kind(p, expr) == EXPR_NEW && composite_is(p, &list))
        enter_list(v, list, 0, depth);
    else if (part_kind(p, expr) == EXPR_NEW)
        enter_route(v, expr);
    else if (part_kind(p, expr) == EXPR_CALL && gives_arguments(p, expr, &skip))
        enter_list(v, expr, skip, depth);
    else
        enter_named(v, expr, depth);
}

void
verb_gozero(const struct verb_call *v)
{
    struct verb_call below = *v;

    below.router = call_router(v->p, v->call);
    enter_routes(&below, part_arg(v->p, v->call, 0), 0);
}
