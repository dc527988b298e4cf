/*
 * grow - room for one more in an array that doubles.
 *
 * For a list of {items, len, cap} that is filled one by one and freed as a
 * whole: start from zeroes, free(items) in the end.
 *
 *     if (!grow_room(list->rows, list->len, list->cap))
 *         return ERR_NOMEM;
 *     list->rows[list->len++] = row;
 *
 * Memory     The caller's, from realloc: what was added is not zeroed, and
 *            pointers into the array are good until it grows.
 * Bound      The machine's memory, and what the type of |cap| can count.  Who
 *            has a lower one looks at |len| first.
 * Threads    None.
 */
#ifndef BASE_GROW_H
#define BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * grow_room makes |items| an array of more than |len|; |cap|, a uint32_t or a
 * size_t, says how many it holds.  Amortised O(1).  False: there is no memory
 * or no number for that many, and all is as it was.
 *
 * A macro, so that the size is that of the items and either type serves; its
 * arguments are looked at more than once.
 */
#define grow_room(items, len, cap) \
    ((len) < (cap) || GROW_FN(&(cap))(&(items), &(cap), sizeof(*(items))))
#define GROW_FN(cap) \
    _Generic((cap), uint32_t * : grow_narrow, size_t * : grow_wide)

/* Double the array that |items|, a T **, points to: for grow_room, and for who
 * is told the size as it runs. */
bool grow_narrow(void *items, uint32_t *cap, size_t item_bytes);
bool grow_wide(void *items, size_t *cap, size_t item_bytes);

#endif
