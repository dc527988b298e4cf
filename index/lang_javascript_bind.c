/*
 * What binds names: parameters, declarations, assignments, loops, patterns.
 * What a pattern takes apart is told by values: `{a: b}` of v binds b to
 * `v.a`; of an array, to one of its values.
 */
#include "index/lang_javascript.h"

#include <stdio.h>

/* ---- patterns ---- */

/* Variables of a file or a namespace are definitions too. */
static void
define(struct js *js, TSNode name, struct js_bind how)
{
    const struct extract *x = js->x;
    bool is_outer =
        x->scope == 0 || x->facts->defs[x->scope].kind == CODE_PACKAGE;

    if (!how.is_declared || !is_outer || js->blocks > 0)
        return;
    js->hint = (struct js_hint){.flags = how.exports};
    js_add_def(js, name, name,
               (struct fact_def){
                   .kind = how.flags & BIND_CONST ? CODE_CONST : CODE_VAR,
                   .type = how.type,
               });
}

static void
bind_name(struct js *js, TSNode name, struct js_bind how)
{
    struct extract *x = js->x;
    struct fact_bind bind = {
        .kind = how.kind,
        .flags = how.flags,
        .scope = x->scope,
        .type = how.type,
        .value = how.value,
        .index = how.index,
        .line = extract_line(name),
    };

    if (how.kind == BIND_ASSIGN)
        bind.target = js_kind(js, name) == JS_SHORTHAND ? js_ident(js, name)
                                                        : js_value(js, name);
    else
        bind.name = extract_str(x, name);
    if (how.until && !(how.flags & BIND_MULTI)) {
        bind.flags |= BIND_HOLDS;
        bind.index = how.until;
    }
    define(js, name, how);
    facts_bind(x->facts, &bind);
}

/* One of several values is a value of its own where more is taken from it. */
static struct js_bind
settled(struct js *js, TSNode node, struct js_bind how)
{
    struct facts *facts = js->x->facts;
    char digits[16];

    if (!(how.flags & BIND_MULTI))
        return how;
    int len = snprintf(digits, sizeof(digits), "%u", how.index);
    uint32_t id =
        js_add(js, node,
               (struct fact_expr){
                   .kind = EXPR_NUMBER,
                   .text = facts_str(facts, (str){digits, (size_t)len}),
               });
    how.value = js_add(js, node,
                       (struct fact_expr){
                           .kind = EXPR_INDEX,
                           .a = how.value,
                           .list_at = facts_list(facts, &id, 1),
                           .list_len = 1,
                       });
    how.flags &= ~BIND_MULTI;
    return how;
}

/* What of |how| is under |key|. */
static struct js_bind
part(struct js *js, TSNode key, struct js_bind how)
{
    bool is_computed = js_kind(js, key) == JS_COMPUTED;

    if (is_computed)
        js_visit(js, key);
    if (how.value)
        how = settled(js, key, how);
    how.value = how.value && !is_computed
                    ? js_add_member(js, key, how.value, js_key(js, key))
                    : 0;
    return how;
}

/* A default stands where nothing else was given. */
static struct js_bind
or_default(struct js *js, TSNode node, TSNode name, TSNode other,
           struct js_bind how)
{
    struct extract_list list = {0};
    uint32_t value = js_bound_value(
        js, other, (struct js_hint){.name = name, .outer = node});

    if (how.flags & BIND_MULTI || !value)
        return how;
    if (how.value) {
        extract_list_add(js->x, &list, how.value);
        extract_list_add(js->x, &list, value);
        value =
            js_add_list(js, node, (struct fact_expr){.kind = EXPR_ALT}, &list);
    }
    how.value = value;
    return how;
}

static void
bind_object(struct js *js, TSNode pattern, struct js_bind how)
{
    struct extract_children it = extract_children(pattern);

    while (extract_next(&it)) {
        TSNode key;

        switch (js_kind(js, it.node)) {
        case JS_SHORTHAND:
            bind_name(js, it.node, part(js, it.node, how));
            break;
        case JS_PAIR_PATTERN:
            key = js_field(js, it.node, JS_F_KEY);
            js_bind_pattern(js, js_field(js, it.node, JS_F_VALUE),
                            part(js, key, how));
            break;
        case JS_OBJECT_ASSIGNMENT:
            key = js_field(js, it.node, JS_F_LEFT);
            js_bind_pattern(js, key,
                            or_default(js, it.node, key,
                                       js_field(js, it.node, JS_F_RIGHT),
                                       part(js, key, how)));
            break;
        default:
            js_bind_pattern(js, it.node, how);
        }
    }
}

static struct js_bind
nth(struct js *js, TSNode node, uint32_t index, struct js_bind how)
{
    if (!how.value)
        return how;
    how = settled(js, node, how);
    how.flags |= BIND_MULTI;
    how.index = index;
    return how;
}

/* Places are counted by commas: `[, b]` leaves one out. */
static void
bind_array(struct js *js, TSNode pattern, struct js_bind how)
{
    TSTreeCursor cursor = ts_tree_cursor_new(pattern);
    uint32_t index = 0;

    for (bool more = ts_tree_cursor_goto_first_child(&cursor); more;
         more = ts_tree_cursor_goto_next_sibling(&cursor)) {
        TSNode node = ts_tree_cursor_current_node(&cursor);

        if (ts_node_is_named(node) && !ts_node_is_extra(node)) {
            bool is_rest = js_kind(js, node) == JS_REST;
            js_bind_pattern(js, node,
                            is_rest ? how : nth(js, node, index, how));
        } else if (str_eq(extract_text(js->x, node), STR(","))) {
            index++;
        }
    }
    ts_tree_cursor_delete(&cursor);
}

static void
bind_inner(struct js *js, TSNode pattern, struct js_bind how)
{
    TSNode left = js_field(js, pattern, JS_F_LEFT);

    switch (js_kind(js, pattern)) {
    case JS_OBJECT_PATTERN:
        bind_object(js, pattern, how);
        break;
    case JS_ARRAY_PATTERN:
        bind_array(js, pattern, how);
        break;
    case JS_ASSIGNMENT_PATTERN:
        js_bind_pattern(js, left,
                        or_default(js, pattern, left,
                                   js_field(js, pattern, JS_F_RIGHT), how));
        break;
    case JS_REST:
        js_bind_pattern(js, js_first(pattern), how);
        break;
    case JS_IDENT:
    case JS_SHORTHAND:
        bind_name(js, pattern, how);
        break;
    default:
        if (how.kind == BIND_ASSIGN)
            bind_name(js, pattern, how);
        else
            js_visit(js, pattern);
    }
}

void
js_bind_pattern(struct js *js, TSNode pattern, struct js_bind how)
{
    uint16_t kind = js_kind(js, pattern);
    bool is_taken_apart = kind == JS_OBJECT_PATTERN || kind == JS_ARRAY_PATTERN;

    if (ts_node_is_null(pattern) || ts_node_is_error(pattern) ||
        !extract_enter(js->x))
        return;
    if (is_taken_apart && how.type) {
        how.value =
            js_add(js, pattern,
                   (struct fact_expr){
                       .kind = EXPR_CAST,
                       .a = how.value,
                       .list_at = facts_list(js->x->facts, &how.type, 1),
                       .list_len = 1,
                   });
        how.type = 0;
    }
    bind_inner(js, pattern, how);
    extract_leave(js->x);
}

/* ---- statements ---- */

static void
declarator(struct js *js, TSNode node, struct js_bind how)
{
    TSNode name = js_field(js, node, JS_F_NAME);
    TSNode value = js_field(js, node, JS_F_VALUE);

    if (js_bind_module(js, name, value))
        return;
    if (js_kind(js, name) == JS_IDENT && js_is_function(js, value))
        how.is_declared = false;
    how.type = js_value(js, js_field(js, node, JS_F_TYPE));
    how.value = js_bound_value(
        js, value,
        (struct js_hint){.name = name, .outer = node, .flags = how.exports});
    js_bind_pattern(js, name, how);
}

uint32_t
js_declaration(struct js *js, TSNode node)
{
    struct extract_children it = extract_children(node);
    struct js_hint hint = js_take_hint(js);
    bool is_const = js_has_word(js, node, STR("const"));
    struct js_bind how = {
        .kind = BIND_LOCAL,
        .flags = is_const ? BIND_CONST : 0,
        .exports = hint.flags,
        .is_declared = true,
    };

    while (extract_next(&it))
        if (js_kind(js, it.node) == JS_DECLARATOR)
            declarator(js, it.node, how);
    return 0;
}

static bool
is_named(const struct js *js, TSNode node, str name)
{
    return js_kind(js, node) == JS_IDENT &&
           str_eq(extract_text(js->x, node), name);
}

/* `exports`, `module.exports` */
static bool
is_exports(const struct js *js, TSNode node)
{
    return is_named(js, node, STR("exports")) ||
           (js_kind(js, node) == JS_MEMBER &&
            is_named(js, js_field(js, node, JS_F_OBJECT), STR("module")) &&
            str_eq(extract_text(js->x, js_field(js, node, JS_F_PROPERTY)),
                   STR("exports")));
}

/* What the target of an assignment says about a function: its name, that it
 * is exported, or of which prototype it is a method. */
static struct js_hint
hint_of_target(struct js *js, TSNode node, TSNode target)
{
    struct js_hint hint = {.outer = node};
    TSNode object = js_field(js, target, JS_F_OBJECT);

    if (js_kind(js, target) == JS_IDENT)
        hint.name = target;
    if (js_kind(js, target) != JS_MEMBER)
        return hint;
    if (is_exports(js, target))
        hint.flags = DEF_EXPORTED;
    else
        hint.name = js_field(js, target, JS_F_PROPERTY);
    if (is_exports(js, object))
        hint.flags = DEF_EXPORTED;
    if (js_kind(js, object) == JS_MEMBER &&
        str_eq(extract_text(js->x, js_field(js, object, JS_F_PROPERTY)),
               STR("prototype"))) {
        hint.kind = CODE_METHOD;
        hint.receiver = extract_str(js->x, js_field(js, object, JS_F_OBJECT));
    }
    return hint;
}

/* The last line of the block that an assignment is a statement of. */
static uint32_t
end_of_block(TSNode node)
{
    TSNode statement = ts_node_parent(node);
    TSNode block = ts_node_parent(statement);

    if (ts_node_is_null(block))
        block = statement;
    return ts_node_end_point(block).row + 1;
}

/* `path += "/x"` assigns a longer text. */
static uint32_t
append(struct js *js, TSNode node, TSNode left, TSNode right)
{
    struct extract_list list = {0};

    extract_list_add(js->x, &list, js_value(js, left));
    extract_list_add(js->x, &list, js_value(js, right));
    struct js_bind how = {
        .kind = BIND_ASSIGN,
        .until = end_of_block(node),
        .value = js_add_list(js, node, (struct fact_expr){.kind = EXPR_CONCAT},
                             &list),
    };
    bind_name(js, left, how);
    return how.value;
}

uint32_t
js_assignment(struct js *js, TSNode node)
{
    TSNode left = js_field(js, node, JS_F_LEFT);
    TSNode right = js_field(js, node, JS_F_RIGHT);
    str op = extract_text(js->x, js_field(js, node, JS_F_OPERATOR));

    if (str_eq(op, STR("+=")) && js_kind(js, left) == JS_IDENT &&
        js_kind(js, right) != JS_NUMBER)
        return append(js, node, left, right);
    if (op.len > 0 && !str_eq(op, STR("\?\?=")) && !str_eq(op, STR("||="))) {
        js_visit(js, left);
        js_visit(js, right);
        return 0;
    }
    left = js_unwrapped(js, left);
    struct js_bind how = {
        .kind = BIND_ASSIGN,
        .until = end_of_block(node),
        .value = js_bound_value(js, right, hint_of_target(js, node, left)),
    };

    js_bind_pattern(js, left, how);
    return how.value;
}

uint32_t
js_for_in(struct js *js, TSNode node)
{
    struct extract *x = js->x;
    TSNode right = js_field(js, node, JS_F_RIGHT);
    TSNode kind = js_field(js, node, JS_F_KIND);
    struct js_bind how = {
        .kind = ts_node_is_null(kind) ? BIND_ASSIGN : BIND_LOCAL,
    };
    struct fact_expr elem = {.kind = EXPR_ELEM, .a = js_value(js, right)};

    if (str_eq(extract_text(x, js_field(js, node, JS_F_OPERATOR)), STR("in")))
        elem.text = facts_str(x->facts, STR("key"));
    if (str_eq(extract_text(x, kind), STR("const")))
        how.flags = BIND_CONST;
    how.value = js_add(js, right, elem);
    js_bind_pattern(js, js_field(js, node, JS_F_LEFT), how);
    js_visit(js, js_field(js, node, JS_F_BODY));
    return 0;
}

uint32_t
js_catch(struct js *js, TSNode node)
{
    struct js_bind how = {
        .kind = BIND_LOCAL,
        .type = js_value(js, js_field(js, node, JS_F_TYPE)),
    };

    js_bind_pattern(js, js_field(js, node, JS_F_PARAMETER), how);
    js_visit(js, js_field(js, node, JS_F_BODY));
    return 0;
}

void
js_bind_return(struct js *js, TSNode node, uint32_t value)
{
    struct facts *facts = js->x->facts;

    switch (facts->exprs[value].kind) {
    case EXPR_OTHER:
    case EXPR_STRING:
    case EXPR_NUMBER:
    case EXPR_CONCAT:
    case EXPR_REGEX:
        return;
    default:
        facts_bind(facts, &(struct fact_bind){.kind = BIND_RETURN,
                                              .scope = js->x->scope,
                                              .value = value,
                                              .line = extract_line(node)});
    }
}

uint32_t
js_return(struct js *js, TSNode node)
{
    TSNode value = js_first(node);

    js_bind_return(js, node, js_bound_value(js, value, (struct js_hint){0}));
    return 0;
}
