/*
 * Expressions.
 */
#include "index/lang_kotlin.h"

uint32_t
kotlin_name(struct walk *w, TSNode node)
{
    return walk_name(w, node);
}

uint32_t
kotlin_number(struct walk *w, TSNode node)
{
    return walk_put(w, node,
                    (struct fact_expr){.kind = EXPR_NUMBER,
                                       .text = extract_str(w->x, node)});
}

uint32_t
kotlin_character(struct walk *w, TSNode node)
{
    return walk_put(w, node,
                    (struct fact_expr){.kind = EXPR_STRING,
                                       .text = extract_string(
                                           w->x, extract_text(w->x, node), 0)});
}

static TSNode
last_child(TSNode node)
{
    uint32_t len = walk_len(node);

    return len ? ts_node_named_child(node, len - 1) : (TSNode){0};
}

uint32_t
kotlin_inner(struct walk *w, TSNode node)
{
    walk_pass(w, walk_child(w, node, KT_ANNOTATION));
    return walk_value(w, last_child(node));
}

/* `!a.f()` comes from the grammar as `(!a).f()`, and what is called or asked
 * for a member is never the sum, or the contrary, of something. */
static TSNode
without_prefix(struct walk *w, TSNode node)
{
    while (walk_kind(w, node) == KT_UNARY_EXPRESSION) {
        TSNode argument = walk_field(w, node, KT_F_ARGUMENT);

        if (ts_node_is_null(argument) ||
            ts_node_start_byte(argument) == ts_node_start_byte(node))
            return node;
        node = argument;
    }
    return node;
}

/* `this@A` is the object of an outer class: a member of it. */
uint32_t
kotlin_this(struct walk *w, TSNode node)
{
    TSNode label = walk_child(w, node, KT_IDENTIFIER);

    if (ts_node_is_null(label))
        return walk_unary(w, node, EXPR_SELF, 0);
    uint32_t outer = walk_name(w, label);
    return walk_put(
        w, node,
        (struct fact_expr){.kind = EXPR_MEMBER,
                           .a = outer,
                           .text = facts_str(w->x->facts, STR("this"))});
}

uint32_t
kotlin_super(struct walk *w, TSNode node)
{
    return walk_unary(w, node, EXPR_SUPER, 0);
}

uint32_t
kotlin_navigation(struct walk *w, TSNode node)
{
    TSNode first = without_prefix(w, walk_child(w, node, 0));
    uint32_t object = walk_value(w, first);

    return walk_member(w, object, last_child(node));
}

uint32_t
kotlin_reference(struct walk *w, TSNode node)
{
    uint32_t object = kotlin_type(w, kotlin_type_child(w, node));
    TSNode name = walk_child(w, node, KT_IDENTIFIER);

    if (ts_node_is_null(name))
        return object;
    return object ? walk_member(w, object, name) : walk_name(w, name);
}

/* ---- calls ---- */

static void
add_argument(struct walk *w, TSNode node, void *list)
{
    TSNode first = walk_child(w, node, 0);
    TSNode last = last_child(node);
    struct extract_list *arguments = list;

    if (arguments->len >= WALK_LIST_MAX || ts_node_eq(first, last) ||
        walk_kind(w, first) != KT_IDENTIFIER) {
        walk_add(w, arguments, last);
        return;
    }
    uint32_t value = walk_value(w, last);
    extract_list_add(
        w->x, arguments,
        walk_put(w, node,
                 (struct fact_expr){.kind = EXPR_PAIR,
                                    .text = extract_str(w->x, first),
                                    .a = value}));
}

void
kotlin_arguments(struct walk *w, TSNode arguments, struct extract_list *list)
{
    walk_each(w, arguments, add_argument, list);
}

static TSNode
last_name(struct walk *w, TSNode callee)
{
    for (;;) {
        uint16_t kind = walk_kind(w, callee);

        if (kind == KT_NAVIGATION_EXPRESSION)
            return last_child(callee);
        if (kind != KT_CALL_EXPRESSION && kind != KT_INDEX_EXPRESSION)
            return callee;
        callee = walk_child(w, callee, 0);
    }
}

static void
add_type(struct walk *w, TSNode node, void *list)
{
    extract_list_add(w->x, list, kotlin_type(w, kotlin_type_child(w, node)));
}

static uint32_t
callee_of(struct walk *w, TSNode function, TSNode types)
{
    uint32_t callee = walk_value(w, function);
    struct extract_list list = {0};

    if (ts_node_is_null(types))
        return callee;
    walk_each(w, types, add_type, &list);
    return walk_put_list(w, last_name(w, function),
                         (struct fact_expr){.kind = EXPR_GENERIC, .a = callee},
                         &list);
}

/* `f(x) { ... }` is one call, though the grammar has two. */
uint32_t
kotlin_call(struct walk *w, TSNode node)
{
    TSNode function = without_prefix(w, walk_child(w, node, 0));
    TSNode lambda = walk_child(w, node, KT_ANNOTATED_LAMBDA);
    TSNode arguments = walk_child(w, node, KT_VALUE_ARGUMENTS);
    TSNode call = node;
    struct extract_list list = {0};

    if (!ts_node_is_null(lambda) && ts_node_is_null(arguments) &&
        walk_kind(w, function) == KT_CALL_EXPRESSION &&
        ts_node_is_null(walk_child(w, function, KT_ANNOTATED_LAMBDA))) {
        call = function;
        function = without_prefix(w, walk_child(w, call, 0));
        arguments = walk_child(w, call, KT_VALUE_ARGUMENTS);
    }
    uint32_t callee =
        callee_of(w, function, walk_child(w, call, KT_TYPE_ARGUMENTS));
    kotlin_arguments(w, arguments, &list);
    if (!ts_node_is_null(lambda))
        walk_add(w, &list, last_child(lambda));
    const struct kotlin *kotlin = w->language;
    if (kotlin->is_annotation &&
        str_eq(extract_text(w->x, function), STR("arrayOf")))
        return walk_put_list(w, node, (struct fact_expr){.kind = EXPR_ARRAY},
                             &list);
    return walk_put_list(w, last_name(w, function),
                         (struct fact_expr){.kind = EXPR_CALL, .a = callee},
                         &list);
}

/* `a to b` calls a member of a. */
uint32_t
kotlin_infix(struct walk *w, TSNode node)
{
    struct extract_list list = {0};

    if (walk_len(node) != 3) {
        walk_children(w, node);
        return 0;
    }
    TSNode name = ts_node_named_child(node, 1);
    uint32_t object = walk_value(w, ts_node_named_child(node, 0));
    uint32_t callee = walk_member(w, object, name);
    walk_add(w, &list, ts_node_named_child(node, 2));
    return walk_put_list(
        w, name, (struct fact_expr){.kind = EXPR_CALL, .a = callee}, &list);
}

struct indices {
    struct extract_list list;
    TSNode object;
};

static void
add_index(struct walk *w, TSNode node, void *ctx)
{
    struct indices *indices = ctx;

    if (!ts_node_eq(node, indices->object))
        walk_add(w, &indices->list, node);
}

uint32_t
kotlin_index(struct walk *w, TSNode node)
{
    struct indices indices = {.object = walk_child(w, node, 0)};
    uint32_t object = walk_value(w, without_prefix(w, indices.object));

    walk_each(w, node, add_index, &indices);
    return walk_put_list(w, node,
                         (struct fact_expr){.kind = EXPR_INDEX, .a = object},
                         &indices.list);
}

uint32_t
kotlin_array(struct walk *w, TSNode node)
{
    return walk_literal(w, node, EXPR_ARRAY, walk_add_each);
}

uint32_t
kotlin_spread(struct walk *w, TSNode node)
{
    return walk_unary(w, node, EXPR_SPREAD, walk_value(w, last_child(node)));
}

/* ---- strings ---- */

struct string {
    struct extract_list list;
    struct buf text; /* what stands before the next value */
    bool has_dollar; /* `$`, which the grammar takes for text */
    bool is_raw;
};

static void
end_text(struct walk *w, TSNode at, struct string *string)
{
    str text = buf_str(&string->text);

    if (text.len)
        extract_list_add(
            w->x, &string->list,
            walk_put(w, at,
                     (struct fact_expr){
                         .kind = EXPR_STRING,
                         .text = string->is_raw
                                     ? facts_str(w->x->facts, text)
                                     : extract_string(w->x, text, 0)}));
    buf_reset(&string->text);
}

static size_t
word_len(str text)
{
    size_t len = 0;

    while (len < text.len &&
           (text.ptr[len] == '_' || (unsigned char)text.ptr[len] >= 0x80 ||
            (text.ptr[len] >= 'a' && text.ptr[len] <= 'z') ||
            (text.ptr[len] >= 'A' && text.ptr[len] <= 'Z') ||
            (len > 0 && text.ptr[len] >= '0' && text.ptr[len] <= '9')))
        len++;
    return len;
}

static void
add_text(struct walk *w, TSNode node, struct string *string)
{
    str text = extract_text(w->x, node);

    if (str_eq(text, STR("$")) && !string->is_raw) {
        string->has_dollar = true;
        return;
    }
    if (str_eq(text, STR("\\$")) && !string->is_raw)
        text = STR("$");
    size_t len = string->has_dollar ? word_len(text) : 0;
    if (string->has_dollar && len == 0)
        buf_add_char(&string->text, '$');
    string->has_dollar = false;
    if (len > 0 && string->list.len + 1 < WALK_LIST_MAX) {
        end_text(w, node, string);
        extract_list_add(
            w->x, &string->list,
            walk_put(
                w, node,
                (struct fact_expr){
                    .kind = EXPR_NAME,
                    .text = facts_str(w->x->facts, str_cut(text, 0, len))}));
    }
    buf_add(&string->text, str_cut(text, len, text.len));
}

static void
add_part(struct walk *w, TSNode node, void *ctx)
{
    struct string *string = ctx;

    if (walk_kind(w, node) != KT_INTERPOLATION) {
        add_text(w, node, string);
        return;
    }
    if (string->list.len + 1 >= WALK_LIST_MAX) {
        walk_children(w, node);
        return;
    }
    end_text(w, node, string);
    walk_add(w, &string->list, last_child(node));
}

uint32_t
kotlin_string(struct walk *w, TSNode node)
{
    struct string string = {.text = {.cap_max = (size_t)4 * FACT_STR_MAX},
                            .is_raw = walk_kind(w, node) ==
                                      KT_MULTILINE_STRING_LITERAL};
    uint32_t expr;

    walk_each(w, node, add_part, &string);
    end_text(w, node, &string);
    buf_fini(&string.text);
    if (string.list.len == 1 &&
        walk_expr_kind(w, string.list.items[0]) == EXPR_STRING) {
        expr = string.list.items[0];
        walk_drop(&string.list);
    } else if (string.list.len == 0) {
        expr = walk_unary(w, node, EXPR_STRING, 0);
    } else {
        expr = walk_put_list(w, node, (struct fact_expr){.kind = EXPR_CONCAT},
                             &string.list);
    }
    return expr;
}

/* ---- operators ---- */

static bool
has_operator(struct walk *w, TSNode node, str operator)
{
    TSNode token = walk_field(w, node, KT_F_OPERATOR);

    return str_eq(extract_text(w->x, token), operator);
}

static bool
is_sum(struct walk *w, TSNode node)
{
    return walk_kind(w, node) == KT_BINARY_EXPRESSION &&
           has_operator(w, node, STR("+"));
}

/* `f<T> { ... }` comes from the grammar as `f < T > { ... }`, which compares
 * nothing that can be compared.  0: it is something else. */
static uint32_t
typed_call(struct walk *w, TSNode node)
{
    TSNode less = walk_field(w, node, KT_F_LEFT);
    TSNode lambda = walk_field(w, node, KT_F_RIGHT);
    struct extract_list types = {0};
    struct extract_list list = {0};

    if (walk_kind(w, lambda) != KT_LAMBDA_LITERAL ||
        walk_kind(w, less) != KT_BINARY_EXPRESSION ||
        !has_operator(w, node, STR(">")) || !has_operator(w, less, STR("<")))
        return 0;
    TSNode function = walk_field(w, less, KT_F_LEFT);
    uint32_t callee = walk_value(w, function);
    walk_add(w, &types, walk_field(w, less, KT_F_RIGHT));
    callee = walk_put_list(
        w, last_name(w, function),
        (struct fact_expr){.kind = EXPR_GENERIC, .a = callee}, &types);
    walk_add(w, &list, lambda);
    return walk_put_list(w, last_name(w, function),
                         (struct fact_expr){.kind = EXPR_CALL, .a = callee},
                         &list);
}

uint32_t
kotlin_binary(struct walk *w, TSNode node)
{
    uint32_t call = typed_call(w, node);

    if (call)
        return call;
    if (is_sum(w, node))
        return walk_sum(w, node, KT_F_LEFT, KT_F_RIGHT, is_sum);
    if (has_operator(w, node, STR("?:"))) {
        uint32_t first = walk_value(w, walk_field(w, node, KT_F_LEFT));
        return walk_alt(w, node, first,
                        walk_value(w, walk_field(w, node, KT_F_RIGHT)));
    }
    walk_children(w, node);
    return 0;
}

uint32_t
kotlin_unary(struct walk *w, TSNode node)
{
    TSNode argument = walk_field(w, node, KT_F_ARGUMENT);

    if (has_operator(w, node, STR("!!")))
        return walk_value(w, argument);
    walk_pass(w, argument);
    return 0;
}

uint32_t
kotlin_as(struct walk *w, TSNode node)
{
    uint32_t value = walk_value(w, walk_field(w, node, KT_F_LEFT));
    struct extract_list list = {0};

    extract_list_add(w->x, &list,
                     kotlin_type(w, walk_field(w, node, KT_F_RIGHT)));
    return walk_put_list(
        w, node, (struct fact_expr){.kind = EXPR_CAST, .a = value}, &list);
}

uint32_t
kotlin_assignment(struct walk *w, TSNode node)
{
    TSNode left = walk_field(w, node, KT_F_LEFT);
    uint32_t target = walk_value(w, left);
    uint32_t value = walk_value(w, walk_field(w, node, KT_F_RIGHT));

    if (has_operator(w, node, STR("=")))
        walk_assign(w, left, target, value);
    return value;
}

struct choice {
    TSNode condition;
    uint32_t value;
};

static void
add_choice(struct walk *w, TSNode node, void *ctx)
{
    struct choice *choice = ctx;

    if (ts_node_eq(node, choice->condition))
        walk_pass(w, node);
    else
        choice->value = walk_alt(w, node, choice->value, walk_value(w, node));
}

uint32_t
kotlin_if(struct walk *w, TSNode node)
{
    struct choice choice = {.condition = walk_field(w, node, KT_F_CONDITION)};

    walk_each(w, node, add_choice, &choice);
    return choice.value;
}
