/*
 * When a name is that of nothing, or of several things: what is near.
 */
#include "graph/code_find.h"
#include "knowledge/resolve.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"

/* What is longer is near to no name; a pattern of fifty times as many bytes
 * SQLite refuses. */
enum { LOOKED_FOR_MAX = 1000 };

static void
add_near(struct buf *why, size_t *shown, str gid)
{
    if (*shown == RESOLVE_CANDIDATES)
        return;
    buf_printf(why, "%s%.*s", (*shown)++ ? ", " : "; closest: ", (int)gid.len,
               gid.ptr);
}

static enum err
tell_near_added(struct moment *moment, str text, size_t *shown)
{
    struct buf like = {0};
    const struct ks_value *row;
    enum err err = OK;

    if (!moment->store || text.len < 3 || text.len > LOOKED_FOR_MAX)
        return OK;
    buf_printf(&like, "%%%.*s%%", (int)text.len, text.ptr);
    ks_ask(moment->store, KS_OBJECT_NEAR,
           KS_ARGS(ks_text(buf_str(&like)), ks_int(RESOLVE_CANDIDATES)));
    while (ks_next(moment->store, KS_OBJECT_NEAR, &row))
        add_near(moment->why, shown, row[1].text);
    err = ks_end(moment->store, KS_OBJECT_NEAR);
    buf_fini(&like);
    return err;
}

static bool
is_in(unsigned worlds, unsigned some)
{
    return worlds == IN_ANY_WORLD || (worlds & some) != 0;
}

/* What could not have been meant is not told: a task is no service. */
static enum err
tell_near(struct moment *moment, str text, unsigned worlds)
{
    const char *colon = text.len ? memchr(text.ptr, ':', text.len) : NULL;
    size_t at = colon ? (size_t)(colon - text.ptr) + 1 : 0;
    str rest = str_cut(text, at, text.len);
    struct ids ids = {0};
    struct ids vertices = {0};
    size_t shown = 0;
    enum err err = is_in(worlds, IN_KNOWLEDGE)
                       ? tell_near_added(moment, text, &shown)
                       : OK;

    if (!err && moment->view && is_in(worlds, IN_WORLD(WORLD_RUNTIME)))
        err = query_nearest(moment->view, 0, rest, 3, &ids);
    if (!err && moment->joined && is_in(worlds, IN_WORLD(WORLD_CODE)))
        err = code_nearest(moment->joined->code, 0, rest, 2, &vertices);
    for (size_t i = 0; i < ids.len + vertices.len && !err; i++) {
        struct object near;

        err = i < ids.len
                  ? object_of_node(moment, ids.ids[i], &near)
                  : object_of_vertex(moment, vertices.ids[i - ids.len], &near);
        if (!err && near.gid.len)
            add_near(moment->why, &shown, buf_str(&near.gid));
        object_fini(&near);
    }
    ids_fini(&ids);
    ids_fini(&vertices);
    return err;
}

/* It is there, but of another world than was asked for. */
static enum err
tell_elsewhere(struct moment *moment, str text, unsigned worlds, bool *is_told)
{
    struct object other = {0};
    enum err err = ERR_NOT_FOUND;

    if (worlds != IN_ANY_WORLD)
        err = object_find(moment, text, IN_ANY_WORLD, &other, NULL);
    *is_told = !err;
    if (!err)
        buf_printf(moment->why, ", which is of type %s", other.type);
    object_fini(&other);
    return err == ERR_NOT_FOUND || err == ERR_AMBIGUOUS ? OK : err;
}

enum err
object_resolve(struct moment *moment, str text, unsigned worlds,
               struct object *out)
{
    struct object_list candidates = {0};
    enum err err = object_find(moment, text, worlds, out, &candidates);

    if (err == ERR_NOT_FOUND) {
        buf_printf(moment->why, "Entity not found: %.*s",
                   (int)(text.len < 200 ? text.len : 200), text.ptr);
        bool is_told;
        enum err near = tell_elsewhere(moment, text, worlds, &is_told);
        if (!near && !is_told)
            near = tell_near(moment, text_trim(text), worlds);
        err = near ? near : err;
    } else if (err == ERR_AMBIGUOUS) {
        buf_printf(moment->why, "ambiguous: %zu candidates", candidates.len);
        for (size_t i = 0; i < candidates.len && i < RESOLVE_CANDIDATES; i++)
            buf_printf(moment->why, "%s%s", i ? ", " : ": ",
                       buf_cstr(&candidates.items[i].gid));
    }
    object_list_fini(&candidates);
    return err;
}
