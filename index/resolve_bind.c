/*
 * What bound names are worth, and what functions return: a declared type tells
 * the type, the value tells where it was made.
 */
#include "index/resolve_kotlin.h"
#include "index/resolve_pytest.h"
#include "index/resolve_rust.h"

static bool
is_tuple(const struct resolver *r, uint32_t file, uint32_t type)
{
    const struct fact_expr *at = expr_at(r, file, type);
    str base =
        facts_text(r->sources[file].facts, expr_at(r, file, at->a)->text);

    return at->kind == EXPR_GENERIC &&
           (str_eq(base, STR("tuple")) || str_eq(base, STR("Tuple")) ||
            str_eq(base, STR("()")));
}

/* Part |index| of what a function returns. */
static struct val
part_of_return(struct resolver *r, struct val callee, uint32_t index)
{
    const struct fact_def *def = def_at(r, callee.file, callee.id);
    struct val val = {0};

    if (def->type) {
        const struct fact_expr *type = expr_at(r, callee.file, def->type);
        if (type->kind == EXPR_ARRAY || is_tuple(r, callee.file, def->type))
            return index < type->list_len
                       ? eval_type(
                             r, callee.file,
                             list_at(r, callee.file, type->list_at + index))
                       : val;
        return index == 0 && lang_at(r, callee.file) == LANG_GO
                   ? eval_type(r, callee.file, def->type)
                   : eval_element(r, eval_type(r, callee.file, def->type),
                                  ELEMENT_INDEXED);
    }
    struct rows rows = scope_rows(r, gdef(r, callee.file, callee.id), 0);
    for (uint32_t i = 0; i < rows.len && i < RESOLVE_CANDIDATES_MAX; i++) {
        const struct fact_bind *bind = bind_at(r, callee.file, rows.at[i].id);
        const struct fact_expr *value = expr_at(r, callee.file, bind->value);
        if (value->kind == EXPR_ARRAY && index < value->list_len)
            val = eval_expr(r, callee.file,
                            list_at(r, callee.file, value->list_at + index));
        else if (bind->index == index && lang_at(r, callee.file) == LANG_GO)
            val = eval_expr(r, callee.file, bind->value);
        if (val.kind != VAL_NONE)
            break;
    }
    return val;
}

struct val
eval_part(struct resolver *r, uint32_t file, uint32_t expr, uint32_t index)
{
    const struct fact_expr *at = expr_at(r, file, expr);

    if (at->kind == EXPR_AWAIT)
        return eval_part(r, file, at->a, index);
    if (at->kind == EXPR_CALL) {
        struct val callee = eval_callee(r, file, expr);
        struct val val = {0};
        if (callee.kind == VAL_DEF &&
            is_function_kind(def_at(r, callee.file, callee.id)->kind))
            val = part_of_return(r, callee, index);
        if (val.kind == VAL_NONE) {
            val = (struct val){.kind = VAL_MADE,
                               .origin = ORIGIN_EXPR,
                               .origin_file = file,
                               .origin_id = expr};
            val.kind = callee.kind == VAL_EXTERNAL || callee.kind == VAL_FOREIGN
                           ? VAL_FOREIGN
                           : VAL_MADE;
        }
        return val;
    }
    if (at->kind == EXPR_ARRAY && index < at->list_len)
        return eval_expr(r, file, list_at(r, file, at->list_at + index));
    if (index == 0 && lang_at(r, file) == LANG_GO)
        return eval_expr(r, file, expr);
    struct val of = eval_expr(r, file, expr);
    if (of.kind == VAL_GENERIC && is_tuple(r, of.file, of.id)) {
        const struct fact_expr *tuple = expr_at(r, of.file, of.id);
        return index < tuple->list_len
                   ? eval_type(r, of.file,
                               list_at(r, of.file, tuple->list_at + index))
                   : (struct val){0};
    }
    return eval_item(r, of, index);
}

/* `with f() as x`: what `__enter__` returns, or what is yielded, or itself. */
static struct val
entered(struct resolver *r, struct val of)
{
    struct val enter;

    if (of.kind == VAL_GENERIC) {
        struct val val = eval_await(r, of);
        return val.kind == VAL_GENERIC ? eval_element(r, of, ELEMENT_ITERATED)
                                       : val;
    }
    if (of.kind != VAL_INSTANCE)
        return of;
    enter = member_find(r, of, sym_add(r, STR("__enter__")));
    if (enter.kind != VAL_DEF)
        enter = member_find(r, of, sym_add(r, STR("__aenter__")));
    if (enter.kind != VAL_DEF)
        return of;
    struct val val = eval_return(r, enter.file, enter.id);
    return val.kind == VAL_NONE || val.by == CODE_BY_SELF ? of : val;
}

static struct val
bound_value(struct resolver *r, uint32_t file, const struct fact_bind *bind)
{
    struct val val;

    if (!bind->value)
        return (struct val){0};
    if (bind->flags & BIND_MULTI)
        val = eval_part(r, file, bind->value, bind->index);
    else
        val = eval_expr(r, file, bind->value);
    if (bind->flags & BIND_WITH)
        val = entered(r, val);
    return val;
}

/* A field whose type is not ours may be made somewhere, by a literal or an
 * assignment: `&Server{mux: http.NewServeMux()}`. */
static struct val
field_origin(struct resolver *r, uint32_t file, uint32_t bind, struct val val)
{
    const struct fact_bind *field = bind_at(r, file, bind);
    sym name = sym_of(r, file, field->name);
    uint32_t owner = r->canon[gdef(r, file, field->scope)];
    struct rows rows = scope_rows(r, literal_scope(r), name);
    struct val made = {0};

    for (uint32_t i = 0; i < rows.len && i < 2 * RESOLVE_CANDIDATES_MAX; i++) {
        const struct row *row = &rows.at[i];
        struct val type =
            eval_type(r, row->file, expr_at(r, row->file, row->id)->a);
        if (type.kind != VAL_INSTANCE ||
            r->canon[gdef(r, type.file, type.id)] != owner)
            continue;
        made = eval_expr(r, row->file, expr_at(r, row->file, row->order)->a);
        if (made.origin)
            break;
    }
    rows = scope_rows(r, assign_scope(r), name);
    for (uint32_t i = 0;
         i < rows.len && i < 2 * RESOLVE_CANDIDATES_MAX && !made.origin; i++) {
        const struct row *row = &rows.at[i];
        const struct fact_bind *set = bind_at(r, row->file, row->id);
        struct val of =
            eval_expr(r, row->file, expr_at(r, row->file, set->target)->a);
        if (of.kind == VAL_INSTANCE &&
            r->canon[gdef(r, of.file, of.id)] == owner)
            made = eval_expr(r, row->file, set->value);
    }
    return val_made_as(val, made);
}

/* Where nothing but text can be made of a literal, its type is of no package,
 * though all of one is imported with a star. */
static bool
is_plain_text(const struct resolver *r, uint32_t file, struct val value)
{
    uint8_t lang = r->sources[file].facts->lang;

    return value.kind == VAL_TEXT && (lang == LANG_JAVA || lang == LANG_KOTLIN);
}

static struct val
with_literal(struct val val, uint32_t file, uint32_t expr)
{
    val.origin = ORIGIN_EXPR;
    val.origin_file = file;
    val.origin_id = expr;
    val.call_id = 0;
    return val;
}

static bool
is_function(const struct resolver *r, struct val value)
{
    return value.kind == VAL_DEF &&
           is_function_kind(def_at(r, value.file, value.id)->kind);
}

/* A type of the language says less than a literal, and one of a library less
 * than the function itself: `const show: RequestHandler = (req, res) => {}`. */
static bool
says_more(const struct resolver *r, uint32_t file, struct val value,
          struct val type)
{
    bool is_vague =
        !type.module && !(value.kind == VAL_FOREIGN && !value.module);

    /* In Java nothing is known of a value but what its type says. */
    is_vague = is_vague && lang_at(r, file) != LANG_JAVA;
    return is_plain_text(r, file, value) || is_function(r, value) ||
           (is_vague && value.kind != VAL_NONE && value.kind != VAL_MADE);
}

/* Rust: `type AppRouter = Router<State>`; what is of the type was made as
 * what is of the other is. */
static bool
is_of_alias(const struct resolver *r, struct val val)
{
    const struct fact_def *def;

    if (val.kind != VAL_INSTANCE || lang_at(r, val.file) != LANG_RUST)
        return false;
    def = def_at(r, val.file, val.id);
    return def->kind == CODE_TYPE && def->type;
}

/* `r: MyRouter = MyRouter(prefix="/x")`: the class says what it is, but not
 * where it was made. */
static bool
is_made_here(const struct resolver *r, uint32_t file,
             const struct fact_bind *bind, struct val val)
{
    uint8_t kind = expr_at(r, file, bind->value)->kind;

    return val.kind == VAL_INSTANCE && !val.origin &&
           (kind == EXPR_CALL || kind == EXPR_NEW);
}

/* What an extension method is called on, as good as its first parameter. */
static bool
is_extended(const struct resolver *r, uint32_t file,
            const struct fact_bind *bind)
{
    return bind->kind == BIND_RECEIVER &&
           r->sources[file].facts->defs[bind->scope].flags & DEF_EXTENSION;
}

static struct val
find_bind(struct resolver *r, uint32_t file, uint32_t id)
{
    const struct fact_bind *bind = bind_at(r, file, id);
    struct val val;

    if (bind->kind == BIND_TYPE)
        return val_of(VAL_VARIABLE, file, id, CODE_BY_TYPE);
    val = eval_type(r, file, bind->type);

    if (val.by == CODE_BY_SELF)
        val.by = CODE_BY_TYPE;
    if (bind->kind == BIND_PARAM) {
        if (val.kind == VAL_NONE)
            val = bound_value(r, file, bind);
        if (val.kind == VAL_NONE)
            val = param_value(r, file, id);
        if (val.kind == VAL_NONE)
            val.kind = VAL_MADE;
        if (val.kind != VAL_DEF) {
            val.origin = ORIGIN_BIND;
            val.origin_file = file;
            val.origin_id = id;
        }
        return val;
    }
    if (is_extended(r, file, bind) && val.kind != VAL_DEF) {
        val.origin = ORIGIN_BIND;
        val.origin_file = file;
        val.origin_id = id;
        return val;
    }
    if (val.kind == VAL_NONE)
        return bound_value(r, file, bind);
    if (val.kind == VAL_FOREIGN && bind->value) {
        struct val value = bound_value(r, file, bind);
        if (says_more(r, file, value, val))
            return value;
        val = val_made_as(val, value);
    }
    if (is_of_alias(r, val) || is_made_here(r, file, bind, val))
        val = val_made_as(val, bound_value(r, file, bind));
    /* `const routes: ServerRoute[] = [...]` is that list. */
    uint8_t kind = expr_at(r, file, bind->value)->kind;
    if (!val.origin && (kind == EXPR_ARRAY || kind == EXPR_OBJECT))
        val = with_literal(val, file, bind->value);
    bool is_library = val.kind == VAL_FOREIGN || is_of_alias(r, val);
    if (is_library && bind->kind == BIND_FIELD && !val.origin)
        val = field_origin(r, file, id, val);
    return val;
}

struct val
eval_bind(struct resolver *r, uint32_t file, uint32_t bind)
{
    uint32_t *memo = &r->bind_memo[r->sources[file].bind_base + bind];

    return memo_val(r, memo, file, bind, find_bind);
}

struct val
eval_row(struct resolver *r, const struct row *row)
{
    struct val val = {0};

    switch (row->kind) {
    case ROW_DEF:
        return val_of(VAL_DEF, row->file, row->id, CODE_BY_SCOPE);
    case ROW_BIND:
        val = eval_bind(r, row->file, row->id);
        if (val.by == CODE_BY_SELF && val.kind == VAL_INSTANCE)
            val.by = CODE_BY_TYPE;
        return val;
    case ROW_IMPORT:
        return import_value(r, row->file, row->id);
    default:
        return val;
    }
}

static bool
is_called_for(const struct resolver *r, struct val val)
{
    uint8_t kind = val.origin == ORIGIN_EXPR
                       ? expr_at(r, val.origin_file, val.origin_id)->kind
                       : 0;

    return kind == EXPR_CALL || kind == EXPR_NEW;
}

static bool
is_same_type(struct val a, struct val b)
{
    return a.kind == b.kind && a.file == b.file && a.id == b.id &&
           a.module == b.module && a.name == b.name;
}

/* What the first return that says something gives; of the same type, rather
 * what is made than what is kept: `if (k in kept) return kept[k]; ...; return
 * made`. */
static struct val
returned(struct resolver *r, uint32_t file, uint32_t def)
{
    struct rows rows = scope_rows(r, gdef(r, file, def), 0);
    struct val first = {0};

    for (uint32_t i = 0; i < rows.len && i < RESOLVE_CANDIDATES_MAX; i++) {
        if (rows.at[i].kind != ROW_BIND)
            continue;
        const struct fact_bind *bind = bind_at(r, file, rows.at[i].id);
        if (bind->index != 0)
            continue;
        struct val val = eval_expr(r, file, bind->value);
        if (first.kind == VAL_NONE || first.kind == VAL_MADE ||
            (is_called_for(r, val) && is_same_type(first, val)))
            first = val;
        if (first.kind != VAL_MADE && is_called_for(r, first))
            break;
    }
    return first;
}

/* What a function makes of a class of ours, whatever it returns; VAL_NONE:
 * nothing, or of several. */
static struct val
returned_alike(struct resolver *r, uint32_t file, uint32_t def)
{
    struct rows rows = scope_rows(r, gdef(r, file, def), 0);
    struct val first = {0};

    for (uint32_t i = 0; i < rows.len; i++) {
        uint32_t value = bind_at(r, file, rows.at[i].id)->value;
        struct val val = eval_expr(r, file, value);
        if (val.kind != VAL_INSTANCE || i == RESOLVE_CANDIDATES_MAX ||
            expr_at(r, file, value)->kind == EXPR_ALT)
            return (struct val){0};
        if (i == 0)
            first = val;
        if (val.file != first.file || val.id != first.id)
            return (struct val){0};
        if (val.by != CODE_BY_SELF)
            first.by = val.by;
    }
    /* Of a trait no object is but $this, and what is cloned of it. */
    if (first.kind == VAL_INSTANCE &&
        def_at(r, first.file, first.id)->flags & DEF_TRAIT)
        first.by = CODE_BY_SELF;
    return first;
}

static struct val
find_return(struct resolver *r, uint32_t file, uint32_t id)
{
    const struct fact_def *def = def_at(r, file, id);
    struct val val = {0};

    if (def->type && is_function_kind(def->kind)) {
        bool is_many = lang_at(r, file) == LANG_GO &&
                       (expr_at(r, file, def->type)->kind == EXPR_ARRAY ||
                        is_tuple(r, file, def->type));
        uint32_t type = def->type;
        if (is_many && expr_at(r, file, type)->list_len > 0)
            type = list_at(r, file, expr_at(r, file, type)->list_at);
        val = eval_type(r, file, type);
    }
    if (val.kind == VAL_NONE)
        return returned(r, file, id);
    if (val.kind == VAL_FOREIGN && lang_at(r, file) == LANG_PHP) {
        struct val own = returned_alike(r, file, id);
        if (own.kind == VAL_INSTANCE)
            return own;
    }
    if (val.kind == VAL_FOREIGN || is_of_alias(r, val))
        val = val_made_as(val, returned(r, file, id));
    return val;
}

struct val
eval_return(struct resolver *r, uint32_t file, uint32_t def)
{
    uint32_t *memo = &r->return_memo[gdef(r, file, def)];

    return memo_val(r, memo, file, def, find_return);
}

/* The parameter of a function that is passed to a method of a collection is
 * an element of it. */
struct val
param_passed(struct resolver *r, uint32_t file, uint32_t lambda, uint32_t index)
{
    uint32_t call = r->lambda_calls[gdef(r, file, lambda)];
    const struct fact_expr *at = expr_at(r, file, call);
    const struct fact_expr *callee = expr_at(r, file, at->a);
    static const char *const names[] = {
        "map",       "filter",   "forEach",  "find",      "some",
        "every",     "flatMap",  "each",     "findIndex", "any",
        "all",       "sort",     "findLast", "for_each",  "Select",
        "Where",     "Any",      "All",      "ForEach",   "First",
        "peek",      "allMatch", "anyMatch", "noneMatch", "removeIf",
        "ifPresent",
    };

    struct val object = kotlin_passed(r, file, lambda, index);
    if (object.kind != VAL_NONE)
        return object;
    if (!call || callee->kind != EXPR_MEMBER || index > 1)
        return (struct val){0};
    str name = facts_text(r->sources[file].facts, callee->text);
    if (lang_at(r, file) == LANG_RUST && rust_takes_element(name))
        return index == 0 ? eval_element(r, eval_expr(r, file, callee->a),
                                         ELEMENT_INDEXED)
                          : (struct val){0};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!str_eq(name, str_of(names[i])))
            continue;
        bool is_pair =
            str_eq(name, STR("sort")) ||
            (str_eq(name, STR("forEach")) && lang_at(r, file) == LANG_JAVA);
        if (index == 1 && !is_pair)
            return (struct val){0};
        struct val of = eval_expr(r, file, callee->a);
        /* `map.forEach((key, value) -> ...)` of Java */
        if (lang_at(r, file) == LANG_JAVA && of.kind == VAL_GENERIC &&
            str_eq(name, STR("forEach"))) {
            struct val key = eval_element(r, of, ELEMENT_KEY);
            if (key.kind != VAL_NONE)
                return index == 0 ? key : eval_element(r, of, ELEMENT_INDEXED);
        }
        return of.kind == VAL_GENERIC || of.kind == VAL_ARRAY
                   ? eval_element(r, of, ELEMENT_INDEXED)
                   : (struct val){0};
    }
    return (struct val){0};
}

struct val
param_value(struct resolver *r, uint32_t file, uint32_t bind)
{
    const struct fact_bind *param = bind_at(r, file, bind);
    struct val val = param_passed(r, file, param->scope, param->index);

    return val.kind == VAL_NONE ? pytest_passed(r, file, bind) : val;
}
