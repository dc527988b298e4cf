/*
 * walk - a walk over a syntax tree by a table of rules, one a kind of node.
 *
 * Each node is met once: as a value, when somebody wants it as an expression,
 * or in passing, when only what stands in it counts.  A rule says what to do in
 * each case; a kind without a rule is passed through to its children.  Calls
 * and lambdas are values even in passing, because facts keep all of them.
 *
 *     static const struct walk_rule rules[KIND_END] = {
 *         [KIND_CALL] = {.value = call, .is_kept = true},
 *         [KIND_IF] = {.pass = if_statement},
 *     };
 *     struct walk walk = {.x = x, .rules = rules};
 *     walk_children(&walk, x->root);
 *
 * Nothing that stands in an ERROR node is met.
 *
 * Bound      extract_enter's depth; WALK_LIST_MAX entries of a list and
 *            WALK_NEST_MAX literals in each other become expressions, what is
 *            beyond is met in passing.
 * Threads    One walk, one thread.
 */
#ifndef INDEX_WALK_H
#define INDEX_WALK_H

#include "index/extract.h"

enum { WALK_LIST_MAX = 64, WALK_NEST_MAX = 8, WALK_SUM_MAX = 256 };

struct walk;

/* Returns an expression; 0 where it is none that facts keep. */
typedef uint32_t walk_value_fn(struct walk *w, TSNode node);
typedef void walk_pass_fn(struct walk *w, TSNode node);

struct walk_rule {
    walk_value_fn *value; /* NULL: passed through, and 0 */
    walk_pass_fn *pass;   /* NULL: to the children, or |value| if is_kept */
    bool is_kept;
};

struct walk {
    struct extract *x;
    const struct walk_rule *rules;
    uint32_t nest;  /* literals that the walk is in */
    void *language; /* what an extractor keeps beside */
};

/* walk_kind is the number of a node's kind; 0: unknown, an error, null. */
static inline uint16_t
walk_kind(const struct walk *w, TSNode node)
{
    if (ts_node_is_null(node) || ts_node_is_error(node))
        return 0;
    return w->x->symbols[ts_node_symbol(node)];
}

static inline TSNode
walk_field(const struct walk *w, TSNode node, uint16_t field)
{
    return ts_node_is_null(node) ? node : extract_field(w->x, node, field);
}

static inline uint32_t
walk_len(TSNode node)
{
    return ts_node_is_null(node) ? 0 : ts_node_named_child_count(node);
}

uint32_t walk_value(struct walk *w, TSNode node);
void walk_pass(struct walk *w, TSNode node);
void walk_children(struct walk *w, TSNode node);

/* walk_deeper is what |fn| makes of |node|; 0 where that is null or too deep.
 */
uint32_t walk_deeper(struct walk *w, TSNode node, walk_value_fn *fn);

/* walk_each calls |fn| for each named child that is no comment and no error. */
typedef void walk_fn(struct walk *w, TSNode node, void *ctx);
void walk_each(struct walk *w, TSNode node, walk_fn *fn, void *ctx);
/* The first named child of that kind, and any kind with 0; null if none. */
TSNode walk_child(struct walk *w, TSNode node, uint16_t kind);
/* walk_has looks for a token, `async`, among the children. */
bool walk_has(struct walk *w, TSNode node, str token);

/* walk_put appends |expr| with the scope of now and the place of |at|. */
uint32_t walk_put(struct walk *w, TSNode at, struct fact_expr expr);
uint32_t walk_put_list(struct walk *w, TSNode at, struct fact_expr expr,
                       struct extract_list *list);
uint32_t walk_name(struct walk *w, TSNode node);
uint32_t walk_member(struct walk *w, uint32_t object, TSNode name);
uint32_t walk_unary(struct walk *w, TSNode at, enum expr_kind kind, uint32_t a);
uint32_t walk_alt(struct walk *w, TSNode at, uint32_t first, uint32_t second);

/* walk_add gathers |node| as a value while the list has room. */
void walk_add(struct walk *w, struct extract_list *list, TSNode node);
/* walk_drop forgets a list that no row keeps. */
void walk_drop(struct extract_list *list);
/* walk_add as a walk_fn, with the list as its context. */
void walk_add_each(struct walk *w, TSNode node, void *list);
/* walk_literal is an array or object of the children that |fn| adds. */
uint32_t
walk_literal(struct walk *w, TSNode node, enum expr_kind kind, walk_fn *fn);

/* walk_sum is the concatenation of a tree of binary nodes that lean to the
 * left; 0 if no operand can be a string.  |is_sum| says which nodes add. */
typedef bool walk_is_fn(struct walk *w, TSNode node);
uint32_t walk_sum(struct walk *w, TSNode node, uint16_t left, uint16_t right,
                  walk_is_fn *is_sum);

/* walk_bind appends |bind| with the line of |at|. */
void walk_bind(struct walk *w, TSNode at, struct fact_bind bind);

static inline enum expr_kind
walk_expr_kind(const struct walk *w, uint32_t expr)
{
    return (enum expr_kind)w->x->facts->exprs[expr].kind;
}

static inline const struct fact_expr *
walk_expr(const struct walk *w, uint32_t expr)
{
    return &w->x->facts->exprs[expr];
}

/* Text of an expression that has one. */
static inline str
walk_expr_text(const struct walk *w, uint32_t expr)
{
    return facts_text(w->x->facts, w->x->facts->exprs[expr].text);
}

/* The definition a row of which is still to be completed. */
static inline struct fact_def *
walk_def(const struct walk *w, uint32_t def)
{
    return &w->x->facts->defs[def];
}

#endif
