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

static bool
is_routes_file(str path)
{
    return str_ends(path, "config/routes.rb") ||
           (str_ends(path, ".rb") && path.len > 0 &&
            memmem(path.ptr, path.len, "config/routes/", 14));
}

static bool
is_given(const struct parts *p, struct at call, str name)
{
    for (uint32_t i = 0; i < part_args(p, call); i++)
        if (rails_lists(p, part_arg(p, call, i), name))
            return true;
    return false;
}

/* `concerns :name` and `resources :x, concerns: :name` use |concern|. */
static void
place_uses(struct parts *p, struct place *place,
           const struct rails_chain *chain, struct at concern)
{
    const struct facts *facts = part_facts(p, concern.file);
    str name = rails_text(p, concern, 0);

    for (uint32_t i = 1; i < facts->expr_len && place->uses < USES_MAX; i++) {
        struct at use = {concern.file, i};
        struct rails_chain longer = *chain;
        if (facts->exprs[i].kind != EXPR_CALL || part_receiver(p, use).id)
            continue;
        struct at named = part_named(p, use, "concerns");
        if (named.id && rails_lists(p, named, name) && longer.len < BLOCKS_MAX)
            longer.blocks[longer.len++] = use;
        else if (!block_is(p, use, "concerns") || !is_given(p, use, name))
            continue;
        place->uses++;
        place_call(p, place, longer, use);
    }
}

/* `draw(:admin)` stands for config/routes/admin.rb. */
static void
place_drawn(struct parts *p, struct place *place,
            const struct rails_chain *chain)
{
    str path = p->files[place->call.file].path;
    const char *at = memmem(path.ptr, path.len, "config/routes/", 14);

    if (!at)
        return;
    size_t root = (size_t)(at - path.ptr);
    str name = str_cut(path, root + 14, path.len - 3);
    for (uint32_t f = 0; f < p->len; f++) {
        const struct facts *facts = part_facts(p, f);
        str other = p->files[f].path;
        if (!is_routes_file(other) || facts->lang != LANG_RUBY ||
            !str_starts(other, str_cut(path, 0, root + 13)))
            continue;
        for (uint32_t i = 1; i < facts->expr_len && place->uses < USES_MAX;
             i++) {
            struct at use = {f, i};
            if (facts->exprs[i].kind != EXPR_CALL || part_receiver(p, use).id ||
                !block_is(p, use, "draw") || !is_given(p, use, name))
                continue;
            place->uses++;
            place_call(p, place, *chain, use);
        }
    }
}

/* Enters the call once for each way from |at|, around which |chain| is known,
 * out to Rails.application.routes.draw. */
static void
place_call(struct parts *p, struct place *place, struct rails_chain chain,
           struct at at)
{
    bool is_drawn = false;

    if (place->depth == USE_DEPTH)
        return;
    place->depth++;
    at = block_call(p, at);
    for (; at.id && chain.len < BLOCKS_MAX; at = block_call(p, at)) {
        if (block_is(p, at, "concern"))
            break;
        is_drawn = block_is(p, at, "draw");
        chain.blocks[chain.len++] = at;
    }
    if (at.id && block_is(p, at, "concern"))
        place_uses(p, place, &chain, at);
    else if (is_drawn)
        rails_enter(p, place->call, &chain);
    else if (!at.id)
        place_drawn(p, place, &chain);
    place->depth--;
}

void
routes_rails(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    if (!is_routes_file(p->files[file].path))
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
