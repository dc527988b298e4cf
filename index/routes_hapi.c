/*
 * Hapi: what plugins that are registered put on a server, and where.
 */
#include "index/routes_nest.h"
#include "index/routes_verbs.h"

/* The object of a plugin; a module may have it as `plugin`. */
static bool
plugin_object(struct parts *p, struct at expr, struct at *out)
{
    struct value value;

    if (part_literal(p, expr, out))
        return true;
    if (!out->id || !resolve_value(p->r, *out, &value) ||
        value.kind != VALUE_FILE ||
        !resolve_export(p->r, value.at.file, STR("plugin"), &value) ||
        value.kind != VALUE_MADE)
        return false;
    *out = value.at;
    return true;
}

/* A module may be a plugin itself: `exports.register = function (server) {}`.
 */
static bool
plugin_exported(struct parts *p, struct at expr, struct at *out)
{
    struct value value;

    expr = part_bare(p, expr);
    if (!expr.id || !resolve_value(p->r, expr, &value) ||
        value.kind != VALUE_FILE ||
        !resolve_export(p->r, value.at.file, STR("register"), &value) ||
        value.kind != VALUE_DEF)
        return false;
    *out = value.at;
    return true;
}

static void
give_plugin(const struct verb_call *v, struct at def, struct at routes)
{
    struct parts *p = v->p;
    struct verb_path prefix = {0, false};
    struct at named = part_named(p, routes, v->rule->detail);

    if (named.id && !verb_prefix(p, named, &prefix))
        prefix.is_tail = true;
    nest_function(v, def, v->router, &prefix);
}

/* Hapi: `{plugin, routes: {prefix}}`, or the plugin, its prefix in |routes|. */
static void
nest_plugin(const struct verb_call *v, struct at expr, struct at routes,
            unsigned depth)
{
    enum { DEPTH_MAX = 4 };
    struct parts *p = v->p;
    struct at object;
    struct at def;

    if (depth == DEPTH_MAX)
        return;
    if (!plugin_object(p, expr, &object)) {
        if (plugin_exported(p, expr, &def))
            give_plugin(v, def, routes);
        return;
    }
    struct at given = part_named(p, object, "register");
    struct at plugin = part_named(p, object, "plugin");
    struct at own = part_named(p, object, "routes");
    if (part_kind(p, object) == EXPR_ARRAY) {
        for (uint32_t i = 0; i < part_expr(p, object)->list_len; i++)
            nest_plugin(v, part_list(p, object, i), routes, depth + 1);
    } else if (plugin.id) {
        nest_plugin(v, plugin, own.id ? own : routes, depth + 1);
    } else if (given.id && nest_given(p, given, &def)) {
        give_plugin(v, def, routes);
    }
}

void
nest_hapi(const struct verb_call *v)
{
    struct at routes = part_named(v->p, v->call, "routes");

    nest_plugin(v, part_arg(v->p, v->call, 0), routes, 0);
}
