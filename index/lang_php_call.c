/*
 * PHP: calls, and what names are bound to.
 */
#include "index/lang_php.h"

uint32_t
php_argument(struct visitor *w, TSNode node)
{
    TSNode name = visit_field(w, node, F_NAME);
    uint32_t value = 0;

    if (ts_node_is_null(name))
        return visit_children(w, node);
    TSNode given = visit_second(node);
    value = visit(w, given);
    return visit_pair(w, visit_text(w, name), value, node);
}

/* Pest: `it('does', function () {})`. */
static void
mark_example(struct visitor *w, uint32_t callee,
             const struct extract_list *args)
{
    struct facts *facts = w->x.facts;
    uint32_t last = args->len ? args->items[args->len - 1] : 0;
    str name = visit_expr_text(w, callee);
    struct fact_def *def;

    if (!(facts->flags & FACTS_TEST) || args->len < 2 ||
        visit_expr_kind(w, callee) != EXPR_NAME ||
        visit_expr_kind(w, last) != EXPR_LAMBDA || !facts->exprs[last].a ||
        (!str_eq(name, STR("it")) && !str_eq(name, STR("test"))))
        return;
    def = &facts->defs[facts->exprs[last].a];
    def->flags |= DEF_TEST_CASE;
    if (visit_expr_kind(w, args->items[0]) == EXPR_STRING)
        def->name = facts->exprs[args->items[0]].text;
}

/* `define('NAME', value)` */
static void
add_defined(struct visitor *w, uint32_t callee, const struct extract_list *args,
            TSNode at)
{
    struct fact_bind bind = {.kind = BIND_LOCAL, .flags = BIND_CONST};

    if (args->len != 2 || visit_expr_kind(w, callee) != EXPR_NAME ||
        !str_eq(visit_expr_text(w, callee), STR("define")) ||
        visit_expr_kind(w, args->items[0]) != EXPR_STRING)
        return;
    bind.name = w->x.facts->exprs[args->items[0]].text;
    bind.value = args->items[1];
    visit_bind(w, bind, at);
    if (w->x.scope == 0)
        visit_def(w,
                  (struct fact_def){.kind = CODE_CONST,
                                    .flags = DEF_EXPORTED,
                                    .name = bind.name},
                  at, at, at);
}

/* `f(...)` is f itself. */
static uint32_t
call_with(struct visitor *w, uint32_t callee, TSNode node, TSNode name)
{
    TSNode arguments = visit_field(w, node, F_ARGUMENTS);
    struct extract_list list = {0};

    if (visit_kind(w, visit_first(arguments)) == K_PLACEHOLDER)
        return callee;
    visit_list(w, arguments, &list);
    mark_example(w, callee, &list);
    add_defined(w, callee, &list, node);
    return visit_listed(w, EXPR_CALL, callee, &list, name);
}

/* Of `A\B\f` the last name is where the call stands. */
static TSNode
last_name(const struct visitor *w, TSNode node)
{
    uint16_t kind = visit_kind(w, node);

    if (kind != K_QUALIFIED && kind != K_RELATIVE_NAME)
        return node;
    uint32_t len = ts_node_named_child_count(node);
    return len > 0 ? ts_node_named_child(node, len - 1) : node;
}

uint32_t
php_call(struct visitor *w, TSNode node)
{
    TSNode function = visit_field(w, node, F_FUNCTION);

    return call_with(w, visit(w, function), node, last_name(w, function));
}

static uint32_t
callee_in(struct visitor *w, uint32_t object, TSNode name)
{
    if (visit_kind(w, name) == K_NAME)
        return visit_member(w, object, visit_text(w, name), name);
    visit(w, name);
    return 0;
}

uint32_t
php_member_call(struct visitor *w, TSNode node)
{
    TSNode name = visit_field(w, node, F_NAME);
    uint32_t object = visit(w, visit_field(w, node, F_OBJECT));

    return call_with(w, callee_in(w, object, name), node, name);
}

uint32_t
php_scoped_call(struct visitor *w, TSNode node)
{
    TSNode name = visit_field(w, node, F_NAME);
    uint32_t scope = visit(w, visit_field(w, node, F_SCOPE));

    return call_with(w, callee_in(w, scope, name), node, name);
}

struct creation {
    uint32_t type;
    TSNode at;
    struct extract_list args;
};

static void
add_creation(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct creation *new = ctx;

    (void)field;
    if (visit_kind(w, child) == K_ARGUMENTS) {
        visit_list(w, child, &new->args);
        return;
    }
    new->at = last_name(w, child);
    new->type = visit(w, child);
}

uint32_t
php_new(struct visitor *w, TSNode node)
{
    struct creation new = {.at = node};

    visit_each(w, node, add_creation, &new);
    return visit_listed(w, EXPR_NEW, new.type, &new.args, new.at);
}

uint32_t
php_attribute(struct visitor *w, TSNode node)
{
    TSNode name = visit_first(node);
    TSNode arguments = visit_field(w, node, F_PARAMETERS);
    uint32_t callee = visit(w, name);
    struct extract_list list = {0};

    if (ts_node_is_null(arguments))
        return callee;
    visit_list(w, arguments, &list);
    return visit_listed(w, EXPR_CALL, callee, &list, last_name(w, name));
}

static void bind_target(struct visitor *w, TSNode left, struct fact_bind bind);

/* `[$a, $b]` by place, `['x' => $c]` by key. */
struct many {
    uint32_t value;
    uint32_t index;
    str_id key; /* of the element that follows */
    bool has_key;
};

static void
bind_element(struct visitor *w, TSNode element, struct many *many)
{
    struct fact_bind bind = {
        .flags = BIND_MULTI, .value = many->value, .index = many->index};

    if (many->has_key)
        bind = (struct fact_bind){
            .value = visit_member(w, many->value,
                                  facts_text(w->x.facts, many->key), element)};
    many->has_key = false;
    many->index++;
    bind_target(w, element, bind);
}

/* A key is known by the arrow behind it, so each child waits for the next. */
static void
end_element(struct visitor *w, TSNode token, TSNode waiting, struct many *many)
{
    if (ts_node_is_null(waiting))
        return;
    if (!str_eq(visit_text(w, token), STR("=>"))) {
        bind_element(w, waiting, many);
        return;
    }
    uint32_t key = visit(w, waiting); /* may move the expressions */
    many->key = w->x.facts->exprs[key].text;
    many->has_key = true;
}

static void
bind_list(struct visitor *w, TSNode list, uint32_t value)
{
    struct many many = {.value = value};
    TSTreeCursor cursor = ts_tree_cursor_new(list);
    TSNode waiting = {0};

    for (bool more = ts_tree_cursor_goto_first_child(&cursor); more;
         more = ts_tree_cursor_goto_next_sibling(&cursor)) {
        TSNode child = ts_tree_cursor_current_node(&cursor);
        if (ts_node_is_extra(child))
            continue;
        if (!ts_node_is_named(child))
            end_element(w, child, waiting, &many);
        waiting = ts_node_is_named(child) ? child : (TSNode){0};
    }
    ts_tree_cursor_delete(&cursor);
}

static void
bind_target(struct visitor *w, TSNode left, struct fact_bind bind)
{
    uint16_t kind = visit_kind(w, left);

    if (kind == K_BY_REF || kind == K_INNER) {
        left = visit_first(left);
        kind = visit_kind(w, left);
    }
    if (kind == K_LIST) {
        if (extract_enter(&w->x)) {
            bind_list(w, left, bind.value);
            extract_leave(&w->x);
        }
        return;
    }
    if (kind == K_VARIABLE && !str_eq(visit_text(w, left), STR("$this"))) {
        bind.kind = BIND_LOCAL;
        bind.name = extract_str(&w->x, left);
        visit_bind(w, bind, left);
        return;
    }
    bind.kind = BIND_ASSIGN;
    bind.target = visit(w, left);
    if (bind.target)
        visit_bind(w, bind, left);
}

uint32_t
php_assign(struct visitor *w, TSNode node)
{
    uint32_t value = visit(w, visit_field(w, node, F_RIGHT));

    bind_target(w, visit_field(w, node, F_LEFT),
                (struct fact_bind){.value = value});
    return value;
}

uint32_t
php_augmented(struct visitor *w, TSNode node)
{
    if (str_eq(visit_text(w, visit_field(w, node, F_OPERATOR)), STR("?"
                                                                    "?=")))
        return php_assign(w, node);
    visit_children(w, node);
    return 0;
}

uint32_t
php_foreach(struct visitor *w, TSNode node)
{
    TSNode list = visit_first(node);
    uint32_t from = visit(w, list);
    TSNode item = visit_second(node);

    if (visit_kind(w, item) == K_PAIR) {
        struct fact_expr key = {.kind = EXPR_ELEM,
                                .scope = w->x.scope,
                                .text = facts_str(w->x.facts, STR("key")),
                                .a = from,
                                .line = extract_line(item),
                                .col = extract_col(item)};
        TSNode first = visit_first(item);
        bind_target(w, first,
                    (struct fact_bind){.value = facts_expr(w->x.facts, &key)});
        item = visit_second(item);
    }
    if (!ts_node_is_null(item))
        bind_target(
            w, item,
            (struct fact_bind){.value = visit_wrap(w, EXPR_ELEM, from, item)});
    visit(w, visit_field(w, node, F_BODY));
    return 0;
}

uint32_t
php_catch(struct visitor *w, TSNode node)
{
    TSNode name = visit_field(w, node, F_NAME);
    uint32_t type = visit(w, visit_field(w, node, F_TYPE));

    if (!ts_node_is_null(name))
        visit_bind(w,
                   (struct fact_bind){.kind = BIND_LOCAL,
                                      .name = extract_str(&w->x, name),
                                      .type = type},
                   name);
    visit(w, visit_field(w, node, F_BODY));
    return 0;
}

uint32_t
php_static_variable(struct visitor *w, TSNode node)
{
    uint32_t value = visit(w, visit_field(w, node, F_VALUE));

    bind_target(w, visit_field(w, node, F_NAME),
                (struct fact_bind){.value = value});
    return 0;
}

uint32_t
php_return(struct visitor *w, TSNode node)
{
    visit_return(w, visit(w, visit_first(node)), node);
    return 0;
}

/* `__DIR__ . '/x.php'` is `./x.php`; what is computed is left out.  What it
 * gives is told as a call. */
uint32_t
php_include(struct visitor *w, TSNode node)
{
    struct facts *facts = w->x.facts;
    uint32_t id = visit(w, visit_first(node));
    const struct fact_expr *expr = &facts->exprs[id];
    struct buf path = {0};

    if (expr->kind == EXPR_STRING) {
        buf_add(&path, facts_text(facts, expr->text));
    } else if (expr->kind == EXPR_CONCAT && expr->list_len == 2) {
        uint32_t one = facts->lists[expr->list_at];
        uint32_t two = facts->lists[expr->list_at + 1];
        if (str_eq(visit_expr_text(w, one), STR("__DIR__")) &&
            visit_expr_kind(w, two) == EXPR_STRING) {
            buf_add_char(&path, '.');
            buf_add(&path, visit_expr_text(w, two));
        }
    }
    if (path.len > 0)
        facts_import(facts, &(struct fact_import){
                                .kind = IMPORT_INCLUDE,
                                .scope = w->x.scope,
                                .module = facts_str(facts, buf_str(&path)),
                                .line = extract_line(node)});
    buf_fini(&path);
    struct extract_list list = {0};
    uint32_t name = visit_leaf(w, EXPR_NAME, STR("require"), node);
    visit_list_add(w, &list, id);
    return visit_listed(w, EXPR_CALL, name, &list, node);
}
