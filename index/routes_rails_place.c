/*
 * Where the calls of Rails' config/routes.rb and config/routes/ stand.  What a
 * concern holds stands wherever the concern is used, a file of config/routes/
 * where it is drawn.
 */
#include <string.h>

#include "index/routes_rails.h"

enum { USES_MAX = 256, USE_DEPTH = 4 };

bool
rails_lists(const struct parts *p, struct at list, str name)
{
    if (part_kind(p, list) == EXPR_STRING)
        return str_eq(part_word(p, list), name);
    for (uint32_t i = 0; i < part_expr(p, list)->list_len; i++)
        if (str_eq(part_word(p, part_list(p, list, i)), name))
            return true;
    return false;
}

struct place {
    struct at call;
    unsigned depth;
    unsigned uses; /* looked at */
};

static void place_call(struct parts *p, struct place *place,
                       struct rails_chain chain, struct at at);

/* Whether two files of routes are of one application. */
static bool
are_of_one(const struct parts *p, uint32_t a, uint32_t b)
{
    static const str routes = {"config/routes", 13};
    str one = p->files[a].path;
    const char *at = memmem(one.ptr, one.len, routes.ptr, routes.len);

    return at &&
           str_starts(p->files[b].path,
                      str_cut(one, 0, (size_t)(at - one.ptr) + routes.len));
}

/* `concerns :name` and `resources :x, concerns: :name` use |concern|. */
static void
place_uses(struct parts *p, struct place *place,
           const struct rails_chain *chain, struct at concern)
{
    uint32_t len;
    const struct rails_use *uses =
        rails_uses(p, rails_text(p, concern, 0), &len);

    for (uint32_t i = 0; i < len && place->uses < USES_MAX; i++) {
        struct rails_chain longer = *chain;
        if (!are_of_one(p, concern.file, uses[i].call.file) ||
            uses[i].is_draw || uses[i].is_mount || longer.len == BLOCKS_MAX)
            continue;
        if (uses[i].is_around)
            longer.blocks[longer.len++] = uses[i].call;
        place->uses++;
        place_call(p, place, longer, uses[i].call);
    }
}

/* `draw(:admin)` stands for config/routes/admin.rb, in which |file| is. */
static void
place_drawn(struct parts *p, struct place *place,
            const struct rails_chain *chain, uint32_t file)
{
    str path = p->files[file].path;
    size_t front = rails_drawn_at(path);
    uint32_t len;

    if (front == 0)
        return;
    const struct rails_use *uses =
        rails_uses(p, str_cut(path, front, path.len - STR(".rb").len), &len);
    str folder = str_cut(path, 0, front - 1); /* `config/routes.rb`, too */
    for (uint32_t i = 0; i < len && place->uses < USES_MAX; i++) {
        struct at use = uses[i].call;
        if (!uses[i].is_draw || !str_starts(p->files[use.file].path, folder))
            continue;
        place->uses++;
        place_call(p, place, *chain, use);
    }
}

/* What Name::Engine draws stands where it is mounted; where nothing of the
 * repository does that, what is before it is not known. */
static void
place_engine(struct parts *p, struct place *place, struct rails_chain chain)
{
    uint32_t len;
    const struct rails_use *uses = rails_uses(p, chain.engine, &len);
    bool is_mounted = false;

    for (uint32_t i = 0; i < len && place->uses < USES_MAX; i++) {
        struct rails_chain longer = chain;
        if (!uses[i].is_mount || longer.len == BLOCKS_MAX)
            continue;
        is_mounted = true;
        longer.blocks[longer.len++] = uses[i].call;
        place->uses++;
        place_call(p, place, longer, uses[i].call);
    }
    chain.is_loose = true;
    if (!is_mounted)
        rails_enter(p, place->call, &chain);
}

/* Enters the call once for each way from |at|, around which |chain| is known,
 * out to Rails.application.routes.draw. */
static void
place_call(struct parts *p, struct place *place, struct rails_chain chain,
           struct at at)
{
    bool is_drawn = false;
    bool is_own = false; /* drawn by an engine */
    uint32_t file = at.file;

    if (place->depth == USE_DEPTH)
        return;
    place->depth++;
    at = block_call(p, at);
    for (; at.id && chain.len < BLOCKS_MAX; at = block_call(p, at)) {
        if (block_is(p, at, "concern"))
            break;
        is_drawn = block_is(p, at, "draw");
        str engine = rails_engine(p, part_receiver(p, part_receiver(p, at)));
        is_own = is_drawn && chain.engine.len == 0 && engine.len > 0;
        chain.engine = is_own ? engine : chain.engine;
        chain.blocks[chain.len++] = at;
    }
    if (at.id && block_is(p, at, "concern"))
        place_uses(p, place, &chain, at);
    else if (is_own)
        place_engine(p, place, chain);
    else if (is_drawn)
        rails_enter(p, place->call, &chain);
    else if (!at.id)
        place_drawn(p, place, &chain, file);
    place->depth--;
}

void
routes_rails(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    if (!rails_is_routes_file(p->files[file].path))
        return;
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        struct place place = {.call = call};
        if (facts->exprs[i].kind != EXPR_CALL || part_receiver(p, call).id)
            continue;
        if (block_method(p, call).len > 0 || block_is(p, call, "resources") ||
            block_is(p, call, "resource") || block_is(p, call, "root") ||
            block_is(p, call, "match"))
            place_call(p, &place, (struct rails_chain){.len = 0}, call);
    }
}
