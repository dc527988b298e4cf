/*
 * PHP: namespaces, imports, classes, functions, fields.
 */
#include "index/lang_php.h"

/* The first namespace is the file's; one after it is a def of its own. */
uint32_t
php_namespace(struct visitor *w, TSNode node)
{
    TSNode name = visit_field(w, node, F_NAME);
    TSNode body = visit_field(w, node, F_BODY);
    str_id text = extract_str(&w->x, name);
    uint32_t before = 0;

    if (!w->x.facts->package && w->x.facts->def_len == 1) {
        w->x.facts->package = text;
    } else {
        w->x.scope = 0;
        before = visit_enter(
            w,
            visit_def(w, (struct fact_def){.kind = CODE_PACKAGE, .name = text},
                      node, name, body));
    }
    visit(w, body);
    if (!ts_node_is_null(body))
        visit_leave(w, before);
    return 0;
}

/* One clause: `Foo\Bar as B`, below |prefix| in a group. */
static void
add_import(struct visitor *w, TSNode clause, str prefix)
{
    TSNode alias = visit_field(w, clause, F_ALIAS);
    str path = visit_text(w, visit_first(clause));
    struct buf module = {0};
    const char *slash = path.len ? memrchr(path.ptr, '\\', path.len) : NULL;
    size_t cut = slash ? (size_t)(slash - path.ptr) : 0;

    buf_add(&module, prefix);
    if (prefix.len > 0 && cut > 0)
        buf_add_char(&module, '\\');
    buf_add(&module, str_cut(path, path.len && path.ptr[0] == '\\', cut));
    facts_import(
        w->x.facts,
        &(struct fact_import){
            .kind = IMPORT_NAME,
            .scope = w->x.scope,
            .module = facts_str(w->x.facts, buf_str(&module)),
            .name = facts_str(w->x.facts,
                              str_cut(path, slash ? cut + 1 : 0, path.len)),
            .alias = extract_str(&w->x, alias),
            .line = extract_line(clause)});
    buf_fini(&module);
}

static void
use_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    uint16_t kind = visit_kind(w, child);
    str *prefix = ctx;

    (void)field;
    if (kind == K_NAMESPACE_NAME)
        *prefix = visit_text(w, child);
    else if (kind == K_USE_CLAUSE)
        add_import(w, child, *prefix);
    else if (kind == K_USE_GROUP)
        visit_each(w, child, use_one, ctx);
}

uint32_t
php_use(struct visitor *w, TSNode node)
{
    str prefix = {"", 0};

    visit_each(w, node, use_one, &prefix);
    return 0;
}

/* ---- marks and modifiers ---- */

struct modifiers {
    uint32_t flags;
    bool is_hidden;
    struct extract_list marks;
};

static void
add_modifier(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct modifiers *modifiers = ctx;

    (void)field;
    switch (visit_kind(w, child)) {
    case K_ATTRIBUTE_LIST:
        visit_each(w, child, add_modifier, ctx);
        return;
    case K_ATTRIBUTE:
        visit_list_add(w, &modifiers->marks, visit(w, child));
        return;
    case K_STATIC:
        modifiers->flags |= DEF_STATIC;
        return;
    case K_ABSTRACT:
        modifiers->flags |= DEF_ABSTRACT;
        return;
    case K_VISIBILITY:
        modifiers->is_hidden = !str_starts(visit_text(w, child), STR("public"));
        return;
    default:
        return;
    }
}

static void
add_modifiers(struct visitor *w, TSNode node, struct fact_def *def)
{
    struct modifiers modifiers = {0};

    visit_each(w, node, add_modifier, &modifiers);
    def->flags |= modifiers.flags | (modifiers.is_hidden ? 0 : DEF_EXPORTED);
    def->marks_at = extract_list_end(&w->x, &modifiers.marks, &def->marks_len);
}

/* ---- types ---- */

struct bases {
    struct extract_list *list;
    uint16_t wanted;
};

static void
add_base(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    uint16_t kind = visit_kind(w, child);

    (void)field;
    if (kind == K_NAME || kind == K_QUALIFIED || kind == K_RELATIVE_NAME)
        visit_list_add(w, ctx, visit(w, child));
}

static void
add_bases(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    const struct bases *bases = ctx;

    (void)field;
    if (visit_kind(w, child) == bases->wanted)
        visit_each(w, child, add_base, bases->list);
}

/* What it extends, then its traits, then its interfaces. */
static void
gather_bases(struct visitor *w, TSNode node, TSNode body, struct fact_def *def)
{
    struct extract_list list = {0};
    struct bases bases = {&list, K_BASES};

    visit_each(w, node, add_bases, &bases);
    bases.wanted = K_USE_TRAIT;
    visit_each(w, body, add_bases, &bases);
    uint32_t others = list.len;
    bases.wanted = K_INTERFACES;
    visit_each(w, node, add_bases, &bases);
    def->interfaces =
        def->kind == CODE_INTERFACE ? list.len : list.len - others;
    def->bases_at = extract_list_end(&w->x, &list, &def->bases_len);
}

static void
member_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)field;
    (void)ctx;
    if (visit_kind(w, child) != K_USE_TRAIT)
        visit(w, child);
}

/* `self` in the attributes of a class, the expressions |from| to |end|, is that
 * class. */
static void
own_marks(struct visitor *w, uint32_t from, uint32_t end, uint32_t id)
{
    for (uint32_t i = from; i < end && id; i++) {
        struct fact_expr *expr = &w->x.facts->exprs[i];
        if (expr->kind == EXPR_SELF || expr->kind == EXPR_SUPER)
            expr->scope = id;
    }
}

static uint32_t
type_of(struct visitor *w, TSNode node, struct fact_def def)
{
    TSNode name = visit_field(w, node, F_NAME);
    TSNode body = visit_field(w, node, F_BODY);
    uint32_t marks = w->x.facts->expr_len;

    def.name = extract_str(&w->x, name);
    add_modifiers(w, node, &def);
    uint32_t marks_end = w->x.facts->expr_len;
    gather_bases(w, node, body, &def);
    uint32_t id = visit_def(w, def, node, name, body);
    own_marks(w, marks, marks_end, id);
    uint32_t before = visit_enter(w, id);

    visit_each(w, body, member_one, NULL);
    visit_leave(w, before);
    return id;
}

uint32_t
php_class(struct visitor *w, TSNode node)
{
    type_of(w, node, (struct fact_def){.kind = CODE_TYPE});
    return 0;
}

uint32_t
php_interface(struct visitor *w, TSNode node)
{
    type_of(w, node, (struct fact_def){.kind = CODE_INTERFACE});
    return 0;
}

uint32_t
php_trait(struct visitor *w, TSNode node)
{
    type_of(w, node, (struct fact_def){.kind = CODE_TYPE, .flags = DEF_TRAIT});
    return 0;
}

uint32_t
php_enum(struct visitor *w, TSNode node)
{
    type_of(w, node, (struct fact_def){.kind = CODE_TYPE, .flags = DEF_ENUM});
    return 0;
}

static void
arguments_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)field;
    (void)ctx;
    if (visit_kind(w, child) == K_ARGUMENTS)
        visit(w, child);
}

/* It is what it extends, as far as anybody can say from outside. */
uint32_t
php_anonymous_class(struct visitor *w, TSNode node)
{
    visit_each(w, node, arguments_one, NULL);
    uint32_t id = type_of(
        w, node, (struct fact_def){.kind = CODE_TYPE, .flags = DEF_LAMBDA});
    const struct fact_def *def = &w->x.facts->defs[id];

    return id && def->bases_len ? w->x.facts->lists[def->bases_at] : 0;
}

/* ---- fields and constants ---- */

struct field {
    uint32_t type;
};

static void
property_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    TSNode name = visit_field(w, child, F_NAME);
    const struct field *of = ctx;

    (void)field;
    if (visit_kind(w, child) != K_PROPERTY_ELEMENT)
        return;
    uint32_t value = visit(w, visit_field(w, child, F_DEFAULT));

    visit_bind(w,
               (struct fact_bind){
                   .kind = BIND_FIELD,
                   .name = facts_str(w->x.facts, php_bare(visit_text(w, name))),
                   .type = of->type,
                   .value = value},
               name);
}

uint32_t
php_property(struct visitor *w, TSNode node)
{
    struct field field = {visit(w, visit_field(w, node, F_TYPE))};

    visit_each(w, node, property_one, &field);
    return 0;
}

static void
add_constant(struct visitor *w, TSNode name, uint32_t value)
{
    bool in_type =
        visit_in_type(w) && w->x.facts->defs[w->x.scope].kind != CODE_PACKAGE;
    struct fact_bind bind = {.kind = in_type ? BIND_FIELD : BIND_LOCAL,
                             .flags = BIND_CONST,
                             .name = extract_str(&w->x, name),
                             .value = value};

    visit_bind(w, bind, name);
    if (!in_type)
        visit_def(w,
                  (struct fact_def){.kind = CODE_CONST,
                                    .flags = DEF_EXPORTED,
                                    .name = bind.name},
                  name, name, name);
}

uint32_t
php_const(struct visitor *w, TSNode node)
{
    TSNode name = visit_first(node);

    if (!ts_node_is_null(name))
        add_constant(w, name, visit(w, visit_second(node)));
    return 0;
}

uint32_t
php_enum_case(struct visitor *w, TSNode node)
{
    add_constant(w, visit_field(w, node, F_NAME),
                 visit(w, visit_field(w, node, F_VALUE)));
    return 0;
}

/* ---- functions ---- */

struct params {
    uint32_t index;
    uint32_t owner; /* type that promoted ones are fields of */
};

static void
add_param(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct params *params = ctx;
    uint16_t kind = visit_kind(w, child);
    TSNode name = visit_field(w, child, F_NAME);

    (void)field;
    if (kind != K_PARAM && kind != K_PROMOTED)
        return;
    struct fact_bind bind = {
        .kind = BIND_PARAM,
        .name = extract_str(&w->x, name),
        .type = visit(w, visit_field(w, child, F_TYPE)),
        .value = visit(w, visit_field(w, child, F_DEFAULT)),
        .index = params->index++,
    };

    visit_bind(w, bind, name);
    if (kind != K_PROMOTED)
        return;
    uint32_t before = w->x.scope;
    w->x.scope = params->owner;
    bind.kind = BIND_FIELD;
    bind.name = facts_str(w->x.facts, php_bare(visit_text(w, name)));
    bind.value = 0;
    visit_bind(w, bind, name);
    w->x.scope = before;
}

static bool
is_test(const struct visitor *w, const struct fact_def *def, str name)
{
    const struct facts *facts = w->x.facts;

    if (!(facts->flags & FACTS_TEST))
        return false;
    for (uint32_t i = 0; i < def->marks_len; i++)
        if (str_eq(visit_expr_text(w, facts->lists[def->marks_at + i]),
                   STR("Test")))
            return true;
    return str_starts(name, STR("test"));
}

static uint32_t
function_of(struct visitor *w, TSNode node, struct fact_def def)
{
    TSNode name = visit_field(w, node, F_NAME);
    TSNode body = visit_field(w, node, F_BODY);
    struct params params = {.owner = w->x.scope};

    def.name = extract_str(&w->x, name);
    add_modifiers(w, node, &def);
    if (def.flags & DEF_LAMBDA)
        def.flags &= ~DEF_EXPORTED;
    if (def.kind == CODE_METHOD) {
        str text = visit_text(w, name);
        def.flags |= str_eq(text, STR("__construct")) ? DEF_CTOR : 0;
        def.flags |= is_test(w, &def, text) ? DEF_TEST_CASE : 0;
        def.flags |= ts_node_is_null(body) ? DEF_ABSTRACT : 0;
    }
    def.type = visit(w, visit_field(w, node, F_RETURN_TYPE));
    uint32_t id = visit_def(w, def, node, name, body);
    uint32_t before = visit_enter(w, id);

    visit_each(w, visit_field(w, node, F_PARAMETERS), add_param, &params);
    uint32_t value = visit(w, body);
    if (value && id)
        visit_return(w, value, body); /* `fn($x) => value` */
    visit_leave(w, before);
    return id;
}

uint32_t
php_function(struct visitor *w, TSNode node)
{
    function_of(w, node, (struct fact_def){.kind = CODE_FUNCTION});
    return 0;
}

uint32_t
php_method(struct visitor *w, TSNode node)
{
    function_of(w, node, (struct fact_def){.kind = CODE_METHOD});
    return 0;
}

uint32_t
php_lambda(struct visitor *w, TSNode node)
{
    uint32_t def = function_of(
        w, node, (struct fact_def){.kind = CODE_FUNCTION, .flags = DEF_LAMBDA});

    return visit_wrap(w, EXPR_LAMBDA, def, node);
}
