/* Parameters of functions, and the fields that those of constructors make. */
#include "index/lang_javascript.h"

/* `constructor(private a: A)` makes a field of the class. */
static bool
is_property(const struct js *js, TSNode parameter)
{
    struct extract_children it = extract_children(parameter);
    uint16_t kind = 0;
    const struct fact_def *def = &js->x->facts->defs[js->x->scope];

    if (js_kind(js, parameter) != JS_PARAMETER || !(def->flags & DEF_CTOR)) {
        extract_children_end(&it);
        return false;
    }
    while (extract_next(&it)) {
        kind = js_kind(js, it.node);
        if (kind != JS_DECORATOR)
            break;
    }
    extract_children_end(&it);
    return kind == JS_ACCESSIBILITY || kind == JS_OVERRIDE ||
           js_has_word(js, parameter, STR("readonly"));
}

/* The first parameter of a lambda that a pattern takes apart has a value of its
 * own: a loop may call it with what stands in the code. */
static uint32_t
taken_apart(struct js *js, TSNode node, const struct fact_bind *bind)
{
    struct facts *facts = js->x->facts;

    if (bind->value || bind->index ||
        !(facts->defs[bind->scope].flags & DEF_LAMBDA))
        return bind->value;
    return js_add(js, node,
                  (struct fact_expr){.kind = EXPR_OTHER,
                                     .text = facts_str(facts, STR("0"))});
}

static void
bind_parameter(struct js *js, TSNode node, TSNode pattern, TSNode other,
               uint32_t index)
{
    struct extract *x = js->x;
    bool is_rest = js_kind(js, pattern) == JS_REST;
    TSNode name = is_rest ? js_first(pattern) : pattern;
    bool is_name = js_kind(js, name) == JS_IDENT;
    struct fact_bind bind = {
        .kind = BIND_PARAM,
        .scope = x->scope,
        .type = js_value(js, js_field(js, node, JS_F_TYPE)),
        .value = js_bound_value(js, other,
                                (struct js_hint){.name = name, .outer = node}),
        .index = index,
        .line = extract_line(pattern),
    };

    if (is_name)
        bind.name = extract_str(x, name);
    facts_bind(x->facts, &bind);
    if (!is_name)
        js_bind_pattern(
            js, name,
            (struct js_bind){.kind = BIND_LOCAL,
                             .type = bind.type,
                             .value = taken_apart(js, name, &bind)});
    if (is_name && is_property(js, node)) {
        bind.kind = BIND_FIELD;
        bind.flags = BIND_OBJECT;
        bind.value = js_value(js, name);
        bind.scope = x->facts->defs[x->scope].parent;
        bind.index = 0;
        facts_bind(x->facts, &bind);
    }
}

static void
bind_this(struct js *js, TSNode parameter, TSNode name)
{
    struct extract *x = js->x;

    facts_bind(x->facts,
               &(struct fact_bind){
                   .kind = BIND_RECEIVER,
                   .scope = x->scope,
                   .name = extract_str(x, name),
                   .type = js_value(js, js_field(js, parameter, JS_F_TYPE)),
                   .line = extract_line(name),
               });
}

void
js_parameters(struct js *js, TSNode parameters)
{
    struct extract_children it = extract_children(parameters);
    uint32_t index = 0;

    while (extract_next(&it)) {
        TSNode pattern = it.node;
        TSNode other = {.id = NULL};
        uint16_t kind = js_kind(js, it.node);

        if (ts_node_is_error(it.node))
            continue;
        if (kind == JS_PARAMETER) {
            pattern = js_field(js, it.node, JS_F_PATTERN);
            other = js_field(js, it.node, JS_F_VALUE);
            if (ts_node_is_null(pattern))
                pattern = js_field(js, it.node, JS_F_NAME);
            struct extract_children marks = extract_children(it.node);
            while (extract_next(&marks))
                if (js_kind(js, marks.node) == JS_DECORATOR)
                    js_visit(js, marks.node);
        } else if (kind == JS_ASSIGNMENT_PATTERN) {
            pattern = js_field(js, it.node, JS_F_LEFT);
            other = js_field(js, it.node, JS_F_RIGHT);
        }
        if (js_kind(js, pattern) == JS_THIS)
            bind_this(js, it.node, pattern);
        else
            bind_parameter(js, it.node, pattern, other, index++);
    }
}
