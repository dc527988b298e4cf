/*
 * lines - arrays whose elements are whole cache lines, or whole parts of one.
 *
 * realloc gives an address in the middle of a line, so that each element of 64
 * bytes would be two misses of the cache.
 *
 * Memory     The array is the caller's, to free().
 * Threads    None.
 */
#ifndef GRAPH_LINES_H
#define GRAPH_LINES_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 64 };

/* lines_grow returns room for |cap| elements of |size| bytes, cap * size being
 * whole lines, that begin with the |len| of |old|, which is freed; NULL without
 * memory, and |old| is as it was. */
static inline void *
lines_grow(void *old, size_t len, size_t cap, size_t size)
{
    void *fresh = aligned_alloc(LINE_BYTES, cap * size);

    if (!fresh)
        return NULL;
    if (old)
        memcpy(fresh, old, len * size);
    free(old);
    return fresh;
}

#endif
