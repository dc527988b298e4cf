/*
 * The names of definitions: package and qualified name, by which a vertex is
 * known.  A parent has a lower index than what stands in it, so one pass is
 * enough.  Functions without a name are numbered within what they stand in.
 */
#include <stdlib.h>

#include "index/resolve_linkage.h"
#include "index/resolve_names.h"

/* Namespaces of these languages belong to the package, not to the name. */
static bool
is_packaged(uint8_t lang)
{
    return lang == LANG_CSHARP || lang == LANG_RUST || lang == LANG_PHP;
}

static void
name_package(struct resolver *r, uint32_t file, uint32_t def, sym name)
{
    uint32_t at = gdef(r, file, def);
    uint32_t parent = gdef(r, file, def_at(r, file, def)->parent);
    uint8_t lang = lang_at(r, file);
    str between = lang == LANG_RUST  ? STR("::")
                  : lang == LANG_PHP ? STR("\\")
                                     : STR(".");

    r->packages[at] =
        sym_join(r, r->packages[parent], between, sym_str(r, name));
    /* A second namespace of a file of PHP is not in the first. */
    sym full = lang == LANG_PHP ? sym_of(r, file, def_at(r, file, def)->name)
                                : r->packages[at];
    r->def_units[at] = unit_add(r, file, sym_str(r, full), full);
}

/* `outer.func1` as Go's compiler counts; `outer.anonymous1` elsewhere. */
static sym
name_lambda(struct resolver *r, uint32_t file, uint32_t parent)
{
    bool is_go = lang_at(r, file) == LANG_GO;
    const struct fact_def *outer = def_at(r, file, parent);
    uint32_t *count = &r->lambda_counts[gdef(r, file, parent)];
    bool is_inner = is_go && (outer->flags & DEF_LAMBDA);
    struct buf out = {0};

    ++*count;
    if (is_go && parent == 0)
        buf_printf(&out, "glob..func%u",
                   ++r->units[r->sources[file].unit].lambdas);
    else
        buf_printf(&out, "%s%u",
                   is_inner ? ""
                   : is_go  ? "func"
                            : "anonymous",
                   *count);
    sym name = sym_add(r, buf_str(&out));
    r->failed = r->failed || out.failed;
    buf_fini(&out);
    return name;
}

/* A second function of one hint, in one place, is another function. */
static sym
number_hint(struct resolver *r, uint32_t file, uint32_t parent, sym name)
{
    uint64_t key = (uint64_t)gdef(r, file, parent) << 32 | name;
    uint32_t *seen = NULL;

    if (!map_put(&r->hints, key, 0))
        r->failed = true;
    seen = r->failed ? NULL : map_slot(&r->hints, key);
    if (!seen || ++*seen == 1)
        return name;
    struct buf out = {0};
    buf_add(&out, sym_str(r, name));
    buf_printf(&out, "%u", *seen);
    name = sym_add(r, buf_str(&out));
    buf_fini(&out);
    return name;
}

static sym
own_name(struct resolver *r, uint32_t file, uint32_t id)
{
    const struct fact_def *def = def_at(r, file, id);
    sym name = sym_of(r, file, def->name);

    if (!(def->flags & DEF_LAMBDA) && name)
        return name;
    if (!name || lang_at(r, file) == LANG_GO)
        return name_lambda(r, file, def->parent);
    return number_hint(r, file, def->parent, name);
}

static void
name_def(struct resolver *r, uint32_t file, uint32_t id)
{
    const struct fact_def *def = def_at(r, file, id);
    const struct source *source = &r->sources[file];
    uint32_t at = source->def_base + id;
    uint32_t parent_id = def->parent < id ? def->parent : 0;
    uint32_t parent = source->def_base + parent_id;
    sym name = own_name(r, file, id);

    r->canon[at] = at;
    r->owner_file[at] = file;
    r->packages[at] = r->packages[parent];
    r->def_units[at] = r->def_units[parent];
    r->qualified[at] = r->qualified[parent];
    if (def->kind == CODE_PACKAGE && is_packaged(source->facts->lang)) {
        name_package(r, file, id, name);
        return;
    }
    str outer = sym_str(r, r->qualified[parent]);
    sym prefix = sym_add(r, outer);
    if (def->receiver && (def->parent == 0 || is_c_family(source->facts->lang)))
        prefix = sym_join(r, def->parent ? prefix : 0, STR("."),
                          facts_text(source->facts, def->receiver));
    r->qualified[at] = sym_join(r, prefix, STR("."), sym_str(r, name));
}

/* Files see each other's types by unit and name; those that belong to no unit
 * by their file. */
static uint64_t
type_key(const struct resolver *r, uint32_t file, uint32_t at)
{
    uint32_t place = r->def_units[at];

    if (!place)
        place = r->unit_cap_all + file;
    return ((uint64_t)place << 32 | r->qualified[at]) + 1;
}

static void
know_type(struct resolver *r, uint32_t file, uint32_t id)
{
    uint8_t lang = lang_at(r, file);
    uint32_t at = gdef(r, file, id);
    uint8_t kind = def_at(r, file, id)->kind;

    if (kind == CODE_PACKAGE && is_packaged(lang)) {
        r->canon[at] = unit_scope(r, r->def_units[at]);
        return;
    }
    bool is_maker = lang == LANG_JAVASCRIPT && kind == CODE_FUNCTION &&
                    def_at(r, file, id)->name;
    if (!is_type_kind(kind) && kind != CODE_PACKAGE && !is_maker)
        return;
    uint64_t key = type_key(r, file, at);
    if (!map_put(&r->types, key, at + 1))
        r->failed = true;
    uint32_t first = map_get(&r->types, key);
    /* Two of Java are of two modules (unit_pick). */
    if (!first || first == at + 1 || lang == LANG_PYTHON ||
        lang == LANG_JAVASCRIPT || lang == LANG_JAVA)
        return;
    r->canon[at] = first - 1;
    r->twins[at] = r->twins[first - 1];
    r->twins[first - 1] = at;
}

uint32_t
type_find(struct resolver *r, uint32_t file, uint32_t def, sym name)
{
    const struct facts *facts = r->sources[file].facts;
    uint32_t at = gdef(r, file, def);
    uint64_t place =
        r->def_units[at] ? r->def_units[at] : r->unit_cap_all + file;

    /* In C++ a name is looked for in the namespaces around, too. */
    for (uint32_t in = def; in && is_c_family(facts->lang);
         in = facts->defs[in].parent) {
        sym full = sym_join(r, r->qualified[gdef(r, file, in)], STR("."),
                            sym_str(r, name));
        uint32_t found = map_get(&r->types, (place << 32 | full) + 1);
        if (found)
            return found;
    }
    return map_get(&r->types, (place << 32 | name) + 1);
}

void
names_of_file(struct resolver *r, uint32_t file)
{
    const struct source *source = &r->sources[file];

    r->owner_file[source->def_base] = file;
    r->canon[source->def_base] = source->def_base;
    r->packages[source->def_base] = source->module;
    r->def_units[source->def_base] = source->unit;
    for (uint32_t id = 1; id < source->facts->def_len && !r->failed; id++)
        name_def(r, file, id);
}

void
names_know_types(struct resolver *r, uint32_t file)
{
    for (uint32_t id = 1; id < r->sources[file].facts->def_len && !r->failed;
         id++)
        know_type(r, file, id);
}
