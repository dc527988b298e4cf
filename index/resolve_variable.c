/*
 * `class Box<T extends Item> { T get(); }`: of `Box<Book> b` a call of b.get()
 * is a Book, and so it is of `class Shelf extends Box<Book>`.
 */
#include "index/resolve_variable.h"

/* The file and the bind of a type parameter. */
static struct at
place_of(const struct resolver *r, uint32_t variable)
{
    uint32_t lo = 0;
    uint32_t hi = r->source_len;

    while (lo + 1 < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (r->sources[middle].bind_base <= variable)
            lo = middle;
        else
            hi = middle;
    }
    return (struct at){lo, variable - r->sources[lo].bind_base};
}

struct val
variable_instance(struct resolver *r, struct val variable)
{
    const struct fact_bind *bind = bind_at(r, variable.file, variable.id);
    struct val val = eval_type(r, variable.file, bind->type);

    if (val.kind == VAL_NONE)
        val = (struct val){.kind = VAL_FOREIGN};
    val.variable = r->sources[variable.file].bind_base + variable.id;
    return val;
}

/* The parameter of |type| that an argument in its own bases names. */
static struct val
variable_named(struct resolver *r, uint32_t type, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    struct rows rows = {0};

    if (at->kind == EXPR_NAME)
        rows = scope_rows(r, type, sym_of(r, file, at->text));
    for (uint32_t i = 0; i < rows.len && i < RESOLVE_CANDIDATES_MAX; i++)
        if (rows.at[i].kind == ROW_BIND &&
            bind_at(r, rows.at[i].file, rows.at[i].id)->kind == BIND_TYPE)
            return variable_instance(r, eval_row(r, &rows.at[i]));
    return (struct val){0};
}

/* Argument |index| of the generic type that |of| is written as. */
static uint32_t
argument_of(const struct resolver *r, struct val of, uint32_t index)
{
    const struct fact_expr *at = expr_at(r, of.args_file, of.args);

    if (!of.args || at->kind != EXPR_GENERIC || index >= at->list_len)
        return 0;
    return list_at(r, of.args_file, at->list_at + index);
}

static bool
has_base(struct resolver *r, uint32_t type, uint32_t owner)
{
    const struct lineage *lineage = lineage_of(r, type);

    for (uint32_t i = 0; lineage && i < lineage->len; i++)
        if (r->bases[lineage->at + i] == owner)
            return true;
    return false;
}

struct asked {
    uint32_t owner; /* the type that declares the parameter */
    uint32_t index;
};

static struct val
find_argument(struct resolver *r, struct asked asked, struct val of);

/* What the bases that |type| names say, in terms of |of|. */
static struct val
find_in_bases(struct resolver *r, struct asked asked, uint32_t type,
              struct val of)
{
    uint32_t file = r->owner_file[type];
    const struct fact_def *def =
        def_at(r, file, type - r->sources[file].def_base);

    for (uint32_t i = 0; i < def->bases_len && i < RESOLVE_BASES_MAX; i++) {
        struct val base =
            eval_type(r, file, list_at(r, file, def->bases_at + i));
        if (base.kind != VAL_INSTANCE)
            continue;
        uint32_t at = r->canon[gdef(r, base.file, base.id)];
        if (!has_base(r, at, asked.owner))
            continue;
        if (at != asked.owner)
            return variable_of(r, find_argument(r, asked, base), of);
        uint32_t arg = argument_of(r, base, asked.index);
        struct val val = variable_named(r, type, file, arg);
        if (val.kind != VAL_NONE)
            return variable_of(r, val, of);
        return eval_type(r, file, arg);
    }
    return (struct val){0};
}

static struct val
find_argument(struct resolver *r, struct asked asked, struct val of)
{
    uint32_t type = r->canon[gdef(r, of.file, of.id)];
    struct val val = {0};

    if (r->depth >= RESOLVE_DEPTH_MAX)
        return val;
    r->depth++;
    if (type == asked.owner)
        val = eval_type(r, of.args_file, argument_of(r, of, asked.index));
    else
        val = find_in_bases(r, asked, type, of);
    r->depth--;
    return val;
}

struct val
variable_of(struct resolver *r, struct val val, struct val of)
{
    struct at place = place_of(r, val.variable);
    const struct fact_bind *bind = bind_at(r, place.file, place.id);

    if (!val.variable || of.kind != VAL_INSTANCE ||
        !is_type_kind(def_at(r, place.file, bind->scope)->kind))
        return val;
    struct asked asked = {r->canon[gdef(r, place.file, bind->scope)],
                          bind->index};
    struct val found = find_argument(r, asked, of);
    if (found.kind == VAL_NONE)
        return val;
    found.by = CODE_BY_TYPE;
    return found;
}

struct val
variable_seen(struct resolver *r, struct val val, uint32_t file, uint32_t scope)
{
    const struct facts *facts = r->sources[file].facts;

    for (uint32_t def = scope; def && val.variable;
         def = facts->defs[def].parent)
        if (is_type_kind(facts->defs[def].kind))
            val = variable_of(r, val,
                              val_of(VAL_INSTANCE, file, def, CODE_BY_SELF));
    return val;
}

/* What an argument says of the parameter |name|, whose place has |type|. */
static struct val
said_by(struct resolver *r, uint32_t file, uint32_t type, sym name,
        struct at arg)
{
    const struct fact_expr *at = expr_at(r, file, type);
    const struct fact_expr *value = expr_at(r, arg.file, arg.id);

    if (at->kind == EXPR_NAME)
        return sym_of(r, file, at->text) == name
                   ? eval_expr(r, arg.file, arg.id)
                   : (struct val){0};
    if (at->kind != EXPR_GENERIC || at->list_len != 1)
        return (struct val){0};
    const struct fact_expr *base = expr_at(r, file, at->a);
    const struct fact_expr *of =
        expr_at(r, file, list_at(r, file, at->list_at));
    if (of->kind != EXPR_NAME || sym_of(r, file, of->text) != name)
        return (struct val){0};
    /* `Class<T>` is given `Book.class`. */
    bool is_class =
        value->kind == EXPR_MEMBER &&
        str_eq(facts_text(r->sources[arg.file].facts, value->text),
               STR("class")) &&
        str_eq(facts_text(r->sources[file].facts, base->text), STR("Class"));
    if (is_class)
        return eval_type(r, arg.file, value->a);
    struct val given = eval_expr(r, arg.file, arg.id);
    return given.kind == VAL_GENERIC ? eval_element(r, given, ELEMENT_ITERATED)
                                     : (struct val){0};
}

struct val
variable_called(struct resolver *r, struct val val, struct at method,
                struct at call)
{
    struct at place = place_of(r, val.variable);
    const struct fact_bind *variable = bind_at(r, place.file, place.id);
    const struct fact_expr *at = expr_at(r, call.file, call.id);
    uint32_t first = r->params[gdef(r, method.file, method.id)].first;

    if (!val.variable || place.file != method.file ||
        variable->scope != method.id || !first)
        return val;
    sym name = sym_of(r, place.file, variable->name);
    for (uint32_t i = 0; i < at->list_len; i++) {
        const struct fact_bind *param = bind_at(r, method.file, first + i);
        if (first + i >= r->sources[method.file].facts->bind_len ||
            param->kind != BIND_PARAM || param->scope != method.id)
            break;
        struct at arg = {call.file, list_at(r, call.file, at->list_at + i)};
        struct val said = said_by(r, method.file, param->type, name, arg);
        if (said.kind != VAL_INSTANCE && said.kind != VAL_GENERIC &&
            !(said.kind == VAL_FOREIGN && said.name))
            continue;
        said.by = CODE_BY_TYPE;
        return said;
    }
    return val;
}
