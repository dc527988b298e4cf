/*
 * `app.use('/x', auth, router)`, and its likes: what is mounted by a call whose
 * first argument is a path, or one more of what is mounted.
 */
#include "index/routes_nest.h"
#include "index/routes_turns.h"
#include "index/routes_verbs.h"

/* Starlette's and FastAPI's mount() is of an application, which their spans do
 * not look into. */
static unsigned
use_flags(const struct verb_call *v, const struct verb_path *path)
{
    enum framework own = (enum framework)v->rule->framework;
    bool is_apart = own == FW_FASTAPI || own == FW_STARLETTE;

    return (path->is_tail ? MOUNT_TAIL : 0) | (is_apart ? MOUNT_APART : 0);
}

/* koa-mount's `mount('/x', app)` and `mount(app)`: what it mounts, and where.
 */
static struct at
koa_mounted(const struct verb_call *v, struct at arg, struct verb_path *prefix)
{
    struct parts *p = v->p;
    struct at app = part_arg(p, arg, 1);

    if (v->rule->framework != FW_KOA || part_kind(p, arg) != EXPR_CALL ||
        !part_is(p, part_callee(p, arg), "koa-mount"))
        return arg;
    if (!app.id)
        return part_arg(p, arg, 0);
    bool is_below = prefix->text || prefix->is_tail;
    if (!verb_prefix(p, part_arg(p, arg, 0), prefix) || is_below)
        prefix->is_tail = true;
    return app;
}

static void
mount_each(const struct verb_call *v, struct at arg, struct verb_path prefix)
{
    struct parts *p = v->p;

    arg = part_bare(p, koa_mounted(v, part_bare(p, arg), &prefix));
    struct at list = arg;
    /* Of Salvo, `fn routers() -> Vec<Router>` */
    if (v->rule->framework == FW_SALVO && part_items(p, &list) &&
        part_kind(p, list) == EXPR_ARRAY)
        arg = list;
    if (part_kind(p, arg) == EXPR_ARRAY) {
        for (uint32_t i = 0; i < part_expr(p, arg)->list_len; i++) {
            uint32_t child = router_of(p, part_list(p, arg, i));
            router_mount_at(p, child, v->router, prefix.text,
                            use_flags(v, &prefix));
        }
        return;
    }
    uint32_t child = router_within(p, arg);
    router_mount_at(p, child, v->router, prefix.text, use_flags(v, &prefix));
}

/* `['/x', '/y']`, `[]string{"/x", "/y"}` */
static bool
is_texts(struct parts *p, struct at list)
{
    struct verb_path path;

    return (part_kind(p, list) == EXPR_ARRAY || composite_is(p, &list)) &&
           part_expr(p, list)->list_len &&
           verb_path(p, part_list(p, list, 0), &path);
}

/* mount("/x", app=sub), mount(path="/x", app=sub); aiohttp's
 * add_subapp(prefix="/x", subapp=sub) */
static bool
nest_named(const struct verb_call *v)
{
    struct parts *p = v->p;
    bool is_subapp = v->rule->framework == FW_AIOHTTP;
    struct at app = part_named(p, v->call, is_subapp ? "subapp" : "app");
    struct at path = part_arg(p, v->call, 0);
    struct verb_path prefix = {0, false};

    if (!app.id || (!is_subapp && !str_eq(str_of(v->rule->name), STR("mount"))))
        return false;
    if (!path.id)
        path = part_named(p, v->call, is_subapp ? "prefix" : "path");
    if (!verb_prefix(p, path, &prefix))
        prefix.is_tail = true;
    mount_each(v, app, prefix);
    return true;
}

static bool
takes_middleware(const struct verb_call *v)
{
    uint8_t framework = v->rule->framework;

    return framework == FW_EXPRESS || framework == FW_KOA ||
           framework == FW_POLKA || framework == FW_CONNECT;
}

struct given {
    struct parts *p;
    bool is_function;
};

static bool
note_function(void *ctx, struct at call, struct at expr)
{
    struct given *given = ctx;

    (void)call;
    given->is_function = part_handler(given->p, expr) != 0 ||
                         part_kind(given->p, expr) == EXPR_CALL;
    return !given->is_function;
}

/* A parameter that callers pass a function as. */
static bool
is_given_function(struct parts *p, struct at bind)
{
    const struct fact_bind *row = &part_facts(p, bind.file)->binds[bind.id];
    struct given given = {p, false};

    if (row->kind == BIND_PARAM)
        resolve_args(p->r, (struct at){bind.file, row->scope}, row->index,
                     note_function, &given);
    return given.is_function;
}

/* `path.join(base, 'x')`, `config.get('base')`, `prefix('v1')` of a function
 * that returns nothing but texts, which facts do not keep. */
static bool
may_give_text(struct parts *p, struct at expr)
{
    static const char *const words[] = {"join", "concat", "replace", "resolve",
                                        "map",  "filter", "trim",    "get"};
    struct at def;

    if (part_kind(p, expr) == EXPR_CONCAT)
        return true;
    if (part_kind(p, expr) != EXPR_CALL)
        return false;
    struct at callee = part_callee(p, expr);
    if (part_function(p, callee, &def))
        return !part_returned(p, def, 0).id;
    if (part_kind(p, callee) != EXPR_MEMBER)
        return false;
    str word = part_word(p, callee);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (str_eq(word, str_of(words[i])))
            return true;
    return false;
}

/* What is no text may be a path all the same, if it is what callers or the
 * run give: `opts.prefix`, `this.path`, `process.env.BASE`. */
static bool
is_middleware(struct parts *p, struct at expr)
{
    struct value value;

    expr = part_bare(p, expr);
    if (may_give_text(p, expr))
        return false;
    if (part_handler(p, expr))
        return true;
    if (resolve_value(p->r, expr, &value))
        return value.kind != VALUE_PARAM || is_given_function(p, value.at);
    if (part_kind(p, expr) == EXPR_NAME)
        expr = part_bare(p, part_bound(p, expr));
    while (part_kind(p, expr) == EXPR_MEMBER) {
        expr = part_bare(p, (struct at){expr.file, part_expr(p, expr)->a});
        if (resolve_value(p->r, expr, &value))
            return value.kind == VALUE_EXTERNAL;
        if (part_kind(p, expr) != EXPR_MEMBER)
            return false;
    }
    return part_kind(p, expr) != EXPR_OTHER; /* `({ prefix }) =>` */
}

void
nest_use(const struct verb_call *v)
{
    struct parts *p = v->p;
    uint32_t args = part_args(p, v->call);
    struct at front = part_arg(p, v->call, 0);
    struct verb_path prefix = {0, false};
    uint32_t from = 0;

    if (nest_named(v) || args == 0)
        return;
    if (args > 1 && is_texts(p, front)) {
        for (uint32_t k = 0; k < part_expr(p, front)->list_len; k++) {
            struct verb_path each = {0, false};
            if (!verb_prefix(p, part_list(p, front, k), &each))
                each.is_tail = true;
            for (uint32_t i = 1; i < args; i++)
                mount_each(v, part_arg(p, v->call, i), each);
        }
        return;
    }
    if (verb_prefix(p, front, &prefix))
        from = 1;
    else if (args > 1 && !router_of(p, front))
        prefix.is_tail = !takes_middleware(v) || !is_middleware(p, front);
    /* poem: what is mounted so is asked for with all of the path. */
    if (str_eq(str_of(v->rule->name), STR("nest_no_strip")))
        prefix = (struct verb_path){0, false};
    for (uint32_t i = from; i < args; i++)
        mount_each(v, part_arg(p, v->call, i), prefix);
}
