/*
 * What expressions of Rust are worth where no other language has the like.
 */
#include "index/resolve_rust.h"
#include "index/resolve_generic.h"
#include "index/resolve_overload.h"

static bool
is_one_of(str name, const char *const *names)
{
    while (*names && !str_eq(name, str_of(*names)))
        names++;
    return *names != NULL;
}

static const char *const wrappers[] = {
    "Arc",
    "Box",
    "Cow",
    "ManuallyDrop",
    "MappedMutexGuard",
    "MutexGuard",
    "NonNull",
    "Option",
    "Pin",
    "Poll",
    "Rc",
    "Ref",
    "RefMut",
    "Result",
    "RwLockReadGuard",
    "RwLockWriteGuard",
    "Weak",
    NULL,
};

bool
rust_wraps(const struct resolver *r, sym name)
{
    return is_one_of(sym_str(r, name), wrappers);
}

static bool
is_wrapper(struct resolver *r, struct val of)
{
    const struct fact_expr *base;

    if (of.kind != VAL_GENERIC || lang_at(r, of.file) != LANG_RUST)
        return false;
    base = expr_at(r, of.file, expr_at(r, of.file, of.id)->a);
    return (base->kind == EXPR_NAME || base->kind == EXPR_MEMBER) &&
           rust_wraps(r, sym_of(r, of.file, base->text));
}

/* Wrappers have no fields that others see. */
static struct val
unwrapped(struct resolver *r, struct val of)
{
    enum { DEEP = 4 };

    for (int i = 0; i < DEEP && is_wrapper(r, of); i++)
        of = eval_arg(r, of, 0);
    return of;
}

/* What Option, Result, Poll, pointers and guards have themselves. */
static const char *const wrapper_methods[] = {
    "and",
    "and_then",
    "as_deref",
    "as_deref_mut",
    "as_mut",
    "as_mut_ptr",
    "as_mut_slice",
    "as_pin_mut",
    "as_pin_ref",
    "as_ptr",
    "as_ref",
    "as_slice",
    "borrow",
    "borrow_mut",
    "cast",
    "clone",
    "clone_from",
    "cloned",
    "cmp",
    "copied",
    "deref",
    "deref_mut",
    "description",
    "downcast",
    "downcast_mut",
    "downcast_ref",
    "downgrade",
    "eq",
    "err",
    "expect",
    "expect_err",
    "filter",
    "flatten",
    "fmt",
    "from",
    "get_mut",
    "get_or_insert",
    "get_or_insert_with",
    "get_unchecked_mut",
    "hash",
    "insert",
    "inspect",
    "inspect_err",
    "into",
    "into_inner",
    "into_iter",
    "into_ok",
    "into_owned",
    "into_ref",
    "is_err",
    "is_err_and",
    "is_none",
    "is_none_or",
    "is_ok",
    "is_ok_and",
    "is_pending",
    "is_ready",
    "is_some",
    "is_some_and",
    "iter",
    "iter_mut",
    "map",
    "map_err",
    "map_ok",
    "map_or",
    "map_or_default",
    "map_or_else",
    "map_unchecked",
    "map_unchecked_mut",
    "ne",
    "new",
    "new_unchecked",
    "ok",
    "ok_or",
    "ok_or_else",
    "or",
    "or_else",
    "partial_cmp",
    "poll",
    "ptr_eq",
    "replace",
    "set",
    "source",
    "strong_count",
    "take",
    "take_if",
    "to_mut",
    "to_owned",
    "to_string",
    "transpose",
    "try_into",
    "unwrap",
    "unwrap_err",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
    "unwrap_unchecked",
    "unzip",
    "upgrade",
    "weak_count",
    "xor",
    "zip",
    NULL,
};

struct val
rust_wrapped(struct resolver *r, struct val of, sym name, struct at use)
{
    if (!is_wrapper(r, of) || is_one_of(sym_str(r, name), wrapper_methods))
        return (struct val){0};
    return member_used(r, eval_arg(r, of, 0), name, use);
}

struct val
rust_dereferenced(struct resolver *r, struct val of, sym name, struct at use)
{
    uint32_t type = r->canon[gdef(r, of.file, of.id)];
    struct val deref = {0};

    if (!sym_is(r, name, "deref"))
        deref = member_of_type(r, type, sym_add(r, STR("deref")), false);
    if (deref.kind != VAL_DEF ||
        !is_function_kind(def_at(r, deref.file, deref.id)->kind))
        return (struct val){0};
    struct val to = eval_return(r, deref.file, deref.id);
    if (to.kind == VAL_INSTANCE && r->canon[gdef(r, to.file, to.id)] == type)
        return (struct val){0};
    to.by = CODE_BY_TYPE;
    return member_used(r, to, name, use);
}

/* `impl X for Pin<P>`, where `self` is the library's. */
static bool
is_of_library(struct resolver *r, struct val of)
{
    const struct fact_def *def = def_at(r, of.file, of.id);

    return (def->flags & DEF_EXTENSION) &&
           rust_wraps(r, sym_of(r, of.file, def->name));
}

/* What they give of one that is wrapped is that one. */
static const char *const through_bare[] = {
    "unwrap",
    "expect",
    "unwrap_or_else",
    "unwrap_or_default",
    "unwrap_or",
    "lock",
    "borrow_mut",
    "get_mut",
    "as_mut",
    "as_ref",
    "ok",
    "as_deref_mut",
    "as_pin_mut",
    "map_err",
    "get_unchecked_mut",
    "ok_or",
    "ok_or_else",
    "unwrap_unchecked",
    "as_deref",
    "by_ref",
    NULL,
};
static const char *const through_same[] = {
    "as_deref",   "as_deref_mut",
    "as_mut",     "as_mut_slice",
    "as_pin_mut", "as_slice",
    "by_ref",     "chain",
    "cloned",     "copied",
    "cycle",      "flatten",
    "fuse",       "inspect",
    "map_err",    "ok",
    "ok_or",      "ok_or_else",
    "or",         "or_else",
    "peekable",   "rev",
    "skip",       "skip_while",
    "step_by",    "take",
    "take_while", "to_owned",
    "to_vec",     "drain",
    "upgrade",    "get_unchecked_mut",
    "replace",    "get_or_insert_with",
    NULL,
};
static const char *const through_elements[] = {
    "back",           "back_mut",         "borrow_mut", "first_mut",
    "front",          "front_mut",        "get_mut",    "get_unchecked",
    "last_mut",       "max_by",           "max_by_key", "min_by",
    "min_by_key",     "next_back",        "nth",        "pop_back",
    "pop_front",      "swap_remove",      "try_lock",   "unwrap_or",
    "unwrap_or_else", "unwrap_unchecked", NULL,
};

struct val
rust_through(struct resolver *r, struct val of, sym name)
{
    str text = sym_str(r, name);

    if (of.kind == VAL_INSTANCE)
        return is_one_of(text, through_bare) && !is_of_library(r, of)
                   ? of
                   : (struct val){0};
    if (of.kind != VAL_GENERIC && of.kind != VAL_ARRAY)
        return (struct val){0};
    if (is_one_of(text, through_same) ||
        (is_wrapper(r, of) && str_eq(text, STR("get_mut"))))
        return of;
    return is_one_of(text, through_elements)
               ? eval_element(r, of, ELEMENT_INDEXED)
               : (struct val){0};
}

bool
rust_takes_element(str name)
{
    static const char *const names[] = {
        "and_then",   "filter_map",  "find_map",
        "flat_map",   "inspect",     "is_none_or",
        "is_ok_and",  "is_some_and", "map_or",
        "map_while",  "max_by_key",  "min_by_key",
        "partition",  "position",    "rposition",
        "skip_while", "sort_by_key", "sort_unstable_by_key",
        "take_if",    "take_while",  "rfind",
        NULL,
    };

    return is_one_of(name, names);
}

bool
rust_field(struct resolver *r, uint32_t file, uint32_t expr, struct val *out)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    struct val of = unwrapped(r, eval_expr(r, file, at->a));
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

/* `Router::show()` may be what |id| has. */
static bool
has_functions(struct resolver *r, uint32_t file, uint32_t id)
{
    const struct facts *facts = r->sources[file].facts;
    uint32_t end = facts->defs[id].end_line;

    for (uint32_t i = id + 1; i < facts->def_len && facts->defs[i].line <= end;
         i++)
        if (facts->defs[i].receiver && facts->defs[i].flags & DEF_STATIC)
            return true;
    return false;
}

bool
rust_extends_import(struct resolver *r, uint32_t file, uint32_t id)
{
    const struct fact_def *def = def_at(r, file, id);

    return lang_at(r, file) == LANG_RUST && !def->parent &&
           def->kind == CODE_TYPE && (def->flags & DEF_EXTENSION) &&
           scope_has(r, r->sources[file].def_base,
                     sym_of(r, file, def->name)) &&
           !has_functions(r, file, id);
}
