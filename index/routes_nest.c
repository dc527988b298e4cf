/*
 * How routers nest: what is mounted where, which function is given which
 * router.
 */
#include <string.h>

#include "index/routes_nest.h"
#include "index/routes_rules.h"
#include "index/routes_verbs.h"

static unsigned
tail_flag(const struct verb_path *path)
{
    return path->is_tail ? MOUNT_TAIL : 0;
}

/* require('./routes'), import('./routes.js'), or a name of either: what the
 * file exports; of a name, what it was bound to. */
static struct at
given_from(struct parts *p, struct at expr, struct at *def)
{
    struct value value;

    if (!expr.id || !resolve_value(p->r, expr, &value))
        return expr;
    if (value.kind == VALUE_FILE && !nest_exported(p, value.at.file, &value))
        return expr;
    if (value.kind == VALUE_MADE)
        return value.at;
    uint8_t kind = value.kind == VALUE_DEF ? part_def(p, value.at)->kind : 0;
    if (kind == CODE_FUNCTION || kind == CODE_METHOD)
        *def = value.at;
    return expr;
}

bool
nest_is_plain(struct parts *p, struct at expr)
{
    struct at def;

    expr = given_from(p, part_bare(p, expr), &def);
    struct at maker = part_callee(p, expr);
    return part_kind(p, expr) == EXPR_CALL &&
           (part_is(p, maker, "fastify-plugin") ||
            part_is(p, maker, "fastify-plugin.default") ||
            part_is(p, maker, "fastify-plugin.fastifyPlugin"));
}

bool
nest_given(struct parts *p, struct at expr, struct at *out)
{
    struct at def = {0, 0};

    expr = part_bare(p, expr);
    if (part_function(p, expr, out))
        return true;
    expr = given_from(p, expr, &def);
    if (def.id) {
        *out = def;
        return true;
    }
    return part_kind(p, expr) == EXPR_CALL && part_args(p, expr) > 0 &&
           part_function(p, part_arg(p, expr, 0), out);
}

void
nest_function(const struct verb_call *v, struct at def, uint32_t parent,
              const struct verb_path *prefix)
{
    struct parts *p = v->p;
    uint32_t first = part_facts(p, def.file)->lang == LANG_PYTHON &&
                     part_def(p, def)->kind == CODE_METHOD;
    struct at param = part_param(p, def, first);
    if (!param.id)
        return;
    uint32_t child =
        router_make(p, SPACE_BIND, param,
                    (enum framework)p->routers[v->router].framework, 0);
    router_mount_at(p, child, parent, prefix->text, tail_flag(prefix));
}

void
verb_give(const struct verb_call *v, struct at expr, uint32_t parent,
          const struct verb_path *prefix)
{
    struct at def;

    if (nest_given(v->p, expr, &def))
        nest_function(v, def, parent, prefix);
}

/* Flask-RESTX takes it second, too, and nothing for the namespace's own. */
static struct at
include_path(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct at named = part_option(p, v->call, v->rule->detail);
    struct verb_path path;

    if (!str_eq(str_of(v->rule->name), STR("add_namespace")))
        return named;
    if (!named.id)
        named = part_arg(p, v->call, 1);
    if (named.id && verb_prefix(p, named, &path) && !path.is_tail &&
        texts_get(&p->texts, path.text).len == 0)
        named.id = 0;
    return named;
}

/* What is included, by its place or its name. */
static struct at
included(const struct verb_call *v)
{
    static const char *const names[] = {"router", "routes", "blueprint", "ns"};
    struct at child = part_arg(v->p, v->call, 0);

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !child.id; i++)
        child = part_named(v->p, v->call, names[i]);
    return part_bare(v->p, child);
}

/* Flask: the option stands for the blueprint's own; FastAPI: both. */
static void
nest_include(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct at child = included(v);
    struct verb_path prefix = {0, false};
    unsigned flags = 0;

    if (v->rule->framework == FW_AIOHTTP && part_kind(p, child) == EXPR_ARRAY)
        return;
    if (v->rule->detail) {
        struct at named = include_path(v);
        if (named.id && !verb_prefix(p, named, &prefix))
            prefix.is_tail = true;
        if (named.id && v->rule->framework != FW_FASTAPI &&
            !sanic_is_group(p, router_of(p, child)))
            flags |= MOUNT_REPLACES;
    }
    flags |= tail_flag(&prefix);
    if (part_kind(p, child) != EXPR_ARRAY)
        router_mount_at(p, router_of(p, child), v->router, prefix.text, flags);
    for (uint32_t i = 0;
         part_kind(p, child) == EXPR_ARRAY && i < part_expr(p, child)->list_len;
         i++)
        router_mount_at(p, router_of(p, part_list(p, child, i)), v->router,
                        prefix.text, flags);
}

/* Cadwyn: a version in the path stands before what has versions, one in a
 * header nowhere. */
static void
nest_versions(const struct verb_call *v)
{
    struct parts *p = v->p;
    const struct router *app = &p->routers[v->router];
    struct at place = {v->call.file, 0};
    struct verb_path text;

    if (app->space == SPACE_EXPR)
        place = part_named(p, app->at, "api_version_location");
    bool is_header = !place.id || (verb_path(p, place, &text) &&
                                   str_eq(texts_get(&p->texts, text.text),
                                          STR("custom_header")));
    for (uint32_t i = 0; i < part_args(p, v->call); i++)
        router_mount_at(p, router_of(p, part_arg(p, v->call, i)), v->router, 0,
                        is_header ? 0 : MOUNT_TAIL);
}

static void
nest_register(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct at named = {v->call.file, 0};
    struct verb_path prefix = {0, false};

    struct at options = part_arg(p, v->call, 1);
    struct at object;
    if (v->rule->detail) {
        if (part_literal(p, options, &object))
            named = part_named(p, object, v->rule->detail);
        else
            prefix.is_tail = options.id != 0;
    }
    if (named.id && !verb_prefix(p, named, &prefix))
        prefix.is_tail = true;
    if (nest_is_plain(p, part_arg(p, v->call, 0)))
        prefix = (struct verb_path){0, false};
    verb_give(v, part_arg(p, v->call, 0), v->router, &prefix);
}

/* `for _, v := range versions { g := e.Group("/" + v) }`: what is put on the
 * group is below the prefix of each turn. */
static void
nest_looped(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct at arg = prefix_arg(p, v->call, v->rule->detail);
    struct verb_path prefix = {0, false};
    uint32_t id = router_get(p, SPACE_EXPR, v->call);

    if (!id || !arg.id || part_kind(p, arg) == EXPR_LAMBDA)
        return;
    struct router *group = &p->routers[id];
    if (!(group->flags & ROUTER_LOOPED)) {
        group->framework = v->rule->framework;
        group->flags = ROUTER_LOOPED;
        group->prefix = 0;
        group->mounts = 0; /* of whom it was asked for outside of the loop */
    }
    prefix.is_tail = !verb_prefix(p, arg, &prefix) || prefix.is_tail;
    if (prefix_is_host(p, v->rule->framework, prefix.text))
        group->flags |= ROUTER_IDLE; /* but for turns that are no hosts */
    else
        router_mount_at(p, id, v->router, prefix.text, tail_flag(&prefix));
}

/* A named function is given the group; a lambda's parameter finds it. */
static void
nest_group(const struct verb_call *v)
{
    struct parts *p = v->p;

    if (p->turn)
        nest_looped(v);
    uint32_t group = router_of(p, v->call);
    struct verb_path none = {0, false};
    struct at last = part_last(p, v->call);

    if (group && last.id)
        verb_give(v, last, group, &none);
}

static void
nest_give(const struct verb_call *v)
{
    struct verb_path none = {0, false};
    struct at last = part_last(v->p, v->call);

    if (last.id)
        verb_give(v, last, v->router, &none);
}

/* Elysia: group("/v1", (app) => app.get(...)), use(users), use(plugin). */
static void
nest_within(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct at last = part_last(p, v->call);
    struct verb_path prefix = {0, false};

    if (!last.id)
        return;
    if (v->rule->detail && !verb_prefix(p, part_arg(p, v->call, 0), &prefix))
        prefix.is_tail = true;
    uint32_t child = router_of(p, last);
    if (child)
        router_mount_at(p, child, v->router, prefix.text, tail_flag(&prefix));
    else
        verb_give(v, last, v->router, &prefix);
}

/* A function with routes of its own: Rust's #[get("/x")]. */
static void
mount_function(const struct verb_call *v, struct at arg,
               const struct verb_path *prefix)
{
    struct parts *p = v->p;
    struct at def;

    if (!part_function(p, arg, &def))
        return;
    uint32_t child = router_make(
        p, SPACE_DEF, def, (enum framework)v->rule->framework, ROUTER_OPEN);
    router_mount_at(p, child, v->router, prefix->text, tail_flag(prefix));
}

/* Functions of the list |arg|; of Rocket also by a name, or, where it calls a
 * function that gives a `Vec<Route>`, of all `routes!` in that. */
static void
mount_listed(const struct verb_call *v, struct at arg,
             const struct verb_path *prefix)
{
    struct parts *p = v->p;
    struct at def;

    if (!arg.id)
        return;
    if (v->rule->framework != FW_ROCKET || part_kind(p, arg) != EXPR_CALL ||
        !part_function(p, part_callee(p, arg), &def)) {
        for (uint32_t k = 0; k < part_args(p, arg); k++)
            mount_function(v, part_arg(p, arg, k), prefix);
        return;
    }
    const struct part_of_def *of = part_of(p, def);
    for (uint32_t i = of ? of->first_expr : 0; i && i <= of->last_expr; i++) {
        struct at call = {def.file, i};
        if (part_kind(p, call) != EXPR_CALL ||
            part_enclosing(p, call).id != def.id ||
            !str_eq(part_word(p, part_callee(p, call)), STR("routes!")))
            continue;
        for (uint32_t k = 0; k < part_args(p, call); k++)
            mount_function(v, part_arg(p, call, k), prefix);
    }
}

/* .service(scope("/x")), .service(hello), .mount("/x", routes![hello]) */
static void
nest_service(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct verb_path prefix = {0, false};
    uint32_t from = verb_prefix(p, part_arg(p, v->call, 0), &prefix);

    for (uint32_t i = from; i < part_args(p, v->call); i++) {
        struct at arg = part_bare(p, part_arg(p, v->call, i));
        uint32_t child = router_of(p, arg);
        enum expr_kind kind = part_kind(p, arg);
        router_mount_at(p, child, v->router, prefix.text, tail_flag(&prefix));
        if (child)
            continue;
        if (kind == EXPR_NAME && v->rule->framework == FW_ROCKET)
            mount_listed(v, part_bound(p, arg), &prefix);
        else if (kind == EXPR_ARRAY || kind == EXPR_CALL)
            mount_listed(v, arg, &prefix);
        else
            mount_function(v, arg, &prefix);
    }
}

static void
nest_prefix(const struct verb_call *v)
{
    struct verb_path prefix = {0, false};

    if (!verb_prefix(v->p, part_arg(v->p, v->call, 0), &prefix))
        return;
    v->p->routers[v->router].prefix = prefix.text;
    if (prefix.is_tail)
        v->p->routers[v->router].flags |= ROUTER_TAIL;
}

/* A mux below a mux: told by its own patterns, and what is stripped; for that
 * it is given another request, and the pattern of the outer one's is told, as
 * it is before a router of another kind. */
static void
nest_pattern(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct at strip;
    struct verb_path prefix = {0, false};
    uint32_t child = router_stripped(p, part_arg(p, v->call, 1), &strip);

    if (!child)
        return;
    if (strip.id && !verb_prefix(p, strip, &prefix))
        prefix.is_tail = true;
    bool is_apart = strip.id || p->routers[child].framework != FW_NETHTTP;
    router_mount_at(p, child, v->router, prefix.text,
                    tail_flag(&prefix) | (is_apart ? MOUNT_APART : 0));
}

static uint32_t
strange(const struct verb_call *v, struct at expr, struct at *strip)
{
    uint32_t child;

    *strip = (struct at){expr.file, 0};
    expr = part_bare(v->p, expr);
    if (part_facts(v->p, v->call.file)->lang != LANG_GO || !expr.id)
        return 0;
    child = router_stripped(v->p, expr, strip);
    bool is_own = child && v->rule->shape != VERB_MUX &&
                  v->p->routers[child].framework == v->rule->framework;
    return is_own ? 0 : child;
}

uint32_t
verb_strange(const struct verb_call *v, struct at expr)
{
    struct at strip;

    return strange(v, expr, &strip);
}

bool
verb_is_strange(const struct verb_call *v)
{
    return v->rule->shape != VERB_MUX && v->rule->shape != VERB_USE &&
           verb_strange(v, part_last(v->p, v->call)) != 0;
}

/* PathPrefix("/x").Handler(StripPrefix("/x", mux)), Any("/y", gin.WrapH(mux)):
 * what is behind it sees the whole path, or what is left when a part was
 * stripped; spans tell the outer pattern. */
static void
nest_strange(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct verb_path prefix = {0, false};
    struct at strip;

    for (uint32_t i = 0; i < part_args(p, v->call); i++) {
        uint32_t child = strange(v, part_arg(p, v->call, i), &strip);
        if (!child)
            continue;
        if (strip.id && !verb_prefix(p, strip, &prefix))
            prefix.is_tail = true;
        router_mount_at(p, child, 0, prefix.text,
                        tail_flag(&prefix) | MOUNT_APART);
    }
}

/* On an application that is not known, what is before the routes is not. */
static void
nest_init(const struct verb_call *v)
{
    uint32_t parent = router_of(v->p, part_arg(v->p, v->call, 0));

    if (parent)
        router_mount_at(v->p, v->router, parent, 0, 0);
}

static void
nest_use_or_strange(const struct verb_call *v)
{
    /* chi's Mount cuts nothing off for what is no router of its own. */
    if (verb_strange(v, part_last(v->p, v->call)))
        nest_strange(v);
    else
        nest_use(v);
}

static void
nest_pattern_or_strange(const struct verb_call *v)
{
    if (v->rule->framework == FW_NETHTTP)
        nest_pattern(v);
    else
        nest_strange(v);
}

void
verb_nest(const struct verb_call *v)
{
    static void (*const nests[])(const struct verb_call *v) = {
        [VERB_USE] = nest_use_or_strange,
        [VERB_INCLUDE] = nest_include,
        [VERB_REGISTER] = nest_register,
        [VERB_PLUGIN] = nest_hapi,
        [VERB_GROUP] = nest_group,
        [VERB_WITHIN] = nest_within,
        [VERB_SERVICE] = nest_service,
        [VERB_PREFIX] = nest_prefix,
        [VERB_INIT] = nest_init,
        [VERB_GIVE] = nest_give,
        [VERB_FAST] = nest_fastendpoints,
        [VERB_SPLIT] = nest_split,
        [VERB_CARTER] = nest_carter,
        [VERB_NINJA] = nest_ninja,
        [VERB_GOZERO] = nest_gozero,
        [VERB_VERSIONS] = nest_versions,
        [VERB_BELOW] = nest_vertx,
        [VERB_PATTERN] = nest_pattern_or_strange,
        [VERB_ROUTE] = nest_strange,
        [VERB_NEXT] = nest_strange,
        [VERB_METHOD] = nest_strange,
        [VERB_MUX] = nest_strange,
    };
    size_t shape = v->rule->shape;

    if (shape < sizeof(nests) / sizeof(nests[0]) && nests[shape])
        nests[shape](v);
}
