/*
 * The stable key of the semantic conventions goes before the older ones, those
 * before what two web frameworks of Node.js call their handlers.
 */
#include "runtime/symbol.h"

#include <stdio.h>

enum { CODE_LINE_MAX = 12 };

/* Joins |space| and |name| with |between| in lane->text; false: no memory. */
static bool
join_code(struct intake_lane *lane, str space, char between, str name)
{
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
 * does: a quote, an address (a@b.c), or `=` or `?` with a word behind it (as in
 * a=1; name=, valid? and operator== are names).
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
    return false;
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

/* Of a path that is too long the end counts: that is what two views of one
 * file have in common. */
static struct code_name
place_of(const struct attr_set *attrs, char line[static CODE_LINE_MAX])
{
    static const enum attr paths[] = {ATTR_CODE_FILE, ATTR_CODE_FILE_OLD,
                                      ATTR_COUNT};
    struct code_name name = {.a = lane_first(attrs, paths), .between = ':'};
    size_t most = NODE_NAME_MAX - CODE_LINE_MAX;
    int64_t number;

    if (has_value(name.a))
        name.a.len = 0;
    if (name.a.len == 0 || (!attr_int(attrs, ATTR_CODE_LINE, &number) &&
                            !attr_int(attrs, ATTR_CODE_LINE_OLD, &number)))
        return name;
    if (number <= 0 || number > INT32_MAX)
        return name;
    if (name.a.len > most) {
        size_t from = name.a.len - most;
        while (from < name.a.len && (name.a.ptr[from] & 0xc0) == 0x80)
            from++; /* not into the middle of a character */
        name.a = str_cut(name.a, from, name.a.len);
    }
    int len = snprintf(line, CODE_LINE_MAX, "%d", (int)number);
    name.b = (str){line, (size_t)len};
    return name;
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
    struct code_name name = function_of(attrs);
    if (name.b.len > 0) {
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
