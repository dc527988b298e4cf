/*
 * What expressions are worth.  One answer serves both questions that are asked
 * of it: which definition or which made thing it is, and of what type.
 */
#include "index/resolve_csharp.h"
#include "index/resolve_kotlin.h"
#include "index/resolve_overload.h"
#include "index/resolve_python.h"
#include "index/resolve_ruby.h"
#include "index/resolve_rust.h"
#include "index/resolve_script.h"
#include "index/resolve_super.h"
#include "index/resolve_variable.h"

static struct val
with_origin(struct val val, enum val_origin kind, uint32_t file, uint32_t id)
{
    if (val.kind == VAL_NONE || val.kind == VAL_DEF || val.kind == VAL_FILE ||
        val.kind == VAL_UNIT || val.kind == VAL_FOLDER ||
        val.kind == VAL_EXTERNAL || val.origin != ORIGIN_NONE)
        return val;
    val.origin = (uint8_t)kind;
    val.origin_file = file;
    val.origin_id = id;
    val.call_id = 0;
    return val;
}

struct val
eval_self(struct resolver *r, uint32_t file, uint32_t def)
{
    const struct facts *facts = r->sources[file].facts;

    for (uint32_t at = def; at; at = facts->defs[at].parent) {
        const struct fact_def *here = &facts->defs[at];
        struct val own = script_self(r, file, at);
        if (own.kind != VAL_NONE)
            return own;
        uint32_t type = UINT32_MAX;
        if (is_type_kind(here->kind) ||
            (facts->lang == LANG_RUBY && here->kind == CODE_PACKAGE)) {
            type = r->canon[gdef(r, file, at)];
        } else if (here->receiver) {
            struct val object = kotlin_extended(r, file, at);
            if (object.kind != VAL_NONE)
                return object;
        } else if (here->flags & DEF_LAMBDA) {
            struct val object = kotlin_receiver(r, file, at);
            if (object.kind != VAL_NONE)
                return object;
        }
        if (type >= r->def_len)
            continue;
        uint32_t owner = r->owner_file[type];
        struct val self =
            val_of(VAL_INSTANCE, owner, type - r->sources[owner].def_base,
                   CODE_BY_SELF);
        return facts->lang == LANG_RUBY ? ruby_self(r, file, def, self) : self;
    }
    return (struct val){0};
}

/* What is read through a name without parentheses is what it returns.  In Ruby
 * that is a call like any other. */
static struct val
read_property(struct resolver *r, struct val val)
{
    if (val.kind != VAL_DEF || lang_at(r, val.file) == LANG_RUBY ||
        !(def_at(r, val.file, val.id)->flags & DEF_PROPERTY))
        return val;
    struct val got = eval_return(r, val.file, val.id);
    if (got.kind == VAL_NONE)
        got.kind = VAL_MADE;
    return got;
}

static bool
is_outside(struct val val)
{
    return val.kind == VAL_NONE || val.kind == VAL_FOREIGN ||
           val.kind == VAL_EXTERNAL;
}

static struct val
eval_method(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    sym name = sym_of(r, file, at->text);

    if (name_is_path(r, file, expr))
        return eval_full_name(r, file, expr);
    if (lang_at(r, file) == LANG_RUBY && at->is_symbol)
        return ruby_capital(r, file, expr);
    if (is_super(r, file, at->a))
        return read_property(r, super_member(r, file, expr));
    struct val of = eval_expr(r, file, at->a);
    struct val exported = script_exported(r, file, expr, of);
    if (exported.kind != VAL_NONE)
        return read_property(r, exported);
    if (of.kind == VAL_NONE) {
        struct val full = eval_full_name(r, file, expr);
        if (full.kind == VAL_NONE && lang_at(r, file) == LANG_KOTLIN)
            full = kotlin_extension(r, file, expr, of);
        return read_property(r, full);
    }
    struct val val = member_used(r, of, name, (struct at){file, expr});
    if (lang_at(r, file) == LANG_KOTLIN && is_outside(val)) {
        struct val extension = kotlin_extension(r, file, expr, of);
        if (extension.kind != VAL_NONE)
            return read_property(r, extension);
    }
    if (lang_at(r, file) == LANG_CSHARP &&
        (is_outside(val) ||
         !csharp_is_taken(r, val, (struct at){file, expr}))) {
        struct val extension = csharp_extension(r, file, expr, of);
        if (extension.kind != VAL_NONE)
            return extension;
    }
    val.is_choice |= of.is_choice && val.kind == VAL_TEXT;
    return read_property(r, variable_of(r, val, of));
}

static struct val
eval_member(struct resolver *r, uint32_t file, uint32_t expr)
{
    uint32_t of = expr_at(r, file, expr)->a;
    struct val field = {0};

    if (lang_at(r, file) == LANG_RUST && !is_super(r, file, of) &&
        rust_field(r, file, expr, &field))
        return field;
    return eval_method(r, file, expr);
}

struct val
eval_callee(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    const struct fact_expr *callee = expr_at(r, file, at->a);

    if (at->kind == EXPR_NEW)
        return eval_type(r, file, at->a);
    if (callee->kind == EXPR_SUPER) {
        struct val self = eval_self(r, file, at->scope);
        if (self.kind != VAL_INSTANCE)
            return self;
        struct val base = member_superclass(r, gdef(r, self.file, self.id));
        if (base.kind != VAL_INSTANCE)
            return (struct val){.kind = VAL_FOREIGN};
        return val_of(VAL_DEF, base.file, base.id, CODE_BY_SELF);
    }
    if (kotlin_is_scope_call(r, file, expr))
        return (struct val){.kind = VAL_FOREIGN};
    if (callee->kind == EXPR_MEMBER && lang_at(r, file) == LANG_RUST)
        return eval_method(r, file, at->a);
    return eval_expr(r, file, at->a);
}

static bool
is_capital(str text)
{
    const char *dot = text.len ? memrchr(text.ptr, '.', text.len) : NULL;
    size_t at = dot ? (size_t)(dot + 1 - text.ptr) : 0;

    return at < text.len && text.ptr[at] >= 'A' && text.ptr[at] <= 'Z';
}

/* What the run of |callee| made itself each call makes anew; what it only hands
 * out is the same for all. */
static struct val
made_in(struct resolver *r, struct val val, struct val callee, struct at call)
{
    uint32_t file = val.call_id ? val.call_file : val.origin_file;
    uint32_t made = val.call_id ? val.call_id : val.origin_id;

    if (val.origin == ORIGIN_EXPR && file == callee.file &&
        expr_at(r, file, made)->scope == callee.id) {
        val.call_file = call.file;
        val.call_id = call.id;
    }
    return val;
}

static struct val
call_def(struct resolver *r, struct val callee, uint32_t file, uint32_t expr)
{
    const struct fact_def *def = def_at(r, callee.file, callee.id);
    const struct fact_expr *at = expr_at(r, file, expr);
    const struct fact_expr *how = expr_at(r, file, at->a);

    if (is_type_kind(def->kind))
        return val_of(VAL_INSTANCE, callee.file, callee.id, CODE_BY_TYPE);
    if (!is_function_kind(def->kind) || callee.is_choice)
        return (struct val){0};
    struct val val = made_in(r, eval_return(r, callee.file, callee.id), callee,
                             (struct at){file, expr});
    if (val.variable) {
        struct at method = {callee.file, callee.id};
        val = variable_called(r, val, method, (struct at){file, expr});
        if (val.variable && how->kind == EXPR_MEMBER)
            return variable_of(r, val, eval_expr(r, file, how->a));
        return variable_seen(r, val, file, at->scope);
    }
    /* What returns itself returns what it was called on. */
    if (val.kind == VAL_INSTANCE && val.by == CODE_BY_SELF) {
        struct val of = {0};
        if (how->kind == EXPR_MEMBER)
            of = eval_expr(r, file, how->a);
        if (of.kind == VAL_INSTANCE)
            return of;
        /* Ruby's `def self.build = new` */
        if (of.kind == VAL_DEF && lang_at(r, of.file) == LANG_RUBY)
            return eval_instance(r, of);
        val.by = CODE_BY_TYPE;
    }
    return val;
}

struct val
eval_call(struct resolver *r, struct val callee, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    const struct fact_expr *how = expr_at(r, file, at->a);
    struct val val = {0};

    switch ((enum val_kind)callee.kind) {
    case VAL_DEF:
        val = call_def(r, callee, file, expr);
        break;
    case VAL_INSTANCE:
        if (how->kind == EXPR_SELF) /* Python's `cls()` */
            return callee;
        if (lang_at(r, file) == LANG_PYTHON)
            val = member_find(r, callee, sym_add(r, STR("__call__")));
        if (val.kind == VAL_DEF)
            val = eval_return(r, val.file, val.id);
        break;
    case VAL_EXTERNAL:
        if (lang_at(r, file) == LANG_PYTHON &&
            is_capital(sym_str(r, callee.name)))
            val = eval_instance(r, callee);
        break;
    case VAL_FOREIGN:
        if (how->kind == EXPR_MEMBER)
            val = eval_through(r, eval_expr(r, file, how->a),
                               sym_of(r, file, how->text));
        break;
    default:
        break;
    }
    bool is_outside = callee.kind == VAL_EXTERNAL || callee.kind == VAL_FOREIGN;
    if (val.kind == VAL_NONE && (is_outside || callee.kind == VAL_NONE) &&
        lang_at(r, file) == LANG_RUST) {
        val = rust_derived(r, file, expr);
        if (val.kind == VAL_NONE && how->kind == EXPR_MEMBER)
            val = rust_through(r, eval_expr(r, file, how->a),
                               sym_of(r, file, how->text));
    }
    if (val.kind == VAL_NONE)
        val.kind = is_outside ? VAL_FOREIGN : VAL_MADE;
    if (val.by == CODE_BY_SELF)
        val.by = CODE_BY_TYPE;
    return with_origin(val, ORIGIN_EXPR, file, expr);
}

/* `require("x")` and `import("x")` where a value is wanted. */
static struct val
eval_require(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    const struct facts *facts = r->sources[file].facts;
    const struct fact_expr *callee = expr_at(r, file, at->a);
    struct val val = {0};

    if (!is_script(facts->lang) || callee->kind != EXPR_NAME ||
        at->list_len != 1)
        return val;
    str name = facts_text(facts, callee->text);
    const struct fact_expr *arg =
        expr_at(r, file, list_at(r, file, at->list_at));
    if (arg->kind != EXPR_STRING ||
        (!str_eq(name, STR("require")) && !str_eq(name, STR("import"))))
        return val;
    return import_whole(r,
                        import_module(r, file, facts_text(facts, arg->text)));
}

static struct val
eval_made(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    struct val val = {0};

    if (at->kind == EXPR_NEW) {
        val = eval_type(r, file, at->a);
        if (val.kind == VAL_NONE)
            val.kind = VAL_MADE;
        val.origin = ORIGIN_NONE;
        return with_origin(val, ORIGIN_EXPR, file, expr);
    }
    if (kotlin_is_scope_call(r, file, expr))
        return kotlin_scope_value(r, file, expr);
    val = eval_require(r, file, expr);
    if (val.kind != VAL_NONE)
        return val;
    struct val callee = eval_callee(r, file, expr);
    if (callee.kind != VAL_DEF && ruby_class_of(r, file, expr, &val))
        return val;
    val = python_made(r, file, expr, callee);
    if (val.kind != VAL_NONE)
        return val;
    if (callee.kind == VAL_FOREIGN && lang_at(r, file) == LANG_GO &&
        at->list_len > 0 && expr_at(r, file, at->a)->kind == EXPR_NAME &&
        str_eq(
            facts_text(r->sources[file].facts, expr_at(r, file, at->a)->text),
            STR("new")))
        return eval_type(r, file, list_at(r, file, at->list_at));
    return eval_call(r, callee, file, expr);
}

/* The place that |key| numbers; hardly a list in the code has a thousand. */
static uint32_t
place_of(const struct resolver *r, uint32_t file, uint32_t key)
{
    const struct fact_expr *at = expr_at(r, file, key);
    str digits = facts_text(r->sources[file].facts, at->text);
    uint32_t place = 0;

    if (at->kind != EXPR_NUMBER || digits.len == 0 || digits.len > 3)
        return ITEM_ANY;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.ptr[i] < '0' || digits.ptr[i] > '9')
            return ITEM_ANY;
        place = place * 10 + (uint32_t)(digits.ptr[i] - '0');
    }
    return place;
}

static struct val
eval_index(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    struct val of = eval_expr(r, file, at->a);

    if (lang_at(r, file) == LANG_RUBY &&
        (of.kind == VAL_DEF || of.kind == VAL_INSTANCE))
        return ruby_indexed(r, of);
    if (of.kind == VAL_DEF || of.kind == VAL_EXTERNAL) /* `f[T]`, `C[T]` */
        return of;
    uint32_t index = at->list_len == 1 ? list_at(r, file, at->list_at) : 0;
    const struct fact_expr *key = expr_at(r, file, index);
    if (of.kind == VAL_OBJECT && key->kind == EXPR_STRING)
        return member_find(r, of, sym_of(r, file, key->text));
    struct val val = eval_item(r, of, place_of(r, file, index));
    if (val.kind == VAL_NONE && of.kind == VAL_FOREIGN)
        val.kind = VAL_FOREIGN;
    return val;
}

/* The first that tells more than that it is not ours. */
static struct val
eval_alternatives(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    struct val first = {0};

    for (uint32_t i = 0; i < at->list_len && i < RESOLVE_CANDIDATES_MAX; i++) {
        struct val val = eval_expr(r, file, list_at(r, file, at->list_at + i));
        bool is_vague = val.kind == VAL_FOREIGN && !val.module;
        val.is_choice |= val.kind == VAL_TEXT;
        if (val.kind != VAL_NONE && !is_vague)
            return val;
        if (first.kind == VAL_NONE)
            first = val;
    }
    return first;
}

static struct val
eval_cast(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    struct val to = {0};

    if (at->list_len > 0)
        to = eval_type(r, file, list_at(r, file, at->list_at));
    struct val of = eval_expr(r, file, at->a);
    /* `as const`, `as any` tell nothing. */
    if (to.kind == VAL_NONE || (to.kind == VAL_FOREIGN && !to.module))
        return of.kind == VAL_NONE ? to : of;
    return val_made_as(to, of);
}

static struct val
eval_name(struct resolver *r, uint32_t file, uint32_t expr)
{
    static const char *const nothing[] = {"None", "null", "nil", "undefined"};
    const struct fact_expr *at = expr_at(r, file, expr);
    sym name = sym_of(r, file, at->text);
    uint8_t lang = lang_at(r, file);

    for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++)
        if (sym_is(r, name, nothing[i]))
            return (struct val){0};
    if (name_is_global(r, file, expr))
        return eval_global(r, file, expr);
    struct val val = scope_lookup(r, file, at->scope, name, expr);
    val = overload_again(r, val, (struct at){file, expr});
    if (lang == LANG_KOTLIN)
        val = kotlin_unqualified(r, file, expr, val);
    bool is_closed = lang == LANG_GO || lang == LANG_PYTHON || is_script(lang);
    /* What is bound nowhere is of the language or its surroundings. */
    if (val.kind == VAL_NONE && is_closed &&
        !scope_is_bound(r, file, at->scope, name))
        return (struct val){.kind = VAL_FOREIGN, .name = name};
    if (val.kind == VAL_NONE && lang == LANG_RUST)
        return rust_root(r, file, expr);
    if (val.kind == VAL_NONE && lang == LANG_KOTLIN && sym_is(r, name, "it"))
        return kotlin_it(r, file, at->scope);
    return read_property(r, variable_seen(r, val, file, at->scope));
}

static struct val
find_expr(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);

    switch ((enum expr_kind)at->kind) {
    case EXPR_NAME:
        return eval_name(r, file, expr);
    case EXPR_MEMBER:
        return eval_member(r, file, expr);
    case EXPR_CALL:
    case EXPR_NEW:
        return eval_made(r, file, expr);
    case EXPR_LAMBDA:
        return val_of(VAL_DEF, file, at->a, CODE_BY_SCOPE);
    case EXPR_SELF:
        return eval_self(r, file, at->scope);
    case EXPR_STRING:
    case EXPR_NUMBER:
    case EXPR_CONCAT:
    case EXPR_REGEX:
        return val_of(VAL_TEXT, file, expr, CODE_BY_TYPE);
    case EXPR_ARRAY:
        return val_of(VAL_ARRAY, file, expr, CODE_BY_TYPE);
    case EXPR_OBJECT:
        return val_of(VAL_OBJECT, file, expr, CODE_BY_TYPE);
    case EXPR_INDEX:
        return eval_index(r, file, expr);
    case EXPR_GENERIC:
        return kotlin_writes_function_type(r, file, expr)
                   ? eval_type(r, file, expr)
                   : eval_expr(r, file, at->a);
    case EXPR_SPREAD:
        return eval_expr(r, file, at->a);
    case EXPR_ALT:
        return eval_alternatives(r, file, expr);
    case EXPR_CAST:
        return eval_cast(r, file, expr);
    case EXPR_ELEM: {
        str how = facts_text(r->sources[file].facts, at->text);
        return eval_element(r, eval_expr(r, file, at->a),
                            how.len ? ELEMENT_KEY : ELEMENT_ITERATED);
    }
    case EXPR_AWAIT:
        return eval_await(r, eval_expr(r, file, at->a));
    default:
        return (struct val){0};
    }
}

struct val
eval_expr(struct resolver *r, uint32_t file, uint32_t expr)
{
    uint32_t *memo = &r->expr_memo[r->sources[file].expr_base + expr];

    if (!expr)
        return (struct val){0};
    return memo_val(r, memo, file, expr, find_expr);
}
