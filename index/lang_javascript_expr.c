/*
 * JavaScript's expressions.  Casts, `!`, parentheses and optional chaining do
 * not change what is called; `a || b` and `c ? a : b` are one of two.
 */
#include "index/lang_javascript.h"

uint32_t
js_add(struct js *js, TSNode node, struct fact_expr expr)
{
    TSPoint at =
        ts_node_is_null(node) ? (TSPoint){0, 0} : ts_node_start_point(node);

    expr.scope = js->x->scope;
    expr.line = at.row + 1;
    expr.col = at.column;
    return facts_expr(js->x->facts, &expr);
}

uint32_t
js_add_name(struct js *js, TSNode node, str_id text)
{
    return js_add(js, node,
                  (struct fact_expr){.kind = EXPR_NAME, .text = text});
}

uint32_t
js_add_member(struct js *js, TSNode node, uint32_t object, str_id name)
{
    return js_add(
        js, node,
        (struct fact_expr){.kind = EXPR_MEMBER, .a = object, .text = name});
}

uint32_t
js_add_list(struct js *js, TSNode node, struct fact_expr expr,
            struct extract_list *list)
{
    expr.list_at = extract_list_end(js->x, list, &expr.list_len);
    return js_add(js, node, expr);
}

TSNode
js_first(TSNode node)
{
    struct extract_children it = extract_children(node);
    TSNode found = {.id = NULL};

    if (extract_next(&it))
        found = it.node;
    extract_children_end(&it);
    return found;
}

TSNode
js_last(TSNode node)
{
    struct extract_children it = extract_children(node);
    TSNode found = {.id = NULL};

    while (extract_next(&it))
        found = it.node;
    return found;
}

TSNode
js_unwrapped(const struct js *js, TSNode node)
{
    for (int depth = 0; depth < EXTRACT_DEPTH_MAX; depth++) {
        switch (js_kind(js, node)) {
        case JS_PAREN:
        case JS_AS:
        case JS_SATISFIES:
        case JS_NON_NULL:
            node = js_first(node);
            break;
        default:
            return node;
        }
    }
    return node;
}

uint32_t
js_ident(struct js *js, TSNode node)
{
    return js_add_name(js, node, extract_str(js->x, node));
}

uint32_t
js_string(struct js *js, TSNode node)
{
    str text = extract_text(js->x, node);

    return js_add(js, node,
                  (struct fact_expr){.kind = EXPR_STRING,
                                     .text = extract_string(js->x, text, 0)});
}

/* The text of a template between two substitutions. */
static void
add_piece(struct js *js, struct extract_list *list, TSNode node, uint32_t from,
          uint32_t to)
{
    str text = str_cut(js->x->source, from, to);

    if (text.len > 0 && list->len < JS_LIST_MAX)
        extract_list_add(
            js->x, list,
            js_add(js, node,
                   (struct fact_expr){.kind = EXPR_STRING,
                                      .text = extract_string(js->x, text, 0)}));
}

uint32_t
js_template(struct js *js, TSNode node)
{
    struct extract_list list = {0};
    struct extract_children it = extract_children(node);
    uint32_t from = ts_node_start_byte(node) + 1;
    uint32_t end = ts_node_end_byte(node);
    bool is_plain = true;

    while (extract_next(&it)) {
        if (js_kind(js, it.node) != JS_SUBSTITUTION)
            continue;
        is_plain = false;
        add_piece(js, &list, node, from, ts_node_start_byte(it.node));
        from = ts_node_end_byte(it.node);
        uint32_t value = js_value(js, js_first(it.node));
        if (list.len < JS_LIST_MAX)
            extract_list_add(js->x, &list, value);
    }
    if (is_plain)
        return js_string(js, node);
    add_piece(js, &list, node, from, end > from ? end - 1 : from);
    return js_add_list(js, node, (struct fact_expr){.kind = EXPR_CONCAT},
                       &list);
}

uint32_t
js_number(struct js *js, TSNode node)
{
    return js_add(js, node,
                  (struct fact_expr){.kind = EXPR_NUMBER,
                                     .text = extract_str(js->x, node)});
}

uint32_t
js_regex(struct js *js, TSNode node)
{
    TSNode pattern = js_field(js, node, JS_F_PATTERN);

    return js_add(js, node,
                  (struct fact_expr){.kind = EXPR_REGEX,
                                     .text = extract_str(js->x, pattern)});
}

uint32_t
js_this(struct js *js, TSNode node)
{
    return js_add(js, node, (struct fact_expr){.kind = EXPR_SELF});
}

uint32_t
js_super(struct js *js, TSNode node)
{
    return js_add(js, node, (struct fact_expr){.kind = EXPR_SUPER});
}

uint32_t
js_member(struct js *js, TSNode node)
{
    uint32_t object = js_value(js, js_field(js, node, JS_F_OBJECT));
    TSNode name = js_field(js, node, JS_F_PROPERTY);

    return js_add_member(js, node, object, extract_str(js->x, name));
}

uint32_t
js_subscript(struct js *js, TSNode node)
{
    struct facts *facts = js->x->facts;
    uint32_t object = js_value(js, js_field(js, node, JS_F_OBJECT));
    uint32_t index = js_value(js, js_field(js, node, JS_F_INDEX));

    if (facts->exprs[index].kind == EXPR_STRING)
        return js_add_member(js, node, object, facts->exprs[index].text);
    return js_add(js, node,
                  (struct fact_expr){
                      .kind = EXPR_INDEX,
                      .a = object,
                      .list_at = facts_list(facts, &index, 1),
                      .list_len = 1,
                  });
}

str_id
js_key(struct js *js, TSNode key)
{
    return js_kind(js, key) == JS_STRING
               ? extract_string(js->x, extract_text(js->x, key), 0)
               : extract_str(js->x, key);
}

static uint32_t
add_pair(struct js *js, TSNode node, TSNode key, uint32_t value)
{
    struct fact_expr pair = {.kind = EXPR_PAIR, .a = value};

    if (js_kind(js, key) == JS_COMPUTED) {
        uint32_t id = js_value(js, js_first(key));
        pair.list_at = facts_list(js->x->facts, &id, 1);
        pair.list_len = 1;
    } else {
        pair.text = js_key(js, key);
    }
    return js_add(js, node, pair);
}

static uint32_t
object_entry(struct js *js, TSNode node)
{
    TSNode key;

    switch (js_kind(js, node)) {
    case JS_PAIR: {
        key = js_field(js, node, JS_F_KEY);
        uint32_t value =
            js_bound_value(js, js_field(js, node, JS_F_VALUE),
                           (struct js_hint){.name = key, .outer = node});
        return add_pair(js, node, key, value);
    }
    case JS_METHOD:
        key = js_field(js, node, JS_F_NAME);
        return add_pair(js, node, key, js_method_of_object(js, node));
    case JS_SHORTHAND:
        return add_pair(js, node, node, js_ident(js, node));
    default:
        return js_value(js, node);
    }
}

/* Of long lists only the beginning is kept, but a module of helpers exports
 * more functions than that. */
static bool
is_kept_of_many(const struct js *js, TSNode node, uint32_t len)
{
    uint16_t kind = js_kind(js, node);
    TSNode value = js_field(js, node, JS_F_VALUE);

    if (len < JS_LIST_MAX)
        return true;
    bool may_be_called = kind == JS_METHOD || kind == JS_SHORTHAND ||
                         (kind == JS_PAIR && (js_is_function(js, value) ||
                                              js_kind(js, value) == JS_IDENT));
    return may_be_called && len < JS_FUNCTIONS_MAX;
}

static uint32_t
gather(struct js *js, TSNode node, uint8_t kind,
       uint32_t (*entry)(struct js *js, TSNode node))
{
    struct extract_list list = {0};
    struct extract_children it = extract_children(node);
    bool is_kept = ++js->nesting <= JS_NESTING_MAX;

    while (extract_next(&it))
        if (is_kept && is_kept_of_many(js, it.node, list.len))
            extract_list_add(js->x, &list, entry(js, it.node));
        else
            js_visit(js, it.node);
    js->nesting--;
    return js_add_list(js, node, (struct fact_expr){.kind = kind}, &list);
}

uint32_t
js_object(struct js *js, TSNode node)
{
    return gather(js, node, EXPR_OBJECT, object_entry);
}

uint32_t
js_array(struct js *js, TSNode node)
{
    return gather(js, node, EXPR_ARRAY, js_value);
}

uint32_t
js_spread(struct js *js, TSNode node)
{
    uint32_t value = js_value(js, js_first(node));

    return js_add(js, node,
                  (struct fact_expr){.kind = EXPR_SPREAD, .a = value});
}

uint32_t
js_await(struct js *js, TSNode node)
{
    uint32_t value = js_value(js, js_first(node));

    return js_add(js, node, (struct fact_expr){.kind = EXPR_AWAIT, .a = value});
}

uint32_t
js_paren(struct js *js, TSNode node)
{
    return js_value(js, js_first(node));
}

uint32_t
js_sequence(struct js *js, TSNode node)
{
    struct extract_children it = extract_children(node);
    uint32_t last = 0;

    while (extract_next(&it))
        last = js_value(js, it.node);
    return last;
}

/* `x as T`, `<T>x`; of `x as const` only x remains. */
uint32_t
js_cast(struct js *js, TSNode node)
{
    struct extract_children it = extract_children(node);
    TSNode parts[2] = {{.id = NULL}, {.id = NULL}};
    bool is_prefix = js_kind(js, node) == JS_TYPE_ASSERTION;

    for (uint32_t i = 0; extract_next(&it); i++)
        if (i < 2)
            parts[i] = it.node;
    uint32_t value = js_value(js, parts[is_prefix]);
    TSNode written = parts[!is_prefix];
    uint32_t type =
        is_prefix ? js_value(js, js_first(written)) : js_value(js, written);

    if (!type)
        return value;
    return js_add(js, node,
                  (struct fact_expr){
                      .kind = EXPR_CAST,
                      .a = value,
                      .list_at = facts_list(js->x->facts, &type, 1),
                      .list_len = 1,
                  });
}

/* `x satisfies T` stays what x is. */
uint32_t
js_satisfies(struct js *js, TSNode node)
{
    return js_value(js, js_first(node));
}

uint32_t
js_instantiation(struct js *js, TSNode node)
{
    TSNode function = js_field(js, node, JS_F_FUNCTION);
    uint32_t base =
        js_value(js, ts_node_is_null(function) ? js_first(node) : function);

    return js_type_arguments(js, node, base,
                             js_field(js, node, JS_F_TYPE_ARGUMENTS));
}

static uint32_t
one_of(struct js *js, TSNode node, TSNode left, TSNode right)
{
    struct extract_list list = {0};

    extract_list_add(js->x, &list, js_value(js, left));
    extract_list_add(js->x, &list, js_value(js, right));
    return js_add_list(js, node, (struct fact_expr){.kind = EXPR_ALT}, &list);
}

uint32_t
js_ternary(struct js *js, TSNode node)
{
    js_visit(js, js_field(js, node, JS_F_CONDITION));
    return one_of(js, node, js_field(js, node, JS_F_CONSEQUENCE),
                  js_field(js, node, JS_F_ALTERNATIVE));
}

static bool
is_sum(const struct js *js, TSNode node)
{
    return js_kind(js, node) == JS_BINARY &&
           str_eq(extract_text(js->x, js_field(js, node, JS_F_OPERATOR)),
                  STR("+"));
}

/* A sum leans to the left, as deep as it is long. */
static uint32_t
sum(struct js *js, TSNode node)
{
    TSNode parts[JS_LIST_MAX];
    struct extract_list list = {0};
    uint32_t len = 0;
    TSNode left = node;

    while (is_sum(js, left)) {
        TSNode right = js_field(js, left, JS_F_RIGHT);
        if (len < JS_LIST_MAX - 1)
            parts[len++] = right;
        else
            js_visit(js, right);
        left = js_field(js, left, JS_F_LEFT);
    }
    parts[len++] = left;
    while (len > 0)
        extract_list_add(js->x, &list, js_value(js, parts[--len]));
    return js_add_list(js, node, (struct fact_expr){.kind = EXPR_CONCAT},
                       &list);
}

uint32_t
js_binary(struct js *js, TSNode node)
{
    str op = extract_text(js->x, js_field(js, node, JS_F_OPERATOR));
    TSNode left = js_field(js, node, JS_F_LEFT);
    TSNode right = js_field(js, node, JS_F_RIGHT);

    if (str_eq(op, STR("+")))
        return sum(js, node);
    if (str_eq(op, STR("||")) || str_eq(op, STR("\?\?")))
        return one_of(js, node, left, right);
    js_visit(js, left);
    if (str_eq(op, STR("&&")))
        return js_value(js, right);
    js_visit(js, right);
    return 0;
}
