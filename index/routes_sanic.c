/*
 * Sanic: versions, which are before all of a path, and groups of blueprints.
 *
 *     @app.get("/x", version=1)
 *     shop = Blueprint("shop", url_prefix="/shop", version="1.1")
 *     api = Blueprint.group(shop, [users], url_prefix="/api",
 *                           version_prefix="/api/v")
 *
 * A group is a router; what it says of the version is for what is below it and
 * does not say so itself, the number and what is before it each by itself.
 */
#include "index/routes_router.h"

static bool
is_group_call(struct parts *p, struct at call)
{
    return part_is(p, part_callee(p, call), "sanic.Blueprint.group") ||
           part_is(p, part_callee(p, call), "sanic.blueprints.Blueprint.group");
}

bool
sanic_is_group(const struct parts *p, uint32_t id)
{
    const struct router *router = &p->routers[id];

    return router->framework == FW_SANIC && router->space == SPACE_EXPR &&
           str_eq(part_word(p, part_callee(p, router->at)), STR("group"));
}

static void
group_item(struct parts *p, uint32_t group, struct at item, unsigned depth)
{
    enum { DEPTH_MAX = 4 };
    struct at list;

    if (depth == DEPTH_MAX || !part_literal(p, item, &list) ||
        part_kind(p, list) != EXPR_ARRAY) {
        router_mount_at(p, router_of(p, item), group, 0, 0);
        return;
    }
    for (uint32_t i = 0; i < part_expr(p, list)->list_len; i++)
        group_item(p, group, part_list(p, list, i), depth + 1);
}

void
sanic_nests(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL || !is_group_call(p, call))
            continue;
        uint32_t group = router_of(p, call);
        for (uint32_t k = 0; k < part_args(p, call); k++)
            group_item(p, group, part_arg(p, call, k), 0);
    }
}

/* The text that |call| names so; false: it is not known. */
static bool
said_text(struct parts *p, struct at call, const char *name, text_id *out)
{
    struct at said = part_named(p, call, name);
    struct buf text = {0};

    *out = 0;
    if (!said.id || part_is_none(p, said))
        return true;
    bool is_known = part_text(p, said, false, &text).ok;
    *out = part_keep(p, &text, 0);
    return is_known;
}

bool
sanic_version(struct parts *p, struct at call, struct route_version *out)
{
    bool has_number = said_text(p, call, "version", &out->number);
    bool has_prefix = said_text(p, call, "version_prefix", &out->prefix);
    str number = texts_get(&p->texts, out->number);

    while (str_starts(number, STR("v")))
        number = str_cut(number, 1, number.len);
    out->number = texts_add(&p->texts, number);
    if (str_eq(texts_get(&p->texts, out->prefix), STR("/v")))
        out->prefix = 0; /* as good as none */
    return has_number && has_prefix;
}
