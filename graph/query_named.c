/*
 * What is declared in code alone has no edges, so nothing is lost where what
 * was observed takes its place.  Of what is no service, a topic or an outside
 * party, a node is there only since it was observed.
 */
#include "graph/query_named.h"

#include <string.h>

#include "base/buf.h"
#include "graph/query_stats.h"

static enum err
is_observed(struct query_view *view, uint32_t id, bool *out)
{
    struct query_seen seen = {0};

    *out = query_node(view, id)->kind != NODE_SERVICE;
    if (*out)
        return OK;
    enum err err = query_seen(view, id, &seen);
    *out = seen.last_s != 0;
    return err;
}

/* keep_observed keeps of |ids| those from |from| on that were observed. */
static enum err
keep_observed(struct query_view *view, struct ids *ids, size_t from)
{
    size_t kept = from;

    for (size_t i = from; i < ids->len; i++) {
        bool is_kept;
        enum err err = is_observed(view, ids->ids[i], &is_kept);
        if (err)
            return err;
        if (is_kept)
            ids->ids[kept++] = ids->ids[i];
    }
    ids->len = kept;
    return OK;
}

static bool
may_lack_namespace(const struct query_find *find)
{
    bool is_service =
        find->kinds == 0 || (find->kinds & UINT32_C(1) << NODE_SERVICE);

    return is_service && find->name.len &&
           !memchr(find->name.ptr, '*', find->name.len) &&
           !memchr(find->name.ptr, '/', find->name.len);
}

static enum err
add_namespaced(struct query_view *view, const struct query_find *find,
               struct ids *out)
{
    struct buf pattern = {0};
    struct query_find any = *find;
    size_t before = out->len;

    buf_add(&pattern, STR("*/"));
    buf_add(&pattern, find->name);
    any.name = buf_str(&pattern);
    any.kinds = UINT32_C(1) << NODE_SERVICE;
    enum err err = pattern.failed ? ERR_NOMEM : query_find(view, &any, out);
    buf_fini(&pattern);
    return err ? err : keep_observed(view, out, before);
}

enum err
query_named(struct query_view *view, const struct query_find *find,
            struct ids *out)
{
    size_t before = out->len;
    struct ids others = {0};
    enum err err = query_find(view, find, out);

    for (size_t i = before; i < out->len && !err; i++) {
        bool is_known;
        err = is_observed(view, out->ids[i], &is_known);
        if (!err && is_known)
            return OK;
    }
    if (!err && may_lack_namespace(find))
        err = add_namespaced(view, find, &others);
    if (!err && others.len)
        out->len = before;
    for (size_t i = 0; i < others.len && !err; i++)
        err = ids_add(out, others.ids[i]);
    ids_fini(&others);
    return err;
}
