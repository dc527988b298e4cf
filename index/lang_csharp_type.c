/*
 * Types.  What may be null is the type itself, `var` and `void` are none.
 */
#include "index/lang_csharp.h"

static void
add_type(struct walk *w, TSNode node, void *list)
{
    struct extract_list *types = list;
    TSNode type = walk_kind(w, node) == CS_TUPLE_ELEMENT
                      ? walk_field(w, node, CS_F_TYPE)
                      : node;

    if (types->len < WALK_LIST_MAX)
        extract_list_add(w->x, types, csharp_type(w, type));
}

static uint32_t
generic_name(struct walk *w, TSNode node, uint32_t qualifier)
{
    TSNode name = walk_child(w, node, CS_IDENTIFIER);
    struct extract_list list = {0};
    uint32_t base =
        qualifier ? walk_member(w, qualifier, name) : walk_name(w, name);

    walk_each(w, walk_child(w, node, CS_TYPE_ARGUMENT_LIST), add_type, &list);
    return walk_put_list(
        w, name, (struct fact_expr){.kind = EXPR_GENERIC, .a = base}, &list);
}

static uint32_t
qualified_name(struct walk *w, TSNode node)
{
    uint32_t qualifier = csharp_type(w, walk_field(w, node, CS_F_QUALIFIER));
    TSNode name = walk_field(w, node, CS_F_NAME);

    return walk_kind(w, name) == CS_GENERIC_NAME
               ? generic_name(w, name, qualifier)
               : walk_member(w, qualifier, name);
}

static uint32_t
tuple_type(struct walk *w, TSNode node)
{
    struct extract_list list = {0};

    walk_each(w, node, add_type, &list);
    return walk_put_list(w, node, (struct fact_expr){.kind = EXPR_ARRAY},
                         &list);
}

static uint32_t
type_of_kind(struct walk *w, TSNode node)
{
    TSNode inner = walk_field(w, node, CS_F_TYPE);

    switch (walk_kind(w, node)) {
    case CS_IDENTIFIER:
        return walk_name(w, node);
    case CS_PREDEFINED_TYPE:
        return str_eq(extract_text(w->x, node), STR("void"))
                   ? 0
                   : walk_name(w, node);
    case CS_GENERIC_NAME:
        return generic_name(w, node, 0);
    case CS_QUALIFIED_NAME:
        return qualified_name(w, node);
    case CS_ALIAS_QUALIFIED_NAME:
        return csharp_type(w, walk_field(w, node, CS_F_NAME));
    case CS_ARRAY_TYPE:
        return walk_wrapped(w, node, STR("[]"), csharp_type(w, inner));
    case CS_POINTER_TYPE:
        return walk_wrapped(w, node, STR("*"), csharp_type(w, inner));
    case CS_NULLABLE_TYPE:
    case CS_REF_TYPE:
    case CS_SCOPED_TYPE:
        return csharp_type(w, inner);
    case CS_TUPLE_TYPE:
        return tuple_type(w, node);
    default:
        return 0;
    }
}

uint32_t
csharp_type(struct walk *w, TSNode node)
{
    return walk_deeper(w, node, type_of_kind);
}

uint32_t
csharp_name_of_type(struct walk *w, TSNode node)
{
    return type_of_kind(w, node);
}
