/*
 * Every name that is bound gets a row, with a value of 0 where none is kept,
 * because a name that is local hides the one of the file.
 */
#include "index/lang_python.h"
#include "index/walk_def.h"

static void
bind_name(struct walk *w, TSNode target, const struct python_bound *to)
{
    const struct python *python = python_of(w);
    uint32_t scope = w->x->scope;
    struct fact_bind bind = {
        .kind = BIND_LOCAL,
        .flags = to->flags,
        .name = extract_str(w->x, target),
        .type = to->type,
        .value = to->value,
        .index = to->index,
    };

    for (uint32_t i = 0; i < python->outer_len; i++)
        if (python->outer[i].name == bind.name)
            scope = python->outer[i].scope;
    if (python_is_type(w, scope) && !to->is_local)
        bind.kind = BIND_FIELD;
    bind.scope = scope;
    if (python->until && !(to->flags & BIND_MULTI)) {
        bind.flags |= BIND_HOLDS;
        bind.index = python->until;
    }
    walk_bind(w, to->line, bind);
}

static bool
is_pattern(uint16_t kind)
{
    return kind == PY_PATTERN_LIST || kind == PY_TUPLE_PATTERN ||
           kind == PY_LIST_PATTERN || kind == PY_TUPLE || kind == PY_LIST ||
           kind == PY_EXPR_LIST;
}

struct spread {
    const struct python_bound *to;
    uint32_t index;
    bool is_nested;
};

/* The value of which element |index| is taken, for patterns in patterns. */
static uint32_t
element(struct walk *w, TSNode at, uint32_t value, uint32_t index)
{
    struct extract_list list = {0};
    char digits[12];
    struct buf text = {.cap_max = sizeof(digits)};

    if (value == 0)
        return 0;
    buf_add_u64(&text, index);
    extract_list_add(
        w->x, &list,
        walk_put(w, at,
                 (struct fact_expr){
                     .kind = EXPR_NUMBER,
                     .text = facts_str(w->x->facts, buf_str(&text))}));
    buf_fini(&text);
    return walk_put_list(
        w, at, (struct fact_expr){.kind = EXPR_INDEX, .a = value}, &list);
}

static void
bind_element(struct walk *w, TSNode target, void *ctx)
{
    struct spread *spread = ctx;
    struct python_bound to = *spread->to;
    uint16_t kind = walk_kind(w, target);
    uint32_t index = spread->index++;

    if (to.value && (to.flags & BIND_MULTI))
        to.value = element(w, target, to.value, to.index);
    /* `a, b = x, y` */
    const struct fact_expr *value = walk_expr(w, to.value);
    if (value->kind == EXPR_ARRAY && index < value->list_len) {
        to.value = w->x->facts->lists[value->list_at + index];
        to.flags &= ~BIND_MULTI;
    } else {
        to.flags |= BIND_MULTI;
        to.index = index;
    }
    to.type = 0;
    if (kind == PY_LIST_SPLAT_PATTERN || kind == PY_LIST_SPLAT) {
        to.value = 0;
        to.flags &= ~BIND_MULTI;
        target = walk_child(w, target, 0);
    }
    python_bind(w, target, &to);
}

void
python_bind(struct walk *w, TSNode target, const struct python_bound *to)
{
    uint16_t kind = walk_kind(w, target);

    if (kind == PY_IDENTIFIER) {
        bind_name(w, target, to);
    } else if (kind == PY_PARENTHESIZED) {
        python_bind(w, walk_child(w, target, 0), to);
    } else if (is_pattern(kind)) {
        struct spread spread = {.to = to};
        if (!extract_enter(w->x))
            return;
        walk_each(w, target, bind_element, &spread);
        extract_leave(w->x);
    } else if (kind == PY_ATTRIBUTE || kind == PY_SUBSCRIPT) {
        uint32_t expr = walk_value(w, target);
        if (expr == 0)
            return;
        walk_bind(w, to->line,
                  (struct fact_bind){.kind = BIND_ASSIGN,
                                     .flags = to->flags,
                                     .scope = w->x->scope,
                                     .type = to->type,
                                     .value = to->value,
                                     .target = expr,
                                     .index = to->index});
    } else {
        walk_pass(w, target);
    }
}

/* ---- assignments ---- */

static bool
is_upper(str name)
{
    bool has_letter = false;

    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] >= 'a' && name.ptr[i] <= 'z')
            return false;
        has_letter = has_letter || (name.ptr[i] >= 'A' && name.ptr[i] <= 'Z');
    }
    return has_letter;
}

uint32_t
python_assignment(struct walk *w, TSNode node)
{
    TSNode left = walk_field(w, node, PY_F_LEFT);
    struct python_annotation note =
        python_annotation(w, walk_field(w, node, PY_F_TYPE));
    uint32_t value = walk_value(w, walk_field(w, node, PY_F_RIGHT));
    bool is_name = walk_kind(w, left) == PY_IDENTIFIER;
    bool is_const = note.is_final ||
                    ((w->x->scope == 0 || python_is_type(w, w->x->scope)) &&
                     is_name && is_upper(extract_text(w->x, left)));
    const struct fact_expr *expr = walk_expr(w, value);

    if (is_name && expr->kind == EXPR_LAMBDA && walk_def(w, expr->a)->name == 0)
        walk_def(w, expr->a)->name = extract_str(w->x, left);
    python_bind(w, left,
                &(struct python_bound){
                    .type = note.type,
                    .value = value ? value : note.value,
                    .flags = is_const ? BIND_CONST : 0,
                    .line = left,
                });
    if (is_name && w->x->scope == 0 &&
        str_eq(extract_text(w->x, left), STR("__all__")))
        python_all(w, left, value);
    return value;
}

/* A literal, or a sum of which one is a part; other sums may be of lists. */
static bool
is_text(const struct walk *w, uint32_t id)
{
    const struct fact_expr *expr = walk_expr(w, id);

    if (expr->kind != EXPR_CONCAT)
        return expr->kind == EXPR_STRING;
    for (uint32_t i = 0; i < expr->list_len; i++)
        if (walk_expr_kind(w, w->x->facts->lists[expr->list_at + i]) ==
            EXPR_STRING)
            return true;
    return false;
}

/* `path += "/x"` binds a longer text.  What else is added is said by itself, of
 * a file only: it is a part of the list that the name is. */
void
python_augmented(struct walk *w, TSNode node)
{
    TSNode left = walk_field(w, node, PY_F_LEFT);
    struct extract_list sum = {0};
    uint32_t target = walk_value(w, left);
    uint32_t value = walk_value(w, walk_field(w, node, PY_F_RIGHT));
    str op = extract_text(w->x, walk_field(w, node, PY_F_OPERATOR));

    if (str_eq(op, STR("+=")) && is_text(w, value)) {
        extract_list_add(w->x, &sum, target);
        extract_list_add(w->x, &sum, value);
        value = walk_put_list(w, node, (struct fact_expr){.kind = EXPR_CONCAT},
                              &sum);
        python_bind(w, left,
                    &(struct python_bound){.value = value, .line = left});
    } else if (str_eq(extract_text(w->x, left), STR("__all__"))) {
        python_all(w, left, value);
    } else if (w->x->scope == 0) {
        walk_assign(w, node, target, value);
    }
}

uint32_t
python_named_expr(struct walk *w, TSNode node)
{
    TSNode name = walk_field(w, node, PY_F_NAME);
    uint32_t value = walk_value(w, walk_field(w, node, PY_F_VALUE));

    python_bind(
        w, name,
        &(struct python_bound){.value = value, .is_local = true, .line = name});
    return value;
}

void
python_type_alias(struct walk *w, TSNode node)
{
    TSNode left = walk_field(w, node, PY_F_LEFT);
    TSNode name = walk_child(w, left, 0);
    uint32_t value = python_type(w, walk_field(w, node, PY_F_RIGHT));

    if (walk_kind(w, name) == PY_GENERIC_TYPE)
        name = walk_child(w, name, 0);
    python_bind(w, name,
                &(struct python_bound){
                    .value = value, .flags = BIND_CONST, .line = name});
}

/* ---- blocks: what they bind may not hold behind them ---- */

void
python_block(struct walk *w, TSNode node)
{
    struct python *python = python_of(w);
    uint32_t was_until = python->until;

    python->until = ts_node_end_point(node).row + 1;
    walk_children(w, node);
    python->until = was_until;
}

/* The run comes by the body of a `with`, whatever else it does. */
void
python_with(struct walk *w, TSNode node)
{
    TSNode body = walk_field(w, node, PY_F_BODY);

    python_pass_but(w, node, body, body);
    walk_children(w, body);
}

/* ---- loops, comprehensions ---- */

static str
callee_name(const struct walk *w, uint32_t expr)
{
    const struct fact_expr *call = walk_expr(w, expr);

    if (call->kind != EXPR_CALL || call->list_len == 0 ||
        walk_expr_kind(w, call->a) != EXPR_NAME)
        return STR("");
    return walk_expr_text(w, call->a);
}

static bool
is_any(str name, const char *const *names)
{
    for (; *names; names++)
        if (str_eq(name, str_of(*names)))
            return true;
    return false;
}

/* What `for` takes from |collection|; built-in functions that only reorder or
 * copy are looked through. */
static uint32_t
element_of(struct walk *w, TSNode at, uint32_t collection)
{
    static const char *const same[] = {"sorted", "list", "reversed",  "tuple",
                                       "set",    "iter", "frozenset", NULL};

    while (is_any(callee_name(w, collection), same))
        collection = w->x->facts->lists[walk_expr(w, collection)->list_at];
    return collection ? walk_unary(w, at, EXPR_ELEM, collection) : 0;
}

/* `for i, v in enumerate(values)`, `for a, b in zip(as, bs)`: the elements as
 * an array, or 0. */
static uint32_t
elements_of(struct walk *w, TSNode at, uint32_t collection)
{
    const struct fact_expr call = *walk_expr(w, collection);
    str name = callee_name(w, collection);
    bool is_zip = str_eq(name, STR("zip"));
    struct extract_list list = {0};

    if (!is_zip && !str_eq(name, STR("enumerate")))
        return 0;
    if (!is_zip)
        extract_list_add(w->x, &list, 0);
    for (uint32_t i = 0; i < (is_zip ? call.list_len : 1); i++)
        extract_list_add(
            w->x, &list,
            element_of(w, at, w->x->facts->lists[call.list_at + i]));
    return walk_put_list(w, at, (struct fact_expr){.kind = EXPR_ARRAY}, &list);
}

static void
bind_loop(struct walk *w, TSNode node, TSNode line, bool is_local)
{
    TSNode left = walk_field(w, node, PY_F_LEFT);
    TSNode right = walk_field(w, node, PY_F_RIGHT);
    uint32_t collection = walk_value(w, right);
    uint32_t value =
        is_pattern(walk_kind(w, left)) ? elements_of(w, right, collection) : 0;

    if (value == 0)
        value = element_of(w, right, collection);
    python_bind(w, left,
                &(struct python_bound){
                    .value = value, .is_local = is_local, .line = line});
}

struct loop {
    TSNode whole;
    TSNode body;
};

void
python_for(struct walk *w, TSNode node)
{
    TSNode left = walk_field(w, node, PY_F_LEFT);
    TSNode right = walk_field(w, node, PY_F_RIGHT);

    bind_loop(w, node, left, false);
    python_pass_but(w, node, left, right);
}

static void
pass_clause(struct walk *w, TSNode node, void *ctx)
{
    const struct loop *loop = ctx;

    if (walk_kind(w, node) == PY_FOR_IN)
        bind_loop(w, node, loop->whole, true);
    else if (!ts_node_eq(node, loop->body))
        walk_pass(w, node);
}

/* The clauses first: they bind what the body names. */
uint32_t
python_comprehension(struct walk *w, TSNode node)
{
    TSNode body = walk_field(w, node, PY_F_BODY);
    struct loop loop = {node, body};
    struct extract_list list = {0};
    bool is_map = walk_kind(w, node) == PY_DICT_COMP;

    walk_each(w, node, pass_clause, &loop);
    walk_add(w, &list, body);
    return walk_put_list(
        w, node, (struct fact_expr){.kind = is_map ? EXPR_OBJECT : EXPR_ARRAY},
        &list);
}

/* ---- global, nonlocal, return, yield ---- */

static void
add_outer(struct walk *w, TSNode node, void *scope)
{
    struct python *python = python_of(w);

    if (walk_kind(w, node) != PY_IDENTIFIER ||
        python->outer_len == PY_OUTER_MAX)
        return;
    python->outer[python->outer_len].name = extract_str(w->x, node);
    python->outer[python->outer_len++].scope = *(const uint32_t *)scope;
}

void
python_global(struct walk *w, TSNode node)
{
    uint32_t scope = 0;

    walk_each(w, node, add_outer, &scope);
}

void
python_nonlocal(struct walk *w, TSNode node)
{
    uint32_t scope = walk_def(w, w->x->scope)->parent;

    while (python_is_type(w, scope))
        scope = walk_def(w, scope)->parent;
    walk_each(w, node, add_outer, &scope);
}

void
python_return(struct walk *w, TSNode node)
{
    TSNode what = walk_child(w, node, 0);
    uint32_t value = walk_value(w, what);
    enum expr_kind kind = walk_expr_kind(w, value);

    if (value && kind != EXPR_NUMBER && w->x->scope != 0)
        walk_bind(w, node,
                  (struct fact_bind){.kind = BIND_RETURN,
                                     .scope = w->x->scope,
                                     .value = value});
}

/* A generator returns what it yields as if in an array, so that the element of
 * what it returns is found like any other. */
uint32_t
python_yield(struct walk *w, TSNode node)
{
    uint32_t value = walk_value(w, walk_child(w, node, 0));
    struct extract_list list = {0};

    if (w->x->scope == 0 || python_is_type(w, w->x->scope))
        return 0;
    walk_def(w, w->x->scope)->flags |= DEF_GENERATOR;
    if (value == 0)
        return 0;
    if (!walk_has(w, node, STR("from"))) {
        extract_list_add(w->x, &list, value);
        value = walk_put_list(w, node, (struct fact_expr){.kind = EXPR_ARRAY},
                              &list);
    }
    walk_bind(w, node,
              (struct fact_bind){
                  .kind = BIND_RETURN, .scope = w->x->scope, .value = value});
    return 0;
}
