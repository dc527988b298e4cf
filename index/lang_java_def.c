/*
 * Annotations are read where their definition stands, then its row is made,
 * then what it holds is walked.
 */
#include "index/lang_java.h"

static const char *const tests[] = {"Test",         "ParameterizedTest",
                                    "RepeatedTest", "TestFactory",
                                    "TestTemplate", NULL};

static const struct walk_word words[] = {
    {"public", DEF_EXPORTED},
    {"static", DEF_STATIC},
    {"abstract", DEF_ABSTRACT},
    {NULL, 0},
};

static void
read_modifiers(struct walk *w, TSNode node, struct walk_marks *marks)
{
    TSNode modifiers = walk_child(w, node, JAVA_MODIFIERS);

    if (ts_node_is_null(modifiers))
        return;
    TSTreeCursor cursor = ts_tree_cursor_new(modifiers);
    for (bool more = ts_tree_cursor_goto_first_child(&cursor); more;
         more = ts_tree_cursor_goto_next_sibling(&cursor)) {
        TSNode child = ts_tree_cursor_current_node(&cursor);
        uint16_t kind = walk_kind(w, child);

        if (kind == JAVA_ANNOTATION || kind == JAVA_MARKER_ANNOTATION)
            walk_mark(w, marks, walk_value(w, child), tests);
        else
            walk_modifier(marks, extract_text(w->x, child), words);
    }
    ts_tree_cursor_delete(&cursor);
}

/* Where the declaration begins that annotations stand before. */
static uint32_t
declared_from(struct walk *w, TSNode node)
{
    TSNode modifiers = walk_child(w, node, JAVA_MODIFIERS);

    return ts_node_is_null(modifiers) ? 0 : ts_node_end_byte(modifiers);
}

/* ---- types ---- */

/* Type parameters hide types of their name. */
static void
add_type_parameter(struct walk *w, TSNode node, void *index)
{
    TSNode name = walk_child(w, node, JAVA_TYPE_IDENTIFIER);
    TSNode bound = walk_child(w, node, JAVA_TYPE_BOUND);

    if (walk_kind(w, node) != JAVA_TYPE_PARAMETER || ts_node_is_null(name))
        return;
    walk_bind(w, name,
              (struct fact_bind){
                  .kind = BIND_TYPE,
                  .flags = BIND_CONST,
                  .scope = w->x->scope,
                  .name = extract_str(w->x, name),
                  .type = java_type(w, walk_child(w, bound, 0)),
                  .index = (*(uint32_t *)index)++,
              });
}

/* Those of |def|, which the walk has entered. */
static void
read_type_parameters(struct walk *w, TSNode node)
{
    uint32_t index = 0;

    walk_each(w, walk_child(w, node, JAVA_TYPE_PARAMETERS), add_type_parameter,
              &index);
}

struct bases {
    struct extract_list list;
    uint32_t interfaces;
};

static void
add_interface(struct walk *w, TSNode node, void *ctx)
{
    struct bases *bases = ctx;

    if (walk_kind(w, node) == JAVA_TYPE_LIST) {
        walk_each(w, node, add_interface, ctx);
    } else if (bases->list.len < WALK_LIST_MAX) {
        extract_list_add(w->x, &bases->list, java_type(w, node));
        bases->interfaces++;
    }
}

static void
read_bases(struct walk *w, TSNode node, uint32_t def)
{
    TSNode superclass = walk_field(w, node, JAVA_F_SUPERCLASS);
    struct bases bases = {0};

    if (!ts_node_is_null(superclass))
        extract_list_add(w->x, &bases.list,
                         java_type(w, walk_child(w, superclass, 0)));
    walk_each(w, walk_field(w, node, JAVA_F_INTERFACES), add_interface, &bases);
    walk_each(w, walk_child(w, node, JAVA_EXTENDS_INTERFACES), add_interface,
              &bases);
    walk_bases(w, def, &bases.list, bases.interfaces);
}

static uint32_t
define_type(struct walk *w, TSNode node, enum code_kind kind, uint32_t flags)
{
    struct walk_marks marks = {0};
    TSNode body = walk_field(w, node, JAVA_F_BODY);
    uint32_t def;

    read_modifiers(w, node, &marks);
    def =
        walk_define(w,
                    &(struct walk_place){node, walk_field(w, node, JAVA_F_NAME),
                                         body, declared_from(w, node)},
                    (struct fact_def){.kind = (uint8_t)kind, .flags = flags});
    if (def == 0) {
        walk_drop(&marks.list);
        return 0;
    }
    walk_marks_end(w, def, &marks);
    struct walk_frame frame = walk_enter(w, def);
    read_type_parameters(w, node);
    walk_leave(w, frame);
    read_bases(w, node, def);
    return def;
}

void
java_type_declaration(struct walk *w, TSNode node)
{
    bool is_class = walk_kind(w, node) == JAVA_CLASS_DECLARATION;
    uint32_t def =
        define_type(w, node, is_class ? CODE_TYPE : CODE_INTERFACE, 0);

    if (def)
        walk_body(w, def, walk_field(w, node, JAVA_F_BODY));
}

void
java_enum(struct walk *w, TSNode node)
{
    uint32_t def = define_type(w, node, CODE_TYPE, DEF_ENUM);

    if (def)
        walk_body(w, def, walk_field(w, node, JAVA_F_BODY));
}

/* What `new T() { ... }` makes: a type without a name. */
static void
anonymous(struct walk *w, TSNode node, TSNode body, uint32_t base)
{
    struct extract_list bases = {0};
    uint32_t def =
        walk_define(w, &(struct walk_place){.node = node, .body = body},
                    (struct fact_def){.kind = CODE_TYPE, .flags = DEF_LAMBDA});

    if (def == 0)
        return;
    extract_list_add(w->x, &bases, base);
    walk_bases(w, def, &bases, 0);
    walk_body(w, def, body);
}

/* `RED("x") { ... }` is a constant of its enum, made by its constructor. */
void
java_enum_constant(struct walk *w, TSNode node)
{
    TSNode name = walk_field(w, node, JAVA_F_NAME);
    TSNode body = walk_field(w, node, JAVA_F_BODY);
    struct extract_list list = {0};
    uint32_t type =
        walk_put(w, name,
                 (struct fact_expr){.kind = EXPR_NAME,
                                    .text = walk_def(w, w->x->scope)->name});

    walk_each(w, walk_field(w, node, JAVA_F_ARGUMENTS), walk_add_each, &list);
    uint32_t value = walk_put_list(
        w, name, (struct fact_expr){.kind = EXPR_NEW, .a = type}, &list);
    walk_bind(w, name,
              (struct fact_bind){.kind = BIND_FIELD,
                                 .flags = BIND_CONST,
                                 .scope = w->x->scope,
                                 .name = extract_str(w->x, name),
                                 .type = type,
                                 .value = value});
    if (!ts_node_is_null(body))
        anonymous(w, node, body, type);
}

/* ---- methods ---- */

struct params {
    uint32_t def;
    uint32_t index;
    bool are_fields; /* of a record */
};

static void
add_param(struct walk *w, TSNode node, void *ctx)
{
    struct params *params = ctx;
    bool is_spread = walk_kind(w, node) == JAVA_SPREAD_PARAMETER;
    TSNode declarator = walk_child(w, node, JAVA_VARIABLE_DECLARATOR);
    TSNode name =
        walk_kind(w, node) == JAVA_IDENTIFIER
            ? node
            : walk_field(w, is_spread ? declarator : node, JAVA_F_NAME);
    struct fact_bind bind = {.kind = BIND_PARAM, .scope = params->def};

    if (ts_node_is_null(name))
        return;
    walk_pass(w, walk_child(w, node, JAVA_MODIFIERS));
    if (is_spread) {
        TSNode type = ts_node_prev_named_sibling(declarator);
        bind.type = walk_wrapped(w, type, STR("[]"), java_type(w, type));
        bind.flags = BIND_REST;
    } else {
        bind.type = java_declared(w, walk_field(w, node, JAVA_F_TYPE));
    }
    bind.name = extract_str(w->x, name);
    bind.index = params->index++;
    walk_bind(w, name, bind);
    if (!params->are_fields)
        return;
    bind.kind = BIND_FIELD;
    bind.flags = BIND_CONST;
    walk_bind(w, name, bind);
}

static void
read_params(struct walk *w, TSNode node, uint32_t def, bool are_fields)
{
    struct params params = {.def = def, .are_fields = are_fields};

    walk_each(w, walk_field(w, node, JAVA_F_PARAMETERS), add_param, &params);
}

void
java_record(struct walk *w, TSNode node)
{
    uint32_t def = define_type(w, node, CODE_TYPE, 0);

    if (def == 0)
        return;
    read_params(w, node, def, true);
    walk_body(w, def, walk_field(w, node, JAVA_F_BODY));
}

static uint32_t
define_method(struct walk *w, TSNode node, uint32_t flags)
{
    struct walk_marks marks = {0};
    TSNode body = walk_field(w, node, JAVA_F_BODY);
    bool is_of_interface = walk_def(w, w->x->scope)->kind == CODE_INTERFACE;

    read_modifiers(w, node, &marks);
    is_of_interface = is_of_interface && !marks.is_private;
    flags |= marks.is_private ? DEF_PRIVATE : 0;
    if (is_of_interface)
        flags |= DEF_EXPORTED | (ts_node_is_null(body) ? DEF_ABSTRACT : 0);
    uint32_t def = walk_define(
        w,
        &(struct walk_place){node, walk_field(w, node, JAVA_F_NAME), body,
                             declared_from(w, node)},
        (struct fact_def){.kind = w->x->scope ? CODE_METHOD : CODE_FUNCTION,
                          .flags = flags});
    if (def == 0) {
        walk_drop(&marks.list);
        return 0;
    }
    walk_marks_end(w, def, &marks);
    struct walk_frame frame = walk_enter(w, def);
    read_type_parameters(w, node);
    uint32_t type = java_type(w, walk_field(w, node, JAVA_F_TYPE));
    walk_def(w, def)->type = type;
    read_params(w, node, def, false);
    walk_leave(w, frame);
    walk_body(w, def, body);
    return def;
}

/* What an element of an annotation is without, `int n() default 1`, it
 * returns. */
void
java_method(struct walk *w, TSNode node)
{
    TSNode value = walk_field(w, node, JAVA_F_VALUE);
    uint32_t def = define_method(w, node, 0);

    if (def != 0 && !ts_node_is_null(value))
        walk_returned(w, def, value);
}

void
java_constructor(struct walk *w, TSNode node)
{
    (void)define_method(w, node, DEF_CTOR);
}

uint32_t
java_lambda(struct walk *w, TSNode node)
{
    TSNode body = walk_field(w, node, JAVA_F_BODY);
    TSNode parameters = walk_field(w, node, JAVA_F_PARAMETERS);
    struct params params = {0};
    uint32_t def = walk_define(
        w, &(struct walk_place){.node = node, .body = body},
        (struct fact_def){.kind = CODE_FUNCTION, .flags = DEF_LAMBDA});

    if (def == 0)
        return 0;
    params.def = def;
    if (walk_kind(w, parameters) == JAVA_IDENTIFIER)
        add_param(w, parameters, &params);
    else
        walk_each(w, parameters, add_param, &params);
    if (walk_kind(w, body) == JAVA_BLOCK)
        walk_body(w, def, body);
    else
        walk_returned(w, def, body);
    return walk_unary(w, node, EXPR_LAMBDA, def);
}

/* ---- fields and local names ---- */

struct declared {
    struct fact_bind bind;
};

static void
add_declarator(struct walk *w, TSNode node, void *ctx)
{
    struct fact_bind bind = ((const struct declared *)ctx)->bind;
    TSNode name = walk_field(w, node, JAVA_F_NAME);

    if (walk_kind(w, node) != JAVA_VARIABLE_DECLARATOR)
        return;
    bind.value = walk_value(w, walk_field(w, node, JAVA_F_VALUE));
    bind.name = extract_str(w->x, name);
    walk_hint(w, bind.value, name);
    if (bind.name)
        walk_bind(w, name, bind);
}

static void
declare(struct walk *w, TSNode node, enum bind_kind kind)
{
    bool is_const = walk_kind(w, node) == JAVA_CONSTANT_DECLARATION;
    struct walk_marks marks = {0};
    struct declared declared = {
        .bind = {.kind = (uint8_t)kind, .scope = w->x->scope}};

    read_modifiers(w, node, &marks);
    walk_drop(&marks.list);
    if (is_const || marks.is_const)
        declared.bind.flags = BIND_CONST;
    declared.bind.type = java_declared(w, walk_field(w, node, JAVA_F_TYPE));
    walk_each(w, node, add_declarator, &declared);
}

void
java_field(struct walk *w, TSNode node)
{
    declare(w, node, BIND_FIELD);
}

void
java_local(struct walk *w, TSNode node)
{
    declare(w, node, BIND_LOCAL);
}

uint32_t
java_new(struct walk *w, TSNode node)
{
    TSNode type_node = walk_field(w, node, JAVA_F_TYPE);
    TSNode body = walk_child(w, node, JAVA_CLASS_BODY);
    struct extract_list list = {0};
    TSNode first = walk_child(w, node, 0);
    TSNode at = type_node;

    if (!ts_node_eq(first, type_node))
        walk_pass(w, first);
    uint32_t type = java_type(w, type_node);
    if (walk_kind(w, at) == JAVA_GENERIC_TYPE)
        at = walk_child(w, at, 0);
    if (walk_kind(w, at) == JAVA_SCOPED_TYPE_IDENTIFIER)
        at = ts_node_named_child(at, walk_len(at) - 1);
    walk_each(w, walk_field(w, node, JAVA_F_ARGUMENTS), walk_add_each, &list);
    uint32_t made = walk_put_list(
        w, at, (struct fact_expr){.kind = EXPR_NEW, .a = type}, &list);
    if (!ts_node_is_null(body))
        anonymous(w, node, body, type);
    return made;
}
