/*
 * Types.  What may be null is the type itself.
 */
#include "index/lang_kotlin.h"

bool
kotlin_is_type(uint16_t kind)
{
    return kind == KT_USER_TYPE || kind == KT_NULLABLE_TYPE ||
           kind == KT_FUNCTION_TYPE || kind == KT_PARENTHESIZED_TYPE ||
           kind == KT_NON_NULLABLE_TYPE;
}

static void
find_type(struct walk *w, TSNode node, void *found)
{
    TSNode *out = found;

    if (ts_node_is_null(*out) && kotlin_is_type(walk_kind(w, node)))
        *out = node;
}

TSNode
kotlin_type_child(struct walk *w, TSNode node)
{
    TSNode found = {0};

    walk_each(w, node, find_type, &found);
    return found;
}

static void
add_argument(struct walk *w, TSNode node, void *list)
{
    struct extract_list *types = list;

    if (types->len < WALK_LIST_MAX)
        extract_list_add(w->x, types,
                         kotlin_type(w, kotlin_type_child(w, node)));
}

/* `a.B<C>.D`: names and arguments from the left. */
static void
add_piece(struct walk *w, TSNode node, void *ctx)
{
    uint32_t *type = ctx;
    struct extract_list list = {0};

    if (walk_kind(w, node) == KT_IDENTIFIER) {
        *type = *type ? walk_member(w, *type, node) : walk_name(w, node);
    } else if (walk_kind(w, node) == KT_TYPE_ARGUMENTS) {
        walk_each(w, node, add_argument, &list);
        *type = walk_put_list(
            w, node, (struct fact_expr){.kind = EXPR_GENERIC, .a = *type},
            &list);
    }
}

struct function_type {
    TSNode receiver;
    TSNode result;
    struct extract_list params;
    bool is_past; /* the parameters */
};

static void
add_param(struct walk *w, TSNode node, void *ctx)
{
    struct function_type *type = ctx;
    bool is_type = kotlin_is_type(walk_kind(w, node));
    TSNode of = is_type ? node : kotlin_type_child(w, node);

    if (type->params.len + 2 < WALK_LIST_MAX && !ts_node_is_null(of))
        extract_list_add(w->x, &type->params, kotlin_type(w, of));
}

static void
find_parts(struct walk *w, TSNode node, void *ctx)
{
    struct function_type *type = ctx;

    if (walk_kind(w, node) == KT_FUNCTION_TYPE_PARAMETERS) {
        type->is_past = true;
        walk_each(w, node, add_param, type);
    } else if (kotlin_is_type(walk_kind(w, node)) && type->is_past) {
        type->result = node;
    } else if (kotlin_is_type(walk_kind(w, node))) {
        type->receiver = node;
    }
}

/* `A.(B) -> C`: func<C, this: A, B> */
static uint32_t
function_type(struct walk *w, TSNode node)
{
    struct function_type type = {0};
    struct extract_list list = {0};

    walk_each(w, node, find_parts, &type);
    uint32_t name = walk_put(
        w, node,
        (struct fact_expr){.kind = EXPR_NAME,
                           .text = facts_str(w->x->facts, STR("func"))});
    extract_list_add(w->x, &list, kotlin_type(w, type.result));
    if (!ts_node_is_null(type.receiver)) {
        uint32_t receiver = kotlin_type(w, type.receiver);
        extract_list_add(
            w->x, &list,
            walk_put(
                w, node,
                (struct fact_expr){.kind = EXPR_PAIR,
                                   .text = facts_str(w->x->facts, STR("this")),
                                   .a = receiver}));
    }
    for (uint32_t i = 0; i < type.params.len; i++)
        extract_list_add(w->x, &list, type.params.items[i]);
    walk_drop(&type.params);
    return walk_put_list(
        w, node, (struct fact_expr){.kind = EXPR_GENERIC, .a = name}, &list);
}

static uint32_t
type_of_kind(struct walk *w, TSNode node)
{
    uint32_t type = 0;

    switch (walk_kind(w, node)) {
    case KT_USER_TYPE:
        walk_each(w, node, add_piece, &type);
        return type;
    case KT_FUNCTION_TYPE:
        return function_type(w, node);
    case KT_NULLABLE_TYPE:
    case KT_PARENTHESIZED_TYPE:
    case KT_NON_NULLABLE_TYPE:
        return kotlin_type(w, kotlin_type_child(w, node));
    default:
        return 0;
    }
}

uint32_t
kotlin_type(struct walk *w, TSNode node)
{
    return walk_deeper(w, node, type_of_kind);
}
