/*
 * Extension methods stand in the scope of their class, which may call them as
 * any other, and once more in that of their namespace, by a name that nothing
 * else can have.  Of those that a file sees, one is meant that extends what it
 * is called on; of what is not ours only names are known.
 */
#include "index/resolve_csharp.h"

#include <string.h>

#include "index/resolve_names.h"
#include "index/resolve_overload.h"

enum { FIT_NONE = -1, FIT_ANY, FIT_UNKNOWN, FIT_TYPE };
enum { EXTENSIONS_MAX = 64, UNITS_MAX = 64, NAMESPACES_MAX = 32 };

static sym
extension_name(struct resolver *r, sym name, bool is_new)
{
    struct buf text = {0};

    buf_add(&text, STR("this "));
    buf_add(&text, sym_str(r, name));
    sym found =
        is_new ? sym_add(r, buf_str(&text)) : sym_find(r, buf_str(&text));
    r->failed |= text.failed;
    buf_fini(&text);
    return found;
}

sym
csharp_extension_name(struct resolver *r, sym name)
{
    return extension_name(r, name, true);
}

/* What types of the library have, or Linq extends them by: as likely meant. */
/* clang-format off */
static const char *const library[] = {
    "Add", "AddRange", "Aggregate", "All", "Any", "Append", "Average", "Cast",
    "Clear", "CompareTo", "Concat", "Contains", "Count", "Distinct",
    "ElementAt", "EndsWith", "Equals", "Except", "First", "FirstOrDefault",
    "GetHashCode", "GetType", "GroupBy", "IndexOf", "Insert", "Intersect",
    "Join", "Last", "LastIndexOf", "LastOrDefault", "Max", "Min", "OfType",
    "OrderBy", "OrderByDescending", "Remove", "RemoveAll", "Replace",
    "Reverse", "Select", "SelectMany", "Single", "SingleOrDefault", "Skip",
    "SkipWhile", "Split", "StartsWith", "Substring", "Sum", "Take",
    "TakeWhile", "ThenBy", "ToArray", "ToDictionary", "ToList", "ToLookup",
    "ToString", "Trim", "Union", "Where", "Zip",
};
/* clang-format on */

static bool
is_of_library(const struct resolver *r, sym name)
{
    for (size_t i = 0; i < sizeof(library) / sizeof(library[0]); i++)
        if (sym_is(r, name, library[i]))
            return true;
    return false;
}

struct search {
    struct at call;
    struct val of;
    sym of_name; /* of a type that is not ours; 0: which is not known */
    sym name;
    uint32_t units[UNITS_MAX]; /* that were looked into */
    uint32_t unit_len;
    struct at best;
    int best_fit;
    bool is_tie;
};

/* `T`, `TSource`, `object`: anything may be meant. */
static bool
is_anything(str name)
{
    return str_eq(name, STR("object")) || str_eq(name, STR("Object")) ||
           (name.len > 0 && name.ptr[0] == 'T' &&
            (name.len == 1 || (name.ptr[1] >= 'A' && name.ptr[1] <= 'Z')));
}

static bool
is_interface(str name)
{
    return name.len > 1 && name.ptr[0] == 'I' && name.ptr[1] >= 'A' &&
           name.ptr[1] <= 'Z';
}

static bool
is_same(str a, str b)
{
    return a.len == b.len && a.len > 0 &&
           (a.ptr[0] | 0x20) == (b.ptr[0] | 0x20) &&
           memcmp(a.ptr + 1, b.ptr + 1, a.len - 1) == 0;
}

/* How well a value is what an extension extends. */
static int
fit_of(struct resolver *r, const struct search *s, struct at method)
{
    uint32_t bind = r->params[gdef(r, method.file, method.id)].receiver;
    bool is_ours = s->of.kind == VAL_INSTANCE;
    struct val to;

    if (!bind)
        return FIT_NONE;
    to = eval_type(r, method.file, bind_at(r, method.file, bind)->type);
    str wanted =
        facts_text(r->sources[method.file].facts,
                   r->sources[method.file].facts->defs[method.id].receiver);
    if (to.kind == VAL_INSTANCE) {
        uint32_t type = r->canon[gdef(r, to.file, to.id)];
        uint32_t own = is_ours ? r->canon[gdef(r, s->of.file, s->of.id)] : 0;
        if (!is_ours)
            return FIT_NONE;
        return own == type || csharp_is_within(r, lineage_of(r, own), type)
                   ? FIT_TYPE
                   : FIT_NONE;
    }
    if (is_anything(wanted))
        return FIT_ANY;
    if (is_ours) {
        const struct lineage *lineage =
            lineage_of(r, r->canon[gdef(r, s->of.file, s->of.id)]);
        return lineage && lineage->is_open ? FIT_ANY : FIT_NONE;
    }
    if (!s->of_name)
        return FIT_UNKNOWN;
    if (is_same(sym_str(r, s->of_name), wanted))
        return FIT_TYPE;
    return is_interface(wanted) ? FIT_ANY : FIT_NONE;
}

static void
look_in_unit(struct resolver *r, struct search *s, uint32_t unit)
{
    struct rows rows = scope_rows(r, unit_scope(r, unit), s->name);

    for (uint32_t i = 0; i < s->unit_len; i++)
        if (s->units[i] == unit)
            return;
    if (!unit || s->unit_len == UNITS_MAX)
        return;
    s->units[s->unit_len++] = unit;
    for (uint32_t i = 0; i < rows.len && i < EXTENSIONS_MAX; i++) {
        struct at method = {rows.at[i].file, rows.at[i].id};
        if (!csharp_takes(r, method, s->call, 0) ||
            !csharp_fits(r, method, s->call))
            continue;
        int fit = fit_of(r, s, method);
        bool is_beside =
            s->best.id && r->qualified[gdef(r, method.file, method.id)] !=
                              r->qualified[gdef(r, s->best.file, s->best.id)];
        if (fit == s->best_fit && fit != FIT_NONE)
            s->is_tie |= is_beside;
        if (fit <= s->best_fit)
            continue;
        s->best = method;
        s->best_fit = fit;
        s->is_tie = false;
    }
}

/* The namespaces around, and those that the file uses. */
static void
look_around(struct resolver *r, struct search *s, uint32_t file, uint32_t scope)
{
    uint32_t unit = r->def_units[gdef(r, file, scope)];
    str package = sym_str(r, r->units[unit].package);
    struct rows stars = scope_rows(r, star_scope(r, file), 0);

    for (uint32_t hops = 0; hops < NAMESPACES_MAX; hops++) {
        look_in_unit(r, s, unit_find(r, LANG_CSHARP, package));
        const char *dot =
            package.len > 0 ? memrchr(package.ptr, '.', package.len) : NULL;
        if (!dot && package.len == 0)
            break;
        package = str_cut(package, 0, dot ? (size_t)(dot - package.ptr) : 0);
    }
    for (uint32_t i = 0; i < stars.len && i < UNITS_MAX; i++) {
        struct val used = import_value(r, file, stars.at[i].id);
        if (used.kind == VAL_UNIT)
            look_in_unit(r, s, used.id);
    }
}

/* What the type of a value is named that is not ours; 0: a member of such a
 * value has its name, and another type. */
static sym
name_of_foreign(struct resolver *r, uint32_t file, uint32_t expr, struct val of)
{
    const struct fact_expr *at = expr_at(r, file, expr);

    if (of.kind == VAL_TEXT)
        return sym_add(r, STR("string"));
    if (of.kind != VAL_FOREIGN)
        return 0;
    if (at->kind == EXPR_MEMBER &&
        eval_expr(r, file, at->a).kind != VAL_INSTANCE)
        return 0;
    return of.name;
}

struct val
csharp_extension(struct resolver *r, uint32_t file, uint32_t expr,
                 struct val of)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    struct search s = {
        .call = {file, overload_call(r, (struct at){file, expr})},
        .of = of,
        .best_fit = FIT_NONE};
    bool is_value = of.kind == VAL_INSTANCE || of.kind == VAL_FOREIGN ||
                    of.kind == VAL_TEXT || of.kind == VAL_ARRAY ||
                    of.kind == VAL_GENERIC;

    if (!is_value || !s.call.id)
        return (struct val){0};
    s.name = extension_name(r, sym_of(r, file, at->text), false);
    if (!s.name)
        return (struct val){0};
    s.of_name = name_of_foreign(r, file, at->a, of);
    look_around(r, &s, file, at->scope);
    bool is_exact = of.kind == VAL_INSTANCE && s.best_fit == FIT_TYPE;
    if (s.best_fit == FIT_NONE || s.is_tie ||
        (!is_exact && is_of_library(r, sym_of(r, file, at->text))))
        return (struct val){0};
    return val_of(VAL_DEF, s.best.file, s.best.id, CODE_BY_TYPE);
}
