/*
 * An expression leads to a router by what made it: a call of the library, a
 * method of another router, a parameter - by its type, by what callers pass, by
 * the call that a lambda is passed to.  That something is no router is
 * remembered for a round only, since what is mounted elsewhere tells more.
 */
#include "index/routes_router.h"
#include "index/routes_php_include.h"

#include <string.h>

#include "index/routes_table.h"
#include "index/routes_turns.h"

/* ---- what an expression stands for ---- */

static const struct maker_rule *
maker_of(const struct parts *p, const struct origin *origin)
{
    for (size_t i = 0; i < maker_rule_len; i++)
        if (origin_is(p, origin, maker_rules[i].path))
            return &maker_rules[i];
    return NULL;
}

/* A type of the repository that extends one of the library's, or is one. */
static const struct maker_rule *
maker_of_bases(struct parts *p, struct at def)
{
    const struct fact_def *row = part_def(p, def);
    const struct maker_rule *rule = NULL;
    struct value other;
    struct origin alias;

    if (row->kind != CODE_TYPE)
        return NULL;
    if (row->type &&
        part_type(p, (struct at){def.file, row->type}, &other, &alias) &&
        other.kind == VALUE_UNKNOWN)
        rule = maker_of(p, &alias);
    for (uint32_t i = 0; i < row->bases_len && !rule; i++) {
        struct at base = {def.file,
                          part_facts(p, def.file)->lists[row->bases_at + i]};
        struct origin origin;
        if (part_origin(p, base, &origin))
            rule = maker_of(p, &origin);
    }
    return rule;
}

/* |def| is the class of the repository that is made, if it is one. */
static const struct maker_rule *
maker_of_call(struct parts *p, struct at call, struct at *def)
{
    struct at callee = part_callee(p, call);
    struct origin origin;
    struct value value;

    *def = (struct at){0, 0};
    bool is_new = part_facts(p, call.file)->lang == LANG_RUST &&
                  str_eq(part_word(p, callee), STR("new"));
    /* `type Routes = Router<State>; Routes::new()` */
    if (is_new && resolve_value(p->r, part_receiver(p, call), &value) &&
        value.kind == VALUE_DEF && part_def(p, value.at)->type)
        return maker_of_bases(p, value.at);
    if (part_origin(p, callee, &origin))
        return maker_of(p, &origin);
    if (!resolve_value(p->r, callee, &value) || value.kind != VALUE_DEF)
        return NULL;
    *def = value.at;
    return maker_of_bases(p, value.at);
}

static void
set_prefix(struct parts *p, uint32_t id, struct at expr)
{
    struct buf text = {0};
    struct folded folded;

    if (!expr.id || part_kind(p, expr) == EXPR_LAMBDA)
        return;
    folded = part_is_choice(p, expr) ? (struct folded){false, false}
                                     : part_text(p, expr, false, &text);
    if (folded.ok)
        p->routers[id].prefix = texts_add(&p->texts, buf_str(&text));
    if (!folded.ok || folded.is_tail)
        p->routers[id].flags |= ROUTER_TAIL;
    buf_fini(&text);
}

/* Of these, whatever is said of a router gives the router: `nest_service`,
 * `use`, `addHook`, layers of other crates. */
static bool
is_builder(const struct parts *p, uint32_t id)
{
    uint8_t framework = p->routers[id].framework;

    return framework == FW_AXUM || framework == FW_ACTIX ||
           framework == FW_ROCKET || framework == FW_POEM ||
           framework == FW_SALVO || framework == FW_HONO ||
           framework == FW_ELYSIA || framework == FW_FASTIFY;
}

/* What a method of a router gives: itself, or a group below it. */
static uint32_t
derived_router(struct parts *p, uint32_t id, struct at call)
{
    uint32_t parent = router_of(p, part_receiver(p, call));
    const struct verb_rule *rule = NULL;

    if (parent)
        rule = verb_find(p, (enum framework)p->routers[parent].framework,
                         part_word(p, part_callee(p, call)));
    if (!rule)
        return parent && is_builder(p, parent) ? parent : 0;
    if (rule->shape == VERB_STEP)
        return vertx_step(p, id, parent, call, rule);
    bool is_group = rule->shape == VERB_GROUP || rule->shape == VERB_CHAIN ||
                    (rule->shape == VERB_MUX &&
                     str_eq(str_of(rule->name), STR("PathPrefix")));
    text_id methods = rule->shape == VERB_MUX ? mux_methods(p, call) : 0;
    if (!is_group && !methods)
        return parent;
    p->routers[id].framework = rule->framework;
    p->routers[id].methods = methods;
    if (is_group)
        set_prefix(p, id,
                   rule->shape == VERB_CHAIN
                       ? part_last(p, call)
                       : prefix_arg(p, call, rule->detail));
    if (prefix_is_host(p, rule->framework, p->routers[id].prefix)) {
        p->routers[id].flags |= ROUTER_IDLE; /* of this host, nothing is told */
        return id;
    }
    /* `new Hono().basePath("/x")`: nothing else has the application. */
    bool is_unnamed = rule->framework == FW_HONO &&
                      part_kind(p, part_receiver(p, call)) == EXPR_NEW;
    router_mount_at(p, id, parent, 0, is_unnamed ? MOUNT_ELSE : 0);
    return id;
}

bool
router_is_looped(struct parts *p, struct at expr, unsigned depth)
{
    enum { DEPTH_MAX = 4 };

    if (!p->turn || !expr.id || depth == DEPTH_MAX)
        return false;
    bool is_one = turn_is_looped(p, expr);
    if (part_kind(p, expr) != EXPR_CONCAT)
        return is_one;
    for (uint32_t i = 0; i < part_expr(p, expr)->list_len && !is_one; i++)
        is_one = router_is_looped(p, part_list(p, expr, i), depth + 1);
    return is_one;
}

static uint32_t
made_router(struct parts *p, struct at call)
{
    uint32_t id = router_get(p, SPACE_EXPR, call);
    enum expr_kind kind = part_kind(p, call);

    if (!id || (kind != EXPR_CALL && kind != EXPR_NEW))
        return 0;
    struct router *router = &p->routers[id];
    if (router->framework || (router->round == p->round && !p->turn))
        return router->framework ? id : router->same;
    if (!p->turn) /* what a turn finds is not kept */
        router->round = p->round;
    struct at def;
    const struct maker_rule *rule = maker_of_call(p, call, &def);
    if (!rule) {
        uint32_t derived = derived_router(p, id, call);
        if (derived != id && !p->turn) /* each turn has its own */
            p->routers[id].same = derived;
        return derived;
    }
    router->framework = rule->framework;
    router->flags = rule->flags;
    if (axum_is_open(p, call, rule->framework) || made_is_override(p, call))
        router->flags |= ROUTER_OPEN;
    if (def.id) {
        /* What the class puts on itself is on each that is made of it. */
        uint32_t self = router_make(
            p, SPACE_DEF, def, (enum framework)rule->framework, rule->flags);
        if (self)
            router_mount_at(p, self, id, 0, 0);
    }
    if (rule->framework == FW_SANIC &&
        !sanic_version(p, call, &p->routers[id].version))
        p->routers[id].flags |= ROUTER_TAIL;
    if (!rule->prefix)
        return id;
    struct at prefix = made_prefix(p, rule->prefix, call, def);
    if (router_is_looped(p, prefix, 0)) /* each turn has another */
        p->routers[id].flags |= ROUTER_TAIL;
    else
        set_prefix(p, id, prefix);
    return id;
}

static uint32_t
typed_router(struct parts *p, enum router_space space, struct at at,
             const struct value *def, const struct origin *origin)
{
    const struct maker_rule *rule = def->kind == VALUE_DEF
                                        ? maker_of_bases(p, def->at)
                                        : maker_of(p, origin);

    if (!rule)
        return 0;
    return router_make(p, space, at, (enum framework)rule->framework,
                       rule->flags);
}

struct passed {
    struct parts *p;
    uint32_t param;
};

void
router_pass(struct parts *p, uint32_t id, struct at expr)
{
    bool is_test = part_facts(p, expr.file)->flags & FACTS_TEST;
    uint32_t parent = is_test ? 0 : router_of(p, expr);

    if (!parent)
        return;
    struct router *param = &p->routers[id];
    if (!param->framework)
        param->framework = p->routers[parent].framework;
    router_mount_at(p, id, parent, 0, 0);
}

static bool
pass_argument(void *ctx, struct at call, struct at expr)
{
    struct passed *passed = ctx;

    (void)call;
    router_pass(passed->p, passed->param, expr);
    return true;
}

static void
pass_object(void *ctx, struct at expr)
{
    struct passed *passed = ctx;

    router_pass(passed->p, passed->param, expr);
}

/* The lambda that a router's method is given is passed the router. */
static void
mount_lambda(struct parts *p, uint32_t id, struct at def)
{
    struct at call = part_lambda_call(p, def);
    uint32_t group = call.id ? made_router(p, call) : 0;

    if (!group)
        return;
    struct at callee = part_callee(p, call);
    enum framework framework = (enum framework)p->routers[group].framework;
    const struct verb_rule *rule =
        verb_find(p, framework, part_word(p, callee));
    if (rule && (rule->shape == VERB_GROUP || rule->shape == VERB_GIVE)) {
        p->routers[id].framework = (uint8_t)framework;
        router_mount_at(p, id, group, 0, 0);
    }
}

uint32_t
router_of_param(struct parts *p, struct at bind)
{
    const struct fact_bind *row = &part_facts(p, bind.file)->binds[bind.id];
    uint32_t id = router_get(p, SPACE_BIND, bind);
    struct at def = {bind.file, row->scope};
    struct value type;
    struct origin origin;

    bool is_param = row->kind == BIND_PARAM;

    if (!id)
        return 0;
    if (p->routers[id].round == p->round)
        return p->routers[id].framework ? id : p->routers[id].same;
    p->routers[id].round = p->round;
    p->routers[id].same = 0;
    if (row->type &&
        part_type(p, (struct at){bind.file, row->type}, &type, &origin))
        (void)typed_router(p, SPACE_BIND, bind, &type, &origin);
    if (is_param) {
        struct passed passed = {p, id};
        if (part_def(p, def)->flags & DEF_LAMBDA && row->index == 0)
            mount_lambda(p, id, def);
        resolve_args(p->r, def, row->index, pass_argument, &passed);
    } else if (row->kind == BIND_RECEIVER && p->routers[id].framework) {
        /* `api.MapUsers()` of an extension method */
        struct passed passed = {p, id};
        extended_on(p, def, pass_object, &passed);
    }
    if (p->routers[id].framework)
        return id;
    uint32_t same =
        is_param ? router_of(p, (struct at){bind.file, row->value}) : 0;
    p->routers[id].same = same;
    return same;
}

/* `module.exports = router` of a file that is required. */
static uint32_t
file_router(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    uint32_t id = 0;

    if (facts->lang < LANG_JAVASCRIPT || facts->lang > LANG_TSX)
        return 0;
    uint32_t key = router_get(p, SPACE_FILE, (struct at){file, 0});
    if (!key || p->routers[key].round == p->round)
        return key ? p->routers[key].same : 0;
    p->routers[key].round = p->round;
    for (uint32_t i = 1; i < facts->bind_len && !id; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        struct at target = {file, bind->target};
        if (bind->kind == BIND_ASSIGN && bind->value &&
            part_kind(p, target) == EXPR_MEMBER &&
            str_eq(part_word(p, target), STR("exports")))
            id = router_of(p, (struct at){file, bind->value});
    }
    p->routers[key].same = id;
    return id;
}

static uint32_t
external_router(struct parts *p, struct at expr)
{
    struct origin origin;

    if (!part_origin(p, expr, &origin))
        return 0;
    const struct maker_rule *rule = maker_of(p, &origin);
    if (!rule || origin.is_written ||
        (rule->framework != FW_NETHTTP && rule->framework != FW_SPARK))
        return 0;
    struct at at = {UINT32_MAX, (uint32_t)rule->framework};
    return router_make(p, SPACE_NAMED, at, (enum framework)rule->framework, 0);
}

/* A value of a library's type that nobody knows the making of. */
static uint32_t
router_by_type(struct parts *p, struct at expr)
{
    struct value type;
    struct origin origin;
    struct at object = {expr.file, part_expr(p, expr)->a};

    if (part_kind(p, expr) == EXPR_MEMBER) {
        uint32_t parent = router_of(p, object);
        const struct verb_rule *rule = NULL;
        if (parent)
            rule = verb_find(p, (enum framework)p->routers[parent].framework,
                             part_word(p, expr));
        if (rule && rule->shape == VERB_SELF)
            return parent;
        if (object.id && resolve_type(p->r, object, &type) &&
            type.kind == VALUE_DEF)
            return router_of_field(p, type.at, part_word(p, expr));
    }
    if (part_kind(p, expr) == EXPR_NAME) {
        uint32_t held = router_of_bare(p, expr);
        if (held)
            return held;
    }
    if (!part_type_of(p, expr, &type, &origin))
        return 0;
    if (part_kind(p, expr) == EXPR_SELF && type.kind == VALUE_DEF)
        return typed_router(p, SPACE_DEF, type.at, &type, &origin);
    return typed_router(p, SPACE_EXPR, expr, &type, &origin);
}

struct taken {
    struct parts *p;
    struct at field; /* as the pattern has it */
    uint32_t id;
};

static bool
mount_taken(void *ctx, struct at call, struct at expr)
{
    struct taken *taken = ctx;
    struct at object;

    (void)call;
    if (part_literal(taken->p, expr, &object) &&
        part_kind(taken->p, object) == EXPR_OBJECT)
        expr = part_field(taken->p, object, part_word(taken->p, taken->field));
    if (expr.id)
        router_pass(taken->p, taken->id, expr);
    return true;
}

/* `({ app }) => app.get(...)`: what callers pass as the field of an object. */
static uint32_t
router_taken(struct parts *p, struct at field)
{
    struct at object = {field.file, part_expr(p, field)->a};
    uint32_t id = router_get(p, SPACE_EXPR, field);
    struct taken taken = {p, field, id};

    if (!id || part_kind(p, object) != EXPR_OTHER ||
        !str_eq(part_word(p, object), STR("0")))
        return 0;
    if (p->routers[id].round != p->round) {
        p->routers[id].round = p->round;
        resolve_args(p->r, (struct at){field.file, part_expr(p, object)->scope},
                     0, mount_taken, &taken);
    }
    return p->routers[id].framework ? id : 0;
}

/* What is not known by what it was made by, or a name of a member: of Python
 * `r = app.router`, of JavaScript what a pattern takes of a parameter. */
static uint32_t
router_unmade(struct parts *p, struct at expr)
{
    uint32_t id = router_by_type(p, expr);
    uint8_t lang = part_facts(p, expr.file)->lang;
    struct at bound = {expr.file, 0};

    if (!id &&
        (lang == LANG_PYTHON || (lang >= LANG_JAVASCRIPT && lang <= LANG_TSX)))
        bound = part_bound(p, expr);
    if (!bound.id || part_kind(p, bound) != EXPR_MEMBER)
        return id;
    return lang == LANG_PYTHON ? router_by_type(p, bound)
                               : router_taken(p, bound);
}

static uint32_t
find_router(struct parts *p, struct at expr)
{
    struct value value;
    struct at given;
    uint32_t id = router_of_inherited(p, expr);

    if (!id)
        id = router_embedded(p, expr);
    if (!id)
        id = router_joined(p, expr);
    if (id)
        return id;
    if (!resolve_value(p->r, expr, &value)) {
        if (part_kind(p, expr) == EXPR_CALL || part_kind(p, expr) == EXPR_NEW)
            id = made_router(p, expr);
        if (!id && part_kind(p, expr) == EXPR_NAME &&
            part_facts(p, expr.file)->lang == LANG_PHP)
            id = php_given(p, expr);
        return id ? id : router_unmade(p, expr);
    }
    switch (value.kind) {
    case VALUE_MADE:
        if (utoipa_is_document(p, expr, value.at))
            return 0;
        id = router_given(p, expr, made_router(p, value.at));
        id = router_chosen(p, expr, router_of_run(p, &value, id));
        break;
    case VALUE_PARAM:
        if (router_given_back(p, expr, value.at, &given))
            return router_of(p, given);
        id = router_chosen(p, expr, router_of_param(p, value.at));
        break;
    case VALUE_EXTERNAL:
        id = external_router(p, expr);
        break;
    case VALUE_FILE:
        return file_router(p, value.at.file);
    case VALUE_DEF:
    case VALUE_UNKNOWN:
        break;
    }
    return id ? id : router_unmade(p, expr);
}

uint32_t
router_of(struct parts *p, struct at expr)
{
    uint32_t id = 0;

    expr = part_bare(p, expr);
    if (!expr.id || p->depth == ROUTER_OF_DEPTH_MAX)
        return 0;
    p->depth++;
    if (part_facts(p, expr.file)->lang == LANG_PHP)
        id = php_grouped(p, expr);
    if (!id && part_kind(p, expr) != EXPR_LAMBDA)
        id = find_router(p, expr);
    p->depth--;
    return id;
}
