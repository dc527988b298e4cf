/*
 * route_text - the small words of routes: methods, hosts, letters.
 *
 * Threads    Any thread; no state.
 */
#ifndef GRAPH_ROUTE_TEXT_H
#define GRAPH_ROUTE_TEXT_H

#include <stdbool.h>

#include "base/str.h"

static inline bool
text_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool
text_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool
text_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool
text_is_alnum(char c)
{
    return text_is_digit(c) || text_is_lower(c) || text_is_upper(c);
}

/* text_method is |word| as a known HTTP method in upper case, a static string;
 * empty if it is none. */
str text_method(str word);

/* text_strip_method is |s| without a leading `GET ` (or `HTTP GET `, in any
 * case); |method| is the method that stood there, or empty. */
str text_strip_method(str s, str *method);

/* text_strip_host is |s| without a leading `scheme://host`. */
str text_strip_host(str s);

/* text_authority is the `host:port` of `scheme://user@host:port/...`; empty if
 * |url| is not of that form.  text_host is the same without the port. */
str text_authority(str url);
str text_host(str url);

/* What follows reads pieces of canonical patterns. */

/* text_variable_len is the length of the variable that stands at |at| of
 * |text|, `{}` or `{**}`; 0 if none does. */
size_t text_variable_len(str text, size_t at);

/* text_fits: |text| is |pattern| with characters, one at least, in the place of
 * each variable. */
bool text_fits(str pattern, str text);

/* What follows reads pieces of regexes. */

/* text_is_anything: matches any text, slashes too (`.*`, `.+` and what begins
 * so). */
bool text_is_anything(str regex);
bool text_has_regex_sign(str s);

/* text_script_regex is what stands between the slashes of a JavaScript regex
 * that |s| ends with, `/^\/x$/i`: as Express tells it, maybe behind a prefix.
 * Empty if there is none. */
str text_script_regex(str s);

/* text_class_end is where the `]` is that ends the class begun at |at|, or
 * |at|; text_find_close the same for the bracket of any sort at |at|. */
size_t text_class_end(str s, size_t at);
size_t text_find_close(str s, size_t at);

/* text_skip_quantifier is where text goes on behind `*`, `+`, `?`, `{2,3}`;
 * |optional| says whether it admits nothing at all. */
size_t text_skip_quantifier(str s, size_t at, bool *optional);

#endif
