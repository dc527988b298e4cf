/*
 * Rust: items among the tokens of a macro, `cfg_rt! { pub fn f() {} }`.  The
 * grammar has only tokens there; what stands between the braces is parsed once
 * more, in its place in the source, and counts where it is items and nothing
 * else.
 */
#include "index/lang_rust.h"

/* A file is parsed so many times in all, for macros in macros. */
enum { ITEMS_PARSES_MAX = 4 };

static bool
is_item(uint16_t kind)
{
    switch (kind) {
    case K_CONST:
    case K_ENUM:
    case K_EXTERN_CRATE:
    case K_FUNCTION:
    case K_IMPL:
    case K_MACRO_DEFINITION:
    case K_MOD:
    case K_STATIC:
    case K_STRUCT:
    case K_TRAIT:
    case K_TYPE_ITEM:
    case K_USE:
        return true;
    default:
        return false;
    }
}

struct kinds {
    bool has_item;
    bool has_other;
};

static void
kind_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct kinds *kinds = ctx;
    uint16_t kind = visit_kind(w, child);

    (void)field;
    if (is_item(kind) || kind == K_MACRO)
        kinds->has_item = true;
    else if (kind != K_ATTRIBUTE_ITEM)
        kinds->has_other = true;
}

/* The tree of what stands between the braces of |tokens|; NULL: none. */
static TSTree *
parse_inside(struct visitor *w, TSNode tokens)
{
    TSParser *parser = ts_parser_new();
    TSTree *tree = NULL;
    TSRange inside = {
        .start_point = ts_node_start_point(tokens),
        .end_point = ts_node_end_point(tokens),
        .start_byte = ts_node_start_byte(tokens) + 1,
        .end_byte = ts_node_end_byte(tokens) - 1,
    };

    inside.start_point.column++;
    inside.end_point.column--;
    if (parser && ts_parser_set_language(parser, w->x.language) &&
        ts_parser_set_included_ranges(parser, &inside, 1))
        tree = ts_parser_parse_string(parser, NULL, w->x.source.ptr,
                                      (uint32_t)w->x.source.len);
    if (!tree)
        w->x.facts->failed = true;
    ts_parser_delete(parser);
    return tree;
}

static bool
has_room(struct visitor *w, uint32_t bytes)
{
    struct rust *rust = rust_of(w);

    if (rust->parsed_bytes + bytes > ITEMS_PARSES_MAX * w->x.source.len) {
        w->x.facts->flags |= FACTS_PARTIAL;
        return false;
    }
    rust->parsed_bytes += bytes;
    return true;
}

static bool
is_braced(const struct visitor *w, TSNode node)
{
    str text = visit_text(w, node);

    return visit_kind(w, node) == K_TOKENS && text.len > 2 &&
           text.ptr[0] == '{' && text.ptr[text.len - 1] == '}';
}

static bool
items_in(struct visitor *w, TSNode tokens)
{
    struct rust *rust = rust_of(w);
    struct kinds kinds = {0};

    if (!is_braced(w, tokens) ||
        !has_room(w, (uint32_t)visit_text(w, tokens).len))
        return false;
    TSTree *tree = parse_inside(w, tokens);
    if (!tree)
        return false;
    TSNode root = ts_tree_root_node(tree);
    if (!ts_node_has_error(root))
        visit_each(w, root, kind_one, &kinds);
    bool is_items = kinds.has_item && !kinds.has_other;
    if (is_items)
        rust_block(w, root);
    rust->sought_item = (TSNode){0}; /* may be of this tree */
    ts_tree_delete(tree);
    return is_items;
}

/* `cfg_if! { if #[cfg(a)] { .. } else { .. } }` */
static void
arm_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)field;
    if (items_in(w, child))
        *(bool *)ctx = true;
}

static bool
is_among_items(const struct visitor *w, TSNode macro)
{
    const struct fact_def *around = &w->x.facts->defs[w->x.scope];
    TSNode parent = ts_node_parent(macro);

    if (around->kind == CODE_FUNCTION || around->kind == CODE_METHOD)
        return false;
    if (visit_kind(w, parent) == K_STATEMENT)
        parent = ts_node_parent(parent);
    return visit_kind(w, parent) == K_BLOCK ||
           visit_kind(w, parent) == K_DECLARATIONS;
}

bool
rust_items(struct visitor *w, TSNode macro, str name, TSNode tokens)
{
    bool is_found = false;

    if (!is_braced(w, tokens) || !is_among_items(w, macro) ||
        !extract_enter(&w->x))
        return false;
    if (str_eq(name, STR("cfg_if")))
        visit_each(w, tokens, arm_one, &is_found);
    else
        is_found = items_in(w, tokens);
    extract_leave(&w->x);
    return is_found;
}
