/*
 * Fields, local names, and what patterns and statements bind.
 */
#include "index/lang_csharp.h"

void
csharp_local(struct walk *w, TSNode name, uint32_t type, uint32_t value,
             uint32_t flags)
{
    str_id text = extract_str(w->x, name);

    if (text && walk_kind(w, name) == CS_IDENTIFIER)
        walk_bind(w, name,
                  (struct fact_bind){.kind = BIND_LOCAL,
                                     .flags = flags,
                                     .scope = w->x->scope,
                                     .name = text,
                                     .type = type,
                                     .value = value});
}

struct spread {
    uint32_t value;
    uint32_t index;
};

static void
bind_element(struct walk *w, TSNode node, void *ctx)
{
    struct spread *spread = ctx;

    if (walk_kind(w, node) == CS_IDENTIFIER)
        walk_bind(w, node,
                  (struct fact_bind){.kind = BIND_LOCAL,
                                     .flags = BIND_MULTI,
                                     .scope = w->x->scope,
                                     .name = extract_str(w->x, node),
                                     .value = spread->value,
                                     .index = spread->index});
    spread->index++;
}

static void
bind_tuple(struct walk *w, TSNode tuple, uint32_t value)
{
    struct spread spread = {.value = value};

    walk_each(w, tuple, bind_element, &spread);
}

struct declared {
    struct fact_bind bind;
};

static void
add_declarator(struct walk *w, TSNode node, void *ctx)
{
    struct fact_bind bind = ((const struct declared *)ctx)->bind;
    TSNode name = walk_field(w, node, CS_F_NAME);
    TSNode tuple = walk_child(w, node, CS_TUPLE_PATTERN);
    TSNode last = csharp_last(node);

    if (walk_kind(w, node) != CS_VARIABLE_DECLARATOR)
        return;
    if (walk_has(w, node, STR("=")))
        bind.value = walk_len(node) > 1 ? csharp_initial(w, last, bind.type)
                     : walk_has(w, node, STR("this"))
                         ? walk_unary(w, node, EXPR_SELF, 0)
                         : 0;
    if (!ts_node_is_null(tuple)) {
        bind_tuple(w, tuple, bind.value);
        return;
    }
    walk_hint(w, bind.value, name);
    bind.name = extract_str(w->x, name);
    if (bind.name)
        walk_bind(w, name, bind);
}

static void
declare(struct walk *w, TSNode node, uint32_t flags)
{
    bool is_field = walk_is_type(w, w->x->scope);
    struct declared declared = {
        .bind = {.kind = is_field ? BIND_FIELD : BIND_LOCAL,
                 .flags = flags,
                 .scope = w->x->scope,
                 .type = csharp_type(w, walk_field(w, node, CS_F_TYPE))}};

    walk_each(w, node, add_declarator, &declared);
}

void
csharp_variables(struct walk *w, TSNode node)
{
    declare(w, node, 0);
}

/* A field, or a local name: what stands before says whether it is constant. */
void
csharp_field(struct walk *w, TSNode node)
{
    struct walk_marks marks = {0};

    csharp_modifiers(w, node, &marks);
    walk_drop(&marks.list);
    declare(w, walk_child(w, node, CS_VARIABLE_DECLARATION),
            marks.is_const ? BIND_CONST : 0);
}

void
csharp_enum_member(struct walk *w, TSNode node)
{
    TSNode name = walk_field(w, node, CS_F_NAME);
    uint32_t value = csharp_value(w, walk_field(w, node, CS_F_VALUE));
    uint32_t type =
        walk_put(w, name,
                 (struct fact_expr){.kind = EXPR_NAME,
                                    .text = walk_def(w, w->x->scope)->name});

    walk_bind(w, name,
              (struct fact_bind){.kind = BIND_FIELD,
                                 .flags = BIND_CONST,
                                 .scope = w->x->scope,
                                 .name = extract_str(w->x, name),
                                 .type = type,
                                 .value = value});
}

/* ---- patterns, statements ---- */

void
csharp_pattern(struct walk *w, TSNode node)
{
    TSNode name = walk_field(w, node, CS_F_NAME);
    uint32_t type = csharp_type(w, walk_field(w, node, CS_F_TYPE));

    if (!ts_node_is_null(name))
        csharp_local(w, name, type, 0, BIND_TYPE_SWITCH);
    walk_children(w, node);
}

/* `out var x` */
uint32_t
csharp_declaration(struct walk *w, TSNode node)
{
    TSNode name = walk_field(w, node, CS_F_NAME);

    csharp_local(w, name, csharp_type(w, walk_field(w, node, CS_F_TYPE)), 0, 0);
    return walk_name(w, name);
}

void
csharp_foreach(struct walk *w, TSNode node)
{
    TSNode left = walk_field(w, node, CS_F_LEFT);
    TSNode right = walk_field(w, node, CS_F_RIGHT);
    uint32_t type = csharp_type(w, walk_field(w, node, CS_F_TYPE));
    uint32_t value = csharp_value(w, right);

    if (value)
        value = walk_unary(w, right, EXPR_ELEM, value);
    if (walk_kind(w, left) == CS_TUPLE_PATTERN)
        bind_tuple(w, left, value);
    else
        csharp_local(w, left, type, value, 0);
    walk_pass(w, walk_field(w, node, CS_F_BODY));
}

void
csharp_from(struct walk *w, TSNode node)
{
    TSNode source = csharp_last(node);
    uint32_t type = csharp_type(w, walk_field(w, node, CS_F_TYPE));
    uint32_t value = csharp_value(w, source);

    if (value)
        value = walk_unary(w, source, EXPR_ELEM, value);
    csharp_local(w, walk_field(w, node, CS_F_NAME), type, value, 0);
}

void
csharp_catch(struct walk *w, TSNode node)
{
    csharp_local(w, walk_field(w, node, CS_F_NAME),
                 csharp_type(w, walk_field(w, node, CS_F_TYPE)), 0, 0);
}

static uint32_t
given_back(struct walk *w, TSNode node)
{
    TSNode value = csharp_last(node);

    if (ts_node_is_null(value))
        return walk_has(w, node, STR("this"))
                   ? walk_unary(w, node, EXPR_SELF, 0)
                   : 0;
    return csharp_initial(w, value, walk_def(w, w->x->scope)->type);
}

void
csharp_return(struct walk *w, TSNode node)
{
    walk_return(w, node, given_back(w, node));
}

void
csharp_arrow(struct walk *w, TSNode node)
{
    csharp_return(w, node);
}

/* A generator returns what it yields as if in an array. */
void
csharp_yield(struct walk *w, TSNode node)
{
    struct extract_list list = {0};
    uint32_t value = csharp_value(w, csharp_last(node));

    walk_def(w, w->x->scope)->flags |= w->x->scope ? DEF_GENERATOR : 0;
    if (value == 0)
        return;
    extract_list_add(w->x, &list, value);
    walk_return(
        w, node,
        walk_put_list(w, node, (struct fact_expr){.kind = EXPR_ARRAY}, &list));
}
