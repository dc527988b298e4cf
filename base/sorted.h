/*
 * sorted - where a key stands, or would stand, in rows that are in its order.
 *
 * For tables that hold several rows of a key: bsearch(3) finds any of them,
 * this the first, behind which are the others.
 *
 *     at = sorted_first(&key, rows, len, sizeof(*rows), by_name);
 *     for (; at < len && by_name(&key, &rows[at]) == 0; at++)
 *
 * Threads    Any thread.
 */
#ifndef BASE_SORTED_H
#define BASE_SORTED_H

#include <stddef.h>

/*
 * sorted_first returns the place of the first of |len| rows that is not before
 * |key|, |len| if all are.  |compare| gets the key and a row, as bsearch's
 * does: the key may be something else than a row, and hold what rows are
 * looked up in.  |rows| may be NULL if there are none.  O(log len).
 */
size_t
sorted_first(const void *key, const void *rows, size_t len, size_t row_bytes,
             int (*compare)(const void *key, const void *row));

#endif
