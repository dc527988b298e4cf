/*
 * Types, as they are written: names and qualified names, arguments of generic
 * types, collections, what is waited for, what may be absent.
 */
#include "index/resolve_csharp.h"
#include "index/resolve_generic.h"
#include "index/resolve_kotlin.h"
#include "index/resolve_variable.h"

static bool
is_nothing(const struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    str text = facts_text(r->sources[file].facts, at->text);

    return at->kind == EXPR_NAME &&
           (str_eq(text, STR("None")) || str_eq(text, STR("null")) ||
            str_eq(text, STR("undefined")) || str_eq(text, STR("nil")) ||
            str_eq(text, STR("void")));
}

struct val
eval_instance(struct resolver *r, struct val type)
{
    struct val made = {0};

    switch ((enum val_kind)type.kind) {
    case VAL_DEF: {
        const struct fact_def *def = def_at(r, type.file, type.id);
        /* In JavaScript a function may make instances, too. */
        if (is_type_kind(def->kind) ||
            (def->kind == CODE_FUNCTION &&
             lang_at(r, type.file) == LANG_JAVASCRIPT))
            return val_of(VAL_INSTANCE, type.file, type.id, CODE_BY_TYPE);
        return made;
    }
    case VAL_EXTERNAL:
        made = type;
        made.kind = VAL_FOREIGN;
        made.origin = ORIGIN_NONE;
        return made;
    default:
        return made;
    }
}

/* Python: `T = TypeVar("T", bound=Base)`. */
static struct val
bound_of(struct resolver *r, struct val variable)
{
    const struct fact_expr *made;

    if (variable.kind != VAL_FOREIGN || variable.origin != ORIGIN_EXPR ||
        !sym_is(r, variable.name, "TypeVar"))
        return (struct val){0};
    made = expr_at(r, variable.origin_file, variable.origin_id);
    for (uint32_t i = 0; i < made->list_len; i++) {
        uint32_t arg = list_at(r, variable.origin_file, made->list_at + i);
        const struct fact_expr *pair = expr_at(r, variable.origin_file, arg);
        str key =
            facts_text(r->sources[variable.origin_file].facts, pair->text);
        if (pair->kind == EXPR_PAIR && str_eq(key, STR("bound")))
            return eval_type(r, variable.origin_file, pair->a);
    }
    return (struct val){.kind = VAL_FOREIGN};
}

/* What has a value or can be called, and is no type. */
static bool
is_thing(const struct resolver *r, struct val val)
{
    return val.kind == VAL_INSTANCE || val.kind == VAL_FOREIGN ||
           (val.kind == VAL_DEF &&
            is_function_kind(def_at(r, val.file, val.id)->kind));
}

static bool
has_type(const struct resolver *r, struct rows rows)
{
    for (uint32_t i = 0; i < rows.len; i++) {
        const struct row *row = &rows.at[i];
        if (row->kind != ROW_BIND ||
            bind_at(r, row->file, row->id)->flags & BIND_CONST)
            return true;
    }
    return false;
}

/* Go: where a type stands no variable is meant, as in `users := &users{}`, but
 * a type of the function or a parameter for one. */
static uint32_t
scope_of_type(const struct resolver *r, uint32_t file, uint32_t scope, sym name)
{
    const struct facts *facts = r->sources[file].facts;

    if (facts->lang != LANG_GO)
        return scope;
    while (scope &&
           !has_type(r, scope_rows(r, r->canon[gdef(r, file, scope)], name)))
        scope = facts->defs[scope].parent;
    return scope;
}

static struct val
named_type(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    sym name = sym_of(r, file, at->text);
    uint32_t scope = scope_of_type(r, file, at->scope, name);
    struct val val = name_is_global(r, file, expr)
                         ? eval_global(r, file, expr)
                         : scope_lookup(r, file, scope, name, 0);

    /* `public Pool Pool { get; }` */
    if (lang_at(r, file) == LANG_CSHARP && is_thing(r, val)) {
        struct val type = csharp_type_named(r, file, at->scope, name);
        val = type.kind != VAL_NONE ? type : val;
    }
    if (kotlin_is_function_type(r, val))
        return val; /* an alias: `Block = Cart.() -> Unit` */
    if (val.kind == VAL_INSTANCE || val.kind == VAL_FOREIGN)
        return bound_of(r, val);
    if (val.kind == VAL_VARIABLE)
        return variable_instance(r, val);
    if (val.kind == VAL_GENERIC)
        return val; /* an alias: `Items = List[Item]` */
    val = eval_instance(r, val);
    if (val.kind != VAL_NONE)
        return val;
    if (sym_is(r, name, "Self"))
        return eval_self(r, file, at->scope);
    /* A type of the language, or a parameter: not one of ours. */
    return (struct val){.kind = VAL_FOREIGN, .name = name};
}

/* `"a.b.C"` of a string annotation. */
static struct val
quoted_type(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    str text = facts_text(r->sources[file].facts, at->text);
    struct val val = {0};
    bool is_first = true;

    for (uint32_t parts = 0; text.len > 0 && parts < 16; parts++) {
        const char *dot = memchr(text.ptr, '.', text.len);
        size_t len = dot ? (size_t)(dot - text.ptr) : text.len;
        sym name = sym_add(r, str_cut(text, 0, len));
        val = is_first ? scope_lookup(r, file, at->scope, name, 0)
                       : member_find(r, val, name);
        text = str_cut(text, dot ? len + 1 : len, text.len);
        is_first = false;
    }
    return eval_instance(r, val);
}

static struct val
generic_type(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    struct val val = val_of(VAL_GENERIC, file, expr, CODE_BY_TYPE);
    uint32_t first = at->list_len ? list_at(r, file, at->list_at) : 0;
    struct val base = {0};

    if (expr_at(r, file, at->a)->kind != EXPR_NAME ||
        sym_of(r, file, expr_at(r, file, at->a)->text) != 0)
        base = eval_type(r, file, at->a);
    if (base.kind == VAL_INSTANCE) {
        base.args_file = file;
        base.args = expr;
        return base;
    }
    switch (generic_use_of(r, file, expr)) {
    case USE_ITSELF:
        return eval_type(r, file, first);
    case USE_CLASS: {
        struct val made = eval_type(r, file, first);
        if (made.kind == VAL_INSTANCE)
            made.kind = VAL_DEF;
        return made;
    }
    case USE_FIRST_ARM:
        for (uint32_t i = 0; i < at->list_len && i < 16; i++) {
            uint32_t arm = list_at(r, file, at->list_at + i);
            if (!is_nothing(r, file, arm))
                return eval_type(r, file, arm);
        }
        return val;
    case USE_NONE:
        if (kotlin_is_function_type(r, base))
            return base;
        base.args_file = file;
        base.args = expr;
        return base;
    default:
        return val;
    }
}

static struct val
find_type(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);

    switch ((enum expr_kind)at->kind) {
    case EXPR_NAME:
        return named_type(r, file, expr);
    case EXPR_MEMBER: {
        struct val of = {0};
        if (!name_is_path(r, file, expr))
            of = eval_expr(r, file, at->a);
        struct val val = of.kind == VAL_NONE
                             ? eval_full_name(r, file, expr)
                             : member_find(r, of, sym_of(r, file, at->text));
        val = eval_instance(r, val);
        if (val.kind == VAL_NONE)
            val.kind = VAL_FOREIGN;
        return val;
    }
    case EXPR_GENERIC:
        return generic_type(r, file, expr);
    case EXPR_STRING:
        return quoted_type(r, file, expr);
    case EXPR_ALT:
        for (uint32_t i = 0; i < at->list_len && i < 16; i++) {
            uint32_t arm = list_at(r, file, at->list_at + i);
            if (!is_nothing(r, file, arm))
                return eval_type(r, file, arm);
        }
        return (struct val){0};
    case EXPR_SELF: {
        struct val self = eval_self(r, file, at->scope);
        if (self.kind != VAL_DEF)
            return self;
        self = eval_instance(r, self); /* in a class method of Ruby */
        self.by = CODE_BY_SELF;
        return self;
    }
    case EXPR_CAST:
    case EXPR_SPREAD:
    case EXPR_AWAIT:
    case EXPR_INDEX: /* `T["x"]`, or Python's generics in expressions */
        return eval_type(r, file, at->a);
    case EXPR_OBJECT:
        return val_of(VAL_OBJECT, file, expr, CODE_BY_TYPE);
    default:
        return eval_instance(r, eval_expr(r, file, expr));
    }
}

struct val
eval_type(struct resolver *r, uint32_t file, uint32_t expr)
{
    struct val val = {0};

    if (!expr || r->depth >= RESOLVE_DEPTH_MAX)
        return val;
    r->depth++;
    val = find_type(r, file, expr);
    r->depth--;
    return val;
}

struct val
eval_arg(struct resolver *r, struct val of, uint32_t index)
{
    uint32_t file = of.kind == VAL_GENERIC ? of.file : of.args_file;
    uint32_t expr = of.kind == VAL_GENERIC ? of.id : of.args;
    const struct fact_expr *at = expr_at(r, file, expr);

    if (!expr || at->kind != EXPR_GENERIC || at->list_len == 0)
        return (struct val){0};
    index = index < at->list_len ? index : at->list_len - 1;
    return eval_type(r, file, list_at(r, file, at->list_at + index));
}

static struct val
element_of_instance(struct resolver *r, struct val of, enum element how)
{
    const char *method = how == ELEMENT_INDEXED ? "__getitem__" : "__iter__";
    const struct fact_def *def = def_at(r, of.file, of.id);
    struct val val = {0};

    if (lang_at(r, of.file) == LANG_PYTHON) {
        val = member_find(r, of, sym_add(r, str_of(method)));
        if (val.kind == VAL_DEF)
            val = eval_return(r, val.file, val.id);
        return how == ELEMENT_INDEXED ? val : eval_element(r, val, how);
    }
    if (def->type)
        return eval_element(r, eval_type(r, of.file, def->type), how);
    return val;
}

struct val
eval_element(struct resolver *r, struct val of, enum element how)
{
    struct val val = {0};

    if (r->depth >= RESOLVE_DEPTH_MAX)
        return val;
    r->depth++;
    if (of.kind == VAL_ARRAY) {
        const struct fact_expr *array = expr_at(r, of.file, of.id);
        if (array->list_len)
            val = eval_expr(r, of.file, list_at(r, of.file, array->list_at));
    } else if (of.kind == VAL_INSTANCE) {
        val = element_of_instance(r, of, how);
    } else if (of.kind == VAL_GENERIC) {
        enum generic_use use = generic_use_of(r, of.file, of.id);
        bool is_python = lang_at(r, of.file) == LANG_PYTHON;
        bool is_key =
            how == ELEMENT_KEY || (how == ELEMENT_ITERATED && is_python);
        if (use == USE_MAP)
            val = eval_arg(r, of, is_key ? 0 : 1);
        else if (use == USE_FIRST && how != ELEMENT_KEY)
            val = eval_arg(r, of, 0);
    }
    r->depth--;
    return val;
}

/* Whether what stands before the place |index| may be more than one. */
static bool
is_moved(const struct resolver *r, struct val array, uint32_t index)
{
    const struct fact_expr *at = expr_at(r, array.file, array.id);

    for (uint32_t i = 0; i <= index && i < at->list_len; i++) {
        uint32_t item = list_at(r, array.file, at->list_at + i);
        if (expr_at(r, array.file, item)->kind == EXPR_SPREAD)
            return true;
    }
    return false;
}

struct val
eval_item(struct resolver *r, struct val of, uint32_t index)
{
    struct val val = {.kind = VAL_MADE};

    if (of.kind != VAL_ARRAY || index == ITEM_ANY || is_moved(r, of, index)) {
        val = eval_element(r, of, ELEMENT_INDEXED);
        val.is_choice |= of.kind == VAL_ARRAY &&
                         (val.kind == VAL_TEXT || val.kind == VAL_OBJECT ||
                          val.kind == VAL_ARRAY);
        return val;
    }
    const struct fact_expr *array = expr_at(r, of.file, of.id);
    if (index >= array->list_len || r->depth >= RESOLVE_DEPTH_MAX)
        return val;
    r->depth++;
    val = eval_expr(r, of.file, list_at(r, of.file, array->list_at + index));
    r->depth--;
    return val;
}

struct val
eval_await(struct resolver *r, struct val of)
{
    if (of.kind == VAL_GENERIC &&
        generic_use_of(r, of.file, of.id) == USE_AWAITED)
        return eval_arg(r, of, UINT32_MAX);
    return of;
}
