/*
 * Annotations become types as they are written, with two liberties that spare
 * every reader the same work: `None` stands last among alternatives, and words
 * that say how a name is used rather than what it holds are taken off.
 */
#include "index/lang_python.h"

#include <string.h>

static str
last_name(const struct walk *w, uint32_t expr)
{
    enum expr_kind kind = walk_expr_kind(w, expr);

    return kind == EXPR_NAME || kind == EXPR_MEMBER ? walk_expr_text(w, expr)
                                                    : STR("");
}

static bool
is_one_of(str name, const char *const *names)
{
    for (; *names; names++)
        if (str_eq(name, str_of(*names)))
            return true;
    return false;
}

/* ---- types in strings ---- */

struct text_type {
    str text;
    size_t at;
    TSNode place;
    uint32_t depth;
    bool failed;
};

static uint32_t read_union(struct walk *w, struct text_type *t);

static bool
is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static int
peek(struct text_type *t)
{
    while (t->at < t->text.len && t->text.ptr[t->at] == ' ')
        t->at++;
    return t->at < t->text.len ? t->text.ptr[t->at] : '\0';
}

static uint32_t
read_dotted(struct walk *w, struct text_type *t)
{
    uint32_t expr = 0;

    for (;;) {
        (void)peek(t);
        size_t from = t->at;
        while (t->at < t->text.len && is_word(t->text.ptr[t->at]))
            t->at++;
        if (t->at == from) {
            t->failed = true;
            return 0;
        }
        str_id name = facts_str(w->x->facts, str_cut(t->text, from, t->at));
        expr =
            walk_put(w, t->place,
                     (struct fact_expr){.kind = expr ? EXPR_MEMBER : EXPR_NAME,
                                        .a = expr,
                                        .text = name});
        if (peek(t) != '.')
            return expr;
        t->at++;
    }
}

static uint32_t
read_generic(struct walk *w, struct text_type *t)
{
    enum { DEPTH_MAX = 8 };
    struct extract_list list = {0};
    uint32_t base = read_dotted(w, t);

    if (t->failed || peek(t) != '[')
        return base;
    if (++t->depth > DEPTH_MAX)
        t->failed = true;
    do {
        t->at++;
        uint32_t arg = t->failed ? 0 : read_union(w, t);
        if (list.len < WALK_LIST_MAX)
            extract_list_add(w->x, &list, arg);
    } while (!t->failed && peek(t) == ',');
    if (peek(t) != ']')
        t->failed = true;
    t->at++;
    t->depth--;
    return walk_put_list(w, t->place,
                         (struct fact_expr){.kind = EXPR_GENERIC, .a = base},
                         &list);
}

static uint32_t
read_union(struct walk *w, struct text_type *t)
{
    uint32_t first = read_generic(w, t);

    while (!t->failed && peek(t) == '|') {
        t->at++;
        uint32_t next = read_generic(w, t);
        bool is_none = str_eq(last_name(w, first), STR("None"));
        first = walk_alt(w, t->place, is_none ? next : first,
                         is_none ? first : next);
    }
    return first;
}

uint32_t
python_type_text(struct walk *w, TSNode at, str text)
{
    struct text_type t = {.text = text, .place = at};
    uint32_t type = read_union(w, &t);

    return t.failed || peek(&t) != '\0' ? 0 : type;
}

/* ---- types in the tree ---- */

static bool
is_union(struct walk *w, TSNode node)
{
    uint16_t kind = walk_kind(w, node);

    return kind == PY_UNION_TYPE ||
           (kind == PY_BINARY &&
            str_eq(extract_text(w->x, walk_field(w, node, PY_F_OPERATOR)),
                   STR("|")));
}

static void
add_union(struct walk *w, TSNode node, void *list)
{
    if (!extract_enter(w->x))
        return;
    if (is_union(w, node))
        walk_each(w, node, add_union, list);
    else if (walk_kind(w, node) == PY_TYPE)
        add_union(w, walk_child(w, node, 0), list);
    else
        extract_list_add(w->x, list, python_type(w, node));
    extract_leave(w->x);
}

static uint32_t
union_type(struct walk *w, TSNode node)
{
    struct extract_list list = {0};
    uint32_t len = 0;
    uint32_t none = 0;

    add_union(w, node, &list);
    for (uint32_t i = 0; i < list.len; i++)
        if (str_eq(last_name(w, list.items[i]), STR("None")))
            none = list.items[i];
        else if (list.items[i] && len < WALK_LIST_MAX)
            list.items[len++] = list.items[i];
    if (none && len < list.len)
        list.items[len++] = none;
    list.len = len;
    return walk_put_list(w, node, (struct fact_expr){.kind = EXPR_ALT}, &list);
}

struct generic {
    struct extract_list args;
    TSNode base;
    bool is_literal;
};

static void
add_type(struct walk *w, TSNode node, void *ctx)
{
    struct generic *generic = ctx;

    if (ts_node_eq(node, generic->base))
        return;
    if (walk_kind(w, node) == PY_TYPE_PARAM) {
        walk_each(w, node, add_type, ctx);
        return;
    }
    if (generic->args.len >= WALK_LIST_MAX) {
        walk_pass(w, node);
        return;
    }
    if (generic->is_literal && walk_kind(w, node) == PY_TYPE)
        node = walk_child(w, node, 0);
    extract_list_add(w->x, &generic->args,
                     generic->is_literal ? walk_value(w, node)
                                         : python_type(w, node));
}

/* The base and the arguments of `X[A, B]`, which the grammar has in two forms;
 * the base is 0 where |node| is neither. */
static uint32_t
read_arguments(struct walk *w, TSNode node, struct generic *out)
{
    uint16_t kind = walk_kind(w, node);

    if (kind == PY_GENERIC_TYPE)
        out->base = walk_child(w, node, 0);
    else if (kind == PY_SUBSCRIPT)
        out->base = walk_field(w, node, PY_F_VALUE);
    else
        return 0;
    uint32_t base = python_type(w, out->base);
    out->is_literal = str_eq(last_name(w, base), STR("Literal"));
    walk_each(w, node, add_type, out);
    return base;
}

static const char *const qualifiers[] = {"ClassVar",    "Final",    "Required",
                                         "NotRequired", "ReadOnly", "InitVar",
                                         "Annotated",   NULL};

static uint32_t
generic_type(struct walk *w, TSNode node)
{
    struct generic generic = {0};
    uint32_t base = read_arguments(w, node, &generic);

    if (is_one_of(last_name(w, base), qualifiers)) {
        uint32_t type = generic.args.len ? generic.args.items[0] : 0;
        walk_drop(&generic.args);
        return type;
    }
    return walk_put_list(w, node,
                         (struct fact_expr){.kind = EXPR_GENERIC, .a = base},
                         &generic.args);
}

static uint32_t
member_type(struct walk *w, TSNode node)
{
    uint32_t object = python_type(w, walk_child(w, node, PY_TYPE));
    TSNode name = walk_child(w, node, PY_IDENTIFIER);

    return object && !ts_node_is_null(name) ? walk_member(w, object, name) : 0;
}

static uint32_t
type_of_kind(struct walk *w, TSNode node)
{
    switch (walk_kind(w, node)) {
    case PY_TYPE:
        return python_type(w, walk_child(w, node, 0));
    case PY_STRING:
        return python_type_text(w, node, python_string_text(w, node));
    case PY_GENERIC_TYPE:
    case PY_SUBSCRIPT:
        return generic_type(w, node);
    case PY_MEMBER_TYPE:
        return member_type(w, node);
    default:
        return is_union(w, node) ? union_type(w, node) : walk_value(w, node);
    }
}

uint32_t
python_type(struct walk *w, TSNode node)
{
    return walk_deeper(w, node, type_of_kind);
}

struct python_annotation
python_annotation(struct walk *w, TSNode node)
{
    struct python_annotation note = {0};
    struct generic generic = {0};
    TSNode inner =
        walk_kind(w, node) == PY_TYPE ? walk_child(w, node, 0) : node;
    uint32_t base;

    if (ts_node_is_null(inner) || !extract_enter(w->x))
        return note;
    base = read_arguments(w, inner, &generic);
    if (base == 0) {
        note.type = python_type(w, inner);
        if (str_eq(last_name(w, note.type), STR("Final"))) {
            note.is_final = true;
            note.type = 0;
        } else if (str_eq(last_name(w, note.type), STR("TypeAlias"))) {
            note.type = 0;
        }
    } else if (is_one_of(last_name(w, base), qualifiers)) {
        note.type = generic.args.len ? generic.args.items[0] : 0;
        note.is_final = str_eq(last_name(w, base), STR("Final"));
        for (uint32_t i = 1; i < generic.args.len && !note.value; i++)
            if (walk_expr_kind(w, generic.args.items[i]) == EXPR_CALL)
                note.value = generic.args.items[i];
        walk_drop(&generic.args);
    } else {
        note.type = walk_put_list(
            w, inner, (struct fact_expr){.kind = EXPR_GENERIC, .a = base},
            &generic.args);
    }
    extract_leave(w->x);
    return note;
}
