/*
 * Rust: functions, methods, closures, macros that are defined.
 */
#include "index/lang_rust.h"

struct params {
    uint32_t index;
    bool has_self;
};

static void
note_self(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)field;
    if (visit_kind(w, child) == K_SELF_PARAM)
        *(bool *)ctx = true;
}

/* What a pattern takes apart has no name of its own. */
static void
add_param(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct params *params = ctx;
    TSNode pattern = child;
    struct fact_bind bind = {.kind = BIND_PARAM, .index = params->index};

    (void)field;
    switch (visit_kind(w, child)) {
    case K_SELF_PARAM:
    case K_ATTRIBUTE_ITEM:
        return;
    case K_PARAM:
        pattern = visit_field(w, child, F_PATTERN);
        bind.type = visit(w, visit_field(w, child, F_TYPE));
        break;
    default:
        break;
    }
    params->index++;
    uint16_t kind = visit_kind(w, pattern);
    if (kind == K_SELF) {
        params->index--;
        return;
    }
    if (kind != K_IDENTIFIER && kind != K_PATTERN && kind != K_TUPLE_STRUCT) {
        visit_bind(w, bind, pattern);
        bind.kind = BIND_LOCAL;
    }
    rust_pattern(w, pattern, bind);
}

static bool
is_test(const struct visitor *w, const struct fact_def *def)
{
    const struct facts *facts = w->x.facts;

    for (uint32_t i = 0; i < def->marks_len; i++) {
        uint32_t mark = facts->lists[def->marks_at + i];
        if (facts->exprs[mark].kind == EXPR_CALL)
            mark = facts->exprs[mark].a;
        str name = visit_expr_text(w, mark);
        if (str_eq(name, STR("test")) || str_eq(name, STR("rstest")) ||
            str_eq(name, STR("test_case")))
            return true;
    }
    return false;
}

static struct fact_def
signature_of(struct visitor *w, TSNode node, bool is_method)
{
    struct rust *rust = rust_of(w);
    struct fact_def def = {.kind = is_method ? CODE_METHOD : CODE_FUNCTION};
    bool has_self = false;

    visit_each(w, visit_field(w, node, F_PARAMETERS), note_self, &has_self);
    if (is_method) {
        def.receiver = rust->receiver;
        def.flags |= has_self ? 0 : DEF_STATIC;
        def.flags |= rust->in_trait ? DEF_EXPORTED : 0;
    }
    if (visit_kind(w, node) == K_SIGNATURE)
        def.flags |= DEF_ABSTRACT;
    def.type = visit(w, visit_field(w, node, F_RETURN_TYPE));
    return def;
}

uint32_t
rust_function(struct visitor *w, TSNode node)
{
    struct rust *rust = rust_of(w);
    bool is_method = rust->receiver || rust->in_trait;
    rust_push(w, node);
    uint32_t id = rust_item(w, node, signature_of(w, node, is_method));
    struct rust outer = {.receiver = rust->receiver,
                         .impl = rust->impl,
                         .in_trait = rust->in_trait};
    struct params params = {0};
    uint32_t before = visit_enter(w, id);

    if (id && is_test(w, &w->x.facts->defs[id]))
        w->x.facts->defs[id].flags |= DEF_TEST_CASE;
    /* What is defined in its body is no method. */
    rust->receiver = 0;
    rust->impl = 0;
    rust->in_trait = false;
    visit_each(w, visit_field(w, node, F_PARAMETERS), add_param, &params);
    uint32_t value = visit(w, visit_field(w, node, F_BODY));
    if (id)
        visit_return(w, value, node);
    rust->receiver = outer.receiver;
    rust->impl = outer.impl;
    rust->in_trait = outer.in_trait;
    visit_leave(w, before);
    rust_pop(w);
    return 0;
}

uint32_t
rust_closure(struct visitor *w, TSNode node)
{
    TSNode body = visit_field(w, node, F_BODY);
    struct fact_def def = {
        .kind = CODE_FUNCTION,
        .flags = DEF_LAMBDA,
        .type = visit(w, visit_field(w, node, F_RETURN_TYPE)),
    };
    struct params params = {0};
    uint32_t id = visit_def(w, def, node, node, body);
    uint32_t before = visit_enter(w, id);

    visit_each(w, visit_field(w, node, F_PARAMETERS), add_param, &params);
    uint32_t value = visit(w, body);
    if (id)
        visit_return(w, value, body);
    visit_leave(w, before);
    return visit_wrap(w, EXPR_LAMBDA, id, node);
}

/* A macro is called by its name and `!`; its body is no code yet. */
uint32_t
rust_macro_definition(struct visitor *w, TSNode node)
{
    TSNode name = visit_field(w, node, F_NAME);
    struct buf text = {0};
    uint32_t id = rust_item(w, node, (struct fact_def){.kind = CODE_FUNCTION});

    buf_add(&text, visit_text(w, name));
    buf_add_char(&text, '!');
    if (id) {
        w->x.facts->defs[id].name = facts_str(w->x.facts, buf_str(&text));
        w->x.facts->defs[id].signature =
            extract_signature(&w->x, node, visit_first(node));
    }
    buf_fini(&text);
    return 0;
}
