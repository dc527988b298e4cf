/*
 * Carter: classes that implement ICarterModule are found by the library, which
 * gives them what `MapCarter()` is called on.  They are below one router of its
 * own, whose place is not known where nobody calls that.  What stands before a
 * CarterModule, its base may say; it is not read.
 */
#include "index/routes_nest.h"
#include "index/routes_rules.h"

static uint32_t
modules_router(struct parts *p)
{
    struct at at = {UINT32_MAX, FW_ASPNET};

    return router_make(p, SPACE_NAMED, at, FW_ASPNET, ROUTER_OPEN);
}

static bool
is_module(struct parts *p, struct at type)
{
    const struct fact_def *row = part_def(p, type);

    if (row->kind != CODE_TYPE)
        return false;
    for (uint32_t i = 0; i < row->bases_len; i++) {
        struct at base = {type.file,
                          part_facts(p, type.file)->lists[row->bases_at + i]};
        if (part_is(p, base, "Carter.ICarterModule"))
            return true;
    }
    return false;
}

void
carter_nests(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t d = 1; d < facts->def_len && !p->failed; d++) {
        struct at type = {file, facts->defs[d].parent};
        if (facts->defs[d].kind != CODE_METHOD || !type.id ||
            !str_eq(facts_text(facts, facts->defs[d].name), STR("AddRoutes")) ||
            !is_module(p, type))
            continue;
        struct at param = part_param(p, (struct at){file, d}, 0);
        if (param.id)
            router_mount_at(p, router_of_param(p, param), modules_router(p), 0,
                            0);
    }
}

void
nest_carter(const struct verb_call *v)
{
    router_mount_at(v->p, modules_router(v->p), v->router, 0, 0);
}
