/*
 * The pointer to the items is of a type that is not known here, so it is read
 * and written as bytes.
 */
#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 16 };

bool
grow_wide(void *items, size_t *cap, size_t item_bytes)
{
    size_t wanted = FIRST;
    size_t bytes;
    void *array;

    if (*cap && __builtin_mul_overflow(*cap, 2, &wanted))
        return false;
    if (__builtin_mul_overflow(wanted, item_bytes, &bytes))
        return false;
    memcpy(&array, items, sizeof(array));
    array = realloc(array, bytes);
    if (!array)
        return false;
    memcpy(items, &array, sizeof(array));
    *cap = wanted;
    return true;
}

bool
grow_narrow(void *items, uint32_t *cap, size_t item_bytes)
{
    size_t wide = *cap;

    if (*cap > UINT32_MAX / 2 || !grow_wide(items, &wide, item_bytes))
        return false;
    *cap = (uint32_t)wide;
    return true;
}
