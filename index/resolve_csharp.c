/*
 * A name is looked for in the namespaces from the inside out, a method in the
 * types from the nearest on: first by what the arguments are, as far as that is
 * known, then by how many they are.
 */
#include "index/resolve_csharp.h"

#include <string.h>

#include "index/resolve_names.h"
#include "index/resolve_overload.h"

enum { NAMESPACES_MAX = 32 };

/* ---- namespaces ---- */

/* The unit of |names|, or of all but the last of them. */
static bool
is_known(struct resolver *r, str names)
{
    const char *dot = memrchr(names.ptr, '.', names.len);

    if (unit_find(r, LANG_CSHARP, names))
        return true;
    return dot && unit_find(r, LANG_CSHARP,
                            str_cut(names, 0, (size_t)(dot - names.ptr)));
}

struct val
csharp_module(struct resolver *r, uint32_t file, str names)
{
    sym package = r->sources[file].module;
    struct val val = {0};

    for (uint32_t hops = 0; package && hops < NAMESPACES_MAX; hops++) {
        sym full = sym_join(r, package, STR("."), names);
        str text = sym_str(r, full);
        if (is_known(r, text))
            val = import_dotted(r, file, text);
        if (val.kind == VAL_UNIT || val.kind == VAL_DEF)
            return val;
        str outer = sym_str(r, package);
        const char *dot = memrchr(outer.ptr, '.', outer.len);
        package =
            dot ? sym_add(r, str_cut(outer, 0, (size_t)(dot - outer.ptr))) : 0;
    }
    return (struct val){0};
}

/* ---- types ---- */

static bool
is_type(const struct resolver *r, struct val val)
{
    return val.kind == VAL_DEF &&
           is_type_kind(def_at(r, val.file, val.id)->kind);
}

/* Types that stand in |type| or in its bases. */
static struct val
inner_type(struct resolver *r, uint32_t type, sym name)
{
    const struct lineage *lineage = lineage_of(r, type);
    uint32_t len = lineage ? lineage->len : 1;

    for (uint32_t i = 0; i < len; i++) {
        uint32_t base = lineage ? r->bases[lineage->at + i] : type;
        struct rows rows = scope_rows(r, base, name);
        for (uint32_t k = 0; k < rows.len && k < RESOLVE_CANDIDATES_MAX; k++)
            if (rows.at[k].kind == ROW_DEF &&
                is_type_kind(def_at(r, rows.at[k].file, rows.at[k].id)->kind))
                return eval_row(r, &rows.at[k]);
    }
    return (struct val){0};
}

struct val
csharp_type_named(struct resolver *r, uint32_t file, uint32_t scope, sym name)
{
    const struct facts *facts = r->sources[file].facts;
    uint32_t def = scope;
    struct val val = {0};

    for (; def && facts->defs[def].kind != CODE_PACKAGE;
         def = facts->defs[def].parent) {
        if (is_type_kind(facts->defs[def].kind))
            val = inner_type(r, r->canon[gdef(r, file, def)], name);
        if (val.kind != VAL_NONE)
            return val;
    }
    val = scope_lookup(r, file, def, name, 0);
    return is_type(r, val) ? val : (struct val){0};
}

/* ---- methods ---- */

static bool
is_method(const struct resolver *r, const struct row *row)
{
    const struct fact_def *def;

    if (row->kind != ROW_DEF)
        return false;
    def = def_at(r, row->file, row->id);
    return is_function_kind(def->kind) &&
           !(def->flags & (DEF_CTOR | DEF_PROPERTY));
}

static bool
has_parameter(const struct resolver *r, struct at method, str name)
{
    const struct parameters *params =
        &r->params[gdef(r, method.file, method.id)];
    const struct facts *facts = r->sources[method.file].facts;

    for (uint32_t i = 0; i < params->len; i++)
        if (str_eq(facts_text(facts, facts->binds[params->first + i].name),
                   name))
            return true;
    return false;
}

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

bool
csharp_is_within(const struct resolver *r, const struct lineage *lineage,
                 uint32_t type)
{
    for (uint32_t i = 0; lineage && i < lineage->len; i++)
        if (r->bases[lineage->at + i] == type)
            return true;
    return false;
}

/* Whether an argument is of a type of ours that the parameter's is no base
 * of. */
static bool
is_apart(struct resolver *r, struct at method, uint32_t index, struct at arg)
{
    const struct parameters *params =
        &r->params[gdef(r, method.file, method.id)];
    uint32_t bind = params->first + index;

    if (index >= params->len ||
        (bind_at(r, method.file, bind)->flags & BIND_REST))
        return false;
    struct val to =
        eval_type(r, method.file, bind_at(r, method.file, bind)->type);
    if (to.kind != VAL_INSTANCE)
        return false;
    struct val of = eval_expr(r, arg.file, arg.id);
    if (of.kind != VAL_INSTANCE)
        return false;
    uint32_t own = r->canon[gdef(r, of.file, of.id)];
    uint32_t type = r->canon[gdef(r, to.file, to.id)];
    const struct lineage *lineage = lineage_of(r, own);
    return own != type && !csharp_is_within(r, lineage, type) &&
           !(lineage && lineage->is_open);
}

bool
csharp_fits(struct resolver *r, struct at method, struct at call)
{
    const struct fact_expr *at = expr_at(r, call.file, call.id);

    for (uint32_t i = 0; i < at->list_len; i++)
        if (is_apart(
                r, method, i,
                (struct at){call.file, list_at(r, call.file, at->list_at + i)}))
            return false;
    return true;
}

bool
csharp_takes(const struct resolver *r, struct at method, struct at call,
             uint32_t skip)
{
    const struct parameters *params =
        &r->params[gdef(r, method.file, method.id)];
    const struct fact_expr *at = expr_at(r, call.file, call.id);

    if (at->list_len < skip || at->list_len - skip < needed(r, method) ||
        (at->list_len - skip > params->len && !params->has_rest))
        return false;
    for (uint32_t i = skip; i < at->list_len; i++) {
        const struct fact_expr *arg =
            expr_at(r, call.file, list_at(r, call.file, at->list_at + i));
        str name = facts_text(r->sources[call.file].facts, arg->text);
        if (arg->kind == EXPR_PAIR && !has_parameter(r, method, name))
            return false;
    }
    return true;
}

/* Whether the call may mean it; one of an interface is called by that, and what
 * is assigned is declared elsewhere. */
static bool
is_meant(struct resolver *r, const struct row *row, struct at call,
         bool by_types)
{
    struct at method = {row->file, row->id};

    if (row->kind == ROW_BIND)
        return bind_at(r, row->file, row->id)->kind != BIND_ASSIGN;
    if (!call.id || !is_method(r, row))
        return true;
    uint32_t flags = def_at(r, row->file, row->id)->flags;
    bool is_extension = (flags & DEF_EXTENSION) != 0;
    return !(flags & DEF_PRIVATE) &&
           csharp_takes(r, method, call, is_extension) &&
           (!by_types || is_extension || csharp_fits(r, method, call));
}

bool
csharp_is_taken(struct resolver *r, struct val val, struct at use)
{
    struct at call = {use.file, overload_call(r, use)};
    struct at method = {val.file, val.id};
    struct row row = {.file = val.file, .id = val.id, .kind = ROW_DEF};

    if (val.kind == VAL_DEF && call.id &&
        (def_at(r, val.file, val.id)->flags & DEF_PROPERTY))
        return false;
    return val.kind != VAL_DEF || !call.id || !is_method(r, &row) ||
           (def_at(r, val.file, val.id)->flags & DEF_EXTENSION) ||
           (csharp_takes(r, method, call, 0) && csharp_fits(r, method, call));
}

static struct val
member_meant(struct resolver *r, uint32_t type, struct rows rows,
             struct at call, bool by_types)
{
    struct row kept[RESOLVE_CANDIDATES_MAX];
    uint32_t len = 0;

    for (uint32_t i = 0; i < rows.len && len < RESOLVE_CANDIDATES_MAX; i++)
        if (is_meant(r, &rows.at[i], call, by_types))
            kept[len++] = rows.at[i];
    return len > 0 ? member_own(r, type, (struct rows){kept, len})
                   : (struct val){0};
}

/* Of the nearest type that has one which the arguments fit. */
static struct val
nearest_meant(struct resolver *r, uint32_t type, sym name, bool skip_self,
              struct at call, bool by_types)
{
    const struct lineage *lineage = lineage_of(r, type);
    uint32_t len = lineage ? lineage->len : type < r->def_len;
    struct val val = {0};

    for (uint32_t i = skip_self; i < len && val.kind == VAL_NONE; i++) {
        uint32_t base = lineage ? r->bases[lineage->at + i] : type;
        val = member_meant(r, base, scope_rows(r, base, name), call, by_types);
    }
    return val;
}

static bool
is_of_object(const struct resolver *r, sym name)
{
    static const char *const names[] = {"Equals",   "GetHashCode",
                                        "GetType",  "MemberwiseClone",
                                        "ToString", "ReferenceEquals"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (sym_is(r, name, names[i]))
            return true;
    return false;
}

struct val
csharp_member(struct resolver *r, uint32_t type, sym name, bool skip_self,
              struct at use)
{
    const struct lineage *lineage = lineage_of(r, type);
    struct at call = {use.file, overload_call(r, use)};
    struct val any = member_of_type(r, type, name, skip_self);
    struct val val = {0};

    if (any.kind == VAL_NONE)
        return any;
    if (call.id)
        val = nearest_meant(r, type, name, skip_self, call, true);
    if (val.kind == VAL_NONE)
        val = nearest_meant(r, type, name, skip_self, call, false);
    if (val.kind != VAL_NONE || !call.id)
        return val.kind != VAL_NONE ? val : any;
    bool is_open = (lineage && lineage->is_open) || is_of_object(r, name);
    return is_open ? (struct val){.kind = VAL_FOREIGN} : any;
}
