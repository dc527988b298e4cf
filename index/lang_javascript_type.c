/*
 * TypeScript's types as expressions.  Functions are a generic `func` of what
 * they return and take; object types are objects.  What cannot be said without
 * computing (mapped types, `keyof`) is nothing.
 */
#include "index/lang_javascript.h"

uint32_t
js_first_type(struct js *js, TSNode node)
{
    return js_value(js, js_first(node));
}

/* Nothing of it is written, but for calls in `typeof f()`: there are none. */
uint32_t
js_opaque_type(struct js *js, TSNode node)
{
    (void)js;
    (void)node;
    return 0;
}

uint32_t
js_nested_type(struct js *js, TSNode node)
{
    TSNode name = js_field(js, node, JS_F_NAME);
    TSNode module = js_field(js, node, JS_F_MODULE);

    if (ts_node_is_null(name)) {
        name = js_field(js, node, JS_F_PROPERTY);
        module = js_field(js, node, JS_F_OBJECT);
    }
    uint32_t object = js_value(js, module);

    return js_add_member(js, node, object, extract_str(js->x, name));
}

uint32_t
js_type_arguments(struct js *js, TSNode at, uint32_t base, TSNode arguments)
{
    struct extract_list list = {0};
    struct extract_children it = extract_children(arguments);

    while (extract_next(&it))
        if (list.len < JS_LIST_MAX)
            extract_list_add(js->x, &list, js_value(js, it.node));
    return js_add_list(
        js, at, (struct fact_expr){.kind = EXPR_GENERIC, .a = base}, &list);
}

uint32_t
js_generic(struct js *js, TSNode node)
{
    uint32_t base = js_value(js, js_field(js, node, JS_F_NAME));

    return js_type_arguments(js, node, base,
                             js_field(js, node, JS_F_TYPE_ARGUMENTS));
}

static uint32_t
add_generic(struct js *js, TSNode node, str base, uint32_t arg)
{
    struct extract_list list = {0};
    uint32_t name = js_add_name(js, node, facts_str(js->x->facts, base));

    extract_list_add(js->x, &list, arg);
    return js_add_list(
        js, node, (struct fact_expr){.kind = EXPR_GENERIC, .a = name}, &list);
}

uint32_t
js_array_type(struct js *js, TSNode node)
{
    return add_generic(js, node, STR("[]"), js_first_type(js, node));
}

/* `typeof x`: the type of a value. */
uint32_t
js_typeof(struct js *js, TSNode node)
{
    return add_generic(js, node, STR("typeof"), js_first_type(js, node));
}

uint32_t
js_tuple(struct js *js, TSNode node)
{
    struct extract_list list = {0};
    struct extract_children it = extract_children(node);

    while (extract_next(&it)) {
        TSNode type = js_kind(js, it.node) == JS_PARAMETER
                          ? js_field(js, it.node, JS_F_TYPE)
                          : it.node;
        if (list.len < JS_LIST_MAX)
            extract_list_add(js->x, &list, js_value(js, type));
    }
    return js_add_list(js, node, (struct fact_expr){.kind = EXPR_ARRAY}, &list);
}

static bool
is_union(const struct js *js, TSNode node)
{
    return js_kind(js, node) == JS_UNION ||
           js_kind(js, node) == JS_INTERSECTION;
}

/* Unions lean to the left.  What is nothing (`null`, `undefined`) is left out;
 * one that remains is the type. */
uint32_t
js_union(struct js *js, TSNode node)
{
    TSNode parts[JS_LIST_MAX];
    uint32_t len = 0;
    struct extract_list list = {0};
    uint32_t last = 0;

    while (is_union(js, node)) {
        struct extract_children it = extract_children(node);
        TSNode left = {.id = NULL};
        TSNode right = {.id = NULL};

        while (extract_next(&it)) {
            left = right;
            right = it.node;
        }
        if (!ts_node_is_null(right) && len < JS_LIST_MAX - 1)
            parts[len++] = right;
        node = left;
    }
    if (!ts_node_is_null(node))
        parts[len++] = node;
    while (len > 0) {
        uint32_t id = js_value(js, parts[--len]);
        if (!id)
            continue;
        last = id;
        extract_list_add(js->x, &list, id);
    }
    if (list.len > 1)
        return js_add_list(js, parts[0], (struct fact_expr){.kind = EXPR_ALT},
                           &list);
    uint32_t unused;

    extract_list_end(js->x, &list, &unused);
    return last;
}

uint32_t
js_function_type(struct js *js, TSNode node)
{
    struct extract *x = js->x;
    struct extract_list list = {0};
    TSNode result = js_field(js, node, JS_F_RETURN_TYPE);
    struct extract_children it =
        extract_children(js_field(js, node, JS_F_PARAMETERS));
    uint32_t name = js_add_name(js, node, facts_str(x->facts, STR("func")));

    if (ts_node_is_null(result))
        result = js_field(js, node, JS_F_TYPE);
    extract_list_add(x, &list, js_value(js, result));
    while (extract_next(&it))
        if (list.len < JS_LIST_MAX)
            extract_list_add(x, &list,
                             js_value(js, js_field(js, it.node, JS_F_TYPE)));
    return js_add_list(
        js, node, (struct fact_expr){.kind = EXPR_GENERIC, .a = name}, &list);
}

uint32_t
js_object_type(struct js *js, TSNode node)
{
    struct extract *x = js->x;
    struct extract_list list = {0};
    struct extract_children it = extract_children(node);

    while (extract_next(&it)) {
        struct fact_expr pair = {.kind = EXPR_PAIR};
        uint16_t kind = js_kind(js, it.node);

        if (list.len >= JS_LIST_MAX ||
            (kind != JS_METHOD_SIGNATURE && kind != JS_PROPERTY_SIGNATURE))
            continue;
        pair.text = js_key(js, js_field(js, it.node, JS_F_NAME));
        pair.a = kind == JS_METHOD_SIGNATURE
                     ? js_function_type(js, it.node)
                     : js_value(js, js_field(js, it.node, JS_F_TYPE));
        extract_list_add(x, &list, js_add(js, it.node, pair));
    }
    return js_add_list(js, node, (struct fact_expr){.kind = EXPR_OBJECT},
                       &list);
}

/* `T["name"]` is what `T.name` would be. */
uint32_t
js_lookup(struct js *js, TSNode node)
{
    struct extract *x = js->x;
    struct extract_children it = extract_children(node);
    uint32_t parts[2] = {0};

    for (uint32_t i = 0; extract_next(&it); i++)
        if (i < 2)
            parts[i] = js_value(js, it.node);
    if (x->facts->exprs[parts[1]].kind == EXPR_STRING)
        return js_add_member(js, node, parts[0],
                             x->facts->exprs[parts[1]].text);
    return js_add(js, node,
                  (struct fact_expr){
                      .kind = EXPR_INDEX,
                      .a = parts[0],
                      .list_at = facts_list(x->facts, &parts[1], 1),
                      .list_len = 1,
                  });
}

uint32_t
js_conditional(struct js *js, TSNode node)
{
    struct extract_list list = {0};

    extract_list_add(js->x, &list,
                     js_value(js, js_field(js, node, JS_F_CONSEQUENCE)));
    extract_list_add(js->x, &list,
                     js_value(js, js_field(js, node, JS_F_ALTERNATIVE)));
    return js_add_list(js, node, (struct fact_expr){.kind = EXPR_ALT}, &list);
}
