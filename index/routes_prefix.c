/*
 * The prefix that a router is made with: an argument, or what the constructor
 * of a derived class gives its base.
 *
 *     class Shop(APIRouter):
 *         def __init__(self, path, **more):
 *             super().__init__(prefix=path, **more)
 */
#include "index/routes_table.h"

struct at
prefix_arg(struct parts *p, struct at call, const char *name)
{
    struct at named =
        name ? part_option(p, call, name) : (struct at){call.file, 0};

    return named.id ? named : part_arg(p, call, 0);
}

/* `admin.`, `*.`, even `/admin.`, but not `admin./v1`, which is a path. */
bool
prefix_is_host(const struct parts *p, uint8_t framework, text_id prefix)
{
    return framework == FW_IRIS &&
           str_ends(texts_get(&p->texts, prefix), STR("."));
}

/* `super().__init__(...)` in the constructor of |def| itself. */
static struct at
base_call(struct parts *p, struct at def)
{
    const struct facts *facts = part_facts(p, def.file);

    if (p->lookups++ > PART_LOOKUPS_MAX)
        return (struct at){def.file, 0};
    for (uint32_t i = 1; i < facts->expr_len; i++) {
        struct at call = {def.file, i};
        const struct fact_def *in = &facts->defs[facts->exprs[i].scope];
        if (facts->exprs[i].kind != EXPR_CALL || in->parent != def.id ||
            !(in->flags & DEF_CTOR))
            continue;
        struct at base = part_receiver(p, call);
        if (base.id && part_kind(p, base) == EXPR_SUPER &&
            str_eq(part_word(p, part_callee(p, call)), STR("__init__")))
            return call;
    }
    return (struct at){def.file, 0};
}

/* What |call| passes as the constructor's parameter that |name| is; the name
 * itself if it is none. */
static struct at
passed_as(struct parts *p, struct at name, struct at call)
{
    enum { PARAMS_MAX = 16 };
    const struct facts *facts = part_facts(p, name.file);
    struct at def = {name.file, part_expr(p, name)->scope};
    str word = part_word(p, name);

    for (uint32_t k = 0; k < PARAMS_MAX; k++) {
        struct at bind = part_param(p, def, k);
        if (!bind.id)
            break;
        const struct fact_bind *row = &facts->binds[bind.id];
        if (!str_eq(facts_text(facts, row->name), word))
            continue;
        struct at given = part_field(p, call, word);
        if (!given.id)
            given = part_arg(p, call, k);
        return given.id ? given : (struct at){name.file, row->value};
    }
    return name;
}

struct at
made_prefix(struct parts *p, const char *rule, struct at call, struct at def)
{
    struct at base = {call.file, 0};
    bool takes_second = rule[0] == MAKER_SECOND[0];

    rule += takes_second;
    if (str_eq(str_of(rule), STR(MAKER_FIRST))) {
        struct at first = part_arg(p, call, 0);
        return first.id ? first : part_named(p, call, "path");
    }
    if (str_eq(str_of(rule), STR(MAKER_PATH))) {
        struct at third = part_arg(p, call, 2);
        return third.id ? third : prefix_arg(p, call, "path");
    }
    if (def.id && part_facts(p, def.file)->lang == LANG_PYTHON)
        base = base_call(p, def);
    struct at given =
        base.id ? part_field(p, base, str_of(rule)) : (struct at){base.file, 0};
    if (!given.id)
        given = part_option(p, call, rule);
    else if (part_kind(p, given) == EXPR_NAME)
        given = passed_as(p, given, call);
    return given.id || def.id || !takes_second ? given : part_arg(p, call, 1);
}
