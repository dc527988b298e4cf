#include "base/sorted.h"

size_t
sorted_first(const void *key, const void *rows, size_t len, size_t row_bytes,
             int (*compare)(const void *key, const void *row))
{
    size_t low = 0;
    size_t high = len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(key, (const char *)rows + middle * row_bytes) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
