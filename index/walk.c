/*
 * Values are built from below: the parts of an expression are rows before it
 * is, as facts_decode asks.  Sums are the one kind of expression that people,
 * and more so programs, nest by the hundred, so they are walked down the left
 * side with a list and not with the stack.
 */
#include "index/walk.h"

#include <stdlib.h>

uint32_t
walk_value(struct walk *w, TSNode node)
{
    const struct walk_rule *rule = &w->rules[walk_kind(w, node)];
    uint32_t expr;

    if (!rule->value) {
        walk_pass(w, node);
        return 0;
    }
    if (!extract_enter(w->x))
        return 0;
    expr = rule->value(w, node);
    extract_leave(w->x);
    return expr;
}

void
walk_pass(struct walk *w, TSNode node)
{
    if (ts_node_is_null(node) || ts_node_is_error(node))
        return;
    const struct walk_rule *rule = &w->rules[walk_kind(w, node)];

    if (!rule->pass && !rule->is_kept && ts_node_child_count(node) == 0)
        return;
    if (!extract_enter(w->x))
        return;
    if (rule->pass)
        rule->pass(w, node);
    else if (rule->is_kept && rule->value)
        (void)rule->value(w, node);
    else
        walk_children(w, node);
    extract_leave(w->x);
}

uint32_t
walk_deeper(struct walk *w, TSNode node, walk_value_fn *fn)
{
    uint32_t made;

    if (ts_node_is_null(node) || !extract_enter(w->x))
        return 0;
    made = fn(w, node);
    extract_leave(w->x);
    return made;
}

/* What does not parse may have whole definitions in it; words are none. */
static void
each(struct walk *w, TSNode node, bool is_rest, walk_fn *fn, void *ctx)
{
    bool is_root = ts_node_eq(node, w->x->root);
    TSTreeCursor cursor = ts_tree_cursor_new(node);

    for (bool more = ts_tree_cursor_goto_first_child(&cursor); more;
         more = ts_tree_cursor_goto_next_sibling(&cursor)) {
        TSNode child = ts_tree_cursor_current_node(&cursor);
        bool is_word = ts_node_child_count(child) == 0;
        if (ts_node_is_error(child) && is_root)
            each(w, child, true, fn, ctx);
        else if (ts_node_is_named(child) && !ts_node_is_extra(child) &&
                 !ts_node_is_error(child) && !(is_word && is_rest))
            fn(w, child, ctx);
    }
    ts_tree_cursor_delete(&cursor);
}

void
walk_each(struct walk *w, TSNode node, walk_fn *fn, void *ctx)
{
    if (!ts_node_is_null(node) &&
        (!ts_node_is_error(node) || ts_node_eq(node, w->x->root)))
        each(w, node, false, fn, ctx);
}

static void
pass_child(struct walk *w, TSNode node, void *ctx)
{
    (void)ctx;
    walk_pass(w, node);
}

void
walk_children(struct walk *w, TSNode node)
{
    walk_each(w, node, pass_child, NULL);
}

TSNode
walk_child(struct walk *w, TSNode node, uint16_t kind)
{
    TSNode found = {0};

    if (ts_node_is_null(node))
        return found;
    TSTreeCursor cursor = ts_tree_cursor_new(node);

    for (bool more = ts_tree_cursor_goto_first_child(&cursor);
         more && ts_node_is_null(found);
         more = ts_tree_cursor_goto_next_sibling(&cursor)) {
        TSNode child = ts_tree_cursor_current_node(&cursor);
        if (ts_node_is_named(child) && !ts_node_is_extra(child) &&
            (kind == 0 || walk_kind(w, child) == kind))
            found = child;
    }
    ts_tree_cursor_delete(&cursor);
    return found;
}

bool
walk_has(struct walk *w, TSNode node, str token)
{
    bool found = false;

    if (ts_node_is_null(node))
        return false;
    TSTreeCursor cursor = ts_tree_cursor_new(node);

    for (bool more = ts_tree_cursor_goto_first_child(&cursor); more && !found;
         more = ts_tree_cursor_goto_next_sibling(&cursor))
        found = str_eq(extract_text(w->x, ts_tree_cursor_current_node(&cursor)),
                       token);
    ts_tree_cursor_delete(&cursor);
    return found;
}

uint32_t
walk_put(struct walk *w, TSNode at, struct fact_expr expr)
{
    expr.scope = w->x->scope;
    expr.line = extract_line(at);
    expr.col = extract_col(at);
    return facts_expr(w->x->facts, &expr);
}

uint32_t
walk_put_list(struct walk *w, TSNode at, struct fact_expr expr,
              struct extract_list *list)
{
    expr.list_at = extract_list_end(w->x, list, &expr.list_len);
    return walk_put(w, at, expr);
}

uint32_t
walk_name(struct walk *w, TSNode node)
{
    str_id text = extract_str(w->x, node);

    if (text == 0)
        return 0;
    return walk_put(w, node,
                    (struct fact_expr){.kind = EXPR_NAME, .text = text});
}

uint32_t
walk_member(struct walk *w, uint32_t object, TSNode name)
{
    return walk_put(w, name,
                    (struct fact_expr){.kind = EXPR_MEMBER,
                                       .a = object,
                                       .text = extract_str(w->x, name)});
}

uint32_t
walk_unary(struct walk *w, TSNode at, enum expr_kind kind, uint32_t a)
{
    return walk_put(w, at, (struct fact_expr){.kind = (uint8_t)kind, .a = a});
}

uint32_t
walk_alt(struct walk *w, TSNode at, uint32_t first, uint32_t second)
{
    struct extract_list list = {0};

    if (first == 0 || second == 0)
        return first ? first : second;
    extract_list_add(w->x, &list, first);
    extract_list_add(w->x, &list, second);
    return walk_put_list(w, at, (struct fact_expr){.kind = EXPR_ALT}, &list);
}

void
walk_add(struct walk *w, struct extract_list *list, TSNode node)
{
    if (list->len < WALK_LIST_MAX)
        extract_list_add(w->x, list, walk_value(w, node));
    else
        walk_pass(w, node);
}

void
walk_drop(struct extract_list *list)
{
    if (list->items != list->inline_items)
        free(list->items);
    *list = (struct extract_list){0};
}

void
walk_add_each(struct walk *w, TSNode node, void *list)
{
    walk_add(w, list, node);
}

uint32_t
walk_literal(struct walk *w, TSNode node, enum expr_kind kind, walk_fn *fn)
{
    struct extract_list list = {0};

    if (w->nest >= WALK_NEST_MAX) {
        walk_children(w, node);
        return 0;
    }
    w->nest++;
    walk_each(w, node, fn, &list);
    w->nest--;
    return walk_put_list(w, node, (struct fact_expr){.kind = (uint8_t)kind},
                         &list);
}

/* A sum of names may be one of strings or lists; one with a number or a call
 * may too, but only a string or list in it says so. */
static bool
is_string_sum(const struct walk *w, const struct extract_list *list)
{
    bool all_names = true;

    for (uint32_t i = 0; i < list->len; i++) {
        enum expr_kind kind = walk_expr_kind(w, list->items[i]);

        if (kind == EXPR_STRING || kind == EXPR_CONCAT || kind == EXPR_ARRAY)
            return true;
        all_names = all_names && (kind == EXPR_NAME || kind == EXPR_MEMBER);
    }
    return all_names;
}

uint32_t
walk_sum(struct walk *w, TSNode node, uint16_t left, uint16_t right,
         walk_is_fn *is_sum)
{
    TSNode operands[WALK_SUM_MAX];
    struct extract_list list = {0};
    uint32_t len = 0;
    TSNode at = node;

    for (; len < WALK_SUM_MAX - 1 && is_sum(w, at);
         at = walk_field(w, at, left))
        operands[len++] = walk_field(w, at, right);
    operands[len++] = at;
    while (len > 0)
        walk_add(w, &list, operands[--len]);
    if (is_string_sum(w, &list))
        return walk_put_list(w, node, (struct fact_expr){.kind = EXPR_CONCAT},
                             &list);
    walk_drop(&list);
    return 0;
}

void
walk_bind(struct walk *w, TSNode at, struct fact_bind bind)
{
    bind.line = extract_line(at);
    facts_bind(w->x->facts, &bind);
}
