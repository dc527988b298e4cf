/*
 * Classes of Sinatra and Grape, by what they extend, and what Rack mounts.
 */
#include "index/routes_sinatra.h"

#include "index/routes_block.h"

enum { DEPTH_MAX = 8, PAIRS_MAX = 256 };

static enum framework
class_framework(struct parts *p, struct at type, unsigned depth);

struct at
sinatra_base(const struct parts *p, struct at type, uint32_t i)
{
    const struct fact_def *def = part_def(p, type);

    return (struct at){type.file,
                       part_facts(p, type.file)->lists[def->bases_at + i]};
}

bool
sinatra_class(struct parts *p, struct at expr, struct at *out)
{
    struct value value;
    struct origin origin;

    if (!part_type(p, expr, &value, &origin) || value.kind != VALUE_DEF)
        return false;
    *out = value.at;
    return true;
}

static enum framework
base_framework(struct parts *p, struct at base, unsigned depth)
{
    struct at type;

    if (part_is(p, base, "Sinatra.Base") ||
        part_is(p, base, "Sinatra.Application"))
        return FW_SINATRA;
    if (part_is(p, base, "Grape.API") || part_is(p, base, "Grape.API.Instance"))
        return FW_GRAPE;
    if (depth == DEPTH_MAX || !sinatra_class(p, base, &type))
        return FW_NONE;
    return class_framework(p, type, depth + 1);
}

/* By what a class extends, or what that does. */
static enum framework
class_framework(struct parts *p, struct at type, unsigned depth)
{
    enum framework found = FW_NONE;

    for (uint32_t i = 0; i < part_def(p, type)->bases_len && found == FW_NONE;
         i++)
        found = base_framework(p, sinatra_base(p, type, i), depth);
    return found;
}

enum framework
sinatra_framework(struct parts *p, struct at type)
{
    return class_framework(p, type, 0);
}

static uint32_t
class_router(struct parts *p, struct at type)
{
    return router_make(p, SPACE_DEF, type, FW_SINATRA, 0);
}

/* What registers a module gets its routes. */
static uint32_t
module_router(struct parts *p, struct at module)
{
    return router_make(p, SPACE_DEF, module, FW_SINATRA, ROUTER_OPEN);
}

/* ---- whose routes ---- */

/* `app.get`, or a call in the block of `app.namespace`, where `app` is the
 * first parameter of |def|. */
static bool
is_on_param(struct parts *p, struct at call, uint32_t def)
{
    struct at bind = part_param(p, (struct at){call.file, def}, 0);
    const struct facts *facts = part_facts(p, call.file);

    if (!bind.id)
        return false;
    str name = facts_text(facts, facts->binds[bind.id].name);
    for (unsigned depth = 0; call.id && depth < DEPTH_MAX; depth++) {
        struct at receiver = part_receiver(p, call);
        if (receiver.id)
            return part_kind(p, receiver) == EXPR_NAME &&
                   str_eq(part_word(p, receiver), name);
        call = block_call(p, call);
    }
    return false;
}

static bool
is_sinatra_file(const struct facts *facts)
{
    for (uint32_t i = 1; i < facts->import_len; i++)
        if (str_eq(facts_text(facts, facts->imports[i].module), STR("sinatra")))
            return true;
    return false;
}

struct sinatra_home
sinatra_home(struct parts *p, struct at call)
{
    const struct facts *facts = part_facts(p, call.file);
    bool is_bare = part_receiver(p, call).id == 0;
    struct sinatra_home none = {FW_NONE, 0};

    for (uint32_t d = part_expr(p, call)->scope; d; d = facts->defs[d].parent) {
        struct at type = {call.file, d};
        if (str_eq(facts_text(facts, facts->defs[d].name), STR("registered")) &&
            is_on_param(p, call, d))
            return (struct sinatra_home){
                FW_SINATRA,
                module_router(p,
                              (struct at){call.file, facts->defs[d].parent})};
        if (facts->defs[d].kind != CODE_TYPE)
            continue;
        enum framework found = is_bare ? class_framework(p, type, 0) : FW_NONE;
        return (struct sinatra_home){
            found, found == FW_SINATRA ? class_router(p, type) : 0};
    }
    if (is_bare && is_sinatra_file(facts))
        return (struct sinatra_home){FW_SINATRA, 0};
    return none;
}

/* ---- what is mounted ---- */

/* Where a call stands: below a class, behind the paths of `map` around. */
struct place {
    uint32_t parent;
    text_id prefix;
    unsigned flags;
};

/* |text| without slashes at its end, put before |after|. */
static text_id
put_before(struct parts *p, str text, text_id after)
{
    struct buf out = {0};

    while (text.len > 0 && text.ptr[text.len - 1] == '/')
        text.len--;
    if (text.len > 0 && text.ptr[0] != '/')
        buf_add_char(&out, '/');
    buf_add(&out, text);
    buf_add(&out, texts_get(&p->texts, after));
    return part_keep(p, &out, 0);
}

/* Puts the path |expr| before |place|, or what is known of it. */
static void
place_below(struct parts *p, struct place *place, struct at expr)
{
    struct buf text = {0};
    struct folded folded = part_text(p, expr, false, &text);

    if (place->flags & MOUNT_TAIL) {
        buf_fini(&text);
        return;
    }
    if (folded.ok)
        place->prefix = put_before(p, buf_str(&text), place->prefix);
    if (!folded.ok || folded.is_tail)
        place->flags |= MOUNT_TAIL;
    p->failed |= text.failed;
    buf_fini(&text);
}

static struct place
place_of(struct parts *p, struct at call)
{
    const struct facts *facts = part_facts(p, call.file);
    struct place place = {0};
    struct at at = block_call(p, call);

    for (unsigned depth = 0; at.id && depth < DEPTH_MAX; depth++) {
        if (block_is(p, at, "map") && !part_receiver(p, at).id &&
            part_args(p, at) > 1)
            place_below(p, &place, part_arg(p, at, 0));
        at = block_call(p, at);
    }
    for (uint32_t d = part_expr(p, call)->scope; d; d = facts->defs[d].parent) {
        struct at type = {call.file, d};
        if (facts->defs[d].kind == CODE_TYPE &&
            class_framework(p, type, 0) == FW_SINATRA) {
            place.parent = class_router(p, type);
            break;
        }
    }
    return place;
}

/* The class that `Api`, `Api.new`, `Api.freeze.app` is of. */
static bool
app_class(struct parts *p, struct at expr, struct at *out)
{
    for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
        struct at next = {expr.file, 0};
        expr = part_bare(p, expr);
        if (!expr.id)
            return false;
        if (sinatra_class(p, expr, out) && part_def(p, *out)->kind == CODE_TYPE)
            return class_framework(p, *out, 0) == FW_SINATRA;
        if (part_kind(p, expr) == EXPR_CALL)
            next = part_receiver(p, expr);
        else if (part_kind(p, expr) == EXPR_MEMBER ||
                 part_kind(p, expr) == EXPR_NEW)
            next.id = part_expr(p, expr)->a;
        if (!next.id)
            return false;
        expr = next;
    }
    return false;
}

static void
mount_app(struct parts *p, struct at expr, const struct place *place)
{
    struct at type;

    if (app_class(p, expr, &type))
        router_mount_at(p, class_router(p, type), place->parent, place->prefix,
                        place->flags);
}

/* `Rack::URLMap.new('/api' => Api)` */
static void
mount_map(struct parts *p, struct at call)
{
    struct place around = place_of(p, call);
    struct at list;

    if (!part_literal(p, part_arg(p, call, 0), &list))
        list = call; /* pairs without braces */
    for (uint32_t i = 0; i < part_expr(p, list)->list_len && i < PAIRS_MAX;
         i++) {
        struct at pair = part_list(p, list, i);
        struct place place = around;
        if (part_kind(p, pair) != EXPR_PAIR)
            continue;
        text_id key = texts_add(&p->texts, part_word(p, pair));
        place.prefix = 0;
        if (part_expr(p, pair)->list_len > 0)
            place_below(p, &place, part_list(p, pair, 0));
        else
            place.prefix = put_before(p, texts_get(&p->texts, key), 0);
        if (!(place.flags & MOUNT_TAIL) && around.prefix)
            place.prefix = put_before(p, texts_get(&p->texts, around.prefix),
                                      place.prefix);
        mount_app(p, (struct at){pair.file, part_expr(p, pair)->a}, &place);
    }
}

static void
mount_modules(struct parts *p, struct at call)
{
    struct place place = place_of(p, call);
    struct at module;

    for (uint32_t i = 0; i < part_args(p, call); i++)
        if (sinatra_class(p, part_arg(p, call, i), &module))
            router_mount_at(p, module_router(p, module), place.parent,
                            place.prefix, place.flags);
}

static void
mount_of_call(struct parts *p, struct at call)
{
    if (part_kind(p, call) == EXPR_NEW) {
        if (part_is(p, (struct at){call.file, part_expr(p, call)->a},
                    "Rack.URLMap"))
            mount_map(p, call);
        return;
    }
    if (part_receiver(p, call).id)
        return;
    if (block_is(p, call, "run") || block_is(p, call, "use")) {
        struct place place = place_of(p, call);
        mount_app(p, part_arg(p, call, 0), &place);
    } else if (block_is(p, call, "register")) {
        mount_modules(p, call);
    }
}

/* What a class extends is served where it is. */
static void
mount_bases(struct parts *p, struct at type)
{
    struct at base;

    for (uint32_t i = 0; i < part_def(p, type)->bases_len; i++)
        if (sinatra_class(p, sinatra_base(p, type, i), &base) &&
            class_framework(p, base, 0) == FW_SINATRA)
            router_mount_at(p, class_router(p, base), class_router(p, type), 0,
                            0);
}

void
sinatra_mounts(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t d = 1; d < facts->def_len && !p->failed; d++)
        if (facts->defs[d].kind == CODE_TYPE)
            mount_bases(p, (struct at){file, d});
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++)
        if (facts->exprs[i].kind == EXPR_CALL ||
            facts->exprs[i].kind == EXPR_NEW)
            mount_of_call(p, (struct at){file, i});
}
