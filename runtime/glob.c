#include "runtime/glob.h"

#include <stdint.h>

bool
glob_match(str pattern, str text)
{
    size_t p = 0;
    size_t t = 0;
    size_t star = SIZE_MAX; /* behind the last `*` of the pattern ... */
    size_t reach = 0;       /* ... and where what follows it is tried */

    while (t < text.len) {
        if (p < pattern.len && pattern.ptr[p] == '*') {
            star = ++p;
            reach = t;
        } else if (p < pattern.len && pattern.ptr[p] == text.ptr[t]) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star;
            t = ++reach;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.ptr[p] == '*')
        p++;
    return p == pattern.len;
}
