/*
 * Which extension a name means: that of the type of what it is called on, or of
 * what that extends, nearest first; and where the type is not known, that of
 * the only type which has one.  Those of a name stand in the units of the file,
 * of what it imports by that name, and of the class around.
 */
#include "index/resolve_kotlin.h"
#include "index/resolve_overload.h"

enum { EXTENSIONS_MAX = 64, TYPES_MAX = 32, UNITS_MAX = 16 };

struct search {
    struct at use;
    uint32_t call; /* 0: it is not called */
    sym name;
    uint8_t by;
    bool is_cut; /* there are more than are looked at */
    uint32_t units[UNITS_MAX];
    uint32_t unit_len;
    struct at found[EXTENSIONS_MAX];
    uint32_t found_len;
    struct at plain; /* a function that extends nothing */
};

/* What something is called on is known to be. */
struct types {
    sym names[TYPES_MAX];
    uint32_t len;
    bool is_open;    /* it may be more than that */
    bool is_foreign; /* but none of the repository's */
};

static bool
is_extension(const struct resolver *r, struct at at)
{
    const struct fact_def *def = def_at(r, at.file, at.id);

    return is_function_kind(def->kind) && (def->flags & DEF_EXTENSION);
}

/* ---- those there are ---- */

static void
add_function(struct resolver *r, struct search *s, struct at at)
{
    const struct fact_def *def = def_at(r, at.file, at.id);

    if (!is_function_kind(def->kind) || lang_at(r, at.file) != LANG_KOTLIN ||
        (s->call && !kotlin_takes(r, at, (struct at){s->use.file, s->call})))
        return;
    if (!is_extension(r, at)) {
        if (!s->plain.id)
            s->plain = at;
        return;
    }
    for (uint32_t i = 0; i < s->found_len; i++)
        if (s->found[i].file == at.file && s->found[i].id == at.id)
            return;
    if (s->found_len == EXTENSIONS_MAX) {
        s->is_cut = true;
        return;
    }
    s->found[s->found_len++] = at;
}

static void
add_unit(struct resolver *r, struct search *s, uint32_t unit)
{
    struct rows rows = scope_rows(r, unit_scope(r, unit), s->name);

    for (uint32_t i = 0; i < s->unit_len; i++)
        if (s->units[i] == unit)
            return;
    if (!unit || s->unit_len == UNITS_MAX)
        return;
    s->units[s->unit_len++] = unit;
    s->is_cut = s->is_cut || rows.len > EXTENSIONS_MAX;
    for (uint32_t i = 0; i < rows.len && i < EXTENSIONS_MAX; i++)
        if (rows.at[i].kind == ROW_DEF)
            add_function(r, s, (struct at){rows.at[i].file, rows.at[i].id});
}

/* All of the name of |found| that are seen from the use. */
static void
gather(struct resolver *r, struct search *s, struct val found)
{
    uint32_t file = s->use.file;
    struct rows rows = scope_rows(r, r->sources[file].def_base, s->name);

    s->by = found.by;
    add_function(r, s, (struct at){found.file, found.id});
    if (!def_at(r, found.file, found.id)->parent)
        add_unit(r, s, r->sources[found.file].unit);
    add_unit(r, s, r->sources[file].unit);
    struct rows stars = scope_rows(r, star_scope(r, file), 0);
    for (uint32_t i = 0; i < stars.len && i < RESOLVE_CANDIDATES_MAX; i++) {
        struct val unit = import_value(r, file, stars.at[i].id);
        if (unit.kind == VAL_UNIT)
            add_unit(r, s, unit.id);
    }
    for (uint32_t i = 0; i < rows.len && i < RESOLVE_CANDIDATES_MAX; i++) {
        if (rows.at[i].kind != ROW_IMPORT)
            continue;
        struct val val = import_value(r, file, rows.at[i].id);
        if (val.kind != VAL_DEF)
            continue;
        add_function(r, s, (struct at){val.file, val.id});
        if (!def_at(r, val.file, val.id)->parent)
            add_unit(r, s, r->sources[val.file].unit);
    }
}

/* ---- what they are called on ---- */

static void
add_type(struct types *types, sym name)
{
    if (name && types->len < TYPES_MAX)
        types->names[types->len++] = name;
}

/* What types of the library are, besides. */
static const char *const supers[][5] = {
    {"String", "CharSequence", "Comparable"},
    {"MutableList", "List", "MutableCollection", "Collection", "Iterable"},
    {"List", "Collection", "Iterable"},
    {"MutableSet", "Set", "MutableCollection", "Collection", "Iterable"},
    {"Set", "Collection", "Iterable"},
    {"Collection", "Iterable"},
    {"MutableMap", "Map"},
    {"Class", "Type"},
};

bool
kotlin_is_final(const struct resolver *r, sym type)
{
    static const char *const names[] = {"Boolean", "Byte",  "Char",
                                        "Double",  "Float", "Int",
                                        "Long",    "Short", "String"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (sym_is(r, type, names[i]))
            return true;
    return false;
}

static void
add_foreign(struct resolver *r, struct types *types, sym name)
{
    add_type(types, name);
    types->is_open = types->is_open || !kotlin_is_final(r, name);
    types->is_foreign = sym_str(r, name).len > 1; /* else a parameter */
    for (size_t i = 0; i < sizeof(supers) / sizeof(supers[0]); i++)
        for (size_t k = 1; k < 5 && sym_is(r, name, supers[i][0]); k++)
            if (supers[i][k])
                add_type(types, sym_add(r, str_of(supers[i][k])));
}

/* The name that a type is written with. */
static sym
written_name(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);

    if (at->kind == EXPR_GENERIC)
        at = expr_at(r, file, at->a);
    return sym_of(r, file, at->text);
}

static void
add_instance(struct resolver *r, struct types *types, struct val of)
{
    uint32_t type = r->canon[gdef(r, of.file, of.id)];
    const struct lineage *lineage = lineage_of(r, type);
    uint32_t len = lineage ? lineage->len : 1;

    types->is_open = types->is_open || !lineage || lineage->is_open;
    for (uint32_t i = 0; i < len; i++) {
        uint32_t base = lineage ? r->bases[lineage->at + i] : type;
        uint32_t file = r->owner_file[base];
        const struct fact_def *def =
            def_at(r, file, base - r->sources[file].def_base);
        add_type(types, sym_of(r, file, def->name));
        for (uint32_t k = 0; k < def->bases_len && k < TYPES_MAX; k++)
            add_type(types, written_name(r, file,
                                         list_at(r, file, def->bases_at + k)));
    }
}

static struct types
types_of(struct resolver *r, struct val of)
{
    struct types types = {.len = 0};

    if (of.kind == VAL_INSTANCE)
        add_instance(r, &types, of);
    else if (of.kind == VAL_FOREIGN)
        add_foreign(r, &types, of.name);
    else if (of.kind == VAL_GENERIC)
        add_foreign(r, &types, written_name(r, of.file, of.id));
    else if (of.kind == VAL_TEXT &&
             expr_at(r, of.file, of.id)->kind != EXPR_NUMBER)
        add_foreign(r, &types, sym_add(r, STR("String")));
    else
        types.is_open = true;
    return types;
}

/* ---- the one that is meant ---- */

/* The name of what it extends, not that of an alias. */
static sym
receiver_of(struct resolver *r, struct at at)
{
    struct val of = kotlin_extended(r, at.file, at.id);

    return of.kind == VAL_INSTANCE
               ? sym_of(r, of.file, def_at(r, of.file, of.id)->name)
               : sym_of(r, at.file, def_at(r, at.file, at.id)->receiver);
}

static struct val
found_val(const struct search *s, struct at at)
{
    return val_of(VAL_DEF, at.file, at.id, s->by);
}

static struct val
of_types(struct resolver *r, const struct search *s, const struct types *types)
{
    for (uint32_t i = 0; i < types->len; i++)
        for (uint32_t k = 0; k < s->found_len; k++)
            if (receiver_of(r, s->found[k]) == types->names[i])
                return found_val(s, s->found[k]);
    return (struct val){0};
}

/* `Any`, a type parameter. */
static bool
takes_all(const struct resolver *r, sym receiver)
{
    return sym_is(r, receiver, "Any") || sym_str(r, receiver).len == 1;
}

/* What calls its own name means another, of a type that is not known. */
static bool
is_around(const struct resolver *r, struct at use, struct at at)
{
    const struct facts *facts = r->sources[use.file].facts;

    for (uint32_t def = expr_at(r, use.file, use.id)->scope; def;
         def = facts->defs[def].parent)
        if (at.file == use.file && def == at.id)
            return true;
    return false;
}

/* The only one there is, of one type: of anything, or where more may be meant
 * than is known. */
static struct val
only_one(struct resolver *r, const struct search *s, const struct types *types)
{
    if (s->found_len == 0)
        return (struct val){0};
    sym first = receiver_of(r, s->found[0]);
    bool is_ours = kotlin_extended(r, s->found[0].file, s->found[0].id).kind ==
                   VAL_INSTANCE;
    bool is_one = (types->is_open && !(types->is_foreign && is_ours)) ||
                  takes_all(r, first);
    for (uint32_t i = 0; i < s->found_len; i++)
        is_one = is_one && receiver_of(r, s->found[i]) == first &&
                 !is_around(r, s->use, s->found[i]);
    return is_one ? found_val(s, s->found[0]) : (struct val){0};
}

/* What `this` is in |def| itself; VAL_NONE: what it is around. */
static struct val
self_in(struct resolver *r, uint32_t file, uint32_t def)
{
    const struct fact_def *at = def_at(r, file, def);

    if (is_type_kind(at->kind))
        return val_of(VAL_INSTANCE, file, def, CODE_BY_SELF);
    if (at->receiver)
        return kotlin_extended(r, file, def);
    return at->flags & DEF_LAMBDA ? kotlin_receiver(r, file, def)
                                  : (struct val){0};
}

struct val
kotlin_unqualified(struct resolver *r, uint32_t file, uint32_t expr,
                   struct val val)
{
    const struct facts *facts = r->sources[file].facts;
    struct search s = {.use = {file, expr}};
    struct types open = {.len = 0};

    if (val.kind != VAL_DEF || lang_at(r, val.file) != LANG_KOTLIN ||
        !is_function_kind(def_at(r, val.file, val.id)->kind) ||
        def_at(r, val.file, val.id)->parent)
        return val;
    s.call = overload_call(r, s.use);
    s.name = sym_of(r, file, expr_at(r, file, expr)->text);
    gather(r, &s, val);
    if (s.is_cut)
        return (struct val){0};
    if (s.plain.id)
        return found_val(&s, s.plain);
    for (uint32_t def = expr_at(r, file, expr)->scope; def;
         def = facts->defs[def].parent) {
        struct val self = self_in(r, file, def);
        if (self.kind == VAL_NONE)
            continue;
        struct types types = types_of(r, self);
        struct val found = of_types(r, &s, &types);
        if (found.kind != VAL_NONE)
            return self.kind == VAL_FOREIGN &&
                           is_around(r, s.use,
                                     (struct at){found.file, found.id})
                       ? (struct val){.kind = VAL_FOREIGN}
                       : found;
        open.is_open = open.is_open || types.is_open;
    }
    /* A lambda may have a `this` that is not known. */
    open.is_open =
        open.is_open ||
        facts->defs[expr_at(r, file, expr)->scope].flags & DEF_LAMBDA;
    return only_one(r, &s, &open);
}

/* ---- of what is named ---- */

static bool
is_one_of(const struct resolver *r, sym name, const char *const *names,
          size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (sym_is(r, name, names[i]))
            return true;
    return false;
}

/* What all that is called on has comes before an extension. */
static bool
has_member(const struct resolver *r, struct val of, sym name)
{
    static const char *const all[] = {"toString", "equals", "hashCode"};
    static const char *const object[] = {"wait", "notify", "notifyAll"};
    static const char *const bits[] = {"and", "or",   "shl",
                                       "shr", "ushr", "xor"};
    bool is_number = of.kind == VAL_FOREIGN &&
                     (sym_is(r, of.name, "Int") || sym_is(r, of.name, "Long"));

    return is_one_of(r, name, all, 3) ||
           (of.kind == VAL_FOREIGN && sym_is(r, of.name, "Object") &&
            is_one_of(r, name, object, 3)) ||
           (is_number && is_one_of(r, name, bits, 6));
}

/* What the library extends much of its own by. */
static bool
is_of_library(const struct resolver *r, sym name)
{
    static const char *const names[] = {
        "all",        "any",     "contains",    "count",        "filter",
        "find",       "first",   "firstOrNull", "flatMap",      "forEach",
        "groupBy",    "isEmpty", "isNotEmpty",  "joinToString", "last",
        "lastOrNull", "map",     "reversed",    "single",       "singleOrNull",
        "sorted",     "split",   "toList",      "toMap",        "toSet",
        "trim",       "zip"};

    return is_one_of(r, name, names, sizeof(names) / sizeof(names[0]));
}

struct val
kotlin_extension(struct resolver *r, uint32_t file, uint32_t expr,
                 struct val of)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    struct search s = {.use = {file, expr}};
    bool is_value = of.kind == VAL_INSTANCE || of.kind == VAL_FOREIGN ||
                    of.kind == VAL_TEXT || of.kind == VAL_ARRAY ||
                    of.kind == VAL_GENERIC || of.kind == VAL_MADE ||
                    of.kind == VAL_NONE;

    s.name = sym_of(r, file, at->text);
    if (!is_value || has_member(r, of, s.name))
        return (struct val){0};
    struct val found = scope_lookup(r, file, at->scope, s.name, 0);
    if (found.kind != VAL_DEF || lang_at(r, found.file) != LANG_KOTLIN ||
        !is_function_kind(def_at(r, found.file, found.id)->kind))
        return (struct val){0};
    s.call = overload_call(r, s.use);
    gather(r, &s, found);
    if (s.is_cut)
        return (struct val){0};
    struct types types = types_of(r, of);
    struct val val = of_types(r, &s, &types);
    if (of.kind == VAL_FOREIGN && val.kind != VAL_NONE &&
        is_around(r, s.use, (struct at){val.file, val.id}))
        return (struct val){0};
    if (val.kind != VAL_NONE || (types.is_open && is_of_library(r, s.name)))
        return val;
    /* Of something unknown, a member is as likely. */
    bool is_vague = types.len == 0 || takes_all(r, types.names[0]);
    if (is_vague && map_get(&r->member_names, s.name))
        return val;
    return only_one(r, &s, &types);
}
