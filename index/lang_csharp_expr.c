/*
 * Expressions.
 */
#include "index/lang_csharp.h"

uint32_t
csharp_name(struct walk *w, TSNode node)
{
    return walk_name(w, node);
}

uint32_t
csharp_number(struct walk *w, TSNode node)
{
    return walk_put(w, node,
                    (struct fact_expr){.kind = EXPR_NUMBER,
                                       .text = extract_str(w->x, node)});
}

uint32_t
csharp_value(struct walk *w, TSNode node)
{
    if (ts_node_is_null(node))
        return 0;
    if (!ts_node_is_named(node)) {
        str token = extract_text(w->x, node);
        if (str_eq(token, STR("this")))
            return walk_unary(w, node, EXPR_SELF, 0);
        if (str_eq(token, STR("base")))
            return walk_unary(w, node, EXPR_SUPER, 0);
    }
    return walk_value(w, node);
}

uint32_t
csharp_inner(struct walk *w, TSNode node)
{
    TSNode inner = csharp_last(node);

    if (ts_node_is_null(inner) && walk_has(w, node, STR("this")))
        return walk_unary(w, node, EXPR_SELF, 0);
    return walk_value(w, inner);
}

/* `x!` is x; `x++` is nothing. */
uint32_t
csharp_postfix(struct walk *w, TSNode node)
{
    uint32_t value = csharp_inner(w, node);

    return walk_has(w, node, STR("!")) ? value : 0;
}

uint32_t
csharp_await(struct walk *w, TSNode node)
{
    uint32_t value = csharp_inner(w, node);

    return value ? walk_unary(w, node, EXPR_AWAIT, value) : 0;
}

uint32_t
csharp_spread(struct walk *w, TSNode node)
{
    return walk_unary(w, node, EXPR_SPREAD, csharp_inner(w, node));
}

uint32_t
csharp_typeof(struct walk *w, TSNode node)
{
    return csharp_type(w, walk_field(w, node, CS_F_TYPE));
}

/* ---- members ---- */

static void
add_type(struct walk *w, TSNode node, void *list)
{
    struct extract_list *types = list;

    if (types->len < WALK_LIST_MAX)
        extract_list_add(w->x, types, csharp_type(w, node));
}

static TSNode
plain_name(struct walk *w, TSNode name)
{
    return walk_kind(w, name) == CS_GENERIC_NAME
               ? walk_child(w, name, CS_IDENTIFIER)
               : name;
}

static uint32_t
member(struct walk *w, uint32_t object, TSNode name)
{
    struct extract_list list = {0};
    uint32_t expr = walk_member(w, object, plain_name(w, name));

    if (walk_kind(w, name) != CS_GENERIC_NAME)
        return expr;
    walk_each(w, walk_child(w, name, CS_TYPE_ARGUMENT_LIST), add_type, &list);
    return walk_put_list(
        w, name, (struct fact_expr){.kind = EXPR_GENERIC, .a = expr}, &list);
}

uint32_t
csharp_access(struct walk *w, TSNode node)
{
    uint32_t object = csharp_value(w, walk_field(w, node, CS_F_EXPRESSION));

    return member(w, object, walk_field(w, node, CS_F_NAME));
}

static uint32_t
element(struct walk *w, TSNode node, uint32_t object, TSNode indices)
{
    struct extract_list list = {0};

    walk_each(w, indices, walk_add_each, &list);
    return walk_put_list(
        w, node, (struct fact_expr){.kind = EXPR_INDEX, .a = object}, &list);
}

uint32_t
csharp_element(struct walk *w, TSNode node)
{
    uint32_t object = csharp_value(w, walk_field(w, node, CS_F_EXPRESSION));

    return element(w, node, object, walk_field(w, node, CS_F_SUBSCRIPT));
}

uint32_t
csharp_conditional(struct walk *w, TSNode node)
{
    TSNode binding = csharp_last(node);
    uint32_t object = csharp_value(w, walk_field(w, node, CS_F_CONDITION));

    if (walk_kind(w, binding) == CS_MEMBER_BINDING_EXPRESSION)
        return member(w, object, walk_field(w, binding, CS_F_NAME));
    return element(w, node, object, binding);
}

/* ---- calls ---- */

static TSNode
last_name(struct walk *w, TSNode callee)
{
    for (;;) {
        TSNode next = {0};

        switch (walk_kind(w, callee)) {
        case CS_MEMBER_ACCESS_EXPRESSION:
        case CS_MEMBER_BINDING_EXPRESSION:
        case CS_QUALIFIED_NAME:
            return plain_name(w, walk_field(w, callee, CS_F_NAME));
        case CS_GENERIC_NAME:
            return plain_name(w, callee);
        case CS_CONDITIONAL_ACCESS_EXPRESSION:
            next = csharp_last(callee);
            break;
        case CS_INVOCATION_EXPRESSION:
            next = walk_field(w, callee, CS_F_FUNCTION);
            break;
        case CS_ELEMENT_ACCESS_EXPRESSION:
            next = walk_field(w, callee, CS_F_EXPRESSION);
            break;
        default:
            break;
        }
        if (ts_node_is_null(next))
            return callee;
        callee = next;
    }
}

/* `nameof(a.B)` is "B". */
static uint32_t
name_of(struct walk *w, TSNode node, TSNode arguments)
{
    str name;

    (void)walk_split(extract_text(w->x, walk_child(w, arguments, 0)), &name);
    return walk_put(w, node,
                    (struct fact_expr){.kind = EXPR_STRING,
                                       .text = facts_str(w->x->facts, name)});
}

uint32_t
csharp_call(struct walk *w, TSNode node)
{
    TSNode function = walk_field(w, node, CS_F_FUNCTION);
    TSNode arguments = walk_field(w, node, CS_F_ARGUMENTS);
    struct extract_list list = {0};

    if (str_eq(extract_text(w->x, function), STR("nameof")))
        return name_of(w, node, arguments);
    uint32_t callee = csharp_value(w, function);
    walk_each(w, arguments, walk_add_each, &list);
    return walk_put_list(w, last_name(w, function),
                         (struct fact_expr){.kind = EXPR_CALL, .a = callee},
                         &list);
}

uint32_t
csharp_argument(struct walk *w, TSNode node)
{
    TSNode name = walk_field(w, node, CS_F_NAME);
    TSNode last = csharp_last(node);
    uint32_t value = csharp_inner(w, node);

    if (ts_node_is_null(name) || ts_node_eq(name, last))
        return value;
    return walk_put(w, node,
                    (struct fact_expr){.kind = EXPR_PAIR,
                                       .text = extract_str(w->x, name),
                                       .a = value});
}

uint32_t
csharp_attribute(struct walk *w, TSNode node)
{
    TSNode name = walk_field(w, node, CS_F_NAME);
    TSNode arguments = walk_child(w, node, CS_ATTRIBUTE_ARGUMENT_LIST);
    struct extract_list list = {0};
    uint32_t callee = csharp_type(w, name);

    if (ts_node_is_null(arguments))
        return callee;
    walk_each(w, arguments, walk_add_each, &list);
    return walk_put_list(w, last_name(w, name),
                         (struct fact_expr){.kind = EXPR_CALL, .a = callee},
                         &list);
}

/* ---- what is made ---- */

static void
add_initial(struct walk *w, TSNode node, void *list)
{
    struct extract_list *entries = list;
    TSNode left = walk_field(w, node, CS_F_LEFT);

    if (walk_kind(w, node) != CS_ASSIGNMENT_EXPRESSION ||
        walk_kind(w, left) != CS_IDENTIFIER || entries->len >= WALK_LIST_MAX) {
        walk_add(w, entries, node);
        return;
    }
    uint32_t value = csharp_value(w, walk_field(w, node, CS_F_RIGHT));
    extract_list_add(
        w->x, entries,
        walk_put(w, node,
                 (struct fact_expr){.kind = EXPR_PAIR,
                                    .text = extract_str(w->x, left),
                                    .a = value}));
}

uint32_t
csharp_new(struct walk *w, TSNode node, uint32_t type)
{
    struct extract_list list = {0};
    TSNode type_node = walk_field(w, node, CS_F_TYPE);

    walk_each(w, walk_child(w, node, CS_ARGUMENT_LIST), walk_add_each, &list);
    walk_each(w, walk_child(w, node, CS_INITIALIZER_EXPRESSION), add_initial,
              &list);
    return walk_put_list(
        w, ts_node_is_null(type_node) ? node : last_name(w, type_node),
        (struct fact_expr){.kind = EXPR_NEW, .a = type}, &list);
}

uint32_t
csharp_creation(struct walk *w, TSNode node)
{
    return csharp_new(w, node, csharp_type(w, walk_field(w, node, CS_F_TYPE)));
}

uint32_t
csharp_implicit_creation(struct walk *w, TSNode node)
{
    return csharp_new(w, node, 0);
}

uint32_t
csharp_initial(struct walk *w, TSNode node, uint32_t type)
{
    if (walk_kind(w, node) == CS_IMPLICIT_OBJECT_CREATION_EXPRESSION)
        return csharp_new(w, node, type);
    return csharp_value(w, node);
}

struct object {
    struct extract_list list;
    str_id key;
    uint32_t held;
};

static void
end_entry(struct walk *w, TSNode at, struct object *object)
{
    struct fact_expr pair = {.kind = EXPR_PAIR, .text = object->key};

    pair.a = object->held;
    if (pair.text == 0)
        pair.text = walk_expr(w, object->held)->text;
    if (pair.text && object->list.len < WALK_LIST_MAX)
        extract_list_add(w->x, &object->list, walk_put(w, at, pair));
    object->key = 0;
    object->held = 0;
}

/* `new { A = 1, b.C }`: the tokens tell the names from the values. */
uint32_t
csharp_anonymous_object(struct walk *w, TSNode node)
{
    struct object object = {0};
    TSTreeCursor cursor = ts_tree_cursor_new(node);

    for (bool more = ts_tree_cursor_goto_first_child(&cursor); more;
         more = ts_tree_cursor_goto_next_sibling(&cursor)) {
        TSNode child = ts_tree_cursor_current_node(&cursor);
        str token = extract_text(w->x, child);

        if (ts_node_is_named(child))
            object.held = walk_value(w, child);
        else if (str_eq(token, STR("=")))
            object.key = walk_expr(w, object.held)->text;
        else if (str_eq(token, STR(",")) || str_eq(token, STR("}")))
            end_entry(w, child, &object);
    }
    ts_tree_cursor_delete(&cursor);
    return walk_put_list(w, node, (struct fact_expr){.kind = EXPR_OBJECT},
                         &object.list);
}

uint32_t
csharp_array(struct walk *w, TSNode node)
{
    return walk_literal(w, node, EXPR_ARRAY, walk_add_each);
}

uint32_t
csharp_array_creation(struct walk *w, TSNode node)
{
    TSNode values = walk_child(w, node, CS_INITIALIZER_EXPRESSION);

    if (!ts_node_is_null(values))
        return walk_value(w, values);
    walk_children(w, node);
    return 0;
}

/* ---- operators ---- */

bool
csharp_has_operator(struct walk *w, TSNode node, str operator)
{
    TSNode token = walk_field(w, node, CS_F_OPERATOR);

    return str_eq(extract_text(w->x, token), operator);
}

static bool
is_sum(struct walk *w, TSNode node)
{
    return walk_kind(w, node) == CS_BINARY_EXPRESSION &&
           csharp_has_operator(w, node, STR("+"));
}

uint32_t
csharp_binary(struct walk *w, TSNode node)
{
    if (is_sum(w, node))
        return walk_sum(w, node, CS_F_LEFT, CS_F_RIGHT, is_sum);
    if (csharp_has_operator(w, node, STR("??"))) {
        uint32_t first = csharp_value(w, walk_field(w, node, CS_F_LEFT));
        return walk_alt(w, node, first,
                        csharp_value(w, walk_field(w, node, CS_F_RIGHT)));
    }
    walk_children(w, node);
    return 0;
}

uint32_t
csharp_choice(struct walk *w, TSNode node)
{
    walk_pass(w, walk_field(w, node, CS_F_CONDITION));
    uint32_t first = csharp_value(w, walk_field(w, node, CS_F_CONSEQUENCE));

    return walk_alt(w, node, first,
                    csharp_value(w, walk_field(w, node, CS_F_ALTERNATIVE)));
}

static uint32_t
cast(struct walk *w, TSNode node, uint16_t value_field, uint16_t type_field)
{
    uint32_t value = csharp_value(w, walk_field(w, node, value_field));
    struct extract_list list = {0};

    extract_list_add(w->x, &list,
                     csharp_type(w, walk_field(w, node, type_field)));
    return walk_put_list(
        w, node, (struct fact_expr){.kind = EXPR_CAST, .a = value}, &list);
}

uint32_t
csharp_cast(struct walk *w, TSNode node)
{
    return cast(w, node, CS_F_VALUE, CS_F_TYPE);
}

uint32_t
csharp_as(struct walk *w, TSNode node)
{
    return cast(w, node, CS_F_LEFT, CS_F_RIGHT);
}

uint32_t
csharp_assignment(struct walk *w, TSNode node)
{
    TSNode left = walk_field(w, node, CS_F_LEFT);
    uint32_t target = csharp_value(w, left);
    uint32_t value = csharp_value(w, walk_field(w, node, CS_F_RIGHT));

    if (csharp_has_operator(w, node, STR("=")))
        walk_assign(w, left, target, value);
    return value;
}
