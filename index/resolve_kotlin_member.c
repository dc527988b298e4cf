/*
 * Which function of Kotlin a name means: members by what they are and by how
 * much they take, extensions by what they extend.
 *
 * Names of functions and of properties are apart: `headers()` beside `headers`.
 * A function may be called with fewer arguments than it has parameters, and one
 * that overrides another has the defaults of that.
 */
#include "index/resolve_kotlin.h"
#include "index/resolve_overload.h"

/* ---- what a call may mean ---- */

static bool
has_param(const struct resolver *r, struct at method, const char *name,
          size_t len)
{
    const struct parameters *params =
        &r->params[gdef(r, method.file, method.id)];
    const struct facts *facts = r->sources[method.file].facts;

    for (uint32_t i = 0; i < params->len; i++)
        if (str_eq(facts_text(facts, facts->binds[params->first + i].name),
                   (str){name, len}))
            return true;
    return params->has_rest;
}

/* How many must be given. */
static uint32_t
needed(const struct resolver *r, struct at method)
{
    const struct parameters *params =
        &r->params[gdef(r, method.file, method.id)];
    uint32_t len = 0;

    for (uint32_t i = 0; i < params->len; i++)
        len += !(bind_at(r, method.file, params->first + i)->flags &
                 (BIND_DEFAULT | BIND_REST));
    return len;
}

/* Whether an argument is known to be of another type: a text for one of the
 * repository's, or the contrary. */
static bool
is_apart(struct resolver *r, struct at method, uint32_t index, struct at arg)
{
    const struct parameters *params =
        &r->params[gdef(r, method.file, method.id)];
    const struct fact_expr *at = expr_at(r, arg.file, arg.id);
    bool is_text = at->kind == EXPR_STRING || at->kind == EXPR_CONCAT;

    if (index >= params->len || (!is_text && at->kind != EXPR_SELF))
        return false;
    uint32_t bind = params->first + index;
    if (bind_at(r, method.file, bind)->flags & BIND_REST)
        return false;
    struct val type =
        eval_type(r, method.file, bind_at(r, method.file, bind)->type);
    if (is_text)
        return type.kind == VAL_INSTANCE;
    return type.kind == VAL_FOREIGN && sym_is(r, type.name, "String");
}

bool
kotlin_takes(struct resolver *r, struct at method, struct at call)
{
    const struct parameters *params =
        &r->params[gdef(r, method.file, method.id)];
    const struct fact_expr *at = expr_at(r, call.file, call.id);

    if (at->list_len > params->len && !params->has_rest)
        return false;
    for (uint32_t i = 0; i < at->list_len; i++) {
        const struct fact_expr *arg =
            expr_at(r, call.file, list_at(r, call.file, at->list_at + i));
        str name = facts_text(r->sources[call.file].facts, arg->text);
        if (arg->kind == EXPR_PAIR && name.len > 0 &&
            !has_param(r, method, name.ptr, name.len))
            return false;
        if (is_apart(
                r, method, i,
                (struct at){call.file, list_at(r, call.file, at->list_at + i)}))
            return false;
    }
    return at->list_len >= needed(r, method);
}

/* Functions of a companion object are the class's. */
static struct val
invoked(struct resolver *r, struct at type, struct at call)
{
    struct rows rows = scope_rows(r, r->canon[gdef(r, type.file, type.id)],
                                  sym_add(r, STR("invoke")));

    for (uint32_t i = 0; i < rows.len && i < RESOLVE_CANDIDATES_MAX; i++) {
        struct at at = {rows.at[i].file, rows.at[i].id};
        if (rows.at[i].kind == ROW_DEF &&
            (def_at(r, at.file, at.id)->flags & DEF_STATIC) &&
            kotlin_takes(r, at, call))
            return val_of(VAL_DEF, at.file, at.id, CODE_BY_SCOPE);
    }
    return (struct val){0};
}

/* Of the primary one, which is its class, nothing is known here: where one that
 * is written in the class takes the arguments, that is it. */
struct val
kotlin_ctor(struct resolver *r, struct at type, struct at call)
{
    sym name = sym_of(r, type.file, def_at(r, type.file, type.id)->name);
    struct rows rows =
        scope_rows(r, r->canon[gdef(r, type.file, type.id)], name);
    struct val found = invoked(r, type, call);

    for (uint32_t i = 0;
         i < rows.len && i < RESOLVE_CANDIDATES_MAX && found.kind == VAL_NONE;
         i++) {
        struct at ctor = {rows.at[i].file, rows.at[i].id};
        if (rows.at[i].kind == ROW_DEF &&
            (def_at(r, ctor.file, ctor.id)->flags & DEF_CTOR) &&
            kotlin_takes(r, ctor, call))
            found = val_of(VAL_DEF, ctor.file, ctor.id, CODE_BY_SCOPE);
    }
    return found;
}

static bool
is_function_row(const struct resolver *r, const struct row *row)
{
    const struct fact_def *def;

    if (row->kind != ROW_DEF)
        return false;
    def = def_at(r, row->file, row->id);
    return is_function_kind(def->kind) &&
           !(def->flags & (DEF_CTOR | DEF_PROPERTY));
}

/* The rows of a type that a use can mean. */
struct meant {
    struct at use;
    uint32_t call; /* 0: a property is wanted */
    struct row rows[RESOLVE_CANDIDATES_MAX];
    uint32_t len;
    struct row nearer; /* takes less than is needed, of a nearer type */
    bool has_nearer;
};

static uint32_t
params_len(const struct resolver *r, const struct row *row)
{
    return r->params[gdef(r, row->file, row->id)].len;
}

static void
look_at_row(struct resolver *r, struct meant *meant, const struct row *row)
{
    bool is_function = is_function_row(r, row);

    if (meant->len == RESOLVE_CANDIDATES_MAX || (is_function && !meant->call))
        return;
    if (is_function &&
        !kotlin_takes(r, (struct at){row->file, row->id},
                      (struct at){meant->use.file, meant->call})) {
        if (!meant->has_nearer)
            meant->nearer = *row;
        meant->has_nearer = true;
        return;
    }
    /* What overrides takes the defaults of what it overrides. */
    bool is_overridden = is_function && meant->has_nearer &&
                         params_len(r, row) == params_len(r, &meant->nearer);
    meant->rows[meant->len++] = is_overridden ? meant->nearer : *row;
}

/* Functions before what holds one, where it is called. */
static void
drop_values(struct meant *meant)
{
    uint32_t len = 0;

    for (uint32_t i = 0; i < meant->len && meant->call; i++)
        if (meant->rows[i].kind == ROW_DEF)
            meant->rows[len++] = meant->rows[i];
    if (len > 0)
        meant->len = len;
}

struct val
kotlin_member(struct resolver *r, uint32_t type, sym name, bool skip_self,
              struct at use)
{
    const struct lineage *lineage = lineage_of(r, type);
    struct meant meant = {.use = use, .call = overload_call(r, use)};
    uint32_t at = lineage ? lineage->at : 0;
    uint32_t len = lineage ? lineage->len : 1;

    if (!lineage && type >= r->def_len)
        return (struct val){0};
    for (uint32_t i = skip_self; i < len && meant.len == 0; i++) {
        uint32_t base = lineage ? r->bases[at + i] : type;
        struct rows rows = scope_rows(r, base, name);
        for (uint32_t k = 0; k < rows.len && k < RESOLVE_CANDIDATES_MAX; k++)
            look_at_row(r, &meant, &rows.at[k]);
        drop_values(&meant);
        if (meant.len > 0)
            return member_own(r, base, (struct rows){meant.rows, meant.len});
    }
    /* A function that is not called is referred to. */
    return meant.call ? (struct val){0}
                      : member_of_type(r, type, name, skip_self);
}

/* ---- what an extension extends ---- */

struct val
kotlin_extended(struct resolver *r, uint32_t file, uint32_t def)
{
    const struct fact_def *at = def_at(r, file, def);
    sym receiver = sym_of(r, file, at->receiver);
    uint32_t type = type_find(r, file, at->parent, receiver);
    struct val val = {0};

    if (type) {
        uint32_t canon = r->canon[type - 1];
        uint32_t owner = r->owner_file[canon];
        return val_of(VAL_INSTANCE, owner, canon - r->sources[owner].def_base,
                      CODE_BY_SELF);
    }
    if (!receiver || lang_at(r, file) != LANG_KOTLIN)
        return val;
    val = eval_instance(r, scope_lookup(r, file, at->parent, receiver, 0));
    if (val.kind == VAL_INSTANCE)
        val.by = CODE_BY_SELF;
    else
        val = (struct val){.kind = VAL_FOREIGN, .name = receiver};
    return val;
}

bool
kotlin_hides_object(struct resolver *r, uint32_t file, uint32_t def, sym name)
{
    const struct fact_def *at = def_at(r, file, def);
    struct val self = {0};

    if (lang_at(r, file) != LANG_KOTLIN || !overload_is_of_object(r, name))
        return false;
    if (at->receiver)
        self = kotlin_extended(r, file, def);
    else if (at->flags & DEF_LAMBDA)
        self = kotlin_receiver(r, file, def);
    return self.kind == VAL_FOREIGN;
}
