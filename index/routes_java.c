/*
 * Java's and Kotlin's routes that are calls of static functions: Spark's,
 * Javalin's ApiBuilder.  What a block is may stand in another function.
 */
#include <string.h>

#include "index/routes_block.h"
#include "index/routes_turns.h"

enum { BLOCKS_MAX = 8 };

static enum framework
owner_of(struct parts *p, struct at call)
{
    struct origin origin;
    char path[64];
    static const struct {
        const char *owner;
        enum framework framework;
    } owners[] = {
        {"spark.Spark.", FW_SPARK},
        {"io.javalin.apibuilder.ApiBuilder.", FW_JAVALIN},
    };
    str name = block_word(p, call);

    if (name.len > 16 || !part_origin(p, part_callee(p, call), &origin))
        return FW_NONE;
    for (size_t i = 0; i < sizeof(owners) / sizeof(owners[0]); i++) {
        size_t len = strlen(owners[i].owner);
        memcpy(path, owners[i].owner, len);
        memcpy(path + len, name.ptr, name.len);
        path[len + name.len] = '\0';
        if (origin_is(p, &origin, path))
            return owners[i].framework;
    }
    return FW_NONE;
}

/* Where no block is around: a function that is called, or handed to a block, is
 * below that. */
static uint32_t
open_router(struct parts *p, struct at expr, enum framework framework)
{
    struct at def = {expr.file, part_expr(p, expr)->scope};

    return router_make(p, def.id ? SPACE_DEF : SPACE_FILE, def, framework, 0);
}

/* The router of |around|, a `path("/a", ..)` below |parent|. */
static uint32_t
mount_path(struct parts *p, struct at around, enum framework framework,
           uint32_t parent)
{
    struct verb_path prefix = {0, false};

    if (!verb_prefix(p, part_arg(p, around, 0), &prefix))
        prefix.is_tail = true;
    uint32_t id = router_make(p, SPACE_EXPR, around, framework, 0);
    router_mount_at(p, id, parent, prefix.text,
                    prefix.is_tail ? MOUNT_TAIL : 0);
    return id;
}

/* path("/api", () -> { ... }) puts itself before. */
static uint32_t
block_router(struct parts *p, struct at call, enum framework framework,
             unsigned depth)
{
    struct at around = block_call(p, call);

    if (!around.id || depth == BLOCKS_MAX)
        return open_router(p, call, framework);
    uint32_t parent = block_router(p, around, framework, depth + 1);
    if (!block_is(p, around, "path") || owner_of(p, around) != framework)
        return parent;
    return mount_path(p, around, framework, parent);
}

/* |server| is the name of what Spark's `path` has to be called on. */
static uint32_t
within(struct parts *p, struct at at, str server, uint32_t router,
       unsigned depth)
{
    struct at around = block_call(p, at);

    if (!around.id || depth == BLOCKS_MAX)
        return router;
    uint32_t parent = within(p, around, server, router, depth + 1);
    if (!block_is(p, around, "path") ||
        !str_eq(part_word(p, part_receiver(p, around)), server))
        return parent;
    return mount_path(p, around, FW_SPARK, parent);
}

uint32_t
java_within(struct parts *p, struct at call, uint32_t router)
{
    str server = part_word(p, part_receiver(p, call));

    return within(p, call, server, router, 0);
}

/* ---- blocks that stand elsewhere ---- */

/* `More::routes`, `more()` that returns a lambda, `new More()` of Javalin's
 * EndpointGroup or Spark's RouteGroup. */
static bool
block_elsewhere(struct parts *p, struct at expr, enum framework framework,
                struct at *def)
{
    str method = framework == FW_SPARK ? STR("addRoutes") : STR("addEndpoints");
    struct value type;
    struct origin origin;

    if (part_kind(p, expr) == EXPR_CALL &&
        part_function(p, part_callee(p, expr), def)) {
        expr = part_returned(p, *def, 0);
        if (!expr.id)
            return false;
    }
    if (part_function(p, expr, def))
        return true;
    return part_type_of(p, expr, &type, &origin) && type.kind == VALUE_DEF &&
           resolve_member(p->r, type.at, method, def);
}

static void
nest_block(struct parts *p, struct at call, enum framework framework)
{
    struct at block = part_arg(p, call, 1);
    struct verb_path prefix = {0, false};
    struct at def;

    if (!block.id || part_kind(p, block) == EXPR_LAMBDA ||
        !block_elsewhere(p, block, framework, &def))
        return;
    if (!verb_prefix(p, part_arg(p, call, 0), &prefix))
        prefix.is_tail = true;
    router_mount_at(p, router_make(p, SPACE_DEF, def, framework, 0),
                    block_router(p, call, framework, 0), prefix.text,
                    prefix.is_tail ? MOUNT_TAIL : 0);
}

/* A function with routes of its own is called within a block. */
static void
nest_called(struct parts *p, struct at call)
{
    struct at def;

    if (!part_function(p, part_callee(p, call), &def))
        return;
    uint32_t id = router_find(p, SPACE_DEF, def);
    if (!id)
        return;
    enum framework framework = (enum framework)p->routers[id].framework;
    if (framework == FW_JAVALIN || framework == FW_SPARK)
        router_mount_at(p, id, block_router(p, call, framework, 0), 0, 0);
}

static bool
has_static_routes(const struct parts *p, uint32_t file)
{
    return part_imports(p, file, "spark") ||
           part_imports(p, file, "io.javalin.apibuilder");
}

void
java_nests(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    if (!has_static_routes(p, file))
        return;
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        enum framework framework = owner_of(p, call);
        if (framework == FW_NONE)
            nest_called(p, call);
        else if (block_is(p, call, "path"))
            nest_block(p, call, framework);
        else
            (void)block_router(p, call, framework, 0);
    }
}

/* ---- routes ---- */

/* crud("cats/{id}", new Cats()): five routes, of the last part of the path and
 * of what is before it. */
static void
crud_routes(const struct verb_call *v)
{
    static const struct {
        const char *method, *handler;
        bool is_one;
    } rows[] = {
        {"GET", "getAll", false},   {"POST", "create", false},
        {"GET", "getOne", true},    {"PATCH", "update", true},
        {"DELETE", "delete", true},
    };
    struct parts *p = v->p;
    struct at handler = part_arg(p, v->call, 1);
    struct verb_path path;
    struct value type;
    struct origin origin;

    if (!handler.id || !verb_path(p, part_arg(p, v->call, 0), &path))
        return;
    bool is_known =
        part_type_of(p, handler, &type, &origin) && type.kind == VALUE_DEF;
    str one = texts_get(&p->texts, path.text);
    size_t all = one.len;
    while (all > 0 && one.ptr[all - 1] != '/')
        all--;
    text_id before = texts_add(&p->texts, str_cut(one, 0, all));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        entry_add(
            p, &(struct route_entry){
                   .router = v->router,
                   .flags = path.is_tail ? ENTRY_TAIL : 0,
                   .handler = is_known ? part_method_of(p, type.at,
                                                        str_of(rows[i].handler))
                                       : 0,
                   .method = texts_add(&p->texts, str_of(rows[i].method)),
                   .path = rows[i].is_one ? path.text : before,
                   .at = v->call,
                   .framework = v->rule->framework,
               });
}

struct static_call {
    struct parts *p;
    struct at call;
};

static void
static_route(void *ctx)
{
    struct parts *p = ((struct static_call *)ctx)->p;
    struct at call = ((struct static_call *)ctx)->call;
    bool is_crud = block_is(p, call, "crud");
    str method = block_is(p, call, "sse") ? STR("GET") : block_method(p, call);
    enum framework framework =
        is_crud || method.len > 0 ? owner_of(p, call) : FW_NONE;
    struct verb_rule rule = {.framework = (uint8_t)framework};
    struct at first = part_arg(p, call, 0);
    struct at handler = part_arg(p, call, 1);
    struct verb_path path;

    if (framework == FW_NONE || !first.id)
        return;
    struct verb_call v = {p, call, block_router(p, call, framework, 0), &rule};
    if (!v.router)
        return;
    /* post("/x", "application/json", h) */
    if (framework == FW_SPARK && handler.id && verb_path(p, handler, &path))
        handler = part_arg(p, call, 2);
    if (is_crud)
        crud_routes(&v);
    /* Behind a handler may be roles. */
    else if (!handler.id ||
             (!verb_path(p, first, &path) && part_handler(p, first)))
        verb_root(&v, method, (struct at){call.file, 0},
                  part_handler(p, first));
    else
        (void)verb_route(&v, method, first, part_handler(p, handler));
}

/* Behind the placeholder at |at|: `${a:${b:/x}}` has another in it. */
static size_t
skip_placeholder(str text, size_t at)
{
    unsigned open = 0;

    for (; at < text.len; at++)
        if (text.ptr[at] == '{')
            open++;
        else if (text.ptr[at] == '}' && open > 0 && --open == 0)
            return at + 1;
    return at;
}

bool
settings_cut(struct parts *p, enum framework framework, struct verb_path *path)
{
    str text = texts_get(&p->texts, path->text);
    struct buf rest = {0};
    size_t at = 0;

    if (framework != FW_SPRING && framework != FW_MICRONAUT)
        return true;
    for (size_t i = 0; i + 1 < text.len; i++)
        if ((text.ptr[i] == '$' || text.ptr[i] == '#') &&
            text.ptr[i + 1] == '{') {
            at = skip_placeholder(text, i);
            i = at - 1;
        }
    if (at == 0)
        return true;
    if (at < text.len) {
        buf_add(&rest, str_cut(text, at, text.len));
        path->text = texts_add(&p->texts, buf_str(&rest));
        path->is_tail = true;
    }
    p->failed |= rest.failed || p->texts.failed;
    buf_fini(&rest);
    return at < text.len;
}

void
routes_java(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    if (!has_static_routes(p, file))
        return;
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct static_call one = {p, {file, i}};
        if (facts->exprs[i].kind == EXPR_CALL)
            turn_each(p, one.call, static_route, &one);
    }
}
