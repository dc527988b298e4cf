/*
 * C and C++: declarators, variables, fields.  A declarator is read from the
 * outside in: what is nearest to the name was written last.
 */
#include "index/lang_c.h"

static TSNode
inside(const struct visitor *w, TSNode node)
{
    TSNode inner = visit_field(w, node, F_DECLARATOR);

    if (!ts_node_is_null(inner))
        return inner;
    uint32_t len = ts_node_named_child_count(node);
    return len ? ts_node_named_child(node, len - 1) : inner;
}

struct cxx_declarator
cxx_declarator(const struct visitor *w, TSNode node)
{
    enum { DEEP = 64 };
    const TSNode none = {0};
    struct cxx_declarator out = {.name = none, .function = none};
    bool in_parens = false;

    for (int i = 0; i < DEEP; i++) {
        switch (visit_kind(w, node)) {
        case K_FUNCTION_DECL:
            if (ts_node_is_null(out.function))
                out.function = node;
            in_parens = false;
            node = visit_field(w, node, F_DECLARATOR);
            continue;
        case K_PAREN_DECL:
            in_parens = true;
            node = inside(w, node);
            continue;
        case K_POINTER_DECL:
        case K_ABSTRACT_POINTER:
            if (!ts_node_is_null(out.function) && in_parens)
                out.is_pointer = true;
            else
                out.pointers++;
            node = inside(w, node);
            continue;
        case K_ARRAY_DECL:
            out.arrays++;
            node = visit_field(w, node, F_DECLARATOR);
            continue;
        case K_REFERENCE_DECL:
        case K_INIT_DECL:
            node = inside(w, node);
            continue;
        case K_ATTRIBUTED_DECL:
            node = visit_first(node);
            continue;
        case K_IDENTIFIER:
        case K_TYPE_NAME:
        case K_QUALIFIED:
        case K_TEMPLATE:
        case K_DESTRUCTOR:
        case K_OPERATOR_NAME:
        case K_OPERATOR_CAST:
        case K_STRUCTURED:
            out.name = node;
            return out;
        default:
            return out;
        }
    }
    return out;
}

uint32_t
cxx_type(struct visitor *w, uint32_t type,
         const struct cxx_declarator *declarator, TSNode at)
{
    enum { DEEP = 8 };

    if (!type || declarator->is_pointer)
        return 0;
    for (uint32_t i = 0; i < declarator->pointers && i < DEEP; i++)
        type = visit_two(w, EXPR_GENERIC,
                         visit_leaf(w, EXPR_NAME, STR("*"), at), type, at);
    for (uint32_t i = 0; i < declarator->arrays && i < DEEP; i++)
        type = visit_two(w, EXPR_GENERIC,
                         visit_leaf(w, EXPR_NAME, STR("[]"), at), type, at);
    return type;
}

bool
cxx_is_local(const struct visitor *w)
{
    uint8_t kind = w->x.facts->defs[w->x.scope].kind;

    return kind == CODE_FUNCTION || kind == CODE_METHOD;
}

struct storage {
    str word;
    bool is_there;
};

static void
storage_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct storage *storage = ctx;

    (void)field;
    if (visit_kind(w, child) == K_STORAGE &&
        str_eq(visit_text(w, child), storage->word))
        storage->is_there = true;
}

bool
cxx_has_storage(struct visitor *w, TSNode node, str word)
{
    struct storage storage = {.word = word};

    visit_each(w, node, storage_one, &storage);
    return storage.is_there;
}

struct params {
    uint32_t index;
};

static void
param_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct params *params = ctx;
    struct cxx_declarator declarator;

    (void)field;
    if (visit_kind(w, child) != K_PARAM)
        return;
    TSNode given = visit_field(w, child, F_DECLARATOR);
    if (ts_node_is_null(given) && str_eq(visit_text(w, child), STR("void")))
        return;
    declarator = cxx_declarator(w, given);
    uint32_t type = visit(w, visit_field(w, child, F_TYPE));
    struct fact_bind bind = {
        .kind = BIND_PARAM,
        .index = params->index++,
        .type = cxx_type(w, type, &declarator, child),
        .value = visit(w, visit_field(w, child, F_DEFAULT)),
    };
    if (!ts_node_is_null(declarator.name)) {
        bind.name = extract_str(&w->x, declarator.name);
        visit_bind(w, bind, child);
    }
}

void
cxx_params(struct visitor *w, TSNode list)
{
    struct params params = {0};

    visit_each(w, list, param_one, &params);
}

/* ---- variables and fields ---- */

/* What all declarators of a declaration share. */
struct declared {
    TSNode node;
    TSNode value; /* of its only declarator, where it has no node of its own */
    uint32_t type;
    bool is_static;
    bool is_extern;
};

/* `T x(1)`, `T x{1}` make a T. */
static uint32_t
initial_value(struct visitor *w, TSNode value, uint32_t type)
{
    uint16_t kind = visit_kind(w, value);
    struct extract_list args = {0};
    bool is_list = kind == K_INIT_LIST && w->x.facts->lang == LANG_CPP &&
                   visit_kind(w, visit_first(value)) != K_INIT_PAIR;

    if (type && (kind == K_ARGUMENTS ||
                 (is_list && visit_expr_kind(w, type) != EXPR_GENERIC))) {
        visit_list(w, value, &args);
        return visit_listed(w, EXPR_NEW, type, &args, value);
    }
    return visit(w, value);
}

static void
structured_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct fact_bind *bind = ctx;

    (void)field;
    if (visit_kind(w, child) != K_IDENTIFIER)
        return;
    bind->name = extract_str(&w->x, child);
    visit_bind(w, *bind, child);
    bind->index++;
}

static void
add_variable(struct visitor *w, const struct declared *declared, TSNode name,
             uint32_t type, uint32_t value)
{
    struct cxx *cxx = cxx_of(w);
    bool in_class = w->x.facts->defs[w->x.scope].kind == CODE_TYPE;
    uint32_t flags = DEF_EXPORTED;
    struct fact_bind bind = {.kind = in_class ? BIND_FIELD : BIND_LOCAL,
                             .type = type,
                             .value = value};

    if (cxx->is_hidden || declared->is_static)
        flags = in_class ? 0 : DEF_STATIC;
    if (visit_kind(w, name) == K_STRUCTURED) {
        bind.type = 0;
        bind.flags = BIND_MULTI;
        visit_each(w, name, structured_one, &bind);
        return;
    }
    bind.name = extract_str(&w->x, cxx_name(w, name));
    if (!value && declared->is_extern)
        flags |= DEF_ABSTRACT;
    if (!in_class && !cxx_is_local(w))
        visit_def(w,
                  (struct fact_def){.kind = CODE_VAR,
                                    .flags = flags,
                                    .name = bind.name,
                                    .type = type},
                  name, name, name);
    visit_bind(w, bind, name);
}

static void
declarator_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    const struct declared *declared = ctx;
    struct cxx_declarator declarator;

    if (field != w->x.fields[F_DECLARATOR])
        return;
    declarator = cxx_declarator(w, child);
    if (ts_node_is_null(declarator.name))
        return;
    bool is_operator = visit_kind(w, declarator.name) == K_OPERATOR_CAST;
    if (is_operator ||
        (!ts_node_is_null(declarator.function) && !declarator.is_pointer)) {
        if (cxx_is_local(w))
            return;
        struct fact_def def =
            cxx_signature(w, declared->node, &declarator, declared->type,
                          declared->is_static);
        def.flags |= DEF_ABSTRACT;
        uint32_t before = visit_enter(w, visit_def(w, def, declared->node,
                                                   cxx_name(w, declarator.name),
                                                   declared->node));
        uint32_t id = w->x.scope;
        w->x.facts->defs[id].signature =
            extract_signature(&w->x, declared->node, (TSNode){0});
        cxx_params(w, visit_field(w, declarator.function, F_PARAMETERS));
        visit_leave(w, before);
        return;
    }
    uint32_t type = cxx_type(w, declared->type, &declarator, child);
    TSNode value = visit_kind(w, child) == K_INIT_DECL
                       ? visit_field(w, child, F_VALUE)
                       : declared->value;

    add_variable(w, declared, declarator.name, type,
                 initial_value(w, value, type));
}

static void
count_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)child;
    if (field == w->x.fields[F_DECLARATOR])
        ++*(uint32_t *)ctx;
}

uint32_t
cxx_declaration(struct visitor *w, TSNode node)
{
    uint32_t count = 0;
    struct declared declared = {
        .node = node,
        .type = visit(w, visit_field(w, node, F_TYPE)),
        .is_static = cxx_has_storage(w, node, STR("static")),
        .is_extern = cxx_has_storage(w, node, STR("extern")),
    };

    visit_each(w, node, count_one, &count);
    if (count == 1) {
        declared.value = visit_field(w, node, F_VALUE);
        if (ts_node_is_null(declared.value))
            declared.value = visit_field(w, node, F_DEFAULT);
    }
    visit_each(w, node, declarator_one, &declared);
    return 0;
}
