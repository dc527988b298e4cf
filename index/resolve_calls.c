/*
 * Every call, by whom it is made and what it reaches; kept by target for those
 * who ask what is passed to a function.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "index/resolve_kotlin.h"

/* In these a type with parentheses is a conversion or a literal, no call. */
static bool
makes_without_call(uint8_t lang)
{
    return lang == LANG_GO || lang == LANG_RUST || lang == LANG_C;
}

/* What an index says is called. */
static struct val
told_target(const struct resolver *r, uint32_t file, uint32_t expr)
{
    uint32_t told = map_get(&r->told, r->sources[file].expr_base + expr);

    if (!told)
        return (struct val){0};
    uint32_t owner = r->owner_file[told - 1];
    return val_of(VAL_DEF, owner, told - 1 - r->sources[owner].def_base,
                  CODE_BY_SCIP);
}

static struct val
found_target(struct resolver *r, uint32_t file, uint32_t expr)
{
    struct val callee = eval_callee(r, file, expr);
    const struct fact_expr *at = expr_at(r, file, expr);

    if (at->kind == EXPR_NEW && callee.kind == VAL_INSTANCE) {
        callee.kind = VAL_DEF;
        callee.by = callee_reach(r, file, at->a);
    }
    if (at->kind == EXPR_NEW && callee.kind == VAL_FOREIGN)
        callee.kind = VAL_EXTERNAL;
    /* An instance is called: Python's `cls()` makes one. */
    if (callee.kind == VAL_INSTANCE &&
        expr_at(r, file, at->a)->kind == EXPR_SELF) {
        callee.kind = VAL_DEF;
        callee.by = CODE_BY_SELF;
    } else if (callee.kind == VAL_INSTANCE && lang_at(r, file) == LANG_PYTHON) {
        callee = member_find(r, callee, sym_add(r, STR("__call__")));
    }
    return callee;
}

struct val
call_target(struct resolver *r, uint32_t file, uint32_t expr)
{
    struct val callee = told_target(r, file, expr);

    if (callee.kind == VAL_NONE)
        callee = found_target(r, file, expr);
    if (callee.kind != VAL_DEF)
        return callee;
    if (!is_type_kind(def_at(r, callee.file, callee.id)->kind))
        return callee;
    if (makes_without_call(lang_at(r, callee.file)))
        return (struct val){.kind = VAL_FOREIGN};
    struct val ctor =
        lang_at(r, file) == LANG_KOTLIN &&
                lang_at(r, callee.file) == LANG_KOTLIN
            ? kotlin_ctor(r, (struct at){callee.file, callee.id},
                          (struct at){file, expr})
            : member_ctor(r, r->canon[gdef(r, callee.file, callee.id)]);
    if (ctor.kind != VAL_DEF)
        return callee;
    ctor.by = callee.by;
    return ctor;
}

static bool
is_call(const struct fact_expr *expr)
{
    return expr->kind == EXPR_CALL || expr->kind == EXPR_NEW;
}

static bool
add_call(struct resolver *r, struct call_site call)
{
    if (!grow_room(r->calls, r->call_len, r->call_cap)) {
        r->failed = true;
        return false;
    }
    r->calls[r->call_len++] = call;
    return true;
}

static void
find_call(struct resolver *r, uint32_t file, uint32_t expr)
{
    struct val target = call_target(r, file, expr);
    const struct fact_expr *at = expr_at(r, file, expr);
    struct call_site call = {.file = file, .expr = expr, .by = target.by};

    r->all_calls++;
    if (target.kind == VAL_EXTERNAL || target.kind == VAL_FOREIGN) {
        r->external_calls++;
        return;
    }
    uint8_t kind = target.kind == VAL_DEF
                       ? def_at(r, target.file, target.id)->kind
                       : CODE_NONE;
    if (is_function_kind(kind) || is_type_kind(kind)) {
        call.target = gdef(r, target.file, target.id);
        add_call(r, call);
        return;
    }
    r->unknown_calls++;
    call.target = UINT32_MAX;
    if (expr_at(r, file, at->a)->text)
        add_call(r, call);
}

/* Sorts by target, keeping the order of the source: a counting sort. */
static bool
sort_calls(struct resolver *r)
{
    struct call_site *sorted = calloc((size_t)r->call_len + 1, sizeof(*sorted));

    r->call_start = calloc((size_t)r->def_len + 3, sizeof(*r->call_start));
    if (!sorted || !r->call_start) {
        free(sorted);
        return false;
    }
    for (uint32_t i = 0; i < r->call_len; i++) {
        uint32_t target = r->calls[i].target;
        target = target < r->def_len ? target : r->def_len;
        r->call_start[target + 2]++;
    }
    for (uint32_t i = 2; i < r->def_len + 3; i++)
        r->call_start[i] += r->call_start[i - 1];
    for (uint32_t i = 0; i < r->call_len; i++) {
        uint32_t target = r->calls[i].target;
        target = target < r->def_len ? target : r->def_len;
        sorted[r->call_start[target + 1]++] = r->calls[i];
    }
    free(r->calls);
    r->calls = sorted;
    r->call_cap = r->call_len + 1;
    return true;
}

bool
calls_prepare(struct resolver *r)
{
    if (r->has_calls)
        return !r->failed;
    for (uint32_t file = 0; file < r->source_len && !r->failed; file++) {
        const struct facts *facts = r->sources[file].facts;
        for (uint32_t id = 1; id < facts->expr_len; id++)
            if (is_call(&facts->exprs[id]))
                find_call(r, file, id);
    }
    r->has_calls = !r->failed && sort_calls(r);
    r->failed = !r->has_calls;
    return r->has_calls;
}

void
resolve_args(struct resolver *r, struct at def, uint32_t index,
             resolve_arg_fn *fn, void *ctx)
{
    uint32_t target = gdef(r, def.file, def.id);
    sym name = 0;

    if (!calls_prepare(r))
        return;
    const struct facts *facts = r->sources[def.file].facts;
    for (uint32_t i = 1; i < facts->bind_len && !name; i++)
        if (facts->binds[i].kind == BIND_PARAM &&
            facts->binds[i].scope == def.id && facts->binds[i].index == index)
            name = sym_of(r, def.file, facts->binds[i].name);
    for (uint32_t i = r->call_start[target]; i < r->call_start[target + 1];
         i++) {
        const struct call_site *call = &r->calls[i];
        uint32_t arg = call_argument(r, call, index, name);
        if (arg && !fn(ctx, (struct at){call->file, call->expr},
                       (struct at){call->file, arg}))
            return;
    }
}

uint32_t
call_argument(struct resolver *r, const struct call_site *call, uint32_t index,
              sym name)
{
    const struct fact_expr *at = expr_at(r, call->file, call->expr);

    for (uint32_t i = 0; i < at->list_len; i++) {
        uint32_t id = list_at(r, call->file, at->list_at + i);
        const struct fact_expr *arg = expr_at(r, call->file, id);
        if (arg->kind == EXPR_PAIR && arg->text && name &&
            sym_of(r, call->file, arg->text) == name)
            return arg->a;
        if (arg->kind == EXPR_SPREAD)
            return 0;
        if (i == index && arg->kind != EXPR_PAIR)
            return id;
    }
    return 0;
}

/* How the name of a type was reached. */
uint8_t
callee_reach(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    struct val val = {0};

    if (at->kind == EXPR_GENERIC)
        return callee_reach(r, file, at->a);
    if (at->kind == EXPR_NAME || at->kind == EXPR_MEMBER)
        val = eval_expr(r, file, expr);
    return val.kind == VAL_DEF && val.by ? val.by : CODE_BY_TYPE;
}
