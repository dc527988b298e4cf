/*
 * Definitions.  The grammar tells no base class from an interface: names like
 * `IFoo` are taken for interfaces and moved behind the others.
 */
#include "index/lang_csharp.h"

static const char *const tests[] = {
    "Fact",           "Theory",     "Test",           "TestCase",
    "TestCaseSource", "TestMethod", "DataTestMethod", NULL};

static const struct walk_word words[] = {
    {"public", DEF_EXPORTED},
    {"static", DEF_STATIC},
    {"abstract", DEF_ABSTRACT},
    {"partial", DEF_PARTIAL},
    {NULL, 0},
};

TSNode
csharp_last(TSNode node)
{
    uint32_t len = walk_len(node);

    return len ? ts_node_named_child(node, len - 1) : (TSNode){0};
}

/* ---- what stands before ---- */

static void
add_attribute(struct walk *w, TSNode node, void *marks)
{
    if (walk_kind(w, node) == CS_ATTRIBUTE)
        walk_mark(w, marks, walk_value(w, node), tests);
}

static void
add_modifier(struct walk *w, TSNode node, void *ctx)
{
    struct walk_marks *marks = ctx;

    if (walk_kind(w, node) == CS_ATTRIBUTE_LIST)
        walk_each(w, node, add_attribute, marks);
    else if (walk_kind(w, node) == CS_MODIFIER)
        walk_modifier(marks, extract_text(w->x, node), words);
}

void
csharp_modifiers(struct walk *w, TSNode node, struct walk_marks *marks)
{
    walk_each(w, node, add_modifier, marks);
}

static void
find_from(struct walk *w, TSNode node, void *from)
{
    uint16_t kind = walk_kind(w, node);

    if (kind == CS_ATTRIBUTE_LIST || kind == CS_MODIFIER)
        *(uint32_t *)from = ts_node_end_byte(node);
}

static uint32_t
define(struct walk *w, TSNode node, TSNode name, struct fact_def row)
{
    struct walk_marks marks = {0};
    TSNode body = walk_field(w, node, CS_F_BODY);
    uint32_t from = 0;

    csharp_modifiers(w, node, &marks);
    walk_each(w, node, find_from, &from);
    uint32_t def =
        walk_define(w, &(struct walk_place){node, name, body, from}, row);
    if (def == 0) {
        walk_drop(&marks.list);
        return 0;
    }
    walk_marks_end(w, def, &marks);
    return def;
}

/* ---- parameters ---- */

struct params {
    uint32_t def;
    uint32_t index;
    TSNode rest; /* type of `params T[] name` */
    bool are_fields;
};

static str_id
plain_name(struct walk *w, uint32_t type)
{
    const struct fact_expr *expr = walk_expr(w, type);

    if (expr->kind == EXPR_GENERIC)
        expr = walk_expr(w, expr->a);
    return expr->text;
}

/* In other builds there is none, and what it stands in for is called. */
static bool
is_conditional(struct walk *w, TSNode node)
{
    for (TSNode at = node; !ts_node_is_null(at); at = ts_node_parent(at)) {
        uint16_t kind = walk_kind(w, at);
        if (kind == CS_PREPROC_IF || kind == CS_PREPROC_ELIF ||
            kind == CS_PREPROC_ELSE)
            return true;
    }
    return false;
}

/* `this T x`, of an extension method. */
static void
bind_receiver(struct walk *w, TSNode name, uint32_t def, uint32_t type)
{
    walk_def(w, def)->receiver = plain_name(w, type);
    walk_def(w, def)->flags |= DEF_EXTENSION;
    walk_bind(w, name,
              (struct fact_bind){.kind = BIND_RECEIVER,
                                 .scope = def,
                                 .name = extract_str(w->x, name),
                                 .type = type});
}

static void
bind_param(struct walk *w, TSNode name, struct params *params,
           struct fact_bind bind)
{
    bind.kind = BIND_PARAM;
    bind.scope = params->def;
    bind.name = extract_str(w->x, name);
    bind.index = params->index++;
    if (bind.name == 0)
        return;
    walk_bind(w, name, bind);
    if (!params->are_fields)
        return;
    bind.kind = BIND_FIELD;
    bind.value = 0;
    walk_bind(w, name, bind);
}

static void
add_param(struct walk *w, TSNode node, void *ctx)
{
    struct params *params = ctx;
    uint16_t kind = walk_kind(w, node);
    TSNode name = walk_field(w, node, CS_F_NAME);

    if (kind == CS_ARRAY_TYPE) {
        params->rest = node;
    } else if (kind == CS_IDENTIFIER || kind == CS_IMPLICIT_PARAMETER) {
        bind_param(w, node, params,
                   (struct fact_bind){
                       .flags = ts_node_is_null(params->rest) ? 0 : BIND_REST,
                       .type = csharp_type(w, params->rest)});
    } else if (kind == CS_PARAMETER) {
        TSNode last = csharp_last(node);
        uint32_t type = csharp_type(w, walk_field(w, node, CS_F_TYPE));
        walk_pass(w, walk_child(w, node, CS_ATTRIBUTE_LIST));
        if (str_eq(extract_text(w->x, walk_child(w, node, CS_MODIFIER)),
                   STR("this")) &&
            !is_conditional(w, node)) {
            bind_receiver(w, name, params->def, type);
            return;
        }
        bool is_bare = ts_node_eq(last, name);
        uint32_t value = is_bare ? 0 : csharp_initial(w, last, type);
        bind_param(w, name, params,
                   (struct fact_bind){.flags = is_bare ? 0 : BIND_DEFAULT,
                                      .type = type,
                                      .value = value});
    }
}

/* ---- types ---- */

struct bases {
    struct extract_list list;
    uint32_t def;
    uint32_t interfaces;
    bool want_interfaces;
    bool are_all; /* of an interface, of a struct */
};

static bool
is_interface_name(str name)
{
    return name.len > 1 && name.ptr[0] == 'I' && name.ptr[1] >= 'A' &&
           name.ptr[1] <= 'Z';
}

static str
last_word(str type)
{
    size_t end = 0;

    while (end < type.len && type.ptr[end] != '<')
        end++;
    str last;
    (void)walk_split(str_cut(type, 0, end), &last);
    return last;
}

static void
call_base(struct walk *w, TSNode at, TSNode arguments, uint32_t def)
{
    struct extract_list list = {0};
    struct walk_frame frame = walk_enter(w, def);
    uint32_t super = walk_unary(w, at, EXPR_SUPER, 0);

    walk_each(w, arguments, walk_add_each, &list);
    walk_put_list(w, at, (struct fact_expr){.kind = EXPR_CALL, .a = super},
                  &list);
    walk_leave(w, frame);
}

static void
add_base(struct walk *w, TSNode node, void *ctx)
{
    struct bases *bases = ctx;
    bool is_call = walk_kind(w, node) == CS_PRIMARY_CONSTRUCTOR_BASE_TYPE;
    TSNode type = is_call ? walk_field(w, node, CS_F_TYPE) : node;
    bool is_interface = bases->are_all ||
                        is_interface_name(last_word(extract_text(w->x, type)));

    if (walk_kind(w, node) == CS_ARGUMENT_LIST) {
        if (!bases->want_interfaces)
            call_base(w, node, node, bases->def);
        return;
    }
    if (is_interface != bases->want_interfaces ||
        bases->list.len >= WALK_LIST_MAX)
        return;
    extract_list_add(w->x, &bases->list, csharp_type(w, type));
    bases->interfaces += is_interface;
    if (is_call)
        call_base(w, type, walk_child(w, node, CS_ARGUMENT_LIST), bases->def);
}

static void
read_bases(struct walk *w, TSNode node, uint32_t def)
{
    TSNode list = walk_child(w, node, CS_BASE_LIST);
    uint16_t kind = walk_kind(w, node);
    struct bases bases = {.def = def,
                          .are_all = kind == CS_INTERFACE_DECLARATION ||
                                     kind == CS_STRUCT_DECLARATION};

    if (kind == CS_ENUM_DECLARATION)
        return;
    walk_each(w, list, add_base, &bases);
    bases.want_interfaces = true;
    walk_each(w, list, add_base, &bases);
    walk_bases(w, def, &bases.list, bases.interfaces);
}

void
csharp_type_declaration(struct walk *w, TSNode node)
{
    uint16_t kind = walk_kind(w, node);
    struct fact_def row = {.kind = CODE_TYPE};

    if (kind == CS_INTERFACE_DECLARATION)
        row.kind = CODE_INTERFACE;
    if (kind == CS_ENUM_DECLARATION)
        row.flags = DEF_ENUM;
    if (!ts_node_is_null(walk_child(w, node, CS_TYPE_PARAMETER_LIST)))
        row.flags |= DEF_GENERIC;
    if (kind == CS_DELEGATE_DECLARATION)
        row.type = csharp_type(w, walk_field(w, node, CS_F_TYPE));
    uint32_t def = define(w, node, walk_field(w, node, CS_F_NAME), row);
    struct params params = {.def = def,
                            .are_fields = kind != CS_DELEGATE_DECLARATION};
    if (def == 0)
        return;
    read_bases(w, node, def);
    walk_each(w, walk_child(w, node, CS_PARAMETER_LIST), add_param, &params);
    walk_body(w, def, walk_field(w, node, CS_F_BODY));
}

/* ---- methods ---- */

static uint32_t
define_method(struct walk *w, TSNode node, uint32_t flags)
{
    TSNode body = walk_field(w, node, CS_F_BODY);
    TSNode name = walk_field(w, node, CS_F_NAME);
    TSNode returns = walk_field(w, node, CS_F_RETURNS);
    const struct fact_def *parent = walk_def(w, w->x->scope);
    bool is_local = walk_kind(w, node) == CS_LOCAL_FUNCTION_STATEMENT;
    struct fact_def row = {.kind = is_local ? CODE_FUNCTION : CODE_METHOD,
                           .flags = flags};

    /* What is written for an interface is called by that alone. */
    if (!ts_node_is_null(walk_child(w, node, CS_EXPLICIT_INTERFACE_SPECIFIER)))
        row.flags |= DEF_PRIVATE;
    if (parent->kind == CODE_INTERFACE)
        row.flags |= DEF_EXPORTED | (ts_node_is_null(body) ? DEF_ABSTRACT : 0);
    if (ts_node_is_null(returns))
        returns = walk_field(w, node, CS_F_TYPE);
    if (ts_node_is_null(name))
        name = walk_field(w, node, CS_F_OPERATOR);
    row.type = csharp_type(w, returns);
    struct params params = {.def = define(w, node, name, row)};
    if (params.def)
        walk_each(w, walk_field(w, node, CS_F_PARAMETERS), add_param, &params);
    return params.def;
}

void
csharp_method(struct walk *w, TSNode node)
{
    uint32_t def = define_method(w, node, 0);

    if (def)
        walk_body(w, def, walk_field(w, node, CS_F_BODY));
}

/* `: this(a)` and `: base(a)` are calls where that word stands. */
static void
call_other(struct walk *w, TSNode initializer, uint32_t def)
{
    struct walk_frame frame = walk_enter(w, def);
    bool is_base = walk_has(w, initializer, STR("base"));
    struct extract_list list = {0};
    TSNode word = ts_node_child(initializer, 1);
    uint32_t callee = walk_unary(w, word, is_base ? EXPR_SUPER : EXPR_SELF, 0);

    walk_each(w, walk_child(w, initializer, CS_ARGUMENT_LIST), walk_add_each,
              &list);
    walk_put_list(w, word, (struct fact_expr){.kind = EXPR_CALL, .a = callee},
                  &list);
    walk_leave(w, frame);
}

void
csharp_constructor(struct walk *w, TSNode node)
{
    TSNode initializer = walk_child(w, node, CS_CONSTRUCTOR_INITIALIZER);
    uint32_t def = define_method(w, node, DEF_CTOR);

    if (def == 0)
        return;
    if (!ts_node_is_null(initializer))
        call_other(w, initializer, def);
    walk_body(w, def, walk_field(w, node, CS_F_BODY));
}

uint32_t
csharp_lambda(struct walk *w, TSNode node)
{
    TSNode parameters = walk_field(w, node, CS_F_PARAMETERS);
    TSNode body = walk_field(w, node, CS_F_BODY);
    struct params params = {0};

    if (ts_node_is_null(body))
        body = walk_child(w, node, CS_BLOCK);
    params.def = walk_define(
        w, &(struct walk_place){.node = node, .body = body},
        (struct fact_def){.kind = CODE_FUNCTION, .flags = DEF_LAMBDA});
    if (params.def == 0)
        return 0;
    if (walk_kind(w, parameters) == CS_IMPLICIT_PARAMETER)
        add_param(w, parameters, &params);
    else
        walk_each(w, parameters, add_param, &params);
    if (walk_kind(w, body) == CS_BLOCK)
        walk_body(w, params.def, body);
    else
        walk_returned(w, params.def, body);
    return walk_unary(w, node, EXPR_LAMBDA, params.def);
}

/* ---- properties ---- */

struct property {
    TSNode name;
    uint32_t type;
};

static void
define_accessor(struct walk *w, TSNode node, TSNode body,
                const struct property *property)
{
    struct fact_def row = {
        .kind = CODE_METHOD, .flags = DEF_PROPERTY, .type = property->type};

    if (ts_node_is_null(property->name))
        row.name = facts_str(w->x->facts, STR("this[]"));
    uint32_t def = walk_define(
        w, &(struct walk_place){node, property->name, body, 0}, row);
    if (def)
        walk_body(w, def, body);
}

static void
add_accessor(struct walk *w, TSNode node, void *ctx)
{
    TSNode body = walk_field(w, node, CS_F_BODY);

    if (!ts_node_is_null(body))
        define_accessor(w, node, body, ctx);
}

static void
read_accessors(struct walk *w, TSNode node, struct property *property)
{
    TSNode value = walk_field(w, node, CS_F_VALUE);

    if (walk_kind(w, value) == CS_ARROW_EXPRESSION_CLAUSE)
        define_accessor(w, node, value, property);
    walk_each(w, walk_field(w, node, CS_F_ACCESSORS), add_accessor, property);
}

void
csharp_property(struct walk *w, TSNode node)
{
    TSNode value = walk_field(w, node, CS_F_VALUE);
    struct property property = {walk_field(w, node, CS_F_NAME), 0};
    struct walk_marks marks = {0};
    bool is_arrow = walk_kind(w, value) == CS_ARROW_EXPRESSION_CLAUSE;

    csharp_modifiers(w, node, &marks);
    walk_drop(&marks.list);
    property.type = csharp_type(w, walk_field(w, node, CS_F_TYPE));
    walk_bind(
        w, property.name,
        (struct fact_bind){
            .kind = BIND_FIELD,
            .scope = w->x->scope,
            .name = extract_str(w->x, property.name),
            .type = property.type,
            .value = is_arrow ? 0 : csharp_initial(w, value, property.type),
        });
    read_accessors(w, node, &property);
}

void
csharp_indexer(struct walk *w, TSNode node)
{
    struct property property = {
        .type = csharp_type(w, walk_field(w, node, CS_F_TYPE))};

    read_accessors(w, node, &property);
}
