/*
 * routes_block - frameworks whose routes stand in blocks within blocks.
 *
 * `namespace :api do ... end`, `route("/x") { ... }`: what a call means hangs
 * on the calls whose lambdas it stands in.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_BLOCK_H
#define INDEX_ROUTES_BLOCK_H

#include "index/routes_rules.h"
#include "index/routes_verbs.h"

/* block_call is the call whose lambda |expr| stands in, innermost first; |at|
 * is where to go on from (the call found before), or |expr|.  Id 0: none. */
struct at block_call(struct parts *p, struct at at);

/* block_word is the name of what is called, with or without a receiver. */
static inline str
block_word(const struct parts *p, struct at call)
{
    return part_word(p, part_callee(p, call));
}

static inline bool
block_is(const struct parts *p, struct at call, const char *name)
{
    return call.id && str_eq(block_word(p, call), str_of(name));
}

/* block_method is `GET` of a call of `get`, or empty. */
str block_method(const struct parts *p, struct at call);

#endif
