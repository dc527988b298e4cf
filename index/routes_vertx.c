/*
 * Vert.x: a route is made first, of any method and path, and is told more step
 * by step: `router.route(GET, "/x").method(HEAD).handler(h)`.  Each step is a
 * router below the one before; what the last handler of all is puts the route
 * on it.
 */
#include "index/routes_nest.h"
#include "index/routes_verbs.h"

/* `HttpMethod.GET`, `GET`, `HttpMethod.valueOf("GET")`; empty: not known. */
static str
method_named(const struct parts *p, struct at expr)
{
    if (part_kind(p, expr) == EXPR_CALL)
        expr = part_arg(p, expr, 0);
    enum expr_kind kind = part_kind(p, expr);
    return expr.id && (kind == EXPR_MEMBER || kind == EXPR_NAME ||
                       kind == EXPR_STRING)
               ? part_word(p, expr)
               : STR("");
}

/* The methods of the step |parent|, and |method|. */
static text_id
methods_with(struct parts *p, uint32_t parent, str method)
{
    struct buf all = {0};
    str before = texts_get(&p->texts, p->routers[parent].methods);

    if (method.len == 0)
        return p->routers[parent].methods;
    if (p->routers[parent].methods) {
        buf_add(&all, before);
        buf_add_char(&all, ',');
    }
    buf_add(&all, method);
    return part_keep(p, &all, 0);
}

uint32_t
vertx_step(struct parts *p, uint32_t id, uint32_t parent, struct at call,
           const struct verb_rule *rule)
{
    uint32_t args = part_args(p, call);
    bool is_method = str_eq(str_of(rule->name), STR("method"));
    bool has_method = is_method || (!rule->detail && args > 1);
    struct at path = part_last(p, call);
    struct verb_path prefix = {0, false};
    str method = has_method ? method_named(p, part_arg(p, call, 0))
                            : str_of(rule->detail);

    if (!is_method && args > 0 &&
        (router_is_looped(p, path, 0) || !verb_prefix(p, path, &prefix)))
        prefix = (struct verb_path){0, true};
    text_id methods = methods_with(p, parent, method);
    p->routers[id].framework = FW_VERTX;
    p->routers[id].prefix = prefix.text;
    p->routers[id].flags |= prefix.is_tail ? ROUTER_TAIL : 0;
    p->routers[id].methods = methods;
    router_mount_at(p, id, parent, 0, 0);
    return id;
}

static bool
is_step(const struct parts *p, uint32_t id)
{
    const struct router *router = &p->routers[id];
    struct at call = router->at;

    if (router->space != SPACE_EXPR || part_kind(p, call) != EXPR_CALL)
        return false;
    const struct verb_rule *rule =
        verb_find(p, FW_VERTX, part_word(p, part_callee(p, call)));
    return rule && rule->shape == VERB_STEP && router->mounts;
}

/* What the step |id| was told of. */
static uint32_t
step_parent(const struct parts *p, uint32_t id)
{
    return p->mounts[p->routers[id].mounts].parent;
}

/* BodyHandler.create() and its like are before what answers; of GraphQL it
 * answers. */
static bool
is_middleware(struct parts *p, struct at handler)
{
    struct origin origin;

    handler = part_bare(p, handler);
    return part_kind(p, handler) == EXPR_CALL &&
           part_imports(p, handler.file, "io.vertx.ext.web.handler") &&
           part_origin(p, part_callee(p, handler), &origin) &&
           str_ends(origin.path, STR("Handler.create")) &&
           !str_ends(origin.path, STR(".GraphQLHandler.create"));
}

/* Whether the route |id| says of what requests it is, and that is known; if it
 * does not, what it does is before all others. */
static bool
is_placed(const struct parts *p, uint32_t id)
{
    bool is_placed = false;

    for (; is_step(p, id); id = step_parent(p, id)) {
        const struct router *step = &p->routers[id];
        if (step->flags & ROUTER_TAIL && !step->prefix)
            return false;
        is_placed |= step->prefix || step->methods;
    }
    return is_placed;
}

void
verb_vertx(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct at handler = part_arg(p, v->call, 0);
    uint32_t from = p->entry_len;

    if (!handler.id || !is_placed(p, v->router) || is_middleware(p, handler))
        return;
    verb_root(v, STR("ANY"), (struct at){v->call.file, 0},
              part_handler(p, handler));
    for (; from < p->entry_len; from++)
        p->entries[from].key = texts_add(&p->texts, STR("handler"));
}

/* A route ends with what a router below it goes on from: `/users` and a star.
 */
static text_id
before_star(struct parts *p, text_id path)
{
    str text = texts_get(&p->texts, path);
    struct buf kept = {0};

    if (!str_ends(text, STR("*")))
        return path;
    buf_add(&kept, str_cut(text, 0, text.len - 1));
    return part_keep(p, &kept, path);
}

/* `subRouter(router)`, `subRouter(api.routes())`: the type that comes back says
 * less than what does. */
static uint32_t
given_router(struct parts *p, struct at expr)
{
    struct at def;
    uint32_t id = 0;

    if (part_kind(p, expr) == EXPR_CALL &&
        part_function(p, part_callee(p, expr), &def)) {
        struct at returned = part_returned(p, def, 0);
        id = returned.id ? router_of(p, returned) : 0;
    }
    return id ? id : router_of(p, expr);
}

void
nest_vertx(const struct verb_call *v)
{
    struct parts *p = v->p;
    uint32_t child = given_router(p, part_last(p, v->call));
    struct at front = part_arg(p, v->call, 0);
    struct verb_path prefix = {0, false};
    uint32_t parent = v->router;

    if (part_args(p, v->call) > 1) {
        if (!verb_prefix(p, front, &prefix))
            prefix.is_tail = true;
    } else {
        /* Below the router that the route is of, not below its pattern. */
        for (; is_step(p, parent); parent = step_parent(p, parent)) {
            const struct router *step = &p->routers[parent];
            if (!prefix.text)
                prefix.text = step->prefix;
            prefix.is_tail |= (step->flags & ROUTER_TAIL) != 0;
        }
    }
    router_mount_at(p, child, parent, before_star(p, prefix.text),
                    prefix.is_tail ? MOUNT_TAIL : 0);
}
