/*
 * One pass of recursive descent, as deep as JSON_DEPTH_MAX.  It builds nothing;
 * all it remembers is where the outermost "id" is, because a number that passed
 * through a double is not always the number that was sent.
 */
#include "mcp/json.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static const char MALFORMED[] = "this is not JSON";

struct scanner {
    const char *at;
    const char *end;
    size_t values;
    const char *why;
    str id;
};

static bool scan_value(struct scanner *s, size_t depth);

/* The first is told, unless it turns out not to be JSON at all. */
static bool
fail(struct scanner *s, const char *why)
{
    if (!s->why || why == MALFORMED)
        s->why = why;
    return false;
}

static void
skip_space(struct scanner *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' ||
                              *s->at == '\r' || *s->at == '\t'))
        s->at++;
}

static bool
take(struct scanner *s, char byte)
{
    if (s->at == s->end || *s->at != byte)
        return false;
    s->at++;
    return true;
}

static bool
is_hex(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') ||
           (byte >= 'A' && byte <= 'F');
}

/* Behind a backslash. */
static bool
scan_escape(struct scanner *s)
{
    if (s->at == s->end)
        return fail(s, MALFORMED);
    char kind = *s->at++;
    if (kind != 'u')
        return (kind && strchr("\"\\/bfnrt", kind)) || fail(s, MALFORMED);
    if (s->end - s->at < 4)
        return fail(s, MALFORMED);
    for (size_t i = 0; i < 4; i++)
        if (!is_hex(s->at[i]))
            return fail(s, MALFORMED);
    if (memcmp(s->at, "0000", 4) == 0) /* behind it an id may come */
        (void)fail(s, "U+0000 is not accepted in a string");
    s->at += 4;
    return true;
}

static bool
scan_string(struct scanner *s)
{
    if (!take(s, '"'))
        return fail(s, MALFORMED);
    while (s->at < s->end) {
        char byte = *s->at++;
        if (byte == '"')
            return true;
        if ((unsigned char)byte < 0x20)
            return fail(s, MALFORMED);
        if (byte == '\\' && !scan_escape(s))
            return false;
    }
    return fail(s, MALFORMED);
}

static bool
scan_digits(struct scanner *s)
{
    const char *from = s->at;

    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return s->at > from || fail(s, MALFORMED);
}

static bool
scan_number(struct scanner *s)
{
    (void)take(s, '-');
    if (!take(s, '0') && !scan_digits(s))
        return false;
    if (take(s, '.') && !scan_digits(s))
        return false;
    if (take(s, 'e') || take(s, 'E')) {
        if (!take(s, '+'))
            (void)take(s, '-');
        return scan_digits(s);
    }
    return true;
}

static bool
scan_word(struct scanner *s, str word)
{
    if ((size_t)(s->end - s->at) < word.len ||
        memcmp(s->at, word.ptr, word.len) != 0)
        return fail(s, MALFORMED);
    s->at += word.len;
    return true;
}

static bool
scan_member(struct scanner *s, size_t depth)
{
    const char *key = s->at;

    if (!scan_string(s))
        return false;
    bool is_id =
        depth == 1 && str_eq((str){key, (size_t)(s->at - key)}, STR("\"id\""));
    skip_space(s);
    if (!take(s, ':'))
        return fail(s, MALFORMED);
    skip_space(s);
    const char *value = s->at;
    if (!scan_value(s, depth))
        return false;
    if (is_id)
        s->id = (str){value, (size_t)(s->at - value)};
    return true;
}

/* |open| has been taken. */
static bool
scan_list(struct scanner *s, size_t depth, char open)
{
    char close = open == '{' ? '}' : ']';

    if (depth > JSON_DEPTH_MAX)
        return fail(s, "nested too deeply; 64 levels are the most");
    skip_space(s);
    if (take(s, close))
        return true;
    do {
        skip_space(s);
        if (open == '{' ? !scan_member(s, depth) : !scan_value(s, depth))
            return false;
        skip_space(s);
    } while (take(s, ','));
    return take(s, close) || fail(s, MALFORMED);
}

static bool
scan_value(struct scanner *s, size_t depth)
{
    if (++s->values > JSON_VALUES_MAX)
        return fail(s, "more than 65536 values in one message");
    if (s->at == s->end)
        return fail(s, MALFORMED);
    switch (*s->at) {
    case '{':
    case '[':
        return scan_list(s, depth + 1, *s->at++);
    case '"':
        return scan_string(s);
    case 't':
        return scan_word(s, STR("true"));
    case 'f':
        return scan_word(s, STR("false"));
    case 'n':
        return scan_word(s, STR("null"));
    default:
        return scan_number(s);
    }
}

bool
json_scan(str text, str *id, const char **why)
{
    struct scanner s = {.at = text.ptr, .end = text.ptr + text.len};

    if (!text.ptr || !utf8_valid(text)) {
        *why = text.ptr ? "the message is not UTF-8" : MALFORMED;
        return false;
    }
    skip_space(&s);
    bool ok = scan_value(&s, 0);
    skip_space(&s);
    if (ok && s.at != s.end)
        ok = fail(&s, MALFORMED);
    *why = s.why;
    if (id)
        *id = s.why == MALFORMED ? (str){0} : s.id;
    return ok && !s.why;
}

/* The first of that name, as cJSON_GetObjectItemCaseSensitive has it. */
static str
member_token(str object, str name)
{
    struct scanner s = {.at = object.ptr, .end = object.ptr + object.len};

    skip_space(&s);
    if (!take(&s, '{'))
        return (str){0};
    do {
        skip_space(&s);
        const char *key = s.at;
        if (!scan_string(&s))
            break;
        bool is_it = str_eq((str){key + 1, (size_t)(s.at - key) - 2}, name);
        skip_space(&s);
        (void)take(&s, ':');
        skip_space(&s);
        const char *value = s.at;
        if (!scan_value(&s, 1))
            break;
        if (is_it)
            return (str){value, (size_t)(s.at - value)};
        skip_space(&s);
    } while (take(&s, ','));
    return (str){0};
}

str
json_token(str text, const char *const *path)
{
    for (; *path && text.len; path++)
        text = member_token(text, str_of(*path));
    return text;
}

static atomic_ullong failures;

static void *
counted_malloc(size_t size)
{
    void *memory = malloc(size);

    if (!memory)
        atomic_fetch_add(&failures, 1);
    return memory;
}

void
json_count_failures(void)
{
    cJSON_Hooks hooks = {.malloc_fn = counted_malloc, .free_fn = free};

    cJSON_InitHooks(&hooks);
}

uint64_t
json_failures(void)
{
    return atomic_load(&failures) + buf_shortages();
}

void
json_give(cJSON *object, const char *name, cJSON *item)
{
    if (!cJSON_AddItemToObject(object, name, item))
        cJSON_Delete(item);
}

void
json_push(cJSON *array, cJSON *item)
{
    if (!cJSON_AddItemToArray(array, item))
        cJSON_Delete(item);
}

cJSON *
json_parse(str text, const char **why)
{
    if (!json_scan(text, NULL, why))
        return NULL;
    cJSON *tree = cJSON_ParseWithLength(text.ptr, text.len);
    if (!tree)
        *why = MALFORMED; /* half a surrogate pair, or no memory */
    return tree;
}

/* Anything but printable ASCII, eight bytes at a time. */
static bool
needs_cleaning(str text)
{
    size_t at = 0;
    uint64_t word;

    for (; at + sizeof(word) <= text.len; at += sizeof(word)) {
        memcpy(&word, text.ptr + at, sizeof(word));
        /* The high bit of a byte, or of a byte plus one: 0x7f and above. */
        uint64_t high = word | ((word & UINT64_C(0x7f7f7f7f7f7f7f7f)) +
                                UINT64_C(0x0101010101010101));
        if (high & UINT64_C(0x8080808080808080))
            return true;
    }
    for (; at < text.len; at++)
        if ((unsigned char)text.ptr[at] >= 0x7f)
            return true;
    return false;
}

/* What stands in a string for |byte|, which cannot stand there itself. */
static str
escape_of(unsigned char byte)
{
    switch (byte) {
    case '"':
        return STR("\\\"");
    case '\\':
        return STR("\\\\");
    case '\n':
        return STR("\\n");
    case '\t':
        return STR("\\t");
    default:
        return STR("\xef\xbf\xbd");
    }
}

static void
add_escaped(struct buf *out, str text)
{
    size_t from = 0;

    buf_add_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (byte != '"' && byte != '\\' && byte >= 0x20)
            continue;
        buf_add(out, str_cut(text, from, i));
        buf_add(out, escape_of(byte));
        from = i + 1;
    }
    buf_add(out, str_cut(text, from, text.len));
    buf_add_char(out, '"');
}

/* cJSON writes control characters as \u00xx, and three of them as \b, \f and
 * \r.  A terminal that shows the answer would obey them: the first become
 * U+FFFD, the three, for which that is too long, a space. */
static void
hide_controls(char *text)
{
    char *to = text;

    for (const char *from = text; *from;) {
        if (from[0] != '\\') {
            *to++ = *from++;
        } else if (memcmp(from, "\\u00", 4) == 0) {
            memcpy(to, "\xef\xbf\xbd", 3);
            to += 3;
            from += 6;
        } else if (strchr("bfr", from[1])) {
            *to++ = ' ';
            from += 2;
        } else {
            *to++ = *from++;
            *to++ = *from++;
        }
    }
    *to = '\0';
}

/* Cleaning must not touch what JSON escapes anyway, line ends above all: so it
 * is done on what has been escaped. */
static void
add_clean(struct buf *out, str json)
{
    if (needs_cleaning(json))
        utf8_clean(out, json, SIZE_MAX / 2);
    else
        buf_add(out, json);
}

void
json_add_string(struct buf *out, str text)
{
    struct buf escaped = {0};

    if (!needs_cleaning(text)) {
        add_escaped(out, text);
        return;
    }
    add_escaped(&escaped, text);
    add_clean(out, buf_str(&escaped));
    out->failed = out->failed || escaped.failed;
    buf_fini(&escaped);
}

void
json_add_tree(struct buf *out, const cJSON *tree)
{
    enum { FIRST_CAP = 2048 };
    char *text = cJSON_PrintBuffered(tree, FIRST_CAP, 0);

    if (!text) {
        out->failed = true;
        return;
    }
    if (strchr(text, '\\'))
        hide_controls(text);
    add_clean(out, str_of(text));
    cJSON_free(text);
}

cJSON *
json_member(const cJSON *object, const char *name)
{
    return cJSON_IsObject(object)
               ? cJSON_GetObjectItemCaseSensitive(object, name)
               : NULL;
}

const char *
json_text(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(json_member(object, name));
}

bool
json_is_unique(const cJSON *object, const char *name)
{
    const cJSON *member = NULL;
    size_t seen = 0;

    cJSON_ArrayForEach(member, object)
    {
        if (member->string && strcmp(member->string, name) == 0)
            seen++;
    }
    return seen <= 1;
}
