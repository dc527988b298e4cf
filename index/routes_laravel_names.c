/*
 * Who answers a route of Laravel: a method of a class that is named by itself
 * or by a text below the namespaces of the groups around, or a closure.
 */
#include <string.h>

#include "index/routes_laravel.h"

#define CONTROLLERS "App\\Http\\Controllers\\"

/* Whether |full| is |name| below any namespace. */
static bool
is_below(str full, str name)
{
    return full.len >= name.len &&
           str_eq(str_cut(full, full.len - name.len, full.len), name) &&
           (full.len == name.len || full.ptr[full.len - name.len - 1] == '\\');
}

/* The class of that name, as it is, or of controllers, or the only one below
 * any namespace. */
static bool
class_below(const struct parts *p, str name, struct at *out)
{
    const char *cut = name.len ? memrchr(name.ptr, '\\', name.len) : NULL;
    str last =
        cut ? str_cut(name, (size_t)(cut - name.ptr) + 1, name.len) : name;
    struct buf full = {0};
    unsigned count = 0;
    bool is_exact = false;

    for (uint32_t i = 0; i < p->len && !is_exact; i++) {
        const struct facts *facts = part_facts(p, i);
        for (uint32_t d = 1; facts->lang == LANG_PHP && d < facts->def_len;
             d++) {
            if (facts->defs[d].kind != CODE_TYPE ||
                !str_eq(facts_text(facts, facts->defs[d].name), last))
                continue;
            buf_reset(&full);
            buf_add(&full, facts_text(facts, facts->package));
            buf_add_char(&full, '\\');
            buf_add(&full, last);
            str whole = buf_str(&full);
            if (!is_below(whole, name))
                continue;
            *out = (struct at){i, d};
            count++;
            is_exact = whole.len == name.len ||
                       (str_starts(whole, STR(CONTROLLERS)) &&
                        whole.len == name.len + STR(CONTROLLERS).len);
            if (is_exact)
                break;
        }
    }
    bool is_found = !full.failed && (is_exact || count == 1);
    buf_fini(&full);
    return is_found;
}

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
    bool is_found = class_below(p, buf_str(&whole), out) ||
                    (l->space.len > 0 && class_below(p, name, out));
    p->failed |= whole.failed;
    buf_fini(&whole);
    return is_found;
}

/* `C::class`, `\App\C::class` */
static bool
class_of(struct parts *p, struct at expr, struct at *out)
{
    struct value value;
    struct origin origin;
    struct buf name = {0};

    if (part_kind(p, expr) != EXPR_MEMBER ||
        !str_eq(part_word(p, expr), STR("class")))
        return false;
    expr.id = part_expr(p, expr)->a;
    if (resolve_value(p->r, expr, &value) && value.kind == VALUE_DEF) {
        *out = value.at;
        return true;
    }
    if (part_kind(p, expr) != EXPR_MEMBER || !part_origin(p, expr, &origin))
        return false;
    for (size_t i = 0; i < origin.path.len; i++)
        buf_add_char(&name,
                     origin.path.ptr[i] == '.' ? '\\' : origin.path.ptr[i]);
    bool is_found = !name.failed && class_below(p, buf_str(&name), out);
    p->failed |= name.failed;
    buf_fini(&name);
    return is_found;
}

bool
laravel_class(struct parts *p, const struct laravel *l, struct at expr,
              struct at *out)
{
    return part_kind(p, expr) == EXPR_STRING
               ? class_named(p, l, part_word(p, expr), out)
               : class_of(p, expr, out);
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
    if (class_of(p, expr, &type))
        return part_method_of(p, type, STR("__invoke"));
    return part_handler(p, expr);
}
