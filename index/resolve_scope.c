/*
 * The table of scopes is built in two walks over the facts: the first counts
 * the rows of each (scope, name), the second puts them side by side, in the
 * order of the source.  Looking up is one probe a scope, from the inside out.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "index/resolve_ruby.h"

struct filling {
    struct resolver *r;
    bool is_counting;
};

static struct scope_key *
find_key(const struct resolver *r, uint32_t scope, sym name)
{
    uint64_t hash = hash_mix((uint64_t)scope << 32 | name, 1);
    uint32_t at = (uint32_t)hash & (r->key_cap - 1);

    while (r->keys[at].len &&
           (r->keys[at].scope != scope || r->keys[at].name != name))
        at = (at + 1) & (r->key_cap - 1);
    return &r->keys[at];
}

struct rows
scope_rows(const struct resolver *r, uint32_t scope, sym name)
{
    const struct scope_key *key = find_key(r, scope, name);

    if (key->len == 0)
        return (struct rows){0};
    return (struct rows){r->rows + key->at, key->len};
}

static bool
widen_keys(struct resolver *r)
{
    uint32_t cap = r->key_cap ? 2 * r->key_cap : 1024;
    uint32_t old_cap = r->key_cap;
    struct scope_key *old = r->keys;
    struct scope_key *keys = calloc(cap, sizeof(*keys));

    if (!keys)
        return false;
    r->keys = keys;
    r->key_cap = cap;
    for (uint32_t i = 0; i < old_cap; i++)
        if (old[i].len)
            *find_key(r, old[i].scope, old[i].name) = old[i];
    free(old);
    return true;
}

/* Counts, or puts: then |at| of the key runs ahead and is set back after. */
static void
add_row(struct filling *f, uint32_t scope, sym name, struct row row)
{
    struct resolver *r = f->r;

    if (f->is_counting) {
        if (2 * r->key_len >= r->key_cap && !widen_keys(r)) {
            r->failed = true;
            return;
        }
        struct scope_key *key = find_key(r, scope, name);
        if (key->len == 0) {
            r->key_len++;
            key->scope = scope;
            key->name = name;
        }
        key->len++;
        r->row_len++;
        return;
    }
    r->rows[find_key(r, scope, name)->at++] = row;
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
        if (r->key_cap && find_key(r, in, name)->len)
            return in;
        if (at == 0)
            break;
    }
    uint32_t unit = unit_scope(r, r->sources[file].unit);
    if (r->key_cap && find_key(r, unit, name)->len)
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

bool
expr_is_exports(const struct resolver *r, uint32_t file, uint32_t expr)
{
    const struct fact_expr *at = expr_at(r, file, expr);

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
    uint8_t object = expr_at(r, file, target->a)->kind;
    uint32_t self = object == EXPR_SELF ? self_scope(r, file, bind->scope) : 0;
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
    const struct source *source = &r->sources[file];
    const struct fact_bind *bind = bind_at(r, file, id);
    struct row row = {file, id, bind->value, bind->line, ROW_BIND};
    uint32_t at = source->def_base + bind->scope;
    sym name = sym_of(r, file, bind->name);

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
        for (uint32_t i = 1; i < facts->def_len; i++)
            add_def(f, file, i);
        for (uint32_t i = 1; i < facts->import_len; i++)
            add_import(f, file, i);
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

bool
scope_prepare(struct resolver *r)
{
    struct filling f = {r, true};

    if (!widen_keys(r))
        return false;
    add_rows(&f);
    r->rows = r->failed ? NULL : calloc(r->row_len + 1, sizeof(*r->rows));
    if (!r->rows)
        return false;
    uint32_t at = 0;
    for (uint32_t i = 0; i < r->key_cap; i++) {
        r->keys[i].at = at;
        at += r->keys[i].len;
    }
    f.is_counting = false;
    add_rows(&f);
    for (uint32_t i = 0; i < r->key_cap; i++) {
        struct scope_key *key = &r->keys[i];
        key->at -= key->len;
        if (key->len > 1)
            qsort(r->rows + key->at, key->len, sizeof(*r->rows), compare_rows);
    }
    return !r->failed;
}
