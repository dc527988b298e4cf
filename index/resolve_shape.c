/*
 * Types and values of Java as far as the source says them; what it does not say
 * is SHAPE_UNKNOWN.
 */
#include "index/resolve_shape.h"

#include <string.h>

static struct shape
shape_of_name(struct resolver *r, sym name)
{
    static const char *const primitives[P_END] = {
        "byte", "short", "int", "long", "float", "double", "char", "boolean"};
    static const char *const boxes[P_END] = {"Byte",      "Short",  "Integer",
                                             "Long",      "Float",  "Double",
                                             "Character", "Boolean"};
    struct shape shape = {.name = name};

    for (int i = 0; i < P_END; i++) {
        bool is_box = sym_is(r, name, boxes[i]);
        if (!is_box && !sym_is(r, name, primitives[i]))
            continue;
        shape.kind = is_box ? SHAPE_BOXED : SHAPE_PRIMITIVE;
        shape.which = (enum primitive)i;
        return shape;
    }
    if (sym_is(r, name, "String"))
        shape.kind = SHAPE_TEXT;
    if (sym_is(r, name, "Object"))
        shape.kind = SHAPE_OBJECT;
    return shape;
}

static struct shape
shape_of_generic(struct resolver *r, struct val val)
{
    const struct fact_expr *at = expr_at(r, val.file, val.id);
    const struct fact_expr *base = expr_at(r, val.file, at->a);
    sym name = sym_of(r, val.file, base->text);

    if (sym_is(r, name, "[]"))
        return (struct shape){.kind = SHAPE_ARRAY, .val = val};
    return (struct shape){.kind = SHAPE_LIBRARY, .name = name};
}

/* A literal, as what a name is bound to. */
static struct shape
shape_of_text(const struct resolver *r, struct val val)
{
    const struct fact_expr *at = expr_at(r, val.file, val.id);
    struct shape shape = {0};

    if (at->kind == EXPR_NUMBER)
        shape.kind = SHAPE_NUMBER;
    if (at->kind == EXPR_STRING && !val.is_choice && !at->is_symbol)
        shape.kind = SHAPE_TEXT;
    if (at->kind == EXPR_STRING && at->is_symbol)
        shape.kind = SHAPE_NUMBER;
    return shape;
}

/* `Feature.TRIM` of a library is most often a Feature: of enumerations, and of
 * what is made of the type itself. */
static struct shape
shape_of_constant(struct resolver *r, struct val val)
{
    str name = sym_str(r, val.name);
    const char *dot = name.len ? memrchr(name.ptr, '.', name.len) : NULL;
    struct shape shape = {0};

    if (!dot)
        return shape;
    name.len = (size_t)(dot - name.ptr);
    shape.name = sym_add(r, name);
    return shape;
}

struct shape
shape_of_val(struct resolver *r, struct val val)
{
    struct shape shape = {0};

    switch ((enum val_kind)val.kind) {
    case VAL_INSTANCE:
        return (struct shape){.kind = SHAPE_OURS, .val = val};
    case VAL_GENERIC:
        return shape_of_generic(r, val);
    case VAL_ARRAY:
        shape.kind = SHAPE_ARRAY;
        return shape;
    case VAL_FOREIGN:
        if (val.variable)
            return shape;
        /* All of a package that is imported may hide the language's own. */
        shape = shape_of_name(r, val.name);
        if (val.module && shape.kind == SHAPE_UNKNOWN && val.name)
            shape.kind = SHAPE_LIBRARY;
        return shape;
    case VAL_TEXT:
        return shape_of_text(r, val);
    case VAL_EXTERNAL:
        return shape_of_constant(r, val);
    default:
        return shape;
    }
}

static struct shape
shape_of_number(str text)
{
    bool is_hex = text.len > 1 && text.ptr[0] == '0' &&
                  (text.ptr[1] == 'x' || text.ptr[1] == 'X');
    char last = '0';
    struct shape shape = {.kind = SHAPE_PRIMITIVE, .which = P_INT};

    if (text.len)
        last = text.ptr[text.len - 1];
    if (last == 'l' || last == 'L')
        shape.which = P_LONG;
    else if (is_hex)
        return shape;
    else if (last == 'f' || last == 'F')
        shape.which = P_FLOAT;
    else if (last == 'd' || last == 'D' || memchr(text.ptr, '.', text.len) ||
             memchr(text.ptr, 'e', text.len) || memchr(text.ptr, 'E', text.len))
        shape.which = P_DOUBLE;
    return shape;
}

/* A sum is text if a part of it is, and else a number that is not known. */
static struct shape
shape_of_sum(struct resolver *r, uint32_t file, const struct fact_expr *sum)
{
    struct shape shape = {.kind = SHAPE_NUMBER};

    for (uint32_t i = 0; i < sum->list_len; i++) {
        struct shape part =
            shape_of_argument(r, file, list_at(r, file, sum->list_at + i));
        if (part.kind == SHAPE_TEXT)
            return part;
        if (part.kind != SHAPE_PRIMITIVE && part.kind != SHAPE_BOXED &&
            part.kind != SHAPE_NUMBER)
            shape.kind = SHAPE_UNKNOWN;
    }
    return shape;
}

struct shape
shape_of_argument(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    str text = facts_text(r->sources[file].facts, at->text);
    struct shape shape = {.kind = SHAPE_PRIMITIVE, .which = P_BOOLEAN};

    if (at->kind == EXPR_NUMBER)
        return shape_of_number(text);
    if (at->kind == EXPR_NAME &&
        (str_eq(text, STR("true")) || str_eq(text, STR("false"))))
        return shape;
    shape.which = P_CHAR;
    if (at->kind == EXPR_STRING && at->is_symbol)
        return shape;
    shape.kind = SHAPE_TEXT;
    if (at->kind == EXPR_STRING)
        return shape;
    if (at->kind == EXPR_CONCAT)
        return shape_of_sum(r, file, at);
    shape.kind = SHAPE_NULL;
    if (at->kind == EXPR_NAME && str_eq(text, STR("null")))
        return shape;
    shape.kind = SHAPE_LAMBDA;
    if (at->kind == EXPR_LAMBDA || at->is_symbol)
        return shape;
    shape =
        (struct shape){.kind = SHAPE_LIBRARY, .name = sym_add(r, STR("Class"))};
    if (at->kind == EXPR_MEMBER && str_eq(text, STR("class")))
        return shape;
    /* What it is cast to says it better than what is known of it. */
    if (at->kind == EXPR_CAST && at->list_len > 0)
        return shape_of_val(r,
                            eval_type(r, file, list_at(r, file, at->list_at)));
    return shape_of_val(r, eval_expr(r, file, expr));
}
