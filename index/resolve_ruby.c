/*
 * Which methods Ruby finds where: how the lines of classes and of their
 * singletons are made, and what self is.
 *
 * In a block that stands in the body of a class, self is the class or one of
 * its objects, as whoever is given the block likes; a name that only one of the
 * two has is that one's.
 */
#include "index/resolve_ruby.h"

#include <string.h>

/* ---- where names stand ---- */

uint32_t
ruby_def_scopes(const struct resolver *r, const struct fact_def *def,
                uint32_t of, uint32_t out[2])
{
    uint32_t len = 0;

    if (!is_function_kind(def->kind) || !(def->flags & DEF_STATIC) ||
        def->flags & DEF_SHARED)
        out[len++] = of;
    if (is_function_kind(def->kind) && def->flags & DEF_STATIC)
        out[len++] = singleton_scope(r, of);
    return len;
}

enum whose { OF_NOBODY, OF_OBJECT, OF_CLASS, OF_EITHER };

static enum whose
whose_self(const struct resolver *r, uint32_t file, uint32_t def)
{
    const struct facts *facts = r->sources[file].facts;
    bool in_block = false;

    for (uint32_t at = def; at; at = facts->defs[at].parent) {
        const struct fact_def *here = &facts->defs[at];
        if (is_type_kind(here->kind) || here->kind == CODE_PACKAGE)
            return in_block ? OF_EITHER : OF_CLASS;
        if (here->flags & DEF_TEST_CASE)
            return OF_OBJECT;
        if (!(here->flags & DEF_LAMBDA) && is_function_kind(here->kind))
            return here->flags & DEF_STATIC ? OF_CLASS : OF_OBJECT;
        in_block = true;
    }
    return OF_NOBODY;
}

static bool
is_capital(str text)
{
    return text.len > 0 && text.ptr[0] >= 'A' && text.ptr[0] <= 'Z';
}

/* Constants and variables of a class are found where its objects find them. */
static bool
is_of_both(const struct resolver *r, sym name)
{
    return is_capital(sym_str(r, name)) ||
           str_starts(sym_str(r, name), STR("@@"));
}

sym
ruby_field(struct resolver *r, uint32_t file, uint32_t def, sym name,
           uint32_t *type)
{
    if (*type && *type < r->def_len && !is_of_both(r, name) &&
        whose_self(r, file, def) == OF_CLASS)
        *type = singleton_scope(r, *type);
    if (sym_str(r, name).len == 0 || sym_str(r, name).ptr[0] == '@')
        return name;
    return sym_join(r, sym_add(r, STR("@")), STR(""), sym_str(r, name));
}

/* ---- lines ---- */

struct mixin {
    uint32_t file;
    uint32_t expr; /* the module */
};

struct mixins {
    struct mixin at[RESOLVE_BASES_MAX];
    uint32_t len;
};

/* The bases of all parts of |type| that are told with |key|, or plainly. */
static void
find_mixins(const struct resolver *r, uint32_t type, const char *key,
            struct mixins *out)
{
    uint32_t part = type;

    out->len = 0;
    for (uint32_t parts = 0; parts < 64; parts++) {
        uint32_t file = r->owner_file[part];
        const struct facts *facts = r->sources[file].facts;
        const struct fact_def *def =
            &facts->defs[part - r->sources[file].def_base];
        for (uint32_t i = 0; i < def->bases_len; i++) {
            uint32_t id = list_at(r, file, def->bases_at + i);
            const struct fact_expr *at = &facts->exprs[id];
            bool is_pair = at->kind == EXPR_PAIR;
            str how = is_pair ? facts_text(facts, at->text) : STR("");
            if (str_eq(how, str_of(key)) && out->len < RESOLVE_BASES_MAX)
                out->at[out->len++] =
                    (struct mixin){file, is_pair ? at->a : id};
        }
        part = r->twins[part];
        if (!part)
            break;
    }
}

/* The type of |mixin|; UINT32_MAX: not ours. */
static uint32_t
mixin_type(struct resolver *r, const struct mixin *mixin, bool *is_module)
{
    struct val base = eval_type(r, mixin->file, mixin->expr);

    *is_module = false;
    if (base.kind != VAL_INSTANCE)
        return UINT32_MAX;
    *is_module = def_at(r, base.file, base.id)->flags & DEF_TRAIT;
    return r->canon[gdef(r, base.file, base.id)];
}

static void
join_mixins(struct resolver *r, struct line *line, uint32_t type,
            const char *key)
{
    struct mixins mixins;
    bool is_module;

    find_mixins(r, type, key, &mixins);
    for (uint32_t i = mixins.len; i > 0; i--) {
        uint32_t module = mixin_type(r, &mixins.at[i - 1], &is_module);
        if (module < r->def_len)
            line_join(r, line, module, true);
        else
            line->is_open = true;
    }
}

/* The class that |type| extends: itself if it says none, UINT32_MAX if that is
 * not ours. */
static uint32_t
superclass_of(struct resolver *r, uint32_t type)
{
    struct mixins mixins;
    uint32_t found = type;

    find_mixins(r, type, "", &mixins);
    for (uint32_t i = 0; i < mixins.len; i++) {
        bool is_module;
        uint32_t base = mixin_type(r, &mixins.at[i], &is_module);
        if (base == UINT32_MAX)
            found = base;
        else if (!is_module)
            return base;
    }
    return found;
}

static bool
is_module(const struct resolver *r, uint32_t type)
{
    uint32_t file = r->owner_file[type];

    return def_at(r, file, type - r->sources[file].def_base)->flags & DEF_TRAIT;
}

/* What every object has from the classes of the language, where the repository
 * adds to them. */
static void
join_language(struct resolver *r, struct line *line, uint32_t type,
              bool is_singleton)
{
    static const char *const names[] = {"Class", "Module", "Object", "Kernel"};
    uint32_t first = !is_singleton ? 2 : is_module(r, type) ? 1 : 0;

    if (line->is_open)
        return;
    for (uint32_t i = first; i < 4; i++) {
        uint32_t found =
            type_find(r, r->owner_file[type], 0, sym_add(r, str_of(names[i])));
        if (found && r->canon[found - 1] != type &&
            r->canon[found - 1] < r->def_len)
            line_add(line, r->canon[found - 1], true);
    }
}

static void
object_line(struct resolver *r, struct line *line, uint32_t type)
{
    struct mixins mixins;
    bool is_mixed;

    join_mixins(r, line, type, "prepend");
    line_add(line, type, true);
    find_mixins(r, type, "", &mixins);
    for (uint32_t i = mixins.len; i > 0; i--) {
        uint32_t module = mixin_type(r, &mixins.at[i - 1], &is_mixed);
        if (module < r->def_len && is_mixed)
            line_join(r, line, module, true);
        line->is_open = line->is_open || module >= r->def_len;
    }
    if (is_module(r, type))
        return;
    uint32_t base = superclass_of(r, type);
    if (base < r->def_len && base != type)
        line_join(r, line, base, true);
    else if (base == type)
        join_language(r, line, type, false);
}

/* What the modules of |type| extend it with when they are included. */
static void
join_included(struct resolver *r, struct line *line, uint32_t type)
{
    struct mixins mixins;
    bool is_mixed;

    find_mixins(r, type, "", &mixins);
    for (uint32_t i = mixins.len; i > 0; i--) {
        uint32_t module = mixin_type(r, &mixins.at[i - 1], &is_mixed);
        const struct lineage *of =
            module < r->def_len && is_mixed ? lineage_of(r, module) : NULL;
        uint32_t at = of ? of->at : 0;
        uint32_t len = of ? of->len : 0;
        for (uint32_t k = 0; k < len; k++)
            join_mixins(r, line, r->bases[at + k], "included");
        line->is_open = line->is_open || module >= r->def_len;
    }
}

static void
singleton_line(struct resolver *r, struct line *line, uint32_t type)
{
    line_add(line, singleton_scope(r, type), true);
    join_mixins(r, line, type, "extend");
    join_included(r, line, type);
    uint32_t base = is_module(r, type) ? type : superclass_of(r, type);
    if (base < r->def_len && base != type)
        line_join(r, line, singleton_scope(r, base), true);
    else if (base == type)
        join_language(r, line, type, true);
    else
        line->is_open = true;
}

void
ruby_line(struct resolver *r, struct line *line, uint32_t scope)
{
    if (is_singleton(r, scope))
        singleton_line(r, line, singleton_type(r, scope));
    else
        object_line(r, line, scope);
}

void
ruby_prepare(struct resolver *r)
{
    for (uint32_t file = 0; file < r->source_len && !r->failed; file++) {
        const struct facts *facts = r->sources[file].facts;
        for (uint32_t id = 1;
             id < facts->def_len && facts->lang == LANG_RUBY && !r->failed;
             id++)
            if (is_type_kind(facts->defs[id].kind))
                lineage_of(r, r->canon[gdef(r, file, id)]);
    }
}

/* ---- what names mean ---- */

struct val
ruby_self(struct resolver *r, uint32_t file, uint32_t def, struct val object)
{
    if (object.kind == VAL_INSTANCE && whose_self(r, file, def) == OF_CLASS)
        object.kind = VAL_DEF;
    return object;
}

struct val
ruby_class_member(struct resolver *r, uint32_t type, sym name)
{
    uint32_t scope = is_of_both(r, name) ? type : singleton_scope(r, type);
    struct val val = member_of_type(r, scope, name, false);
    const struct lineage *lineage = lineage_of(r, scope);

    if (val.kind == VAL_NONE && scope != type && lineage && lineage->is_open)
        val.kind = VAL_FOREIGN;
    return val;
}

static struct val
either(struct resolver *r, uint32_t type, sym name)
{
    struct val one = member_of_type(r, type, name, false);
    struct val two = member_of_type(r, singleton_scope(r, type), name, false);

    if (one.kind == VAL_NONE || two.kind == VAL_NONE)
        return one.kind == VAL_NONE ? two : one;
    if (one.kind == two.kind && one.file == two.file && one.id == two.id)
        return one;
    return (struct val){.kind = VAL_MADE};
}

struct val
ruby_bare(struct resolver *r, uint32_t file, uint32_t def, uint32_t type,
          sym name)
{
    struct val val;

    if (type >= r->def_len || is_of_both(r, name))
        return member_of_type(r, type, name, false);
    switch (whose_self(r, file, def)) {
    case OF_CLASS:
        val = member_of_type(r, singleton_scope(r, type), name, false);
        break;
    case OF_EITHER:
        val = either(r, type, name);
        break;
    default:
        val = member_of_type(r, type, name, false);
    }
    if (val.kind == VAL_DEF)
        val.by = CODE_BY_SELF;
    return val;
}

static bool
is_method(const struct resolver *r, struct val val)
{
    return val.kind == VAL_DEF &&
           is_function_kind(def_at(r, val.file, val.id)->kind);
}

struct val
ruby_capital(struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    sym name = sym_of(r, file, at->text);
    struct val self = eval_self(r, file, at->scope);
    struct val val = {0};

    if (self.kind == VAL_INSTANCE || self.kind == VAL_DEF) {
        uint32_t type = r->canon[gdef(r, self.file, self.id)];
        if (self.kind == VAL_DEF)
            type = singleton_scope(r, type);
        val = member_of_type(r, type, name, false);
    }
    if (is_method(r, val)) {
        val.by = CODE_BY_SELF;
        return val;
    }
    /* A function of a file is a method that all objects have. */
    struct rows rows =
        scope_rows(r, unit_scope(r, r->sources[file].unit), name);
    for (uint32_t i = 0; i < rows.len && i < RESOLVE_CANDIDATES_MAX; i++) {
        val = eval_row(r, &rows.at[i]);
        if (is_method(r, val))
            return val;
    }
    return (struct val){.kind = VAL_FOREIGN};
}

struct val
ruby_above(struct resolver *r, struct val self, sym name)
{
    uint32_t type = r->canon[gdef(r, self.file, self.id)];

    if (self.kind == VAL_DEF)
        type = singleton_scope(r, type);
    struct val val = member_of_type(r, type, name, true);
    const struct lineage *lineage = lineage_of(r, type);

    if (val.kind == VAL_DEF)
        val.by = CODE_BY_SELF;
    if (val.kind == VAL_NONE && lineage && lineage->is_open)
        val.kind = VAL_FOREIGN;
    return val;
}

/* The class of what is written; NULL: not told. */
static const char *
literal_class(const struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);
    str text = facts_text(r->sources[file].facts, at->text);

    switch ((enum expr_kind)at->kind) {
    case EXPR_STRING:
        return at->is_symbol ? "Symbol" : "String";
    case EXPR_CONCAT:
        return "String";
    case EXPR_NUMBER:
        if (str_starts(text, STR("0x")) || str_starts(text, STR("0X")))
            return "Integer";
        return text.len && (memchr(text.ptr, '.', text.len) ||
                            memchr(text.ptr, 'e', text.len))
                   ? "Float"
                   : "Integer";
    case EXPR_ARRAY:
        return "Array";
    case EXPR_OBJECT:
        return "Hash";
    case EXPR_REGEX:
        return "Regexp";
    default:
        return NULL;
    }
}

struct val
ruby_literal(struct resolver *r, struct val of, sym name)
{
    struct val val = {0};
    /* What a parameter is by default others may give otherwise. */
    const char *class = of.origin != ORIGIN_BIND && !of.is_choice
                            ? literal_class(r, of.file, of.id)
                            : NULL;
    uint32_t type =
        class ? type_find(r, of.file, 0, sym_add(r, str_of(class))) : 0;

    if (type && r->canon[type - 1] < r->def_len)
        val = member_of_type(r, r->canon[type - 1], name, false);
    if (!is_method(r, val))
        return (struct val){.kind = VAL_FOREIGN};
    val.by = CODE_BY_TYPE;
    return val;
}

struct val
ruby_indexed(struct resolver *r, struct val of)
{
    struct val val = member_find(r, of, sym_add(r, STR("[]")));

    if (!is_method(r, val))
        return (struct val){0};
    val = eval_return(r, val.file, val.id);
    if (val.kind == VAL_INSTANCE && val.by == CODE_BY_SELF)
        val = of.kind == VAL_DEF ? eval_instance(r, of) : of;
    if (val.by == CODE_BY_SELF)
        val.by = CODE_BY_TYPE;
    return val;
}

bool
ruby_class_of(struct resolver *r, uint32_t file, uint32_t call, struct val *out)
{
    const struct fact_expr *at = expr_at(r, file, call);
    const struct fact_expr *callee = expr_at(r, file, at->a);

    if (lang_at(r, file) != LANG_RUBY || callee->kind != EXPR_MEMBER ||
        at->list_len > 0 ||
        !str_eq(facts_text(r->sources[file].facts, callee->text), STR("class")))
        return false;
    struct val of = eval_expr(r, file, callee->a);
    *out = val_of(VAL_DEF, of.file, of.id, of.by);
    return of.kind == VAL_INSTANCE;
}
