/*
 * What serves a router without being one: a type whose method hands requests
 * on, a function that gives back what it is given; and which router is served
 * by nothing at all.
 */
#include "index/routes_router.h"
#include "index/routes_verbs.h"

/* ---- type App struct{ mux *http.ServeMux } ---- */

/* What `ServeHTTP` of a type calls the same of: `a.mux.ServeHTTP(w, r)`. */
static uint32_t
handed_on(struct parts *p, struct at method)
{
    const struct facts *facts = part_facts(p, method.file);
    const struct part_of_def *of = part_of(p, method);
    uint32_t id = 0;

    for (uint32_t i = of ? of->first_expr : 0; i && i <= of->last_expr && !id;
         i++) {
        struct at call = {method.file, i};
        if (facts->exprs[i].kind != EXPR_CALL ||
            part_enclosing(p, call).id != method.id ||
            !part_receiver(p, call).id ||
            !str_eq(part_word(p, part_callee(p, call)), STR("ServeHTTP")))
            continue;
        id = router_within(p, part_receiver(p, call));
    }
    return id;
}

/* Asked once a round of each method: all values of a type cost one walk over
 * it. */
uint32_t
router_served(struct parts *p, struct at expr)
{
    struct value type;
    struct at method;

    if (part_facts(p, expr.file)->lang != LANG_GO ||
        !resolve_type(p->r, expr, &type) || type.kind != VALUE_DEF ||
        !resolve_member(p->r, type.at, STR("ServeHTTP"), &method) ||
        part_def(p, method)->kind != CODE_METHOD)
        return 0;
    uint32_t key = router_get(p, SPACE_DEF, method);
    if (!key || p->routers[key].round == p->round)
        return key ? p->routers[key].same : 0;
    p->routers[key].round = p->round;
    uint32_t id = handed_on(p, method);
    p->routers[key].same = id;
    return id;
}

/* ---- StripPrefix("/api", mux) ---- */

enum { WITHIN_DEPTH_MAX = 6, WITHIN_LOOKS_MAX = 256 };

struct within {
    struct parts *p;
    unsigned left;   /* looks at expressions */
    struct at strip; /* what is stripped before it, or id 0 */
    struct at maker; /* the function that returns what is looked at, or id 0 */
};

static uint32_t within(struct within *w, struct at expr, unsigned depth);

static uint32_t
within_returns_of(struct within *w, struct at def, unsigned depth)
{
    enum { RETURNS_MAX = 8 };
    struct at outer = w->maker;
    struct at value;
    uint32_t id = 0;

    w->maker = def;
    for (uint32_t i = 0; i < RETURNS_MAX && !id; i++) {
        value = part_returned(w->p, def, i);
        id = value.id ? within(w, value, depth + 1) : 0;
    }
    w->maker = outer;
    return id;
}

/* `func Routes() http.Handler { ...; return logged(mux) }`: looked at once a
 * round, or again by who may look deeper, however many calls there are of
 * functions that call each other.  So each function has looks of its own; but
 * what a turn of a loop finds is not kept, and has those of who asks. */
static uint32_t
within_returned(struct within *w, struct at call, unsigned depth)
{
    unsigned deep = WITHIN_DEPTH_MAX - depth;
    struct parts *p = w->p;
    struct at def;

    if (part_facts(p, call.file)->lang != LANG_GO ||
        !part_function(p, part_callee(p, call), &def))
        return 0;
    struct part_of_def *of = part_of(p, def);
    if (!of || p->turn)
        return of ? within_returns_of(w, def, depth) : 0;
    struct part_serves *serves = &of->serves;
    bool is_known =
        serves->round == p->round && (serves->router || serves->looked >= deep);
    if (!is_known) {
        struct within own = {
            .p = p, .left = WITHIN_LOOKS_MAX, .strip = {call.file, 0}};
        uint32_t id = within_returns_of(&own, def, depth);
        *serves = (struct part_serves){p->round, deep, id, own.strip};
    }
    if (serves->strip.id)
        w->strip = serves->strip;
    return serves->router;
}

/* What the function is given was looked at where it is called. */
static bool
is_given(const struct within *w, struct at expr)
{
    struct value value;

    return w->maker.id && resolve_value(w->p->r, expr, &value) &&
           value.kind == VALUE_PARAM && value.at.file == w->maker.file &&
           part_facts(w->p, value.at.file)->binds[value.at.id].scope ==
               w->maker.id;
}

/* Through StripPrefix("/api", mux), otelhttp.NewHandler(mux, "x"): the router
 * within.
 */
static uint32_t
within(struct within *w, struct at expr, unsigned depth)
{
    struct parts *p = w->p;
    uint32_t id;

    expr = part_bare(p, expr);
    if (is_given(w, expr))
        return 0;
    id = router_of(p, expr);
    if (!id && expr.id)
        id = router_served(p, expr);
    if (id || depth == WITHIN_DEPTH_MAX || w->left == 0 ||
        part_kind(p, expr) != EXPR_CALL)
        return id;
    w->left--;
    for (uint32_t i = part_args(p, expr); i > 0 && !id; i--)
        id = within(w, part_arg(p, expr, i - 1), depth + 1);
    if (!id)
        id = within_returned(w, expr, depth);
    if (id && part_is(p, part_callee(p, expr), "net/http.StripPrefix"))
        w->strip = part_arg(p, expr, 0);
    return id;
}

uint32_t
router_stripped(struct parts *p, struct at expr, struct at *strip)
{
    struct within w = {
        .p = p, .left = WITHIN_LOOKS_MAX, .strip = {expr.file, 0}};
    uint32_t id = within(&w, expr, 0);

    *strip = w.strip;
    return id;
}

uint32_t
router_within(struct parts *p, struct at expr)
{
    struct at strip;

    return router_stripped(p, expr, &strip);
}

/* ---- func wrap(next http.Handler) http.Handler { return next } ---- */

bool
router_given_back(struct parts *p, struct at expr, struct at param,
                  struct at *out)
{
    const struct fact_bind *bind = &part_facts(p, param.file)->binds[param.id];
    struct at def;

    expr = part_bare(p, expr);
    if (part_kind(p, expr) == EXPR_NAME)
        expr = part_bare(p, part_bound(p, expr));
    if (!expr.id || part_kind(p, expr) != EXPR_CALL ||
        bind->kind != BIND_PARAM ||
        !part_function(p, part_callee(p, expr), &def))
        return false;
    *out = def.file == param.file && def.id == bind->scope
               ? part_arg(p, expr, bind->index)
               : (struct at){expr.file, 0};
    return out->id || part_facts(p, expr.file)->lang == LANG_GO;
}

/* Is |id| what |def| is given as a parameter? */
static bool
is_param_of(const struct parts *p, uint32_t id, struct at def)
{
    const struct router *router = &p->routers[id];
    const struct fact_bind *bind;

    if (!id || router->space != SPACE_BIND || router->at.file != def.file)
        return false;
    bind = &part_facts(p, def.file)->binds[router->at.id];
    return bind->kind == BIND_PARAM && bind->scope == def.id;
}

uint32_t
router_given(struct parts *p, struct at expr, uint32_t id)
{
    struct at def;

    if (!id || p->routers[id].space != SPACE_BIND)
        return id;
    expr = part_bare(p, expr);
    if (part_kind(p, expr) == EXPR_NAME)
        expr = part_bare(p, part_bound(p, expr));
    if (!expr.id || part_kind(p, expr) != EXPR_CALL ||
        !part_function(p, part_callee(p, expr), &def))
        return id;
    /* `fn both(r: Router) -> Router { one(two(r)) }` */
    uint32_t own =
        is_param_of(p, id, def) ? id : router_of(p, part_returned(p, def, 0));
    if (!is_param_of(p, own, def))
        return id;
    uint32_t index =
        part_facts(p, def.file)->binds[p->routers[own].at.id].index;
    struct at arg = part_arg(p, expr, index);
    return arg.id ? router_of(p, arg) : id;
}

/* ---- if x { one() } else { two() }; fn routes() -> Result<Router> ---- */

enum { CHOICES_MAX = 8 };

/* The routers that one of is meant, each once. */
struct choices {
    uint32_t routers[CHOICES_MAX];
    unsigned len;
};

static void
choose(struct choices *choices, uint32_t router)
{
    bool is_known = router == 0;

    for (unsigned i = 0; i < choices->len; i++)
        is_known |= choices->routers[i] == router;
    if (!is_known && choices->len < CHOICES_MAX)
        choices->routers[choices->len++] = router;
}

static void
choose_all(struct parts *p, struct at expr, struct choices *choices)
{
    expr = part_bare(p, expr);
    if (part_kind(p, expr) != EXPR_ALT) {
        choose(choices, router_of(p, expr));
        return;
    }
    for (uint32_t i = 0; i < part_expr(p, expr)->list_len; i++)
        choose(choices, router_of(p, part_list(p, expr, i)));
}

/* `Result<Router>`, whose values are not followed to what is in them. */
static bool
is_fallible(const struct parts *p, struct at type)
{
    struct at name = {type.file, part_expr(p, type)->a};

    return part_kind(p, type) == EXPR_GENERIC &&
           (str_ends(part_word(p, name), STR("Result")) ||
            str_ends(part_word(p, name), STR("Option")));
}

/* Whether |def| does not just return one value, nor what it is given: that is
 * told by its calls. */
static bool
has_choices(struct parts *p, struct at def)
{
    struct at first = part_bare(p, part_returned(p, def, 0));
    struct at type = {def.file, part_def(p, def)->type};
    struct value value;

    bool is_one = !part_returned(p, def, 1).id && !is_fallible(p, type) &&
                  part_kind(p, first) != EXPR_ALT;
    if (!first.id || is_one)
        return false;
    for (uint32_t i = 0; i < CHOICES_MAX; i++) {
        struct at one = part_returned(p, def, i);
        if (one.id && resolve_value(p->r, one, &value) &&
            value.kind == VALUE_PARAM)
            return false;
    }
    return true;
}

/* Several stand below |id|, which is made up for them. */
static uint32_t
joined(struct parts *p, uint32_t id, const struct choices *choices)
{
    if (choices->len <= 1)
        return choices->len ? choices->routers[0] : 0;
    for (unsigned i = 0; i < choices->len; i++) {
        p->routers[id].framework = p->routers[choices->routers[i]].framework;
        router_mount_at(p, choices->routers[i], id, 0, 0);
    }
    return id;
}

/* Each function is asked once a round, or those that call each other would be
 * asked by all ways that they do. */
static uint32_t
joined_returns(struct parts *p, struct at def)
{
    struct choices choices = {.len = 0};
    struct part_of_def *of = part_of(p, def);

    if (!of || of->serves.round == p->round)
        return of ? of->serves.router : 0;
    of->serves = (struct part_serves){.round = p->round};
    uint32_t id = has_choices(p, def) ? router_get(p, SPACE_DEF, def) : 0;
    for (uint32_t i = 0; id && i < CHOICES_MAX; i++) {
        struct at value = part_returned(p, def, i);
        if (value.id)
            choose_all(p, value, &choices);
    }
    return of->serves.router = joined(p, id, &choices);
}

static uint32_t
joined_alternatives(struct parts *p, struct at alt)
{
    struct choices choices = {.len = 0};
    uint32_t id = router_get(p, SPACE_EXPR, alt);

    if (!id || p->routers[id].round == p->round)
        return id ? p->routers[id].same : 0;
    p->routers[id].round = p->round;
    p->routers[id].same = 0;
    choose_all(p, alt, &choices);
    return p->routers[id].same = joined(p, id, &choices);
}

uint32_t
router_joined(struct parts *p, struct at expr)
{
    struct at def;

    if (part_facts(p, expr.file)->lang != LANG_RUST)
        return 0;
    if (part_kind(p, expr) == EXPR_NAME)
        expr = part_bare(p, part_bound(p, expr));
    if (expr.id && part_kind(p, expr) == EXPR_ALT)
        return joined_alternatives(p, expr);
    if (!expr.id || part_kind(p, expr) != EXPR_CALL ||
        !part_function(p, part_callee(p, expr), &def))
        return 0;
    return joined_returns(p, def);
}

/* ---- g := e.Group("/a"); if on { g = e.Group("/b") } ---- */

/* Go: where one of two groups is meant, it is one before which stands what is
 * not known.  Of `if r == nil { r = gin.New() }` it is still |id|. */
uint32_t
router_chosen(struct parts *p, struct at expr, uint32_t id)
{
    struct at value;

    if (!id || part_facts(p, expr.file)->lang != LANG_GO ||
        !resolve_branch(p->r, expr, &value))
        return id;
    uint32_t other = router_of(p, value);
    if (!other || other == id ||
        !(p->routers[id].prefix || p->routers[other].prefix))
        return id;
    return router_make(p, SPACE_EXPR, expr,
                       (enum framework)p->routers[id].framework, ROUTER_TAIL);
}

/* ---- r := mux.NewRouter(), and nothing that serves r ---- */

/* `mux.NewRouter().StrictSlash(true)` is made at its first call. */
static bool
is_made_at(const struct parts *p, struct at expr, struct at made)
{
    enum { LINKS_MAX = 8 };

    for (unsigned i = 0; i < LINKS_MAX && expr.id && expr.id != made.id; i++)
        expr = part_kind(p, expr) == EXPR_CALL ? part_receiver(p, expr)
                                               : (struct at){0, 0};
    return expr.id && expr.id == made.id;
}

/* The local name that what is made at |made| goes by, if that is all. */
static const struct fact_bind *
local_of(const struct parts *p, struct at made)
{
    const struct facts *facts = part_facts(p, made.file);

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        if (!bind->value ||
            !is_made_at(p, (struct at){made.file, bind->value}, made))
            continue;
        return bind->kind == BIND_LOCAL && bind->scope != 0 &&
                       !(bind->flags & BIND_MULTI)
                   ? bind
                   : NULL;
    }
    return NULL;
}

static bool
is_below(const struct facts *facts, uint32_t scope, uint32_t def)
{
    while (scope && scope != def)
        scope = facts->defs[scope].parent;
    return scope == def;
}

/* What of a router's methods may be given to a server. */
static bool
is_serving(str name)
{
    return str_eq(name, STR("ServeHTTP")) || str_eq(name, STR("Handler")) ||
           str_eq(name, STR("Match")) || str_eq(name, STR("Routes"));
}

/* Each use of the name is a call of a method that puts something on it. */
static bool
is_only_filled(const struct parts *p, uint32_t file,
               const struct fact_bind *bind)
{
    const struct facts *facts = part_facts(p, file);
    uint32_t uses = 0;

    for (uint32_t i = 1; i < facts->expr_len; i++) {
        const struct fact_expr *at = &facts->exprs[i];
        if (at->kind == EXPR_NAME && at->text == bind->name &&
            is_below(facts, at->scope, bind->scope))
            uses++;
        if (at->kind != EXPR_CALL || !at->a ||
            facts->exprs[at->a].kind != EXPR_MEMBER)
            continue;
        const struct fact_expr *callee = &facts->exprs[at->a];
        const struct fact_expr *object = &facts->exprs[callee->a];
        if (object->kind == EXPR_NAME && object->text == bind->name &&
            is_below(facts, object->scope, bind->scope) &&
            !is_serving(facts_text(facts, callee->text)))
            uses--;
    }
    return uses == 0;
}

/* Each is a walk over a file. */
enum { IDLE_ROUTERS_MAX = 256 };

bool
router_is_idle(struct parts *p, uint32_t id)
{
    struct router *router = &p->routers[id];
    enum framework framework = (enum framework)router->framework;
    bool can_be =
        framework == FW_NETHTTP || framework == FW_CHI || framework == FW_MUX;

    if (router->flags & ROUTER_IDLE)
        return true;
    if (!can_be || router->space != SPACE_EXPR ||
        router->flags & ROUTER_ASKED || p->idle_asked >= IDLE_ROUTERS_MAX)
        return false;
    router->flags |= ROUTER_ASKED;
    p->idle_asked++;
    const struct fact_bind *bind = local_of(p, router->at);
    if (!bind || !is_only_filled(p, router->at.file, bind))
        return false;
    router->flags |= ROUTER_IDLE;
    return true;
}
