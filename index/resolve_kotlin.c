/*
 * What expressions of Kotlin are worth where no other language has the like.
 */
#include "index/resolve_kotlin.h"

struct scope_function {
    const char *name;
    bool gives_object; /* else what the lambda returns */
    bool is_this;      /* the object is the lambda's `this`, else its `it` */
};

static const struct scope_function functions[] = {
    {"also", true, false}, {"apply", true, true},   {"let", false, false},
    {"run", false, true},  {"takeIf", true, false}, {"takeUnless", true, false},
    {"with", false, true},
};

static const struct scope_function *
function_of(const struct resolver *r, uint32_t file, uint32_t call)
{
    const struct fact_expr *at = expr_at(r, file, call);
    const struct fact_expr *callee = expr_at(r, file, at->a);
    str name = facts_text(r->sources[file].facts, callee->text);

    if (!call || at->kind != EXPR_CALL || lang_at(r, file) != LANG_KOTLIN ||
        (callee->kind != EXPR_NAME && callee->kind != EXPR_MEMBER))
        return NULL;
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (!str_eq(name, str_of(functions[i].name)))
            continue;
        bool is_with = str_eq(name, STR("with"));
        if (at->list_len != (is_with ? 2 : 1) ||
            is_with != (callee->kind == EXPR_NAME && is_with))
            return NULL;
        uint32_t last = list_at(r, file, at->list_at + at->list_len - 1);
        return expr_at(r, file, last)->kind == EXPR_LAMBDA ? &functions[i]
                                                           : NULL;
    }
    return NULL;
}

/* One of the repository that takes as many arguments. */
static bool
is_of_ours(struct resolver *r, uint32_t file, uint32_t call)
{
    const struct fact_expr *at = expr_at(r, file, call);
    struct val callee = eval_expr(r, file, at->a);

    return callee.kind == VAL_DEF &&
           r->params[gdef(r, callee.file, callee.id)].len == at->list_len;
}

bool
kotlin_is_scope_call(struct resolver *r, uint32_t file, uint32_t call)
{
    return function_of(r, file, call) && !is_of_ours(r, file, call);
}

/* What it is called on; of `run { }` without a word that is what `this` is
 * around it. */
static struct val
object_of(struct resolver *r, uint32_t file, uint32_t call)
{
    const struct fact_expr *at = expr_at(r, file, call);
    const struct fact_expr *callee = expr_at(r, file, at->a);

    if (callee->kind == EXPR_MEMBER)
        return eval_expr(r, file, callee->a);
    if (at->list_len == 2)
        return eval_expr(r, file, list_at(r, file, at->list_at));
    return eval_self(r, file, at->scope);
}

struct val
kotlin_scope_value(struct resolver *r, uint32_t file, uint32_t call)
{
    const struct scope_function *function = function_of(r, file, call);
    const struct fact_expr *at = expr_at(r, file, call);

    if (!function)
        return (struct val){0};
    if (function->gives_object)
        return object_of(r, file, call);
    uint32_t last = list_at(r, file, at->list_at + at->list_len - 1);
    struct val val = eval_return(r, file, expr_at(r, file, last)->a);
    if (val.by == CODE_BY_SELF)
        val.by = CODE_BY_TYPE;
    return val;
}

static uint32_t
call_of_lambda(const struct resolver *r, uint32_t file, uint32_t def)
{
    return r->lambda_calls[gdef(r, file, def)];
}

struct val
kotlin_receiver(struct resolver *r, uint32_t file, uint32_t def)
{
    uint32_t call = call_of_lambda(r, file, def);
    const struct scope_function *function = function_of(r, file, call);
    const struct fact_expr *at = expr_at(r, file, call);

    /* Without an object `this` is what it was. */
    if (!function || !function->is_this ||
        (at->list_len == 1 && expr_at(r, file, at->a)->kind == EXPR_NAME) ||
        is_of_ours(r, file, call))
        return (struct val){0};
    struct val object = object_of(r, file, call);
    if (object.kind == VAL_NONE)
        object.kind = VAL_MADE;
    if (object.by == CODE_BY_SELF)
        object.by = CODE_BY_TYPE;
    return object;
}

struct val
kotlin_passed(struct resolver *r, uint32_t file, uint32_t def)
{
    uint32_t call = call_of_lambda(r, file, def);
    const struct scope_function *function = function_of(r, file, call);

    if (!function || function->is_this || is_of_ours(r, file, call))
        return (struct val){0};
    struct val object = object_of(r, file, call);
    if (object.by == CODE_BY_SELF)
        object.by = CODE_BY_TYPE;
    return object;
}

/* The lambda whose only parameter nobody named: those with a `this` have none,
 * as far as they are known. */
struct val
kotlin_it(struct resolver *r, uint32_t file, uint32_t scope)
{
    const struct facts *facts = r->sources[file].facts;

    for (uint32_t def = scope; def; def = facts->defs[def].parent) {
        const struct scope_function *function =
            function_of(r, file, call_of_lambda(r, file, def));
        bool is_lambda = (facts->defs[def].flags & DEF_LAMBDA) &&
                         is_function_kind(facts->defs[def].kind);
        if (is_lambda && r->params[gdef(r, file, def)].len == 0 &&
            !(function && function->is_this))
            return param_passed(r, file, def, 0);
    }
    return (struct val){0};
}

/* ---- extensions ---- */

static bool
is_extension(const struct resolver *r, uint32_t file, uint32_t id)
{
    const struct fact_def *def = def_at(r, file, id);

    return is_function_kind(def->kind) && (def->flags & DEF_EXTENSION);
}

/* Types that nothing extends: an extension of another is not meant. */
static bool
is_final(const struct resolver *r, sym type)
{
    static const char *const names[] = {"Boolean", "Byte",  "Char",
                                        "Double",  "Float", "Int",
                                        "Long",    "Short", "String"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (sym_is(r, type, names[i]))
            return true;
    return false;
}

/* `Any`, what text implements, a type parameter. */
static bool
takes_final(const struct resolver *r, sym receiver)
{
    return sym_is(r, receiver, "Any") || sym_is(r, receiver, "CharSequence") ||
           sym_is(r, receiver, "Comparable") || sym_is(r, receiver, "Number") ||
           sym_str(r, receiver).len == 1;
}

static sym
receiver_of(struct resolver *r, uint32_t file, uint32_t id)
{
    return sym_of(r, file, def_at(r, file, id)->receiver);
}

/* That of the type by its name, and the only one where that is not known. */
static struct val
of_receiver(struct resolver *r, struct val found, sym type)
{
    uint32_t unit = r->sources[found.file].unit;
    sym name = sym_of(r, found.file, def_at(r, found.file, found.id)->name);
    sym first = receiver_of(r, found.file, found.id);
    struct rows rows = scope_rows(r, unit_scope(r, unit), name);

    if (rows.len > RESOLVE_CANDIDATES_MAX)
        return (struct val){0};
    if (type == first)
        return found;
    bool is_one = !is_final(r, type) || takes_final(r, first);
    for (uint32_t i = 0; i < rows.len; i++) {
        const struct row *row = &rows.at[i];
        if (row->kind != ROW_DEF || !is_extension(r, row->file, row->id))
            continue;
        sym receiver = receiver_of(r, row->file, row->id);
        if (type && receiver == type)
            return val_of(VAL_DEF, row->file, row->id, found.by);
        is_one = is_one && receiver == first;
    }
    return is_one ? found : (struct val){0};
}

struct val
kotlin_unqualified(struct resolver *r, uint32_t file, uint32_t scope,
                   struct val val)
{
    const struct facts *facts = r->sources[file].facts;
    sym type = 0;

    if (val.kind != VAL_DEF || lang_at(r, val.file) != LANG_KOTLIN ||
        !is_extension(r, val.file, val.id) ||
        def_at(r, val.file, val.id)->parent)
        return val;
    for (uint32_t def = scope; def && !type; def = facts->defs[def].parent)
        type = sym_of(r, file, facts->defs[def].receiver);
    return of_receiver(r, val, type);
}

/* The name of the type that a value is of, where it is known. */
static sym
type_name(struct resolver *r, struct val of)
{
    if (of.kind == VAL_FOREIGN)
        return of.name;
    if (of.kind == VAL_INSTANCE)
        return sym_of(r, of.file, def_at(r, of.file, of.id)->name);
    bool is_string =
        of.kind == VAL_TEXT && expr_at(r, of.file, of.id)->kind != EXPR_NUMBER;
    return is_string ? sym_add(r, STR("String")) : 0;
}

/* What the language's own numbers have comes before an extension. */
static bool
is_of_numbers(const struct resolver *r, sym type, sym name)
{
    static const char *const names[] = {"and", "or",   "shl",
                                        "shr", "ushr", "xor"};

    if (!sym_is(r, type, "Int") && !sym_is(r, type, "Long"))
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (sym_is(r, name, names[i]))
            return true;
    return false;
}

struct val
kotlin_extension(struct resolver *r, uint32_t file, uint32_t expr,
                 struct val of)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    bool is_value = of.kind == VAL_INSTANCE || of.kind == VAL_FOREIGN ||
                    of.kind == VAL_TEXT || of.kind == VAL_ARRAY ||
                    of.kind == VAL_GENERIC || of.kind == VAL_MADE ||
                    of.kind == VAL_NONE;
    struct val found;

    if (!is_value ||
        is_of_numbers(r, type_name(r, of), sym_of(r, file, at->text)))
        return (struct val){0};
    found = scope_lookup(r, file, at->scope, sym_of(r, file, at->text), 0);
    if (found.kind != VAL_DEF || lang_at(r, found.file) != LANG_KOTLIN ||
        !is_extension(r, found.file, found.id))
        return (struct val){0};
    return of_receiver(r, found, type_name(r, of));
}
