/*
 * Rust: items.  A method of an impl block stands in the module around it and
 * names the type it belongs to; `impl Trait for T` is told by a row of its own,
 * T with Trait as its base.
 */
#include "index/lang_rust.h"

/* ---- use ---- */

/* One name, and again as an export where it is `pub`. */
static void
add_use(struct visitor *w, struct fact_import import, bool is_public, TSNode at)
{
    import.scope = w->x.scope;
    import.line = extract_line(at);
    facts_import(w->x.facts, &import);
    if (!is_public)
        return;
    import.kind = import.kind == IMPORT_STAR ? EXPORT_STAR : EXPORT_NAME;
    facts_import(w->x.facts, &import);
}

struct use {
    str_id prefix;
    str_id alias;
    bool is_public;
};

static str_id
join(struct visitor *w, str_id prefix, str path)
{
    struct buf both = {.cap_max = FACT_STR_MAX};

    buf_add(&both, facts_text(w->x.facts, prefix));
    if (both.len > 0 && path.len > 0)
        buf_add(&both, STR("::"));
    buf_add(&both, path);
    str_id id = facts_str(w->x.facts, buf_str(&both));
    buf_fini(&both);
    return id;
}

/* Splits a path at its last `::`. */
static void
add_path(struct visitor *w, str_id path, const struct use *use, TSNode at)
{
    str text = facts_text(w->x.facts, path);
    size_t cut = text.len;
    struct fact_import import = {.alias = use->alias};

    while (cut > 1 && !(text.ptr[cut - 1] == ':' && text.ptr[cut - 2] == ':'))
        cut--;
    if (cut <= 1) {
        import.kind = IMPORT_MODULE;
        import.module = path;
    } else {
        char name[FACT_STR_MAX];
        str tail = str_cut(text, cut, text.len);
        /* Interning may move what |tail| views. */
        memcpy(name, tail.ptr, tail.len);
        import.kind = IMPORT_NAME;
        import.module = join(w, 0, str_cut(text, 0, cut - 2));
        import.name = facts_str(w->x.facts, (str){name, tail.len});
    }
    add_use(w, import, use->is_public, at);
}

static void use_of(struct visitor *w, TSNode node, const struct use *use);

static void
use_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)field;
    if (extract_enter(&w->x)) {
        use_of(w, child, ctx);
        extract_leave(&w->x);
    }
}

static void
use_of(struct visitor *w, TSNode node, const struct use *use)
{
    struct use inner = *use;

    switch (visit_kind(w, node)) {
    case K_USE_AS:
        inner.alias = extract_str(&w->x, visit_field(w, node, F_ALIAS));
        use_of(w, visit_field(w, node, F_PATH), &inner);
        return;
    case K_SCOPED_LIST:
        inner.prefix =
            join(w, use->prefix, visit_text(w, visit_field(w, node, F_PATH)));
        visit_each(w, visit_field(w, node, F_LIST), use_one, &inner);
        return;
    case K_USE_LIST:
        visit_each(w, node, use_one, &inner);
        return;
    case K_USE_STAR:
        add_use(w,
                (struct fact_import){
                    .kind = IMPORT_STAR,
                    .module =
                        join(w, use->prefix, visit_text(w, visit_first(node)))},
                use->is_public, node);
        return;
    case K_SELF: /* `a::{self}` is a */
        if (use->prefix)
            add_path(w, use->prefix, use, node);
        return;
    default:
        add_path(w, join(w, use->prefix, visit_text(w, node)), use, node);
    }
}

static bool
is_public(const struct visitor *w, TSNode node)
{
    return visit_kind(w, visit_first(node)) == K_VISIBILITY;
}

uint32_t
rust_use(struct visitor *w, TSNode node)
{
    struct use use = {.is_public = is_public(w, node)};
    TSNode argument = visit_field(w, node, F_ARGUMENT);

    if (!ts_node_is_null(argument))
        use_of(w, argument, &use);
    return 0;
}

uint32_t
rust_extern_crate(struct visitor *w, TSNode node)
{
    add_use(w,
            (struct fact_import){
                .kind = IMPORT_MODULE,
                .module = extract_str(&w->x, visit_field(w, node, F_NAME)),
                .alias = extract_str(&w->x, visit_field(w, node, F_ALIAS))},
            is_public(w, node), node);
    return 0;
}

/* ---- what stands in a file, a module, an impl block, a block ---- */

static void
block_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct rust *rust = rust_of(w);
    uint32_t len;

    (void)field;
    if (visit_kind(w, child) == K_ATTRIBUTE_ITEM) {
        if (rust->marks.len == 0)
            rust->marks_line = extract_line(child);
        visit_list_add(w, &rust->marks, visit(w, visit_first(child)));
        return;
    }
    uint32_t id = visit(w, child);
    if (!ts_node_is_extra(child))
        *(uint32_t *)ctx = id;
    extract_list_end(&w->x, &rust->marks, &len);
}

/* Its value is that of the expression at its end. */
uint32_t
rust_block(struct visitor *w, TSNode node)
{
    struct rust *rust = rust_of(w);
    uint32_t last = 0;
    uint32_t len;

    extract_list_end(&w->x, &rust->marks, &len);
    visit_each(w, node, block_one, &last);
    extract_list_end(&w->x, &rust->marks, &len);
    return last;
}

/* Gives |def| the attributes that stand before it. */
static void
take_marks(struct visitor *w, struct fact_def *def)
{
    struct rust *rust = rust_of(w);

    if (rust->marks.len > 0)
        def->start_line = rust->marks_line;
    def->marks_at = extract_list_end(&w->x, &rust->marks, &def->marks_len);
}

uint32_t
rust_item(struct visitor *w, TSNode node, struct fact_def def)
{
    TSNode name = visit_field(w, node, F_NAME);
    TSNode body = visit_field(w, node, F_BODY);

    take_marks(w, &def);
    def.name = extract_str(&w->x, name);
    def.flags |= is_public(w, node) ? DEF_EXPORTED : 0;
    return visit_def(w, def, node, name, body);
}

uint32_t
rust_mod(struct visitor *w, TSNode node)
{
    TSNode body = visit_field(w, node, F_BODY);
    struct buf path = {0};

    if (!ts_node_is_null(body)) {
        uint32_t before = visit_enter(
            w, rust_item(w, node, (struct fact_def){.kind = CODE_PACKAGE}));
        visit(w, body);
        visit_leave(w, before);
        return 0;
    }
    buf_add(&path, STR("self::"));
    buf_add(&path, visit_text(w, visit_field(w, node, F_NAME)));
    add_use(
        w,
        (struct fact_import){.kind = IMPORT_MODULE,
                             .module = facts_str(w->x.facts, buf_str(&path))},
        is_public(w, node), node);
    buf_fini(&path);
    return 0;
}

/* ---- types that are said to be others, traits, impl blocks ---- */

uint32_t
rust_type_item(struct visitor *w, TSNode node)
{
    TSNode type = visit_field(w, node, F_TYPE);
    struct fact_def def = {.kind = CODE_TYPE};

    /* `type T: Bound;` of a trait */
    if (ts_node_is_null(type))
        type = visit_first(visit_field(w, node, F_BOUNDS));
    rust_push(w, node);
    def.type = visit(w, type);
    rust_pop(w);
    uint32_t before = visit_enter(w, rust_of(w)->impl);
    if (!rust_of(w)->impl)
        visit_leave(w, before);
    rust_item(w, node, def);
    visit_leave(w, before);
    return 0;
}

/* What an impl block or a trait tells what stands in it. */
static void
members(struct visitor *w, TSNode body, str_id receiver, uint32_t impl,
        bool in_trait)
{
    struct rust *rust = rust_of(w);
    struct rust outer = {.receiver = rust->receiver,
                         .impl = rust->impl,
                         .in_trait = rust->in_trait};

    rust->receiver = receiver;
    rust->impl = impl;
    rust->in_trait = in_trait;
    visit(w, body);
    rust->receiver = outer.receiver;
    rust->impl = outer.impl;
    rust->in_trait = outer.in_trait;
}

uint32_t
rust_trait(struct visitor *w, TSNode node)
{
    struct fact_def def = {.kind = CODE_INTERFACE, .flags = DEF_TRAIT};
    struct extract_list bases = {0};

    visit_list(w, visit_field(w, node, F_BOUNDS), &bases);
    def.interfaces = bases.len;
    def.bases_at = extract_list_end(&w->x, &bases, &def.bases_len);
    uint32_t before = visit_enter(w, rust_item(w, node, def));
    rust_push(w, node);
    members(w, visit_field(w, node, F_BODY), 0, 0, true);
    rust_pop(w);
    visit_leave(w, before);
    return 0;
}

TSNode
rust_base_name(const struct visitor *w, TSNode type)
{
    enum { DEEP = 8 };

    for (int i = 0; i < DEEP; i++) {
        uint16_t kind = visit_kind(w, type);
        if (kind == K_SCOPED)
            return visit_field(w, type, F_NAME);
        if (kind != K_GENERIC && kind != K_REFERENCE)
            break;
        type = visit_field(w, type, F_TYPE);
    }
    return type;
}

/* T of `&T` and of `Box<T>`; null of what points to nothing. */
static TSNode
inner_of(const struct visitor *w, TSNode type)
{
    enum { DEEP = 8 };
    TSNode inner = {0};

    for (int i = 0; i < DEEP; i++) {
        uint16_t kind = visit_kind(w, type);
        str name = visit_text(w, rust_base_name(w, type));
        TSNode arguments = visit_field(w, type, F_TYPE_ARGUMENTS);
        if (kind == K_REFERENCE)
            inner = visit_field(w, type, F_TYPE);
        else if (kind == K_GENERIC &&
                 (str_eq(name, STR("Box")) || str_eq(name, STR("Arc")) ||
                  str_eq(name, STR("Rc"))))
            inner = visit_first(arguments);
        else
            break;
        type = inner;
    }
    return inner;
}

/* What an impl block is for.  One for all types with some bound, `impl X for
 * &T`, is for none of that name: `<T as X>`. */
static str_id
impl_name(struct visitor *w, TSNode node, TSNode *bound)
{
    TSNode type = rust_base_name(w, visit_field(w, node, F_TYPE));
    TSNode trait = rust_base_name(w, visit_field(w, node, F_TRAIT));
    struct buf name = {.cap_max = FACT_STR_MAX};

    if (ts_node_is_null(trait) || !rust_param(w, visit_text(w, type), bound))
        return extract_str(&w->x, type);
    buf_add_char(&name, '<');
    buf_add(&name, visit_text(w, visit_field(w, node, F_TYPE)));
    buf_add(&name, STR(" as "));
    buf_add(&name, visit_text(w, trait));
    buf_add_char(&name, '>');
    str_id id = facts_str(w->x.facts, buf_str(&name));
    buf_fini(&name);
    return id;
}

static uint32_t
extension(struct visitor *w, TSNode node, str_id name, uint32_t base,
          TSNode bound)
{
    struct extract_list list = {0};
    struct fact_def def = {
        .kind = CODE_TYPE, .flags = DEF_EXTENSION, .name = name};
    TSNode body = visit_field(w, node, F_BODY);

    if (base)
        visit_list_add(w, &list, base);
    if (!ts_node_is_null(bound))
        visit_list_add(w, &list, visit(w, bound));
    def.interfaces = list.len;
    def.bases_at = extract_list_end(&w->x, &list, &def.bases_len);
    return visit_def(w, def, node,
                     rust_base_name(w, visit_field(w, node, F_TYPE)), body);
}

static void
note_const(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)field;
    if (visit_kind(w, child) == K_CONST)
        *(bool *)ctx = true;
}

uint32_t
rust_impl(struct visitor *w, TSNode node)
{
    TSNode trait = visit_field(w, node, F_TRAIT);
    TSNode body = visit_field(w, node, F_BODY);
    struct rust *rust = rust_of(w);
    TSNode outer = rust->inner;
    TSNode outer_body = rust->body;
    TSNode bound = {0};
    bool has_const = false;
    uint32_t row = 0;

    rust_push(w, node);
    str_id name = impl_name(w, node, &bound);
    uint32_t base = visit(w, trait);

    visit_each(w, body, note_const, &has_const);
    if (base || has_const)
        row = extension(w, node, name, base, bound);
    rust->inner = inner_of(w, visit_field(w, node, F_TYPE));
    rust->body = body;
    members(w, body, name, row, !ts_node_is_null(trait));
    rust->inner = outer;
    rust->body = outer_body;
    rust_pop(w);
    return 0;
}

uint32_t
rust_const(struct visitor *w, TSNode node)
{
    struct rust *rust = rust_of(w);
    TSNode name = visit_field(w, node, F_NAME);
    bool is_const = visit_kind(w, node) == K_CONST;
    bool in_type = rust->impl || rust->in_trait;
    struct fact_bind bind = {.kind = in_type ? BIND_FIELD : BIND_LOCAL,
                             .flags = is_const ? BIND_CONST : 0,
                             .name = extract_str(&w->x, name)};
    uint32_t before = w->x.scope;
    uint8_t around = w->x.facts->defs[before].kind;

    bind.type = visit(w, visit_field(w, node, F_TYPE));
    if (!in_type && (around == CODE_FILE || around == CODE_PACKAGE))
        rust_item(w, node,
                  (struct fact_def){.kind = is_const ? CODE_CONST : CODE_VAR,
                                    .type = bind.type});
    bind.value = visit(w, visit_field(w, node, F_VALUE));
    visit_enter(w, rust->impl);
    visit_bind(w, bind, name);
    visit_leave(w, before);
    return 0;
}
