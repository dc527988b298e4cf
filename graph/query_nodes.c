/*
 * Finding nodes is a walk over the catalog: ten thousand names take less than
 * an SQL statement does, and every kind of match is the same walk.
 */
#include <stdlib.h>
#include <string.h>

#include "base/match.h"
#include "graph/query_edges.h"
#include "graph/query_view.h"

enum { SHOWN = (1 << (NODE_SYMBOL + 1)) - (1 << NODE_SERVICE) };

bool
query_level_of(str word, enum query_level *out)
{
    static const char *const names[] = {"service", "endpoint", "symbol"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (str_eq(word, str_of(names[i]))) {
            *out = (enum query_level)i;
            return true;
        }
    }
    return false;
}

const struct query_node *
query_node(const struct query_view *view, uint32_t id)
{
    static const struct query_node none = {
        .name = {"", 0}, .env = {"", 0}, .service = {"", 0}};
    const struct query_node *node = catalog_get(view->catalog, id);

    return node ? node : &none;
}

uint32_t
query_node_last(const struct query_view *view)
{
    return catalog_len(view->catalog);
}

enum err
query_edge_last(const struct query_view *view, uint64_t *out)
{
    return reader_edge_most(view->reader, out);
}

static bool
is_owned(const struct query_node *node)
{
    return node->owner != 0 && node->kind != NODE_SERVICE;
}

void
query_qualified(const struct query_view *view, uint32_t id, struct buf *out)
{
    const struct query_node *node = query_node(view, id);

    if (is_owned(node)) {
        buf_add(out, node->service);
        buf_add_char(out, ' ');
    }
    buf_add(out, node->name);
}

static bool
fits(str pattern, str name)
{
    if (pattern.len && memchr(pattern.ptr, '*', pattern.len))
        return match_glob(pattern, name);
    return str_eq(pattern, name);
}

static bool
is_wanted(const struct query_find *find, const struct query_node *node,
          str qualified)
{
    uint32_t kinds = find->kinds ? find->kinds : (uint32_t)SHOWN;

    if (node->kind > NODE_SYMBOL || !(kinds >> node->kind & 1) ||
        node->target != node->id)
        return false;
    if (find->owner && node->owner != find->owner)
        return false;
    if (find->env.len && !str_eq(node->env, find->env))
        return false;
    if (find->hash && memcmp(node->hash, find->hash, sizeof(node->hash)) != 0)
        return false;
    if (find->name.len && !fits(find->name, node->name))
        return false;
    if (find->qualified.len && !fits(find->qualified, node->name) &&
        !fits(find->qualified, qualified))
        return false;
    return str_starts(qualified, find->prefix) ||
           str_starts(node->name, find->prefix);
}

enum err
query_overflow(struct query_view *view, query_overflow_fn *fn, void *ctx)
{
    return reader_each_overflow(view->reader, fn, ctx);
}

static int
compare_nodes(const void *a, const void *b, void *ctx)
{
    const struct query_node *left = query_node(ctx, *(const uint32_t *)a);
    const struct query_node *right = query_node(ctx, *(const uint32_t *)b);
    str left_service = is_owned(left) ? left->service : left->name;
    str right_service = is_owned(right) ? right->service : right->name;
    int order = str_order(left_service, right_service);

    if (!order)
        order = (int)is_owned(left) - (int)is_owned(right);
    if (!order)
        order = str_order(left->name, right->name);
    if (!order)
        order = str_order(left->env, right->env);
    return order ? order : (left->id > right->id) - (left->id < right->id);
}

/* Whether what is asked for can only be told with the name of the service. */
static bool
asks_qualified(const struct query_find *find)
{
    return find->qualified.len > 0 || find->prefix.len > 0;
}

/* Most of all nodes are put in order by the one that is made once for each load
 * of the names; few are sorted. */
static enum err
sort_ids(struct query_view *view, uint32_t *ids, size_t len)
{
    uint32_t all = catalog_len(view->catalog);
    const uint32_t *order;
    unsigned char *is_found;
    size_t at = 0;

    if (len < 2)
        return OK;
    if (len < all / 4) {
        qsort_r(ids, len, sizeof(*ids), compare_nodes, view);
        return OK;
    }
    order = catalog_order(view->catalog, ORDER_QUALIFIED, compare_nodes, view);
    is_found = calloc((size_t)all + 1, 1);
    if (!order || !is_found) {
        free(is_found);
        return ERR_NOMEM;
    }
    for (size_t i = 0; i < len; i++)
        is_found[ids[i]] = 1;
    for (uint32_t i = 0; i < all; i++)
        if (is_found[order[i]])
            ids[at++] = order[i];
    free(is_found);
    return OK;
}

enum err
query_find(struct query_view *view, const struct query_find *find,
           struct ids *out)
{
    uint32_t len = catalog_len(view->catalog);
    size_t before = out->len;
    struct buf qualified = {0};
    enum err err = OK;

    for (uint32_t id = 1; !err && id <= len; id++) {
        const struct query_node *node = query_node(view, id);

        if (node->kind == NODE_NONE)
            continue;
        buf_reset(&qualified);
        if (asks_qualified(find))
            query_qualified(view, id, &qualified);
        if (qualified.failed)
            err = ERR_NOMEM;
        else if (is_wanted(find, node, buf_str(&qualified)))
            err = ids_add(out, id);
    }
    buf_fini(&qualified);
    return err ? err : sort_ids(view, out->ids + before, out->len - before);
}

/* Less is nearer.  A name that holds the word is nearer than any that would
 * have to be changed to become it. */
static unsigned
distance(str word, str name)
{
    if (word.len >= 2 && name.len >= word.len &&
        memmem(name.ptr, name.len, word.ptr, word.len))
        return 1;
    return 2 * match_distance(word, name);
}

struct near {
    unsigned distance;
    uint32_t id;
};

static int
compare_near(const void *a, const void *b)
{
    const struct near *left = a;
    const struct near *right = b;

    if (left->distance != right->distance)
        return left->distance < right->distance ? -1 : 1;
    return (left->id > right->id) - (left->id < right->id);
}

enum err
query_nearest(struct query_view *view, uint32_t kinds, str word, size_t max,
              struct ids *out)
{
    const struct query_find all = {.kinds = kinds};
    struct ids ids = {0};
    struct near *nearest = NULL;
    size_t kept = 0;
    enum err err = query_find(view, &all, &ids);

    if (err)
        goto out;
    nearest = calloc(ids.len + 1, sizeof(*nearest));
    if (!nearest) {
        err = ERR_NOMEM;
        goto out;
    }
    for (size_t i = 0; i < ids.len; i++) {
        str name = query_node(view, ids.ids[i])->name;
        unsigned far = distance(word, name);

        /* Beyond half of its letters a name is another name. */
        if (far <= (word.len > name.len ? word.len : name.len))
            nearest[kept++] = (struct near){far, ids.ids[i]};
    }
    qsort(nearest, kept, sizeof(*nearest), compare_near);
    for (size_t i = 0; !err && i < kept && i < max; i++)
        err = ids_add(out, nearest[i].id);
out:
    free(nearest);
    ids_fini(&ids);
    return err;
}

struct standing {
    query_route_fn *fn;
    void *ctx;
};

static enum err
take_standing(void *ctx, const struct route_row *row)
{
    const struct standing *standing = ctx;

    return row->removed_s ? OK : standing->fn(standing->ctx, row);
}

enum err
query_each_route(struct query_view *view, query_route_fn *fn, void *ctx)
{
    struct standing standing = {fn, ctx};

    return reader_each_route(view->reader, take_standing, &standing);
}
