/*
 * Litestar: functions that a decorator makes handlers, which routers, an
 * application and controllers take.
 *
 *     @get("/{id:int}")
 *     async def show(id: int) -> Item: ...
 *
 *     class Items(Controller):
 *         path = "/items"
 *
 *     shop = Router("/shop", route_handlers=[Items, show])
 *     app = Litestar([shop])
 *
 * A handler and a controller are routers of their own, with what stands on
 * them, mounted where a list has them.  A controller has all that its bases
 * have, below its own path.
 */
#include "index/routes_marks.h"
#include "index/routes_rules.h"
#include "index/routes_verbs.h"

enum { ITEMS_MAX = 4096 }; /* of one list: it may be made of itself */

/* ---- what takes handlers ---- */

/* The value of `path = "/items"` in the class itself. */
static struct at
own_path(const struct parts *p, struct at type)
{
    const struct facts *facts = part_facts(p, type.file);

    for (uint32_t i = 1; i < facts->bind_len; i++)
        if (facts->binds[i].scope == type.id && facts->binds[i].value &&
            str_eq(facts_text(facts, facts->binds[i].name), STR("path")))
            return (struct at){type.file, facts->binds[i].value};
    return (struct at){type.file, 0};
}

/* The controller |type|, with the path that is its own or of the nearest of its
 * bases that has one. */
static uint32_t
controller(struct parts *p, struct at type)
{
    uint32_t id = router_make(p, SPACE_DEF, type, FW_LITESTAR, ROUTER_OPEN);
    struct marks_seen seen = {.len = 0};
    struct verb_path prefix = {0, false};
    struct at path = {type.file, 0};
    struct at base;

    (void)marks_see(&seen, type);
    for (uint32_t k = 0; k < seen.len && id; k++) {
        if (p->lookups++ > PART_LOOKUPS_MAX) {
            prefix.is_tail = true;
            break;
        }
        if (k > 0)
            router_mount_at(
                p,
                router_make(p, SPACE_DEF, seen.at[k], FW_LITESTAR, ROUTER_OPEN),
                id, 0, MOUNT_REPLACES);
        if (!path.id)
            path = own_path(p, seen.at[k]);
        for (uint32_t i = 0; marks_base_of(p, seen.at[k], &i, &base);)
            (void)marks_see(&seen, base);
    }
    if (path.id && !verb_path(p, path, &prefix))
        prefix.is_tail = true;
    if (!id)
        return 0;
    p->routers[id].prefix = prefix.text;
    p->routers[id].flags |= prefix.is_tail ? ROUTER_TAIL : 0;
    return id;
}

/* A handler or a controller, by its name; 0: it is neither. */
static uint32_t
handler_named(struct parts *p, struct at expr)
{
    struct value value;
    struct at def;

    if (part_function(p, expr, &def))
        return router_make(p, SPACE_DEF, def, FW_LITESTAR, ROUTER_OPEN);
    if (!resolve_value(p->r, expr, &value) || value.kind != VALUE_DEF ||
        !verb_is_type(p, value.at))
        return 0;
    return controller(p, value.at);
}

/* What stands at |expr|: a router, a handler, a controller, or a list of them,
 * sums of lists and what functions return included. */
static void
take(struct parts *p, uint32_t parent, struct at expr, unsigned *left)
{
    expr = part_bare(p, expr);
    if (!expr.id || *left == 0)
        return;
    --*left;
    uint32_t child = router_of(p, expr);
    if (!child)
        child = handler_named(p, expr);
    if (child) {
        router_mount_at(p, child, parent, 0, 0);
        return;
    }
    if (!part_items(p, &expr))
        return;
    for (uint32_t i = 0; i < part_expr(p, expr)->list_len; i++)
        take(p, parent, part_list(p, expr, i), left);
}

static void
take_by(struct parts *p, struct at call)
{
    bool is_more = str_eq(part_word(p, part_callee(p, call)), STR("register"));
    uint32_t parent = router_of(p, is_more ? part_receiver(p, call) : call);
    const struct router *router = &p->routers[parent];
    struct at list = part_arg(p, call, 0);
    unsigned left = ITEMS_MAX;

    if (!parent || router->framework != FW_LITESTAR)
        return;
    if (!is_more) {
        struct at named = part_named(p, call, "route_handlers");
        bool is_own = router->at.file == call.file && router->at.id == call.id;
        if (!is_own || router->space != SPACE_EXPR)
            return;
        /* A router's path is before them. */
        list =
            named.id ? named : part_arg(p, call, router->flags & ROUTER_OPEN);
    }
    take(p, parent, list, &left);
}

void
litestar_nests(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    if (!part_imports(p, file, "litestar"))
        return;
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++)
        if (facts->exprs[i].kind == EXPR_CALL)
            take_by(p, (struct at){file, i});
}

/* ---- handlers ---- */

/* What a decorator of the library is called, `get` of `litestar.get`. */
static str
mark_name(struct parts *p, struct at call)
{
    static const char *const modules[] = {"litestar.handlers.http_handlers.",
                                          "litestar.handlers.", "litestar."};
    struct origin origin;

    if (!part_origin(p, part_callee(p, call), &origin))
        return (str){NULL, 0};
    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        str module = str_of(modules[i]);
        if (str_starts(origin.path, module))
            return str_cut(origin.path, module.len, origin.path.len);
    }
    return (str){NULL, 0};
}

/* The method that the decorator |name| says; of `route` empty, and NULL if it
 * is none of a handler. */
static const char *
mark_method(str name)
{
    static const char *const marks[][2] = {
        {"get", "GET"},     {"post", "POST"},     {"put", "PUT"},
        {"patch", "PATCH"}, {"delete", "DELETE"}, {"head", "HEAD"},
        {"route", ""},      {"websocket", "GET"}, {"websocket_listener", "GET"},
    };

    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
        if (str_eq(name, str_of(marks[i][0])))
            return marks[i][1];
    return NULL;
}

static void
enter_handler(struct parts *p, struct at call, struct at def)
{
    const struct verb_rule rule = {.framework = FW_LITESTAR};
    const char *method = mark_method(mark_name(p, call));
    struct at type = {def.file, part_def(p, def)->parent};
    bool is_in_class = type.id && part_def(p, type)->kind == CODE_TYPE;
    struct verb_call v = {p, call, 0, &rule};
    struct at path = part_arg(p, call, 0);

    if (!method)
        return;
    uint32_t handler = resolve_node(p->r, def.file, def.id);
    struct at methods = part_named(p, call, "http_method");
    if (!path.id)
        path = part_named(p, call, "path");
    v.router = router_make(p, SPACE_DEF, is_in_class ? type : def, FW_LITESTAR,
                           ROUTER_OPEN);
    if (!v.router)
        return;
    if (!path.id)
        verb_root(&v, str_of(method), methods, handler);
    else if (*method)
        (void)verb_route(&v, str_of(method), path, handler);
    else if (methods.id)
        (void)verb_routes(&v, methods, path, handler);
}

void
routes_litestar(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    if (!part_imports(p, file, "litestar"))
        return;
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        struct at def = part_marked(p, call);
        if (def.id && !verb_is_type(p, def))
            enter_handler(p, call, def);
    }
}
