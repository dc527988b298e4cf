/*
 * One recursion, bounded by extract_enter; children are visited with a cursor,
 * so long lists stay linear.
 */
#include "index/visit.h"

uint16_t
visit_kind(const struct visitor *w, TSNode node)
{
    /* The symbol of an ERROR node is beyond the table. */
    return ts_node_is_null(node) || ts_node_is_error(node)
               ? 0
               : w->x.symbols[ts_node_symbol(node)];
}

TSNode
visit_field(const struct visitor *w, TSNode node, uint16_t field)
{
    return ts_node_is_null(node) ? node : extract_field(&w->x, node, field);
}

str
visit_text(const struct visitor *w, TSNode node)
{
    return extract_text(&w->x, node);
}

/* Asking a node for its sibling searches from the root of the tree, which in
 * a long file is far; asking its parent is not. */
static TSNode
child_at(TSNode node, uint32_t index)
{
    enum { LOOK = 8 }; /* comments in front of it */
    uint32_t seen = 0;

    if (ts_node_is_null(node))
        return node;
    for (uint32_t i = 0; i < LOOK + index; i++) {
        TSNode child = ts_node_named_child(node, i);
        if (ts_node_is_null(child))
            return child;
        if (!ts_node_is_extra(child) && seen++ == index)
            return child;
    }
    return (TSNode){0};
}

TSNode
visit_first(TSNode node)
{
    return child_at(node, 0);
}

TSNode
visit_second(TSNode node)
{
    return child_at(node, 1);
}

uint32_t
visit(struct visitor *w, TSNode node)
{
    if (ts_node_is_null(node) || ts_node_is_missing(node))
        return 0;
    /* A file whose root is an error still has whole definitions in it. */
    if (ts_node_is_error(node))
        return w->x.depth == 0 ? visit_children(w, node) : 0;
    uint16_t kind = visit_kind(w, node);
    visit_fn *handler = kind < w->len ? w->handlers[kind] : NULL;

    if (!handler && ts_node_child_count(node) == 0)
        return 0;
    if (!extract_enter(&w->x))
        return 0;
    uint32_t id = handler ? handler(w, node) : 0;
    if (!handler)
        visit_children(w, node);
    extract_leave(&w->x);
    return id;
}

/* What does not parse may have whole definitions in it; words are none. */
static void
each(struct visitor *w, TSNode node, bool is_rest, visit_each_fn *fn, void *ctx)
{
    bool is_root = ts_node_eq(node, w->x.root);
    TSTreeCursor cursor = ts_tree_cursor_new(node);

    for (bool more = ts_tree_cursor_goto_first_child(&cursor); more;
         more = ts_tree_cursor_goto_next_sibling(&cursor)) {
        TSNode child = ts_tree_cursor_current_node(&cursor);
        bool is_word = ts_node_child_count(child) == 0;
        if (ts_node_is_error(child) && is_root)
            each(w, child, true, fn, ctx);
        if (!ts_node_is_named(child) || ts_node_is_error(child) ||
            (is_word && (is_rest || ts_node_is_extra(child))))
            continue;
        fn(w, child, ts_tree_cursor_current_field_id(&cursor), ctx);
    }
    ts_tree_cursor_delete(&cursor);
}

void
visit_each(struct visitor *w, TSNode node, visit_each_fn *fn, void *ctx)
{
    if (!ts_node_is_null(node) && ts_node_child_count(node) > 0)
        each(w, node, false, fn, ctx);
}

static void
visit_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    uint32_t id = visit(w, child);

    (void)field;
    if (!ts_node_is_extra(child))
        *(uint32_t *)ctx = id;
}

uint32_t
visit_children(struct visitor *w, TSNode node)
{
    uint32_t last = 0;

    visit_each(w, node, visit_one, &last);
    return last;
}

static struct fact_expr
expr_at(const struct visitor *w, uint8_t kind, TSNode at)
{
    return (struct fact_expr){.kind = kind,
                              .scope = w->x.scope,
                              .line = extract_line(at),
                              .col = extract_col(at)};
}

uint32_t
visit_leaf(struct visitor *w, uint8_t kind, str text, TSNode at)
{
    struct fact_expr expr = expr_at(w, kind, at);

    expr.text = facts_str(w->x.facts, text);
    return facts_expr(w->x.facts, &expr);
}

uint32_t
visit_member(struct visitor *w, uint32_t object, str text, TSNode at)
{
    struct fact_expr expr = expr_at(w, EXPR_MEMBER, at);

    expr.a = object;
    expr.text = facts_str(w->x.facts, text);
    return facts_expr(w->x.facts, &expr);
}

uint32_t
visit_wrap(struct visitor *w, uint8_t kind, uint32_t a, TSNode at)
{
    struct fact_expr expr = expr_at(w, kind, at);

    expr.a = a;
    return facts_expr(w->x.facts, &expr);
}

uint32_t
visit_pair(struct visitor *w, str key, uint32_t value, TSNode at)
{
    struct fact_expr expr = expr_at(w, EXPR_PAIR, at);

    expr.a = value;
    expr.text = facts_str(w->x.facts, key);
    return facts_expr(w->x.facts, &expr);
}

uint32_t
visit_pair_by(struct visitor *w, uint32_t key, uint32_t value, TSNode at)
{
    struct extract_list list = {0};
    uint8_t kind = visit_expr_kind(w, key);

    if (kind == EXPR_STRING || kind == EXPR_NUMBER)
        return visit_pair(w, visit_expr_text(w, key), value, at);
    visit_list_add(w, &list, key);
    return visit_listed(w, EXPR_PAIR, value, &list, at);
}

uint32_t
visit_path(struct visitor *w, str path, const char *separator, TSNode at)
{
    size_t step = strlen(separator);
    uint32_t id = 0;
    bool is_first = true;

    for (size_t from = 0; from <= path.len;) {
        const char *hit =
            path.len > from
                ? memmem(path.ptr + from, path.len - from, separator, step)
                : NULL;
        size_t to = hit ? (size_t)(hit - path.ptr) : path.len;
        str part = str_cut(path, from, to);
        if (part.len > 0) {
            id = is_first ? visit_leaf(w, EXPR_NAME, part, at)
                          : visit_member(w, id, part, at);
            is_first = false;
        }
        from = to + step;
    }
    return id;
}

void
visit_list_add(struct visitor *w, struct extract_list *list, uint32_t id)
{
    if (list->len < VISIT_LIST_MAX)
        extract_list_add(&w->x, list, id);
}

static void
list_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    uint32_t id = visit(w, child);

    (void)field;
    if (!ts_node_is_extra(child))
        visit_list_add(w, ctx, id);
}

void
visit_list(struct visitor *w, TSNode node, struct extract_list *list)
{
    visit_each(w, node, list_one, list);
}

uint32_t
visit_listed(struct visitor *w, uint8_t kind, uint32_t a,
             struct extract_list *list, TSNode at)
{
    struct fact_expr expr = expr_at(w, kind, at);

    expr.a = a;
    expr.list_at = extract_list_end(&w->x, list, &expr.list_len);
    return facts_expr(w->x.facts, &expr);
}

uint32_t
visit_two(struct visitor *w, uint8_t kind, uint32_t one, uint32_t two,
          TSNode at)
{
    struct extract_list list = {0};

    if (kind == EXPR_ALT || kind == EXPR_CONCAT)
        visit_list_add(w, &list, one);
    visit_list_add(w, &list, two);
    return visit_listed(w, kind, list.len == 2 ? 0 : one, &list, at);
}

uint32_t
visit_collection(struct visitor *w, uint8_t kind, TSNode node)
{
    struct extract_list list = {0};

    if (w->nest >= VISIT_NEST_MAX) {
        visit_children(w, node);
        return 0;
    }
    w->nest++;
    visit_list(w, node, &list);
    w->nest--;
    return visit_listed(w, kind, 0, &list, node);
}

static void
add_parts(struct visitor *w, struct extract_list *list, uint32_t id)
{
    const struct facts *facts = w->x.facts;
    const struct fact_expr *expr = &facts->exprs[id];

    if (expr->kind != EXPR_CONCAT) {
        visit_list_add(w, list, id);
        return;
    }
    for (uint32_t i = 0; i < expr->list_len; i++)
        visit_list_add(w, list, facts->lists[expr->list_at + i]);
}

uint32_t
visit_concat(struct visitor *w, uint32_t left, uint32_t right, TSNode at)
{
    struct extract_list list = {0};

    add_parts(w, &list, left);
    add_parts(w, &list, right);
    return visit_listed(w, EXPR_CONCAT, 0, &list, at);
}

uint32_t
visit_sum(struct visitor *w, uint32_t left, uint32_t right, TSNode at)
{
    uint8_t one = visit_expr_kind(w, left);
    uint8_t two = visit_expr_kind(w, right);
    bool is_text = one == EXPR_STRING || one == EXPR_CONCAT ||
                   two == EXPR_STRING || two == EXPR_CONCAT;

    return is_text ? visit_concat(w, left, right, at) : 0;
}

uint8_t
visit_expr_kind(const struct visitor *w, uint32_t id)
{
    return w->x.facts->exprs[id].kind;
}

str
visit_expr_text(const struct visitor *w, uint32_t id)
{
    return facts_text(w->x.facts, w->x.facts->exprs[id].text);
}

uint32_t
visit_def(struct visitor *w, struct fact_def def, TSNode whole, TSNode name,
          TSNode body)
{
    TSNode at = ts_node_is_null(name) ? whole : name;

    def.parent = w->x.scope;
    def.line = extract_line(at);
    def.col = extract_col(at);
    if (!def.start_line || def.start_line > extract_line(whole))
        def.start_line = extract_line(whole);
    def.end_line = ts_node_end_point(whole).row + 1;
    if (!def.signature)
        def.signature = extract_signature(&w->x, whole, body);
    return facts_def(w->x.facts, &def);
}

uint32_t
visit_enter(struct visitor *w, uint32_t def)
{
    uint32_t before = w->x.scope;

    if (def)
        w->x.scope = def;
    return before;
}

void
visit_leave(struct visitor *w, uint32_t scope)
{
    w->x.scope = scope;
}

const struct fact_def *
visit_owner(const struct visitor *w)
{
    const struct fact_def *defs = w->x.facts->defs;
    uint32_t at = w->x.scope;

    while (at != 0 && defs[at].flags & DEF_LAMBDA)
        at = defs[at].parent;
    return &defs[at];
}

bool
visit_in_type(const struct visitor *w)
{
    uint8_t kind = w->x.facts->defs[w->x.scope].kind;

    return kind == CODE_TYPE || kind == CODE_INTERFACE || kind == CODE_PACKAGE;
}

static void
name_lambda(struct visitor *w, uint32_t value, str_id name)
{
    struct facts *facts = w->x.facts;
    const struct fact_expr *expr = &facts->exprs[value];

    if (expr->kind == EXPR_LAMBDA && expr->a && !facts->defs[expr->a].name)
        facts->defs[expr->a].name = name;
}

void
visit_bind(struct visitor *w, struct fact_bind bind, TSNode at)
{
    str_id hint = bind.name;

    bind.scope = w->x.scope;
    if (!bind.line)
        bind.line = extract_line(at);
    if (bind.target)
        hint = w->x.facts->exprs[bind.target].text;
    if (bind.value && hint)
        name_lambda(w, bind.value, hint);
    facts_bind(w->x.facts, &bind);
}

void
visit_assign(struct visitor *w, uint32_t target, uint32_t value, TSNode at)
{
    uint8_t kind = visit_expr_kind(w, target);

    if (kind == EXPR_MEMBER || kind == EXPR_NAME || kind == EXPR_INDEX)
        visit_bind(w,
                   (struct fact_bind){
                       .kind = BIND_ASSIGN, .target = target, .value = value},
                   at);
}

void
visit_return(struct visitor *w, uint32_t value, TSNode at)
{
    switch ((enum expr_kind)visit_expr_kind(w, value)) {
    case EXPR_OTHER:
    case EXPR_NUMBER:
    case EXPR_REGEX:
    case EXPR_SPREAD:
    case EXPR_KIND_END:
        return;
    default:
        visit_bind(w, (struct fact_bind){.kind = BIND_RETURN, .value = value},
                   at);
    }
}
