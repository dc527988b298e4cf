/*
 * Where the calls of Rails' config/routes.rb and config/routes/ stand.  What a
 * concern holds stands wherever the concern is used, a file of config/routes/
 * where it is drawn.
 */
#include <string.h>

#include "index/routes_rails.h"

enum {
    USES_MAX = 256,
    USE_DEPTH = 4,
    /* Entries of a file: what each expression of it may make, and what may
     * come of its standing in several places. */
    EXPR_ENTRIES_MAX = 8,
    PLACED_ENTRIES_MAX = 1 << 15,
};

bool
rails_lists(struct parts *p, struct at list, str name, bool unread)
{
    struct at literal;

    if (part_kind(p, list) == EXPR_NAME && part_literal(p, list, &literal))
        list = literal;
    enum expr_kind kind = part_kind(p, list);
    if (kind == EXPR_STRING)
        return str_eq(part_word(p, list), name);
    for (uint32_t i = 0; i < part_expr(p, list)->list_len; i++) {
        struct at item = part_list(p, list, i);
        if (part_kind(p, item) != EXPR_STRING
                ? unread
                : str_eq(part_word(p, item), name))
            return true;
    }
    return kind != EXPR_ARRAY && kind != EXPR_ALT && unread;
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

/* Enters the call once for all places that are not gone into. */
static void
enter_loose(struct parts *p, const struct place *place,
            const struct rails_chain *chain)
{
    struct rails_chain loose = *chain;

    loose.is_loose = true;
    rails_enter(p, place->call, &loose);
}

/* `concerns :name` and `resources :x, concerns: :name` use |concern|. */
static void
place_uses(struct parts *p, struct place *place,
           const struct rails_chain *chain, struct at concern)
{
    uint32_t len;
    const struct rails_use *uses =
        rails_uses(p, rails_text(p, concern, 0), &len);

    if (rails_is_spent(p, chain)) {
        enter_loose(p, place, chain);
        return;
    }
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
    if (len > 0 && rails_is_spent(p, chain)) {
        enter_loose(p, place, chain);
        return;
    }
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

    for (uint32_t i = 0;
         i < len && place->uses < USES_MAX && !rails_is_spent(p, &chain); i++) {
        struct rails_chain longer = chain;
        if (!uses[i].is_mount || longer.len == BLOCKS_MAX)
            continue;
        is_mounted = true;
        longer.blocks[longer.len++] = uses[i].call;
        place->uses++;
        place_call(p, place, longer, uses[i].call);
    }
    if (!is_mounted)
        enter_loose(p, place, &chain);
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

bool
rails_is_call(struct parts *p, struct at call)
{
    struct at receiver = part_receiver(p, call);

    if (!receiver.id)
        return true;
    if (part_kind(p, receiver) != EXPR_NAME)
        return false;
    struct at around = block_call(p, call);
    while (around.id && !block_is(p, around, "with_options"))
        around = block_call(p, around);
    struct at last = part_last(p, around);
    if (!around.id || part_kind(p, last) != EXPR_LAMBDA)
        return false;
    struct at bind =
        part_param(p, (struct at){call.file, part_expr(p, last)->a}, 0);
    return bind.id &&
           str_eq(part_str(p, call.file,
                           part_facts(p, call.file)->binds[bind.id].name),
                  part_word(p, receiver));
}

void
routes_rails(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    uint64_t most = (uint64_t)p->entry_len + PLACED_ENTRIES_MAX +
                    (uint64_t)facts->expr_len * EXPR_ENTRIES_MAX;

    most = most > UINT32_MAX ? UINT32_MAX : most;
    if (!rails_is_routes_file(p->files[file].path))
        return;
    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        struct place place = {.call = call};
        if (facts->exprs[i].kind != EXPR_CALL || !rails_is_call(p, call))
            continue;
        if (block_method(p, call).len > 0 || block_is(p, call, "resources") ||
            block_is(p, call, "resource") || block_is(p, call, "root") ||
            block_is(p, call, "match"))
            place_call(p, &place,
                       (struct rails_chain){.entries_max = (uint32_t)most},
                       call);
    }
}
