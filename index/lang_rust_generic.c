/*
 * Rust: parameters of types, and what types point to.  Where one is written,
 * what it is bound by is read instead: a value of `R: Read` has the methods of
 * Read.  The bound of a struct's parameter is often told by its impl blocks
 * alone.
 */
#include "index/lang_rust.h"

/* Bounds that say nothing of what is called. */
static bool
is_marker(str name)
{
    static const char *const names[] = {
        "Sized",   "Send",       "Sync",    "Clone",     "Copy",       "Debug",
        "Default", "Eq",         "Ord",     "PartialEq", "Unpin",      "Hash",
        "Display", "PartialOrd", "Fn",      "Into",      "UnwindSafe", "AsRef",
        "FnMut",   "FnOnce",     "ToOwned",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (str_eq(name, str_of(names[i])))
            return true;
    return false;
}

static void
bound_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    TSNode *bound = ctx;
    uint16_t kind = visit_kind(w, child);

    (void)field;
    if (ts_node_is_null(*bound) &&
        (kind == K_NAME_TYPE || kind == K_SCOPED || kind == K_GENERIC) &&
        !is_marker(visit_text(w, rust_base_name(w, child))))
        *bound = child;
}

struct sought {
    str name;
    TSNode bound;
    uint32_t index; /* how many are before it */
    bool is_found;
};

static void
param_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct sought *sought = ctx;

    (void)field;
    if (visit_kind(w, child) != K_TYPE_PARAM || sought->is_found)
        return;
    if (!str_eq(visit_text(w, visit_field(w, child, F_NAME)), sought->name)) {
        sought->index++;
        return;
    }
    sought->is_found = true;
    visit_each(w, visit_field(w, child, F_BOUNDS), bound_one, &sought->bound);
}

static void
predicate_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct sought *sought = ctx;

    (void)field;
    if (visit_kind(w, child) == K_WHERE)
        visit_each(w, child, predicate_one, ctx);
    else if (visit_kind(w, child) == K_PREDICATE &&
             str_eq(visit_text(w, visit_field(w, child, F_LEFT)), sought->name))
        visit_each(w, visit_field(w, child, F_BOUNDS), bound_one,
                   &sought->bound);
}

static struct sought
seek(struct visitor *w, TSNode item, str name)
{
    struct sought sought = {.name = name};

    visit_each(w, visit_field(w, item, F_TYPE_PARAMETERS), param_one, &sought);
    if (sought.is_found)
        visit_each(w, item, predicate_one, &sought);
    return sought;
}

struct argument {
    uint32_t index;
    TSNode node;
};

static void
argument_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct argument *argument = ctx;

    (void)field;
    if (visit_kind(w, child) != K_LIFETIME && argument->index-- == 0)
        argument->node = child;
}

struct blocks {
    str type;
    struct sought *sought;
};

static void
block_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct blocks *blocks = ctx;
    TSNode type = visit_field(w, child, F_TYPE);

    (void)field;
    if (visit_kind(w, child) != K_IMPL ||
        !ts_node_is_null(blocks->sought->bound) ||
        visit_kind(w, type) != K_GENERIC ||
        !str_eq(visit_text(w, rust_base_name(w, type)), blocks->type))
        return;
    struct argument argument = {.index = blocks->sought->index};
    visit_each(w, visit_field(w, type, F_TYPE_ARGUMENTS), argument_one,
               &argument);
    if (visit_kind(w, argument.node) != K_NAME_TYPE)
        return;
    blocks->sought->bound = seek(w, child, visit_text(w, argument.node)).bound;
}

/* All that stands beside |item| is looked at, once for uses of one parameter
 * that follow each other, as long as RUST_BLOCK_STEPS_MAX allows; then the
 * bound is not known. */
static void
seek_blocks(struct visitor *w, TSNode item, struct blocks *blocks)
{
    struct rust *rust = rust_of(w);
    struct sought *sought = blocks->sought;

    if (!ts_node_is_null(rust->sought_item) &&
        ts_node_eq(rust->sought_item, item) &&
        rust->sought_index == sought->index) {
        sought->bound = rust->sought_bound;
        return;
    }
    if (rust->block_steps >= RUST_BLOCK_STEPS_MAX)
        return;
    TSNode around = ts_node_parent(item);
    rust->block_steps += ts_node_named_child_count(around);
    visit_each(w, around, block_one, blocks);
    rust->sought_item = item;
    rust->sought_index = sought->index;
    rust->sought_bound = sought->bound;
}

bool
rust_param(struct visitor *w, str name, TSNode *bound)
{
    struct rust *rust = rust_of(w);

    uint32_t len =
        rust->item_len < RUST_ITEMS_MAX ? rust->item_len : RUST_ITEMS_MAX;
    for (uint32_t i = len; i > 0; i--) {
        TSNode item = rust->items[i - 1];
        struct sought sought = seek(w, item, name);
        if (!sought.is_found)
            continue;
        bool is_type = visit_kind(w, item) == K_STRUCT;
        struct blocks blocks = {visit_text(w, visit_field(w, item, F_NAME)),
                                &sought};
        if (is_type && ts_node_is_null(sought.bound))
            seek_blocks(w, item, &blocks);
        *bound = sought.bound;
        return true;
    }
    return false;
}

uint32_t
rust_named_type(struct visitor *w, TSNode node)
{
    struct rust *rust = rust_of(w);
    str text = visit_text(w, node);
    TSNode bound = {0};

    if (str_eq(text, STR("Self")))
        return visit_wrap(w, EXPR_SELF, 0, node);
    /* `T: Ord<T>` */
    if (rust->in_bound || !rust_param(w, text, &bound) ||
        ts_node_is_null(bound))
        return visit_leaf(w, EXPR_NAME, text, node);
    rust->in_bound = true;
    uint32_t id = visit(w, bound);
    rust->in_bound = false;
    return id;
}

struct own_type {
    str name;
    TSNode type;
};

static void
own_type_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct own_type *own = ctx;

    (void)field;
    if (visit_kind(w, child) == K_TYPE_ITEM &&
        str_eq(visit_text(w, visit_field(w, child, F_NAME)), own->name))
        own->type = visit_field(w, child, F_TYPE);
}

/* What `Self::name` is in an impl block that says it, `type name = T`; 0: it
 * does not. */
static uint32_t
own_type(struct visitor *w, str name)
{
    struct rust *rust = rust_of(w);
    struct own_type own = {.name = name};

    if (ts_node_is_null(rust->body) || rust->in_own_type ||
        rust->block_steps >= RUST_BLOCK_STEPS_MAX)
        return 0;
    rust->block_steps += ts_node_named_child_count(rust->body);
    visit_each(w, rust->body, own_type_one, &own);
    if (ts_node_is_null(own.type))
        return 0;
    rust->in_own_type = true;
    uint32_t id = visit(w, own.type);
    rust->in_own_type = false;
    return id;
}

/* `a::b`; `self::a` is a module's, not a value's. */
uint32_t
rust_scoped(struct visitor *w, TSNode node)
{
    TSNode path = visit_field(w, node, F_PATH);
    TSNode name = visit_field(w, node, F_NAME);
    uint16_t kind = visit_kind(w, path);
    bool is_type = str_eq(visit_text(w, path), STR("Self"));
    uint32_t own = is_type ? own_type(w, visit_text(w, name)) : 0;

    if (own)
        return own;
    uint32_t base = kind == K_SELF ? visit_leaf(w, EXPR_NAME, STR("self"), path)
                    : kind == K_IDENTIFIER ? rust_named_type(w, path)
                                           : visit(w, path);

    return base ? visit_member(w, base, visit_text(w, name), name)
                : visit_leaf(w, EXPR_NAME, visit_text(w, name), name);
}

/* `*self` of `impl X for &T` is a T. */
uint32_t
rust_unary(struct visitor *w, TSNode node)
{
    struct rust *rust = rust_of(w);
    uint32_t value = visit_children(w, node);

    if (!str_starts(visit_text(w, node), STR("*")) ||
        ts_node_is_null(rust->inner) || visit_expr_kind(w, value) != EXPR_SELF)
        return value;
    return visit_two(w, EXPR_CAST, value, visit(w, rust->inner), node);
}

void
rust_push(struct visitor *w, TSNode item)
{
    struct rust *rust = rust_of(w);

    if (rust->item_len < RUST_ITEMS_MAX)
        rust->items[rust->item_len] = item;
    rust->item_len++;
}

void
rust_pop(struct visitor *w)
{
    rust_of(w)->item_len--;
}
