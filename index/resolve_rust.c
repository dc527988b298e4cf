/*
 * What expressions of Rust are worth where no other language has the like.
 */
#include "index/resolve_rust.h"

bool
rust_field(struct resolver *r, uint32_t file, uint32_t expr, struct val *out)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    struct val of = eval_expr(r, file, at->a);
    struct rows rows = {0};

    if (of.kind == VAL_INSTANCE)
        rows = scope_rows(r, r->canon[gdef(r, of.file, of.id)],
                          sym_of(r, file, at->text));
    for (uint32_t i = 0; i < rows.len && i < RESOLVE_CANDIDATES_MAX; i++) {
        if (rows.at[i].kind != ROW_BIND)
            continue;
        *out = eval_row(r, &rows.at[i]);
        return true;
    }
    return false;
}

struct val
rust_derived(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    const struct fact_expr *how = expr_at(r, file, at->a);
    str name = facts_text(r->sources[file].facts, how->text);
    bool is_default = str_eq(name, STR("default"));

    if (how->kind != EXPR_MEMBER ||
        (!is_default && !str_eq(name, STR("clone"))))
        return (struct val){0};
    struct val of = eval_expr(r, file, how->a);
    if (of.kind == VAL_INSTANCE && of.by == CODE_BY_SELF)
        of.by = CODE_BY_TYPE;
    return is_default && of.kind == VAL_DEF ? eval_instance(r, of)
           : of.kind == VAL_INSTANCE        ? of
                                            : (struct val){0};
}

struct val
rust_root(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    const struct facts *facts = r->sources[file].facts;
    str name = facts_text(facts, at->text);
    bool is_here = str_eq(name, STR("self")) || str_eq(name, STR("super"));

    if (!is_here && !str_eq(name, STR("crate"))) {
        /* 2018: a path may begin at another crate, which nothing binds. */
        sym crate = sym_of(r, file, at->text);
        uint32_t unit = scope_is_bound(r, file, at->scope, crate)
                            ? 0
                            : unit_find(r, LANG_RUST, name);
        return unit ? val_of(VAL_UNIT, 0, unit, CODE_BY_IMPORT)
                    : (struct val){0};
    }
    for (uint32_t def = at->scope; def && is_here;
         def = facts->defs[def].parent)
        if (facts->defs[def].kind == CODE_PACKAGE)
            return (struct val){0};
    struct val root = import_module(r, file, name);
    return root.kind == VAL_UNIT ? root : (struct val){0};
}
