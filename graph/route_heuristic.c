/*
 * A path without a pattern, told by the look of its segments (rule 5).  What
 * looks like a value becomes `{}`; what could be a word stays.  Three rules are
 * ours, for the sake of what must not be stored: a segment with anything but
 * letters, digits and a few signs in it (percent-encoded, an `@`, a `{`, any
 * byte above ASCII) is a value, so is one with five digits in a row, and so is
 * the stem before a short extension (`/users/17.json` is `/users/{}.json`).
 */
#include "graph/routes.h"

#include <strings.h>

#include "graph/route_text.h"

enum { SEGMENTS_MAX = 10, SEGMENT_MAX = 40, EXT_MAX = 6 };

/* What the characters of a segment are. */
struct look {
    size_t digits;
    size_t digit_run; /* the longest */
    size_t lower;
    size_t upper;
    size_t hex;    /* of all of these, those that are hex digits */
    size_t dashes; /* '-' and '_' */
    size_t other;
    bool is_odd; /* has what no literal has */
};

static const char *const static_ext[] = {
    "js",   "mjs",  "css", "map",  "png",   "jpg", "jpeg", "gif", "svg", "ico",
    "webp", "avif", "bmp", "woff", "woff2", "ttf", "eot",  "otf", "mp3", "mp4",
    "webm", "ogg",  "wav", "wasm", "html",  "htm", "txt",  "pdf", "zip", "gz",
};

static struct look
look_at(str s)
{
    struct look look = {0};
    size_t run = 0;

    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        look.digits += text_is_digit(c);
        run = text_is_digit(c) ? run + 1 : 0;
        look.digit_run = run > look.digit_run ? run : look.digit_run;
        look.lower += text_is_lower(c);
        look.upper += text_is_upper(c);
        look.hex += str_hex_digit(c) >= 0;
        look.dashes += c == '-' || c == '_';
        look.is_odd |=
            !text_is_alnum(c) && (c == 0 || !strchr("-_.~:!$,()'", c));
    }
    look.other = s.len - look.digits - look.lower - look.upper - look.dashes;
    return look;
}

/* `v1`, `v2beta1`: a version of an interface, not a value. */
static bool
is_version(str s)
{
    size_t at = 1;

    if (s.len < 2 || s.ptr[0] != 'v' || !text_is_digit(s.ptr[1]))
        return false;
    while (at < s.len && text_is_digit(s.ptr[at]))
        at++;
    str rest = str_cut(s, at, s.len);
    if (rest.len == 0)
        return at <= 4;
    while (rest.len > 0 && text_is_digit(rest.ptr[rest.len - 1]))
        rest.len--;
    return str_eq(rest, STR("alpha")) || str_eq(rest, STR("beta")) ||
           str_eq(rest, STR("rc"));
}

/* `s3`, `oauth2`: letters and one digit at the end. */
static bool
is_word_with_digit(str s, const struct look *look)
{
    return look->digits == 1 && look->lower + look->upper == s.len - 1 &&
           s.len >= 2 && text_is_digit(s.ptr[s.len - 1]);
}

static bool
is_uuid(str s)
{
    if (s.len != 36)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? s.ptr[i] != '-' : str_hex_digit(s.ptr[i]) < 0)
            return false;
    }
    return true;
}

/* Random letters and digits: ULID, KSUID, nano ids, base64url. */
static bool
is_random(str s, const struct look *look)
{
    if (s.len < 16 || look->other > 0)
        return false;
    if (look->lower && look->upper && look->digits)
        return true;
    return look->digits >= 3 && look->dashes == 0;
}

static bool
is_ipv6(str s, const struct look *look)
{
    size_t colons = 0;

    for (size_t i = 0; i < s.len; i++)
        colons += s.ptr[i] == ':';
    return colons >= 2 && colons + look->hex == s.len;
}

static bool
is_value(str s)
{
    struct look look = look_at(s);

    if (look.is_odd || s.len > SEGMENT_MAX)
        return true;
    if (look.hex == s.len && s.len >= 8 && look.digits > 0)
        return true;
    if (s.ptr[0] == '.' || is_version(s) || is_word_with_digit(s, &look))
        return false;
    if (look.digits * 4 > s.len || look.digit_run > 4 || is_uuid(s) ||
        is_random(s, &look))
        return true;
    return is_ipv6(s, &look);
}

/* Where the extension of |s| begins, its dot; s.len if it has none. */
static size_t
find_ext(str s)
{
    size_t dot = s.len;

    while (dot > 1 && s.ptr[dot - 1] != '.')
        dot--;
    if (dot <= 1 || s.len - dot > EXT_MAX || s.len == dot)
        return s.len;
    if (!text_is_lower(s.ptr[dot]) && !text_is_upper(s.ptr[dot]))
        return s.len;
    for (size_t i = dot; i < s.len; i++)
        if (!text_is_alnum(s.ptr[i]))
            return s.len;
    return dot - 1;
}

static bool
is_static_ext(str ext)
{
    for (size_t i = 0; i < sizeof(static_ext) / sizeof(static_ext[0]); i++) {
        str known = str_of(static_ext[i]);
        if (ext.len == known.len &&
            strncasecmp(ext.ptr, known.ptr, ext.len) == 0)
            return true;
    }
    return false;
}

static void
put_segment(struct buf *out, str s, bool is_last)
{
    buf_add_char(out, '/');
    size_t dot = is_last ? find_ext(s) : s.len;
    str ext = str_cut(s, dot + 1, s.len);

    if (ext.len > 0 && !memchr(s.ptr, '@', s.len)) {
        bool is_static = is_static_ext(ext);
        if (is_static || is_value(str_cut(s, 0, dot))) {
            buf_add(out, is_static ? STR("*.") : STR("{}."));
            buf_add(out, ext);
            return;
        }
    }
    buf_add(out, is_value(s) ? STR("{}") : s);
}

/* The unreserved character that `%XX` at |at| stands for, or 0. */
static char
unreserved(str s, size_t at)
{
    unsigned char c;

    if (s.ptr[at] != '%' || !str_read_hex(str_cut(s, at + 1, at + 3), &c, 1))
        return 0;
    bool is =
        c > 0 && c < 0x80 && (text_is_alnum((char)c) || strchr("-._~", c));
    if (!is)
        return 0;
    return (char)c;
}

/* Undoes %XX where it stands for an unreserved character.  |to| holds at least
 * SEGMENT_MAX + 1 bytes; a longer segment is cut there, still too long. */
static str
decode(str s, char *to)
{
    size_t len = 0;

    for (size_t i = 0; i < s.len && len <= SEGMENT_MAX; i++) {
        char plain = unreserved(s, i);
        to[len++] = s.ptr[i];
        if (!plain)
            continue;
        to[len - 1] = plain;
        i += 2;
    }
    return (str){to, len};
}

/* Cuts the next segment off |path|: no slashes, no `;parameters`. */
static str
next_segment(str *path)
{
    size_t from = 0;

    while (from < path->len && path->ptr[from] == '/')
        from++;
    size_t end = from;
    while (end < path->len && path->ptr[end] != '/')
        end++;
    str segment = str_cut(*path, from, end);
    *path = str_cut(*path, end, path->len);
    const char *semi =
        segment.len > 0 ? memchr(segment.ptr, ';', segment.len) : NULL;
    if (semi)
        segment.len = (size_t)(semi - segment.ptr);
    return segment;
}

void
route_heuristic(str path, struct buf *out)
{
    str segments[SEGMENTS_MAX + 1];
    char text[SEGMENT_MAX + 1];
    size_t len = 0;

    for (size_t i = 0; i < path.len; i++)
        if (path.ptr[i] == '?' || path.ptr[i] == '#')
            path.len = i;
    while (path.len > 0 && len <= SEGMENTS_MAX) {
        str segment = next_segment(&path);
        if (segment.len > 0 && !str_eq(segment, STR(".")))
            segments[len++] = segment;
    }
    if (len > SEGMENTS_MAX) {
        buf_add(out, STR("/{**}"));
        return;
    }
    for (size_t i = 0; i < len; i++)
        put_segment(out, decode(segments[i], text), i + 1 == len);
    if (len == 0)
        buf_add_char(out, '/');
}
