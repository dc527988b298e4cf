/*
 * A row is made when its name is known and completed when what stands before
 * and behind it has been read: rows move while others are appended, so they are
 * reached by number, never kept by address.
 */
#include "index/walk_def.h"

#include <string.h>

void
walk_mark(struct walk *w, struct walk_marks *marks, uint32_t expr,
          const char *const *tests)
{
    const struct fact_expr *mark = walk_expr(w, expr);

    if (expr == 0 || marks->list.len >= WALK_LIST_MAX)
        return;
    extract_list_add(w->x, &marks->list, expr);
    if (mark->kind == EXPR_CALL)
        mark = walk_expr(w, mark->a);
    for (; *tests; tests++)
        if (str_eq(facts_text(w->x->facts, mark->text), str_of(*tests)))
            marks->flags |= DEF_TEST_CASE;
}

void
walk_modifier(struct walk_marks *marks, str word, const struct walk_word *words)
{
    for (; words->word; words++)
        if (str_eq(word, str_of(words->word)))
            marks->flags |= words->flags;
    if (str_eq(word, STR("private")))
        marks->is_private = true;
    if (str_eq(word, STR("const")) || str_eq(word, STR("final")) ||
        str_eq(word, STR("readonly")))
        marks->is_const = true;
}

void
walk_marks_end(struct walk *w, uint32_t def, struct walk_marks *marks)
{
    uint32_t len;
    uint32_t at = extract_list_end(w->x, &marks->list, &len);

    walk_def(w, def)->marks_at = at;
    walk_def(w, def)->marks_len = len;
    walk_def(w, def)->flags |= marks->flags;
}

uint32_t
walk_define(struct walk *w, const struct walk_place *place, struct fact_def row)
{
    struct extract *x = w->x;
    TSNode at = ts_node_is_null(place->name) ? place->node : place->name;
    uint32_t from = place->from ? place->from : ts_node_start_byte(place->node);
    uint32_t to = ts_node_is_null(place->body)
                      ? ts_node_end_byte(place->node)
                      : ts_node_start_byte(place->body);

    row.parent = x->scope;
    if (row.name == 0)
        row.name = extract_str(x, place->name);
    if (row.name == 0 && !(row.flags & DEF_LAMBDA))
        return 0; /* the parser made it up */
    row.line = extract_line(at);
    row.col = extract_col(at);
    row.start_line = extract_line(place->node);
    row.end_line = ts_node_end_point(place->node).row + 1;
    row.signature = extract_signature_bytes(x, from, to);
    return facts_def(x->facts, &row);
}

void
walk_bases(struct walk *w, uint32_t def, struct extract_list *bases,
           uint32_t interfaces)
{
    uint32_t len;
    uint32_t at = extract_list_end(w->x, bases, &len);

    walk_def(w, def)->bases_at = at;
    walk_def(w, def)->bases_len = len;
    walk_def(w, def)->interfaces = interfaces < len ? interfaces : len;
}

struct walk_frame
walk_enter(struct walk *w, uint32_t def)
{
    struct walk_frame frame = {w->x->scope, w->nest};

    w->x->scope = def;
    w->nest = 0;
    return frame;
}

void
walk_leave(struct walk *w, struct walk_frame frame)
{
    w->x->scope = frame.scope;
    w->nest = frame.nest;
}

void
walk_body(struct walk *w, uint32_t def, TSNode body)
{
    struct walk_frame frame = walk_enter(w, def);

    walk_pass(w, body);
    walk_leave(w, frame);
}

void
walk_returned(struct walk *w, uint32_t def, TSNode body)
{
    struct walk_frame frame = walk_enter(w, def);

    walk_return(w, body, walk_value(w, body));
    walk_leave(w, frame);
}

str
walk_split(str dotted, str *last)
{
    const char *dot = dotted.len ? memrchr(dotted.ptr, '.', dotted.len) : NULL;
    size_t at = dot ? (size_t)(dot - dotted.ptr) : 0;

    *last = str_cut(dotted, dot ? at + 1 : 0, dotted.len);
    return str_cut(dotted, 0, at);
}

uint32_t
walk_wrapped(struct walk *w, TSNode at, str base, uint32_t inner)
{
    struct extract_list list = {0};
    struct fact_expr generic = {.kind = EXPR_GENERIC};

    generic.a =
        walk_put(w, at,
                 (struct fact_expr){.kind = EXPR_NAME,
                                    .text = facts_str(w->x->facts, base)});
    extract_list_add(w->x, &list, inner);
    return walk_put_list(w, at, generic, &list);
}

bool
walk_is_type(const struct walk *w, uint32_t def)
{
    uint8_t kind = w->x->facts->defs[def].kind;

    return kind == CODE_TYPE || kind == CODE_INTERFACE;
}

void
walk_return(struct walk *w, TSNode node, uint32_t value)
{
    if (value && walk_expr_kind(w, value) != EXPR_NUMBER)
        walk_bind(w, node,
                  (struct fact_bind){.kind = BIND_RETURN,
                                     .scope = w->x->scope,
                                     .value = value});
}

void
walk_assign(struct walk *w, TSNode node, uint32_t target, uint32_t value)
{
    if (target && value)
        walk_bind(w, node,
                  (struct fact_bind){.kind = BIND_ASSIGN,
                                     .scope = w->x->scope,
                                     .value = value,
                                     .target = target});
}

void
walk_hint(struct walk *w, uint32_t value, TSNode name)
{
    const struct fact_expr *expr = walk_expr(w, value);

    if (expr->kind == EXPR_LAMBDA && walk_def(w, expr->a)->name == 0)
        walk_def(w, expr->a)->name = extract_str(w->x, name);
}
