/*
 * What a name stands for where it is written: scopes from the inside out, then
 * the unit, then what is imported without a name.
 */
#include "index/resolve_kotlin.h"
#include "index/resolve_linkage.h"
#include "index/resolve_names.h"
#include "index/resolve_overload.h"
#include "index/resolve_ruby.h"

/* A type, or a property of Kotlin's that stands in no type. */
static bool
is_single_of_jvm(struct resolver *r, const struct row *row)
{
    return row->kind == ROW_BIND ||
           (row->kind == ROW_DEF &&
            is_type_kind(def_at(r, row->file, row->id)->kind));
}

/* Of types of one full name in several modules none is meant where two are as
 * near: which, the build's own files would have to say. */
struct val
unit_pick(struct resolver *r, struct rows rows, uint32_t file)
{
    uint8_t lang = lang_at(r, file);
    const struct row *best = NULL;
    bool is_tie = false;

    for (uint32_t i = 0;
         rows.len > 1 && i < rows.len && i < RESOLVE_CANDIDATES_MAX &&
         (lang == LANG_JAVA || lang == LANG_KOTLIN);
         i++) {
        const struct row *row = &rows.at[i];
        if (!is_single_of_jvm(r, row))
            continue;
        size_t near = path_nearness(r, row->file, file);
        size_t nearest = best ? path_nearness(r, best->file, file) : 0;
        if (best && near == nearest)
            is_tie |= row->file != best->file;
        if (best && near <= nearest)
            continue;
        best = row;
        is_tie = false;
    }
    if (is_tie)
        return (struct val){0};
    return best ? eval_row(r, best) : scope_pick(r, rows, file, 0);
}

static struct val
look_in_unit(struct resolver *r, uint32_t file, uint32_t unit, sym name)
{
    struct rows rows = scope_rows(r, unit_scope(r, unit), name);
    uint8_t lang = lang_at(r, file);

    if (rows.len == 0)
        return (struct val){0};
    if (is_c_family(lang) && is_defined(rows))
        return linkage_pick(r, rows, file);
    return unit_pick(r, rows, file);
}

/* A function that PHP's namespace has not is the global one; no class is. */
static struct val
global_function(struct resolver *r, uint32_t file, sym name)
{
    uint32_t unit = unit_find(r, LANG_PHP, STR(""));
    struct val val = {0};

    if (unit)
        val = look_in_unit(r, file, unit, name);
    if (val.kind != VAL_DEF ||
        def_at(r, val.file, val.id)->kind != CODE_FUNCTION)
        return (struct val){0};
    return val;
}

/* The unit, and in C# and Ruby those around it. */
static struct val
look_in_units(struct resolver *r, uint32_t file, uint32_t def, sym name)
{
    uint32_t unit = r->def_units[gdef(r, file, def)];
    uint8_t lang = lang_at(r, file);
    struct val val = {0};

    if (!unit)
        return val;
    val = look_in_unit(r, file, unit, name);
    if (val.kind == VAL_NONE && lang == LANG_PHP)
        return global_function(r, file, name);
    if (val.kind != VAL_NONE || lang != LANG_CSHARP)
        return val;
    str package = sym_str(r, r->units[unit].package);
    for (uint32_t hops = 0; package.len > 0 && hops < RESOLVE_HOPS_MAX;
         hops++) {
        const char *dot = memrchr(package.ptr, '.', package.len);
        package.len = dot ? (size_t)(dot - package.ptr) : 0;
        unit = unit_find(r, lang, package);
        package = str_cut(package, 0, package.len);
        if (unit)
            val = look_in_unit(r, file, unit, name);
        if (val.kind != VAL_NONE)
            return val;
    }
    return val;
}

/* Whether the names in the body of a type are seen from the functions in it. */
static bool
is_hidden(uint8_t lang, uint8_t kind)
{
    if (kind != CODE_TYPE && kind != CODE_INTERFACE)
        return false;
    return lang == LANG_PYTHON || is_script(lang) || lang == LANG_GO ||
           lang == LANG_RUST || lang == LANG_PHP;
}

/* Where constructors have the name of their type, that means the type. */
static struct val
look_in_type(struct resolver *r, uint32_t def, sym name, struct at use)
{
    uint32_t type = r->canon[gdef(r, use.file, def)];
    struct val val = overload_member(r, type, name, false, use);

    if (val.kind == VAL_NONE && overload_want(r, use) == WANT_METHOD &&
        overload_is_of_object(r, name))
        return (struct val){.kind = VAL_FOREIGN};
    if (val.kind != VAL_DEF)
        return val;
    const struct fact_def *found = def_at(r, val.file, val.id);
    if ((found->flags & DEF_CTOR) && found->parent)
        val.id = found->parent;
    val.by = CODE_BY_SELF;
    return val;
}

/* Python runs the body of a class from above: what decorates a method of the
 * same name is from outside. */
static bool
is_yet_to_come(const struct resolver *r, struct rows rows, uint32_t file,
               uint32_t use)
{
    for (uint32_t i = 0; i < rows.len; i++) {
        const struct row *row = &rows.at[i];
        if (row->kind != ROW_DEF || scope_is_before(r, row, file, use) ||
            !is_function_kind(def_at(r, row->file, row->id)->kind))
            return false;
    }
    return true;
}

static struct val
look_in_def(struct resolver *r, uint32_t file, uint32_t def, sym name,
            uint32_t use, uint32_t from)
{
    uint8_t lang = lang_at(r, file);
    const struct fact_def *at = def_at(r, file, def);

    if (def && is_hidden(lang, at->kind) &&
        (def != from || lang != LANG_PYTHON))
        return (struct val){0};
    if (def && lang == LANG_RUBY &&
        (is_type_kind(at->kind) || at->kind == CODE_PACKAGE))
        return ruby_bare(r, file, from, r->canon[gdef(r, file, def)], name);
    if (def && has_implicit_self(lang) && is_type_kind(at->kind))
        return look_in_type(r, def, name, (struct at){file, use});
    struct rows rows = scope_rows(r, r->canon[gdef(r, file, def)], name);
    if (rows.len == 0)
        return (struct val){0};
    if (lang == LANG_PYTHON && use && def == from && is_type_kind(at->kind) &&
        is_yet_to_come(r, rows, file, use))
        return (struct val){0};
    if (is_c_family(lang) && is_defined(rows))
        /* Of a file, the unit has them all. */
        return def ? linkage_pick(r, rows, file) : (struct val){0};
    return scope_pick(r, rows, file, def == from ? use : 0);
}

/* A method that is called by its bare name is one of self, whose type is the
 * nearest: Ruby's modules around that are asked for constants only. */
static bool
is_past_self(const struct resolver *r, uint32_t file, uint32_t def, sym name,
             bool *is_past)
{
    const struct fact_def *at = def_at(r, file, def);
    str text = sym_str(r, name);
    bool is_type = is_type_kind(at->kind) || at->kind == CODE_PACKAGE;

    if (lang_at(r, file) != LANG_RUBY || !def || !is_type || text.len == 0 ||
        (text.ptr[0] >= 'A' && text.ptr[0] <= 'Z'))
        return false;
    bool was_past = *is_past;
    *is_past = true;
    return was_past;
}

/* Kotlin: an instance of ours that is `this` in a lambda. */
static struct val
lambda_receiver(struct resolver *r, uint32_t file, uint32_t def)
{
    struct val object = {0};

    if (lang_at(r, file) == LANG_KOTLIN &&
        def_at(r, file, def)->flags & DEF_LAMBDA)
        object = kotlin_receiver(r, file, def);
    return object.kind == VAL_INSTANCE ? object : (struct val){0};
}

/* Locals of the functions around come before what a lambda's `this` has. */
static bool
is_within_function(const struct facts *facts, uint32_t def)
{
    return def && is_function_kind(facts->defs[facts->defs[def].parent].kind);
}

/* What the `this` of an extension has. */
static struct val
look_in_extended(struct resolver *r, uint32_t file, uint32_t def, sym name,
                 uint32_t use)
{
    struct val self = {0};
    struct val val = {0};

    if (!has_implicit_self(lang_at(r, file)) ||
        lang_at(r, file) == LANG_CSHARP ||
        (use == 0 && sym_of(r, file, def_at(r, file, def)->receiver) == name))
        return val;
    self = kotlin_extended(r, file, def);
    if (self.kind == VAL_INSTANCE)
        val = overload_member(r, r->canon[gdef(r, self.file, self.id)], name,
                              false, (struct at){file, use});
    if (val.kind == VAL_DEF)
        val.by = CODE_BY_SELF;
    return val;
}

/* Kotlin, Go: of the locals of |def| by that name each is declared further
 * down, or by what asks for it (`val name = name(i)`, `list := list(db)`). */
static bool
is_declared_later(const struct resolver *r, uint32_t file, uint32_t def,
                  sym name, uint32_t use)
{
    uint8_t lang = lang_at(r, file);
    struct rows rows;

    if (!use || (lang != LANG_KOTLIN && lang != LANG_GO) ||
        !is_function_kind(def_at(r, file, def)->kind))
        return false;
    rows = scope_rows(r, r->canon[gdef(r, file, def)], name);
    for (uint32_t i = 0; i < rows.len; i++)
        if (i == RESOLVE_CANDIDATES_MAX ||
            scope_is_before(r, &rows.at[i], file, use))
            return false;
    return rows.len > 0;
}

/* Kotlin: a local that is called though it is no function. */
static bool
is_no_function(struct resolver *r, uint32_t file, uint32_t def, uint32_t use,
               struct val val)
{
    if (!use || lang_at(r, file) != LANG_KOTLIN ||
        !is_function_kind(def_at(r, file, def)->kind) ||
        !overload_call(r, (struct at){file, use}))
        return false;
    if (val.kind == VAL_INSTANCE)
        return member_find(r, val, sym_add(r, STR("invoke"))).kind == VAL_NONE;
    return val.kind == VAL_TEXT || val.kind == VAL_ARRAY ||
           val.kind == VAL_GENERIC ||
           (val.kind == VAL_FOREIGN && kotlin_is_final(r, val.name));
}

struct val
scope_lookup(struct resolver *r, uint32_t file, uint32_t scope, sym name,
             uint32_t use)
{
    const struct facts *facts = r->sources[file].facts;
    struct val held = {0}; /* Kotlin's `this` of a lambda has it */
    struct val val = {0};

    bool is_method = overload_want(r, (struct at){file, use}) == WANT_METHOD;
    bool is_past = false;
    for (uint32_t def = scope;; def = facts->defs[def].parent) {
        /* No local of Java is called. */
        if (is_method && is_function_kind(facts->defs[def].kind))
            continue;
        if (is_past_self(r, file, def, name, &is_past))
            continue;
        bool is_passed = is_declared_later(r, file, def, name, use);
        if (!is_passed) {
            val = look_in_def(r, file, def, name, use, scope);
            is_passed = is_no_function(r, file, def, use, val);
        }
        if (is_passed)
            val = (struct val){0};
        /* A local that nothing is known of still hides what is around. */
        if (val.kind != VAL_NONE ||
            (!is_passed && is_function_kind(facts->defs[def].kind) &&
             scope_rows(r, r->canon[gdef(r, file, def)], name).len > 0))
            return val;
        if (held.kind == VAL_NONE)
            held = member_used(r, lambda_receiver(r, file, def), name,
                               (struct at){file, use});
        if (held.kind != VAL_DEF && held.kind != VAL_INSTANCE)
            held.kind = VAL_NONE;
        if (held.kind != VAL_NONE && !is_within_function(facts, def))
            return held;
        if (use && kotlin_hides_object(r, file, def, name))
            return (struct val){.kind = VAL_FOREIGN};
        if (def && facts->defs[def].receiver)
            val = look_in_extended(r, file, def, name, use);
        if (val.kind != VAL_NONE)
            return val;
        if (def == 0)
            break;
    }
    val = look_in_units(r, file, scope, name);
    if (val.kind != VAL_NONE)
        return val;
    return import_star(r, file, name);
}

bool
scope_is_bound(const struct resolver *r, uint32_t file, uint32_t scope,
               sym name)
{
    const struct facts *facts = r->sources[file].facts;
    uint32_t unit = r->def_units[gdef(r, file, scope)];

    for (uint32_t def = scope;; def = facts->defs[def].parent) {
        if (scope_rows(r, r->canon[gdef(r, file, def)], name).len > 0)
            return true;
        if (def == 0)
            break;
    }
    return unit && scope_rows(r, unit_scope(r, unit), name).len > 0;
}
