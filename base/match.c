/*
 * Both pattern languages are one matcher with two alphabets.  It goes back to
 * the last run only, which is enough (an earlier run can take what a later one
 * could) and keeps hostile patterns at O(pattern * text).
 */
#include "base/match.h"

#include <stdint.h>

enum { DISTANCE_MAX_LEN = 64 };

struct alphabet {
    char run;
    char one;
    bool fold;
};

static int
lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static bool
fits(struct alphabet alphabet, char pattern, char text)
{
    if (pattern == alphabet.one)
        return true;
    return alphabet.fold ? lower(pattern) == lower(text) : pattern == text;
}

static bool
match(struct alphabet alphabet, str pattern, str text)
{
    size_t p = 0;
    size_t t = 0;
    size_t run_p = SIZE_MAX; /* behind the last run seen */
    size_t run_t = 0;        /* where the text it does not take begins */

    while (t < text.len) {
        if (p < pattern.len && pattern.ptr[p] == alphabet.run) {
            run_p = ++p;
            run_t = t;
        } else if (p < pattern.len &&
                   fits(alphabet, pattern.ptr[p], text.ptr[t])) {
            p++;
            t++;
        } else if (run_p != SIZE_MAX) {
            p = run_p;
            t = ++run_t;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.ptr[p] == alphabet.run)
        p++;
    return p == pattern.len;
}

bool
match_glob(str pattern, str text)
{
    return match((struct alphabet){'*', '?', false}, pattern, text);
}

bool
match_like(str pattern, str text)
{
    return match((struct alphabet){'%', '_', true}, pattern, text);
}

static unsigned
least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Three rows of the matrix are enough: a swap looks back two. */
unsigned
match_distance(str a, str b)
{
    unsigned rows[3][DISTANCE_MAX_LEN + 1];
    size_t a_len = a.len < DISTANCE_MAX_LEN ? a.len : DISTANCE_MAX_LEN;
    size_t b_len = b.len < DISTANCE_MAX_LEN ? b.len : DISTANCE_MAX_LEN;

    for (size_t j = 0; j <= b_len; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a_len; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i - 1) % 3];
        const unsigned *swap = rows[(i + 1) % 3];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_len; j++) {
            bool same = lower(a.ptr[i - 1]) == lower(b.ptr[j - 1]);

            row[j] =
                least(above[j - 1] + !same, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a.ptr[i - 1]) == lower(b.ptr[j - 2]) &&
                lower(a.ptr[i - 2]) == lower(b.ptr[j - 1]))
                row[j] = least(row[j], swap[j - 2] + 1);
        }
    }
    return rows[a_len % 3][b_len];
}
