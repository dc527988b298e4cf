/*
 * Starlette: lists of routes.
 *
 *     routes = [Route("/x", show), Mount("/y", routes=more)]
 *     routes += [Route("/z", edit)]
 *     Starlette(routes=routes)
 *
 * A list is a router of its own, mounted where an application, a Router or a
 * Mount takes it, and so is what is added to it.
 */
#include "index/routes_rules.h"
#include "index/routes_turns.h"
#include "index/routes_verbs.h"

/* Lists in lists; what is looked at for the lists that one file takes. */
enum { TAKE_DEPTH_MAX = 8, TAKEN_MAX = 4096 };

struct lists {
    struct parts *p;
    bool nests;    /* mounts are told, else routes */
    unsigned left; /* of TAKEN_MAX */
};

/* ---- routes ---- */

static void
enter_route(struct parts *p, struct at call, uint32_t router)
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
    if (!path.id || !view.id)
        return;
    uint32_t handler = part_handler(p, view);
    if (!handler && verb_class_of(p, view, &type)) {
        if (verb_class(&v, type, path) > 0)
            return;
        handler = resolve_node(p->r, type.file, type.id);
    }
    if (methods.id)
        (void)verb_routes(&v, methods, path, handler);
    else
        (void)verb_route(&v, STR("GET"), path, handler);
}

struct turned {
    struct parts *p;
    struct at call;
    uint32_t router;
};

/* `[Route(n, h) for n in (...)]` */
static void
route_turn(void *ctx)
{
    const struct turned *turned = ctx;

    enter_route(turned->p, turned->call, turned->router);
}

/* ---- lists ---- */

enum item { ITEM_NONE, ITEM_ROUTE, ITEM_MOUNT, ITEM_HOST };

static enum item
item_kind(struct parts *p, struct at item)
{
    static const struct {
        const char *name;
        enum item kind;
    } kinds[] = {
        {"starlette.routing.Route", ITEM_ROUTE},
        {"starlette.routing.WebSocketRoute", ITEM_ROUTE},
        {"starlette.routing.Mount", ITEM_MOUNT},
        {"starlette.routing.Host", ITEM_HOST},
    };

    if (!item.id || part_kind(p, item) != EXPR_CALL)
        return ITEM_NONE;
    struct at callee = part_callee(p, item);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (part_is(p, callee, kinds[i].name))
            return kinds[i].kind;
    return ITEM_NONE;
}

static uint32_t
list_router(struct parts *p, struct at list)
{
    return router_make(p, SPACE_EXPR, list, FW_STARLETTE, ROUTER_OPEN);
}

/* What the function that |call| calls returns, if that is written once. */
static struct at
returned(struct parts *p, struct at call)
{
    struct at none = {call.file, 0};
    struct at out = none;
    struct at def;

    if (part_kind(p, call) != EXPR_CALL ||
        !part_function(p, part_callee(p, call), &def) ||
        p->lookups++ > PART_LOOKUPS_MAX)
        return none;
    const struct facts *facts = part_facts(p, def.file);
    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        if (bind->kind != BIND_RETURN || bind->scope != def.id || !bind->value)
            continue;
        if (out.id)
            return none;
        out = (struct at){def.file, bind->value};
    }
    return out;
}

/* What a list, a sum of lists, or a name or call that gives one brings to
 * |parent|. */
static void
take(struct lists *l, struct at expr, uint32_t parent, unsigned depth)
{
    struct parts *p = l->p;
    struct value value;

    expr = expr.id ? part_bare(p, expr) : expr;
    if (!expr.id || !parent || depth == TAKE_DEPTH_MAX || l->left == 0)
        return;
    l->left--;
    enum expr_kind kind = part_kind(p, expr);
    if (kind == EXPR_ARRAY) {
        uint32_t id = list_router(p, expr);
        if (id && id != parent)
            router_mount_at(p, id, parent, 0, 0);
        return;
    }
    if (kind == EXPR_CONCAT) {
        for (uint32_t i = 0; i < part_expr(p, expr)->list_len; i++)
            take(l, part_list(p, expr, i), parent, depth + 1);
        return;
    }
    struct at bound =
        kind == EXPR_CALL ? returned(p, expr) : part_bound(p, expr);
    if (bound.id)
        take(l, bound, parent, depth + 1);
    else if (resolve_value(p->r, expr, &value) && value.kind == VALUE_MADE &&
             part_kind(p, value.at) == EXPR_ARRAY)
        take(l, value.at, parent, depth + 1);
}

/* One item of what |router| is. */
static void
look_at_item(struct lists *l, struct at item, uint32_t router)
{
    struct parts *p = l->p;
    enum item kind = item_kind(p, item);

    if (!router)
        return;
    if (kind == ITEM_ROUTE && !l->nests)
        turn_each(p, item, route_turn, &(struct turned){p, item, router});
    if (kind == ITEM_MOUNT && l->nests)
        router_mount_at(p, router_of(p, item), router, 0, MOUNT_APART);
    if (kind == ITEM_HOST && l->nests) {
        struct at app = part_field(p, item, STR("app"));
        app = app.id ? app : part_arg(p, item, 1);
        if (app.id)
            router_mount_at(p, router_of(p, app), router, 0, 0);
    }
    if (kind == ITEM_NONE && l->nests)
        take(l, item, router, 0); /* `*more` */
}

static void
look_at_list(struct lists *l, struct at list)
{
    struct parts *p = l->p;
    uint32_t len = part_expr(p, list)->list_len;
    uint32_t router = router_find(p, SPACE_EXPR, list);

    for (uint32_t i = 0; i < len && !router; i++)
        if (item_kind(p, part_bare(p, part_list(p, list, i))) != ITEM_NONE)
            router = list_router(p, list);
    if (!router || p->routers[router].framework != FW_STARLETTE)
        return;
    for (uint32_t i = 0; i < len; i++)
        look_at_item(l, part_bare(p, part_list(p, list, i)), router);
}

/* ---- what takes lists, and what is added to them ---- */

static void
look_at_maker(struct lists *l, struct at call)
{
    struct parts *p = l->p;
    struct at callee = part_callee(p, call);
    struct at routes = part_field(p, call, STR("routes"));
    bool is_router = part_is(p, callee, "starlette.routing.Router");
    bool is_mount = part_is(p, callee, "starlette.routing.Mount");
    struct at app = part_field(p, call, STR("app"));

    if (!is_router && !is_mount &&
        !part_is(p, callee, "starlette.applications.Starlette") &&
        !part_is(p, callee, "fastapi.FastAPI"))
        return;
    if (!routes.id && is_router)
        routes = part_arg(p, call, 0);
    if (is_mount && !app.id)
        app = part_arg(p, call, 1);
    if (routes.id)
        take(l, routes, router_of(p, call), 0);
    if (is_mount && app.id)
        router_mount_at(p, router_of(p, app), router_of(p, call), 0, 0);
}

/* The list that something is added to: `app.routes`, or a name of one. */
static uint32_t
grown(struct parts *p, struct at list)
{
    if (part_kind(p, list) == EXPR_MEMBER &&
        str_eq(part_word(p, list), STR("routes"))) {
        struct at owner = {list.file, part_expr(p, list)->a};
        if (part_kind(p, owner) == EXPR_MEMBER &&
            str_eq(part_word(p, owner), STR("router")))
            owner.id = part_expr(p, owner)->a;
        return router_of(p, owner);
    }
    if (part_kind(p, list) != EXPR_NAME)
        return 0;
    struct at bound = part_bound(p, list);
    if (!bound.id || part_kind(p, part_bare(p, bound)) != EXPR_ARRAY)
        return 0;
    return list_router(p, part_bare(p, bound));
}

/* `routes.append(Route(...))`, `app.routes.extend([...])`, `app.host(h, sub)`
 */
static void
look_at_call(struct lists *l, struct at call)
{
    struct parts *p = l->p;
    struct at into = part_receiver(p, call);
    str word = part_word(p, part_callee(p, call));

    if (l->nests)
        look_at_maker(l, call);
    if (!into.id)
        return;
    if (str_eq(word, STR("extend")) && l->nests && part_arg(p, call, 0).id) {
        struct at more = part_bare(p, part_arg(p, call, 0));
        bool is_own = more.id && (part_kind(p, more) == EXPR_ARRAY ||
                                  part_kind(p, more) == EXPR_NAME);
        if (is_own)
            take(l, more, grown(p, into), 0);
    }
    bool is_insert = str_eq(word, STR("insert"));
    if (is_insert || str_eq(word, STR("append"))) {
        struct at item = part_arg(p, call, is_insert);
        if (item.id && item_kind(p, part_bare(p, item)) != ITEM_NONE)
            look_at_item(l, part_bare(p, item), grown(p, into));
    }
    if (str_eq(word, STR("host")) && l->nests && part_args(p, call) > 1) {
        uint32_t parent = router_of(p, into);
        if (parent && p->routers[parent].framework == FW_STARLETTE)
            router_mount_at(p, router_of(p, part_arg(p, call, 1)), parent, 0,
                            0);
    }
}

/* `routes += [Route(...)]` */
static void
look_at_sums(struct lists *l, uint32_t file)
{
    struct parts *p = l->p;
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        struct at value = {file, facts->binds[i].value};
        struct at target = {file, facts->binds[i].target};
        if (facts->binds[i].kind != BIND_ASSIGN || !value.id || !target.id ||
            part_kind(p, value) != EXPR_ARRAY ||
            !router_find(p, SPACE_EXPR, value))
            continue;
        uint32_t parent = grown(p, target);
        uint32_t own = list_router(p, value);
        if (parent && parent != own)
            router_mount_at(p, own, parent, 0, 0);
    }
}

static void
look_at_file(struct parts *p, uint32_t file, bool nests)
{
    const struct facts *facts = part_facts(p, file);
    struct lists lists = {p, nests, TAKEN_MAX};

    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at expr = {file, i};
        if (facts->exprs[i].kind == EXPR_ARRAY)
            look_at_list(&lists, expr);
        if (facts->exprs[i].kind == EXPR_CALL)
            look_at_call(&lists, expr);
    }
    if (nests)
        look_at_sums(&lists, file);
}

void
starlette_nests(struct parts *p, uint32_t file)
{
    if (part_imports(p, file, "starlette"))
        look_at_file(p, file, true);
}

void
routes_starlette(struct parts *p, uint32_t file)
{
    if (part_imports(p, file, "starlette"))
        look_at_file(p, file, false);
}
