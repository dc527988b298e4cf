/*
 * Expressions.  Three calls are no calls to whoever resolves: `super()` is the
 * object as its bases see it, `type(self)` stands for its class, and `cast` is
 * a type for a value.
 */
#include "index/lang_python.h"

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
                   ? python_formatted(w, node, format, values)
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
