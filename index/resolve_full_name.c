/*
 * Names that tell their package, too: what is imported under the name they
 * begin with does not matter.
 */
#include "index/resolve_impl.h"

bool
name_is_global(const struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);

    return at->kind == EXPR_NAME && at->is_symbol;
}

struct val
eval_global(struct resolver *r, uint32_t file, uint32_t expr)
{
    uint32_t unit = unit_find(r, lang_at(r, file), STR(""));
    struct val val = {0};

    if (unit)
        val = member_find(r, val_of(VAL_UNIT, 0, unit, CODE_BY_IMPORT),
                          sym_of(r, file, expr_at(r, file, expr)->text));
    if (val.kind != VAL_NONE)
        val.by = CODE_BY_IMPORT;
    return val;
}

/* The names of |expr|; the first of them. */
static uint32_t
add_names(struct resolver *r, uint32_t file, uint32_t expr, char between,
          struct buf *out)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    uint32_t first = expr;

    if (at->kind == EXPR_MEMBER && r->depth < RESOLVE_DEPTH_MAX) {
        r->depth++;
        first = add_names(r, file, at->a, between, out);
        r->depth--;
        buf_add_char(out, between);
    }
    buf_add(out, facts_text(r->sources[file].facts, at->text));
    return first;
}

/* The import of |file| that binds |name| where |scope| is, or 0. */
static uint32_t
import_of_name(const struct resolver *r, uint32_t file, uint32_t scope,
               sym name)
{
    for (uint32_t def = scope;; def = def_at(r, file, def)->parent) {
        struct rows rows = scope_rows(r, r->canon[gdef(r, file, def)], name);
        for (uint32_t i = 0; i < rows.len && i < RESOLVE_CANDIDATES_MAX; i++)
            if (rows.at[i].kind == ROW_IMPORT && rows.at[i].file == file)
                return rows.at[i].id;
        if (def == 0)
            return 0;
    }
}

bool
name_is_path(const struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);

    return lang_at(r, file) == LANG_PHP && at->kind == EXPR_MEMBER &&
           at->is_symbol;
}

/* The namespace that the path |expr|, which begins with |first|, is in. */
static sym
namespace_of(struct resolver *r, uint32_t file, uint32_t expr, uint32_t first,
             str names)
{
    const struct facts *facts = r->sources[file].facts;
    uint32_t scope = expr_at(r, file, expr)->scope;
    str begin = facts_text(facts, expr_at(r, file, first)->text);
    sym above = r->units[r->def_units[gdef(r, file, scope)]].package;

    if (name_is_global(r, file, first))
        return sym_add(r, names);
    uint32_t import = import_of_name(r, file, scope, sym_find(r, begin));
    if (import) {
        const struct fact_import *im = &facts->imports[import];
        above = sym_join(r, sym_of(r, file, im->module), STR("\\"),
                         facts_text(facts, im->name));
        names = str_cut(names, begin.len + 1, names.len);
    }
    return names.len ? sym_join(r, above, STR("\\"), names) : above;
}

static struct val
eval_path(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    struct buf names = {0};

    uint32_t first = add_names(r, file, at->a, '\\', &names);
    sym within = namespace_of(r, file, expr, first, buf_str(&names));
    r->failed |= names.failed;
    buf_fini(&names);
    struct val val = member_find(r, import_module(r, file, sym_str(r, within)),
                                 sym_of(r, file, at->text));
    if (val.kind == VAL_NONE)
        val.kind = VAL_FOREIGN;
    val.by = CODE_BY_IMPORT;
    return val;
}

static bool
is_wanted(uint8_t lang, str last)
{
    return (lang == LANG_JAVA || lang == LANG_KOTLIN || lang == LANG_CSHARP) &&
           last.len > 0 && last.ptr[0] >= 'A' && last.ptr[0] <= 'Z';
}

struct val
eval_full_name(struct resolver *r, uint32_t file, uint32_t expr)
{
    str last = facts_text(r->sources[file].facts, expr_at(r, file, expr)->text);
    struct buf name = {0};

    if (name_is_path(r, file, expr))
        return eval_path(r, file, expr);
    if (!is_wanted(lang_at(r, file), last))
        return (struct val){0};
    add_names(r, file, expr, '.', &name);
    struct val val = import_module(r, file, buf_str(&name));
    r->failed |= name.failed;
    buf_fini(&name);
    return val.kind == VAL_DEF ? val : (struct val){0};
}
