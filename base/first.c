/*
 * The first items are kept in a heap, the last of them on top, while all others
 * pass: one that comes before the top changes places with it.  As long as they
 * are no heap, a sorted array from the last to the first would be one; it is
 * made one from below, which needs no second comparison function.
 */
#include "base/first.h"

#include <stdlib.h>

struct heap {
    unsigned char *items;
    size_t len;
    size_t size;
    first_compare_fn *compare;
    void *ctx;
};

static unsigned char *
item_at(const struct heap *heap, size_t i)
{
    return heap->items + i * heap->size;
}

static void
swap(unsigned char *a, unsigned char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = a[i];

        a[i] = b[i];
        b[i] = byte;
    }
}

/* Lets the item at |at| sink below those that come after it. */
static void
sink(const struct heap *heap, size_t at)
{
    for (size_t child = 2 * at + 1; child < heap->len; child = 2 * at + 1) {
        if (child + 1 < heap->len &&
            heap->compare(item_at(heap, child), item_at(heap, child + 1),
                          heap->ctx) < 0)
            child++;
        if (heap->compare(item_at(heap, at), item_at(heap, child), heap->ctx) >=
            0)
            return;
        swap(item_at(heap, at), item_at(heap, child), heap->size);
        at = child;
    }
}

void
first_in_order(void *items, size_t len, size_t size, size_t first,
               first_compare_fn *compare, void *ctx)
{
    const struct heap heap = {items, first < len ? first : len, size, compare,
                              ctx};

    if (heap.len == 0)
        return;
    for (size_t i = heap.len < len ? heap.len / 2 : 0; i-- > 0;)
        sink(&heap, i);
    for (size_t i = heap.len; i < len; i++) {
        unsigned char *item = heap.items + i * size;

        if (compare(item, heap.items, ctx) >= 0)
            continue;
        swap(item, heap.items, size);
        sink(&heap, 0);
    }
    qsort_r(items, heap.len, size, compare, ctx);
}
