/*
 * Definitions.  The members of a companion object are members of its class, for
 * that is how they are called.
 */
#include "index/lang_kotlin.h"

static const char *const tests[] = {"Test", "ParameterizedTest", "RepeatedTest",
                                    "TestFactory", NULL};

static const struct walk_word words[] = {
    {"abstract", DEF_ABSTRACT},
    {"enum", DEF_ENUM},
    {NULL, 0},
};

static struct kotlin *
kotlin_of(const struct walk *w)
{
    return w->language;
}

/* ---- what stands before ---- */

static void
add_modifier(struct walk *w, TSNode node, void *ctx)
{
    struct walk_marks *marks = ctx;
    str text = extract_text(w->x, node);

    if (walk_kind(w, node) == KT_ANNOTATION) {
        walk_mark(w, marks, kotlin_mark(w, node), tests);
        return;
    }
    walk_modifier(marks, text, words);
    if (str_eq(text, STR("annotation")))
        marks->is_annotation = true;
    if (walk_kind(w, node) == KT_VISIBILITY_MODIFIER &&
        !str_eq(text, STR("public")))
        marks->is_private = true;
}

void
kotlin_modifiers(struct walk *w, TSNode node, struct walk_marks *marks)
{
    kotlin_stray_marks(w, node, marks, tests);
    walk_each(w, walk_child(w, node, KT_MODIFIERS), add_modifier, marks);
    if (!marks->is_private &&
        (w->x->scope == 0 || walk_is_type(w, w->x->scope)))
        marks->flags |= DEF_EXPORTED;
}

uint32_t
kotlin_from(struct walk *w, TSNode node)
{
    TSNode modifiers = walk_child(w, node, KT_MODIFIERS);

    return ts_node_is_null(modifiers) ? 0 : ts_node_end_byte(modifiers);
}

/* ---- bases ---- */

struct bases {
    struct extract_list list;
    uint32_t def;
    uint32_t interfaces;
    bool want_calls; /* first those that are constructed, then the others */
};

static void
add_base(struct walk *w, TSNode node, void *ctx)
{
    struct bases *bases = ctx;
    TSNode call = walk_child(w, node, KT_CONSTRUCTOR_INVOCATION);
    TSNode by = walk_child(w, node, KT_EXPLICIT_DELEGATION);
    bool is_call = !ts_node_is_null(call);
    TSNode holder = is_call ? call : ts_node_is_null(by) ? node : by;
    struct extract_list list = {0};

    if (is_call != bases->want_calls || bases->list.len >= WALK_LIST_MAX)
        return;
    TSNode type = kotlin_type_child(w, holder);
    extract_list_add(w->x, &bases->list, kotlin_type(w, type));
    if (!is_call) {
        bases->interfaces++;
        walk_children(w, by);
        return;
    }
    struct walk_frame frame = walk_enter(w, bases->def);
    kotlin_arguments(w, walk_child(w, call, KT_VALUE_ARGUMENTS), &list);
    uint32_t super = walk_unary(w, type, EXPR_SUPER, 0);
    walk_put_list(w, type, (struct fact_expr){.kind = EXPR_CALL, .a = super},
                  &list);
    walk_leave(w, frame);
}

static void
read_bases(struct walk *w, TSNode node, uint32_t def)
{
    TSNode specifiers = walk_child(w, node, KT_DELEGATION_SPECIFIERS);
    struct bases bases = {.def = def, .want_calls = true};

    walk_each(w, specifiers, add_base, &bases);
    bases.want_calls = false;
    walk_each(w, specifiers, add_base, &bases);
    walk_bases(w, def, &bases.list, bases.interfaces);
}

/* ---- types ---- */

static TSNode
body_of(struct walk *w, TSNode node)
{
    TSNode body = walk_child(w, node, KT_CLASS_BODY);

    return ts_node_is_null(body) ? walk_child(w, node, KT_ENUM_CLASS_BODY)
                                 : body;
}

static void
pass_members(struct walk *w, uint32_t def, TSNode body)
{
    struct kotlin saved = *kotlin_of(w);

    kotlin_of(w)->is_companion = false;
    walk_body(w, def, body);
    *kotlin_of(w) = saved;
}

struct fields {
    uint32_t def;
    uint32_t index;
    bool is_annotation;
};

/* As of an element of Java's, what it stands for is said of it. */
static void
define_element(struct walk *w, TSNode node, uint32_t def,
               struct walk_marks *marks)
{
    uint32_t element = walk_define(
        w,
        &(struct walk_place){.node = node,
                             .name = walk_child(w, node, KT_IDENTIFIER)},
        (struct fact_def){.kind = CODE_METHOD, .flags = DEF_ABSTRACT});

    if (element == 0) {
        walk_drop(&marks->list);
        return;
    }
    w->x->facts->defs[element].parent = def;
    walk_marks_end(w, element, marks);
}

static void
add_class_parameter(struct walk *w, TSNode node, void *ctx)
{
    struct fields *fields = ctx;
    bool is_val = walk_has(w, node, STR("val"));
    bool is_field = is_val || walk_has(w, node, STR("var"));
    TSNode name = walk_child(w, node, KT_IDENTIFIER);
    TSNode type = kotlin_type_child(w, node);
    TSNode last = ts_node_named_child(node, walk_len(node) - 1);

    if (walk_kind(w, node) != KT_CLASS_PARAMETER)
        return;
    struct walk_marks marks = {0};
    kotlin_modifiers(w, node, &marks);
    if (fields->is_annotation && marks.list.len > 0)
        define_element(w, node, fields->def, &marks);
    else
        walk_drop(&marks.list);
    struct fact_bind bind = {
        .kind = BIND_PARAM,
        .scope = fields->def,
        .name = extract_str(w->x, name),
        .type = kotlin_type(w, type),
        .value = ts_node_eq(last, type) ? 0 : walk_value(w, last),
        .index = fields->index++,
    };
    walk_bind(w, name, bind);
    if (!is_field)
        return;
    bind.kind = BIND_FIELD;
    bind.flags = is_val ? BIND_CONST : 0;
    bind.value = 0;
    walk_bind(w, name, bind);
}

static uint32_t
define_type(struct walk *w, TSNode node, enum code_kind kind, uint32_t flags)
{
    struct walk_marks marks = {0};
    TSNode body = body_of(w, node);
    struct fields fields = {0};

    kotlin_modifiers(w, node, &marks);
    fields.def =
        walk_define(w,
                    &(struct walk_place){node, walk_field(w, node, KT_F_NAME),
                                         body, kotlin_from(w, node)},
                    (struct fact_def){.kind = (uint8_t)kind, .flags = flags});
    if (fields.def == 0) {
        walk_drop(&marks.list);
        return 0;
    }
    walk_marks_end(w, fields.def, &marks);
    read_bases(w, node, fields.def);
    fields.is_annotation = marks.is_annotation;
    TSNode constructor = walk_child(w, node, KT_PRIMARY_CONSTRUCTOR);
    walk_each(w, walk_child(w, constructor, KT_CLASS_PARAMETERS),
              add_class_parameter, &fields);
    pass_members(w, fields.def, body);
    return fields.def;
}

void
kotlin_class(struct walk *w, TSNode node)
{
    bool is_interface = walk_has(w, node, STR("interface"));

    define_type(w, node, is_interface ? CODE_INTERFACE : CODE_TYPE, 0);
}

void
kotlin_object_declaration(struct walk *w, TSNode node)
{
    define_type(w, node, CODE_TYPE, DEF_STATIC);
}

void
kotlin_companion(struct walk *w, TSNode node)
{
    struct kotlin saved = *kotlin_of(w);

    kotlin_of(w)->is_companion = true;
    walk_children(w, walk_child(w, node, KT_DELEGATION_SPECIFIERS));
    walk_pass(w, walk_child(w, node, KT_CLASS_BODY));
    *kotlin_of(w) = saved;
}

uint32_t
kotlin_object(struct walk *w, TSNode node)
{
    TSNode body = body_of(w, node);
    uint32_t def =
        walk_define(w, &(struct walk_place){.node = node, .body = body},
                    (struct fact_def){.kind = CODE_TYPE, .flags = DEF_LAMBDA});

    if (def == 0)
        return 0;
    read_bases(w, node, def);
    const struct fact_def *made = walk_def(w, def);
    uint32_t base = made->bases_len ? w->x->facts->lists[made->bases_at] : 0;
    pass_members(w, def, body);
    return walk_unary(w, node, EXPR_NEW, base);
}

void
kotlin_enum_entry(struct walk *w, TSNode node)
{
    TSNode name = walk_child(w, node, KT_IDENTIFIER);
    TSNode body = walk_child(w, node, KT_CLASS_BODY);
    struct extract_list list = {0};
    struct extract_list bases = {0};
    uint32_t type =
        walk_put(w, name,
                 (struct fact_expr){.kind = EXPR_NAME,
                                    .text = walk_def(w, w->x->scope)->name});

    kotlin_arguments(w, walk_child(w, node, KT_VALUE_ARGUMENTS), &list);
    uint32_t value = walk_put_list(
        w, name, (struct fact_expr){.kind = EXPR_NEW, .a = type}, &list);
    walk_bind(w, name,
              (struct fact_bind){.kind = BIND_FIELD,
                                 .flags = BIND_CONST,
                                 .scope = w->x->scope,
                                 .name = extract_str(w->x, name),
                                 .type = type,
                                 .value = value});
    if (ts_node_is_null(body))
        return;
    uint32_t def =
        walk_define(w, &(struct walk_place){.node = node, .body = body},
                    (struct fact_def){.kind = CODE_TYPE, .flags = DEF_LAMBDA});
    if (def == 0)
        return;
    extract_list_add(w->x, &bases, type);
    walk_bases(w, def, &bases, 0);
    pass_members(w, def, body);
}

/* ---- functions ---- */

struct params {
    uint32_t def;
    uint32_t index;
    uint32_t last; /* bind whose default may follow */
    bool is_vararg;
};

static void
add_param(struct walk *w, TSNode node, void *ctx)
{
    struct params *params = ctx;
    uint16_t kind = walk_kind(w, node);

    if (kind == KT_PARAMETER_MODIFIERS) {
        walk_children(w, node);
        params->is_vararg = walk_has(w, node, STR("vararg"));
    } else if (kind == KT_PARAMETER) {
        TSNode name = walk_child(w, node, KT_IDENTIFIER);
        uint32_t type = kotlin_type(w, kotlin_type_child(w, node));
        if (params->is_vararg && type)
            type = walk_wrapped(w, node, STR("[]"), type);
        walk_bind(w, name,
                  (struct fact_bind){.kind = BIND_PARAM,
                                     .scope = params->def,
                                     .flags = params->is_vararg ? BIND_REST : 0,
                                     .name = extract_str(w->x, name),
                                     .type = type,
                                     .index = params->index++});
        params->is_vararg = false;
        params->last = w->x->facts->bind_len - 1;
    } else if (params->last) {
        uint32_t value = walk_value(w, node);
        w->x->facts->binds[params->last].value = value;
        w->x->facts->binds[params->last].flags |= BIND_DEFAULT;
        params->last = 0;
    }
}

void
kotlin_parameters(struct walk *w, TSNode node, uint32_t def)
{
    struct params params = {.def = def};

    walk_each(w, walk_child(w, node, KT_FUNCTION_VALUE_PARAMETERS), add_param,
              &params);
}

void
kotlin_function_body(struct walk *w, TSNode body, uint32_t def)
{
    TSNode inner = walk_child(w, body, 0);

    if (walk_kind(w, inner) == KT_BLOCK)
        walk_body(w, def, inner);
    else
        walk_returned(w, def, inner);
}

struct types {
    TSNode receiver;
    TSNode result;
    bool past_parameters;
};

static void
find_types(struct walk *w, TSNode node, void *ctx)
{
    struct types *types = ctx;
    uint16_t kind = walk_kind(w, node);

    if (kind == KT_FUNCTION_VALUE_PARAMETERS)
        types->past_parameters = true;
    else if (kotlin_is_type(kind) && types->past_parameters)
        types->result = node;
    else if (kotlin_is_type(kind))
        types->receiver = node;
}

static str_id
receiver_name(struct walk *w, TSNode node)
{
    const struct fact_expr *type = walk_expr(w, kotlin_type(w, node));

    if (type->kind == EXPR_GENERIC)
        type = walk_expr(w, type->a);
    return type->text;
}

static uint32_t
define_function(struct walk *w, TSNode node, uint32_t flags)
{
    struct types types = {0};
    struct walk_marks marks = {0};
    TSNode body = walk_child(w, node, KT_FUNCTION_BODY);
    bool is_lambda = flags & DEF_LAMBDA;
    bool is_method = !is_lambda && walk_is_type(w, w->x->scope);
    struct fact_def row = {.flags = flags};

    if (!is_lambda)
        kotlin_modifiers(w, node, &marks);
    walk_each(w, node, find_types, &types);
    row.type = kotlin_type(w, types.result);
    row.receiver = receiver_name(w, types.receiver);
    if (row.receiver)
        row.flags |= DEF_EXTENSION;
    if (is_method && kotlin_of(w)->is_companion)
        row.flags |= DEF_STATIC;
    if (is_method && ts_node_is_null(body) &&
        walk_def(w, w->x->scope)->kind == CODE_INTERFACE)
        row.flags |= DEF_ABSTRACT;
    row.kind = is_method || row.receiver ? CODE_METHOD : CODE_FUNCTION;
    uint32_t def = walk_define(
        w,
        &(struct walk_place){node, walk_field(w, node, KT_F_NAME), body,
                             is_lambda ? 0 : kotlin_from(w, node)},
        row);
    if (def == 0) {
        walk_drop(&marks.list);
        return 0;
    }
    walk_marks_end(w, def, &marks);
    kotlin_parameters(w, node, def);
    if (!ts_node_is_null(body))
        kotlin_function_body(w, body, def);
    return def;
}

void
kotlin_function(struct walk *w, TSNode node)
{
    define_function(w, node, 0);
}

uint32_t
kotlin_anonymous(struct walk *w, TSNode node)
{
    uint32_t def = define_function(w, node, DEF_LAMBDA);

    return def ? walk_unary(w, node, EXPR_LAMBDA, def) : 0;
}

void
kotlin_constructor(struct walk *w, TSNode node)
{
    TSNode call = walk_child(w, node, KT_CONSTRUCTOR_DELEGATION_CALL);
    TSNode body = walk_child(w, node, KT_BLOCK);
    struct walk_marks marks = {0};
    struct extract_list list = {0};

    kotlin_modifiers(w, node, &marks);
    uint32_t def =
        walk_define(w, &(struct walk_place){.node = node, .body = body},
                    (struct fact_def){.kind = CODE_METHOD,
                                      .flags = DEF_CTOR,
                                      .name = walk_def(w, w->x->scope)->name});
    if (def == 0) {
        walk_drop(&marks.list);
        return;
    }
    walk_marks_end(w, def, &marks);
    kotlin_parameters(w, node, def);
    if (!ts_node_is_null(call)) {
        struct walk_frame frame = walk_enter(w, def);
        bool is_super = str_starts(extract_text(w->x, call), STR("super"));
        uint32_t callee =
            walk_unary(w, call, is_super ? EXPR_SUPER : EXPR_SELF, 0);
        kotlin_arguments(w, walk_child(w, call, KT_VALUE_ARGUMENTS), &list);
        walk_put_list(
            w, call, (struct fact_expr){.kind = EXPR_CALL, .a = callee}, &list);
        walk_leave(w, frame);
    }
    walk_body(w, def, body);
}
