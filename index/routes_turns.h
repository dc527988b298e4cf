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
 * Memory     A turn is the caller's, until turn_end.
 * Threads    None.
 */
#ifndef INDEX_ROUTES_TURNS_H
#define INDEX_ROUTES_TURNS_H

#include "index/routes_parts.h"

struct part_turn {
    const struct part_turn *outer;
    struct at lambda; /* its definition; id 0: a statement */
    struct at over;   /* what is gone through, as it is written; or id 0 */
    struct at item;
};

/* turn_list is the list that |call| goes through, a call of `each` with a
 * lambda of one parameter, of a list that stands in the code; |lambda| becomes
 * the lambda's definition. */
bool
turn_list(struct parts *p, struct at call, struct at *lambda, struct at *list);
void turn_begin(struct parts *p, struct part_turn *turn, struct at lambda,
                struct at item);
void turn_end(struct parts *p, const struct part_turn *turn);

/* turn_of is the item that a name is at this turn, or what of it a member is,
 * or the expression itself. */
struct at turn_of(struct parts *p, struct at expr);

/* turn_each calls |fn| once a turn of the loops that |call| takes something
 * from, or once if there are none (index/routes_loops.c). */
typedef void turn_fn(void *ctx);
void turn_each(struct parts *p, struct at call, turn_fn *fn, void *ctx);
/* turn_taken is what a loop gives the name or member |expr| in this turn; id 0:
 * no loop that is in a turn does. */
struct at turn_taken(struct parts *p, struct at expr);

#endif
