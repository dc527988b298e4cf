/*
 * Calls: plain, `new`, tagged templates, and JSX, where an element is a call of
 * its component with one object.
 */
#include "index/lang_javascript.h"

/* Of the last name of a callee, by which it is told where the call is. */
static TSNode
callee_name(const struct js *js, TSNode callee)
{
    for (int depth = 0; depth < EXTRACT_DEPTH_MAX; depth++) {
        switch (js_kind(js, callee)) {
        case JS_MEMBER:
        case JS_NESTED_IDENT:
            return js_field(js, callee, JS_F_PROPERTY);
        case JS_PAREN:
        case JS_NON_NULL:
        case JS_AS:
        case JS_INSTANTIATION:
            callee = js_first(callee);
            break;
        case JS_SEQUENCE: /* `(0, module.name)()`, as compilers write it */
            callee = js_last(callee);
            break;
        case JS_SUBSCRIPT:
            if (js_kind(js, js_field(js, callee, JS_F_INDEX)) == JS_STRING)
                return js_field(js, callee, JS_F_INDEX);
            return callee;
        default:
            return callee;
        }
    }
    return callee;
}

/* `it`, `it.only`, `describe.each(...)`: the name that it begins with. */
static str
root_name(const struct js *js, TSNode callee)
{
    for (int depth = 0; depth < JS_NESTING_MAX; depth++) {
        uint16_t kind = js_kind(js, callee);

        if (kind == JS_MEMBER)
            callee = js_field(js, callee, JS_F_OBJECT);
        else if (kind == JS_CALL)
            callee = js_field(js, callee, JS_F_FUNCTION);
        else
            break;
    }
    return js_kind(js, callee) == JS_IDENT ? extract_text(js->x, callee)
                                           : (str){"", 0};
}

static bool
is_test_call(const struct js *js, TSNode callee, TSNode arguments)
{
    static const str names[] = {
        STR_INIT("it"),      STR_INIT("test"),      STR_INIT("describe"),
        STR_INIT("context"), STR_INIT("specify"),   STR_INIT("suite"),
        STR_INIT("fit"),     STR_INIT("fdescribe"), STR_INIT("xit"),
        STR_INIT("bench"),
    };
    uint16_t kind = js_kind(js, js_first(arguments));
    str name = root_name(js, callee);

    if (kind != JS_STRING && kind != JS_TEMPLATE)
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (str_eq(name, names[i]))
            return true;
    return false;
}

static void
add_arguments(struct js *js, TSNode arguments, uint32_t flags,
              struct extract_list *list)
{
    struct extract_children it = extract_children(arguments);

    while (extract_next(&it))
        if (list->len < JS_LIST_MAX)
            extract_list_add(
                js->x, list,
                js_bound_value(js, it.node, (struct js_hint){.flags = flags}));
        else
            js_visit(js, it.node);
}

static uint32_t
callee_value(struct js *js, TSNode node, TSNode callee)
{
    TSNode types = js_field(js, node, JS_F_TYPE_ARGUMENTS);
    uint32_t id = js_value(js, callee);

    return ts_node_is_null(types) ? id
                                  : js_type_arguments(js, callee, id, types);
}

uint32_t
js_call(struct js *js, TSNode node)
{
    TSNode callee = js_field(js, node, JS_F_FUNCTION);
    TSNode arguments = js_field(js, node, JS_F_ARGUMENTS);
    struct extract_list list = {0};
    struct fact_expr expr = {.kind = EXPR_CALL};
    /* The grammar takes `await f<T>()` for a call of `await f`. */
    bool is_awaited = js_kind(js, callee) == JS_AWAIT;

    js_note_module(js, node);
    if (is_awaited)
        callee = js_first(callee);
    expr.a = callee_value(js, node, callee);
    if (js_kind(js, arguments) == JS_TEMPLATE)
        extract_list_add(js->x, &list, js_value(js, arguments));
    else
        add_arguments(js, arguments,
                      is_test_call(js, callee, arguments) ? DEF_TEST_CASE : 0,
                      &list);
    TSNode at = callee_name(js, callee);

    /* `f()()` is two calls, that stand in two places. */
    uint32_t id = js_add_list(js, js_kind(js, at) == JS_CALL ? arguments : at,
                              expr, &list);
    if (!is_awaited)
        return id;
    return js_add(js, node, (struct fact_expr){.kind = EXPR_AWAIT, .a = id});
}

uint32_t
js_new(struct js *js, TSNode node)
{
    TSNode callee = js_field(js, node, JS_F_CONSTRUCTOR);
    struct extract_list list = {0};
    struct fact_expr expr = {.kind = EXPR_NEW};

    expr.a = callee_value(js, node, callee);
    add_arguments(js, js_field(js, node, JS_F_ARGUMENTS), 0, &list);
    return js_add_list(js, callee_name(js, callee), expr, &list);
}

/* ---- JSX ---- */

static bool
is_component(const struct js *js, TSNode name)
{
    str text = extract_text(js->x, name);

    return js_kind(js, name) == JS_MEMBER ||
           (text.len > 0 && text.ptr[0] >= 'A' && text.ptr[0] <= 'Z');
}

static uint32_t
attribute(struct js *js, TSNode node)
{
    struct fact_expr pair = {.kind = EXPR_PAIR};
    TSNode key = {.id = NULL};

    if (js_kind(js, node) != JS_JSX_ATTRIBUTE)
        return js_value(js, node);
    struct extract_children it = extract_children(node);

    for (uint32_t i = 0; extract_next(&it); i++) {
        TSNode held = js_kind(js, it.node) == JS_JSX_EXPRESSION
                          ? js_first(it.node)
                          : it.node;
        if (i == 0)
            key = it.node;
        else
            pair.a = js_bound_value(
                js, held, (struct js_hint){.name = key, .outer = node});
    }
    pair.text = extract_str(js->x, key);
    return js_add(js, node, pair);
}

uint32_t
js_jsx_opening(struct js *js, TSNode node)
{
    TSNode name = js_field(js, node, JS_F_NAME);
    struct extract_list list = {0};
    struct extract_children it = extract_children(node);
    struct fact_expr call = {.kind = EXPR_CALL};

    if (is_component(js, name))
        call.a = js_value(js, name);
    while (extract_next(&it)) {
        if (!extract_is_field(js->x, &it, JS_F_ATTRIBUTE))
            continue;
        uint32_t id = attribute(js, it.node);
        if (list.len < JS_LIST_MAX)
            extract_list_add(js->x, &list, id);
    }
    uint32_t props =
        js_add_list(js, node, (struct fact_expr){.kind = EXPR_OBJECT}, &list);

    if (!call.a)
        return 0;
    call.list_at = facts_list(js->x->facts, &props, 1);
    call.list_len = 1;
    return js_add(js, callee_name(js, name), call);
}

uint32_t
js_jsx_element(struct js *js, TSNode node)
{
    struct extract_children it = extract_children(node);
    uint32_t call = 0;

    while (extract_next(&it))
        if (extract_is_field(js->x, &it, JS_F_OPEN_TAG))
            call = js_value(js, it.node);
        else
            js_visit(js, it.node);
    return call;
}

uint32_t
js_jsx_expression(struct js *js, TSNode node)
{
    return js_value(js, js_first(node));
}
