/*
 * Making a resolver, and what the rules about frameworks ask of it.
 *
 * Everything is sized by the facts once: memos are arrays indexed by where the
 * rows of a file begin.
 */
#include "index/resolve.h"

#include <stdlib.h>

#include "index/resolve_impl.h"
#include "index/resolve_linkage.h"
#include "index/resolve_overload.h"
#include "index/resolve_ruby.h"
#include "index/resolve_script.h"

struct totals {
    uint32_t defs;
    uint32_t exprs;
    uint32_t binds;
    uint32_t imports;
    uint32_t texts;
};

static bool
number_rows(struct resolver *r, const struct resolve_file *files, uint32_t len,
            struct totals *totals)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < len; i++) {
        const struct facts *facts = files[i].facts;
        r->sources[i] = (struct source){
            .facts = facts,
            .path = files[i].path,
            .def_base = totals->defs,
            .expr_base = totals->exprs,
            .bind_base = totals->binds,
            .import_base = totals->imports,
            .text_base = totals->texts,
        };
        totals->defs += facts->def_len;
        totals->exprs += facts->expr_len;
        totals->binds += facts->bind_len;
        totals->imports += facts->import_len;
        totals->texts += facts->texts.len;
        sum += (uint64_t)facts->def_len + facts->expr_len + facts->bind_len +
               facts->import_len + facts->texts.len;
    }
    return sum < UINT32_MAX / 2;
}

static bool
make_tables(struct resolver *r, const struct totals *totals)
{
    size_t defs = (size_t)totals->defs + 1;

    r->def_len = totals->defs;
    r->syms = calloc((size_t)totals->texts + 1, sizeof(*r->syms));
    r->owner_file = calloc(defs, sizeof(*r->owner_file));
    r->canon = calloc(defs, sizeof(*r->canon));
    r->def_units = calloc(defs, sizeof(*r->def_units));
    r->twins = calloc(defs, sizeof(*r->twins));
    r->packages = calloc(defs, sizeof(*r->packages));
    r->qualified = calloc(defs, sizeof(*r->qualified));
    r->lambda_counts = calloc(defs, sizeof(*r->lambda_counts));
    r->lambda_calls = calloc(defs, sizeof(*r->lambda_calls));
    r->selves = calloc(defs, sizeof(*r->selves));
    r->lineages = calloc(2 * defs, sizeof(*r->lineages));
    r->return_memo = calloc(defs, sizeof(*r->return_memo));
    r->nodes = calloc(defs, sizeof(*r->nodes));
    r->expr_memo = calloc((size_t)totals->exprs + 1, sizeof(*r->expr_memo));
    r->bind_memo = calloc((size_t)totals->binds + 1, sizeof(*r->bind_memo));
    r->import_memo =
        calloc((size_t)totals->imports + 1, sizeof(*r->import_memo));
    r->vals = calloc(1024, sizeof(*r->vals));
    r->val_cap = 1024;
    r->val_len = 1;
    return r->syms && r->owner_file && r->canon && r->def_units && r->twins &&
           r->packages && r->qualified && r->lambda_counts && r->lambda_calls &&
           r->selves && r->lineages && r->return_memo && r->nodes &&
           r->expr_memo && r->bind_memo && r->import_memo && r->vals;
}

static void
note_lambdas(struct resolver *r, uint32_t file, uint32_t call)
{
    const struct fact_expr *at = expr_at(r, file, call);

    for (uint32_t i = 0; at->kind == EXPR_CALL && i < at->list_len; i++) {
        const struct fact_expr *arg =
            expr_at(r, file, list_at(r, file, at->list_at + i));
        if (arg->kind == EXPR_LAMBDA)
            r->lambda_calls[gdef(r, file, arg->a)] = call;
    }
}

static void
note_lambda_calls(struct resolver *r)
{
    for (uint32_t file = 0; file < r->source_len; file++)
        for (uint32_t id = 1; id < r->sources[file].facts->expr_len; id++)
            note_lambdas(r, file, id);
}

enum err
resolver_new(struct resolver **out, const struct resolve_file *files,
             uint32_t len, const struct resolve_settings *settings)
{
    struct resolver *r = calloc(1, sizeof(*r));
    struct totals totals = {0};
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (!r || !intern_init(&r->names))
        goto out;
    r->sources = calloc((size_t)len + 1, sizeof(*r->sources));
    if (!r->sources || !number_rows(r, files, len, &totals))
        goto out;
    r->source_len = len;
    if (settings)
        r->settings = *settings;
    if (!make_tables(r, &totals) || !generics_prepare(r) || !names_prepare(r) ||
        !linkage_prepare(r) || !scope_prepare(r) || !overload_prepare(r))
        goto out;
    note_lambda_calls(r);
    script_prepare(r);
    ruby_prepare(r);
    if (r->failed)
        goto out;
    *out = r;
    r = NULL;
    err = OK;

out:
    resolver_free(r);
    return err;
}

static void
free_maps(struct resolver *r)
{
    struct map *maps[] = {
        &r->unit_of, &r->folder_unit,   &r->path_file,      &r->folders,
        &r->types,   &r->known_modules, &r->python_modules, &r->exports,
        &r->told,    &r->hints,         &r->generics,       &r->member_names,
    };

    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
        map_fini(maps[i]);
}

void
resolver_free(struct resolver *r)
{
    if (!r)
        return;
    free_maps(r);
    linkage_fini(r);
    intern_fini(&r->names);
    free(r->sources);
    free(r->syms);
    free(r->units);
    free(r->python_roots);
    free(r->owner_file);
    free(r->canon);
    free(r->def_units);
    free(r->twins);
    free(r->packages);
    free(r->qualified);
    free(r->lambda_counts);
    free(r->lambda_calls);
    free(r->selves);
    free(r->params);
    free(r->callers);
    free(r->shapes);
    free(r->passed);
    free(r->rows);
    free(r->keys);
    free(r->key_slots);
    free(r->scope_names);
    free(r->expr_memo);
    free(r->bind_memo);
    free(r->import_memo);
    free(r->return_memo);
    free(r->vals);
    free(r->lineages);
    free(r->bases);
    free(r->calls);
    free(r->call_start);
    free(r->nodes);
    free(r);
}

/* ---- what is told outside ---- */

static void
tell_external(const struct resolver *r, struct val val, struct value *out)
{
    out->kind = VALUE_EXTERNAL;
    out->module = sym_str(r, val.module);
    out->name = sym_str(r, val.name);
}

static bool
tell(const struct resolver *r, struct val val, struct value *out)
{
    *out = (struct value){0};
    if (val.origin == ORIGIN_EXPR || val.origin == ORIGIN_BIND) {
        out->kind = val.origin == ORIGIN_EXPR ? VALUE_MADE : VALUE_PARAM;
        out->at = (struct at){val.origin_file, val.origin_id};
        out->call = (struct at){val.call_file, val.call_id};
        return true;
    }
    switch ((enum val_kind)val.kind) {
    case VAL_DEF:
        out->kind = VALUE_DEF;
        out->at = (struct at){val.file, val.id};
        return true;
    case VAL_FILE:
        out->kind = VALUE_FILE;
        out->at = (struct at){val.file, 0};
        return true;
    case VAL_EXTERNAL:
        tell_external(r, val, out);
        return true;
    case VAL_ARRAY:
    case VAL_OBJECT:
        out->kind = VALUE_MADE;
        out->at = (struct at){val.file, val.id};
        return true;
    default:
        return false;
    }
}

bool
resolve_value(struct resolver *r, struct at expr, struct value *out)
{
    return tell(r, eval_expr(r, expr.file, expr.id), out);
}

bool
resolve_export(struct resolver *r, uint32_t file, str name, struct value *out)
{
    *out = (struct value){0};
    return is_script(lang_at(r, file)) &&
           tell(r, import_member(r, file, sym_add(r, name)), out);
}

bool
resolve_type(struct resolver *r, struct at expr, struct value *out)
{
    struct val val = eval_await(r, eval_expr(r, expr.file, expr.id));

    *out = (struct value){0};
    if (val.kind == VAL_INSTANCE) {
        out->kind = VALUE_DEF;
        out->at = (struct at){val.file, val.id};
        return true;
    }
    if (val.kind != VAL_FOREIGN || !val.module)
        return false;
    tell_external(r, val, out);
    return true;
}

bool
resolve_member(struct resolver *r, struct at type, str name, struct at *out)
{
    uint32_t at = r->canon[gdef(r, type.file, type.id)];
    struct val val = member_of_type(r, at, sym_add(r, name), false);

    if (val.kind != VAL_DEF)
        return false;
    *out = (struct at){val.file, val.id};
    return true;
}
