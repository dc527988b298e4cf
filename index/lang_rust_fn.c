/*
 * Rust: functions, methods, closures, macros that are defined.
 */
#include "index/lang_rust.h"

struct params {
    uint32_t index;
    bool has_self;
};

static void
note_self(struct walker *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)field;
    if (walk_kind(w, child) == K_SELF_PARAM)
        *(bool *)ctx = true;
}

/* What a pattern takes apart has no name of its own. */
static void
add_param(struct walker *w, TSNode child, TSFieldId field, void *ctx)
{
    struct params *params = ctx;
    TSNode pattern = child;
    struct fact_bind bind = {.kind = BIND_PARAM, .index = params->index};

    (void)field;
    switch (walk_kind(w, child)) {
    case K_SELF_PARAM:
    case K_ATTRIBUTE_ITEM:
        return;
    case K_PARAM:
        pattern = walk_field(w, child, F_PATTERN);
        bind.type = walk(w, walk_field(w, child, F_TYPE));
        break;
    default:
        break;
    }
    params->index++;
    uint16_t kind = walk_kind(w, pattern);
    if (kind == K_SELF) {
        params->index--;
        return;
    }
    if (kind != K_IDENTIFIER && kind != K_PATTERN && kind != K_TUPLE_STRUCT) {
        walk_bind(w, bind, pattern);
        bind.kind = BIND_LOCAL;
    }
    rust_pattern(w, pattern, bind);
}

static bool
is_test(const struct walker *w, const struct fact_def *def)
{
    const struct facts *facts = w->x.facts;

    for (uint32_t i = 0; i < def->marks_len; i++) {
        uint32_t mark = facts->lists[def->marks_at + i];
        if (facts->exprs[mark].kind == EXPR_CALL)
            mark = facts->exprs[mark].a;
        str name = walk_expr_text(w, mark);
        if (str_eq(name, STR("test")) || str_eq(name, STR("rstest")) ||
            str_eq(name, STR("test_case")))
            return true;
    }
    return false;
}

static struct fact_def
signature_of(struct walker *w, TSNode node, bool is_method)
{
    struct rust *rust = rust_of(w);
    struct fact_def def = {.kind = is_method ? CODE_METHOD : CODE_FUNCTION};
    bool has_self = false;

    walk_each(w, walk_field(w, node, F_PARAMETERS), note_self, &has_self);
    if (is_method) {
        def.receiver = rust->receiver;
        def.flags |= has_self ? 0 : DEF_STATIC;
        def.flags |= rust->in_trait ? DEF_EXPORTED : 0;
    }
    if (walk_kind(w, node) == K_SIGNATURE)
        def.flags |= DEF_ABSTRACT;
    def.type = walk(w, walk_field(w, node, F_RETURN_TYPE));
    return def;
}

uint32_t
rust_function(struct walker *w, TSNode node)
{
    struct rust *rust = rust_of(w);
    bool is_method = rust->receiver || rust->in_trait;
    uint32_t id = rust_item(w, node, signature_of(w, node, is_method));
    struct rust outer = {.receiver = rust->receiver,
                         .impl = rust->impl,
                         .in_trait = rust->in_trait};
    struct params params = {0};
    uint32_t before = walk_enter(w, id);

    if (id && is_test(w, &w->x.facts->defs[id]))
        w->x.facts->defs[id].flags |= DEF_TEST_CASE;
    /* What is defined in its body is no method. */
    rust->receiver = 0;
    rust->impl = 0;
    rust->in_trait = false;
    walk_each(w, walk_field(w, node, F_PARAMETERS), add_param, &params);
    uint32_t value = walk(w, walk_field(w, node, F_BODY));
    if (id)
        walk_return(w, value, node);
    rust->receiver = outer.receiver;
    rust->impl = outer.impl;
    rust->in_trait = outer.in_trait;
    walk_leave(w, before);
    return 0;
}

uint32_t
rust_closure(struct walker *w, TSNode node)
{
    TSNode body = walk_field(w, node, F_BODY);
    struct fact_def def = {
        .kind = CODE_FUNCTION,
        .flags = DEF_LAMBDA,
        .type = walk(w, walk_field(w, node, F_RETURN_TYPE)),
    };
    struct params params = {0};
    uint32_t id = walk_def(w, def, node, node, body);
    uint32_t before = walk_enter(w, id);

    walk_each(w, walk_field(w, node, F_PARAMETERS), add_param, &params);
    uint32_t value = walk(w, body);
    if (id)
        walk_return(w, value, body);
    walk_leave(w, before);
    return walk_wrap(w, EXPR_LAMBDA, id, node);
}

/* A macro is called by its name and `!`; its body is no code yet. */
uint32_t
rust_macro_definition(struct walker *w, TSNode node)
{
    TSNode name = walk_field(w, node, F_NAME);
    struct buf text = {0};
    uint32_t id = rust_item(w, node, (struct fact_def){.kind = CODE_FUNCTION});

    buf_add(&text, walk_text(w, name));
    buf_add_char(&text, '!');
    if (id) {
        w->x.facts->defs[id].name = facts_str(w->x.facts, buf_str(&text));
        w->x.facts->defs[id].signature =
            extract_signature(&w->x, node, walk_first(node));
    }
    buf_fini(&text);
    return 0;
}
