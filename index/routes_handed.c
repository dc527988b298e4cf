/*
 * A method that hands its first parameter on to a router as the path: a call of
 * it is as good as one of the router's own method.
 *
 *     get(path, ...handlers) { this.router.get(path, ...handlers) }
 *     constructor() { super(); this.get('/cart', this.show) }
 *
 * Only for calls on `this`, whose class or base has the method; what the method
 * does with the other arguments is not asked.
 */
#include "index/routes_verbs.h"

bool
verb_is_own(struct parts *p, struct at callee)
{
    struct value value;

    return part_facts(p, callee.file)->lang == LANG_GO &&
           resolve_value(p->r, callee, &value) && value.kind == VALUE_DEF &&
           !(part_def(p, value.at)->flags & DEF_ABSTRACT);
}

/* Does |call|, in method |def|, give the first parameter as the path? */
static bool
hands_on(struct parts *p, struct at def, struct at call)
{
    struct at param = part_param(p, def, 0);
    struct at path = part_bare(p, part_arg(p, call, 0));
    struct at within = part_enclosing(p, call);

    return param.id && path.id && within.id == def.id &&
           part_kind(p, path) == EXPR_NAME &&
           str_eq(part_word(p, path),
                  part_str(p, def.file,
                           part_facts(p, def.file)->binds[param.id].name));
}

/* The router in the field that |call| is made on, of an object of |type|. */
static uint32_t
router_called(struct parts *p, struct at call, struct at type)
{
    struct at field = part_receiver(p, call);

    if (!field.id || part_kind(p, field) != EXPR_MEMBER)
        return 0;
    struct at object = {field.file, part_expr(p, field)->a};
    if (!object.id || part_kind(p, object) != EXPR_SELF)
        return 0;
    return router_of_field(p, type, part_word(p, field));
}

bool
verb_handed(struct verb_call *v)
{
    struct parts *p = v->p;
    struct at self = part_receiver(p, v->call);
    struct value type;
    struct at def;

    if (!self.id || part_kind(p, self) != EXPR_SELF ||
        part_args(p, v->call) < 2 || !resolve_type(p->r, self, &type) ||
        type.kind != VALUE_DEF ||
        !resolve_member(p->r, type.at, part_word(p, part_callee(p, v->call)),
                        &def) ||
        part_def(p, def)->kind != CODE_METHOD)
        return false;
    const struct facts *facts = part_facts(p, def.file);
    const struct part_of_def *of = part_of(p, def);
    for (uint32_t i = of ? of->first_expr : 0; i && i <= of->last_expr; i++) {
        struct at call = {def.file, i};

        if (facts->exprs[i].kind != EXPR_CALL || !hands_on(p, def, call))
            continue;
        v->router = router_called(p, call, type.at);
        if (!v->router)
            continue;
        v->rule = verb_find(p, (enum framework)p->routers[v->router].framework,
                            part_word(p, part_callee(p, call)));
        if (v->rule &&
            (v->rule->shape == VERB_ROUTE || v->rule->shape == VERB_KOA))
            return true;
    }
    return false;
}
