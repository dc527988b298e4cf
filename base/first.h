/*
 * first - the first few of many, in order.
 *
 * Who shows a page of a million rows needs its rows and no more: the rest need
 * not be put in order.
 *
 *     first_in_order(rows, len, sizeof(*rows), 50, compare, ctx);
 *
 * Order      As qsort_r; of items that compare equal any may come first.
 * Cost       O(len + first * log(first)) where the items come in no order, at
 *            most O(len * log(first)).
 * Memory     None, but that of qsort_r.
 * Threads    Any; a pure function.
 */
#ifndef BASE_FIRST_H
#define BASE_FIRST_H

#include <stddef.h>

/* As of qsort_r: less than 0 if |left| comes first. */
typedef int first_compare_fn(const void *left, const void *right, void *ctx);

/* first_in_order moves the |first| items of |len| that come first to the front,
 * in order; the others come behind them in any.  All, if there are not more. */
void first_in_order(void *items, size_t len, size_t size, size_t first,
                    first_compare_fn *compare, void *ctx);

#endif
