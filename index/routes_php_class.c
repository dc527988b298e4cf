/*
 * All classes of PHP, sorted by their last names: each name costs a look-up,
 * not a walk over all classes.
 */
#include "index/routes_php_class.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/sorted.h"

#define CONTROLLERS "App\\Http\\Controllers\\"

struct php_class {
    str last;
    struct at at;
};

static int
by_last(const void *a, const void *b)
{
    const struct php_class *x = a;
    const struct php_class *y = b;
    int order = str_order(x->last, y->last);

    if (order)
        return order;
    if (x->at.file != y->at.file)
        return x->at.file < y->at.file ? -1 : 1;
    return (x->at.id > y->at.id) - (x->at.id < y->at.id);
}

static void
add(struct parts *p, struct at class)
{
    const struct facts *facts = part_facts(p, class.file);

    if (!grow_room(p->php_classes, p->php_class_len, p->php_class_cap)) {
        p->failed = true;
        return;
    }
    p->php_classes[p->php_class_len++] = (struct php_class){
        facts_text(facts, facts->defs[class.id].name), class};
}

static void
make(struct parts *p)
{
    p->has_php_classes = true;
    for (uint32_t i = 0; i < p->len; i++) {
        const struct facts *facts = part_facts(p, i);
        uint32_t len = facts->lang == LANG_PHP ? facts->def_len : 0;
        for (uint32_t d = 1; d < len && !p->failed; d++) {
            if (facts->defs[d].kind == CODE_TYPE)
                add(p, (struct at){i, d});
        }
    }
    if (p->php_class_len > 0)
        qsort(p->php_classes, p->php_class_len, sizeof(*p->php_classes),
              by_last);
}

/* For sorted_first: a name against that of a row. */
static int
against_last(const void *key, const void *row)
{
    return str_order(*(const str *)key, ((const struct php_class *)row)->last);
}

/* How many names are before that of a class: 0, it is |name|; else it is below
 * |*space|, which ends with a backslash.  False: it is another's. */
static bool
is_below(const struct parts *p, const struct php_class *row, str name,
         str *space)
{
    const struct facts *facts = part_facts(p, row->at.file);
    str package = facts_text(facts, facts->package);
    size_t head = name.len - row->last.len; /* `Admin\` of the name */
    bool is_at_edge = true;

    *space = (str){"", 0};
    if (head == 0) {
        *space = package;
        return true;
    }
    head--; /* its backslash */
    if (package.len < head)
        return false;
    size_t before = package.len - head;
    if (before > 0)
        is_at_edge = package.ptr[before - 1] == '\\';
    *space = str_cut(package, 0, before > 0 ? before - 1 : 0);
    return is_at_edge && str_eq(str_cut(package, before, package.len),
                                str_cut(name, 0, head));
}

static str
last_of(str name)
{
    const char *cut = name.len ? memrchr(name.ptr, '\\', name.len) : NULL;

    return cut ? str_cut(name, (size_t)(cut - name.ptr) + 1, name.len) : name;
}

static bool
find(struct parts *p, str name, bool is_exact, struct at *out)
{
    static const size_t controllers = sizeof(CONTROLLERS) - 2;
    str last = last_of(name);
    unsigned count = 0;
    str space;

    if (!p->has_php_classes)
        make(p);
    size_t i = sorted_first(&last, p->php_classes, p->php_class_len,
                            sizeof(*p->php_classes), against_last);
    for (; last.len > 0 && i < p->php_class_len &&
           str_eq(p->php_classes[i].last, last);
         i++) {
        const struct php_class *row = &p->php_classes[i];
        if (!is_below(p, row, name, &space))
            continue;
        bool is_whole = space.len == 0;
        if (is_exact && !is_whole)
            continue;
        *out = row->at;
        count++;
        if (is_whole || str_eq(space, (str){CONTROLLERS, controllers}))
            return true;
    }
    return count == 1;
}

bool
php_class_called(struct parts *p, str name, struct at *out)
{
    if (name.len > 0 && name.ptr[0] == '\\')
        name = str_cut(name, 1, name.len);
    return find(p, name, true, out);
}

bool
php_class_below(struct parts *p, str name, struct at *out)
{
    return find(p, name, false, out);
}

/* What is imported by the first of several names, or else what is written. */
static bool
class_by_path(struct parts *p, struct at expr, struct at *out)
{
    struct origin origin;
    struct buf name = {0};

    if (!part_origin(p, expr, &origin))
        return false;
    for (size_t i = 0; i < origin.path.len; i++)
        buf_add_char(
            &name,
            (char)(origin.path.ptr[i] == '.' ? '\\' : origin.path.ptr[i]));
    bool is_found = !name.failed && find(p, buf_str(&name), false, out);
    p->failed |= name.failed;
    buf_fini(&name);
    return is_found;
}

bool
php_class_of(struct parts *p, struct at expr, struct at *out)
{
    struct value value;

    if (part_kind(p, expr) != EXPR_MEMBER ||
        !str_eq(part_word(p, expr), STR("class")))
        return false;
    expr.id = part_expr(p, expr)->a;
    if (resolve_value(p->r, expr, &value) && value.kind == VALUE_DEF) {
        *out = value.at;
        return true;
    }
    return part_kind(p, expr) == EXPR_MEMBER && class_by_path(p, expr, out);
}

/* ---- what is called ---- */

/* |text| is a method's name behind colons, or nothing. */
static bool
method_behind(struct parts *p, struct at type, str text, struct at *method)
{
    str name = STR("__invoke");

    if (text.len > 0 && text.ptr[0] != ':')
        return false;
    while (text.len > 0 && text.ptr[0] == ':') {
        text = str_cut(text, 1, text.len);
        name = text;
    }
    return resolve_member(p->r, type, name, method);
}

bool
php_method_called(struct parts *p, str text, struct at *method)
{
    const char *colon = text.len ? memchr(text.ptr, ':', text.len) : NULL;
    size_t len = colon ? (size_t)(colon - text.ptr) : text.len;
    struct at type;

    return php_class_called(p, str_cut(text, 0, len), &type) &&
           method_behind(p, type, str_cut(text, len, text.len), method);
}

/* The class that `$this` is of. */
static bool
class_around(const struct parts *p, struct at expr, struct at *out)
{
    uint32_t def = part_expr(p, expr)->scope;

    if (part_kind(p, expr) != EXPR_SELF)
        return false;
    *out = (struct at){expr.file, def};
    while (out->id && part_def(p, *out)->kind != CODE_TYPE)
        out->id = part_def(p, *out)->parent;
    return out->id != 0;
}

/* `C::class . ':show'`, `C::class . ':' . 'show'` */
static bool
method_of_sum(struct parts *p, struct at expr, struct at *method)
{
    struct buf text = {0};
    struct at first = expr;
    struct at type;

    while (part_kind(p, first) == EXPR_CONCAT)
        first = part_list(p, first, 0);
    bool ok = part_text(p, expr, false, &text).ok &&
              php_class_of(p, first, &type) &&
              method_behind(p, type, buf_str(&text), method);
    p->failed |= text.failed;
    buf_fini(&text);
    return ok;
}

static bool
method_of(struct parts *p, struct at expr, struct at *method)
{
    struct buf text = {0};
    struct at type;

    switch (part_kind(p, expr)) {
    case EXPR_ARRAY: {
        struct at first = part_list(p, expr, 0);
        str name = part_word(p, part_list(p, expr, 1));
        return part_expr(p, expr)->list_len == 2 &&
               (php_class_of(p, first, &type) ||
                class_around(p, first, &type)) &&
               resolve_member(p->r, type, name, method);
    }
    case EXPR_MEMBER:
        return php_class_of(p, expr, &type) &&
               resolve_member(p->r, type, STR("__invoke"), method);
    case EXPR_CONCAT:
        if (method_of_sum(p, expr, method))
            return true;
        break;
    case EXPR_STRING:
        break;
    default:
        return false;
    }
    struct folded folded = part_text(p, expr, false, &text);
    bool ok = folded.ok && !folded.is_tail &&
              php_method_called(p, buf_str(&text), method);
    p->failed |= text.failed;
    buf_fini(&text);
    return ok;
}

uint32_t
php_answers(struct parts *p, struct at expr)
{
    struct at method;

    expr = part_bare(p, expr);
    return expr.id && method_of(p, expr, &method)
               ? resolve_node(p->r, method.file, method.id)
               : 0;
}

void
php_classes_fini(struct parts *p)
{
    free(p->php_classes);
}
