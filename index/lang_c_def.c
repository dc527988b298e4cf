/*
 * C and C++: functions, variables, fields.  A declarator is read from the
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

static bool
has_storage(struct visitor *w, TSNode node, str word)
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

/* ---- functions ---- */

/* Of `a::T::m` the `a.T`, and T in |last|; 0 where it is not qualified. */
static str_id
scope_of(struct visitor *w, TSNode name, str_id *last)
{
    struct buf scope = {.cap_max = FACT_STR_MAX};
    str_id id = 0;

    while (visit_kind(w, name) == K_QUALIFIED) {
        TSNode next = visit_field(w, name, F_SCOPE);
        if (!ts_node_is_null(next)) {
            if (scope.len > 0)
                buf_add_char(&scope, '.');
            buf_add(&scope, visit_text(w, cxx_name(w, next)));
            *last = extract_str(&w->x, cxx_name(w, next));
        }
        name = visit_field(w, name, F_NAME);
    }
    if (scope.len > 0)
        id = facts_str(w->x.facts, buf_str(&scope));
    buf_fini(&scope);
    return id;
}

static str_id
function_name(struct visitor *w, TSNode name)
{
    str text = visit_text(w, cxx_name(w, name));
    const char *paren = text.len ? memchr(text.ptr, '(', text.len) : NULL;

    /* `operator bool() const` is written with its parentheses, and only a
     * name with nothing before them is `operator()`. */
    if (visit_kind(w, cxx_name(w, name)) == K_OPERATOR_CAST && paren)
        text.len = (size_t)(paren - text.ptr);
    return facts_str(w->x.facts, text);
}

static bool
is_test_macro(str name)
{
    static const char *const names[] = {"TEST",         "TEST_F",
                                        "TEST_P",       "TYPED_TEST",
                                        "TYPED_TEST_P", "BOOST_AUTO_TEST_CASE"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (str_eq(name, str_of(names[i])))
            return true;
    return false;
}

static void
test_word(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct buf *name = ctx;

    (void)field;
    if (name->len > 0)
        buf_add_char(name, '.');
    buf_add(name, visit_text(w, child));
}

static bool
has_type(const struct facts *facts, str name)
{
    for (uint32_t id = 1; id < facts->def_len; id++)
        if (facts->defs[id].kind == CODE_TYPE &&
            str_eq(facts_text(facts, facts->defs[id].name), name))
            return true;
    return false;
}

/* `TEST(Suite, Case) { }`: named `Suite.Case`; the fixture, of TEST_F or a
 * class of the file, is what it is a method of. */
static void
as_test(struct visitor *w, TSNode parameters, str macro, struct fact_def *def)
{
    struct buf name = {.cap_max = FACT_STR_MAX};
    bool has_fixture =
        str_eq(macro, STR("TEST_F")) || str_eq(macro, STR("TEST_P")) ||
        has_type(w->x.facts, visit_text(w, visit_first(parameters)));

    visit_each(w, parameters, test_word, &name);
    def->name = facts_str(w->x.facts, buf_str(&name));
    def->flags |= DEF_TEST_CASE;
    if (has_fixture) {
        def->receiver = extract_str(&w->x, visit_first(parameters));
        def->kind = CODE_METHOD;
    }
    buf_fini(&name);
}

static void
result_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)field;
    if (visit_kind(w, child) == K_INNER) /* `-> T` */
        *(uint32_t *)ctx = visit(w, child);
}

static struct fact_def
signature_of(struct visitor *w, TSNode node,
             const struct cxx_declarator *declarator, uint32_t type,
             bool is_static)
{
    const struct fact_def *around = &w->x.facts->defs[w->x.scope];
    bool in_class = around->kind == CODE_TYPE;
    struct fact_def def = {.kind = in_class ? CODE_METHOD : CODE_FUNCTION,
                           .name = function_name(w, declarator->name)};
    str_id class_name = in_class ? around->name : 0;

    def.receiver = scope_of(w, declarator->name, &class_name);
    if (def.receiver)
        def.kind = CODE_METHOD;
    if (class_name && def.name == class_name)
        def.flags |= DEF_CTOR;
    if (is_static || (!in_class && cxx_of(w)->is_hidden))
        def.flags |= DEF_STATIC;
    if (!cxx_of(w)->is_hidden && (in_class || !is_static))
        def.flags |= DEF_EXPORTED;
    def.type = cxx_type(w, type, declarator, node);
    if (!def.type && !ts_node_is_null(declarator->function))
        visit_each(w, declarator->function, result_one, &def.type);
    return def;
}

static void
initializer_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)ctx;
    /* The constructor's field_initializer_list has no field of its own. */
    if (field == 0 && visit_kind(w, child) == 0)
        visit(w, child);
}

uint32_t
cxx_function(struct visitor *w, TSNode node)
{
    TSNode type = visit_field(w, node, F_TYPE);
    TSNode body = visit_field(w, node, F_BODY);
    struct cxx_declarator declarator =
        cxx_declarator(w, visit_field(w, node, F_DECLARATOR));
    TSNode parameters = visit_field(w, declarator.function, F_PARAMETERS);
    str macro;

    if (ts_node_is_null(declarator.name)) {
        visit_children(w, node);
        return 0;
    }
    struct fact_def def = signature_of(w, node, &declarator, visit(w, type),
                                       has_storage(w, node, STR("static")));
    macro = visit_text(w, declarator.name);
    bool is_test = ts_node_is_null(type) && is_test_macro(macro);
    if (is_test)
        as_test(w, parameters, macro, &def);
    uint32_t before = visit_enter(
        w, visit_def(w, def, node, cxx_name(w, declarator.name), body));

    if (!is_test)
        cxx_params(w, parameters);
    visit_each(w, node, initializer_one, NULL);
    visit(w, body);
    visit_leave(w, before);
    return 0;
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
        struct fact_def def = signature_of(w, declared->node, &declarator,
                                           declared->type, declared->is_static);
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
        .is_static = has_storage(w, node, STR("static")),
        .is_extern = has_storage(w, node, STR("extern")),
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
