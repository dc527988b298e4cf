/*
 * json - the words of RFC 8259, read in place.
 *
 * A reader of what is expected next, for a decoder that knows the shape of its
 * documents; no tree, no events.  Each function takes the position, skips white
 * space before it, and returns the position behind what it read, or NULL after
 * noting what was wrong and where.
 *
 * Strict: no trailing commas, comments, leading zeros or control characters;
 * text is UTF-8.  A lone surrogate (\ud800) is U+FFFD: it is what is left of a
 * text that was cut in the middle of a pair, and no reason to lose the rest.
 *
 *     bool first = true, done = false;
 *     p = json_open(j, p, '[');
 *     while (p && (p = json_next(j, p, &first, ']', &done)) && !done)
 *         p = json_skip(j, p);
 *
 * Memory     Views point into the document.  64 bytes behind it are readable.
 * Bound      json_skip descends JSON_DEPTH_MAX levels.
 * Threads    None.
 */
#ifndef OTLP_JSON_H
#define OTLP_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* More than 32 levels of AnyValue take: a list of key-values is four. */
enum { JSON_DEPTH_MAX = 200 };

struct json {
    const uint8_t *end;
    const uint8_t *error_at;
    const char *error; /* static; NULL: none */
};

/* The text between the quotes, as it stands there. */
struct json_str {
    const uint8_t *ptr; /* NULL: there was none */
    size_t len;
    bool escaped; /* json_unescape makes it text */
};

/* json_fail notes the first error and is NULL. */
const uint8_t *json_fail(struct json *j, const uint8_t *at, const char *what);

/* json_peek skips white space; the next byte is in |out|, 0 at the end. */
static inline const uint8_t *
json_peek(const struct json *j, const uint8_t *p, uint8_t *out)
{
    while (p < j->end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    *out = p < j->end ? *p : 0;
    return p;
}

/* json_open expects |bracket|, one of { and [. */
const uint8_t *json_open(struct json *j, const uint8_t *p, char bracket);

/* json_next reads the comma before all but the |first| member or element; at
 * the |close| bracket, which is read too, it is |done|. */
const uint8_t *json_next(struct json *j, const uint8_t *p, bool *first,
                         char close, bool *done);

/* json_name reads the name of a member and the colon. */
const uint8_t *
json_name(struct json *j, const uint8_t *p, struct json_str *name);

const uint8_t *
json_string(struct json *j, const uint8_t *p, struct json_str *out);

/* json_number checks the grammar and gives the digits as they stand. */
const uint8_t *json_number(struct json *j, const uint8_t *p, str *out);

/* json_null reads `null` if it is next, otherwise gives |p| back. */
const uint8_t *json_null(struct json *j, const uint8_t *p, bool *is_null);

const uint8_t *json_bool(struct json *j, const uint8_t *p, bool *out);

/* json_skip reads any one value. */
const uint8_t *json_skip(struct json *j, const uint8_t *p);

/* json_unescape writes |text|, which is no longer than it was, to |out| and
 * returns its length. */
size_t json_unescape(struct json_str text, char *out);

/* json_is_number says whether all of |text| is a JSON number. */
bool json_is_number(str text);

/*
 * json_integer reads a JSON number that is a whole one, however it is written
 * (12, 12.0, 1.2e1), exactly.  False if it has a fraction, or if it or its
 * absolute value is above UINT64_MAX.
 */
bool json_integer(str number, bool *negative, uint64_t *out);

#endif
