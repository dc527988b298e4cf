/*
 * Annotations.  `@A @B("x") class C` may come from the grammar as an
 * expression,
 * `@A @B ("x")`, and a class without annotations behind it.
 */
#include <string.h>

#include "index/lang_kotlin.h"

/* `@GetMapping("/a", "/b")` is given a list. */
static void
gather_values(struct walk *w, TSNode at, const struct extract_list *list,
              struct extract_list *into)
{
    const struct fact_expr *exprs = w->x->facts->exprs;
    struct extract_list values = {0};

    for (uint32_t i = 0; i < list->len; i++)
        if (exprs[list->items[i]].kind != EXPR_PAIR)
            extract_list_add(w->x, &values, list->items[i]);
    if (values.len == 1)
        extract_list_add(w->x, into, values.items[0]);
    for (uint32_t i = 0; i < list->len; i++)
        if (exprs[list->items[i]].kind == EXPR_PAIR)
            extract_list_add(w->x, into, list->items[i]);
    if (values.len > 1)
        extract_list_add(w->x, into,
                         walk_put_list(w, at,
                                       (struct fact_expr){.kind = EXPR_ARRAY},
                                       &values));
    else
        walk_drop(&values);
}

uint32_t
kotlin_mark(struct walk *w, TSNode node)
{
    TSNode call = walk_child(w, node, KT_CONSTRUCTOR_INVOCATION);
    struct extract_list list = {0};
    struct extract_list given = {0};
    struct kotlin *kotlin = w->language;
    bool was_annotation = kotlin->is_annotation;
    TSNode type = kotlin_type_child(w, ts_node_is_null(call) ? node : call);
    uint32_t callee = kotlin_type(w, type);

    if (ts_node_is_null(call))
        return callee;
    kotlin->is_annotation = true;
    kotlin_arguments(w, walk_child(w, call, KT_VALUE_ARGUMENTS), &list);
    kotlin->is_annotation = was_annotation;
    gather_values(w, type, &list, &given);
    walk_drop(&list);
    return walk_put_list(
        w, type, (struct fact_expr){.kind = EXPR_CALL, .a = callee}, &given);
}

void
kotlin_annotation(struct walk *w, TSNode node)
{
    (void)kotlin_mark(w, node);
}

/* The annotated expression within |node|, or null. */
static TSNode
inner_of(struct walk *w, TSNode node)
{
    return walk_child(w, node, KT_ANNOTATED_EXPRESSION);
}

/* The marks of |at| and of what it is around. */
static void
add_stray(struct walk *w, TSNode at, struct walk_marks *marks,
          const char *const *tests)
{
    for (; !ts_node_is_null(at); at = inner_of(w, at)) {
        TSNode given = walk_child(w, at, KT_PARENTHESIZED_EXPRESSION);
        uint32_t mark = kotlin_mark(w, walk_child(w, at, KT_ANNOTATION));
        struct extract_list list = {0};
        if (mark && !ts_node_is_null(given)) {
            walk_add(w, &list, given);
            mark = walk_put_list(
                w, given, (struct fact_expr){.kind = EXPR_CALL, .a = mark},
                &list);
        }
        walk_mark(w, marks, mark, tests);
    }
}

/* The name of `annotation class B`, whose words come as an operator and what it
 * stands between where marks are before them and no parameters behind. */
static TSNode
bare_name(struct walk *w, TSNode words)
{
    if (ts_node_is_null(words) || walk_len(words) != 3 ||
        !str_eq(extract_text(w->x, ts_node_named_child(words, 0)),
                STR("annotation")) ||
        !str_eq(extract_text(w->x, ts_node_named_child(words, 1)),
                STR("class")))
        return (TSNode){0};
    TSNode name = ts_node_named_child(words, 2);
    return walk_kind(w, name) == KT_CALL_EXPRESSION ? walk_child(w, name, 0)
                                                    : name;
}

static void
define_bare(struct walk *w, TSNode node, TSNode name)
{
    static const char *const no_tests[] = {NULL};
    struct walk_marks marks = {.flags = DEF_EXPORTED};
    uint32_t def =
        walk_define(w, &(struct walk_place){.node = node, .name = name},
                    (struct fact_def){.kind = CODE_TYPE});

    add_stray(w, node, &marks, no_tests);
    if (def)
        walk_marks_end(w, def, &marks);
    else
        walk_drop(&marks.list);
}

void
kotlin_stray(struct walk *w, TSNode node)
{
    struct kotlin *kotlin = w->language;
    TSNode last = node;

    while (!ts_node_is_null(inner_of(w, last)))
        last = inner_of(w, last);
    TSNode name = bare_name(w, walk_child(w, last, KT_INFIX_EXPRESSION));
    if (!ts_node_is_null(name))
        define_bare(w, node, name);
    else if (ts_node_is_null(walk_child(w, last, KT_PARENTHESIZED_EXPRESSION)))
        walk_children(w, node);
    else
        kotlin->stray = node;
}

/* Whether nothing but room is between. */
static bool
stands_before(const struct walk *w, TSNode stray, TSNode node)
{
    uint32_t at = ts_node_end_byte(stray);
    uint32_t end = ts_node_start_byte(node);

    if (at > end || end > w->x->source.len)
        return false;
    while (at < end && strchr(" \t\r\n", w->x->source.ptr[at]))
        at++;
    return at == end;
}

void
kotlin_stray_marks(struct walk *w, TSNode node, struct walk_marks *marks,
                   const char *const *tests)
{
    struct kotlin *kotlin = w->language;
    TSNode at = kotlin->stray;

    if (ts_node_is_null(at) || !stands_before(w, at, node))
        return;
    kotlin->stray = (TSNode){0};
    add_stray(w, at, marks, tests);
}
