/*
 * Facts are rows that refer to lower rows, so every walk here ends.
 */
#include "index/routes_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "index/routes_called.h"
#include "index/routes_files.h"
#include "index/routes_grape.h"
#include "index/routes_nestjs.h"
#include "index/routes_php_class.h"
#include "index/routes_php_include.h"
#include "index/routes_rails.h"
#include "index/routes_router.h"
#include "index/routes_rules.h"
#include "index/routes_symfony.h"
#include "index/routes_turns.h"

enum err
parts_init(struct parts *p, struct resolver *r,
           const struct resolve_file *files, uint32_t len,
           struct code_build *build)
{
    *p = (struct parts){.r = r, .files = files, .len = len, .build = build};
    p->of_defs = calloc(len + 1, sizeof(void *));
    enum err err = texts_init(&p->texts, 0);
    if (!err)
        err = texts_init(&p->rpc_names, 0);
    if (!err && !p->of_defs)
        err = ERR_NOMEM;
    if (err)
        parts_fini(p);
    return err;
}

void
parts_fini(struct parts *p)
{
    for (uint32_t i = 0; p->of_defs && i < p->len; i++)
        free(p->of_defs[i]);
    free(p->of_defs);
    free(p->marks);
    free(p->routers);
    free(p->mounts);
    free(p->entries);
    free(p->slots);
    free(p->verbs);
    free(p->seen);
    free(p->apps);
    free(p->extended);
    free(p->extended_types);
    free(p->partial_types);
    free(p->services);
    called_fini(p);
    router_fields_fini(p);
    files_fini(p);
    php_classes_fini(p);
    php_includes_fini(p);
    symfony_fini(p);
    nestjs_fini(p);
    rails_uses_fini(p);
    grape_fini(p);
    pyramid_fini(p);
    texts_fini(&p->rpc_names);
    free(p->nodes);
    texts_fini(&p->texts);
    buf_fini(&p->path);
    *p = (struct parts){0};
}

void
part_open(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    free(p->marks);
    p->mark_file = file + 1;
    p->lookups = 0;
    p->patterns = 0;
    p->loop_rows = 0;
    p->turns = 0;
    p->file_looped = 0;
    p->marks = calloc(facts->expr_len + 1, sizeof(*p->marks));
    if (!p->marks) {
        p->failed = true;
        return;
    }
    for (uint32_t d = 1; d < facts->def_len; d++) {
        const struct fact_def *def = &facts->defs[d];
        for (uint32_t i = 0; i < def->marks_len; i++)
            p->marks[facts->lists[def->marks_at + i]] = d;
    }
}

struct at
part_marked(const struct parts *p, struct at expr)
{
    if (!p->marks || p->mark_file != expr.file + 1)
        return (struct at){expr.file, 0};
    return (struct at){expr.file, p->marks[expr.id]};
}

str
part_word(const struct parts *p, struct at at)
{
    return part_str(p, at.file, part_expr(p, at)->text);
}

/* ---- shape ---- */

struct at
part_list(const struct parts *p, struct at at, uint32_t i)
{
    const struct fact_expr *e = part_expr(p, at);

    if (i >= e->list_len)
        return (struct at){at.file, 0};
    return (struct at){at.file, part_facts(p, at.file)->lists[e->list_at + i]};
}

struct at
part_arg(const struct parts *p, struct at call, uint32_t i)
{
    uint32_t len = part_expr(p, call)->list_len;

    for (uint32_t k = 0; k < len; k++) {
        struct at arg = part_list(p, call, k);
        if (part_kind(p, arg) != EXPR_PAIR && i-- == 0)
            return arg;
    }
    return (struct at){call.file, 0};
}

uint32_t
part_args(const struct parts *p, struct at call)
{
    uint32_t len = part_expr(p, call)->list_len;
    uint32_t count = 0;

    for (uint32_t k = 0; k < len; k++)
        count += part_kind(p, part_list(p, call, k)) != EXPR_PAIR;
    return count;
}

struct at
part_last(const struct parts *p, struct at call)
{
    uint32_t count = part_args(p, call);

    return count ? part_arg(p, call, count - 1) : (struct at){call.file, 0};
}

bool
part_key(const struct parts *p, struct at pair, str *name)
{
    const struct fact_expr *e = part_expr(p, pair);

    if (e->kind != EXPR_PAIR)
        return false;
    struct at key = e->text || e->list_len == 0 ? pair : part_list(p, pair, 0);
    enum expr_kind kind = part_kind(p, key);
    *name = part_word(p, key);
    return key.id == pair.id || kind == EXPR_STRING || kind == EXPR_NAME;
}

struct at
part_field(const struct parts *p, struct at at, str name)
{
    uint32_t len = part_expr(p, at)->list_len;

    for (uint32_t i = 0; i < len; i++) {
        struct at pair = part_list(p, at, i);
        str key;
        if (part_key(p, pair, &key) && str_eq(key, name))
            return (struct at){at.file, part_expr(p, pair)->a};
    }
    return (struct at){at.file, 0};
}

struct at
part_named(const struct parts *p, struct at at, const char *name)
{
    uint32_t len = part_expr(p, at)->list_len;
    enum expr_kind kind = part_kind(p, at);
    assert(name);
    struct at found = part_field(p, at, str_of(name));

    if (found.id || (kind != EXPR_CALL && kind != EXPR_NEW))
        return found;
    for (uint32_t i = 0; i < len && !found.id; i++) {
        struct at arg = part_list(p, at, i);
        if (part_kind(p, arg) == EXPR_OBJECT)
            found = part_field(p, arg, str_of(name));
    }
    return found;
}

struct at
part_callee(const struct parts *p, struct at call)
{
    struct at callee = {call.file, part_expr(p, call)->a};

    while (part_kind(p, callee) == EXPR_GENERIC)
        callee.id = part_expr(p, callee)->a;
    return callee;
}

struct at
part_receiver(const struct parts *p, struct at call)
{
    struct at callee = part_callee(p, call);

    if (part_kind(p, callee) != EXPR_MEMBER)
        return (struct at){call.file, 0};
    return (struct at){call.file, part_expr(p, callee)->a};
}

static struct at
unwrapped(const struct parts *p, struct at at)
{
    for (;;) {
        const struct fact_expr *e = part_expr(p, at);
        struct at base = {at.file, e->a};
        bool is_pointer = e->kind == EXPR_GENERIC && e->list_len > 0 &&
                          str_eq(part_word(p, base), STR("*"));

        if (is_pointer)
            at = part_list(p, at, 0);
        else if (e->kind == EXPR_AWAIT || e->kind == EXPR_CAST ||
                 e->kind == EXPR_SPREAD)
            at = base;
        else
            return at;
    }
}

struct at
part_bare(struct parts *p, struct at at)
{
    at = unwrapped(p, at);
    return p->turn ? unwrapped(p, turn_of(p, at)) : at;
}

/* Of Rust, whose names are bound again and again, the last before |name|.
 * |is_param|: it hides what the scopes around have of that name. */
static struct at
bound_in(const struct parts *p, struct at name, uint32_t scope, bool *is_param)
{
    const struct facts *facts = part_facts(p, name.file);
    bool is_rust = facts->lang == LANG_RUST;
    struct at found = {name.file, 0};

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        bool is_local = bind->kind == BIND_LOCAL;
        if (bind->scope != scope || (!is_local && bind->kind != BIND_PARAM) ||
            !str_eq(facts_text(facts, bind->name), part_word(p, name)))
            continue;
        *is_param |= !is_local;
        if (!is_local || (is_rust && bind->value > name.id))
            continue;
        if (found.id && !is_rust)
            return (struct at){name.file, 0};
        found.id = bind->value;
    }
    return found;
}

struct at
part_bound(struct parts *p, struct at name)
{
    const struct facts *facts = part_facts(p, name.file);
    uint32_t scope = part_expr(p, name)->scope;

    if (part_kind(p, name) != EXPR_NAME)
        return (struct at){name.file, 0};
    for (;;) {
        if (p->lookups++ > PART_LOOKUPS_MAX)
            return (struct at){name.file, 0};
        bool is_param = false;
        struct at found = bound_in(p, name, scope, &is_param);
        if (found.id || is_param || scope == 0)
            return found;
        scope = facts->defs[scope].parent;
    }
}

static void
note_lambda(const struct facts *facts, uint32_t call, uint32_t arg_id,
            struct part_of_def *of)
{
    const struct fact_expr *arg = &facts->exprs[arg_id];

    if (arg->kind == EXPR_PAIR || arg->kind == EXPR_SPREAD)
        arg = &facts->exprs[arg->a];
    if (arg->kind == EXPR_LAMBDA && arg->a < facts->def_len)
        of[arg->a].lambda_call = call;
}

static uint32_t
enclosing(const struct facts *facts, uint32_t scope)
{
    while (scope && facts->defs[scope].kind != CODE_FUNCTION &&
           facts->defs[scope].kind != CODE_METHOD)
        scope = facts->defs[scope].parent;
    return scope;
}

static struct part_of_def *
make_of_def(const struct facts *facts)
{
    struct part_of_def *of = calloc(facts->def_len + 1, sizeof(*of));

    for (uint32_t i = 1; of && i < facts->expr_len; i++) {
        const struct fact_expr *e = &facts->exprs[i];
        struct part_of_def *around = &of[enclosing(facts, e->scope)];
        around->last_expr = i;
        if (!around->first_expr)
            around->first_expr = i;
        if (e->kind != EXPR_CALL && e->kind != EXPR_NEW)
            continue;
        for (uint32_t k = 0; k < e->list_len; k++)
            note_lambda(facts, i, facts->lists[e->list_at + k], of);
    }
    for (uint32_t i = facts->bind_len - 1; of && i > 0; i--) {
        if (facts->binds[i].kind == BIND_PARAM)
            of[facts->binds[i].scope].first_param = i;
        if (facts->binds[i].kind == BIND_RETURN)
            of[facts->binds[i].scope].first_return = i;
    }
    return of;
}

struct part_of_def *
part_of(struct parts *p, struct at def)
{
    struct part_of_def **of = &p->of_defs[def.file];

    if (!*of)
        *of = make_of_def(part_facts(p, def.file));
    if (!*of)
        p->failed = true;
    return *of ? &(*of)[def.id] : NULL;
}

struct at
part_lambda_call(struct parts *p, struct at def)
{
    const struct part_of_def *of = part_of(p, def);

    return (struct at){def.file, of ? of->lambda_call : 0};
}

struct at
part_param(struct parts *p, struct at def, uint32_t index)
{
    enum { NEAR = 64 }; /* what stands between the parameters: defaults */
    const struct facts *facts = part_facts(p, def.file);
    const struct part_of_def *of = part_of(p, def);
    uint32_t from = of ? of->first_param : 0;

    for (uint32_t i = from; i && i < facts->bind_len && i < from + NEAR; i++)
        if (facts->binds[i].scope == def.id &&
            facts->binds[i].kind == BIND_PARAM &&
            facts->binds[i].index == index)
            return (struct at){def.file, i};
    return (struct at){def.file, 0};
}

struct at
part_returned(struct parts *p, struct at def, uint32_t nth)
{
    enum { NEAR = 256 }; /* what else is bound between two returns */
    const struct facts *facts = part_facts(p, def.file);
    const struct part_of_def *of = part_of(p, def);
    uint32_t from = of ? of->first_return : 0;

    for (uint32_t i = from; i && i < facts->bind_len && i < from + NEAR; i++)
        if (facts->binds[i].scope == def.id &&
            facts->binds[i].kind == BIND_RETURN && facts->binds[i].value &&
            nth-- == 0)
            return (struct at){def.file, facts->binds[i].value};
    return (struct at){def.file, 0};
}

struct at
part_enclosing(const struct parts *p, struct at expr)
{
    const struct facts *facts = part_facts(p, expr.file);

    return (struct at){expr.file, enclosing(facts, part_expr(p, expr)->scope)};
}

str
str_upper(str s, char *into, size_t cap)
{
    size_t len = s.len < cap ? s.len : cap;

    for (size_t i = 0; i < len; i++)
        into[i] = (char)(s.ptr[i] >= 'a' && s.ptr[i] <= 'z' ? s.ptr[i] - 32
                                                            : s.ptr[i]);
    return (str){into, len};
}

static bool
is_literal(const struct parts *p, struct at at)
{
    return part_kind(p, at) == EXPR_ARRAY || part_kind(p, at) == EXPR_OBJECT;
}

bool
part_literal(struct parts *p, struct at expr, struct at *out)
{
    struct value value;

    *out = part_bare(p, expr);
    if (!is_literal(p, *out) && resolve_value(p->r, *out, &value) &&
        value.kind == VALUE_MADE)
        *out = value.at;
    return out->id && is_literal(p, *out);
}

/* The object or call of `dict` that says what |expr| holds by its names. */
static bool
named_in(struct parts *p, struct at expr, struct at *out)
{
    struct value value;

    if (part_literal(p, expr, out))
        return true;
    *out = part_bare(p, expr);
    if (resolve_value(p->r, *out, &value) && value.kind == VALUE_MADE)
        *out = value.at;
    return out->id && part_kind(p, *out) == EXPR_CALL &&
           str_eq(part_word(p, part_callee(p, *out)), STR("dict"));
}

/* |left| looks are left: what is passed may be made of itself. */
static struct at
option_of(struct parts *p, struct at call, const char *name, unsigned *left)
{
    struct at found = part_named(p, call, name);
    uint32_t len = part_expr(p, call)->list_len;

    for (uint32_t i = 0; i < len && !found.id; i++) {
        struct at arg = part_list(p, call, i);
        struct at more;
        if (part_kind(p, arg) != EXPR_SPREAD)
            continue;
        if (*left == 0 || !named_in(p, arg, &more))
            return arg;
        --*left;
        found = option_of(p, more, name, left);
    }
    return found;
}

bool
part_is_none(const struct parts *p, struct at expr)
{
    return expr.id && part_facts(p, expr.file)->lang == LANG_PYTHON &&
           part_kind(p, expr) == EXPR_NAME &&
           str_eq(part_word(p, expr), STR("None"));
}

struct at
part_option(struct parts *p, struct at call, const char *name)
{
    unsigned left = 16;

    if (part_facts(p, call.file)->lang != LANG_PYTHON)
        return part_named(p, call, name);
    struct at found = option_of(p, call, name, &left);
    if (part_is_none(p, found))
        found.id = 0;
    return found;
}

text_id
part_keep(struct parts *p, struct buf *text, text_id none)
{
    text_id id = text->failed ? none : texts_add(&p->texts, buf_str(text));

    p->failed |= text->failed || p->texts.failed;
    buf_fini(text);
    return id;
}
