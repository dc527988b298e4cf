/*
 * Expressions.  Three calls are no calls to whoever resolves: `super()` is the
 * object as its bases see it, `type(self)` stands for its class, and `cast` is
 * a type for a value.
 */
#include "index/lang_python.h"

#include <string.h>

uint32_t
python_identifier(struct walk *w, TSNode node)
{
    str self = python_of(w)->self;

    if (self.len > 0 && str_eq(extract_text(w->x, node), self))
        return walk_unary(w, node, EXPR_SELF, 0);
    return walk_name(w, node);
}

uint32_t
python_word(struct walk *w, TSNode node)
{
    return walk_name(w, node);
}

uint32_t
python_number(struct walk *w, TSNode node)
{
    return walk_put(w, node,
                    (struct fact_expr){.kind = EXPR_NUMBER,
                                       .text = extract_str(w->x, node)});
}

uint32_t
python_attribute(struct walk *w, TSNode node)
{
    uint32_t object = walk_value(w, walk_field(w, node, PY_F_OBJECT));
    TSNode name = walk_field(w, node, PY_F_ATTRIBUTE);

    if (walk_expr_kind(w, object) == EXPR_SELF &&
        str_eq(extract_text(w->x, name), STR("__class__")))
        return object;
    return walk_member(w, object, name);
}

/* ---- calls ---- */

/* The token by which compilers know a call: the last name of its callee. */
static TSNode
last_name(struct walk *w, TSNode callee)
{
    for (;;) {
        uint16_t kind = walk_kind(w, callee);
        TSNode next = {0};

        if (kind == PY_ATTRIBUTE)
            return walk_field(w, callee, PY_F_ATTRIBUTE);
        if (kind == PY_SUBSCRIPT)
            next = walk_field(w, callee, PY_F_VALUE);
        else if (kind == PY_CALL)
            next = walk_field(w, callee, PY_F_FUNCTION);
        if (ts_node_is_null(next))
            return callee;
        callee = next;
    }
}

static uint32_t
cast_type(struct walk *w, TSNode at, uint32_t expr)
{
    if (walk_expr_kind(w, expr) != EXPR_STRING)
        return expr;
    return python_type_text(w, at, walk_expr_text(w, expr));
}

static bool
is_cast(const struct walk *w, uint32_t callee, uint32_t len)
{
    enum expr_kind kind = walk_expr_kind(w, callee);

    return len == 2 && (kind == EXPR_NAME || kind == EXPR_MEMBER) &&
           str_eq(walk_expr_text(w, callee), STR("cast"));
}

/* `super()`, `type(self)`: 0 if the call is neither. */
static uint32_t
special_call(struct walk *w, TSNode function, TSNode arguments)
{
    str name = extract_text(w->x, function);
    TSNode first = walk_child(w, arguments, 0);

    if (walk_kind(w, function) != PY_IDENTIFIER)
        return 0;
    if (str_eq(name, STR("super"))) {
        walk_pass(w, arguments);
        return walk_unary(w, function, EXPR_SUPER, 0);
    }
    if (str_eq(name, STR("type")) && walk_len(arguments) == 1 &&
        walk_kind(w, first) == PY_IDENTIFIER && python_of(w)->self.len > 0 &&
        str_eq(extract_text(w->x, first), python_of(w)->self))
        return walk_unary(w, first, EXPR_SELF, 0);
    return 0;
}

uint32_t
python_call(struct walk *w, TSNode node)
{
    TSNode function = walk_field(w, node, PY_F_FUNCTION);
    TSNode arguments = walk_field(w, node, PY_F_ARGUMENTS);
    struct extract_list list = {0};
    uint32_t special = special_call(w, function, arguments);

    if (special)
        return special;
    uint32_t callee = walk_value(w, function);
    if (walk_kind(w, arguments) == PY_GENERATOR)
        walk_add(w, &list, arguments);
    else
        walk_each(w, arguments, walk_add_each, &list);
    bool casts = is_cast(w, callee, list.len);
    struct fact_expr cast = {.kind = EXPR_CAST, .a = casts ? list.items[1] : 0};
    uint32_t type = casts ? cast_type(w, arguments, list.items[0]) : 0;
    uint32_t call = walk_put_list(
        w, last_name(w, function),
        (struct fact_expr){.kind = EXPR_CALL, .a = callee}, &list);
    if (!casts || type == 0)
        return call;
    extract_list_add(w->x, &list, type);
    return walk_put_list(w, node, cast, &list);
}

uint32_t
python_keyword_arg(struct walk *w, TSNode node)
{
    uint32_t value = walk_value(w, walk_field(w, node, PY_F_VALUE));
    TSNode name = walk_field(w, node, PY_F_NAME);

    return walk_put(w, node,
                    (struct fact_expr){.kind = EXPR_PAIR,
                                       .text = extract_str(w->x, name),
                                       .a = value});
}

uint32_t
python_list_splat(struct walk *w, TSNode node)
{
    return walk_unary(w, node, EXPR_SPREAD,
                      walk_value(w, walk_child(w, node, 0)));
}

uint32_t
python_dict_splat(struct walk *w, TSNode node)
{
    return python_list_splat(w, node);
}

/* ---- literals ---- */

uint32_t
python_list(struct walk *w, TSNode node)
{
    return walk_literal(w, node, EXPR_ARRAY, walk_add_each);
}

uint32_t
python_dict(struct walk *w, TSNode node)
{
    return walk_literal(w, node, EXPR_OBJECT, walk_add_each);
}

uint32_t
python_pair(struct walk *w, TSNode node)
{
    uint32_t key = walk_value(w, walk_field(w, node, PY_F_KEY));
    uint32_t value = walk_value(w, walk_field(w, node, PY_F_VALUE));
    struct extract_list list = {0};
    struct fact_expr pair = {.kind = EXPR_PAIR, .a = value};

    if (walk_expr_kind(w, key) == EXPR_STRING)
        pair.text = walk_expr(w, key)->text;
    else
        extract_list_add(w->x, &list, key);
    return walk_put_list(w, node, pair, &list);
}

/* ---- strings ---- */

struct quotes {
    size_t prefix; /* length of `rb` */
    size_t len;    /* of a quote: 1 or 3 */
    bool is_raw;
    bool is_format;
};

static struct quotes
quotes_of(str text)
{
    struct quotes quotes = {.len = 1};

    while (quotes.prefix < text.len && text.ptr[quotes.prefix] != '"' &&
           text.ptr[quotes.prefix] != '\'') {
        int c = text.ptr[quotes.prefix++] | 0x20;
        quotes.is_raw = quotes.is_raw || c == 'r';
        quotes.is_format = quotes.is_format || c == 'f' || c == 't';
    }
    str rest = str_cut(text, quotes.prefix, text.len);
    if (rest.len >= 6 && rest.ptr[1] == rest.ptr[0] &&
        rest.ptr[2] == rest.ptr[0])
        quotes.len = 3;
    return quotes;
}

str
python_string_text(const struct walk *w, TSNode node)
{
    str text = extract_text(w->x, node);
    struct quotes quotes = quotes_of(text);
    size_t from = quotes.prefix + quotes.len;

    if (text.len < from + quotes.len)
        return STR("");
    return str_cut(text, from, text.len - quotes.len);
}

static uint32_t
put_string(struct walk *w, TSNode node, str_id text)
{
    return walk_put(w, node,
                    (struct fact_expr){.kind = EXPR_STRING, .text = text});
}

/* `{{` of a format is one brace. */
static str_id
unbraced(struct walk *w, str_id id)
{
    str text = facts_text(w->x->facts, id);
    struct buf out = {0};

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        buf_add_char(&out, c);
        if ((c == '{' || c == '}') && i + 1 < text.len && text.ptr[i + 1] == c)
            i++;
    }
    if (!out.failed && out.len < text.len)
        id = facts_str(w->x->facts, buf_str(&out));
    buf_fini(&out);
    return id;
}

static uint32_t
plain_string(struct walk *w, TSNode node, str text, const struct quotes *quotes)
{
    str inner = python_string_text(w, node);
    str_id value;

    /* One quote on each side is what extract_string takes off. */
    if (quotes->is_raw || !inner.len || !memchr(inner.ptr, '\\', inner.len))
        value = facts_str(w->x->facts, inner);
    else
        value = extract_string(w->x,
                               str_cut(text, quotes->prefix + quotes->len - 1,
                                       text.len - quotes->len + 1),
                               0);
    return put_string(w, node, quotes->is_format ? unbraced(w, value) : value);
}

static void
add_part(struct walk *w, TSNode node, void *list)
{
    str text = extract_text(w->x, node);
    bool has_escape = text.len && memchr(text.ptr, '\\', text.len);
    bool has_quote = text.len && (text.ptr[0] == '"' || text.ptr[0] == '\'');

    if (walk_kind(w, node) == PY_STRING_CONTENT) {
        str_id id = has_escape && !has_quote ? extract_string(w->x, text, 0)
                                             : facts_str(w->x->facts, text);
        extract_list_add(w->x, list, put_string(w, node, unbraced(w, id)));
    } else if (walk_kind(w, node) == PY_INTERPOLATION) {
        TSNode value = walk_field(w, node, PY_F_EXPRESSION);
        walk_add(w, list, value);
        python_pass_but(w, node, value, value);
    }
}

uint32_t
python_string(struct walk *w, TSNode node)
{
    str text = extract_text(w->x, node);
    struct quotes quotes = quotes_of(text);
    struct extract_list list = {0};

    if (!quotes.is_format ||
        ts_node_is_null(walk_child(w, node, PY_INTERPOLATION)))
        return plain_string(w, node, text, &quotes);
    walk_each(w, node, add_part, &list);
    return walk_put_list(w, node, (struct fact_expr){.kind = EXPR_CONCAT},
                         &list);
}

/* `"a" "b"` is one string, unless a part is put together. */
uint32_t
python_concatenated(struct walk *w, TSNode node)
{
    struct extract_list list = {0};
    struct buf text = {.cap_max = (size_t)4 * FACT_STR_MAX};
    bool is_plain = true;

    walk_each(w, node, walk_add_each, &list);
    for (uint32_t i = 0; i < list.len; i++) {
        is_plain = is_plain && walk_expr_kind(w, list.items[i]) == EXPR_STRING;
        if (is_plain && text.len < FACT_STR_MAX)
            buf_add(&text, walk_expr_text(w, list.items[i]));
    }
    uint32_t expr;
    if (is_plain) {
        walk_drop(&list);
        expr = put_string(w, node, facts_str(w->x->facts, buf_str(&text)));
    } else {
        expr = walk_put_list(w, node, (struct fact_expr){.kind = EXPR_CONCAT},
                             &list);
    }
    buf_fini(&text);
    return expr;
}

/* ---- operators ---- */

static bool
has_operator(struct walk *w, TSNode node, str operator)
{
    TSNode token = walk_field(w, node, PY_F_OPERATOR);

    return str_eq(extract_text(w->x, token), operator);
}

static bool
is_sum(struct walk *w, TSNode node)
{
    return walk_kind(w, node) == PY_BINARY && has_operator(w, node, STR("+"));
}

/* What `%s` number |nth| of a text is of |values|: of a tuple, its item. */
static uint32_t
filled_in(struct walk *w, uint32_t values, uint32_t nth)
{
    const struct fact_expr *expr = walk_expr(w, values);

    if (expr->kind != EXPR_ARRAY)
        return nth == 0 ? values : 0;
    return nth < expr->list_len ? w->x->facts->lists[expr->list_at + nth] : 0;
}

/* The pieces of `"/a/%s/b" % x` and what is filled in between them. */
static uint32_t
formatted(struct walk *w, TSNode node, uint32_t format, uint32_t values)
{
    struct extract_list list = {0};
    str text = walk_expr_text(w, format);
    char copy[FACT_STR_MAX];
    size_t from = 0;
    uint32_t nth = 0;

    /* The table of texts moves when pieces are added to it. */
    memcpy(copy, text.ptr, text.len);
    text.ptr = copy;
    for (size_t i = 0; i + 1 < text.len && list.len + 2 < WALK_LIST_MAX; i++) {
        if (text.ptr[i] != '%' || text.ptr[i + 1] == '%')
            continue;
        size_t end = i + 1;
        while (end < text.len && strchr("sdrifxgeu", text.ptr[end]) == NULL)
            end++;
        str piece = str_cut(text, from, i);
        if (piece.len)
            extract_list_add(
                w->x, &list,
                put_string(w, node, facts_str(w->x->facts, piece)));
        bool is_text = end == i + 1 && text.ptr[end] == 's';
        extract_list_add(w->x, &list,
                         is_text && values ? filled_in(w, values, nth) : 0);
        nth++;
        from = end + 1;
        i = end;
    }
    if (from < text.len)
        extract_list_add(
            w->x, &list,
            put_string(w, node,
                       facts_str(w->x->facts, str_cut(text, from, text.len))));
    return walk_put_list(w, node, (struct fact_expr){.kind = EXPR_CONCAT},
                         &list);
}

uint32_t
python_binary(struct walk *w, TSNode node)
{
    TSNode left = walk_field(w, node, PY_F_LEFT);
    TSNode right = walk_field(w, node, PY_F_RIGHT);

    if (is_sum(w, node))
        return walk_sum(w, node, PY_F_LEFT, PY_F_RIGHT, is_sum);
    if (has_operator(w, node, STR("|"))) {
        uint32_t first = walk_value(w, left);
        return walk_alt(w, node, first, walk_value(w, right));
    }
    if (has_operator(w, node, STR("%"))) {
        uint32_t format = walk_value(w, left);
        uint32_t values = walk_value(w, right);
        return walk_expr_kind(w, format) == EXPR_STRING
                   ? formatted(w, node, format, values)
                   : 0;
    }
    walk_pass(w, left);
    walk_pass(w, right);
    return 0;
}

uint32_t
python_boolean(struct walk *w, TSNode node)
{
    TSNode left = walk_field(w, node, PY_F_LEFT);
    TSNode right = walk_field(w, node, PY_F_RIGHT);

    if (has_operator(w, node, STR("and"))) {
        walk_pass(w, left);
        return walk_value(w, right);
    }
    uint32_t first = walk_value(w, left);
    return walk_alt(w, node, first, walk_value(w, right));
}

struct choice {
    uint32_t values[3];
    uint32_t len;
};

static void
add_choice(struct walk *w, TSNode node, void *ctx)
{
    struct choice *choice = ctx;

    if (choice->len == 1) /* the condition */
        walk_pass(w, node);
    else if (choice->len < 3)
        choice->values[choice->len] = walk_value(w, node);
    choice->len++;
}

uint32_t
python_conditional(struct walk *w, TSNode node)
{
    struct choice choice = {0};

    walk_each(w, node, add_choice, &choice);
    return walk_alt(w, node, choice.values[0], choice.values[2]);
}

uint32_t
python_await(struct walk *w, TSNode node)
{
    uint32_t value = walk_value(w, walk_child(w, node, 0));

    return value ? walk_unary(w, node, EXPR_AWAIT, value) : 0;
}

uint32_t
python_parenthesized(struct walk *w, TSNode node)
{
    return walk_value(w, walk_child(w, node, 0));
}

struct indices {
    struct extract_list list;
    TSNode object;
    bool is_slice;
};

static void
add_index(struct walk *w, TSNode node, void *ctx)
{
    struct indices *indices = ctx;

    if (ts_node_eq(node, indices->object))
        return;
    indices->is_slice = indices->is_slice || walk_kind(w, node) == PY_SLICE;
    walk_add(w, &indices->list, node);
}

/* A slice is a collection like the one it is cut from. */
uint32_t
python_subscript(struct walk *w, TSNode node)
{
    struct indices indices = {.object = walk_field(w, node, PY_F_VALUE)};
    uint32_t object = walk_value(w, indices.object);

    walk_each(w, node, add_index, &indices);
    if (object == 0 || indices.is_slice) {
        walk_drop(&indices.list);
        return object ? walk_unary(w, node, EXPR_CAST, object) : 0;
    }
    return walk_put_list(w, node,
                         (struct fact_expr){.kind = EXPR_INDEX, .a = object},
                         &indices.list);
}
