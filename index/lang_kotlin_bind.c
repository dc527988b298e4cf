/*
 * Names and what they are bound to.  What follows a declaration is its value
 * unless it is a delegate or an accessor.
 */
#include "index/lang_kotlin.h"

uint32_t
kotlin_bind_name(struct walk *w, TSNode declaration, struct fact_bind bind)
{
    TSNode name = walk_child(w, declaration, KT_IDENTIFIER);
    uint32_t type = kotlin_type(w, kotlin_type_child(w, declaration));

    if (type)
        bind.type = type;
    bind.name = extract_str(w->x, name);
    if (bind.name && !str_eq(extract_text(w->x, name), STR("_")))
        walk_bind(w, name, bind);
    return bind.type;
}

struct spread {
    struct fact_bind bind;
};

static void
bind_element(struct walk *w, TSNode node, void *ctx)
{
    struct spread *spread = ctx;

    (void)kotlin_bind_name(w, node, spread->bind);
    spread->bind.index++;
}

/* `(a, b)`, or one name. */
void
kotlin_bind_names(struct walk *w, TSNode node, struct fact_bind bind)
{
    struct spread spread = {bind};

    if (walk_kind(w, node) == KT_VARIABLE_DECLARATION) {
        (void)kotlin_bind_name(w, node, bind);
        return;
    }
    spread.bind.flags |= BIND_MULTI;
    walk_each(w, node, bind_element, &spread);
}

/* ---- properties ---- */

struct property {
    TSNode declaration;
    TSNode value;
    TSNode getter;
    TSNode setter;
};

static void
find_parts(struct walk *w, TSNode node, void *ctx)
{
    struct property *property = ctx;

    switch (walk_kind(w, node)) {
    case KT_VARIABLE_DECLARATION:
    case KT_MULTI_VARIABLE_DECLARATION:
        property->declaration = node;
        break;
    case KT_GETTER:
        property->getter = node;
        break;
    case KT_SETTER:
        property->setter = node;
        break;
    case KT_PROPERTY_DELEGATE:
        property->value = walk_child(w, node, 0);
        break;
    case KT_TYPE_CONSTRAINTS:
    case KT_TYPE_PARAMETERS:
    case KT_MODIFIERS:
        break;
    default:
        if (!ts_node_is_null(property->declaration))
            property->value = node;
    }
}

static void
define_accessor(struct walk *w, TSNode node, TSNode name, uint32_t type)
{
    TSNode body = walk_child(w, node, KT_FUNCTION_BODY);
    TSNode parameter = walk_child(w, node, KT_IDENTIFIER);
    bool is_method = walk_is_type(w, w->x->scope);

    if (ts_node_is_null(body))
        return;
    uint32_t def = walk_define(
        w, &(struct walk_place){.node = node, .name = name, .body = body},
        (struct fact_def){.kind = is_method ? CODE_METHOD : CODE_FUNCTION,
                          .flags = DEF_PROPERTY,
                          .type = type});
    if (def == 0)
        return;
    if (!ts_node_is_null(parameter))
        walk_bind(w, parameter,
                  (struct fact_bind){.kind = BIND_PARAM,
                                     .scope = def,
                                     .name = extract_str(w->x, parameter),
                                     .type = type});
    kotlin_function_body(w, body, def);
}

void
kotlin_property(struct walk *w, TSNode node)
{
    struct property property = {0};
    struct walk_marks marks = {0};
    struct fact_bind bind = {.kind = BIND_LOCAL, .scope = w->x->scope};

    kotlin_modifiers(w, node, &marks);
    walk_drop(&marks.list);
    walk_each(w, node, find_parts, &property);
    TSNode name = walk_child(w, property.declaration, KT_IDENTIFIER);
    if (walk_is_type(w, w->x->scope))
        bind.kind = BIND_FIELD;
    else if (w->x->scope == 0 && !marks.is_private)
        bind.flags = BIND_PACKAGE;
    if (walk_has(w, node, STR("val")))
        bind.flags |= BIND_CONST;
    bind.value = walk_value(w, property.value);
    walk_hint(w, bind.value, name);
    if (walk_kind(w, property.declaration) != KT_VARIABLE_DECLARATION) {
        kotlin_bind_names(w, property.declaration, bind);
        return;
    }
    uint32_t type = kotlin_bind_name(w, property.declaration, bind);
    define_accessor(w, property.getter, name, type);
    define_accessor(w, property.setter, name, type);
}

void
kotlin_type_alias(struct walk *w, TSNode node)
{
    TSNode name = walk_field(w, node, KT_F_TYPE);
    uint32_t type = kotlin_type(w, kotlin_type_child(w, node));
    struct walk_marks marks = {0};

    kotlin_modifiers(w, node, &marks);
    walk_drop(&marks.list);
    bool is_seen = w->x->scope == 0 && !marks.is_private;
    walk_bind(
        w, name,
        (struct fact_bind){.kind = BIND_LOCAL,
                           .flags = BIND_CONST | (is_seen ? BIND_PACKAGE : 0),
                           .scope = w->x->scope,
                           .name = extract_str(w->x, name),
                           .value = type});
}

/* ---- statements ---- */

struct loop {
    TSNode names;
    bool is_bound;
};

static void
pass_loop(struct walk *w, TSNode node, void *ctx)
{
    struct loop *loop = ctx;
    uint16_t kind = walk_kind(w, node);

    if (kind == KT_VARIABLE_DECLARATION ||
        kind == KT_MULTI_VARIABLE_DECLARATION) {
        loop->names = node;
        return;
    }
    if (ts_node_is_null(loop->names) || loop->is_bound) {
        walk_pass(w, node);
        return;
    }
    uint32_t value = walk_value(w, node);
    if (value)
        value = walk_unary(w, node, EXPR_ELEM, value);
    kotlin_bind_names(w, loop->names,
                      (struct fact_bind){.kind = BIND_LOCAL,
                                         .scope = w->x->scope,
                                         .value = value});
    loop->is_bound = true;
}

void
kotlin_for(struct walk *w, TSNode node)
{
    struct loop loop = {0};

    walk_each(w, node, pass_loop, &loop);
}

void
kotlin_when_subject(struct walk *w, TSNode node)
{
    TSNode name = walk_child(w, node, KT_VARIABLE_DECLARATION);

    if (ts_node_is_null(name)) {
        walk_children(w, node);
        return;
    }
    uint32_t value =
        walk_value(w, ts_node_named_child(node, walk_len(node) - 1));
    (void)kotlin_bind_name(w, name,
                           (struct fact_bind){.kind = BIND_LOCAL,
                                              .flags = BIND_CONST,
                                              .scope = w->x->scope,
                                              .value = value});
}

void
kotlin_catch(struct walk *w, TSNode node)
{
    TSNode name = walk_child(w, node, KT_IDENTIFIER);
    uint32_t type = kotlin_type(w, kotlin_type_child(w, node));

    if (!ts_node_is_null(name))
        walk_bind(w, name,
                  (struct fact_bind){.kind = BIND_LOCAL,
                                     .scope = w->x->scope,
                                     .name = extract_str(w->x, name),
                                     .type = type});
    walk_pass(w, walk_child(w, node, KT_BLOCK));
}

void
kotlin_return(struct walk *w, TSNode node)
{
    uint32_t len = walk_len(node);
    TSNode last = len ? ts_node_named_child(node, len - 1) : (TSNode){0};
    bool is_label = walk_kind(w, last) == KT_IDENTIFIER && len == 1 &&
                    str_starts(extract_text(w->x, node), STR("return@"));

    if (!is_label)
        walk_return(w, node, walk_value(w, last));
}
