/*
 * A function knows the expression that its `this` is worth: the literal that it
 * stands in, or what it is assigned to a member of.  What is assigned to
 * members is in one scope, by name; which object it is set on, the values of
 * both sides say, so it does not matter by how many names the object goes
 * (`app = exports = module.exports = {}`).  Only the file that made an object
 * is asked: what others set on it is there only once they were read.
 */
#include "index/resolve_script.h"

/* In the place of an expression: `this` is what the function makes. */
enum { SELF_IS_MADE = UINT32_MAX };

#define PROTOTYPE "prototype"

/* The function that |value| is, unless its `this` is what it is around. */
static uint32_t
own_function(const struct resolver *r, uint32_t file, uint32_t value)
{
    const struct fact_expr *at = expr_at(r, file, value);

    return at->kind == EXPR_LAMBDA && !at->text &&
                   is_function_kind(def_at(r, file, at->a)->kind)
               ? at->a
               : 0;
}

static bool
is_text(const struct resolver *r, uint32_t file, const struct fact_expr *expr,
        const char *text)
{
    return str_eq(facts_text(r->sources[file].facts, expr->text), str_of(text));
}

static void
note_literal(struct resolver *r, uint32_t file, uint32_t id)
{
    const struct fact_expr *object = expr_at(r, file, id);

    for (uint32_t i = 0; i < object->list_len; i++) {
        const struct fact_expr *pair =
            expr_at(r, file, list_at(r, file, object->list_at + i));
        uint32_t function =
            pair->kind == EXPR_PAIR ? own_function(r, file, pair->a) : 0;
        if (function)
            r->selves[gdef(r, file, function)] = id;
    }
}

static void
note_assigned(struct resolver *r, uint32_t file, const struct fact_bind *bind)
{
    const struct fact_expr *target = expr_at(r, file, bind->target);
    uint32_t function = own_function(r, file, bind->value);

    if (bind->kind == BIND_ASSIGN && target->kind == EXPR_MEMBER && function &&
        !def_at(r, file, function)->receiver)
        r->selves[gdef(r, file, function)] = target->a;
}

/* `function V() {}` whose prototype has methods is a class. */
static void
note_maker(struct resolver *r, uint32_t file, uint32_t scope, str_id name)
{
    uint32_t type = name ? type_find(r, file, scope, sym_of(r, file, name)) : 0;

    if (!type)
        return;
    uint32_t owner = r->owner_file[type - 1];
    const struct fact_def *def =
        def_at(r, owner, type - 1 - r->sources[owner].def_base);
    if (is_function_kind(def->kind))
        r->selves[type - 1] = SELF_IS_MADE;
}

/* `V.prototype = {...}` */
static void
note_prototype(struct resolver *r, uint32_t file, const struct fact_bind *bind)
{
    const struct fact_expr *target = expr_at(r, file, bind->target);
    const struct fact_expr *class = expr_at(r, file, target->a);

    if (bind->kind == BIND_ASSIGN && target->kind == EXPR_MEMBER &&
        class->kind == EXPR_NAME && is_text(r, file, target, PROTOTYPE))
        note_maker(r, file, bind->scope, class->text);
}

void
script_prepare(struct resolver *r)
{
    for (uint32_t file = 0; file < r->source_len; file++) {
        const struct facts *facts = r->sources[file].facts;
        if (!is_script(facts->lang))
            continue;
        for (uint32_t i = 1; i < facts->expr_len; i++)
            if (facts->exprs[i].kind == EXPR_OBJECT)
                note_literal(r, file, i);
        for (uint32_t i = 1; i < facts->bind_len; i++) {
            note_assigned(r, file, &facts->binds[i]);
            note_prototype(r, file, &facts->binds[i]);
        }
        for (uint32_t i = 1; i < facts->def_len; i++)
            note_maker(r, file, facts->defs[i].parent, facts->defs[i].receiver);
    }
}

struct val
script_self(struct resolver *r, uint32_t file, uint32_t def)
{
    uint32_t self = r->selves[gdef(r, file, def)];
    struct val val;

    if (!self)
        return (struct val){0};
    if (self == SELF_IS_MADE)
        return val_of(VAL_INSTANCE, file, def, CODE_BY_SELF);
    if (expr_is_exports(r, file, self))
        val = import_whole(r, val_of(VAL_FILE, file, 0, CODE_BY_SELF));
    else
        val = eval_expr(r, file, self);
    /* Whatever it is, it is not what is around. */
    if (val.kind == VAL_NONE)
        val.kind = VAL_MADE;
    val.by = CODE_BY_SELF;
    return val;
}

static bool
is_same(const struct resolver *r, struct val a, struct val b)
{
    if (a.kind == VAL_DEF)
        return b.kind == VAL_DEF &&
               gdef(r, a.file, a.id) == gdef(r, b.file, b.id);
    if (a.kind == VAL_OBJECT)
        return b.kind == VAL_OBJECT && a.file == b.file && a.id == b.id;
    return a.origin == ORIGIN_EXPR && b.origin == ORIGIN_EXPR &&
           a.origin_file == b.origin_file && a.origin_id == b.origin_id;
}

/* The first of one file; they are in the order of the files. */
static struct rows
rows_of_file(struct rows rows, uint32_t file)
{
    uint32_t from = 0;
    uint32_t to = rows.len;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (rows.at[middle].file < file)
            from = middle + 1;
        else
            to = middle;
    }
    for (to = from; to < rows.len && rows.at[to].file == file &&
                    to - from < RESOLVE_CANDIDATES_MAX;)
        to++;
    return (struct rows){rows.at + from, to - from};
}

/* What the file of |of| sets as its |name|; NULL: nothing. */
static const struct fact_bind *
find_set(struct resolver *r, struct val of, sym name, uint32_t file)
{
    struct rows rows = {0};

    if (is_script(lang_at(r, file)))
        rows = rows_of_file(scope_rows(r, assign_scope(r), name), file);
    for (uint32_t i = 0; i < rows.len; i++) {
        const struct fact_bind *set = bind_at(r, file, rows.at[i].id);
        uint32_t object = expr_at(r, file, set->target)->a;
        if (is_same(r, of, eval_expr(r, file, object)))
            return set;
    }
    return NULL;
}

/* `Object.create(Base.prototype)` has what objects of Base have. */
static struct val
eval_prototype(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *call = expr_at(r, file, expr);
    const struct fact_expr *how = expr_at(r, file, call->a);

    if (call->kind != EXPR_CALL || call->list_len == 0 ||
        how->kind != EXPR_MEMBER || !is_text(r, file, how, "create") ||
        !is_text(r, file, expr_at(r, file, how->a), "Object"))
        return eval_expr(r, file, expr);
    const struct fact_expr *of =
        expr_at(r, file, list_at(r, file, call->list_at));
    return of->kind == EXPR_MEMBER && is_text(r, file, of, PROTOTYPE)
               ? eval_instance(r, eval_expr(r, file, of->a))
               : (struct val){0};
}

/* `V.prototype = {...}`, or an object of what V extends. */
static struct val
of_prototype(struct resolver *r, struct val of, sym name)
{
    struct val class = val_of(VAL_DEF, of.file, of.id, of.by);
    const struct fact_bind *set =
        find_set(r, class, sym_add(r, STR(PROTOTYPE)), of.file);
    struct val val = {0};

    if (set)
        val = member_find(r, eval_prototype(r, of.file, set->value), name);
    if (val.kind == VAL_DEF)
        val.by = of.by == CODE_BY_SELF ? CODE_BY_SELF : CODE_BY_TYPE;
    return val;
}

struct val
script_assigned(struct resolver *r, struct val of, sym name)
{
    bool is_named = of.kind == VAL_DEF || of.kind == VAL_OBJECT;
    uint32_t file = is_named ? of.file : of.origin_file;
    const struct fact_bind *set = NULL;

    if (is_named || of.origin == ORIGIN_EXPR)
        set = find_set(r, of, name, file);
    if (set)
        return eval_expr(r, file, set->value);
    return of.kind == VAL_INSTANCE ? of_prototype(r, of, name)
                                   : (struct val){0};
}

struct val
script_exported(struct resolver *r, uint32_t file, uint32_t expr, struct val of)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    sym name = sym_of(r, file, at->text);

    if (!is_script(lang_at(r, file)))
        return (struct val){0};
    if (expr_is_exports(r, file, at->a) &&
        (of.kind == VAL_NONE || of.kind == VAL_FOREIGN))
        return import_member(r, file, name);
    if (of.kind != VAL_DEF || of.by != CODE_BY_IMPORT ||
        !is_function_kind(def_at(r, of.file, of.id)->kind))
        return (struct val){0};
    struct val set = script_assigned(r, of, name);
    if (set.kind != VAL_NONE)
        return set;
    struct val whole = import_member(r, of.file, sym_add(r, STR(WHOLE_EXPORT)));
    bool is_whole =
        whole.kind == VAL_DEF && whole.file == of.file && whole.id == of.id;
    return is_whole ? import_member(r, of.file, name) : (struct val){0};
}
