/*
 * An array indexed by id; ids rise from one without gaps, and a gap would only
 * be an entry without a kind.  Names are gathered in one block, first by offset
 * because the block moves while it grows, then by pointer.
 */
#include "graph/catalog.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Longer alias chains than this are a loop. */
enum { ALIAS_MAX = 16 };

/* Beyond what graph.max_nodes and its overflow nodes can come to. */
enum { ID_MAX = 1 << 27 };

struct catalog {
    struct query_node *nodes;
    struct text_at {
        size_t name;
        size_t env;
    } * at;
    size_t len; /* one more than the last id */
    size_t cap;
    struct buf text;
    atomic_uint holds;
    _Atomic(uint32_t *) orders[ORDERS]; /* NULL: nobody has asked */
};

static enum err
make_room(struct catalog *catalog, uint32_t id)
{
    size_t cap = catalog->cap ? catalog->cap : 256;

    if (id >= ID_MAX)
        return ERR_CORRUPT;
    if (id < catalog->cap)
        return OK;
    while (cap <= id)
        cap *= 2;
    struct query_node *nodes =
        realloc(catalog->nodes, cap * sizeof(*catalog->nodes));
    if (!nodes)
        return ERR_NOMEM;
    catalog->nodes = nodes;
    struct text_at *at = realloc(catalog->at, cap * sizeof(*catalog->at));
    if (!at)
        return ERR_NOMEM;
    catalog->at = at;
    memset(nodes + catalog->cap, 0, (cap - catalog->cap) * sizeof(*nodes));
    memset(at + catalog->cap, 0, (cap - catalog->cap) * sizeof(*at));
    catalog->cap = cap;
    return OK;
}

static enum err
take_node(void *ctx, const struct reader_node *row)
{
    struct catalog *catalog = ctx;
    uint32_t id = row->node.id;
    enum err err = make_room(catalog, id);

    if (err)
        return err;
    catalog->nodes[id] = (struct query_node){
        .id = id,
        .owner = row->node.owner,
        .target = row->node.alias,
        .created_s = row->created_s,
        .kind = row->node.kind,
        .source = row->node.source,
        .name.len = row->node.name.len,
        .env.len = row->node.env.len,
    };
    memcpy(catalog->nodes[id].hash, row->hash, sizeof(row->hash));
    catalog->at[id].name = catalog->text.len;
    buf_add(&catalog->text, row->node.name);
    catalog->at[id].env = catalog->text.len;
    buf_add(&catalog->text, row->node.env);
    if (catalog->len <= id)
        catalog->len = (size_t)id + 1;
    return catalog->text.failed ? ERR_NOMEM : OK;
}

static uint32_t
resolve(const struct catalog *catalog, uint32_t id)
{
    uint32_t at = id;

    for (int i = 0; i < ALIAS_MAX; i++) {
        uint32_t next = catalog->nodes[at].target;

        if (next == 0 || next == at || next >= catalog->len ||
            catalog->nodes[next].kind == NODE_NONE)
            return at;
        at = next;
    }
    return id; /* a loop: each stands for itself */
}

static void
set_names(struct catalog *catalog)
{
    for (size_t id = 0; id < catalog->len; id++) {
        struct query_node *node = &catalog->nodes[id];

        node->name.ptr = catalog->text.ptr + catalog->at[id].name;
        node->env.ptr = catalog->text.ptr + catalog->at[id].env;
        if (node->kind == NODE_SERVICE)
            node->service = node->name;
    }
    for (size_t id = 0; id < catalog->len; id++) {
        struct query_node *node = &catalog->nodes[id];

        if (node->owner == 0 || node->owner >= catalog->len)
            continue;
        node->service = catalog->nodes[node->owner].name;
        node->env = catalog->nodes[node->owner].env;
    }
}

static enum err
set_targets(struct catalog *catalog)
{
    uint32_t *targets = calloc(catalog->len + 1, sizeof(*targets));

    if (!targets)
        return ERR_NOMEM;
    for (size_t id = 0; id < catalog->len; id++)
        targets[id] = resolve(catalog, (uint32_t)id);
    for (size_t id = 0; id < catalog->len; id++)
        catalog->nodes[id].target = targets[id];
    free(targets);
    return OK;
}

enum err
catalog_load(struct catalog **out, struct reader *r)
{
    struct catalog *catalog = calloc(1, sizeof(*catalog));
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (!catalog)
        return err;
    atomic_init(&catalog->holds, 1);
    if ((err = make_room(catalog, 0)))
        goto out;
    buf_add_char(&catalog->text, '\0'); /* so that no view is of NULL */
    catalog->len = 1;
    if ((err = reader_each_node(r, take_node, catalog)))
        goto out;
    if (catalog->text.failed) {
        err = ERR_NOMEM;
        goto out;
    }
    if ((err = set_targets(catalog)))
        goto out;
    set_names(catalog);
    free(catalog->at);
    catalog->at = NULL;
    *out = catalog;
    catalog = NULL;
out:
    catalog_drop(catalog);
    return err;
}

struct catalog *
catalog_hold(struct catalog *catalog)
{
    atomic_fetch_add(&catalog->holds, 1);
    return catalog;
}

void
catalog_drop(struct catalog *catalog)
{
    if (!catalog || atomic_fetch_sub(&catalog->holds, 1) != 1)
        return;
    free(catalog->nodes);
    free(catalog->at);
    for (size_t i = 0; i < ORDERS; i++)
        free(atomic_load(&catalog->orders[i]));
    buf_fini(&catalog->text);
    free(catalog);
}

const uint32_t *
catalog_order(struct catalog *catalog, enum catalog_order which,
              catalog_compare_fn *compare, void *ctx)
{
    uint32_t *held = atomic_load(&catalog->orders[which]);
    uint32_t len = catalog_len(catalog);

    if (held)
        return held;
    uint32_t *order = calloc((size_t)len + 1, sizeof(*order));
    if (!order)
        return NULL;
    for (uint32_t i = 0; i < len; i++)
        order[i] = i + 1;
    qsort_r(order, len, sizeof(*order), compare, ctx);
    if (atomic_compare_exchange_strong(&catalog->orders[which], &held, order))
        return order;
    free(order);
    return held;
}

uint32_t
catalog_len(const struct catalog *catalog)
{
    return (uint32_t)catalog->len - 1;
}

const struct query_node *
catalog_get(const struct catalog *catalog, uint32_t id)
{
    if (id == 0 || id >= catalog->len || catalog->nodes[id].kind == NODE_NONE)
        return NULL;
    return &catalog->nodes[id];
}

uint32_t
catalog_rollup(const struct catalog *catalog, uint32_t id,
               enum query_level level)
{
    const struct query_node *node = catalog_get(catalog, id);

    if (!node)
        return 0;
    node = &catalog->nodes[node->target];
    bool up = level == LEVEL_SERVICE ||
              (level == LEVEL_ENDPOINT && node->kind == NODE_SYMBOL);
    const struct query_node *owner =
        up ? catalog_get(catalog, node->owner) : NULL;
    return owner ? catalog->nodes[owner->id].target : node->id;
}
