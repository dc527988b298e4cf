/*
 * Both pattern languages are one matcher with two alphabets.  It goes back to
 * the last run only, which is enough (an earlier run can take what a later one
 * could) and keeps hostile patterns at O(pattern * text).
 */
#include "base/match.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DISTANCE_MAX_LEN = 64, RULE_MAX_LEN = 1024 };

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

/* The stars of `{**}`, which in the name of a route is the rest of the path:
 * a name that one tool tells must find itself in the next. */
static bool
is_rest(str pattern, size_t at)
{
    size_t star = at > 0 && pattern.ptr[at - 1] == '*' ? at - 1 : at;

    return star > 0 &&
           str_starts(str_cut(pattern, star - 1, pattern.len), STR("{**}"));
}

static bool
is_run(struct alphabet alphabet, str pattern, size_t at)
{
    return at < pattern.len && pattern.ptr[at] == alphabet.run &&
           !is_rest(pattern, at);
}

static bool
match(struct alphabet alphabet, str pattern, str text)
{
    size_t p = 0;
    size_t t = 0;
    size_t run_p = SIZE_MAX; /* behind the last run seen */
    size_t run_t = 0;        /* where the text it does not take begins */

    while (t < text.len) {
        if (is_run(alphabet, pattern, p)) {
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
    while (is_run(alphabet, pattern, p))
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

/* Where the part of |path| that begins at |at| ends. */
static size_t
part_end(str path, size_t at)
{
    while (at < path.len && path.ptr[at] != '/')
        at++;
    return at;
}

/* Like match_glob, but a backslash makes the next byte literal. */
static bool
match_part(str pattern, str text)
{
    size_t p = 0;
    size_t t = 0;
    size_t star = SIZE_MAX;
    size_t retry = 0;

    while (t < text.len) {
        bool escaped = p + 1 < pattern.len && pattern.ptr[p] == '\\';
        size_t at = escaped ? p + 1 : p;
        char byte = '\0';

        if (at < pattern.len)
            byte = pattern.ptr[at];
        if (p < pattern.len && !escaped && byte == '*') {
            star = p++;
            retry = t;
        } else if (p < pattern.len &&
                   ((!escaped && byte == '?') || byte == text.ptr[t])) {
            p = at + 1;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++retry;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.ptr[p] == '*')
        p++;
    return p == pattern.len;
}

/* Goes part by part; |**| tries each number of parts, and each such try is
 * forgotten at the next |**|, so the cost is that of a glob over parts. */
static bool
match_parts(str pattern, str path, bool whole)
{
    size_t p = 0;
    size_t t = 0;
    size_t stars = SIZE_MAX;
    size_t retry = 0;

    for (;;) {
        size_t p_end = part_end(pattern, p);
        size_t t_end = part_end(path, t);

        if (p >= pattern.len && (t >= path.len || !whole))
            return true;
        if (p < pattern.len && str_eq(str_cut(pattern, p, p_end), STR("**"))) {
            if (p_end >= pattern.len)
                return t < path.len;
            stars = p = p_end + 1;
            retry = t;
            continue;
        }
        if (p < pattern.len && t < path.len &&
            match_part(str_cut(pattern, p, p_end), str_cut(path, t, t_end))) {
            p = p_end + 1;
            t = t_end + 1;
            continue;
        }
        if (stars == SIZE_MAX || retry >= path.len)
            return false;
        p = stars;
        retry = part_end(path, retry) + 1;
        t = retry;
    }
}

static bool
has_slash(str text)
{
    return text.len > 0 && memchr(text.ptr, '/', text.len) != NULL;
}

bool
match_path(str pattern, str path)
{
    bool is_folder = pattern.len > 0 && pattern.ptr[pattern.len - 1] == '/';
    char text[RULE_MAX_LEN + 4];

    if (is_folder)
        pattern.len--;
    bool is_tied = has_slash(pattern);
    bool in_folder_only =
        pattern.len >= 2 && is_tied &&
        str_eq(str_cut(pattern, pattern.len - 2, pattern.len), STR("/*"));
    if (pattern.len > 0 && pattern.ptr[0] == '/')
        pattern = str_cut(pattern, 1, pattern.len);
    if (pattern.len == 0 || pattern.len > RULE_MAX_LEN)
        return pattern.len == 0 && is_folder;
    if (!is_tied) {
        size_t len = (size_t)snprintf(text, sizeof(text), "**/%.*s",
                                      (int)pattern.len, pattern.ptr);
        pattern = (str){text, len};
    }
    if (!is_folder)
        return match_parts(pattern, path, in_folder_only);
    /* Only a folder: some of the path must be left below it. */
    for (size_t end = path.len; end-- > 0;)
        if (path.ptr[end] == '/' &&
            match_parts(pattern, str_cut(path, 0, end), false))
            return true;
    return false;
}
