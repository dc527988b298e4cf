/*
 * visit - a walk over a syntax tree by a table of handlers, and the pieces that
 * handlers write facts with.
 *
 * Each kind of node has at most one handler.  It writes what the node says and
 * returns the expression that the node is, or 0 when it is none that is kept;
 * a kind without a handler is walked through, so that no call is missed
 * because it stands in something unknown.
 *
 *     static visit_fn *const handlers[KIND_END] = {[KIND_CALL] = on_call};
 *     struct visitor w = {.x = *x, .handlers = handlers, .len = KIND_END};
 *     visit(&w, x->root);
 *
 * What stands in an ERROR node is not walked.
 *
 * Limits     EXTRACT_DEPTH_MAX levels; VISIT_LIST_MAX entries a list.
 * Threads    None.
 */
#ifndef INDEX_VISIT_H
#define INDEX_VISIT_H

#include "index/extract.h"

enum { VISIT_LIST_MAX = 64, VISIT_NEST_MAX = 8 };

struct visitor;
typedef uint32_t visit_fn(struct visitor *w, TSNode node);

struct visitor {
    struct extract x;
    visit_fn *const *handlers; /* by the extractor's number of a kind */
    uint16_t len;
    uint32_t nest; /* of arrays and objects around */
};

uint16_t visit_kind(const struct visitor *w, TSNode node); /* 0: none of ours */
TSNode visit_field(const struct visitor *w, TSNode node, uint16_t field);
str visit_text(const struct visitor *w, TSNode node);
/* visit_first is the first named child that is no comment, or a null node. */
TSNode visit_first(TSNode node);
TSNode visit_second(TSNode node);

uint32_t visit(struct visitor *w, TSNode node);
/* visit_children walks all, and returns what the last of them is. */
uint32_t visit_children(struct visitor *w, TSNode node);
/* visit_each calls |fn| for each named child that is neither a comment nor an
 * ERROR, with the name of its field as a number of the grammar, or 0. */
typedef void
visit_each_fn(struct visitor *w, TSNode child, TSFieldId field, void *ctx);
void visit_each(struct visitor *w, TSNode node, visit_each_fn *fn, void *ctx);

/* ---- expressions, standing at |at| ---- */

uint32_t visit_leaf(struct visitor *w, uint8_t kind, str text, TSNode at);
uint32_t visit_member(struct visitor *w, uint32_t object, str text, TSNode at);
uint32_t visit_wrap(struct visitor *w, uint8_t kind, uint32_t a, TSNode at);
uint32_t visit_pair(struct visitor *w, str key, uint32_t value, TSNode at);
/* visit_pair_by is a pair whose key is an expression. */
uint32_t
visit_pair_by(struct visitor *w, uint32_t key, uint32_t value, TSNode at);
/* visit_path is a name, or a member where |path| has |separator|s. */
uint32_t
visit_path(struct visitor *w, str path, const char *separator, TSNode at);

/* visit_list_add drops what is past VISIT_LIST_MAX. */
void visit_list_add(struct visitor *w, struct extract_list *list, uint32_t id);
/* visit_list adds what each child is. */
void visit_list(struct visitor *w, TSNode node, struct extract_list *list);
/* visit_listed ends |list|. */
uint32_t visit_listed(struct visitor *w, uint8_t kind, uint32_t a,
                      struct extract_list *list, TSNode at);
/* visit_two is an expression of two: a list of both for ALT, and for GENERIC,
 * CAST, INDEX the second is the list. */
uint32_t visit_two(struct visitor *w, uint8_t kind, uint32_t one, uint32_t two,
                   TSNode at);
/* visit_collection is an array or an object of what the children are, or 0
 * where it is nested deeper than VISIT_NEST_MAX. */
uint32_t visit_collection(struct visitor *w, uint8_t kind, TSNode node);
/* visit_concat joins two strings; visit_sum does where one of the two is text,
 * and is 0 else. */
uint32_t
visit_concat(struct visitor *w, uint32_t left, uint32_t right, TSNode at);
uint32_t visit_sum(struct visitor *w, uint32_t left, uint32_t right, TSNode at);
/* visit_string is a STRING of all that stands between the quotes, or a CONCAT
 * where expressions stand among it.  |content| and |escape| are the kinds of
 * plain pieces. */
uint32_t
visit_string(struct visitor *w, TSNode node, uint16_t content, uint16_t escape);

uint8_t visit_expr_kind(const struct visitor *w, uint32_t id);
str visit_expr_text(const struct visitor *w, uint32_t id);

/* ---- definitions and names ---- */

/* visit_def completes |def| from where it stands: parent, places, signature. */
uint32_t visit_def(struct visitor *w, struct fact_def def, TSNode whole,
                   TSNode name, TSNode body);
/* visit_enter makes |def| the scope and returns the one before. */
uint32_t visit_enter(struct visitor *w, uint32_t def);
void visit_leave(struct visitor *w, uint32_t scope);
/* visit_owner is the innermost def around that is not a lambda. */
const struct fact_def *visit_owner(const struct visitor *w);
/* visit_in_type: the scope is a type, an interface or a namespace. */
bool visit_in_type(const struct visitor *w);

/* visit_bind sets scope, and line where it is 0; a lambda without a name takes
 * the bind's. */
void visit_bind(struct visitor *w, struct fact_bind bind, TSNode at);
/* visit_assign binds a MEMBER or anything else that |target| is. */
void
visit_assign(struct visitor *w, uint32_t target, uint32_t value, TSNode at);
/* visit_return keeps what can be followed. */
void visit_return(struct visitor *w, uint32_t value, TSNode at);

#endif
