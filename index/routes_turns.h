/*
 * routes_turns - loops over lists that stand in the code, gone through one by
 * one.
 *
 *     %w[a b].each do |x| ... end
 *
 * In a turn the parameter of the loop's lambda is one item of the list, to
 * part_text, too.
 *
 * Memory     A turn is the caller's, until turn_end.
 * Threads    None.
 */
#ifndef INDEX_ROUTES_TURNS_H
#define INDEX_ROUTES_TURNS_H

#include "index/routes_parts.h"

struct part_turn {
    const struct part_turn *outer;
    struct at lambda; /* its definition */
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

/* turn_of is the item that a name is at this turn, or the expression itself. */
struct at turn_of(struct parts *p, struct at expr);

#endif
