/*
 * Go's expressions.  `&x` and `*x` are x: what they point at has the same
 * methods.  `new(T)` and `make(T)` are written like `T{}`, which is what they
 * mean to whoever asks for the type of a value.
 */
#include "index/lang_go.h"

uint32_t
go_add(struct go *go, TSNode node, struct fact_expr expr)
{
    TSPoint at =
        ts_node_is_null(node) ? (TSPoint){0, 0} : ts_node_start_point(node);

    expr.scope = go->x->scope;
    expr.line = at.row + 1;
    expr.col = at.column;
    return facts_expr(go->x->facts, &expr);
}

uint32_t
go_add_name(struct go *go, TSNode node, str_id text)
{
    return go_add(go, node,
                  (struct fact_expr){.kind = EXPR_NAME, .text = text});
}

uint32_t
go_ident(struct go *go, TSNode node)
{
    return go_add_name(go, node, extract_str(go->x, node));
}

uint32_t
go_number(struct go *go, TSNode node)
{
    return go_add(go, node,
                  (struct fact_expr){.kind = EXPR_NUMBER,
                                     .text = extract_str(go->x, node)});
}

uint32_t
go_string(struct go *go, TSNode node)
{
    str text = extract_text(go->x, node);

    return go_add(go, node,
                  (struct fact_expr){.kind = EXPR_STRING,
                                     .text = extract_string(go->x, text, 0)});
}

uint32_t
go_raw_string(struct go *go, TSNode node)
{
    str text = extract_text(go->x, node);
    str_id id = facts_str(
        go->x->facts, text.len >= 2 ? str_cut(text, 1, text.len - 1) : text);

    return go_add(go, node,
                  (struct fact_expr){.kind = EXPR_STRING, .text = id});
}

static TSNode
inner(TSNode node)
{
    struct extract_children it = extract_children(node);
    TSNode found = {.id = NULL};

    if (extract_next(&it))
        found = it.node;
    extract_children_end(&it);
    return found;
}

uint32_t
go_paren(struct go *go, TSNode node)
{
    return go_value(go, inner(node));
}

uint32_t
go_spread(struct go *go, TSNode node)
{
    uint32_t value = go_value(go, inner(node));

    return go_add(go, node,
                  (struct fact_expr){.kind = EXPR_SPREAD, .a = value});
}

uint32_t
go_selector(struct go *go, TSNode node)
{
    uint32_t object = go_value(go, go_field(go, node, GO_F_OPERAND));
    str_id name = extract_str(go->x, go_field(go, node, GO_F_FIELD));

    return go_add(
        go, node,
        (struct fact_expr){.kind = EXPR_MEMBER, .a = object, .text = name});
}

uint32_t
go_index(struct go *go, TSNode node)
{
    uint32_t object = go_value(go, go_field(go, node, GO_F_OPERAND));
    uint32_t index = go_value(go, go_field(go, node, GO_F_INDEX));

    return go_add(go, node,
                  (struct fact_expr){
                      .kind = EXPR_INDEX,
                      .a = object,
                      .list_at = facts_list(go->x->facts, &index, 1),
                      .list_len = 1,
                  });
}

/* `f[K, V]`: a function or a type and what it is of. */
uint32_t
go_instance(struct go *go, TSNode node)
{
    struct extract_list list = {0};
    struct fact_expr expr = {.kind = EXPR_GENERIC};
    struct extract_children it = extract_children(node);

    while (extract_next(&it)) {
        uint32_t id = go_value(go, it.node);
        if (!expr.a)
            expr.a = id;
        else if (list.len < GO_LIST_MAX)
            extract_list_add(go->x, &list, id);
    }
    expr.list_at = extract_list_end(go->x, &list, &expr.list_len);
    return go_add(go, node, expr);
}

uint32_t
go_slice(struct go *go, TSNode node)
{
    struct extract_children it = extract_children(node);
    uint32_t object = 0;

    while (extract_next(&it))
        if (extract_is_field(go->x, &it, GO_F_OPERAND))
            object = go_value(go, it.node);
        else
            go_visit(go, it.node);
    return object;
}

/* `x.(T)` and `T(x)` where T can only be a type; `f[T](x)` of one argument is
 * taken for that, too, by the grammar, and is a call far more often. */
uint32_t
go_assertion(struct go *go, TSNode node)
{
    TSNode of = go_field(go, node, GO_F_TYPE);
    bool is_call =
        go_kind(go, node) == GO_CONVERSION &&
        (go_kind(go, of) == GO_GENERIC || go_kind(go, of) == GO_QUALIFIED);
    uint32_t value = go_value(go, go_field(go, node, GO_F_OPERAND));
    uint32_t type = go_value(go, of);

    if (is_call)
        return go_add(go, go_type_name(go, of),
                      (struct fact_expr){
                          .kind = EXPR_CALL,
                          .a = type,
                          .list_at = facts_list(go->x->facts, &value, 1),
                          .list_len = 1,
                      });
    return go_add(go, node,
                  (struct fact_expr){
                      .kind = EXPR_CAST,
                      .a = value,
                      .list_at = facts_list(go->x->facts, &type, 1),
                      .list_len = 1,
                  });
}

uint32_t
go_unary(struct go *go, TSNode node)
{
    str op = extract_text(go->x, go_field(go, node, GO_F_OPERATOR));
    TSNode operand = go_field(go, node, GO_F_OPERAND);

    if (str_eq(op, STR("&")) || str_eq(op, STR("*")))
        return go_value(go, operand);
    if (str_eq(op, STR("<-")))
        return go_add(
            go, node,
            (struct fact_expr){.kind = EXPR_ELEM, .a = go_value(go, operand)});
    go_visit(go, operand);
    return 0;
}

static bool
is_sum(const struct go *go, TSNode node)
{
    return go_kind(go, node) == GO_BINARY &&
           str_eq(extract_text(go->x, go_field(go, node, GO_F_OPERATOR)),
                  STR("+"));
}

/* A sum leans to the left, as deep as it is long: its parts are gathered from
 * the right without recursion. */
uint32_t
go_binary(struct go *go, TSNode node)
{
    TSNode parts[GO_LIST_MAX];
    uint32_t ids[GO_LIST_MAX];
    uint32_t len = 0;
    TSNode left = node;

    if (!is_sum(go, node)) {
        go_visit_children(go, node);
        return 0;
    }
    while (is_sum(go, left)) {
        TSNode right = go_field(go, left, GO_F_RIGHT);
        if (len < GO_LIST_MAX - 1)
            parts[len++] = right;
        else
            go_visit(go, right);
        left = go_field(go, left, GO_F_LEFT);
    }
    parts[len++] = left;
    for (uint32_t i = 0; i < len; i++)
        ids[i] = go_value(go, parts[len - 1 - i]);
    return go_add(go, node,
                  (struct fact_expr){
                      .kind = EXPR_CONCAT,
                      .list_at = facts_list(go->x->facts, ids, len),
                      .list_len = len,
                  });
}

/* Of the last name of a callee, by which it is told where the call is. */
static TSNode
callee_name(const struct go *go, TSNode callee)
{
    for (int depth = 0; depth < EXTRACT_DEPTH_MAX; depth++) {
        switch (go_kind(go, callee)) {
        case GO_SELECTOR:
            return go_field(go, callee, GO_F_FIELD);
        case GO_QUALIFIED:
            return go_field(go, callee, GO_F_NAME);
        case GO_INDEX:
            callee = go_field(go, callee, GO_F_OPERAND);
            break;
        case GO_INSTANCE:
        case GO_GENERIC:
            callee = go_field(go, callee, GO_F_TYPE);
            break;
        case GO_PAREN:
            callee = inner(callee);
            break;
        default:
            return callee;
        }
    }
    return callee;
}

static uint32_t
add_arguments(struct go *go, TSNode arguments, uint32_t skip,
              struct extract_list *list)
{
    struct extract_children it = extract_children(arguments);
    uint32_t first = 0;

    for (uint32_t i = 0; extract_next(&it); i++)
        if (list->len >= GO_LIST_MAX) {
            go_visit(go, it.node);
        } else {
            uint32_t id = go_value(go, it.node);
            first = i == 0 ? id : first;
            if (i >= skip)
                extract_list_add(go->x, list, id);
        }
    return first;
}

uint32_t
go_call(struct go *go, TSNode node)
{
    TSNode callee = go_field(go, node, GO_F_FUNCTION);
    TSNode arguments = go_field(go, node, GO_F_ARGUMENTS);
    TSNode types = go_field(go, node, GO_F_TYPE_ARGUMENTS);
    str name = extract_text(go->x, callee);
    bool is_new = (str_eq(name, STR("new")) || str_eq(name, STR("make"))) &&
                  !ts_node_is_null(inner(arguments));
    struct extract_list list = {0};
    struct fact_expr expr = {.kind = is_new ? EXPR_NEW : EXPR_CALL};

    if (!is_new)
        expr.a = go_value(go, callee);
    if (!ts_node_is_null(types)) {
        struct fact_expr generic = {.kind = EXPR_GENERIC, .a = expr.a};
        add_arguments(go, types, 0, &list);
        generic.list_at = extract_list_end(go->x, &list, &generic.list_len);
        expr.a = go_add(go, callee, generic);
    }
    uint32_t first = add_arguments(go, arguments, is_new, &list);

    if (is_new)
        expr.a = first;
    expr.list_at = extract_list_end(go->x, &list, &expr.list_len);
    TSNode at = callee_name(go, callee);

    /* `f()()` is two calls, that stand in two places. */
    return go_add(go, go_kind(go, at) == GO_CALL ? arguments : at, expr);
}

/* ---- composite literals ---- */

static uint32_t literal(struct go *go, TSNode at, TSNode body, uint32_t type);

/* Of what the elements are that are written without a type. */
static uint32_t
element_type(const struct go *go, uint32_t type, bool *is_map)
{
    const struct facts *facts = go->x->facts;
    const struct fact_expr *expr = &facts->exprs[type];

    *is_map = false;
    if (expr->kind != EXPR_GENERIC)
        return 0;
    str base = facts_text(facts, facts->exprs[expr->a].text);

    *is_map = str_eq(base, STR("map"));
    if (*is_map && expr->list_len == 2)
        return facts->lists[expr->list_at + 1];
    return str_eq(base, STR("[]")) && expr->list_len == 1
               ? facts->lists[expr->list_at]
               : 0;
}

static uint32_t
element(struct go *go, TSNode node, uint32_t type)
{
    TSNode held = go_kind(go, node) == GO_ELEMENT ? inner(node) : node;

    if (go_kind(go, held) == GO_LITERAL_VALUE)
        return literal(go, held, held, type);
    return go_value(go, held);
}

static uint32_t
keyed(struct go *go, TSNode node, uint32_t type, bool is_map)
{
    TSNode key = go_field(go, node, GO_F_KEY);
    TSNode name = go_kind(go, key) == GO_ELEMENT ? inner(key) : key;
    struct fact_expr pair = {.kind = EXPR_PAIR};
    str_id hint = 0;

    if (go_kind(go, name) == GO_IDENT && !is_map) {
        pair.text = hint = extract_str(go->x, name);
    } else if (go_kind(go, name) == GO_STRING) {
        pair.text = extract_string(go->x, extract_text(go->x, name), 0);
    } else {
        uint32_t id = element(go, key, 0);
        pair.list_at = facts_list(go->x->facts, &id, 1);
        pair.list_len = 1;
    }
    TSNode value = go_field(go, node, GO_F_VALUE);
    TSNode held = go_kind(go, value) == GO_ELEMENT ? inner(value) : value;

    if (go_kind(go, held) == GO_FUNC_LITERAL)
        go->hint = hint;
    pair.a = element(go, value, type);
    return go_add(go, node, pair);
}

static uint32_t
literal(struct go *go, TSNode at, TSNode body, uint32_t type)
{
    struct extract_list list = {0};
    struct fact_expr expr = {.kind = EXPR_NEW, .a = type};
    bool is_map;
    uint32_t of = element_type(go, type, &is_map);
    struct extract_children it = extract_children(body);
    bool is_kept = ++go->nesting <= GO_NESTING_MAX;

    if (!extract_enter(go->x)) {
        go->nesting--;
        extract_children_end(&it);
        return 0;
    }
    while (extract_next(&it))
        if (!is_kept || list.len >= GO_LIST_MAX)
            go_visit(go, it.node);
        else if (go_kind(go, it.node) == GO_KEYED)
            extract_list_add(go->x, &list, keyed(go, it.node, of, is_map));
        else
            extract_list_add(go->x, &list, element(go, it.node, of));
    extract_leave(go->x);
    go->nesting--;
    expr.list_at = extract_list_end(go->x, &list, &expr.list_len);
    return go_add(go, at, expr);
}

uint32_t
go_element(struct go *go, TSNode node)
{
    return element(go, node, 0);
}

uint32_t
go_composite(struct go *go, TSNode node)
{
    TSNode type = go_field(go, node, GO_F_TYPE);
    uint32_t id = go_value(go, type);

    return literal(go, go_type_name(go, type), go_field(go, node, GO_F_BODY),
                   id);
}
