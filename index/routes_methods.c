/*
 * Methods of HTTP.  A list of them may have a name, or be a sum of others.
 */
#include "index/routes_methods.h"

#include "index/routes_turns.h"

static bool
is_method(str word)
{
    static const char *const names[] = {"GET",     "POST",  "PUT",     "PATCH",
                                        "DELETE",  "HEAD",  "OPTIONS", "TRACE",
                                        "CONNECT", "QUERY", "ANY",     "ALL"};
    char upper[16];
    bool is_one = false;

    word = str_upper(word, upper, sizeof(upper));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !is_one; i++)
        is_one = str_eq(word, str_of(names[i]));
    return is_one;
}

str
method_word(struct parts *p, struct at expr, struct buf *text)
{
    buf_reset(text);
    expr = part_bare(p, expr);
    if (!expr.id)
        return (str){NULL, 0};
    if (part_text(p, expr, false, text).ok)
        return buf_str(text);
    if (part_kind(p, expr) != EXPR_MEMBER && part_kind(p, expr) != EXPR_NAME)
        return (str){NULL, 0};
    str word = part_word(p, expr);
    if (str_starts(word, STR("Method")) && word.len > 6)
        word = str_cut(word, 6, word.len);
    return is_method(word) ? word : STR("ANY");
}

enum { METHODS_DEPTH = 3 };

/* Go's `[]string{"GET"}` is a composite literal. */
static bool
list_methods(struct parts *p, struct at expr, unsigned depth, struct at *out,
             uint32_t *len)
{
    expr = part_bare(p, expr);
    enum expr_kind kind = part_kind(p, expr);
    struct at list;

    if (kind == EXPR_NAME || kind == EXPR_MEMBER) {
        struct at bound = part_bound(p, expr);
        if (part_literal(p, expr, &list) && part_kind(p, list) == EXPR_ARRAY)
            expr = list;
        else if (bound.id && part_kind(p, bound) == EXPR_CONCAT)
            expr = bound;
        else
            (void)composite_is(p, &expr);
        kind = part_kind(p, expr);
    }
    if (kind != EXPR_ARRAY && kind != EXPR_NEW && kind != EXPR_CONCAT)
        return false;
    bool is_list = kind != EXPR_CONCAT;
    for (uint32_t i = 0; i < part_expr(p, expr)->list_len; i++) {
        struct at item = part_list(p, expr, i);
        if (kind == EXPR_CONCAT)
            is_list |= depth < METHODS_DEPTH &&
                       list_methods(p, item, depth + 1, out, len);
        else if (*len < METHODS_MAX)
            out[(*len)++] = item;
    }
    return is_list;
}

bool
method_list(struct parts *p, struct at expr, struct at *out, uint32_t *len)
{
    return list_methods(p, expr, 0, out, len);
}
