#include "base/nearest.h"

#include <stdint.h>

enum { WORD_MAX = 64 };

static size_t
min3(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;

    return ab < c ? ab : c;
}

size_t
nearest_distance(str a, str b, size_t limit)
{
    size_t row[WORD_MAX + 1];

    a = str_cut(a, 0, WORD_MAX);
    b = str_cut(b, 0, WORD_MAX);
    for (size_t j = 0; j <= b.len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t above = row[j];
            row[j] = min3(above + 1, row[j - 1] + 1,
                          corner + (a.ptr[i - 1] != b.ptr[j - 1]));
            corner = above;
        }
    }
    return row[b.len] < limit ? row[b.len] : limit;
}

const char *
nearest_name(const char *const *names, size_t len, str word)
{
    size_t best = word.len / 3 + 2;
    const char *found = NULL;

    for (size_t i = 0; i < len; i++) {
        size_t distance = nearest_distance(str_of(names[i]), word, best);
        if (distance < best) {
            best = distance;
            found = names[i];
        }
    }
    return found;
}
