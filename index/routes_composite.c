/*
 * Go's composite literals, as loops go through them.
 */
#include "index/routes_turns.h"

enum { NAMED_MAX = 8 }; /* types that stand for one another */

static struct at element_type(struct parts *p, struct at made);

/* The type that a literal of Go is made of; of `type Routes []Route` what
 * stands for it. */
static struct at
composite_type(struct parts *p, struct at made)
{
    struct at type = {made.file, part_expr(p, made)->a};
    struct value value;

    if (!type.id)
        type = element_type(p, made);
    for (unsigned n = 0; n < NAMED_MAX && type.id; n++) {
        if (part_kind(p, type) == EXPR_GENERIC ||
            !resolve_value(p->r, type, &value) || value.kind != VALUE_DEF ||
            !part_def(p, value.at)->type)
            break;
        type = (struct at){value.at.file, part_def(p, value.at)->type};
    }
    return type;
}

bool
composite_is(struct parts *p, struct at *expr)
{
    struct value value;

    struct at made = *expr;

    if (part_facts(p, made.file)->lang != LANG_GO)
        return false;
    made = part_bare(p, made);
    if (!made.id)
        return false;
    if (part_kind(p, made) != EXPR_NEW && resolve_value(p->r, made, &value) &&
        value.kind == VALUE_MADE)
        made = value.at;
    if (part_kind(p, made) != EXPR_NEW ||
        part_kind(p, composite_type(p, made)) != EXPR_GENERIC)
        return false;
    *expr = made;
    return true;
}

/* Of `{"GET", "/x"}`, which says none itself, what the list that it is gone
 * through in is of. */
static struct at
element_type(struct parts *p, struct at made)
{
    for (const struct part_turn *turn = p->turn; turn; turn = turn->outer) {
        struct at list = turn->over;
        struct at item = turn->item;
        if (item.id && part_kind(p, item) == EXPR_PAIR)
            item.id = part_expr(p, item)->a;
        if (!list.id || item.file != made.file || item.id != made.id ||
            !composite_is(p, &list))
            continue;
        struct at type = composite_type(p, list);
        uint32_t len = part_expr(p, type)->list_len;
        return len ? part_list(p, type, len - 1) : (struct at){type.file, 0};
    }
    return (struct at){made.file, 0};
}

struct at
composite_field(struct parts *p, struct at made, str name)
{
    struct at type = {made.file, part_expr(p, made)->a};
    struct value value = {0};
    uint32_t place = 0;

    if (!type.id)
        type = element_type(p, made);
    if (part_kind(p, type) == EXPR_OBJECT) {
        for (; place < part_expr(p, type)->list_len; place++)
            if (str_eq(part_word(p, part_list(p, type, place)), name))
                return part_arg(p, made, place);
        return (struct at){made.file, 0};
    }
    if (!resolve_value(p->r, type, &value) || value.kind != VALUE_DEF)
        return (struct at){made.file, 0};
    const struct facts *facts = part_facts(p, value.at.file);
    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        if (bind->kind != BIND_FIELD || bind->scope != value.at.id)
            continue;
        if (str_eq(facts_text(facts, bind->name), name))
            return part_arg(p, made, place);
        place++;
    }
    return (struct at){made.file, 0};
}
