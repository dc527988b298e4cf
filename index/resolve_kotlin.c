/*
 * What expressions of Kotlin are worth where no other language has the like.
 */
#include "index/resolve_kotlin.h"

struct scope_function {
    str name;
    bool gives_object; /* else what the lambda returns */
    bool is_this;      /* the object is the lambda's `this`, else its `it` */
};

static const struct scope_function functions[] = {
    {STR_INIT("also"), true, false},   {STR_INIT("apply"), true, true},
    {STR_INIT("let"), false, false},   {STR_INIT("run"), false, true},
    {STR_INIT("takeIf"), true, false}, {STR_INIT("takeUnless"), true, false},
    {STR_INIT("with"), false, true},
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
        if (!str_eq(name, functions[i].name))
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

/* ---- what a function of the repository takes ---- */

/* The parameter that a lambda is passed as; 0: none that is known. */
static uint32_t
param_of_lambda(struct resolver *r, uint32_t file, uint32_t lambda,
                struct at method)
{
    const struct fact_expr *at =
        expr_at(r, file, call_of_lambda(r, file, lambda));
    const struct parameters *params =
        &r->params[gdef(r, method.file, method.id)];

    for (uint32_t i = 0; i < at->list_len && params->len > 0; i++) {
        const struct fact_expr *arg =
            expr_at(r, file, list_at(r, file, at->list_at + i));
        if (arg->kind != EXPR_LAMBDA || arg->a != lambda)
            continue;
        /* The last one stands behind the parentheses. */
        uint32_t index = i + 1 == at->list_len ? params->len - 1 : i;
        return index < params->len ? params->first + index : 0;
    }
    return 0;
}

/* The type `func<...>` that a lambda is to be of. */
static struct val
type_of_lambda(struct resolver *r, uint32_t file, uint32_t lambda)
{
    uint32_t call = call_of_lambda(r, file, lambda);
    struct val callee = {0};

    if (!call || lang_at(r, file) != LANG_KOTLIN ||
        kotlin_is_scope_call(r, file, call))
        return (struct val){0};
    callee = eval_callee(r, file, call);
    if (callee.kind != VAL_DEF || lang_at(r, callee.file) != LANG_KOTLIN ||
        !is_function_kind(def_at(r, callee.file, callee.id)->kind))
        return (struct val){0};
    uint32_t param =
        param_of_lambda(r, file, lambda, (struct at){callee.file, callee.id});
    if (!param)
        return (struct val){0};
    return eval_type(r, callee.file, bind_at(r, callee.file, param)->type);
}

/* What a function type says of `this`, or of the parameter |index|. */
static struct val
said_of_lambda(struct resolver *r, uint32_t file, uint32_t lambda,
               uint32_t index, bool want_this)
{
    struct val type = type_of_lambda(r, file, lambda);
    const struct fact_expr *at = expr_at(r, type.args_file, type.args);

    if (!kotlin_is_function_type(r, type))
        return (struct val){0};
    for (uint32_t i = 1, seen = 0; i < at->list_len; i++) {
        uint32_t id = list_at(r, type.args_file, at->list_at + i);
        const struct fact_expr *part = expr_at(r, type.args_file, id);
        if (part->kind == EXPR_PAIR && want_this)
            return eval_type(r, type.args_file, part->a);
        if (part->kind != EXPR_PAIR && !want_this && seen++ == index)
            return eval_type(r, type.args_file, id);
    }
    return (struct val){0};
}

bool
kotlin_is_function_type(struct resolver *r, struct val type)
{
    return type.kind == VAL_FOREIGN && type.args &&
           lang_at(r, type.args_file) == LANG_KOTLIN &&
           sym_is(r, type.name, "func");
}

bool
kotlin_writes_function_type(const struct resolver *r, uint32_t file,
                            uint32_t expr)
{
    const struct fact_expr *base = expr_at(r, file, expr_at(r, file, expr)->a);

    return lang_at(r, file) == LANG_KOTLIN && base->kind == EXPR_NAME &&
           str_eq(facts_text(r->sources[file].facts, base->text), STR("func"));
}

/* Functions of the library whose lambdas have a text or a collection for
 * their `this`. */
static bool
is_builder(const struct resolver *r, uint32_t file, uint32_t call)
{
    static const char *const names[] = {"buildString", "buildList", "buildMap",
                                        "buildSet"};
    const struct fact_expr *callee =
        expr_at(r, file, expr_at(r, file, call)->a);
    str name = facts_text(r->sources[file].facts, callee->text);

    if (!call || callee->kind != EXPR_NAME || lang_at(r, file) != LANG_KOTLIN)
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (str_eq(name, str_of(names[i])))
            return true;
    return false;
}

/* The `this` of a lambda that is passed to another than a scope function. */
static struct val
receiver_said(struct resolver *r, uint32_t file, uint32_t def)
{
    struct val object = said_of_lambda(r, file, def, 0, true);

    if (object.kind == VAL_NONE &&
        is_builder(r, file, call_of_lambda(r, file, def)))
        object = (struct val){.kind = VAL_FOREIGN};
    if (object.by == CODE_BY_SELF)
        object.by = CODE_BY_TYPE;
    return object;
}

struct val
kotlin_receiver(struct resolver *r, uint32_t file, uint32_t def)
{
    uint32_t call = call_of_lambda(r, file, def);
    const struct scope_function *function = function_of(r, file, call);
    const struct fact_expr *at = expr_at(r, file, call);

    if (!function || is_of_ours(r, file, call))
        return receiver_said(r, file, def);

    /* Without an object `this` is what it was. */
    if (!function->is_this ||
        (at->list_len == 1 && expr_at(r, file, at->a)->kind == EXPR_NAME))
        return (struct val){0};
    struct val object = object_of(r, file, call);
    if (object.kind == VAL_NONE)
        object.kind = VAL_MADE;
    if (object.by == CODE_BY_SELF)
        object.by = CODE_BY_TYPE;
    return object;
}

struct val
kotlin_passed(struct resolver *r, uint32_t file, uint32_t def, uint32_t index)
{
    uint32_t call = call_of_lambda(r, file, def);
    const struct scope_function *function = function_of(r, file, call);

    if (!function || is_of_ours(r, file, call))
        return said_of_lambda(r, file, def, index, false);
    if (function->is_this || index > 0)
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
