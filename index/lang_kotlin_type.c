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

static void
last_type(struct walk *w, TSNode node, void *found)
{
    if (kotlin_is_type(walk_kind(w, node)))
        *(TSNode *)found = node;
}

static uint32_t
type_of_kind(struct walk *w, TSNode node)
{
    uint32_t type = 0;
    TSNode result = {0};

    switch (walk_kind(w, node)) {
    case KT_USER_TYPE:
        walk_each(w, node, add_piece, &type);
        return type;
    case KT_FUNCTION_TYPE:
        walk_each(w, node, last_type, &result);
        return walk_wrapped(w, node, STR("func"), kotlin_type(w, result));
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
