/*
 * What JavaScript files export: routers, and functions that are given one.
 */
#include "index/routes_nest.h"
#include "index/routes_rules.h"
#include "index/routes_verbs.h"

bool
nest_exported(struct parts *p, uint32_t file, struct value *out)
{
    const struct facts *facts = part_facts(p, file);

    *out = (struct value){.kind = VALUE_MADE};
    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        struct at target = {file, bind->target};
        if (bind->kind != BIND_ASSIGN || !bind->value ||
            part_kind(p, target) != EXPR_MEMBER ||
            !str_eq(part_word(p, target), STR("exports")))
            continue;
        if (part_function(p, (struct at){file, bind->value}, &out->at))
            out->kind = VALUE_DEF;
        else
            out->at = (struct at){file, bind->value};
        return true;
    }
    return resolve_export(p->r, file, STR("default"), out) &&
           (out->kind == VALUE_DEF || out->kind == VALUE_MADE);
}

/* require('./routes')(app): what the file exports is called. */
void
nest_required(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        struct at callee = {file, facts->exprs[i].a};
        struct value value;
        struct value exported;
        if (facts->exprs[i].kind != EXPR_CALL || part_args(p, call) == 0 ||
            (part_kind(p, callee) != EXPR_CALL &&
             part_kind(p, callee) != EXPR_NAME) ||
            !resolve_value(p->r, callee, &value) || value.kind != VALUE_FILE ||
            !nest_exported(p, value.at.file, &exported) ||
            exported.kind != VALUE_DEF)
            continue;
        for (uint32_t k = 0; k < part_args(p, call); k++) {
            uint32_t parent = router_of(p, part_arg(p, call, k));
            struct at param = part_param(p, exported.at, k);
            if (!parent || !param.id)
                continue;
            uint32_t child =
                router_make(p, SPACE_BIND, param,
                            (enum framework)p->routers[parent].framework, 0);
            router_mount_at(p, child, parent, 0, 0);
        }
    }
}
