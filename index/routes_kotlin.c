/*
 * Ktor: get, post and route stand in the block of routing, of each other, or
 * of a function that extends Route; the functions are mounted where they are
 * called.
 */
#include <string.h>

#include "index/routes_block.h"
#include "index/routes_marks.h"

#define KTOR "io.ktor.server.routing"

enum { RESOURCE_DEPTH_MAX = 8 };

static bool
is_ktor(const struct parts *p, uint32_t file)
{
    return part_imports(p, file, KTOR) ||
           part_imports(p, file, "io.ktor.server.resources") ||
           part_imports(p, file, "io.ktor.routing");
}

static bool
is_route(str type)
{
    return str_eq(type, STR("Route")) || str_eq(type, STR("Routing"));
}

/* The function around that extends Route or Routing. */
static uint32_t
extension_router(struct parts *p, struct at def)
{
    const struct fact_def *row = part_def(p, def);

    if (!(row->flags & DEF_EXTENSION) ||
        !is_route(part_str(p, def.file, row->receiver)))
        return 0;
    return router_make(p, SPACE_DEF, def, FW_KTOR, ROUTER_OPEN);
}

/* Blocks that add no path. */
static bool
is_plain(const struct parts *p, struct at call)
{
    static const char *const names[] = {
        "authenticate", "rateLimit", "method", "accept",        "contentType",
        "header",       "param",     "host",   "optionalParam", "port"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (block_is(p, call, names[i]))
            return true;
    return false;
}

static uint32_t router_around(struct parts *p, struct at expr);

/* `this`, or a parameter of such a type: what callers pass. */
static uint32_t
router_named(struct parts *p, struct at expr)
{
    struct value value;

    if (part_kind(p, expr) == EXPR_SELF)
        return router_around(p, expr);
    if (part_kind(p, expr) != EXPR_NAME || !resolve_value(p->r, expr, &value) ||
        value.kind != VALUE_PARAM)
        return 0;
    struct at type = {value.at.file,
                      part_facts(p, value.at.file)->binds[value.at.id].type};
    if (!type.id || !is_route(part_word(p, type)))
        return 0;
    return router_make(p, SPACE_BIND, value.at, FW_KTOR, ROUTER_OPEN);
}

/* Where calls stand in the lambda that |call| is given. */
static uint32_t
router_in(struct parts *p, struct at call)
{
    static const char *const outer[] = {
        "forEach", "forEachIndexed", "onEach", "also", "let", "repeat"};
    struct at receiver = part_receiver(p, call);

    if (block_is(p, call, "routing"))
        return router_make(p, SPACE_EXPR, call, FW_KTOR, 0);
    if (block_is(p, call, "with"))
        return router_named(p, part_arg(p, call, 0));
    if (block_is(p, call, "apply") || block_is(p, call, "run"))
        return receiver.id ? router_named(p, receiver) : router_around(p, call);
    for (size_t i = 0; i < sizeof(outer) / sizeof(outer[0]); i++)
        if (block_is(p, call, outer[i]))
            return router_around(p, call);
    return router_find(p, SPACE_EXPR, call);
}

/* The router of the block around. */
static uint32_t
router_around(struct parts *p, struct at expr)
{
    uint32_t scope = part_expr(p, expr)->scope;
    struct at def = {expr.file, scope};

    if (!scope || p->depth == ROUTER_OF_DEPTH_MAX)
        return 0;
    if (!(part_def(p, def)->flags & DEF_LAMBDA))
        return extension_router(p, def);
    struct at call = part_lambda_call(p, def);
    if (!call.id)
        return 0;
    p->depth++;
    uint32_t id = router_in(p, call);
    p->depth--;
    return id;
}

/* The router that a call stands on: what it is called on, or that of the block
 * around it. */
static uint32_t
router_on(struct parts *p, struct at call)
{
    struct at receiver = part_receiver(p, call);

    return receiver.id ? router_named(p, receiver) : router_around(p, call);
}

/* `get("/x") { }`, `get(path = "/x") { }`; id 0: it has none. */
static struct at
path_of(const struct parts *p, struct at call)
{
    struct at path = part_named(p, call, "path");

    if (!path.id && part_args(p, call) > 1)
        path = part_arg(p, call, 0);
    return path;
}

/* A function that extends Route is below what it is called on.  Where it puts
 * the routes of a lambda that it is given is not known. */
static void
nest_extension(struct parts *p, struct at call, struct at def)
{
    uint32_t own = extension_router(p, def);
    uint32_t parent = own ? router_on(p, call) : 0;

    if (!parent)
        return;
    router_mount_at(p, own, parent, 0, 0);
    if (part_kind(p, part_last(p, call)) == EXPR_LAMBDA)
        router_mount_at(p, router_make(p, SPACE_EXPR, call, FW_KTOR, 0), parent,
                        0, MOUNT_TAIL);
}

/* A parameter of such a type is below what is passed. */
static void
nest_params(struct parts *p, struct at call, struct at def)
{
    uint32_t args = part_args(p, call);

    for (uint32_t i = 0; i < args; i++) {
        struct at param = part_param(p, def, i);
        struct at given = part_arg(p, call, i);
        uint32_t id = param.id ? router_find(p, SPACE_BIND, param) : 0;
        uint32_t parent = id ? router_named(p, given) : 0;
        if (parent && p->routers[id].framework == FW_KTOR)
            router_mount_at(p, id, parent, 0, 0);
    }
}

void
kotlin_nests(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    if (!is_ktor(p, file))
        return;
    /* Outer calls have higher indices than what stands in their blocks. */
    for (uint32_t i = facts->expr_len - 1; i > 0 && !p->failed; i--) {
        struct at call = {file, i};
        struct verb_path prefix = {0, false};
        struct value value;
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        bool has_path = block_is(p, call, "route");
        if (resolve_value(p->r, part_callee(p, call), &value) &&
            value.kind == VALUE_DEF) {
            nest_extension(p, call, value.at);
            nest_params(p, call, value.at);
        }
        uint32_t parent = router_on(p, call);
        if (!parent || (!has_path && !is_plain(p, call)))
            continue;
        if (has_path && !verb_prefix(p, path_of(p, call), &prefix))
            prefix.is_tail = true;
        router_mount_at(p, router_make(p, SPACE_EXPR, call, FW_KTOR, 0), parent,
                        prefix.text, prefix.is_tail ? MOUNT_TAIL : 0);
    }
}

/* `HttpMethod.Get`, `HttpMethod("PURGE")` */
static str
method_named(const struct parts *p, struct at expr)
{
    if (part_kind(p, expr) == EXPR_CALL)
        expr = part_arg(p, expr, 0);
    return expr.id && (part_kind(p, expr) == EXPR_MEMBER ||
                       part_kind(p, expr) == EXPR_STRING)
               ? part_word(p, expr)
               : (str){NULL, 0};
}

/* What `handle` answers: the method of the nearest block that says one. */
static str
method_around(struct parts *p, struct at call)
{
    for (call = block_call(p, call); call.id; call = block_call(p, call)) {
        str method = {NULL, 0};
        if (block_is(p, call, "method"))
            method = method_named(p, part_arg(p, call, 0));
        else if (block_is(p, call, "route") && part_args(p, call) > 2)
            method = method_named(p, part_arg(p, call, 1));
        if (method.len > 0)
            return method;
    }
    return STR("ANY");
}

static str
method_of(struct parts *p, struct at call)
{
    if (block_is(p, call, "handle"))
        return method_around(p, call);
    if (block_is(p, call, "webSocket") || block_is(p, call, "sse"))
        return STR("GET");
    return block_method(p, call);
}

/* `get<Orders.One> { }`: where it is stands at the class. */
static bool
is_typed(const struct parts *p, struct at call)
{
    struct at callee = {call.file, part_expr(p, call)->a};

    return part_kind(p, callee) == EXPR_GENERIC;
}

static struct at
resource_path(struct parts *p, struct at type)
{
    struct at mark;

    for (uint32_t i = 0; (mark = mark_at(p, type, i)).id; i++)
        if (part_kind(p, mark) == EXPR_CALL &&
            part_is(p, part_callee(p, mark), "io.ktor.resources.Resource"))
            return mark_path(p, mark);
    return (struct at){type.file, 0};
}

/* The class of `val parent: Orders`, that |type| is below; false: none. */
static bool
resource_parent(struct parts *p, struct at type, struct at *out)
{
    const struct facts *facts = part_facts(p, type.file);

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        struct at name = {type.file, bind->type};
        struct value value;
        struct origin origin;
        if (bind->scope != type.id || bind->kind != BIND_PARAM || !name.id ||
            !part_type(p, name, &value, &origin) || value.kind != VALUE_DEF ||
            !resource_path(p, value.at).id)
            continue;
        *out = value.at;
        return true;
    }
    return false;
}

/* Appends |path| behind one slash, as Ktor does; nothing to a class above if it
 * is empty. */
static void
add_part(struct buf *out, str path)
{
    str above = buf_str(out);

    if (path.len == 0 && above.len > 0)
        return;
    if (!str_ends(above, STR("/")))
        buf_add_char(out, '/');
    buf_add(out,
            str_starts(path, STR("/")) ? str_cut(path, 1, path.len) : path);
}

/* Appends `/orders/{id}`; false: not all of it is known. */
static bool
add_resource(struct parts *p, struct at type, struct buf *out, unsigned depth)
{
    struct at path = resource_path(p, type);
    struct at parent;

    if (!path.id || depth == RESOURCE_DEPTH_MAX)
        return false;
    if (resource_parent(p, type, &parent) &&
        !add_resource(p, parent, out, depth + 1))
        return false;
    struct buf own = {0};
    struct folded folded = part_text(p, path, false, &own);
    add_part(out, buf_str(&own));
    out->failed |= own.failed;
    buf_fini(&own);
    return folded.ok && !folded.is_tail;
}

static void
typed_route(const struct verb_call *v, str method, uint32_t handler)
{
    struct parts *p = v->p;
    struct at callee = {v->call.file, part_expr(p, v->call)->a};
    struct buf path = {0};
    struct value value;
    struct origin origin;

    if (part_type(p, part_list(p, callee, 0), &value, &origin) &&
        value.kind == VALUE_DEF && add_resource(p, value.at, &path, 0) &&
        !path.failed)
        entry_add(p, &(struct route_entry){
                         .router = v->router,
                         .handler = handler,
                         .method = texts_add(&p->texts, method),
                         .path = texts_add(&p->texts, buf_str(&path)),
                         .at = v->call,
                         .framework = FW_KTOR,
                     });
    p->failed |= path.failed || p->texts.failed;
    buf_fini(&path);
}

void
routes_kotlin(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    if (!is_ktor(p, file))
        return;
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        struct verb_rule rule = {.framework = FW_KTOR};
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        char upper[16];
        str method = str_upper(method_of(p, call), upper, sizeof(upper));
        struct at last = part_last(p, call);
        if (method.len == 0 || part_kind(p, last) != EXPR_LAMBDA)
            continue;
        struct verb_call v = {p, call, router_on(p, call), &rule};
        if (!v.router)
            continue;
        struct at none = {file, 0};
        struct at path = path_of(p, call);
        if (!path.id && is_typed(p, call))
            typed_route(&v, method, part_handler(p, last));
        else if (!path.id)
            verb_root(&v, method, none, part_handler(p, last));
        else
            (void)verb_route(&v, method, path, part_handler(p, last));
    }
}
