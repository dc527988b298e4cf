/*
 * Expressions, statements that bind names, and types.
 */
#include "index/lang_java.h"

uint32_t
java_name(struct walk *w, TSNode node)
{
    return walk_name(w, node);
}

uint32_t
java_number(struct walk *w, TSNode node)
{
    return walk_put(w, node,
                    (struct fact_expr){.kind = EXPR_NUMBER,
                                       .text = extract_str(w->x, node)});
}

uint32_t
java_this(struct walk *w, TSNode node)
{
    return walk_unary(w, node, EXPR_SELF, 0);
}

uint32_t
java_super(struct walk *w, TSNode node)
{
    return walk_unary(w, node, EXPR_SUPER, 0);
}

uint32_t
java_parenthesized(struct walk *w, TSNode node)
{
    return walk_value(w, walk_child(w, node, 0));
}

/* `Outer.this` is the object around this one: a member of the outer class. */
uint32_t
java_field_access(struct walk *w, TSNode node)
{
    uint32_t object = walk_value(w, walk_field(w, node, JAVA_F_OBJECT));

    return walk_member(w, object, walk_field(w, node, JAVA_F_FIELD));
}

uint32_t
java_class_literal(struct walk *w, TSNode node)
{
    TSNode type = walk_child(w, node, 0);
    uint32_t object = java_type(w, type);

    return walk_put(
        w, node,
        (struct fact_expr){.kind = EXPR_MEMBER,
                           .a = object,
                           .text = facts_str(w->x->facts, STR("class"))});
}

uint32_t
java_index(struct walk *w, TSNode node)
{
    uint32_t object = walk_value(w, walk_field(w, node, JAVA_F_ARRAY));
    struct extract_list list = {0};

    walk_add(w, &list, walk_field(w, node, JAVA_F_INDEX));
    return walk_put_list(
        w, node, (struct fact_expr){.kind = EXPR_INDEX, .a = object}, &list);
}

/* ---- calls ---- */

static void
add_type(struct walk *w, TSNode node, void *list)
{
    struct extract_list *types = list;

    if (types->len < WALK_LIST_MAX)
        extract_list_add(w->x, types, java_type(w, node));
}

static uint32_t
generic(struct walk *w, TSNode at, uint32_t base, TSNode arguments)
{
    struct extract_list list = {0};

    if (ts_node_is_null(arguments))
        return base;
    walk_each(w, arguments, add_type, &list);
    return walk_put_list(
        w, at, (struct fact_expr){.kind = EXPR_GENERIC, .a = base}, &list);
}

/* `Face.super.f()` is called on a member `super` of that type. */
static uint32_t
called_on(struct walk *w, TSNode node, TSNode object)
{
    TSNode super = walk_child(w, node, JAVA_SUPER);
    uint32_t value = walk_value(w, object);

    if (ts_node_is_null(super) || ts_node_eq(super, object))
        return value;
    return walk_member(w, value, super);
}

uint32_t
java_call(struct walk *w, TSNode node)
{
    TSNode object = walk_field(w, node, JAVA_F_OBJECT);
    TSNode name = walk_field(w, node, JAVA_F_NAME);
    struct extract_list list = {0};
    uint32_t callee = ts_node_is_null(object)
                          ? walk_name(w, name)
                          : walk_member(w, called_on(w, node, object), name);

    callee =
        generic(w, name, callee, walk_field(w, node, JAVA_F_TYPE_ARGUMENTS));
    walk_each(w, walk_field(w, node, JAVA_F_ARGUMENTS), walk_add_each, &list);
    return walk_put_list(
        w, name, (struct fact_expr){.kind = EXPR_CALL, .a = callee}, &list);
}

/* `this(...)`, `super(...)`. */
void
java_constructor_call(struct walk *w, TSNode node)
{
    TSNode constructor = walk_field(w, node, JAVA_F_CONSTRUCTOR);
    struct extract_list list = {0};
    uint32_t callee = walk_value(w, constructor);

    walk_pass(w, walk_field(w, node, JAVA_F_OBJECT));
    walk_each(w, walk_field(w, node, JAVA_F_ARGUMENTS), walk_add_each, &list);
    walk_put_list(w, constructor,
                  (struct fact_expr){.kind = EXPR_CALL, .a = callee}, &list);
}

uint32_t
java_method_reference(struct walk *w, TSNode node)
{
    TSNode first = walk_child(w, node, 0);
    TSNode last = ts_node_child(node, ts_node_child_count(node) - 1);
    uint32_t object = walk_value(w, first);

    return walk_put(
        w, last,
        (struct fact_expr){.kind = EXPR_MEMBER,
                           .is_symbol = true,
                           .a = object ? object : java_type(w, first),
                           .text = extract_str(w->x, last)});
}

/* ---- annotations ---- */

uint32_t
java_annotation(struct walk *w, TSNode node)
{
    TSNode name = walk_field(w, node, JAVA_F_NAME);
    TSNode arguments = walk_field(w, node, JAVA_F_ARGUMENTS);
    struct extract_list list = {0};
    str last;
    str scope = walk_split(extract_text(w->x, name), &last);
    struct fact_expr callee = {.kind = scope.len ? EXPR_MEMBER : EXPR_NAME};

    if (scope.len)
        callee.a =
            walk_put(w, name,
                     (struct fact_expr){.kind = EXPR_NAME,
                                        .text = facts_str(w->x->facts, scope)});
    callee.text = facts_str(w->x->facts, last);
    callee.a = walk_put(w, name, callee);
    if (ts_node_is_null(arguments))
        return callee.a;
    walk_each(w, arguments, walk_add_each, &list);
    return walk_put_list(
        w, name, (struct fact_expr){.kind = EXPR_CALL, .a = callee.a}, &list);
}

uint32_t
java_pair(struct walk *w, TSNode node)
{
    uint32_t value = walk_value(w, walk_field(w, node, JAVA_F_VALUE));
    TSNode key = walk_field(w, node, JAVA_F_KEY);

    return walk_put(w, node,
                    (struct fact_expr){.kind = EXPR_PAIR,
                                       .text = extract_str(w->x, key),
                                       .a = value});
}

uint32_t
java_array(struct walk *w, TSNode node)
{
    return walk_literal(w, node, EXPR_ARRAY, walk_add_each);
}

uint32_t
java_new_array(struct walk *w, TSNode node)
{
    TSNode value = walk_field(w, node, JAVA_F_VALUE);

    if (!ts_node_is_null(value))
        return walk_value(w, value);
    walk_children(w, node);
    return 0;
}

/* ---- operators ---- */

static bool
is_sum(struct walk *w, TSNode node)
{
    return walk_kind(w, node) == JAVA_BINARY_EXPRESSION &&
           str_eq(extract_text(w->x, walk_field(w, node, JAVA_F_OPERATOR)),
                  STR("+"));
}

uint32_t
java_binary(struct walk *w, TSNode node)
{
    if (is_sum(w, node))
        return walk_sum(w, node, JAVA_F_LEFT, JAVA_F_RIGHT, is_sum);
    walk_children(w, node);
    return 0;
}

uint32_t
java_ternary(struct walk *w, TSNode node)
{
    walk_pass(w, walk_field(w, node, JAVA_F_CONDITION));
    uint32_t first = walk_value(w, walk_field(w, node, JAVA_F_CONSEQUENCE));

    return walk_alt(w, node, first,
                    walk_value(w, walk_field(w, node, JAVA_F_ALTERNATIVE)));
}

uint32_t
java_cast(struct walk *w, TSNode node)
{
    struct extract_list list = {0};
    uint32_t value = walk_value(w, walk_field(w, node, JAVA_F_VALUE));

    extract_list_add(w->x, &list,
                     java_type(w, walk_field(w, node, JAVA_F_TYPE)));
    return walk_put_list(
        w, node, (struct fact_expr){.kind = EXPR_CAST, .a = value}, &list);
}

uint32_t
java_assignment(struct walk *w, TSNode node)
{
    TSNode left = walk_field(w, node, JAVA_F_LEFT);
    uint32_t target = walk_value(w, left);
    uint32_t value = walk_value(w, walk_field(w, node, JAVA_F_RIGHT));

    if (str_eq(extract_text(w->x, walk_field(w, node, JAVA_F_OPERATOR)),
               STR("=")))
        walk_assign(w, left, target, value);
    return value;
}

/* ---- names bound on the way ---- */

static void
bind_local(struct walk *w, TSNode name, uint32_t type, uint32_t value,
           uint32_t flags)
{
    str_id text = extract_str(w->x, name);

    if (text)
        walk_bind(w, name,
                  (struct fact_bind){.kind = BIND_LOCAL,
                                     .flags = flags,
                                     .scope = w->x->scope,
                                     .name = text,
                                     .type = type,
                                     .value = value});
}

uint32_t
java_instanceof(struct walk *w, TSNode node)
{
    TSNode name = walk_field(w, node, JAVA_F_NAME);

    if (ts_node_is_null(name)) {
        walk_children(w, node);
        return 0;
    }
    uint32_t value = walk_value(w, walk_field(w, node, JAVA_F_LEFT));
    uint32_t type = java_type(w, walk_field(w, node, JAVA_F_RIGHT));
    bind_local(w, name, type, value, BIND_TYPE_SWITCH);
    return 0;
}

/* `Foo f` in a pattern. */
void
java_type_pattern(struct walk *w, TSNode node)
{
    TSNode name = walk_child(w, node, JAVA_IDENTIFIER);

    bind_local(w, name, java_declared(w, walk_child(w, node, 0)), 0,
               BIND_TYPE_SWITCH);
}

void
java_for(struct walk *w, TSNode node)
{
    TSNode value_node = walk_field(w, node, JAVA_F_VALUE);
    uint32_t type = java_declared(w, walk_field(w, node, JAVA_F_TYPE));
    uint32_t value = walk_value(w, value_node);

    if (value)
        value = walk_unary(w, value_node, EXPR_ELEM, value);
    bind_local(w, walk_field(w, node, JAVA_F_NAME), type, value, 0);
    walk_pass(w, walk_field(w, node, JAVA_F_BODY));
}

void
java_resource(struct walk *w, TSNode node)
{
    TSNode name = walk_field(w, node, JAVA_F_NAME);
    uint32_t type = java_declared(w, walk_field(w, node, JAVA_F_TYPE));

    if (ts_node_is_null(name)) {
        walk_children(w, node);
        return;
    }
    bind_local(w, name, type, walk_value(w, walk_field(w, node, JAVA_F_VALUE)),
               BIND_CONST);
}

void
java_catch(struct walk *w, TSNode node)
{
    struct extract_list list = {0};
    TSNode types = walk_child(w, node, JAVA_CATCH_TYPE);
    uint32_t type;

    walk_each(w, types, add_type, &list);
    type = list.len ? list.items[0] : 0;
    if (list.len > 1)
        type = walk_put_list(w, types, (struct fact_expr){.kind = EXPR_ALT},
                             &list);
    else
        walk_drop(&list);
    bind_local(w, walk_field(w, node, JAVA_F_NAME), type, 0, 0);
}

void
java_return(struct walk *w, TSNode node)
{
    walk_return(w, node, walk_value(w, walk_child(w, node, 0)));
}

/* ---- types ---- */

static uint32_t
scoped_type(struct walk *w, TSNode node)
{
    TSNode scope = walk_child(w, node, 0);
    TSNode name = ts_node_named_child(node, walk_len(node) - 1);
    uint32_t object = java_type(w, scope);

    return walk_member(w, object, name);
}

static uint32_t
type_of_kind(struct walk *w, TSNode node)
{
    TSNode first = walk_child(w, node, 0);

    switch (walk_kind(w, node)) {
    case JAVA_TYPE_IDENTIFIER:
    case JAVA_IDENTIFIER:
    case JAVA_INTEGRAL_TYPE:
    case JAVA_FLOATING_POINT_TYPE:
    case JAVA_BOOLEAN_TYPE:
        return walk_name(w, node);
    case JAVA_SCOPED_TYPE_IDENTIFIER:
        return scoped_type(w, node);
    case JAVA_GENERIC_TYPE:
        return generic(w, node, java_type(w, first),
                       walk_child(w, node, JAVA_TYPE_ARGUMENTS));
    case JAVA_ARRAY_TYPE:
        return walk_wrapped(w, node, STR("[]"),
                            java_type(w, walk_field(w, node, JAVA_F_ELEMENT)));
    case JAVA_ANNOTATED_TYPE:
        return java_type(w, ts_node_named_child(node, walk_len(node) - 1));
    case JAVA_WILDCARD:
        return ts_node_is_null(first)
                   ? 0
                   : java_type(w,
                               ts_node_named_child(node, walk_len(node) - 1));
    default:
        return 0;
    }
}

uint32_t
java_type(struct walk *w, TSNode node)
{
    return walk_deeper(w, node, type_of_kind);
}

uint32_t
java_declared(struct walk *w, TSNode node)
{
    if (str_eq(extract_text(w->x, node), STR("var")))
        return 0;
    return java_type(w, node);
}
