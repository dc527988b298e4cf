/*
 * The stable key of the semantic conventions goes before the older ones, those
 * before what two web frameworks of Node.js call their handlers.
 */
#include "runtime/symbol.h"

#include <stdio.h>
#include <string.h>

#include "base/redact.h"
#include "graph/join_name.h"

enum { CODE_LINE_MAX = 12, BARE_MAX = 64 };

/* Of a path that is too long the end counts: that is what two views of one
 * file have in common. */
static str
end_of_path(str path, size_t most)
{
    size_t from = path.len > most ? path.len - most : 0;

    while (from > 0 && from < path.len && (path.ptr[from] & 0xc0) == 0x80)
        from++; /* not into the middle of a character */
    return str_cut(path, from, path.len);
}

/* Joins |space| and |name| with |between| in lane->text; false: no memory. */
static bool
join_code(struct intake_lane *lane, str space, char between, str name)
{
    if (between == ':')
        space = end_of_path(space, NODE_NAME_MAX - 1 - name.len);
    buf_reset(&lane->text);
    buf_add(&lane->text, space);
    if (space.len > 0)
        buf_add_char(&lane->text, between);
    buf_add(&lane->text, name);
    if (lane->text.failed)
        lane->err = ERR_NOMEM;
    return !lane->text.failed;
}

static bool
is_word(uint8_t c)
{
    return c == '_' || c >= 0x80 || (c >= '0' && c <= '9') ||
           ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/*
 * Whether |name| holds what the name of no function or file holds, but a value
 * does: a quote, an address (a@b.c), `=` or `?` with a word behind it (as in
 * a=1; name=, valid? and operator== are names), or what names are redacted for.
 */
static bool
has_value(str name)
{
    bool at = false;

    for (size_t i = 0; i < name.len; i++) {
        uint8_t c = name.ptr[i];
        bool word = i + 1 < name.len && is_word(name.ptr[i + 1]);

        if (c == '\'' || c == '"' || (word && (c == '=' || c == '?')) ||
            (at && word && c == '.'))
            return true;
        at = c == '@' || (at && is_word(c));
    }
    return redact_has(name);
}

/* A name is |a|, |between| and |b|, or |b| alone; an empty |b|: none. */
struct code_name {
    str a;
    str b;
    char between;
};

static struct code_name
function_of(const struct attr_set *attrs)
{
    struct code_name name = {.b = attr_str(attrs, ATTR_CODE_FUNCTION),
                             .between = '.'};

    if (name.b.len == 0) {
        name.b = attr_str(attrs, ATTR_CODE_FUNCTION_OLD);
        name.a = attr_str(attrs, ATTR_CODE_NAMESPACE);
    }
    if (name.b.len == 0) {
        name.b = attr_str(attrs, ATTR_NEST_CALLBACK);
        name.a = attr_str(attrs, ATTR_NEST_CONTROLLER);
    }
    if (name.b.len == 0) {
        name = (struct code_name){.b = attr_str(attrs, ATTR_HOOK_CALLBACK)};
        if (str_eq(name.b, STR("anonymous")))
            name.b.len = 0;
    }
    return name;
}

static str
path_of(const struct attr_set *attrs)
{
    static const enum attr paths[] = {ATTR_CODE_FILE, ATTR_CODE_FILE_OLD,
                                      ATTR_COUNT};

    return lane_first(attrs, paths);
}

/* |b| is the line, or empty. */
static struct code_name
place_of(const struct attr_set *attrs, char line[static CODE_LINE_MAX])
{
    struct code_name name = {.a = path_of(attrs), .between = ':'};
    int64_t number;

    if (has_value(name.a))
        name.a.len = 0;
    if (name.a.len == 0 || (!attr_int(attrs, ATTR_CODE_LINE, &number) &&
                            !attr_int(attrs, ATTR_CODE_LINE_OLD, &number)))
        return name;
    if (number <= 0 || number > INT32_MAX)
        return name;
    int len = snprintf(line, CODE_LINE_MAX, "%d", (int)number);
    name.b = (str){line, (size_t)len};
    return name;
}

/* What ends so has no name: `<lambda>`, `{closure}`. */
static bool
is_anonymous(str name)
{
    char last = name.ptr[name.len - 1];

    return last == '>' || last == '}' || str_eq(name, STR("(anonymous)")) ||
           str_eq(name, STR("anonymous"));
}

static bool
has(str s, char c)
{
    return memchr(s.ptr, c, s.len) != NULL;
}

/* Whether |name| says no more than the last word, which many functions have.
 * Most have a dot, and asking for it is cheaper than reading the name. */
static bool
is_bare(const struct code_name *name)
{
    str s = name->b;

    return name->a.len == 0 && !has(s, '.') && !has(s, ':') && !has(s, '/') &&
           !has(s, '\\') && !has(s, '#');
}

/* A bare name is one of its file, if that is told, and what has none at all of
 * its line. */
static void
put_in_place(const struct attr_set *attrs, struct code_name *name,
             char line[static CODE_LINE_MAX])
{
    if (!lane_has_any(attrs, ATTR_CODE_FILE, ATTR_CODE_FILE_OLD))
        return;
    bool is_nameless = is_anonymous(name->b);
    if (!is_nameless && (!is_bare(name) || name->b.len > BARE_MAX))
        return;
    struct code_name place = place_of(attrs, line);
    if (place.a.len == 0 || (is_nameless && place.b.len == 0))
        return;
    *name = (struct code_name){.a = place.a,
                               .b = is_nameless ? place.b : name->b,
                               .between = place.between};
}

/* Whether the file that the span tells is of a package that was installed, and
 * not of the one that is named as the service: a program may be installed. */
static bool
is_of_library(const struct intake_lane *lane, const struct attr_set *attrs)
{
    str path = path_of(attrs);
    size_t at = join_name_installed(path);

    if (at == 0)
        return false;
    str package = str_cut(path, at, path.len);
    const char *slash =
        package.len ? memchr(package.ptr, '/', package.len) : NULL;
    if (slash)
        package.len = (size_t)(slash - package.ptr);
    str service = nodes_get(lane->nodes, lane->service).name;
    slash = service.len ? memrchr(service.ptr, '/', service.len) : NULL;
    if (slash)
        service =
            str_cut(service, (size_t)(slash + 1 - service.ptr), service.len);
    return !join_name_is_like(package, service);
}

uint32_t
symbol_of_span(struct intake_lane *lane, const struct attr_set *attrs)
{
    struct memo_key key = {.use = MEMO_SYMBOL, .owner = lane->service};
    struct memo_value value = {0, 0};
    char line[CODE_LINE_MAX];

    /* What else there is of code names nothing alone. */
    if (!lane_has_any(attrs, ATTR_CODE_FUNCTION, ATTR_CODE_FILE_OLD))
        return 0;
    /* Asked before anything is remembered: of one name, one file may be
     * installed and another not. */
    if (lane_has_any(attrs, ATTR_CODE_FILE, ATTR_CODE_FILE_OLD) &&
        is_of_library(lane, attrs))
        return 0;
    struct code_name name = function_of(attrs);
    if (name.b.len > 0) {
        put_in_place(attrs, &name, line);
        key.use = name.between == ':' ? MEMO_PLACE : MEMO_SYMBOL;
        key.a = name.a;
        key.b = name.b;
        if (memo_find(lane->memo, &key, &value))
            return value.id; /* it was looked at when it was put there */
        if (has_value(name.a) || has_value(name.b))
            name.b.len = 0;
    }
    if (name.b.len == 0) {
        name = place_of(attrs, line);
        if (name.b.len == 0)
            return 0;
        key.use = MEMO_PLACE;
        key.a = name.a;
        key.b = name.b;
        if (memo_find(lane->memo, &key, &value))
            return value.id;
    }
    if (!join_code(lane, name.a, name.between, name.b))
        return 0;
    value.id = nodes_intern(lane->nodes, NODE_SYMBOL, lane->service,
                            buf_str(&lane->text), (str){NULL, 0});
    lane_remember(lane, &key, value);
    return value.id;
}
