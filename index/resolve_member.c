/*
 * Members: of types through their bases, of modules, units, literals.
 */
#include <string.h>

#include "base/grow.h"
#include "index/resolve_linkage.h"
#include "index/resolve_names.h"
#include "index/resolve_overload.h"
#include "index/resolve_ruby.h"
#include "index/resolve_rust.h"
#include "index/resolve_script.h"

struct val
member_own(struct resolver *r, uint32_t type, struct rows rows)
{
    if (is_singleton(r, type))
        return scope_pick(r, rows, rows.at->file, 0);
    uint32_t file = r->owner_file[type];
    bool is_linked = is_c_family(lang_at(r, file)) && is_defined(rows);
    struct val val = is_linked ? linkage_pick_member(r, rows, file)
                               : scope_pick(r, rows, rows.at->file, 0);
    uint32_t id = type - r->sources[file].def_base;

    if (val.kind == VAL_NONE && (def_at(r, file, id)->flags & DEF_ENUM))
        return val_of(VAL_INSTANCE, file, id, CODE_BY_TYPE);
    return val;
}

static bool
is_php_trait(const struct resolver *r, uint32_t type)
{
    if (is_singleton(r, type))
        return false;
    uint32_t file = r->owner_file[type];
    return lang_at(r, file) == LANG_PHP &&
           def_at(r, file, type - r->sources[file].def_base)->flags & DEF_TRAIT;
}

/* Where the bases of a type begin, behind itself: in Ruby modules may be
 * prepended to it. */
static uint32_t
after_self(const struct resolver *r, const struct lineage *lineage,
           uint32_t type)
{
    for (uint32_t i = 0; i < lineage->len; i++)
        if (r->bases[lineage->at + i] == type)
            return i + 1;
    return lineage->len;
}

struct val
member_of_type(struct resolver *r, uint32_t type, sym name, bool skip_self)
{
    const struct lineage *lineage = lineage_of(r, type);
    struct rows rows;

    if (!lineage) {
        rows = scope_rows(r, type, name);
        return rows.len && !skip_self && type < r->def_len
                   ? member_own(r, type, rows)
                   : (struct val){0};
    }
    uint32_t at = lineage->at;
    uint32_t len = lineage->len;
    uint32_t i = skip_self ? after_self(r, lineage, type) : 0;
    while (skip_self && i < len && is_php_trait(r, r->bases[at + i]))
        i++; /* `parent::` is what it extends */
    for (; i < len; i++) {
        uint32_t base = r->bases[at + i];
        rows = scope_rows(r, base, name);
        if (rows.len > 0)
            return member_own(r, base, rows);
    }
    return (struct val){0};
}

struct val
member_ctor(struct resolver *r, uint32_t type)
{
    static const char *const names[LANG_END] = {
        [LANG_PYTHON] = "__init__",        [LANG_JAVASCRIPT] = "constructor",
        [LANG_TYPESCRIPT] = "constructor", [LANG_TSX] = "constructor",
        [LANG_RUBY] = "initialize",        [LANG_PHP] = "__construct",
    };
    uint32_t file = r->owner_file[type];
    const struct facts *facts = r->sources[file].facts;
    const char *name = names[facts->lang];
    struct val found = {0};

    if (name) {
        found = member_of_type(r, type, sym_add(r, str_of(name)), false);
        return found.kind == VAL_DEF ? found : (struct val){0};
    }
    str own =
        facts_text(facts, facts->defs[type - r->sources[file].def_base].name);
    static const char *const spellings[] = {"constructor", "<init>", ""};
    for (size_t i = 0; i < 3 && found.kind != VAL_DEF; i++) {
        str text = spellings[i][0] ? str_of(spellings[i]) : own;
        struct rows rows = scope_rows(r, type, sym_add(r, text));
        for (uint32_t k = 0; k < rows.len && k < RESOLVE_CANDIDATES_MAX; k++)
            if (rows.at[k].kind == ROW_DEF &&
                (def_at(r, rows.at[k].file, rows.at[k].id)->flags & DEF_CTOR))
                return eval_row(r, &rows.at[k]);
    }
    return (struct val){0};
}

static struct val
member_of_unit(struct resolver *r, struct val of, sym name)
{
    struct rows rows = scope_rows(r, unit_scope(r, of.id), name);
    uint8_t lang = r->units[of.id].lang;
    bool is_jvm = lang == LANG_JAVA || lang == LANG_KOTLIN;
    struct val val = {0};

    if (rows.len > 0)
        val = unit_pick(r, rows, is_jvm ? of.file : rows.at->file);
    if (val.kind != VAL_NONE || lang == LANG_GO)
        return val;
    str between = lang == LANG_RUST  ? STR("::")
                  : lang == LANG_PHP ? STR("\\")
                                     : STR(".");
    sym below = sym_join(r, r->units[of.id].package, between, sym_str(r, name));
    uint32_t unit = unit_find(r, lang, sym_str(r, below));
    if (unit)
        return val_of(VAL_UNIT, is_jvm ? of.file : 0, unit, CODE_BY_IMPORT);
    if (lang == LANG_RUST) /* `pub use` */
        return import_member(r, r->units[of.id].file, name);
    return val;
}

static struct val
member_of_external(struct resolver *r, struct val of, sym name)
{
    if (of.module && !of.name) {
        sym deeper = sym_join(r, of.module, STR("."), sym_str(r, name));
        if (map_get(&r->known_modules, deeper)) {
            of.module = deeper;
            return of;
        }
    }
    of.name = of.name ? sym_join(r, of.name, STR("."), sym_str(r, name)) : name;
    of.origin = ORIGIN_NONE;
    of.args = 0;
    return of;
}

static struct val
member_of_object(struct resolver *r, struct val of, sym name)
{
    const struct fact_expr *object = expr_at(r, of.file, of.id);

    for (uint32_t i = 0; i < object->list_len; i++) {
        uint32_t item = list_at(r, of.file, object->list_at + i);
        const struct fact_expr *pair = expr_at(r, of.file, item);
        if (pair->kind == EXPR_PAIR && pair->text &&
            sym_of(r, of.file, pair->text) == name)
            return eval_expr(r, of.file, pair->a);
        if (pair->kind == EXPR_SPREAD) {
            struct val val =
                member_find(r, eval_expr(r, of.file, pair->a), name);
            if (val.kind != VAL_NONE)
                return val;
        }
    }
    return (struct val){0};
}

/* What a type is made of, for `type X Y` and aliases. */
static struct val
underlying(struct resolver *r, struct val of)
{
    const struct fact_def *def = def_at(r, of.file, of.id);

    if (!def->type || !is_type_kind(def->kind))
        return (struct val){0};
    return eval_type(r, of.file, def->type);
}

/* C++: in another branch of a conditional the name is one for a type of a
 * library, `using string_view = std::string_view`.  Which is meant, only the
 * build knows. */
static bool
may_be_of_library(struct resolver *r, uint32_t type)
{
    uint32_t part = type;

    if (lang_at(r, r->owner_file[type]) != LANG_CPP || !r->twins[type])
        return false;
    for (uint32_t parts = 0; parts < 64; parts++) {
        uint32_t file = r->owner_file[part];
        const struct fact_def *def =
            def_at(r, file, part - r->sources[file].def_base);
        if (def->type && eval_type(r, file, def->type).kind == VAL_FOREIGN)
            return true;
        part = r->twins[part];
        if (!part)
            break;
    }
    return false;
}

static struct val
member_of_instance(struct resolver *r, struct val of, sym name, struct at use)
{
    uint32_t type = r->canon[gdef(r, of.file, of.id)];
    struct val val = overload_member(r, type, name, false, use);

    if (val.kind == VAL_DEF && may_be_of_library(r, type))
        return (struct val){.kind = VAL_FOREIGN};
    if (val.kind == VAL_NONE && r->depth < RESOLVE_DEPTH_MAX) {
        struct val below = underlying(r, of);
        r->depth++;
        if (below.kind != VAL_NONE)
            val = member_find(r, below, name);
        r->depth--;
    }
    if (val.kind == VAL_DEF)
        val.by = of.by == CODE_BY_SELF ? CODE_BY_SELF : CODE_BY_TYPE;
    if (val.kind == VAL_NONE && lang_at(r, of.file) == LANG_RUST)
        val = rust_dereferenced(r, of, name, use);
    if (val.kind != VAL_NONE)
        return val;
    const struct lineage *lineage = lineage_of(r, type);
    if (lineage && lineage->is_open)
        return (struct val){.kind = VAL_FOREIGN};
    return val;
}

/* `Outer.this`, and `Face.super`, whose own methods are called. */
static struct val
named_self(struct resolver *r, struct val of, sym name)
{
    struct val self = val_of(VAL_INSTANCE, of.file, of.id, CODE_BY_SELF);
    bool is_of_interface = def_at(r, of.file, of.id)->kind == CODE_INTERFACE;

    if (sym_is(r, name, "super") && !is_of_interface) {
        self = member_superclass(r, r->canon[gdef(r, of.file, of.id)]);
        self.kind = self.kind == VAL_INSTANCE ? VAL_INSTANCE : VAL_FOREIGN;
        self.by = CODE_BY_SELF;
    }
    return self;
}

static bool
is_self_name(const struct resolver *r, struct val of, sym name)
{
    uint8_t lang = lang_at(r, of.file);

    return (lang == LANG_JAVA || lang == LANG_KOTLIN) &&
           is_type_kind(def_at(r, of.file, of.id)->kind) &&
           (sym_is(r, name, "this") || sym_is(r, name, "super"));
}

static struct val
member_of_def(struct resolver *r, struct val of, sym name, struct at use)
{
    uint32_t at = gdef(r, of.file, of.id);
    uint8_t kind = def_at(r, of.file, of.id)->kind;
    struct val val = {0};

    if (is_self_name(r, of, name))
        return named_self(r, of, name);
    /* Its members are those of the class. */
    if (lang_at(r, of.file) == LANG_KOTLIN && is_type_kind(kind) &&
        sym_is(r, name, "Companion"))
        return of;
    if (lang_at(r, of.file) == LANG_RUBY && r->canon[at] < r->def_len &&
        (is_type_kind(kind) || kind == CODE_PACKAGE))
        val = ruby_class_member(r, r->canon[at], name);
    else if (kind == CODE_PACKAGE && r->canon[at] >= r->def_len)
        val = member_of_unit(
            r, val_of(VAL_UNIT, 0, r->canon[at] - r->def_len, of.by), name);
    else if (is_type_kind(kind) || kind == CODE_PACKAGE)
        val = overload_member(r, r->canon[at], name, false, use);
    else if (kind == CODE_VAR || kind == CODE_CONST || kind == CODE_FIELD)
        val = member_find(
            r, eval_type(r, of.file, def_at(r, of.file, of.id)->type), name);
    if (val.kind == VAL_DEF && val.by != CODE_BY_IMPORT)
        val.by = of.by;
    return val;
}

struct val
member_find(struct resolver *r, struct val of, sym name)
{
    return member_used(r, of, name, (struct at){0});
}

static struct val
declared_member(struct resolver *r, struct val of, sym name, struct at use)
{
    struct val val = {0};

    switch ((enum val_kind)of.kind) {
    case VAL_DEF:
        val = member_of_def(r, of, name, use);
        break;
    case VAL_FILE:
        val = import_member(r, of.file, name);
        if (val.kind == VAL_DEF)
            val.by = CODE_BY_IMPORT;
        break;
    case VAL_UNIT:
        val = member_of_unit(r, of, name);
        if (val.kind == VAL_DEF)
            val.by = CODE_BY_IMPORT;
        break;
    case VAL_FOLDER:
        val = import_in_folder_python(r, of.name, name);
        /* A folder that lacks it is named like a library: `flask/app.py`. */
        if (val.kind == VAL_NONE && of.module) {
            val = (struct val){.kind = VAL_EXTERNAL,
                               .by = CODE_BY_IMPORT,
                               .module = of.module,
                               .name = name};
            if (!map_put(&r->known_modules, of.module, 1))
                r->failed = true;
        }
        break;
    case VAL_EXTERNAL:
        val = member_of_external(r, of, name);
        break;
    case VAL_INSTANCE:
        val = member_of_instance(r, of, name, use);
        break;
    case VAL_FOREIGN:
        val = of.module ? member_of_external(r, of, name) : of;
        val.kind = of.module ? VAL_EXTERNAL : VAL_FOREIGN;
        val.origin = ORIGIN_NONE; /* a part was not made where the whole was */
        break;
    case VAL_OBJECT:
    case VAL_ARRAY:
    case VAL_TEXT:
        if (of.file < r->source_len && lang_at(r, of.file) == LANG_RUBY)
            val = ruby_literal(r, of, name);
        else if (of.kind == VAL_OBJECT)
            val = member_of_object(r, of, name);
        else
            val.kind = VAL_FOREIGN;
        break;
    case VAL_GENERIC:
        val = rust_wrapped(r, of, name, use);
        if (val.kind == VAL_NONE)
            val.kind = VAL_FOREIGN;
        break;
    default:
        break;
    }
    return val;
}

struct val
member_used(struct resolver *r, struct val of, sym name, struct at use)
{
    struct val val = {0};

    if (!name || r->depth >= RESOLVE_DEPTH_MAX)
        return val;
    r->depth++;
    val = declared_member(r, of, name, use);
    if (val.kind == VAL_NONE || val.kind == VAL_FOREIGN ||
        val.kind == VAL_EXTERNAL) {
        struct val set = script_assigned(r, of, name);
        val = set.kind == VAL_NONE ? val : set;
    }
    bool is_of_self = val.kind == VAL_DEF && of.by == CODE_BY_SELF;
    if (is_of_self && val.by == CODE_BY_SCOPE)
        val.by = CODE_BY_SELF;
    r->depth--;
    return val;
}
