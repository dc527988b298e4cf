#include "graph/route_text.h"

#include <stdint.h>
#include <strings.h>

/* The first are those that a span name may begin with; the others, of the IANA
 * registry and of proxies, could be any word there. */
/* clang-format off */
#define M(word) STR_INIT(word)
static const str methods[] = {
    M("GET"), M("POST"), M("PUT"), M("DELETE"), M("PATCH"), M("HEAD"),
    M("OPTIONS"), M("CONNECT"), M("TRACE"), M("QUERY"),
    M("ACL"), M("BASELINE-CONTROL"), M("BIND"), M("CHECKIN"), M("CHECKOUT"),
    M("COPY"), M("LABEL"), M("LINK"), M("LOCK"), M("MERGE"), M("MKACTIVITY"),
    M("MKCALENDAR"), M("MKCOL"), M("MKREDIRECTREF"), M("MKWORKSPACE"),
    M("MOVE"), M("ORDERPATCH"), M("PROPFIND"), M("PROPPATCH"), M("REBIND"),
    M("REPORT"), M("SEARCH"), M("UNBIND"), M("UNCHECKOUT"), M("UNLINK"),
    M("UNLOCK"), M("UPDATE"), M("UPDATEREDIRECTREF"), M("VERSION-CONTROL"),
    M("BAN"), M("M-SEARCH"), M("NOTIFY"), M("PURGE"), M("SUBSCRIBE"),
    M("UNSUBSCRIBE"),
};
#undef M
/* clang-format on */

enum {
    METHODS = sizeof(methods) / sizeof(methods[0]),
    METHODS_IN_NAMES = 10,
};

static str
find_method(str word, size_t most)
{
    for (size_t i = 0; i < most; i++) {
        str method = methods[i];
        if (word.len == method.len &&
            strncasecmp(word.ptr, method.ptr, method.len) == 0)
            return method;
    }
    return (str){NULL, 0};
}

str
text_method(str word)
{
    return find_method(word, METHODS);
}

static size_t
word_len(str s)
{
    const char *space = s.len > 0 ? memchr(s.ptr, ' ', s.len) : NULL;

    return space ? (size_t)(space - s.ptr) : s.len;
}

str
text_strip_method(str s, str *method)
{
    str rest = s;
    str word = str_cut(rest, 0, word_len(rest));

    if (word.len == 4 && strncasecmp(word.ptr, "http", 4) == 0 &&
        word.len < s.len) {
        rest = str_cut(rest, 5, rest.len);
        word = str_cut(rest, 0, word_len(rest));
    }
    *method = find_method(word, METHODS_IN_NAMES);
    if (str_eq(word, STR("ANY")))
        *method = STR("ANY");
    if (method->len == 0) /* `HTTP /x` is a request of no known method */
        return rest.len > 0 && rest.ptr[0] == '/' ? rest : s;
    rest = str_cut(rest, word.len, rest.len);
    while (rest.len > 0 && rest.ptr[0] == ' ')
        rest = str_cut(rest, 1, rest.len);
    return rest;
}

/* Where the authority of a URL begins and ends; false if there is none. */
static bool
find_authority(str url, size_t *from, size_t *to)
{
    const char *mark = url.len > 0 ? memmem(url.ptr, url.len, "://", 3) : NULL;

    if (!mark || mark == url.ptr)
        return false;
    for (const char *p = url.ptr; p < mark; p++)
        if (!text_is_alnum(*p) && *p != '+' && *p != '-' && *p != '.')
            return false;
    *from = (size_t)(mark - url.ptr) + 3;
    *to = *from;
    while (*to < url.len && url.ptr[*to] != '/' && url.ptr[*to] != '?' &&
           url.ptr[*to] != '#')
        (*to)++;
    return true;
}

str
text_strip_host(str s)
{
    size_t from;
    size_t to;

    return find_authority(s, &from, &to) ? str_cut(s, to, s.len) : s;
}

str
text_authority(str url)
{
    size_t from;
    size_t to;

    if (!find_authority(url, &from, &to))
        return (str){NULL, 0};
    for (size_t i = from; i < to; i++)
        if (url.ptr[i] == '@')
            from = i + 1;
    return str_cut(url, from, to);
}

str
text_host(str url)
{
    str host = text_authority(url);
    size_t len = host.len;

    if (str_starts(host, STR("["))) {
        const char *end = memchr(host.ptr, ']', len);
        return end ? str_cut(host, 0, (size_t)(end - host.ptr) + 1)
                   : (str){NULL, 0};
    }
    for (size_t i = 0; i < len; i++)
        if (host.ptr[i] == ':')
            len = i;
    return str_cut(host, 0, len);
}

bool
text_is_anything(str regex)
{
    while (regex.len > 0 && regex.ptr[0] == ' ')
        regex = str_cut(regex, 1, regex.len);
    return str_starts(regex, STR(".*")) || str_starts(regex, STR(".+"));
}

size_t
text_class_end(str s, size_t at)
{
    size_t i = at + 1;

    i += i < s.len && s.ptr[i] == '^';
    i += i < s.len && s.ptr[i] == ']';
    while (i < s.len && s.ptr[i] != ']')
        i += s.ptr[i] == '\\' ? 2 : 1;
    return i < s.len ? i : at;
}

size_t
text_find_close(str s, size_t at)
{
    char open = s.ptr[at];
    char close = '>';
    unsigned depth = 0;

    if (open == '(')
        close = ')';
    else if (open == '{')
        close = '}';
    else if (open == '[')
        close = ']';

    for (size_t i = at; i < s.len; i++) {
        if (s.ptr[i] == '\\')
            i++;
        else if (s.ptr[i] == '[' && open == '(')
            i = text_class_end(s, i);
        else if (s.ptr[i] == open)
            depth++;
        else if (s.ptr[i] == close && --depth == 0)
            return i;
    }
    return at;
}

size_t
text_skip_quantifier(str s, size_t at, bool *optional)
{
    *optional = false;
    if (at < s.len && s.ptr[at] == '{') {
        size_t end = text_find_close(s, at);
        bool is_count = end > at + 1;
        for (size_t i = at + 1; i < end; i++)
            is_count &= text_is_digit(s.ptr[i]) || s.ptr[i] == ',';
        return is_count ? end + 1 : at;
    }
    while (at < s.len &&
           (s.ptr[at] == '*' || s.ptr[at] == '+' || s.ptr[at] == '?')) {
        *optional |= s.ptr[at] != '+';
        at++;
    }
    return at;
}

bool
text_has_regex_sign(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (strchr("\\[]|^+*$", s.ptr[i]) && s.ptr[i])
            return true;
    return false;
}

str
text_script_regex(str s)
{
    /* Django's `^shop/^list/` begins without a slash. */
    bool is_path = s.len > 0 && s.ptr[0] == '/';
    const char *start = is_path ? memmem(s.ptr, s.len, "/^", 2) : NULL;
    size_t from = start ? (size_t)(start - s.ptr) + 1 : s.len;
    size_t end = s.len;
    const str flags = STR("dgimsuvy");

    while (end > from && memchr(flags.ptr, s.ptr[end - 1], flags.len))
        end--;
    if (end < from + 2 || s.ptr[end - 1] != '/' || s.ptr[end - 2] == '\\')
        return (str){NULL, 0};
    return str_cut(s, from, end - 1);
}

size_t
text_variable_len(str text, size_t at)
{
    str rest = str_cut(text, at, text.len);

    return str_starts(rest, STR("{}"))     ? 2
           : str_starts(rest, STR("{**}")) ? 4
                                           : 0;
}

bool
text_fits(str pattern, str text)
{
    size_t p = 0;
    size_t t = 0;
    size_t star = SIZE_MAX; /* behind the last variable in the pattern ... */
    size_t retry = 0;       /* ... and how far it reaches in the text */

    while (t < text.len) {
        size_t var = text_variable_len(pattern, p);
        if (var) {
            p += var;
            star = p;
            retry = ++t; /* at least one character */
        } else if (p < pattern.len && pattern.ptr[p] == text.ptr[t]) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star;
            t = ++retry;
        } else {
            return false;
        }
    }
    return p == pattern.len;
}
