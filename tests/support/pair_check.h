/*
 * pair_check - what must be so of the entries of pair, whatever came.
 *
 * Who is held is found, once; who has a parent is in one of its lists, which
 * say the same both ways; and the index counts who passed a full bucket.
 * Fails the test where it is not so.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_PAIR_CHECK_H
#define TESTS_SUPPORT_PAIR_CHECK_H

#include "runtime/pair.h"

/* pair_check looks at all; O(spans held and places of the index). */
void pair_check(const struct pair *pair);

#endif
