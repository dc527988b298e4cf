#include "base/nearest.h"

#include "base/match.h"

const char *
nearest_name(const char *const *names, size_t len, str word)
{
    size_t best = word.len / 3 + 2;
    const char *found = NULL;

    for (size_t i = 0; i < len; i++) {
        size_t distance = match_distance(str_of(names[i]), word);
        if (distance < best) {
            best = distance;
            found = names[i];
        }
    }
    return found;
}
