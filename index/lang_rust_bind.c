/*
 * Rust: patterns and the names they bind.
 */
#include "index/lang_rust.h"

#include <stdio.h>

static void
pattern_of(struct visitor *w, TSNode pattern, struct fact_bind bind);

typedef void
part_fn(struct visitor *w, TSNode child, uint32_t index, void *ctx);

/* Calls |fn| for each part of a tuple with its place: `_` has no node that is
 * named, so it is the commas that are counted. */
static void
each_part(struct visitor *w, TSNode tuple, part_fn *fn, void *ctx)
{
    TSTreeCursor cursor = ts_tree_cursor_new(tuple);
    uint32_t index = 0;

    for (bool more = ts_tree_cursor_goto_first_child(&cursor); more;
         more = ts_tree_cursor_goto_next_sibling(&cursor)) {
        TSNode child = ts_tree_cursor_current_node(&cursor);
        bool is_type =
            ts_tree_cursor_current_field_id(&cursor) == w->x.fields[F_TYPE];
        if (!ts_node_is_named(child))
            index += str_eq(visit_text(w, child), STR(","));
        else if (!ts_node_is_extra(child) && !ts_node_is_error(child) &&
                 !is_type)
            fn(w, child, index, ctx);
    }
    ts_tree_cursor_delete(&cursor);
}

static void
tuple_one(struct visitor *w, TSNode child, uint32_t index, void *ctx)
{
    struct fact_bind bind = *(const struct fact_bind *)ctx;
    const struct fact_expr *type = &w->x.facts->exprs[bind.type];

    if (bind.value)
        bind.flags |= BIND_MULTI;
    bind.index = index;
    bind.type = type->kind == EXPR_ARRAY && index < type->list_len
                    ? w->x.facts->lists[type->list_at + index]
                    : 0;
    rust_pattern(w, child, bind);
}

/* The last name of a path: `E::Some` too. */
static bool
is_transparent(const struct visitor *w, TSNode type)
{
    str text = visit_text(w, type);

    return str_eq(text, STR("Some")) || str_eq(text, STR("Ok")) ||
           str_eq(text, STR("Poll::Ready"));
}

/* `Json(body): Json<T>` binds a T. */
static uint32_t
unwrapped_type(const struct visitor *w, uint32_t id)
{
    const struct fact_expr *type = &w->x.facts->exprs[id];

    return type->kind == EXPR_GENERIC && type->list_len > 0
               ? w->x.facts->lists[type->list_at]
               : 0;
}

static bool
is_capital(str text)
{
    return text.len > 0 && text.ptr[0] >= 'A' && text.ptr[0] <= 'Z';
}

/* Field |key| of what the path of a pattern names: of `E::A` it is `A::key` of
 * the enum, of a struct its own. */
static uint32_t
field_of(struct visitor *w, TSNode type, str key)
{
    TSNode path = visit_field(w, type, F_PATH);
    struct buf name = {.cap_max = FACT_STR_MAX};
    bool is_variant = visit_kind(w, type) == K_SCOPED &&
                      is_capital(visit_text(w, rust_base_name(w, path)));
    uint32_t of = !is_variant ? visit(w, type)
                  : visit_kind(w, path) == K_IDENTIFIER
                      ? rust_named_type(w, path)
                      : visit(w, path);

    if (is_variant) {
        buf_add(&name, visit_text(w, visit_field(w, type, F_NAME)));
        buf_add(&name, STR("::"));
    }
    buf_add(&name, key);
    uint32_t id = visit_member(w, of, buf_str(&name), type);
    buf_fini(&name);
    return id;
}

struct inner {
    struct fact_bind bind;
    TSNode path; /* whose fields they are; null: not known */
};

static void
inner_one(struct visitor *w, TSNode child, uint32_t index, void *ctx)
{
    struct inner *inner = ctx;
    struct fact_bind bind = inner->bind;
    char key[16];

    int len = snprintf(key, sizeof(key), "%u", index);
    if (str_eq(visit_text(w, child), STR("..")))
        inner->path = (TSNode){0}; /* how many that are is not said */
    else if (!ts_node_is_null(inner->path))
        bind.value = field_of(w, inner->path, (str){key, (size_t)len});
    rust_pattern(w, child, bind);
}

static void
tuple_struct(struct visitor *w, TSNode pattern, struct fact_bind bind)
{
    TSNode type = visit_field(w, pattern, F_TYPE);
    struct inner inner = {.bind = bind};

    inner.bind.type = unwrapped_type(w, bind.type);
    if (!is_transparent(w, type)) {
        inner.bind.value = 0;
        if (!inner.bind.type)
            inner.path = type;
    }
    each_part(w, pattern, inner_one, &inner);
}

struct fields {
    struct fact_bind bind;
    TSNode path;
};

static void
field_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    const struct fields *fields = ctx;
    const struct fact_bind *of = &fields->bind;
    TSNode name = visit_field(w, child, F_NAME);
    TSNode pattern = visit_field(w, child, F_PATTERN);

    (void)field;
    if (visit_kind(w, child) != K_FIELD_PATTERN)
        return;
    struct fact_bind bind = {.kind = of->kind, .line = of->line};
    if (of->value && visit_kind(w, fields->path) != K_SCOPED)
        bind.value = visit_member(w, of->value, visit_text(w, name), name);
    else
        bind.value = field_of(w, fields->path, visit_text(w, name));
    rust_pattern(w, ts_node_is_null(pattern) ? name : pattern, bind);
}

static void
slice_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)field;
    rust_pattern(w, child, *(const struct fact_bind *)ctx);
}

static void
bind_name(struct visitor *w, TSNode name, struct fact_bind bind)
{
    str text = visit_text(w, name);

    /* A constant or a variant, which binds nothing. */
    if (text.len > 0 && text.ptr[0] >= 'A' && text.ptr[0] <= 'Z')
        return;
    bind.kind = bind.kind ? bind.kind : BIND_LOCAL;
    bind.name = facts_str(w->x.facts, text);
    visit_bind(w, bind, name);
}

static void
pattern_of(struct visitor *w, TSNode pattern, struct fact_bind bind)
{
    struct fields fields = {bind, visit_field(w, pattern, F_TYPE)};
    uint32_t count = ts_node_named_child_count(pattern);

    switch (visit_kind(w, pattern)) {
    case K_IDENTIFIER:
        bind_name(w, pattern, bind);
        return;
    case K_PATTERN: /* the last child: others are modifiers, alternatives */
        if (count > 0)
            rust_pattern(w, ts_node_named_child(pattern, count - 1), bind);
        return;
    case K_CAPTURED:
        rust_pattern(w, visit_first(pattern), bind);
        return;
    case K_TUPLE_PATTERN:
        each_part(w, pattern, tuple_one, &bind);
        return;
    case K_TUPLE_STRUCT:
        tuple_struct(w, pattern, bind);
        return;
    case K_STRUCT_PATTERN:
        visit_each(w, pattern, field_one, &fields);
        return;
    case K_SLICE_PATTERN:
        if (bind.value)
            bind.value = visit_wrap(w, EXPR_ELEM, bind.value, pattern);
        bind.type = 0;
        visit_each(w, pattern, slice_one, &bind);
        return;
    default:
        return;
    }
}

void
rust_pattern(struct visitor *w, TSNode pattern, struct fact_bind bind)
{
    if (ts_node_is_null(pattern) || !extract_enter(&w->x))
        return;
    pattern_of(w, pattern, bind);
    extract_leave(&w->x);
}

uint32_t
rust_let(struct visitor *w, TSNode node)
{
    uint32_t type = visit(w, visit_field(w, node, F_TYPE));
    uint32_t value = visit(w, visit_field(w, node, F_VALUE));

    visit(w, visit_field(w, node, F_ALTERNATIVE));
    rust_pattern(w, visit_field(w, node, F_PATTERN),
                 /* Seen behind it: in |value| the name is another. */
                 (struct fact_bind){.type = type,
                                    .value = value,
                                    .line = ts_node_end_point(node).row + 1});
    return 0;
}

uint32_t
rust_let_condition(struct visitor *w, TSNode node)
{
    uint32_t value = visit(w, visit_field(w, node, F_VALUE));

    rust_pattern(w, visit_field(w, node, F_PATTERN),
                 (struct fact_bind){.value = value});
    return 0;
}

struct match {
    uint32_t value;
    struct extract_list arms;
};

static void
match_arm(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct match *match = ctx;
    TSNode pattern = visit_field(w, child, F_PATTERN);

    (void)field;
    if (visit_kind(w, child) != K_MATCH_ARM)
        return;
    rust_pattern(w, visit_first(pattern),
                 (struct fact_bind){.value = match->value});
    visit(w, visit_field(w, pattern, F_CONDITION));
    uint32_t id = visit(w, visit_field(w, child, F_VALUE));
    if (id)
        visit_list_add(w, &match->arms, id);
}

uint32_t
rust_match(struct visitor *w, TSNode node)
{
    struct match match = {visit(w, visit_field(w, node, F_VALUE)), {0}};

    visit_each(w, visit_field(w, node, F_BODY), match_arm, &match);
    return visit_listed(w, EXPR_ALT, 0, &match.arms, node);
}

/* What is iterated: without `iter()` and the like.  |is_numbered|: by
 * `enumerate()`. */
static uint32_t
collection_of(const struct visitor *w, uint32_t id, bool *is_numbered)
{
    static const char *const names[] = {"iter", "iter_mut", "into_iter",
                                        "enumerate", "drain"};
    enum { NAMES = sizeof(names) / sizeof(names[0]) };
    const struct fact_expr *exprs = w->x.facts->exprs;
    size_t i = 0;

    while (i < NAMES && exprs[id].kind == EXPR_CALL &&
           exprs[exprs[id].a].kind == EXPR_MEMBER) {
        str name = visit_expr_text(w, exprs[id].a);
        for (i = 0; i < NAMES && !str_eq(name, str_of(names[i])); i++)
            ;
        if (i < NAMES) {
            *is_numbered |= str_eq(name, STR("enumerate"));
            id = exprs[exprs[id].a].a;
        }
    }
    return id;
}

uint32_t
rust_for(struct visitor *w, TSNode node)
{
    TSNode pattern = visit_field(w, node, F_PATTERN);
    bool is_numbered = false;
    uint32_t from =
        collection_of(w, visit(w, visit_field(w, node, F_VALUE)), &is_numbered);
    struct fact_bind bind = {.value = visit_wrap(w, EXPR_ELEM, from, pattern)};

    if (is_numbered && visit_kind(w, pattern) == K_TUPLE_PATTERN &&
        ts_node_named_child_count(pattern) == 2) {
        rust_pattern(w, ts_node_named_child(pattern, 0), (struct fact_bind){0});
        pattern = ts_node_named_child(pattern, 1);
    }
    rust_pattern(w, pattern, bind);
    visit(w, visit_field(w, node, F_BODY));
    return 0;
}

uint32_t
rust_assign(struct visitor *w, TSNode node)
{
    uint32_t target = visit(w, visit_field(w, node, F_LEFT));
    uint32_t value = visit(w, visit_field(w, node, F_RIGHT));

    visit_assign(w, target, value, node);
    return 0;
}

uint32_t
rust_return(struct visitor *w, TSNode node)
{
    visit_return(w, visit_children(w, node), node);
    return 0;
}
