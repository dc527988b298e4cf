/*
 * PHP: namespaces, imports, classes, functions, fields.
 */
#include "index/lang_php.h"

/* The first namespace is the file's; one after it is a def of its own. */
uint32_t
php_namespace(struct walker *w, TSNode node)
{
    TSNode name = walk_field(w, node, F_NAME);
    TSNode body = walk_field(w, node, F_BODY);
    str_id text = extract_str(&w->x, name);
    uint32_t before = 0;

    if (!w->x.facts->package && w->x.facts->def_len == 1) {
        w->x.facts->package = text;
    } else {
        w->x.scope = 0;
        before = walk_enter(
            w,
            walk_def(w, (struct fact_def){.kind = CODE_PACKAGE, .name = text},
                     node, name, body));
    }
    walk(w, body);
    if (!ts_node_is_null(body))
        walk_leave(w, before);
    return 0;
}

/* One clause: `Foo\Bar as B`, below |prefix| in a group. */
static void
add_import(struct walker *w, TSNode clause, str prefix)
{
    TSNode alias = walk_field(w, clause, F_ALIAS);
    str path = walk_text(w, walk_first(clause));
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
use_one(struct walker *w, TSNode child, TSFieldId field, void *ctx)
{
    uint16_t kind = walk_kind(w, child);
    str *prefix = ctx;

    (void)field;
    if (kind == K_NAMESPACE_NAME)
        *prefix = walk_text(w, child);
    else if (kind == K_USE_CLAUSE)
        add_import(w, child, *prefix);
    else if (kind == K_USE_GROUP)
        walk_each(w, child, use_one, ctx);
}

uint32_t
php_use(struct walker *w, TSNode node)
{
    str prefix = {"", 0};

    walk_each(w, node, use_one, &prefix);
    return 0;
}

/* ---- marks and modifiers ---- */

struct modifiers {
    uint32_t flags;
    bool is_hidden;
    struct extract_list marks;
};

static void
add_modifier(struct walker *w, TSNode child, TSFieldId field, void *ctx)
{
    struct modifiers *modifiers = ctx;

    (void)field;
    switch (walk_kind(w, child)) {
    case K_ATTRIBUTE_LIST:
        walk_each(w, child, add_modifier, ctx);
        return;
    case K_ATTRIBUTE:
        walk_list_add(w, &modifiers->marks, walk(w, child));
        return;
    case K_STATIC:
        modifiers->flags |= DEF_STATIC;
        return;
    case K_ABSTRACT:
        modifiers->flags |= DEF_ABSTRACT;
        return;
    case K_VISIBILITY:
        modifiers->is_hidden = !str_starts(walk_text(w, child), STR("public"));
        return;
    default:
        return;
    }
}

static void
add_modifiers(struct walker *w, TSNode node, struct fact_def *def)
{
    struct modifiers modifiers = {0};

    walk_each(w, node, add_modifier, &modifiers);
    def->flags |= modifiers.flags | (modifiers.is_hidden ? 0 : DEF_EXPORTED);
    def->marks_at = extract_list_end(&w->x, &modifiers.marks, &def->marks_len);
}

/* ---- types ---- */

struct bases {
    struct extract_list *list;
    uint16_t wanted;
};

static void
add_base(struct walker *w, TSNode child, TSFieldId field, void *ctx)
{
    uint16_t kind = walk_kind(w, child);

    (void)field;
    if (kind == K_NAME || kind == K_QUALIFIED || kind == K_RELATIVE_NAME)
        walk_list_add(w, ctx, walk(w, child));
}

static void
add_bases(struct walker *w, TSNode child, TSFieldId field, void *ctx)
{
    const struct bases *bases = ctx;

    (void)field;
    if (walk_kind(w, child) == bases->wanted)
        walk_each(w, child, add_base, bases->list);
}

/* What it extends, then its traits, then its interfaces. */
static void
gather_bases(struct walker *w, TSNode node, TSNode body, struct fact_def *def)
{
    struct extract_list list = {0};
    struct bases bases = {&list, K_BASES};

    walk_each(w, node, add_bases, &bases);
    bases.wanted = K_USE_TRAIT;
    walk_each(w, body, add_bases, &bases);
    uint32_t others = list.len;
    bases.wanted = K_INTERFACES;
    walk_each(w, node, add_bases, &bases);
    def->interfaces =
        def->kind == CODE_INTERFACE ? list.len : list.len - others;
    def->bases_at = extract_list_end(&w->x, &list, &def->bases_len);
}

static void
member_one(struct walker *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)field;
    (void)ctx;
    if (walk_kind(w, child) != K_USE_TRAIT)
        walk(w, child);
}

static uint32_t
type_of(struct walker *w, TSNode node, struct fact_def def)
{
    TSNode name = walk_field(w, node, F_NAME);
    TSNode body = walk_field(w, node, F_BODY);

    def.name = extract_str(&w->x, name);
    add_modifiers(w, node, &def);
    gather_bases(w, node, body, &def);
    uint32_t id = walk_def(w, def, node, name, body);
    uint32_t before = walk_enter(w, id);

    walk_each(w, body, member_one, NULL);
    walk_leave(w, before);
    return id;
}

uint32_t
php_class(struct walker *w, TSNode node)
{
    type_of(w, node, (struct fact_def){.kind = CODE_TYPE});
    return 0;
}

uint32_t
php_interface(struct walker *w, TSNode node)
{
    type_of(w, node, (struct fact_def){.kind = CODE_INTERFACE});
    return 0;
}

uint32_t
php_trait(struct walker *w, TSNode node)
{
    type_of(w, node, (struct fact_def){.kind = CODE_TYPE, .flags = DEF_TRAIT});
    return 0;
}

uint32_t
php_enum(struct walker *w, TSNode node)
{
    type_of(w, node, (struct fact_def){.kind = CODE_TYPE, .flags = DEF_ENUM});
    return 0;
}

static void
arguments_one(struct walker *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)field;
    (void)ctx;
    if (walk_kind(w, child) == K_ARGUMENTS)
        walk(w, child);
}

/* It is what it extends, as far as anybody can say from outside. */
uint32_t
php_anonymous_class(struct walker *w, TSNode node)
{
    walk_each(w, node, arguments_one, NULL);
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
property_one(struct walker *w, TSNode child, TSFieldId field, void *ctx)
{
    TSNode name = walk_field(w, child, F_NAME);
    const struct field *of = ctx;

    (void)field;
    if (walk_kind(w, child) != K_PROPERTY_ELEMENT)
        return;
    uint32_t value = walk(w, walk_field(w, child, F_DEFAULT));

    walk_bind(w,
              (struct fact_bind){
                  .kind = BIND_FIELD,
                  .name = facts_str(w->x.facts, php_bare(walk_text(w, name))),
                  .type = of->type,
                  .value = value},
              name);
}

uint32_t
php_property(struct walker *w, TSNode node)
{
    struct field field = {walk(w, walk_field(w, node, F_TYPE))};

    walk_each(w, node, property_one, &field);
    return 0;
}

static void
add_constant(struct walker *w, TSNode name, uint32_t value)
{
    bool in_type =
        walk_in_type(w) && w->x.facts->defs[w->x.scope].kind != CODE_PACKAGE;
    struct fact_bind bind = {.kind = in_type ? BIND_FIELD : BIND_LOCAL,
                             .flags = BIND_CONST,
                             .name = extract_str(&w->x, name),
                             .value = value};

    walk_bind(w, bind, name);
    if (!in_type)
        walk_def(w,
                 (struct fact_def){.kind = CODE_CONST,
                                   .flags = DEF_EXPORTED,
                                   .name = bind.name},
                 name, name, name);
}

uint32_t
php_const(struct walker *w, TSNode node)
{
    TSNode name = walk_first(node);

    if (!ts_node_is_null(name))
        add_constant(w, name, walk(w, ts_node_next_named_sibling(name)));
    return 0;
}

uint32_t
php_enum_case(struct walker *w, TSNode node)
{
    add_constant(w, walk_field(w, node, F_NAME),
                 walk(w, walk_field(w, node, F_VALUE)));
    return 0;
}

/* ---- functions ---- */

struct params {
    uint32_t index;
    uint32_t owner; /* type that promoted ones are fields of */
};

static void
add_param(struct walker *w, TSNode child, TSFieldId field, void *ctx)
{
    struct params *params = ctx;
    uint16_t kind = walk_kind(w, child);
    TSNode name = walk_field(w, child, F_NAME);

    (void)field;
    if (kind != K_PARAM && kind != K_PROMOTED)
        return;
    struct fact_bind bind = {
        .kind = BIND_PARAM,
        .name = extract_str(&w->x, name),
        .type = walk(w, walk_field(w, child, F_TYPE)),
        .value = walk(w, walk_field(w, child, F_DEFAULT)),
        .index = params->index++,
    };

    walk_bind(w, bind, name);
    if (kind != K_PROMOTED)
        return;
    uint32_t before = w->x.scope;
    w->x.scope = params->owner;
    bind.kind = BIND_FIELD;
    bind.name = facts_str(w->x.facts, php_bare(walk_text(w, name)));
    bind.value = 0;
    walk_bind(w, bind, name);
    w->x.scope = before;
}

static bool
is_test(const struct walker *w, const struct fact_def *def, str name)
{
    const struct facts *facts = w->x.facts;

    if (!(facts->flags & FACTS_TEST))
        return false;
    for (uint32_t i = 0; i < def->marks_len; i++)
        if (str_eq(walk_expr_text(w, facts->lists[def->marks_at + i]),
                   STR("Test")))
            return true;
    return str_starts(name, STR("test"));
}

static uint32_t
function_of(struct walker *w, TSNode node, struct fact_def def)
{
    TSNode name = walk_field(w, node, F_NAME);
    TSNode body = walk_field(w, node, F_BODY);
    struct params params = {.owner = w->x.scope};

    def.name = extract_str(&w->x, name);
    add_modifiers(w, node, &def);
    if (def.flags & DEF_LAMBDA)
        def.flags &= ~DEF_EXPORTED;
    if (def.kind == CODE_METHOD) {
        str text = walk_text(w, name);
        def.flags |= str_eq(text, STR("__construct")) ? DEF_CTOR : 0;
        def.flags |= is_test(w, &def, text) ? DEF_TEST_CASE : 0;
        def.flags |= ts_node_is_null(body) ? DEF_ABSTRACT : 0;
    }
    def.type = walk(w, walk_field(w, node, F_RETURN_TYPE));
    uint32_t id = walk_def(w, def, node, name, body);
    uint32_t before = walk_enter(w, id);

    walk_each(w, walk_field(w, node, F_PARAMETERS), add_param, &params);
    uint32_t value = walk(w, body);
    if (value && id)
        walk_return(w, value, body); /* `fn($x) => value` */
    walk_leave(w, before);
    return id;
}

uint32_t
php_function(struct walker *w, TSNode node)
{
    function_of(w, node, (struct fact_def){.kind = CODE_FUNCTION});
    return 0;
}

uint32_t
php_method(struct walker *w, TSNode node)
{
    function_of(w, node, (struct fact_def){.kind = CODE_METHOD});
    return 0;
}

uint32_t
php_lambda(struct walker *w, TSNode node)
{
    uint32_t def = function_of(
        w, node, (struct fact_def){.kind = CODE_FUNCTION, .flags = DEF_LAMBDA});

    return walk_wrap(w, EXPR_LAMBDA, def, node);
}
