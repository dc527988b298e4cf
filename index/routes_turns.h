/*
 * routes_turns - loops over lists that stand in the code, gone through one by
 * one.
 *
 *     %w[a b].each do |x| ... end
 *     list.forEach(({ path, handler }) => app.get(path, handler))
 *     for prefix, r in [("/a", a)]: app.include_router(r, prefix=prefix)
 *     for _, t := range []route{{"/a", h}} { mux.HandleFunc(t.path, t.h) }
 *
 * In a turn what the loop takes from the list is one item of it, to part_bare
 * and part_text, too; of a map that is gone through it is an EXPR_PAIR, which
 * stands for its key.
 *
 * Limits     TURNS_OF_CALL turns a call, TURNS_OF_FILE a file; LOOPED_OF_FILE
 *            routes and mounts that loops put a file, LOOPED_OF_ALL a
 *            repository.  What is above is told once, outside of a turn: what
 *            the loop would give is not known.
 * Memory     A turn is the caller's, until turn_end.
 * Threads    None.
 */
#ifndef INDEX_ROUTES_TURNS_H
#define INDEX_ROUTES_TURNS_H

#include "index/routes_parts.h"

enum {
    TURNS_OF_CALL = 256,
    TURNS_OF_FILE = 1 << 18,
    LOOPED_OF_FILE = 1 << 15,
    LOOPED_OF_ALL = 1 << 17,
    TURN_ROWS_MAX = 1 << 25, /* of binds, looked at in a file */
};

struct part_turn {
    const struct part_turn *outer;
    struct at lambda; /* its definition; id 0: a statement */
    struct at over;   /* what is gone through, as it is written; or id 0 */
    struct at item;
    struct at call; /* gives the parameters of |lambda|, which is no loop's;
                       or id 0 */
    bool is_open;   /* what a loop that is in no turn gives is not known */
    uint32_t had;   /* routes and mounts, when it began */
};

/* turn_list is the list that |call| goes through, a call of `each` with a
 * lambda of one parameter, of a list that stands in the code; |lambda| becomes
 * the lambda's definition. */
bool
turn_list(struct parts *p, struct at call, struct at *lambda, struct at *list);
void turn_begin(struct parts *p, struct part_turn *turn, struct at lambda,
                struct at item);
/* turn_call begins one in which the parameters of the function |def| are what
 * |call| gives: id 0, what it leaves out and has no default.  It is of no loop,
 * and counts as none. */
void turn_call(struct parts *p, struct part_turn *turn, struct at def,
               struct at call);
/* turn_given is what the call of such a one gives parameter |index|, its
 * default where it leaves that out; id 0: neither. */
struct at
turn_given(struct parts *p, const struct part_turn *turn, uint32_t index);
/* turn_open begins one in which what loops give is not known. */
void turn_open(struct parts *p, struct part_turn *turn);
void turn_end(struct parts *p, const struct part_turn *turn);
/* turn_may takes one of the turns that are left, |left| of them of the call. */
bool turn_may(struct parts *p, unsigned *left);
/* turn_is_long: the facts hold no more of |list|, which may go on. */
bool turn_is_long(const struct parts *p, struct at list);

/* turn_of is the item that a name is at this turn, or what of it a member is,
 * or the expression itself. */
struct at turn_of(struct parts *p, struct at expr);

/* turn_in_file: a file without loops need not be asked what they give. */
bool turn_in_file(struct parts *p, uint32_t file);
/* turn_takes_all: a loop over |over| goes through all of a list, and no other
 * beside it (index/routes_loops_part.c). */
bool turn_takes_all(struct parts *p, struct at over);
/* turn_each calls |fn| once a turn of the loops that |call| takes something
 * from, or once if there are none, and once more for what is above the
 * limits, with what they give not known (index/routes_loops.c). */
typedef void turn_fn(void *ctx);
void turn_each(struct parts *p, struct at call, turn_fn *fn, void *ctx);
/* turn_taken is what a loop gives the name or member |expr| in this turn; id 0:
 * no loop that is in a turn does. */
struct at turn_taken(struct parts *p, struct at expr);
/* turn_of_module is what the module |item| has by |name|, where it was made; id
 * 0: |item| is none, or that is not known (index/routes_loops_part.c). */
struct at turn_of_module(struct parts *p, struct at item, str name);
/* composite_is: |expr| becomes the literal that it is of Go, `[]T{...}` or
 * `map[string]T{...}`, also by a name of such a type; composite_field is what
 * field |name| of the element |made| is, by its place where none is named
 * (index/routes_composite.c). */
bool composite_is(struct parts *p, struct at *expr);
struct at composite_field(struct parts *p, struct at made, str name);
/* turn_is_looped: a loop gives |expr|. */
bool turn_is_looped(struct parts *p, struct at expr);

#endif
