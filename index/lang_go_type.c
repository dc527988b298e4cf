/*
 * Go's types as expressions.  Slices, pointers, maps, channels and functions
 * are generics over a name that no type can have; structs and interfaces
 * without a name are objects of what they hold.
 */
#include "index/lang_go.h"

static uint32_t
add_generic(struct go *go, TSNode node, str base, const uint32_t *args,
            uint32_t len)
{
    uint32_t name = go_add_name(go, node, facts_str(go->x->facts, base));

    return go_add(go, node,
                  (struct fact_expr){
                      .kind = EXPR_GENERIC,
                      .a = name,
                      .list_at = facts_list(go->x->facts, args, len),
                      .list_len = len,
                  });
}

static TSNode
only_child(TSNode node)
{
    return ts_node_named_child(node, 0);
}

uint32_t
go_qualified(struct go *go, TSNode node)
{
    TSNode package = go_field(go, node, GO_F_PACKAGE);
    TSNode name = go_field(go, node, GO_F_NAME);
    uint32_t object = go_add_name(go, package, extract_str(go->x, package));

    return go_add(go, node,
                  (struct fact_expr){.kind = EXPR_MEMBER,
                                     .a = object,
                                     .text = extract_str(go->x, name)});
}

uint32_t
go_pointer(struct go *go, TSNode node)
{
    uint32_t type = go_value(go, only_child(node));

    return add_generic(go, node, STR("*"), &type, 1);
}

uint32_t
go_array(struct go *go, TSNode node)
{
    uint32_t type = go_value(go, go_field(go, node, GO_F_ELEMENT));

    go_visit(go, go_field(go, node, GO_F_LENGTH));
    return add_generic(go, node, STR("[]"), &type, 1);
}

uint32_t
go_variadic(struct go *go, TSNode parameter)
{
    uint32_t type = go_value(go, go_field(go, parameter, GO_F_TYPE));

    return add_generic(go, parameter, STR("[]"), &type, 1);
}

uint32_t
go_map(struct go *go, TSNode node)
{
    uint32_t types[] = {go_value(go, go_field(go, node, GO_F_KEY)),
                        go_value(go, go_field(go, node, GO_F_VALUE))};

    return add_generic(go, node, STR("map"), types, 2);
}

uint32_t
go_channel(struct go *go, TSNode node)
{
    uint32_t type = go_value(go, go_field(go, node, GO_F_VALUE));

    return add_generic(go, node, STR("chan"), &type, 1);
}

/* `func` of what it returns, then of what it takes. */
uint32_t
go_func_type(struct go *go, TSNode node)
{
    struct extract *x = go->x;
    struct extract_list list = {0};
    struct fact_expr expr = {.kind = EXPR_GENERIC};

    extract_list_add(x, &list, go_result(go, go_field(go, node, GO_F_RESULT)));
    struct extract_children it =
        extract_children(go_field(go, node, GO_F_PARAMETERS));

    while (extract_next(&it))
        if (list.len < GO_LIST_MAX)
            extract_list_add(x, &list,
                             go_value(go, go_field(go, it.node, GO_F_TYPE)));
    expr.a = go_add_name(go, node, facts_str(x->facts, STR("func")));
    expr.list_at = extract_list_end(x, &list, &expr.list_len);
    return go_add(go, node, expr);
}

uint32_t
go_generic(struct go *go, TSNode node)
{
    struct extract *x = go->x;
    struct extract_list list = {0};
    struct fact_expr expr = {.kind = EXPR_GENERIC};
    struct extract_children it =
        extract_children(go_field(go, node, GO_F_TYPE_ARGUMENTS));

    expr.a = go_value(go, go_field(go, node, GO_F_TYPE));
    while (extract_next(&it))
        if (list.len < GO_LIST_MAX)
            extract_list_add(x, &list, go_value(go, it.node));
    expr.list_at = extract_list_end(x, &list, &expr.list_len);
    return go_add(go, node, expr);
}

/* One type, or one of several: `~int | string`. */
uint32_t
go_type_elem(struct go *go, TSNode node)
{
    struct extract *x = go->x;
    struct extract_list list = {0};
    struct fact_expr expr = {.kind = EXPR_ALT};
    struct extract_children it = extract_children(node);
    uint32_t last = 0;

    while (extract_next(&it)) {
        if (list.len >= GO_LIST_MAX)
            continue;
        last = go_value(go, it.node);
        extract_list_add(x, &list, last);
    }
    bool is_one = list.len == 1;

    expr.list_at = extract_list_end(x, &list, &expr.list_len);
    return is_one ? last : go_add(go, node, expr);
}

TSNode
go_type_name(const struct go *go, TSNode type)
{
    for (int depth = 0; depth < EXTRACT_DEPTH_MAX; depth++) {
        switch (go_kind(go, type)) {
        case GO_POINTER:
        case GO_WRAPPED_TYPE:
            type = only_child(type);
            break;
        case GO_GENERIC:
            type = go_field(go, type, GO_F_TYPE);
            break;
        case GO_QUALIFIED:
            return go_field(go, type, GO_F_NAME);
        default:
            return type;
        }
    }
    return type;
}

static uint32_t
add_pair(struct go *go, TSNode at, TSNode name, uint32_t type)
{
    return go_add(go, at,
                  (struct fact_expr){.kind = EXPR_PAIR,
                                     .text = extract_str(go->x, name),
                                     .a = type});
}

/* Adds a pair a name, and one for what is embedded. */
static void
add_members(struct go *go, TSNode field, struct extract_list *list)
{
    TSNode type = go_field(go, field, GO_F_TYPE);
    uint32_t id = go_value(go, type);
    struct extract_children it = extract_children(field);
    bool is_named = false;

    while (extract_next(&it)) {
        if (!extract_is_field(go->x, &it, GO_F_NAME))
            continue;
        is_named = true;
        if (list->len < GO_LIST_MAX)
            extract_list_add(go->x, list, add_pair(go, it.node, it.node, id));
    }
    if (!is_named && list->len < GO_LIST_MAX)
        extract_list_add(go->x, list,
                         add_pair(go, type, go_type_name(go, type), id));
}

uint32_t
go_struct(struct go *go, TSNode node)
{
    struct extract_list list = {0};
    struct fact_expr expr = {.kind = EXPR_OBJECT};
    struct extract_children it = extract_children(only_child(node));

    while (extract_next(&it))
        if (go_kind(go, it.node) == GO_FIELD)
            add_members(go, it.node, &list);
    expr.list_at = extract_list_end(go->x, &list, &expr.list_len);
    return go_add(go, node, expr);
}

uint32_t
go_interface(struct go *go, TSNode node)
{
    struct extract *x = go->x;
    struct extract_list list = {0};
    struct fact_expr expr = {.kind = EXPR_OBJECT};
    struct extract_children it = extract_children(node);

    while (extract_next(&it)) {
        uint32_t id = 0;
        if (list.len >= GO_LIST_MAX)
            continue;
        if (go_kind(go, it.node) == GO_METHOD_ELEM)
            id = add_pair(go, it.node, go_field(go, it.node, GO_F_NAME),
                          go_func_type(go, it.node));
        else if (go_kind(go, it.node) == GO_TYPE_ELEM)
            id = go_add(go, it.node,
                        (struct fact_expr){.kind = EXPR_SPREAD,
                                           .a = go_type_elem(go, it.node)});
        if (id)
            extract_list_add(x, &list, id);
    }
    expr.list_at = extract_list_end(x, &list, &expr.list_len);
    return go_add(go, node, expr);
}

uint32_t
go_result(struct go *go, TSNode result)
{
    struct extract *x = go->x;
    struct extract_list list = {0};
    struct fact_expr expr = {.kind = EXPR_ARRAY};
    uint32_t last = 0;

    if (go_kind(go, result) != GO_PARAMETERS)
        return ts_node_is_null(result) ? 0 : go_value(go, result);
    struct extract_children it = extract_children(result);

    while (extract_next(&it)) {
        struct extract_children names = extract_children(it.node);
        uint32_t count = 0;

        last = go_value(go, go_field(go, it.node, GO_F_TYPE));
        while (extract_next(&names))
            count += extract_is_field(x, &names, GO_F_NAME);
        for (uint32_t i = 0; i < (count ? count : 1); i++)
            if (list.len < GO_LIST_MAX)
                extract_list_add(x, &list, last);
    }
    bool is_several = list.len > 1;

    expr.list_at = extract_list_end(x, &list, &expr.list_len);
    return is_several ? go_add(go, result, expr) : last;
}
