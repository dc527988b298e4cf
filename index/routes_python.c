/*
 * Falcon, whose handlers go by names, Bottle's default application, and what
 * Flask's extensions and Sanic nest.
 */
#include <stdio.h>
#include <string.h>

#include "index/routes_rules.h"
#include "index/routes_turns.h"
#include "index/routes_verbs.h"

/* ---- Falcon: add_route("/x", Resource(), suffix="all"), on_get_all ---- */

static void
falcon(struct parts *p, struct at call)
{
    static const char *const methods[] = {"get",    "post", "put",    "patch",
                                          "delete", "head", "options"};
    struct verb_rule rule = {.framework = FW_FALCON};
    struct verb_call v = {p, call, router_of(p, part_receiver(p, call)), &rule};
    struct at named = part_named(p, call, "suffix");
    struct at path = part_arg(p, call, 0);
    struct at resource = part_arg(p, call, 1);
    struct buf suffix = {0};
    struct at type;
    char name[128];

    if (!path.id)
        path = part_named(p, call, "uri_template");
    if (!resource.id)
        resource = part_named(p, call, "resource");
    if (!v.router || p->routers[v.router].framework != FW_FALCON ||
        !verb_class_of(p, resource, &type))
        return;
    bool is_known = !named.id || part_text(p, named, false, &suffix).ok;
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]) && is_known;
         i++) {
        int len = snprintf(name, sizeof(name), "on_%s%s%.*s", methods[i],
                           suffix.len ? "_" : "", (int)suffix.len, suffix.ptr);
        uint32_t node = len > 0 && (size_t)len < sizeof(name)
                            ? part_method_of(p, type, str_of(name))
                            : 0;
        if (node)
            (void)verb_route(&v, str_of(methods[i]), path, node);
    }
    buf_fini(&suffix);
}

struct turned {
    struct parts *p;
    struct at call;
};

static void
falcon_turn(void *ctx)
{
    const struct turned *turned = ctx;

    falcon(turned->p, turned->call);
}

/* ---- Bottle: @get("/x"), @bottle.route("/x"), of the default application */

/* The rule of a function of the module, whatever a file imports it as. */
static const struct verb_rule *
bottle_rule(struct parts *p, struct at callee)
{
    struct origin origin;
    char path[32];

    if (!part_origin(p, callee, &origin))
        return NULL;
    str word = str_starts(origin.path, STR("bottle."))
                   ? str_cut(origin.path, 7, origin.path.len)
                   : origin.path;
    const struct verb_rule *rule = verb_find(p, FW_BOTTLE, word);
    if (!rule || rule->shape != VERB_MARK)
        return NULL;
    (void)snprintf(path, sizeof(path), "bottle.%s", rule->name);
    return origin_is(p, &origin, path) ? rule : NULL;
}

static void
bottle_default(struct parts *p, struct at call)
{
    struct at at = {UINT32_MAX, (uint32_t)FW_BOTTLE};
    struct verb_call v = {
        .p = p, .call = call, .rule = bottle_rule(p, part_callee(p, call))};

    if (v.rule)
        v.router = router_make(p, SPACE_NAMED, at, FW_BOTTLE, 0);
    if (v.router)
        verb_mark(&v);
}

/* ---- Api(app), Api(blueprint): Flask-RESTful and its likes ---- */

static void
flask_api(struct parts *p, struct at call)
{
    static const char *const makers[] = {"flask_restful.Api", "flask_restx.Api",
                                         "flask_smorest.Api"};
    struct at app = part_arg(p, call, 0);
    bool is_api = false;

    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
        is_api |= part_is(p, part_callee(p, call), makers[i]);
    if (!app.id)
        app = part_field(p, call, STR("app"));
    uint32_t parent = is_api && app.id ? router_of(p, app) : 0;
    if (parent)
        router_mount_at(p, router_of(p, call), parent, 0, 0);
}

void
python_nests(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    bool has_api = part_imports(p, file, "flask_restful") ||
                   part_imports(p, file, "flask_restx") ||
                   part_imports(p, file, "flask_smorest");

    if (part_imports(p, file, "sanic"))
        sanic_nests(p, file);
    if (!has_api)
        return;
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        flask_api(p, call);
    }
}

void
routes_python(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    bool has_bottle = part_imports(p, file, "bottle");

    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL)
            continue;
        if (has_bottle)
            bottle_default(p, call);
        if (str_eq(part_word(p, part_callee(p, call)), STR("add_route")))
            turn_each(p, call, falcon_turn, &(struct turned){p, call});
    }
}
