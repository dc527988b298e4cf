/*
 * Rust: macros and attributes.  Their arguments are tokens, not a tree; what
 * reads as a path, a call, a literal or `name = value` is taken, and the rest
 * is passed over up to the next comma, still looking for calls.
 */
#include "index/lang_rust.h"

#include <stdlib.h>

/* The tokens of one tree, unnamed ones too. */
struct tokens {
    TSNode *items;
    uint32_t len;
    uint32_t at;
};

enum { TOKENS_MAX = 4096 };

static bool
gather(struct visitor *w, TSNode tree, struct tokens *tokens)
{
    uint32_t len = ts_node_child_count(tree);
    TSTreeCursor cursor;

    *tokens = (struct tokens){0};
    if (len == 0)
        return false;
    if (len > TOKENS_MAX) {
        w->x.facts->flags |= FACTS_PARTIAL;
        len = TOKENS_MAX;
    }
    tokens->items = malloc(len * sizeof(*tokens->items));
    if (!tokens->items) {
        w->x.facts->failed = true;
        return false;
    }
    cursor = ts_tree_cursor_new(tree);
    for (bool more = ts_tree_cursor_goto_first_child(&cursor);
         more && tokens->len < len;
         more = ts_tree_cursor_goto_next_sibling(&cursor)) {
        TSNode child = ts_tree_cursor_current_node(&cursor);
        if (!ts_node_is_extra(child))
            tokens->items[tokens->len++] = child;
    }
    ts_tree_cursor_delete(&cursor);
    return true;
}

static bool
is_token(const struct visitor *w, const struct tokens *tokens, uint32_t at,
         str text)
{
    return at < tokens->len && str_eq(visit_text(w, tokens->items[at]), text);
}

static bool
is_group(const struct visitor *w, const struct tokens *tokens, char open)
{
    str text;

    if (tokens->at >= tokens->len ||
        visit_kind(w, tokens->items[tokens->at]) != K_TOKENS)
        return false;
    text = visit_text(w, tokens->items[tokens->at]);
    return text.len > 0 && text.ptr[0] == open;
}

static bool
is_word(const struct visitor *w, TSNode node)
{
    switch (visit_kind(w, node)) {
    case K_IDENTIFIER:
    case K_SELF:
    case K_SUPER:
    case K_CRATE:
    case K_NAME_TYPE:
        return true;
    default:
        return false;
    }
}

static uint32_t
group_call(struct visitor *w, struct tokens *tokens, uint32_t callee, TSNode at)
{
    struct extract_list list = {0};

    rust_tokens(w, tokens->items[tokens->at++], &list);
    return visit_listed(w, EXPR_CALL, callee, &list, at);
}

/* What follows a value: `.name`, `::name`, `(...)`, `?`. */
static uint32_t
postfix(struct visitor *w, struct tokens *tokens, uint32_t id, TSNode at)
{
    while (tokens->at < tokens->len) {
        uint32_t next = tokens->at + 1;
        if (is_group(w, tokens, '(')) {
            id = group_call(w, tokens, id, at);
        } else if (is_token(w, tokens, tokens->at, STR("?"))) {
            tokens->at++;
        } else if ((is_token(w, tokens, tokens->at, STR(".")) ||
                    is_token(w, tokens, tokens->at, STR("::"))) &&
                   next < tokens->len && is_word(w, tokens->items[next])) {
            at = tokens->items[next];
            tokens->at += 2;
            if (!str_eq(visit_text(w, at), STR("await")))
                id = visit_member(w, id, visit_text(w, at), at);
        } else {
            break;
        }
    }
    return id;
}

static uint32_t
group_array(struct visitor *w, struct tokens *tokens)
{
    TSNode group = tokens->items[tokens->at++];
    struct extract_list list = {0};

    rust_tokens(w, group, &list);
    return visit_listed(w, EXPR_ARRAY, 0, &list, group);
}

static uint32_t
value(struct visitor *w, struct tokens *tokens)
{
    static const str prefixes[] = {STR_INIT("&"), STR_INIT("*"),
                                   STR_INIT("mut"), STR_INIT("ref")};
    enum { PREFIXES = sizeof(prefixes) / sizeof(prefixes[0]) };
    size_t i = 0;

    while (i < PREFIXES)
        if (is_token(w, tokens, tokens->at, prefixes[i])) {
            tokens->at++;
            i = 0;
        } else {
            i++;
        }
    if (tokens->at >= tokens->len)
        return 0;
    TSNode token = tokens->items[tokens->at];
    if (is_group(w, tokens, '[') || is_group(w, tokens, '('))
        return postfix(w, tokens, group_array(w, tokens), token);
    uint16_t kind = visit_kind(w, token);
    bool is_literal =
        kind == K_STRING || kind == K_RAW_STRING || kind == K_NUMBER;

    tokens->at++;
    if (!is_literal && !is_word(w, token)) {
        struct extract_list inner = {0};
        uint32_t len;
        if (kind == K_TOKENS)
            rust_tokens(w, token, &inner);
        extract_list_end(&w->x, &inner, &len);
        return 0;
    }
    return postfix(w, tokens, visit(w, token), token);
}

static uint32_t
argument(struct visitor *w, struct tokens *tokens)
{
    TSNode first = tokens->items[tokens->at];
    uint32_t id = value(w, tokens);

    if (is_token(w, tokens, tokens->at, STR("=")) && is_word(w, first)) {
        tokens->at++;
        id = visit_pair(w, visit_text(w, first), value(w, tokens), first);
    }
    /* More than we read: calls in it still count. */
    while (tokens->at < tokens->len &&
           !is_token(w, tokens, tokens->at, STR(",")) &&
           !is_token(w, tokens, tokens->at, STR(";"))) {
        value(w, tokens);
        id = 0;
    }
    tokens->at++;
    return id;
}

void
rust_tokens(struct visitor *w, TSNode tree, struct extract_list *list)
{
    struct tokens tokens;

    if (!extract_enter(&w->x))
        return;
    if (gather(w, tree, &tokens)) {
        uint32_t len = tokens.len;
        /* Without what encloses them. */
        tokens.at = 1;
        tokens.len = len > 0 ? len - 1 : 0;
        while (tokens.at < tokens.len)
            visit_list_add(w, list, argument(w, &tokens));
    }
    free(tokens.items);
    extract_leave(&w->x);
}

uint32_t
rust_attribute(struct visitor *w, TSNode node)
{
    TSNode path = visit_first(node);
    TSNode arguments = visit_field(w, node, F_ARGUMENTS);
    TSNode given = visit_field(w, node, F_VALUE);
    struct extract_list list = {0};
    uint32_t name = visit(w, path);
    TSNode last =
        visit_kind(w, path) == K_SCOPED ? visit_field(w, path, F_NAME) : path;

    if (ts_node_is_null(arguments) && ts_node_is_null(given))
        return name;
    if (ts_node_is_null(arguments))
        visit_list_add(w, &list, visit(w, given));
    else
        rust_tokens(w, arguments, &list);
    return visit_listed(w, EXPR_CALL, name, &list, last);
}

/* `format!("a/{}/{b}", x)` is the sum of its parts. */
static uint32_t
format_parts(struct visitor *w, struct extract_list *args, TSNode node)
{
    struct extract_list parts = {0};
    uint32_t len;
    uint32_t next = 1;
    str rest = args->len ? visit_expr_text(w, args->items[0]) : STR("");
    char text[FACT_STR_MAX];

    /* Interning may move what |rest| views. */
    rest.len = rest.len < sizeof(text) ? rest.len : sizeof(text);
    if (rest.len > 0)
        memcpy(text, rest.ptr, rest.len);
    rest.ptr = text;
    while (rest.len > 0) {
        const char *open = memchr(rest.ptr, '{', rest.len);
        size_t at = open ? (size_t)(open - rest.ptr) : rest.len;
        str behind = str_cut(rest, at + 1, rest.len);
        const char *close =
            behind.len ? memchr(behind.ptr, '}', behind.len) : NULL;
        if (at > 0)
            visit_list_add(
                w, &parts,
                visit_leaf(w, EXPR_STRING, str_cut(rest, 0, at), node));
        if (!close)
            break;
        str name = str_cut(behind, 0, (size_t)(close - behind.ptr));
        const char *colon = name.len ? memchr(name.ptr, ':', name.len) : NULL;
        if (colon)
            name.len = (size_t)(colon - name.ptr);
        visit_list_add(w, &parts,
                       name.len > 0       ? visit_leaf(w, EXPR_NAME, name, node)
                       : next < args->len ? args->items[next++]
                                          : 0);
        rest = str_cut(behind, (size_t)(close - behind.ptr) + 1, behind.len);
    }
    extract_list_end(&w->x, args, &len);
    if (parts.len == 1) {
        uint32_t only = parts.items[0];
        extract_list_end(&w->x, &parts, &len);
        return only;
    }
    return visit_listed(w, EXPR_CONCAT, 0, &parts, node);
}

static bool
is_plain_macro(str name)
{
    static const char *const names[] = {
        "println", "eprintln", "print",        "eprint",      "panic",
        "write",   "writeln",  "assert",       "assert_eq",   "assert_ne",
        "todo",    "matches",  "debug_assert", "unreachable",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (str_eq(name, str_of(names[i])))
            return true;
    return false;
}

static TSNode
last_child(TSNode node)
{
    uint32_t len = ts_node_named_child_count(node);

    return len ? ts_node_named_child(node, len - 1) : node;
}

uint32_t
rust_macro(struct visitor *w, TSNode node)
{
    TSNode path = visit_field(w, node, F_MACRO);
    TSNode at =
        visit_kind(w, path) == K_SCOPED ? visit_field(w, path, F_NAME) : path;
    TSNode tree = last_child(node);
    struct extract_list list = {0};
    str name = visit_text(w, at);
    struct buf called = {0};
    uint32_t len;

    if (visit_kind(w, tree) == K_TOKENS && !rust_items(w, node, name, tree))
        rust_tokens(w, tree, &list);
    if (str_eq(name, STR("vec")))
        return visit_listed(w, EXPR_ARRAY, 0, &list, node);
    if (str_eq(name, STR("format")) && list.len > 0 &&
        visit_expr_kind(w, list.items[0]) == EXPR_STRING)
        return format_parts(w, &list, node);
    if (is_plain_macro(name)) {
        extract_list_end(&w->x, &list, &len);
        return 0;
    }
    buf_add(&called, name);
    buf_add_char(&called, '!');
    uint32_t callee = visit_leaf(w, EXPR_NAME, buf_str(&called), at);
    buf_fini(&called);
    return visit_listed(w, EXPR_CALL, callee, &list, at);
}
