/*
 * Which of several methods of one name overrides that of a base.
 */
#include "index/routes_marks.h"

static uint32_t
params_of(struct parts *p, struct at def)
{
    uint32_t count = 0;

    while (part_param(p, def, count).id)
        count++;
    return count;
}

/* The name of the type of parameter |i|; empty: not told, or, as T and ID are,
 * perhaps one that its heirs say. */
static str
param_type(struct parts *p, struct at def, uint32_t i)
{
    struct at bind = part_param(p, def, i);
    struct at type = {bind.file, part_facts(p, bind.file)->binds[bind.id].type};

    if (part_kind(p, type) == EXPR_GENERIC)
        type.id = part_expr(p, type)->a;
    if (part_kind(p, type) != EXPR_NAME && part_kind(p, type) != EXPR_MEMBER)
        return (str){"", 0};
    str word = part_word(p, type);
    for (size_t k = 0; k < word.len; k++)
        if (word.ptr[k] >= 'a' && word.ptr[k] <= 'z')
            return word;
    return (str){"", 0};
}

/* Whether |own| may be what overrides |base|. */
static bool
takes_the_same(struct parts *p, struct at base, struct at own)
{
    uint32_t count = params_of(p, base);

    if (params_of(p, own) != count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        str wanted = param_type(p, base, i);
        str type = param_type(p, own, i);
        if (wanted.len > 0 && type.len > 0 && !str_eq(wanted, type))
            return false;
    }
    return true;
}

void
marks_overload(struct parts *p, struct at base, struct at *own)
{
    const struct fact_def *found = part_def(p, *own);

    if ((own->file == base.file &&
         found->parent == part_def(p, base)->parent)) {
        *own = base;
        return;
    }
    if (takes_the_same(p, base, *own))
        return;
    const struct facts *facts = part_facts(p, own->file);
    str name = facts_text(facts, found->name);
    for (uint32_t d = 1; d < facts->def_len; d++) {
        struct at other = {own->file, d};
        if (facts->defs[d].parent == found->parent &&
            str_eq(facts_text(facts, facts->defs[d].name), name) &&
            takes_the_same(p, base, other)) {
            *own = other;
            return;
        }
    }
    *own = base;
}
