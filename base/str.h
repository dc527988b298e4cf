/*
 * str - a borrowed view of bytes.
 *
 * A str never owns: it is valid for as long as the buffer or arena it was cut
 * from.  It is not NUL-terminated and may contain any byte.  Pass it by value.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct str {
    const char *ptr;
    size_t len;
} str;

/* STR views a string literal; the compiler counts, never the author. */
#define STR(literal) ((str)STR_INIT(literal))

/* STR_INIT is the same for what is initialised before the program runs. */
#define STR_INIT(literal)               \
    {                                   \
        "" literal, sizeof(literal) - 1 \
    }

static inline bool
str_eq(str a, str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* str_of views a NUL-terminated string; NULL gives the empty view. */
static inline str
str_of(const char *cstr)
{
    return (str){cstr, cstr ? strlen(cstr) : 0};
}

static inline bool
str_starts(str s, str prefix)
{
    return s.len >= prefix.len &&
           (prefix.len == 0 || memcmp(s.ptr, prefix.ptr, prefix.len) == 0);
}

static inline bool
str_ends(str s, str end)
{
    return s.len >= end.len && (end.len == 0 || memcmp(s.ptr + s.len - end.len,
                                                       end.ptr, end.len) == 0);
}

/* str_order is below, at or above 0 as |a| comes before, with or behind |b|: by
 * bytes, and the shorter first of two that begin alike. */
static inline int
str_order(str a, str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len ? memcmp(a.ptr, b.ptr, len) : 0;

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* str_hex_digit is what the hexadecimal digit |c| stands for, or -1. */
static inline int
str_hex_digit(char c)
{
    char lower = (char)(c | 0x20);

    if (c >= '0' && c <= '9')
        return c - '0';
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* str_read_hex reads |len| bytes, written as twice as many digits; false: |s|
 * is something else, and |out| holds what nobody means. */
static inline bool
str_read_hex(str s, unsigned char *out, size_t len)
{
    if (s.len != 2 * len)
        return false;
    for (size_t i = 0; i < len; i++) {
        int high = str_hex_digit(s.ptr[2 * i]);
        int low = str_hex_digit(s.ptr[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        out[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

/* str_cut is the part of |s| from |from| up to |to|, both clipped to |s|. */
static inline str
str_cut(str s, size_t from, size_t to)
{
    to = to < s.len ? to : s.len;
    from = from < to ? from : to;
    return (str){from ? s.ptr + from : s.ptr, to - from};
}

/* str_strip is |s| without what it has of |c| at its ends. */
static inline str
str_strip(str s, char c)
{
    while (s.len > 0 && s.ptr[0] == c)
        s = str_cut(s, 1, s.len);
    while (s.len > 0 && s.ptr[s.len - 1] == c)
        s.len--;
    return s;
}

#endif
