/*
 * The table of scopes is built in one walk over the facts, which says of each
 * row to which (scope, name) it belongs; then those of each are put side by
 * side, in the order of the source.  Looking up is one probe a scope, from the
 * inside out; most scopes do not have the name, which a word of bits of each
 * tells before the table is asked.
 */
#include <stdlib.h>

#include "base/grow.h"
#include "base/hash.h"
#include "index/resolve_csharp.h"
#include "index/resolve_ruby.h"
#include "index/resolve_rust.h"

struct placed {
    uint32_t key;
    struct row row;
};

struct filling {
    struct resolver *r;
    struct placed *placed; /* in the order of the walk */
    uint32_t len;
    uint32_t cap;
};

static uint64_t
name_bit(sym name)
{
    return UINT64_C(1) << (name * UINT32_C(0x9e3779b1) >> 26);
}

/* Where the number of the key stands, + 1, or would. */
static uint32_t
find_slot(const struct resolver *r, uint32_t scope, sym name)
{
    uint64_t hash = hash_mix((uint64_t)scope << 32 | name, 1);
    uint32_t at = (uint32_t)hash & (r->key_slot_cap - 1);
    uint32_t key;

    while ((key = r->key_slots[at]) != 0 &&
           (r->keys[key - 1].scope != scope || r->keys[key - 1].name != name))
        at = (at + 1) & (r->key_slot_cap - 1);
    return at;
}

/* NULL: the scope has no such name. */
static const struct scope_key *
find_key(const struct resolver *r, uint32_t scope, sym name)
{
    if (!(r->scope_names[scope] & name_bit(name)))
        return NULL;
    uint32_t key = r->key_slots[find_slot(r, scope, name)];
    return key ? &r->keys[key - 1] : NULL;
}

bool
scope_has(const struct resolver *r, uint32_t scope, sym name)
{
    return find_key(r, scope, name) != NULL;
}

struct rows
scope_rows(const struct resolver *r, uint32_t scope, sym name)
{
    const struct scope_key *key = find_key(r, scope, name);

    if (!key)
        return (struct rows){0};
    return (struct rows){r->rows + key->at, key->len};
}

static bool
widen_slots(struct resolver *r)
{
    uint32_t cap = r->key_slot_cap ? 2 * r->key_slot_cap : 1024;
    uint32_t *slots = calloc(cap, sizeof(*slots));

    if (!slots)
        return false;
    free(r->key_slots);
    r->key_slots = slots;
    r->key_slot_cap = cap;
    for (uint32_t i = 0; i < r->key_len; i++)
        slots[find_slot(r, r->keys[i].scope, r->keys[i].name)] = i + 1;
    return true;
}

/* The number of the key, which is made if it is not there. */
static uint32_t
put_key(struct resolver *r, uint32_t scope, sym name)
{
    uint32_t at = find_slot(r, scope, name);

    if (r->key_slots[at])
        return r->key_slots[at] - 1;
    if (!grow_room(r->keys, r->key_len, r->key_cap)) {
        r->failed = true;
        return 0;
    }
    r->keys[r->key_len] = (struct scope_key){.scope = scope, .name = name};
    r->key_slots[at] = ++r->key_len;
    r->scope_names[scope] |= name_bit(name);
    return r->key_len - 1;
}

static void
add_row(struct filling *f, uint32_t scope, sym name, struct row row)
{
    struct resolver *r = f->r;

    if (!grow_room(f->placed, f->len, f->cap) ||
        (2 * r->key_len >= r->key_slot_cap && !widen_slots(r)))
        r->failed = true;
    if (r->failed)
        return;
    uint32_t key = put_key(r, scope, name);
    if (r->failed)
        return;
    r->keys[key].len++;
    f->placed[f->len++] = (struct placed){key, row};
}

/* What stands in another definition. */
static void
add_inner(struct filling *f, uint32_t file, const struct fact_def *def,
          uint32_t scope, struct row row)
{
    struct resolver *r = f->r;
    sym name = sym_of(r, file, def->name);
    uint32_t scopes[2] = {scope, 0};
    uint32_t len = 1;

    if (lang_at(r, file) == LANG_RUBY)
        len = ruby_def_scopes(r, def, scope, scopes);
    for (uint32_t i = 0; i < len; i++)
        add_row(f, scopes[i], name, row);
}

static void
add_def(struct filling *f, uint32_t file, uint32_t id)
{
    struct resolver *r = f->r;
    const struct source *source = &r->sources[file];
    const struct fact_def *def = &source->facts->defs[id];
    sym name = sym_of(r, file, def->name);
    struct row row = {file, id, 0, def->line, ROW_DEF};

    if (((def->flags & DEF_LAMBDA) && !def->receiver) || !name)
        return;
    if (def->receiver && source->facts->lang == LANG_CSHARP) {
        add_inner(f, file, def, r->canon[gdef(r, file, def->parent)], row);
        add_row(f, unit_scope(r, r->def_units[gdef(r, file, id)]),
                csharp_extension_name(r, name), row);
        return;
    }
    if (def->receiver) {
        sym receiver = sym_of(r, file, def->receiver);
        uint32_t type = type_find(r, file, def->parent, receiver);
        if (type)
            add_inner(f, file, def, r->canon[type - 1], row);
        else if (def->parent && source->facts->lang == LANG_KOTLIN)
            add_row(f, r->canon[gdef(r, file, def->parent)], name, row);
        else if (def->flags & DEF_EXTENSION)
            add_row(f, unit_scope(r, source->unit), name, row);
        return;
    }
    if (def->parent) {
        add_inner(f, file, def, r->canon[gdef(r, file, def->parent)], row);
        return;
    }
    bool is_c =
        source->facts->lang == LANG_C || source->facts->lang == LANG_CPP;
    if (!source->unit || is_c)
        add_row(f, source->def_base, name, row);
    if (source->unit)
        add_row(f, unit_scope(r, source->unit), name, row);
}

/* The scope of the type whose `this` a definition knows; 0: none. */
static uint32_t
self_scope(struct resolver *r, uint32_t file, uint32_t def)
{
    const struct facts *facts = r->sources[file].facts;

    for (uint32_t at = def; at; at = facts->defs[at].parent) {
        if (is_type_kind(facts->defs[at].kind) ||
            (facts->lang == LANG_RUBY && facts->defs[at].kind == CODE_PACKAGE))
            return r->canon[gdef(r, file, at)];
        if (!facts->defs[at].receiver)
            continue;
        sym receiver = sym_of(r, file, facts->defs[at].receiver);
        uint32_t type = type_find(r, file, facts->defs[at].parent, receiver);
        return type ? r->canon[type - 1] : 0;
    }
    return 0;
}

/* Where the name that an assignment sets was declared, or where it stands. */
static uint32_t
declared_scope(struct filling *f, uint32_t file, uint32_t scope, sym name)
{
    struct resolver *r = f->r;
    const struct facts *facts = r->sources[file].facts;

    for (uint32_t at = scope;; at = facts->defs[at].parent) {
        uint32_t in = r->canon[gdef(r, file, at)];
        if (find_key(r, in, name))
            return in;
        if (at == 0)
            break;
    }
    uint32_t unit = unit_scope(r, r->sources[file].unit);
    if (find_key(r, unit, name))
        return unit;
    return gdef(r, file, scope);
}

static bool
is_word(const struct resolver *r, uint32_t file, uint32_t expr,
        const char *word)
{
    const struct fact_expr *at = expr_at(r, file, expr);

    return (at->kind == EXPR_NAME || at->kind == EXPR_MEMBER) &&
           str_eq(facts_text(r->sources[file].facts, at->text), str_of(word));
}

/* The name of the file, which nothing further in hides. */
static bool
is_exports_name(const struct resolver *r, uint32_t file,
                const struct fact_expr *at)
{
    const struct source *source = &r->sources[file];
    uint32_t def = at->scope;

    if (at->kind != EXPR_NAME || !at->text || at->text != source->exports_name)
        return false;
    sym name = sym_find(r, facts_text(source->facts, at->text));
    while (def && !find_key(r, gdef(r, file, def), name))
        def = source->facts->defs[def].parent;
    return def == 0;
}

bool
expr_is_exports(const struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);

    if (is_exports_name(r, file, at))
        return true;
    if (!is_word(r, file, expr, "exports"))
        return false;
    return at->kind == EXPR_NAME || is_word(r, file, at->a, "module");
}

/* CommonJS: what a module exports is what it assigns. */
static bool
add_exported(struct filling *f, uint32_t file, const struct fact_expr *target,
             struct row row)
{
    struct resolver *r = f->r;

    if (!is_script(lang_at(r, file)))
        return false;
    if (expr_is_exports(r, file, target->a)) {
        add_row(f, export_scope(r, file), sym_of(r, file, target->text), row);
        return true;
    }
    if (!is_word(r, file, target->a, "module") ||
        !str_eq(facts_text(r->sources[file].facts, target->text),
                STR("exports")))
        return false;
    add_row(f, export_scope(r, file), sym_add(r, STR(WHOLE_EXPORT)), row);
    return true;
}

/* `C.only = x` within C, where that declares the field. */
static bool
names_own_type(const struct resolver *r, uint32_t file, uint32_t scope,
               const struct fact_expr *object)
{
    const struct facts *facts = r->sources[file].facts;
    uint32_t def = scope;

    if (object->kind != EXPR_NAME ||
        (!is_script(facts->lang) && facts->lang != LANG_PYTHON))
        return false;
    while (def && !is_type_kind(facts->defs[def].kind))
        def = facts->defs[def].parent;
    return def && facts->defs[def].name == object->text;
}

/* JavaScript: the scope of the class that `V.prototype.m = given` adds to; 0:
 * it is none, or what is given is a method that says so itself. */
static uint32_t
prototype_scope(struct resolver *r, uint32_t file, const struct fact_bind *bind)
{
    const struct fact_expr *of =
        expr_at(r, file, expr_at(r, file, bind->target)->a);
    const struct fact_expr *class = expr_at(r, file, of->a);

    if (!is_script(lang_at(r, file)) || of->kind != EXPR_MEMBER ||
        class->kind != EXPR_NAME ||
        expr_at(r, file, bind->value)->kind == EXPR_LAMBDA ||
        !str_eq(facts_text(r->sources[file].facts, of->text), STR("prototype")))
        return 0;
    uint32_t type =
        type_find(r, file, bind->scope, sym_of(r, file, class->text));
    return type ? r->canon[type - 1] : 0;
}

static void
add_assign(struct filling *f, uint32_t file, uint32_t id)
{
    struct resolver *r = f->r;
    const struct fact_bind *bind = bind_at(r, file, id);
    const struct fact_expr *target = expr_at(r, file, bind->target);
    struct row row = {file, id, bind->value, bind->line, ROW_BIND};
    sym name = sym_of(r, file, target->text);

    if (target->kind == EXPR_NAME && name) {
        add_row(f, declared_scope(f, file, bind->scope, name), name, row);
        return;
    }
    if (target->kind != EXPR_MEMBER || !name ||
        add_exported(f, file, target, row))
        return;
    const struct fact_expr *object = expr_at(r, file, target->a);
    bool is_own = object->kind == EXPR_SELF ||
                  names_own_type(r, file, bind->scope, object);
    uint32_t self = is_own ? self_scope(r, file, bind->scope) : 0;
    if (!self)
        self = prototype_scope(r, file, bind);
    if (self && lang_at(r, file) == LANG_RUBY)
        name = ruby_field(r, file, bind->scope, name, &self);
    if (self)
        add_row(f, self, name, row);
    else
        add_row(f, assign_scope(r), name, row);
}

static void
add_bind(struct filling *f, uint32_t file, uint32_t id)
{
    struct resolver *r = f->r;
    struct source *source = &r->sources[file];
    const struct fact_bind *bind = bind_at(r, file, id);
    struct row row = {file, id, bind->value, bind->line, ROW_BIND};
    uint32_t at = source->def_base + bind->scope;
    sym name = sym_of(r, file, bind->name);

    if (bind->scope == 0 && bind->kind == BIND_LOCAL &&
        is_script(source->facts->lang) && expr_is_exports(r, file, bind->value))
        source->exports_name = bind->name;

    if (bind->kind == BIND_RETURN) {
        add_row(f, at, 0, row);
        return;
    }
    if (!name || bind->kind == BIND_ASSIGN)
        return;
    if (bind->kind == BIND_FIELD)
        at = r->canon[at];
    else if (bind->scope == 0 && source->facts->lang == LANG_GO)
        at = unit_scope(r, source->unit);
    add_row(f, at, name, row);
    if (bind->flags & BIND_PACKAGE && source->unit)
        add_row(f, unit_scope(r, source->unit), name, row);
}

static void
add_import(struct filling *f, uint32_t file, uint32_t id)
{
    struct resolver *r = f->r;
    const struct fact_import *import = &r->sources[file].facts->imports[id];
    struct row row = {file, id, 0, import->line, ROW_IMPORT};
    sym name = import_local_name(r, file, id);
    uint32_t scope = gdef(r, file, import->scope);

    switch (import->kind) {
    case IMPORT_MODULE:
    case IMPORT_NAME:
    case IMPORT_DEFAULT:
        if (name)
            add_row(f, scope, name, row);
        return;
    case IMPORT_STAR:
    case IMPORT_INCLUDE:
        add_row(f, star_scope(r, file), 0, row);
        return;
    case EXPORT_NAME:
    case EXPORT_STAR:
        add_row(f, export_scope(r, file), name, row);
        return;
    default:
        return;
    }
}

/* Fields that a literal of a type sets: `&Server{mux: m}`. */
static void
add_literal(struct filling *f, uint32_t file, uint32_t id)
{
    struct resolver *r = f->r;
    const struct fact_expr *made = expr_at(r, file, id);

    if (made->kind != EXPR_NEW)
        return;
    for (uint32_t i = 0; i < made->list_len; i++) {
        uint32_t pair = list_at(r, file, made->list_at + i);
        const struct fact_expr *expr = expr_at(r, file, pair);
        sym name = sym_of(r, file, expr->text);
        if (expr->kind == EXPR_PAIR && name)
            add_row(f, literal_scope(r), name,
                    (struct row){file, id, pair, expr->line, ROW_PAIR});
    }
}

static void
add_rows(struct filling *f)
{
    struct resolver *r = f->r;

    for (uint32_t file = 0; file < r->source_len && !r->failed; file++) {
        const struct facts *facts = r->sources[file].facts;
        for (uint32_t i = 1; i < facts->import_len; i++)
            add_import(f, file, i);
        for (uint32_t i = 1; i < facts->def_len; i++)
            if (!rust_extends_import(r, file, i))
                add_def(f, file, i);
        for (uint32_t i = 1; i < facts->bind_len; i++)
            add_bind(f, file, i);
        for (uint32_t i = 1; i < facts->expr_len; i++)
            add_literal(f, file, i);
    }
    /* These look for what the others declare. */
    for (uint32_t file = 0; file < r->source_len && !r->failed; file++) {
        const struct facts *facts = r->sources[file].facts;
        for (uint32_t i = 1; i < facts->bind_len; i++)
            if (facts->binds[i].kind == BIND_ASSIGN)
                add_assign(f, file, i);
    }
}

static int
compare_rows(const void *a, const void *b)
{
    const struct row *x = a;
    const struct row *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->order != y->order ? (x->order < y->order ? -1 : 1) : 0;
}

/* Rows of a key side by side, in the order in which they were added, then in
 * that of the source. */
static void
put_rows(struct filling *f)
{
    struct resolver *r = f->r;
    uint32_t at = 0;

    for (uint32_t i = 0; i < r->key_len; i++) {
        r->keys[i].at = at;
        at += r->keys[i].len;
    }
    for (uint32_t i = 0; i < f->len; i++)
        r->rows[r->keys[f->placed[i].key].at++] = f->placed[i].row;
    for (uint32_t i = 0; i < r->key_len; i++) {
        struct scope_key *key = &r->keys[i];
        key->at -= key->len;
        if (key->len > 1)
            qsort(r->rows + key->at, key->len, sizeof(*r->rows), compare_rows);
    }
}

bool
scope_prepare(struct resolver *r)
{
    struct filling f = {.r = r};
    /* Singletons are the last scopes: of a type or a unit. */
    size_t scopes = singleton_scope(r, assign_scope(r));

    r->scope_names = calloc(scopes, sizeof(*r->scope_names));
    if (!r->scope_names || !widen_slots(r))
        return false;
    add_rows(&f);
    r->rows = r->failed ? NULL : calloc((size_t)f.len + 1, sizeof(*r->rows));
    if (r->rows)
        put_rows(&f);
    free(f.placed);
    return r->rows && !r->failed;
}
