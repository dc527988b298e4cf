/*
 * Spring's functional routes: route().GET("/x", h), nest(path("/x"), ...) of
 * Java, router { "/x".nest { GET("/y", h) } } of Kotlin.  A function that gives
 * them is a router, which stands where it is called, too.
 */
#include <stdlib.h>
#include <string.h>

#include "index/routes_block.h"

#define REACTIVE "org.springframework.web.reactive.function.server"
#define SERVLET  "org.springframework.web.servlet.function"

enum { DEPTH_MAX = 64 };

struct spring {
    struct parts *p;
    uint32_t file;
    uint32_t *nest_of; /* by expr: the nest() in whose arguments it stands */
};

/* What a request must be like. */
struct predicate {
    struct at path;    /* id 0: any */
    str method;        /* GET; empty: any */
    struct at methods; /* methods(GET, HEAD), or id 0 */
    bool is_known;
};

static str
method_of(const struct parts *p, struct at call)
{
    static const char *const methods[] = {"GET",    "POST", "PUT",    "PATCH",
                                          "DELETE", "HEAD", "OPTIONS"};

    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        if (block_is(p, call, methods[i]))
            return str_of(methods[i]);
    return (str){"", 0};
}

/* What says nothing about method or path. */
static bool
is_plain(const struct parts *p, struct at call)
{
    static const char *const names[] = {
        "all",        "accept", "contentType", "headers",
        "queryParam", "param",  "version",     "pathExtension"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (block_is(p, call, names[i]))
            return true;
    return false;
}

static struct predicate
no_predicate(struct at expr)
{
    return (struct predicate){.path = {expr.file, 0},
                              .method = {"", 0},
                              .methods = {expr.file, 0},
                              .is_known = true};
}

static void
read_predicate(struct parts *p, struct at expr, struct predicate *out,
               unsigned depth)
{
    struct verb_path path;

    if (!expr.id || depth == DEPTH_MAX) {
        out->is_known = false;
        return;
    }
    if (part_kind(p, expr) != EXPR_CALL) {
        if (verb_path(p, expr, &path))
            out->path = expr;
        else
            out->is_known = false;
    } else if (block_is(p, expr, "and")) {
        read_predicate(p, part_receiver(p, expr), out, depth + 1);
        read_predicate(p, part_arg(p, expr, 0), out, depth + 1);
    } else if (block_is(p, expr, "method")) {
        out->method = part_word(p, part_arg(p, expr, 0));
    } else if (block_is(p, expr, "methods")) {
        out->methods = expr;
    } else if (block_is(p, expr, "path") || method_of(p, expr).len > 0) {
        out->path = part_arg(p, expr, 0);
        if (!block_is(p, expr, "path"))
            out->method = method_of(p, expr);
    } else if (!is_plain(p, expr)) {
        out->is_known = false;
    }
}

static struct predicate
predicate_of(struct parts *p, struct at expr)
{
    struct predicate found = no_predicate(expr);

    read_predicate(p, expr, &found, 0);
    return found;
}

/* ---- where a call stands ---- */

static bool
is_nest(const struct parts *p, struct at call)
{
    return block_is(p, call, "nest") || block_is(p, call, "andNest") ||
           (block_is(p, call, "path") && part_args(p, call) > 1);
}

/* `path("/x").nest { }` of Kotlin has what it asks for in front. */
static struct at
nest_predicate(const struct parts *p, struct at call)
{
    return part_args(p, call) > 1 ? part_arg(p, call, 0)
                                  : part_receiver(p, call);
}

static uint32_t router_around(struct spring *s, struct at expr, unsigned depth);

static uint32_t
nest_router(struct spring *s, struct at call, unsigned depth)
{
    uint32_t parent = router_around(s, call, depth + 1);
    struct predicate asked = predicate_of(s->p, nest_predicate(s->p, call));
    struct verb_path prefix = {0, !asked.is_known};

    if (asked.path.id && !verb_prefix(s->p, asked.path, &prefix))
        prefix = (struct verb_path){0, true};
    uint32_t id = router_make(s->p, SPACE_EXPR, call, FW_SPRING, 0);
    if (id)
        router_mount_at(s->p, id, parent, prefix.text,
                        prefix.is_tail || !asked.is_known ? MOUNT_TAIL : 0);
    return id;
}

/* A function's own: a bean serves by itself, another if nothing calls it. */
static uint32_t
function_router(struct parts *p, struct at def)
{
    uint32_t id = router_make(p, SPACE_DEF, def, FW_SPRING, 0);

    if (id)
        router_mount_at(p, id, 0, 0,
                        part_def(p, def)->marks_len > 0 ? 0 : MOUNT_ELSE);
    return id;
}

static uint32_t
router_around(struct spring *s, struct at expr, unsigned depth)
{
    struct parts *p = s->p;

    for (; expr.id && depth < DEPTH_MAX; depth++) {
        struct at def = {s->file, part_expr(p, expr)->scope};
        if (s->nest_of[expr.id])
            return nest_router(s, (struct at){s->file, s->nest_of[expr.id]},
                               depth);
        if (!def.id)
            break;
        if (!(part_def(p, def)->flags & DEF_LAMBDA))
            return function_router(p, def);
        expr = part_lambda_call(p, def);
        if (is_nest(p, expr))
            return nest_router(s, expr, depth);
    }
    return router_make(p, SPACE_FILE, (struct at){s->file, 0}, FW_SPRING, 0);
}

/* All that stands in an argument of nest(path("/x"), ...). */
static void
mark_nested(struct spring *s, struct at expr, uint32_t nest, unsigned depth)
{
    const struct parts *p = s->p;

    if (!expr.id || depth == DEPTH_MAX)
        return;
    s->nest_of[expr.id] = nest;
    enum expr_kind kind = part_kind(p, expr);
    if (kind == EXPR_CALL || kind == EXPR_MEMBER)
        mark_nested(s, (struct at){expr.file, part_expr(p, expr)->a}, nest,
                    depth + 1);
    for (uint32_t i = 0; i < part_expr(p, expr)->list_len; i++)
        mark_nested(s, part_list(p, expr, i), nest, depth + 1);
}

/* ---- what is called ---- */

static bool
is_block(const struct parts *p, struct at call)
{
    return block_is(p, call, "router") || block_is(p, call, "coRouter");
}

/* `fun users() = router { ... }.filter(f)`, whose type is not written. */
static bool
returns_routes(struct parts *p, struct at def)
{
    struct at expr = part_returned(p, def, 0);

    while (part_kind(p, expr) == EXPR_CALL && !is_block(p, expr))
        expr = part_receiver(p, expr);
    return expr.id && is_block(p, expr);
}

/* Whether |def| gives routes: by its type, or as `RouterFunctionDsl.users()`
 * does in a block. */
static bool
gives_routes(struct parts *p, struct at def)
{
    struct at type = {def.file, part_def(p, def)->type};
    str receiver = part_str(p, def.file, part_def(p, def)->receiver);

    if (part_def(p, def)->flags & DEF_EXTENSION &&
        str_ends(receiver, STR("RouterFunctionDsl")))
        return true;
    if (type.id && part_kind(p, type) == EXPR_GENERIC)
        type.id = part_expr(p, type)->a;
    return type.id ? str_eq(part_word(p, type), STR("RouterFunction"))
                   : returns_routes(p, def);
}

/* userRoutes() stands where it is called, path("/x", this::routes) below. */
static void
mount_called(struct spring *s, struct at call)
{
    struct parts *p = s->p;
    struct value value;
    struct at def;

    if (is_nest(p, call) && part_function(p, part_last(p, call), &def) &&
        !(part_def(p, def)->flags & DEF_LAMBDA))
        router_mount_at(p, function_router(p, def), nest_router(s, call, 0), 0,
                        0);
    if (resolve_value(p->r, part_callee(p, call), &value) &&
        value.kind == VALUE_DEF && gives_routes(p, value.at))
        router_mount_at(p, function_router(p, value.at),
                        router_around(s, call, 0), 0, 0);
}

/* ---- routes ---- */

/* In a block of router { }, or in a function for one. */
static bool
is_in_dsl(struct parts *p, struct at expr)
{
    for (unsigned i = 0; expr.id && i < DEPTH_MAX; i++) {
        struct at def = {expr.file, part_expr(p, expr)->scope};
        if (!def.id)
            return false;
        if (!(part_def(p, def)->flags & DEF_LAMBDA))
            return gives_routes(p, def);
        expr = part_lambda_call(p, def);
        if (is_block(p, expr))
            return true;
    }
    return false;
}

static void
enter_asked(struct spring *s, struct at call, const struct predicate *asked)
{
    struct verb_rule rule = {.framework = FW_SPRING};
    struct parts *p = s->p;
    struct verb_call v = {p, call, router_around(s, call, 0), &rule};
    uint32_t handler = part_handler(p, part_last(p, call));
    uint32_t len = asked->methods.id ? part_args(p, asked->methods) : 1;

    for (uint32_t i = 0; v.router && i < len; i++) {
        str method = asked->method.len > 0 ? asked->method : STR("ANY");
        if (asked->methods.id)
            method = part_word(p, part_arg(p, asked->methods, i));
        if (asked->path.id)
            (void)verb_route(&v, method, asked->path, handler);
        else
            verb_root(&v, method, (struct at){call.file, 0}, handler);
    }
}

/* `GET("/x").or(POST("/y"))` is two routes; what is told of neither where it
 * is nor by which method is none. */
static void
enter_each(struct spring *s, struct at call, struct at expr, unsigned depth)
{
    struct parts *p = s->p;

    if (depth < DEPTH_MAX && part_kind(p, expr) == EXPR_CALL &&
        block_is(p, expr, "or")) {
        enter_each(s, call, part_receiver(p, expr), depth + 1);
        enter_each(s, call, part_arg(p, expr, 0), depth + 1);
        return;
    }
    struct predicate asked = predicate_of(p, expr);
    str method = method_of(p, call);
    if (method.len > 0)
        asked.method = method;
    if (asked.is_known &&
        (asked.path.id || asked.method.len > 0 || asked.methods.id))
        enter_asked(s, call, &asked);
}

/* The predicate of Kotlin that is called with a handler: `GET("/x")(h)`,
 * `(GET("/x") or GET("/y")).invoke(h)`; id 0: none is. */
static struct at
invoked(struct parts *p, struct at call)
{
    struct at callee = part_callee(p, call);

    if (part_args(p, call) == 1 && is_in_dsl(p, call)) {
        if (part_kind(p, callee) == EXPR_CALL)
            return callee;
        if (block_is(p, call, "invoke"))
            return part_receiver(p, call);
    }
    return (struct at){call.file, 0};
}

/* `route(GET("/x"), h)`, `.GET("/x", h)`, `.GET(h)` */
static void
enter_route(struct spring *s, struct at call)
{
    struct parts *p = s->p;
    str method = method_of(p, call);
    bool is_route = block_is(p, call, "route") || block_is(p, call, "andRoute");
    bool is_java = part_facts(p, call.file)->lang == LANG_JAVA;
    struct at last = part_last(p, call);
    struct at asked = invoked(p, call);
    struct at def;

    if (asked.id) {
        enter_each(s, call, asked, 0);
        return;
    }
    if (part_args(p, call) == 1 && is_java && method.len > 0 &&
        part_receiver(p, call).id && part_function(p, last, &def)) {
        struct predicate any = no_predicate(call);
        any.method = method;
        enter_asked(s, call, &any);
        return;
    }
    if (part_args(p, call) < 2 || (!is_route && method.len == 0) ||
        (!is_route && !part_receiver(p, call).id && !is_in_dsl(p, call)))
        return;
    enter_each(s, call, part_arg(p, call, 0), 0);
}

void
routes_spring(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    struct spring s = {p, file, NULL};

    if (!part_imports(p, file, REACTIVE) && !part_imports(p, file, SERVLET))
        return;
    s.nest_of = calloc(facts->expr_len + 1, sizeof(*s.nest_of));
    p->failed |= !s.nest_of;
    /* Outer calls have higher indices than what stands in their arguments. */
    for (uint32_t i = facts->expr_len; i-- > 1 && !p->failed;) {
        struct at call = {file, i};
        if (facts->exprs[i].kind == EXPR_CALL && is_nest(p, call))
            for (uint32_t k = 0; k < part_args(p, call); k++)
                mark_nested(&s, part_arg(p, call, k), i, 0);
    }
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        mount_called(&s, call);
        enter_route(&s, call);
    }
    free(s.nest_of);
}
