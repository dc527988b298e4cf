/*
 * FastEndpoints: a class is a route, which its Configure() says.
 *
 *     public class Make : Endpoint<Order> {
 *         public override void Configure() { Post("/orders"); }
 *         public override Task HandleAsync(Order o, CancellationToken c) ...
 *
 * The library finds the classes and serves them where `UseFastEndpoints()` is
 * called.  What stands before them a setting of that, a group or an override
 * may say; none is read.  What has a version may end otherwise and is not told.
 */
#include "index/routes_nest.h"
#include "index/routes_rules.h"

static uint32_t
endpoints_router(struct parts *p)
{
    struct at at = {UINT32_MAX, FW_END}; /* FW_ASPNET: Carter's */

    return router_make(p, SPACE_NAMED, at, FW_ASPNET, ROUTER_OPEN);
}

void
nest_fastendpoints(const struct verb_call *v)
{
    router_mount_at(v->p, endpoints_router(v->p), v->router, 0,
                    part_expr(v->p, v->call)->list_len > 0 ? MOUNT_TAIL : 0);
}

static bool
is_endpoint(struct parts *p, struct at type)
{
    static const char *const bases[] = {
        "FastEndpoints.Endpoint",
        "FastEndpoints.EndpointWithoutRequest",
        "FastEndpoints.EndpointWithMapping",
        "FastEndpoints.EndpointWithMapper",
    };
    const struct fact_def *row = part_def(p, type);

    if (row->flags & DEF_ABSTRACT)
        return false;
    for (uint32_t i = 0; i < row->bases_len; i++) {
        struct at base = {type.file,
                          part_facts(p, type.file)->lists[row->bases_at + i]};
        while (base.id && part_kind(p, base) == EXPR_GENERIC)
            base.id = part_expr(p, base)->a;
        for (size_t k = 0; k < sizeof(bases) / sizeof(bases[0]); k++)
            if (base.id && part_is(p, base, bases[k]))
                return true;
    }
    return false;
}

/* What the calls of one Configure() say. */
struct configured {
    struct parts *p;
    struct at type;
    struct at verbs;  /* `Verbs(Http.PUT, Http.PATCH)`, or id 0 */
    struct at routes; /* `Routes("/a", "/b")`, or id 0 */
    bool is_below;    /* something stands before it */
    bool has_version;
};

static void
enter(const struct configured *c, struct at call, str method)
{
    struct parts *p = c->p;
    const struct verb_rule rule = {FW_ASPNET, VERB_ROUTE, "Configure", NULL};
    struct verb_call v = {p, call, endpoints_router(p), &rule};
    uint32_t from = p->entry_len;
    uint32_t handler = part_method_of(p, c->type, STR("HandleAsync"));

    if (!handler)
        handler = part_method_of(p, c->type, STR("ExecuteAsync"));
    for (uint32_t i = 0; v.router && i < part_args(p, call); i++)
        (void)verb_route(&v, method, part_arg(p, call, i), handler);
    for (; c->is_below && from < p->entry_len; from++)
        p->entries[from].flags |= ENTRY_TAIL;
}

/* Get of `Get("/x")`; empty: none. */
static str
method_of(const struct parts *p, struct at call)
{
    static const char *const names[] = {"Get",   "Post", "Put",    "Delete",
                                        "Patch", "Head", "Options"};
    str word = part_word(p, part_callee(p, call));

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (str_eq(word, str_of(names[i])))
            return word;
    return STR("");
}

static void
note(struct configured *c, struct at call)
{
    str word = part_word(c->p, part_callee(c->p, call));

    if (str_eq(word, STR("Verbs")))
        c->verbs = call;
    else if (str_eq(word, STR("Routes")))
        c->routes = call;
    else if (str_eq(word, STR("Version")))
        c->has_version = true;
    else if (str_eq(word, STR("Group")) ||
             str_eq(word, STR("RoutePrefixOverride")))
        c->is_below = true;
}

typedef void each_fn(struct configured *c, struct at call);

/* Its own calls: `Post(..)`, of nothing. */
static void
each_call(struct configured *c, struct at def, each_fn *fn)
{
    struct parts *p = c->p;
    const struct part_of_def *of = part_of(p, def);
    uint32_t last = of ? of->last_expr : 0;

    for (uint32_t i = of ? of->first_expr : 0; i && i <= last; i++) {
        struct at call = {def.file, i};
        if (part_kind(p, call) == EXPR_CALL &&
            part_kind(p, part_callee(p, call)) == EXPR_NAME &&
            part_enclosing(p, call).id == def.id)
            fn(c, call);
    }
}

static void
enter_call(struct configured *c, struct at call)
{
    str method = method_of(c->p, call);

    if (method.len > 0)
        enter(c, call, method);
}

static void
look_at(struct parts *p, struct at def, struct at type)
{
    struct configured c = {
        .p = p, .type = type, .verbs = {def.file, 0}, .routes = {def.file, 0}};

    each_call(&c, def, note);
    if (c.has_version)
        return;
    each_call(&c, def, enter_call);
    for (uint32_t i = 0; c.verbs.id && c.routes.id && i < part_args(p, c.verbs);
         i++)
        enter(&c, c.routes, part_word(p, part_arg(p, c.verbs, i)));
}

void
routes_fastendpoints(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t d = 1; d < facts->def_len && !p->failed; d++) {
        struct at type = {file, facts->defs[d].parent};
        if (facts->defs[d].kind == CODE_METHOD && type.id &&
            part_def(p, type)->kind == CODE_TYPE &&
            str_eq(facts_text(facts, facts->defs[d].name), STR("Configure")) &&
            is_endpoint(p, type))
            look_at(p, (struct at){file, d}, type);
    }
}
