/*
 * Classes, interfaces, aliases, enums, namespaces.  A property whose type is a
 * function is called like a method, so it is one, and a field too.
 */
#include "index/lang_javascript.h"

uint32_t
js_decorator(struct js *js, TSNode node)
{
    return js_value(js, js_first(node));
}

/* The decorators that are children of |node|, for the definition it is. */
static void
own_marks(struct js *js, TSNode node)
{
    struct extract_children it = extract_children(node);
    struct extract_list list = {0};
    struct js_marks marks = {0};

    while (extract_next(&it)) {
        uint16_t kind = js_kind(js, it.node);
        if (kind != JS_DECORATOR) {
            extract_children_end(&it);
            break;
        }
        if (!marks.line)
            marks.line = extract_line(it.node);
        extract_list_add(js->x, &list, js_value(js, it.node));
    }
    marks.at = extract_list_end(js->x, &list, &marks.len);
    if (marks.line)
        js->marks = marks;
}

/* ---- bases ---- */

static void
extends(struct js *js, TSNode clause, struct extract_list *bases)
{
    struct extract_children it = extract_children(clause);

    while (extract_next(&it)) {
        bool is_arguments = extract_is_field(js->x, &it, JS_F_TYPE_ARGUMENTS);
        if (is_arguments && bases->len > 0)
            bases->items[bases->len - 1] = js_type_arguments(
                js, it.node, bases->items[bases->len - 1], it.node);
        else if (!is_arguments)
            extract_list_add(js->x, bases, js_value(js, it.node));
    }
}

static void
heritage(struct js *js, TSNode node, struct extract_list *bases,
         uint32_t *interfaces)
{
    struct extract_children it = extract_children(node);

    while (extract_next(&it)) {
        uint32_t before = bases->len;

        switch (js_kind(js, it.node)) {
        case JS_EXTENDS:
        case JS_EXTENDS_TYPE:
            extends(js, it.node, bases);
            break;
        case JS_IMPLEMENTS:
            extends(js, it.node, bases);
            *interfaces += bases->len - before;
            break;
        default:
            extract_list_add(js->x, bases, js_value(js, it.node));
        }
    }
}

static void
keep_bases(struct js *js, uint32_t id, struct extract_list *bases,
           uint32_t interfaces)
{
    uint32_t len;
    uint32_t at = extract_list_end(js->x, bases, &len);
    struct fact_def *def = &js->x->facts->defs[id];

    if (!id)
        return;
    def->bases_at = at;
    def->bases_len = len;
    def->interfaces = len ? interfaces : 0;
}

/* ---- members of classes ---- */

static void
bind_field(struct js *js, TSNode name, struct fact_bind bind)
{
    bind.kind = BIND_FIELD;
    bind.scope = js->x->scope;
    bind.name = js_key(js, name);
    bind.line = extract_line(name);
    facts_bind(js->x->facts, &bind);
}

static void
class_field(struct js *js, TSNode node)
{
    TSNode name = js_field(js, node, JS_F_NAME);
    struct fact_bind bind = {0};
    struct js_hint hint = {.outer = node, .kind = CODE_METHOD};

    if (ts_node_is_null(name))
        name = js_field(js, node, JS_F_PROPERTY);
    hint.name = name;
    if (js_kind(js, name) == JS_COMPUTED)
        js_visit_computed(js, name);
    if (js_has_word(js, node, STR("static")))
        hint.flags = DEF_STATIC;
    else
        bind.flags = BIND_OBJECT;
    if (js_has_word(js, node, STR("readonly")))
        bind.flags |= BIND_CONST;
    own_marks(js, node);
    bind.type = js_value(js, js_field(js, node, JS_F_TYPE));
    bind.value = js_bound_value(js, js_field(js, node, JS_F_VALUE), hint);
    js->marks = (struct js_marks){0};
    bind_field(js, name, bind);
}

static void
class_member(struct js *js, TSNode node)
{
    switch (js_kind(js, node)) {
    case JS_METHOD:
        own_marks(js, node);
        js_method(js, node, 0);
        break;
    case JS_METHOD_SIGNATURE:
        js_method(js, node, DEF_ABSTRACT);
        break;
    case JS_FIELD:
        class_field(js, node);
        break;
    default:
        js_visit(js, node);
    }
    js->marks = (struct js_marks){0};
}

/* TypeScript's decorators of methods stand beside them. */
static void
class_body(struct js *js, TSNode body)
{
    struct extract_children it = extract_children(body);
    struct extract_list list = {0};
    struct js_marks marks = {0};

    while (extract_next(&it)) {
        if (js_kind(js, it.node) == JS_DECORATOR) {
            if (!marks.line)
                marks.line = extract_line(it.node);
            extract_list_add(js->x, &list, js_value(js, it.node));
            continue;
        }
        marks.at = extract_list_end(js->x, &list, &marks.len);
        js->marks = marks;
        marks = (struct js_marks){0};
        class_member(js, it.node);
    }
    extract_list_end(js->x, &list, &marks.len);
}

uint32_t
js_class(struct js *js, TSNode node)
{
    struct extract *x = js->x;
    struct extract_list bases = {0};
    uint32_t outer = x->scope;
    uint32_t interfaces = 0;
    TSNode own = js_field(js, node, JS_F_NAME);
    TSNode name = ts_node_is_null(js->hint.name) ? own : js->hint.name;
    struct fact_def def = {
        .kind = CODE_TYPE,
        .flags = js_has_word(js, node, STR("abstract")) ? DEF_ABSTRACT : 0,
    };
    struct js_hint hint = js_take_hint(js);

    own_marks(js, node);
    js->hint = hint;
    uint32_t id = js_add_def(js, node, name, def);

    x->scope = id;
    js_type_parameters(js, js_field(js, node, JS_F_TYPE_PARAMETERS));
    struct extract_children it = extract_children(node);

    while (extract_next(&it))
        if (js_kind(js, it.node) == JS_HERITAGE)
            heritage(js, it.node, &bases, &interfaces);
    keep_bases(js, id, &bases, interfaces);
    class_body(js, js_field(js, node, JS_F_BODY));
    x->scope = outer;
    return js_add(js, node, (struct fact_expr){.kind = EXPR_LAMBDA, .a = id});
}

/* ---- interfaces and object types ---- */

static TSNode
function_type_of(const struct js *js, TSNode annotation)
{
    TSNode type = annotation;

    while (js_kind(js, type) == JS_ANNOTATION)
        type = js_first(type);
    return js_kind(js, type) == JS_FUNCTION_TYPE ? type : (TSNode){.id = NULL};
}

static void
property(struct js *js, TSNode node)
{
    struct extract *x = js->x;
    TSNode name = js_field(js, node, JS_F_NAME);
    TSNode annotation = js_field(js, node, JS_F_TYPE);
    TSNode function = function_type_of(js, annotation);
    uint32_t outer = x->scope;
    struct fact_bind bind = {
        .flags = js_has_word(js, node, STR("readonly")) ? BIND_CONST : 0,
        .type = js_value(js, annotation),
    };

    bind_field(js, name, bind);
    if (ts_node_is_null(function))
        return;
    uint32_t id = js_add_def(
        js, node, name,
        (struct fact_def){.kind = CODE_METHOD, .flags = DEF_ABSTRACT});

    x->scope = id;
    js_signature(js, function, id);
    x->scope = outer;
}

/* What calling a value of the type |id| returns is told by its own type. */
static void
set_called(struct js *js, TSNode signature, uint32_t id)
{
    uint32_t type = js_function_type(js, signature);

    if (id && !js->x->facts->defs[id].type)
        js->x->facts->defs[id].type = type;
}

static void
members(struct js *js, TSNode body, uint32_t id)
{
    struct extract_children it = extract_children(body);

    while (extract_next(&it)) {
        switch (js_kind(js, it.node)) {
        case JS_METHOD_SIGNATURE:
            js_method(js, it.node, DEF_ABSTRACT);
            break;
        case JS_PROPERTY_SIGNATURE:
            property(js, it.node);
            break;
        case JS_CALL_SIGNATURE:
            set_called(js, it.node, id);
            break;
        default:
            break;
        }
    }
}

uint32_t
js_interface(struct js *js, TSNode node)
{
    struct extract *x = js->x;
    struct extract_list bases = {0};
    struct extract_children it = extract_children(node);
    uint32_t outer = x->scope;
    uint32_t id = js_add_def(js, node, js_field(js, node, JS_F_NAME),
                             (struct fact_def){.kind = CODE_INTERFACE});

    x->scope = id;
    js_type_parameters(js, js_field(js, node, JS_F_TYPE_PARAMETERS));
    while (extract_next(&it))
        if (js_kind(js, it.node) == JS_EXTENDS_TYPE)
            extends(js, it.node, &bases);
    keep_bases(js, id, &bases, 0);
    members(js, js_field(js, node, JS_F_BODY), id);
    x->scope = outer;
    return 0;
}

/* `type T = A & { b(): C }` has the members of both. */
static void
alias_parts(struct js *js, TSNode type, uint32_t id, struct extract_list *bases)
{
    struct extract_children it = extract_children(type);

    if (js_kind(js, type) == JS_OBJECT_TYPE) {
        extract_children_end(&it);
        members(js, type, id);
        return;
    }
    if (js_kind(js, type) != JS_INTERSECTION) {
        extract_children_end(&it);
        extract_list_add(js->x, bases, js_value(js, type));
        return;
    }
    if (!extract_enter(js->x)) {
        extract_children_end(&it);
        return;
    }
    while (extract_next(&it))
        alias_parts(js, it.node, id, bases);
    extract_leave(js->x);
}

uint32_t
js_type_alias(struct js *js, TSNode node)
{
    struct extract *x = js->x;
    struct extract_list bases = {0};
    TSNode value = js_field(js, node, JS_F_VALUE);
    uint16_t kind = js_kind(js, value);
    uint32_t outer = x->scope;
    uint32_t id = js_add_def(js, node, js_field(js, node, JS_F_NAME),
                             (struct fact_def){.kind = CODE_TYPE});

    x->scope = id;
    js_type_parameters(js, js_field(js, node, JS_F_TYPE_PARAMETERS));
    if (kind == JS_OBJECT_TYPE || kind == JS_INTERSECTION) {
        alias_parts(js, value, id, &bases);
        keep_bases(js, id, &bases, 0);
    } else {
        uint32_t type = js_value(js, value);
        if (id)
            x->facts->defs[id].type = type;
    }
    x->scope = outer;
    return 0;
}

/* ---- enums, namespaces ---- */

uint32_t
js_enum(struct js *js, TSNode node)
{
    struct extract *x = js->x;
    struct extract_children it =
        extract_children(js_field(js, node, JS_F_BODY));
    uint32_t outer = x->scope;

    x->scope =
        js_add_def(js, node, js_field(js, node, JS_F_NAME),
                   (struct fact_def){.kind = CODE_TYPE, .flags = DEF_ENUM});
    while (extract_next(&it)) {
        struct fact_bind bind = {.flags = BIND_CONST};
        TSNode name = it.node;

        if (js_kind(js, it.node) == JS_ENUM_VALUE) {
            name = js_field(js, it.node, JS_F_NAME);
            bind.value = js_value(js, js_field(js, it.node, JS_F_VALUE));
        }
        bind_field(js, name, bind);
    }
    x->scope = outer;
    return 0;
}

uint32_t
js_namespace(struct js *js, TSNode node)
{
    struct extract *x = js->x;
    uint32_t outer = x->scope;
    uint32_t blocks = js->blocks;

    x->scope = js_add_def(js, node, js_field(js, node, JS_F_NAME),
                          (struct fact_def){.kind = CODE_PACKAGE});
    js->blocks = 0;
    js_visit_children(js, js_field(js, node, JS_F_BODY));
    js->blocks = blocks;
    x->scope = outer;
    return 0;
}
