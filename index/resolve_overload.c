/*
 * The methods of a name are looked at from the nearest type on, those of a base
 * only being taken if the arguments fit them better: so what overrides is found
 * before what it overrides.
 */
#include "index/resolve_overload.h"

#include <stdlib.h>

#include "index/resolve_csharp.h"
#include "index/resolve_kotlin.h"

enum { OVERLOADS_MAX = 64 };

static void
note_parameter(struct parameters *params, uint32_t bind, bool is_rest)
{
    if (!params->first)
        params->first = bind;
    if (bind != params->first + params->len) {
        params->has_rest = true; /* a default of Kotlin's stands between */
        return;
    }
    params->len++;
    params->has_rest |= is_rest;
}

static void
note_file(struct resolver *r, uint32_t file)
{
    const struct source *source = &r->sources[file];
    const struct facts *facts = source->facts;

    for (uint32_t id = 1; id < facts->expr_len; id++) {
        const struct fact_expr *at = &facts->exprs[id];
        if (at->kind != EXPR_CALL)
            continue;
        uint32_t callee = at->a;
        if (facts->exprs[callee].kind == EXPR_GENERIC) /* `this.<T>f()` */
            callee = facts->exprs[callee].a;
        r->callers[source->expr_base + callee] = id;
    }
    for (uint32_t id = 1; id < facts->def_len; id++)
        if (facts->lang == LANG_KOTLIN &&
            is_function_kind(facts->defs[id].kind) &&
            is_type_kind(facts->defs[facts->defs[id].parent].kind) &&
            !(facts->defs[id].flags & DEF_EXTENSION) &&
            !map_put(&r->member_names, sym_of(r, file, facts->defs[id].name),
                     1))
            r->failed = true;
    for (uint32_t id = 1; id < facts->bind_len; id++) {
        const struct fact_bind *bind = &facts->binds[id];
        struct parameters *params = &r->params[source->def_base + bind->scope];
        if (bind->kind == BIND_PARAM)
            note_parameter(params, id, bind->flags & BIND_REST);
        if (bind->kind == BIND_RECEIVER)
            params->receiver = id;
    }
}

bool
overload_prepare(struct resolver *r)
{
    size_t exprs = 0;

    for (uint32_t file = 0; file < r->source_len; file++)
        exprs = (size_t)r->sources[file].expr_base +
                r->sources[file].facts->expr_len;
    r->callers = calloc(exprs + 1, sizeof(*r->callers));
    r->params = calloc((size_t)r->def_len + 1, sizeof(*r->params));
    if (!r->callers || !r->params)
        return false;
    for (uint32_t file = 0; file < r->source_len; file++)
        if (lang_at(r, file) == LANG_JAVA || lang_at(r, file) == LANG_KOTLIN ||
            lang_at(r, file) == LANG_CSHARP)
            note_file(r, file);
    return true;
}

uint32_t
overload_call(const struct resolver *r, struct at use)
{
    return use.id ? r->callers[r->sources[use.file].expr_base + use.id] : 0;
}

enum want
overload_want(const struct resolver *r, struct at use)
{
    if (!use.id || lang_at(r, use.file) != LANG_JAVA)
        return WANT_ANY;
    if (overload_call(r, use))
        return WANT_METHOD;
    /* `T::name` is a method, too, but which is not told by arguments. */
    return expr_at(r, use.file, use.id)->is_symbol ? WANT_ANY : WANT_VALUE;
}

static bool
is_method_row(const struct resolver *r, const struct row *row)
{
    if (row->kind != ROW_DEF)
        return false;
    const struct fact_def *def = def_at(r, row->file, row->id);
    return is_function_kind(def->kind) && !(def->flags & DEF_CTOR);
}

/* Whether an overridden method of a class that is not ours may come before
 * that of an interface. */
static bool
has_class_outside(struct resolver *r, uint32_t type)
{
    for (uint32_t hops = 0; hops < RESOLVE_HOPS_MAX; hops++) {
        struct val base = member_superclass(r, type);
        if (base.kind != VAL_INSTANCE)
            return base.kind == VAL_FOREIGN;
        type = r->canon[gdef(r, base.file, base.id)];
    }
    return false;
}

struct candidate {
    struct at method;
    uint32_t owner;
};

struct picking {
    struct passing passing;
    struct candidate found[OVERLOADS_MAX];
    uint32_t len;
    bool is_any; /* a method of that name was seen */
    bool is_tie; /* one of another type fits as well, and is not overridden */
    bool is_choice; /* others of its type do, which do not return the same */
};

/* What is private in another file is not inherited. */
static bool
is_seen(const struct resolver *r, struct at method, struct at use)
{
    return method.file == use.file ||
           !(def_at(r, method.file, method.id)->flags & DEF_PRIVATE);
}

static void
look_at_type(struct resolver *r, struct picking *p, uint32_t type, sym name)
{
    struct rows rows = scope_rows(r, type, name);

    for (uint32_t i = 0; i < rows.len && p->len < OVERLOADS_MAX; i++) {
        struct at method = {rows.at[i].file, rows.at[i].id};
        if (!overload_step(r, &p->passing))
            return;
        if (!is_method_row(r, &rows.at[i]) ||
            !is_seen(r, method, p->passing.call))
            continue;
        p->is_any = true;
        if (overload_takes(r, method, p->passing.call))
            p->found[p->len++] = (struct candidate){method, type};
    }
}

static bool
is_of_interface(const struct resolver *r, uint32_t type)
{
    uint32_t file = r->owner_file[type];

    return def_at(r, file, type - r->sources[file].def_base)->kind ==
           CODE_INTERFACE;
}

/* Whether one that is nearer may override it. */
static bool
is_overridden(struct resolver *r, struct picking *p, uint32_t index)
{
    const struct candidate *at = &p->found[index];

    for (uint32_t i = 0; i < index; i++)
        if (p->found[i].owner != at->owner &&
            !overload_differ(r, p->found[i].method, at->method, &p->passing))
            return true;
    return false;
}

/* The one that fits best, and the first of those that fit as well. */
static const struct candidate *
best_of(struct resolver *r, struct picking *p, bool is_open)
{
    const struct candidate *best = NULL;
    int best_fit = -1;

    for (uint32_t i = 0; i < p->len; i++) {
        const struct candidate *at = &p->found[i];
        bool is_alone = p->len == 1 && !is_open;
        int fit = is_alone ? 0 : overload_fit(r, at->method, &p->passing);
        if (fit == best_fit && best && best->owner != at->owner)
            p->is_tie = p->is_tie || !is_overridden(r, p, i);
        else if (fit == best_fit && best)
            p->is_choice |= !overload_returns(r, best->method, at->method);
        if (fit <= best_fit)
            continue;
        best = at;
        best_fit = fit;
        p->is_tie = false;
        p->is_choice = false;
    }
    overload_passed(r, &p->passing);
    return best;
}

static struct val
picked(struct resolver *r, struct picking *p, uint32_t type, bool is_open)
{
    const struct candidate *best = best_of(r, p, is_open);

    /* What was not compared might fit better. */
    if (p->passing.is_cut)
        return (struct val){.kind = VAL_MADE};
    if (!best && is_open && p->is_any)
        return (struct val){.kind = VAL_FOREIGN};
    if (!best || p->is_tie)
        return (struct val){0};
    if (best->owner != type && is_of_interface(r, best->owner) &&
        has_class_outside(r, type))
        return (struct val){.kind = VAL_FOREIGN};
    struct val val =
        val_of(VAL_DEF, best->method.file, best->method.id, CODE_BY_SCOPE);
    val.is_choice = p->is_choice;
    return val;
}

static struct val
method_of(struct resolver *r, uint32_t type, sym name, bool skip_self,
          struct at call)
{
    const struct lineage *lineage = lineage_of(r, type);
    struct picking p = {.passing = {.call = call}};
    bool is_open = lineage && lineage->is_open;

    if (!lineage && !skip_self && type < r->def_len)
        look_at_type(r, &p, type, name);
    for (uint32_t i = skip_self; lineage && i < lineage->len; i++)
        look_at_type(r, &p, r->bases[lineage->at + i], name);
    return picked(r, &p, type, is_open);
}

/* An assignment, which declares nothing. */
static bool
is_set(const struct resolver *r, const struct row *row)
{
    return row->kind == ROW_BIND &&
           bind_at(r, row->file, row->id)->kind == BIND_ASSIGN;
}

/* Of fields and types: the rows without the methods. */
static struct val
value_of(struct resolver *r, uint32_t type, sym name, bool skip_self)
{
    const struct lineage *lineage = lineage_of(r, type);
    uint32_t len = lineage ? lineage->len : 1;
    uint32_t at = lineage ? lineage->at : 0;

    for (uint32_t i = skip_self; i < len; i++) {
        uint32_t base = lineage ? r->bases[at + i] : type;
        struct rows rows = scope_rows(r, base, name);
        struct row kept[RESOLVE_CANDIDATES_MAX];
        uint32_t kept_len = 0;
        for (uint32_t k = 0; k < rows.len && kept_len < RESOLVE_CANDIDATES_MAX;
             k++)
            if (!is_method_row(r, &rows.at[k]) && !is_set(r, &rows.at[k]))
                kept[kept_len++] = rows.at[k];
        if (kept_len > 0)
            return member_own(r, base, (struct rows){kept, kept_len});
    }
    return (struct val){0};
}

bool
overload_is_of_object(const struct resolver *r, sym name)
{
    static const char *const names[] = {"equals",   "hashCode", "toString",
                                        "getClass", "notify",   "notifyAll",
                                        "wait",     "finalize", "clone"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (sym_is(r, name, names[i]))
            return true;
    return false;
}

/* An annotation with arguments is called, too, and it is a type. */
static struct val
annotation_of(struct resolver *r, uint32_t type, sym name)
{
    struct val val = value_of(r, type, name, false);
    bool is_type =
        val.kind == VAL_DEF && is_type_kind(def_at(r, val.file, val.id)->kind);

    return is_type ? val : (struct val){0};
}

struct val
overload_again(struct resolver *r, struct val method, struct at use)
{
    const struct fact_def *def;
    struct val val;

    if (method.kind != VAL_DEF || lang_at(r, method.file) != LANG_JAVA ||
        overload_want(r, use) != WANT_METHOD)
        return method;
    def = def_at(r, method.file, method.id);
    if (!is_function_kind(def->kind) || !def->parent || (def->flags & DEF_CTOR))
        return method;
    val = method_of(r, r->canon[gdef(r, method.file, def->parent)],
                    sym_of(r, method.file, def->name), false,
                    (struct at){use.file, overload_call(r, use)});
    if (val.kind == VAL_NONE)
        return method;
    val.by = method.by;
    return val;
}

struct val
overload_member(struct resolver *r, uint32_t type, sym name, bool skip_self,
                struct at use)
{
    switch (overload_want(r, use)) {
    case WANT_METHOD: {
        struct at call = {use.file, overload_call(r, use)};
        struct val val = method_of(r, type, name, skip_self, call);
        return val.kind != VAL_NONE ? val : annotation_of(r, type, name);
    }
    case WANT_VALUE:
        return value_of(r, type, name, skip_self);
    default:
        if (use.id && lang_at(r, use.file) == LANG_CSHARP)
            return csharp_member(r, type, name, skip_self, use);
        return use.id && lang_at(r, use.file) == LANG_KOTLIN
                   ? kotlin_member(r, type, name, skip_self, use)
                   : member_of_type(r, type, name, skip_self);
    }
}
