/*
 * walk - a walk over a syntax tree by a table of handlers, and the pieces that
 * handlers write facts with.
 *
 * Each kind of node has at most one handler.  It writes what the node says and
 * returns the expression that the node is, or 0 when it is none that is kept;
 * a kind without a handler is walked through, so that no call is missed
 * because it stands in something unknown.
 *
 *     static walk_fn *const handlers[KIND_END] = {[KIND_CALL] = on_call};
 *     struct walker w = {.x = *x, .handlers = handlers, .len = KIND_END};
 *     walk(&w, x->root);
 *
 * What stands in an ERROR node is not walked.
 *
 * Limits     EXTRACT_DEPTH_MAX levels; WALK_LIST_MAX entries a list.
 * Threads    None.
 */
#ifndef INDEX_WALK_H
#define INDEX_WALK_H

#include "index/extract.h"

enum { WALK_LIST_MAX = 64, WALK_NEST_MAX = 8 };

struct walker;
typedef uint32_t walk_fn(struct walker *w, TSNode node);

struct walker {
    struct extract x;
    walk_fn *const *handlers; /* by the extractor's number of a kind */
    uint16_t len;
    uint32_t nest; /* of arrays and objects around */
};

uint16_t walk_kind(const struct walker *w, TSNode node); /* 0: none of ours */
TSNode walk_field(const struct walker *w, TSNode node, uint16_t field);
str walk_text(const struct walker *w, TSNode node);
/* walk_first is the first named child that is no comment, or a null node. */
TSNode walk_first(TSNode node);

uint32_t walk(struct walker *w, TSNode node);
/* walk_children walks all, and returns what the last of them is. */
uint32_t walk_children(struct walker *w, TSNode node);
/* walk_each calls |fn| for each named child that is neither a comment nor an
 * ERROR, with the name of its field as a number of the grammar, or 0. */
typedef void
walk_each_fn(struct walker *w, TSNode child, TSFieldId field, void *ctx);
void walk_each(struct walker *w, TSNode node, walk_each_fn *fn, void *ctx);

/* ---- expressions, standing at |at| ---- */

uint32_t walk_leaf(struct walker *w, uint8_t kind, str text, TSNode at);
uint32_t walk_member(struct walker *w, uint32_t object, str text, TSNode at);
uint32_t walk_wrap(struct walker *w, uint8_t kind, uint32_t a, TSNode at);
uint32_t walk_pair(struct walker *w, str key, uint32_t value, TSNode at);
/* walk_pair_by is a pair whose key is an expression. */
uint32_t
walk_pair_by(struct walker *w, uint32_t key, uint32_t value, TSNode at);
/* walk_path is a name, or a member where |path| has |separator|s. */
uint32_t
walk_path(struct walker *w, str path, const char *separator, TSNode at);

/* walk_list_add drops what is past WALK_LIST_MAX. */
void walk_list_add(struct walker *w, struct extract_list *list, uint32_t id);
/* walk_list adds what each child is. */
void walk_list(struct walker *w, TSNode node, struct extract_list *list);
/* walk_listed ends |list|. */
uint32_t walk_listed(struct walker *w, uint8_t kind, uint32_t a,
                     struct extract_list *list, TSNode at);
/* walk_two is an expression of two: a list of both for ALT, and for GENERIC,
 * CAST, INDEX the second is the list. */
uint32_t
walk_two(struct walker *w, uint8_t kind, uint32_t one, uint32_t two, TSNode at);
/* walk_collection is an array or an object of what the children are, or 0
 * where it is nested deeper than WALK_NEST_MAX. */
uint32_t walk_collection(struct walker *w, uint8_t kind, TSNode node);
/* walk_concat joins two strings; walk_sum does where one of the two is text,
 * and is 0 else. */
uint32_t
walk_concat(struct walker *w, uint32_t left, uint32_t right, TSNode at);
uint32_t walk_sum(struct walker *w, uint32_t left, uint32_t right, TSNode at);
/* walk_string is a STRING of all that stands between the quotes, or a CONCAT
 * where expressions stand among it.  |content| and |escape| are the kinds of
 * plain pieces. */
uint32_t
walk_string(struct walker *w, TSNode node, uint16_t content, uint16_t escape);

uint8_t walk_expr_kind(const struct walker *w, uint32_t id);
str walk_expr_text(const struct walker *w, uint32_t id);

/* ---- definitions and names ---- */

/* walk_def completes |def| from where it stands: parent, places, signature. */
uint32_t walk_def(struct walker *w, struct fact_def def, TSNode whole,
                  TSNode name, TSNode body);
/* walk_enter makes |def| the scope and returns the one before. */
uint32_t walk_enter(struct walker *w, uint32_t def);
void walk_leave(struct walker *w, uint32_t scope);
/* walk_owner is the innermost def around that is not a lambda. */
const struct fact_def *walk_owner(const struct walker *w);
/* walk_in_type: the scope is a type, an interface or a namespace. */
bool walk_in_type(const struct walker *w);

/* walk_bind sets scope and line; a lambda without a name takes the bind's. */
void walk_bind(struct walker *w, struct fact_bind bind, TSNode at);
/* walk_assign binds a MEMBER or anything else that |target| is. */
void walk_assign(struct walker *w, uint32_t target, uint32_t value, TSNode at);
/* walk_return keeps what can be followed. */
void walk_return(struct walker *w, uint32_t value, TSNode at);

#endif
