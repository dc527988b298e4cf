/*
 * Loops that do not take each item of a list by itself, and those whose items
 * are modules.
 */
#include "index/routes_nest.h"
#include "index/routes_turns.h"
#include "index/routes_verbs.h"

/* The collection that the loop which binds |bind| goes through, or 0. */
static uint32_t
over_of(const struct facts *facts, const struct fact_bind *bind)
{
    const struct fact_expr *value = &facts->exprs[bind->value];

    return value->kind == EXPR_ELEM ? value->a : 0;
}

/* Python's `for a, b in zip(as, bs)` goes through both at once. */
static bool
is_zipped(struct parts *p, struct at over)
{
    const struct facts *facts = part_facts(p, over.file);
    const struct fact_bind *own = NULL;

    if (facts->lang != LANG_PYTHON)
        return false;
    p->loop_rows += facts->bind_len;
    for (uint32_t i = 1; i < facts->bind_len && !own; i++)
        if (over_of(facts, &facts->binds[i]) == over.id)
            own = &facts->binds[i];
    for (uint32_t i = 1; own && i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        uint32_t other = over_of(facts, bind);
        if (other && other != over.id && bind->line == own->line &&
            bind->scope == own->scope)
            return true;
    }
    return false;
}

/* `list.slice(1)`, `list.filter(f)`: not all of a list, or others. */
static bool
is_cut_down(struct parts *p, struct at over)
{
    static const char *const cuts[] = {"slice", "filter",   "splice", "concat",
                                       "map",   "flatMap",  "flat",   "shift",
                                       "pop",   "toSpliced"};
    struct at bound = part_bound(p, over);

    over = bound.id ? bound : over;
    if (part_kind(p, over) == EXPR_CAST && part_expr(p, over)->list_len == 0 &&
        part_facts(p, over.file)->lang == LANG_PYTHON)
        return true; /* `list[1:]` */
    over = part_bare(p, over);
    if (part_kind(p, over) != EXPR_CALL || !part_receiver(p, over).id)
        return false;
    str word = part_word(p, part_callee(p, over));
    for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++)
        if (str_eq(word, str_of(cuts[i])))
            return true;
    return false;
}

bool
turn_takes_all(struct parts *p, struct at over)
{
    return !is_zipped(p, over) && !is_cut_down(p, over);
}

/* ---- modules ---- */

/* `exports.name = value` */
static bool
is_exported_as(const struct parts *p, struct at target, str name)
{
    struct at object = {target.file, part_expr(p, target)->a};

    return target.id && part_kind(p, target) == EXPR_MEMBER && object.id &&
           str_eq(part_word(p, target), name) &&
           str_eq(part_word(p, object), STR("exports"));
}

/* What a module binds at its top, or adds to its exports, if once. */
static struct at
bound_at_top(struct parts *p, uint32_t file, str name)
{
    const struct facts *facts = part_facts(p, file);
    struct at found = {file, 0};

    p->loop_rows += facts->bind_len;
    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        bool is_it =
            bind->kind == BIND_ASSIGN
                ? is_exported_as(p, (struct at){file, bind->target}, name)
                : bind->kind == BIND_LOCAL &&
                      str_eq(facts_text(facts, bind->name), name);
        if (bind->scope != 0 || !is_it)
            continue;
        if (found.id)
            return (struct at){file, 0};
        found.id = bind->value;
    }
    return found;
}

struct at
turn_of_module(struct parts *p, struct at item, str name)
{
    struct at object;
    struct at found = {item.file, 0};
    struct value value;

    if (p->loop_rows > TURN_ROWS_MAX || !resolve_value(p->r, item, &value) ||
        value.kind != VALUE_FILE)
        return found;
    uint32_t file = value.at.file;
    if (part_facts(p, file)->lang != LANG_PYTHON &&
        nest_exported(p, file, &value) && value.kind == VALUE_MADE &&
        part_literal(p, value.at, &object) &&
        part_kind(p, object) == EXPR_OBJECT)
        found = part_field(p, object, name);
    return found.id ? found : bound_at_top(p, file, name);
}
