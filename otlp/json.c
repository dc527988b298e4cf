/*
 * Strings are most of a document, so they are what is fast: 32 bytes at a time
 * are looked at for what ends or interrupts a string.
 */
#include "otlp/json.h"

#include <string.h>

#include "base/utf8.h"
#include "otlp/json_scan.h"

const uint8_t *
json_fail(struct json *j, const uint8_t *at, const char *what)
{
    if (!j->error) {
        j->error = what;
        j->error_at = at;
    }
    return NULL;
}

static inline bool
is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* Four hex digits, or -1. */
static int
hex4(const uint8_t *p, const uint8_t *end)
{
    int value = 0;

    if (end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int lower = p[i] | 0x20;
        int digit = is_digit(p[i])                 ? p[i] - '0'
                    : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                                   : -1;
        if (digit < 0)
            return -1;
        value = value << 4 | digit;
    }
    return value;
}

/* Reads what follows `\u`, a pair if need be, into |code|; half a pair is
 * U+FFFD.  Returns the position behind it, or NULL. */
static const uint8_t *
unicode_escape(const uint8_t *p, const uint8_t *end, uint32_t *code)
{
    int unit = hex4(p, end);

    if (unit < 0)
        return NULL;
    p += 4;
    *code = (uint32_t)unit;
    if (unit < 0xd800 || unit > 0xdfff)
        return p;
    *code = 0xfffd;
    if (unit > 0xdbff || end - p < 6 || p[0] != '\\' || p[1] != 'u')
        return p;
    int low = hex4(p + 2, end);
    if (low < 0xdc00 || low > 0xdfff)
        return p;
    *code =
        0x10000 + ((uint32_t)(unit - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
    return p + 6;
}

/* What a simple escape stands for; 0: no such. */
static char
simple_escape(uint8_t c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
        return (char)c;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return 0;
    }
}

/* |p| is behind the backslash. */
static const uint8_t *
check_escape(struct json *j, const uint8_t *p)
{
    uint32_t ignored;
    const uint8_t *next = NULL;

    if (p < j->end && *p == 'u')
        next = unicode_escape(p + 1, j->end, &ignored);
    else if (p < j->end && simple_escape(*p))
        next = p + 1;
    return next ? next : json_fail(j, p, "invalid escape in a JSON string");
}

const uint8_t *
json_string(struct json *j, const uint8_t *p, struct json_str *out)
{
    uint32_t high = 0;
    uint8_t c;

    p = json_peek(j, p, &c);
    if (c != '"')
        return json_fail(j, p, "a JSON string was expected");
    *out = (struct json_str){.ptr = ++p};
    for (;;) {
        struct json_marks marks = json_look(p);
        unsigned at =
            marks.special ? (unsigned)__builtin_ctz(marks.special) : 32;

        high |= marks.high & (uint32_t)((UINT64_C(1) << at) - 1);
        p += at;
        if (p >= j->end)
            return json_fail(j, j->end, "unterminated JSON string");
        if (at == 32)
            continue;
        if (*p == '"')
            break;
        if (*p != '\\')
            return json_fail(j, p, "control character in a JSON string");
        out->escaped = true;
        if (!(p = check_escape(j, p + 1)))
            return NULL;
    }
    out->len = (size_t)(p - out->ptr);
    if (high && !utf8_valid((str){(const char *)out->ptr, out->len}))
        return json_fail(j, out->ptr, "text is not UTF-8");
    return p + 1;
}

static char *
put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
        return out;
    }
    if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
    } else if (code < 0x10000) {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
    } else {
        *out++ = (char)(0xf0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3f));
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
    }
    *out++ = (char)(0x80 | (code & 0x3f));
    return out;
}

size_t
json_unescape(struct json_str text, char *out)
{
    const uint8_t *p = text.ptr;
    const uint8_t *end = p + text.len;
    char *start = out;
    uint32_t code = 0;

    while (p < end) {
        if (*p != '\\') {
            *out++ = (char)*p++;
        } else if (p[1] != 'u') {
            *out++ = simple_escape(p[1]);
            p += 2;
        } else {
            p = unicode_escape(p + 2, end, &code);
            out = put_utf8(out, code);
        }
    }
    return (size_t)(out - start);
}

const uint8_t *
json_open(struct json *j, const uint8_t *p, char bracket)
{
    uint8_t c;

    p = json_peek(j, p, &c);
    if (c != (uint8_t)bracket)
        return json_fail(j, p,
                         bracket == '{' ? "a JSON object was expected"
                                        : "a JSON array was expected");
    return p + 1;
}

const uint8_t *
json_next(struct json *j, const uint8_t *p, bool *first, char close, bool *done)
{
    uint8_t c;

    p = json_peek(j, p, &c);
    *done = c == (uint8_t)close;
    if (*done)
        return p + 1;
    if (*first) {
        *first = false;
        return p;
    }
    if (c != ',')
        return json_fail(j, p, "a comma or closing bracket was expected");
    return p + 1;
}

const uint8_t *
json_name(struct json *j, const uint8_t *p, struct json_str *name)
{
    uint8_t c;

    if (!(p = json_string(j, p, name)))
        return NULL;
    p = json_peek(j, p, &c);
    return c == ':' ? p + 1 : json_fail(j, p, "a colon was expected");
}

/* The number at the start of |p|; NULL if there is none. */
static const uint8_t *
number_end(const uint8_t *p, const uint8_t *end)
{
    const uint8_t *digits;

    if (p < end && *p == '-')
        p++;
    digits = p;
    while (p < end && is_digit(*p))
        p++;
    if (p == digits || (*digits == '0' && p - digits > 1))
        return NULL;
    if (p < end && *p == '.') {
        digits = ++p;
        while (p < end && is_digit(*p))
            p++;
        if (p == digits)
            return NULL;
    }
    if (p < end && (*p | 0x20) == 'e') {
        p++;
        p += p < end && (*p == '+' || *p == '-');
        digits = p;
        while (p < end && is_digit(*p))
            p++;
        if (p == digits)
            return NULL;
    }
    return p;
}

const uint8_t *
json_number(struct json *j, const uint8_t *p, str *out)
{
    uint8_t c;
    const uint8_t *start = json_peek(j, p, &c);

    if (!(p = number_end(start, j->end)))
        return json_fail(j, start, "a JSON number was expected");
    *out = (str){(const char *)start, (size_t)(p - start)};
    return p;
}

bool
json_is_number(str text)
{
    const uint8_t *p = (const uint8_t *)text.ptr;

    return number_end(p, p + text.len) == p + text.len && text.len > 0;
}

static bool
literal(const struct json *j, const uint8_t *p, str word)
{
    return (size_t)(j->end - p) >= word.len &&
           memcmp(p, word.ptr, word.len) == 0;
}

const uint8_t *
json_null(struct json *j, const uint8_t *p, bool *is_null)
{
    uint8_t c;

    p = json_peek(j, p, &c);
    *is_null = c == 'n';
    if (!*is_null)
        return p;
    return literal(j, p, STR("null")) ? p + 4
                                      : json_fail(j, p, "invalid JSON value");
}

const uint8_t *
json_bool(struct json *j, const uint8_t *p, bool *out)
{
    uint8_t c;

    p = json_peek(j, p, &c);
    *out = c == 't';
    if (literal(j, p, STR("true")))
        return p + 4;
    if (literal(j, p, STR("false")))
        return p + 5;
    return json_fail(j, p, "true or false was expected");
}

static const uint8_t *skip(struct json *j, const uint8_t *p, int depth);

static const uint8_t *
skip_object(struct json *j, const uint8_t *p, int depth)
{
    struct json_str name;
    bool first = true;
    bool done = false;

    while ((p = json_next(j, p, &first, '}', &done)) && !done)
        if (!(p = json_name(j, p, &name)) || !(p = skip(j, p, depth)))
            return NULL;
    return p;
}

static const uint8_t *
skip_array(struct json *j, const uint8_t *p, int depth)
{
    bool first = true;
    bool done = false;

    while ((p = json_next(j, p, &first, ']', &done)) && !done)
        if (!(p = skip(j, p, depth)))
            return NULL;
    return p;
}

static const uint8_t *
skip(struct json *j, const uint8_t *p, int depth)
{
    struct json_str text;
    str number;
    bool flag;
    uint8_t c;

    p = json_peek(j, p, &c);
    if ((c == '{' || c == '[') && depth == JSON_DEPTH_MAX)
        return json_fail(j, p, "JSON nested too deep");
    switch (c) {
    case '{':
        return skip_object(j, p + 1, depth + 1);
    case '[':
        return skip_array(j, p + 1, depth + 1);
    case '"':
        return json_string(j, p, &text);
    case 't':
    case 'f':
        return json_bool(j, p, &flag);
    case 'n':
        return json_null(j, p, &flag);
    default:
        return json_number(j, p, &number);
    }
}

const uint8_t *
json_skip(struct json *j, const uint8_t *p)
{
    return skip(j, p, 0);
}
