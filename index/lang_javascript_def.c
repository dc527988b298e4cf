/*
 * Functions and methods.  A function that has no name of its own is known by
 * what it is bound to: its writer left a hint.
 */
#include "index/lang_javascript.h"

struct js_hint
js_take_hint(struct js *js)
{
    struct js_hint hint = js->hint;

    js->hint = (struct js_hint){0};
    return hint;
}

bool
js_is_function(const struct js *js, TSNode value)
{
    uint16_t kind = js_kind(js, js_unwrapped(js, value));

    return kind == JS_ARROW || kind == JS_FUNCTION_EXPRESSION ||
           kind == JS_CLASS;
}

uint32_t
js_bound_value(struct js *js, TSNode value, struct js_hint hint)
{
    if (js_is_function(js, value))
        js->hint = hint;
    uint32_t id = js_value(js, value);

    js->hint = (struct js_hint){0};
    return id;
}

bool
js_has_word(const struct js *js, TSNode node, str word)
{
    enum { WORDS_MAX = 10 };
    uint32_t count = ts_node_child_count(node);

    for (uint32_t i = 0; i < count && i < WORDS_MAX; i++) {
        TSNode child = ts_node_child(node, i);
        uint16_t kind = js_kind(js, child);

        if (!ts_node_is_named(child)) {
            if (str_eq(extract_text(js->x, child), word))
                return true;
        } else if (kind != JS_ACCESSIBILITY && kind != JS_OVERRIDE &&
                   kind != JS_DECORATOR) {
            return false;
        }
    }
    return false;
}

uint32_t
js_add_def(struct js *js, TSNode node, TSNode name, struct fact_def def)
{
    struct extract *x = js->x;
    struct js_hint hint = js_take_hint(js);
    TSNode outer = ts_node_is_null(hint.outer) ? node : hint.outer;

    if (ts_node_is_null(name))
        name = hint.name;
    TSNode at = ts_node_is_null(name) ? node : name;

    def.name = ts_node_is_null(name) ? 0 : js_key(js, name);
    def.parent = x->scope;
    def.flags |= hint.flags;
    def.line = extract_line(at);
    def.col = extract_col(at);
    def.start_line = js->marks.line ? js->marks.line : extract_line(outer);
    def.end_line = ts_node_end_point(node).row + 1;
    def.marks_at = js->marks.at;
    def.marks_len = js->marks.len;
    def.signature = extract_signature(x, outer, js_field(js, node, JS_F_BODY));
    js->marks = (struct js_marks){0};
    return facts_def(x->facts, &def);
}

/* Type parameters hide types of their name, and have what bounds them. */
void
js_type_parameters(struct js *js, TSNode parameters)
{
    struct extract *x = js->x;
    struct extract_children it = extract_children(parameters);

    while (extract_next(&it)) {
        TSNode name = js_field(js, it.node, JS_F_NAME);
        facts_bind(
            x->facts,
            &(struct fact_bind){
                .kind = BIND_LOCAL,
                .flags = BIND_CONST,
                .scope = x->scope,
                .name = extract_str(x, name),
                .type = js_value(js, js_field(js, it.node, JS_F_CONSTRAINT)),
                .line = extract_line(name),
            });
    }
}

void
js_signature(struct js *js, TSNode node, uint32_t id)
{
    struct extract *x = js->x;
    TSNode parameter = js_field(js, node, JS_F_PARAMETER);

    js_type_parameters(js, js_field(js, node, JS_F_TYPE_PARAMETERS));
    if (ts_node_is_null(parameter))
        js_parameters(js, js_field(js, node, JS_F_PARAMETERS));
    else
        facts_bind(x->facts, &(struct fact_bind){
                                 .kind = BIND_PARAM,
                                 .scope = x->scope,
                                 .name = extract_str(x, parameter),
                                 .line = extract_line(parameter),
                             });
    uint32_t type = js_value(js, js_field(js, node, JS_F_RETURN_TYPE));

    if (id)
        x->facts->defs[id].type = type;
}

static void
walk_function(struct js *js, TSNode node, uint32_t id)
{
    struct extract *x = js->x;
    TSNode body = js_field(js, node, JS_F_BODY);
    uint32_t outer = x->scope;

    x->scope = id;
    js_signature(js, node, id);
    if (js_kind(js, body) == JS_BLOCK)
        js_visit(js, body);
    else if (!ts_node_is_null(body))
        js_bind_return(js, body, js_bound_value(js, body, (struct js_hint){0}));
    x->scope = outer;
}

static uint32_t
body_flags(const struct js *js, TSNode node)
{
    uint32_t flags = 0;

    if (ts_node_is_null(js_field(js, node, JS_F_BODY)))
        flags |= DEF_ABSTRACT;
    if (js_has_word(js, node, STR("*")))
        flags |= DEF_GENERATOR;
    return flags;
}

uint32_t
js_function(struct js *js, TSNode node)
{
    uint32_t id = js_add_def(js, node, js_field(js, node, JS_F_NAME),
                             (struct fact_def){
                                 .kind = CODE_FUNCTION,
                                 .flags = body_flags(js, node),
                             });

    walk_function(js, node, id);
    return 0;
}

/* `const f = function g() {}` is f to others and g to itself. */
static void
bind_own_name(struct js *js, TSNode name, uint32_t value, uint32_t id)
{
    struct extract *x = js->x;

    facts_bind(x->facts, &(struct fact_bind){.kind = BIND_LOCAL,
                                             .flags = BIND_CONST,
                                             .scope = id,
                                             .name = extract_str(x, name),
                                             .value = value,
                                             .line = extract_line(name)});
}

uint32_t
js_lambda(struct js *js, TSNode node)
{
    struct js_hint hint = js->hint;
    TSNode own = js_field(js, node, JS_F_NAME);
    struct fact_def def = {
        .kind = hint.kind ? hint.kind : CODE_FUNCTION,
        .flags = DEF_LAMBDA | body_flags(js, node),
        .receiver = hint.receiver,
    };
    TSNode name = ts_node_is_null(hint.name) ? own : hint.name;
    uint32_t id = js_add_def(js, node, name, def);
    bool has_this = js_kind(js, node) != JS_ARROW;
    uint32_t value =
        js_add(js, node,
               (struct fact_expr){
                   .kind = EXPR_LAMBDA,
                   .text = has_this ? 0 : facts_str(js->x->facts, STR("=>")),
                   .a = id,
               });

    if (id && !ts_node_is_null(own))
        bind_own_name(js, own, value, id);
    walk_function(js, node, id);
    return value;
}

/* What is computed for a name is computed before what it names is there. */
void
js_visit_computed(struct js *js, TSNode name)
{
    struct js_hint hint = js_take_hint(js);
    struct js_marks marks = js->marks;

    js->marks = (struct js_marks){0};
    js_visit(js, name);
    js->hint = hint;
    js->marks = marks;
}

uint32_t
js_method(struct js *js, TSNode node, uint32_t flags)
{
    TSNode name = js_field(js, node, JS_F_NAME);

    flags |= body_flags(js, node);
    if (js_has_word(js, node, STR("static")))
        flags |= DEF_STATIC;
    if (js_has_word(js, node, STR("get")) || js_has_word(js, node, STR("set")))
        flags |= DEF_PROPERTY;
    if (str_eq(extract_text(js->x, name), STR("constructor")))
        flags |= DEF_CTOR;
    if (js_kind(js, name) == JS_COMPUTED)
        js_visit_computed(js, name);
    uint32_t id = js_add_def(
        js, node, name, (struct fact_def){.kind = CODE_METHOD, .flags = flags});

    walk_function(js, node, id);
    return id;
}

uint32_t
js_method_of_object(struct js *js, TSNode node)
{
    uint32_t id = js_method(js, node, 0);

    return js_add(js, node, (struct fact_expr){.kind = EXPR_LAMBDA, .a = id});
}
