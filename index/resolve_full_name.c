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

static bool
is_wanted(uint8_t lang, str last)
{
    if (lang == LANG_PHP)
        return true;
    return (lang == LANG_JAVA || lang == LANG_KOTLIN) && last.len > 0 &&
           last.ptr[0] >= 'A' && last.ptr[0] <= 'Z';
}

struct val
eval_full_name(struct resolver *r, uint32_t file, uint32_t expr)
{
    str last = facts_text(r->sources[file].facts, expr_at(r, file, expr)->text);
    uint8_t lang = lang_at(r, file);
    bool is_php = lang == LANG_PHP;
    struct buf name = {0};
    struct val val = {0};

    if (!is_wanted(lang, last))
        return val;
    uint32_t first = add_names(r, file, expr, is_php ? '\\' : '.', &name);
    if (!is_php || name_is_global(r, file, first))
        val = import_module(r, file, buf_str(&name));
    r->failed |= name.failed;
    buf_fini(&name);
    bool is_found = val.kind == VAL_DEF || (is_php && val.kind == VAL_UNIT);
    return is_found ? val : (struct val){0};
}
