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

static enum err
tell_near(struct moment *moment, str text)
{
    const char *colon = text.len ? memchr(text.ptr, ':', text.len) : NULL;
    size_t at = colon ? (size_t)(colon - text.ptr) + 1 : 0;
    str rest = str_cut(text, at, text.len);
    struct ids ids = {0};
    struct ids vertices = {0};
    size_t shown = 0;
    enum err err = tell_near_added(moment, text, &shown);

    if (!err && moment->view)
        err = query_nearest(moment->view, 0, rest, 3, &ids);
    if (!err && moment->joined)
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

enum err
object_resolve(struct moment *moment, str text, unsigned worlds,
               struct object *out)
{
    struct object_list candidates = {0};
    enum err err = object_find(moment, text, worlds, out, &candidates);

    if (err == ERR_NOT_FOUND) {
        buf_printf(moment->why, "Entity not found: %.*s",
                   (int)(text.len < 200 ? text.len : 200), text.ptr);
        enum err near = tell_near(moment, text_trim(text));
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
