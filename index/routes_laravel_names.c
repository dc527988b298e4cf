/*
 * Who answers a route of Laravel: a method of a class that is named by itself
 * or by a text below the namespaces of the groups around, or a closure.
 */
#include <string.h>

#include "index/routes_laravel.h"
#include "index/routes_php_class.h"

/* `'UserController'`, below the namespaces of |l|. */
static bool
class_named(struct parts *p, const struct laravel *l, str name, struct at *out)
{
    struct buf whole = {0};
    bool is_whole = name.len > 0 && name.ptr[0] == '\\';

    if (is_whole)
        name = str_cut(name, 1, name.len);
    else
        buf_add(&whole, buf_str(&l->space));
    if (whole.len > 0)
        buf_add_char(&whole, '\\');
    buf_add(&whole, name);
    bool is_found = php_class_below(p, buf_str(&whole), out) ||
                    (l->space.len > 0 && php_class_below(p, name, out));
    p->failed |= whole.failed;
    buf_fini(&whole);
    return is_found;
}

bool
laravel_class(struct parts *p, const struct laravel *l, struct at expr,
              struct at *out)
{
    return part_kind(p, expr) == EXPR_STRING
               ? class_named(p, l, part_word(p, expr), out)
               : php_class_of(p, expr, out);
}

/* `'UserController@show'`, `'show'` of the group's controller, or a class that
 * answers itself. */
static uint32_t
text_answers(struct parts *p, const struct laravel *l, str word)
{
    struct at type;
    const char *at = word.len ? memchr(word.ptr, '@', word.len) : NULL;
    size_t len = at ? (size_t)(at - word.ptr) : word.len;

    if (!at && l->controller.id)
        return laravel_class(p, l, l->controller, &type)
                   ? part_method_of(p, type, word)
                   : 0;
    if (!class_named(p, l, str_cut(word, 0, len), &type))
        return 0;
    return part_method_of(
        p, type, at ? str_cut(word, len + 1, word.len) : STR("__invoke"));
}

uint32_t
laravel_answers(struct parts *p, const struct laravel *l, struct at expr)
{
    struct at type;
    struct at second = part_list(p, expr, 1);
    enum expr_kind kind = part_kind(p, expr);
    struct at uses = {expr.file, 0};

    if (kind == EXPR_OBJECT || kind == EXPR_ARRAY)
        uses = part_named(p, expr, "uses");
    if (uses.id) {
        expr = uses;
        kind = part_kind(p, expr);
        second = part_list(p, expr, 1);
    }
    if (kind == EXPR_ARRAY && laravel_class(p, l, part_list(p, expr, 0), &type))
        return part_method_of(p, type, part_word(p, second));
    if (kind == EXPR_STRING)
        return text_answers(p, l, part_word(p, expr));
    if (php_class_of(p, expr, &type))
        return part_method_of(p, type, STR("__invoke"));
    return part_handler(p, expr);
}
