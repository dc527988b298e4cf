/*
 * Both graphs are walked by identity: each vertex and edge of the one is looked
 * for in the other.  Edges of a vertex that both have are compared as sorted
 * lists of hashes, so the cost is that of the edges, not of their product.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "graph/code_find.h"
#include "graph/code_history.h"
#include "graph/identity.h"

static bool
is_guess(uint8_t type)
{
    return type == CODE_MAY_CALL || type == CODE_MAY_DISPATCH;
}

void
code_edge_hash(const struct code *code, uint32_t src,
               const struct code_link *link, unsigned char *out)
{
    identity_edge(code_node(code, src)->hash, code_node(code, link->node)->hash,
                  str_of(code_edge_str(link->type)),
                  str_of(code_provenance_str(link->provenance)), out);
}

/* ---- comparing the edges that leave one vertex ---- */

/* Where a link goes, by identity. */
struct end {
    const unsigned char *dst;
    const struct code_link *link;
};

static int
compare_ends(const void *a, const void *b)
{
    const struct end *x = a;
    const struct end *y = b;
    int order = memcmp(x->dst, y->dst, SHA256_LEN);

    if (!order)
        order = (int)x->link->type - (int)y->link->type;
    return order ? order : (int)x->link->provenance - (int)y->link->provenance;
}

struct side {
    const struct code *code;
    struct end *ends; /* of one vertex */
    uint32_t len;
    uint32_t cap;
};

static enum err
read_ends(struct side *side, uint32_t node)
{
    const struct code *code = side->code;
    uint32_t from = node ? code->out_at[node] : 0;
    uint32_t to = node ? code->out_at[node + 1] : 0;

    side->len = 0;
    if (to - from > side->cap) {
        struct end *ends = realloc(side->ends, (to - from) * sizeof(*ends));
        if (!ends)
            return ERR_NOMEM;
        side->ends = ends;
        side->cap = to - from;
    }
    for (uint32_t i = from; side->ends && i < to; i++)
        if (!is_guess(code->out[i].type))
            side->ends[side->len++] = (struct end){
                code->nodes[code->out[i].node].hash, &code->out[i]};
    if (side->len)
        qsort(side->ends, side->len, sizeof(*side->ends), compare_ends);
    return OK;
}

struct rows {
    void **rows;
    size_t *len;
    size_t cap;
};

struct diff {
    struct code_diff *out;
    struct side from;
    struct side to;
    struct rows added, removed, modified, edges_added, edges_removed;
};

static void *
add(struct rows *rows, size_t size)
{
    if (*rows->len == rows->cap && !grow_wide(rows->rows, &rows->cap, size))
        return NULL;
    return (char *)*rows->rows + (*rows->len)++ * size;
}

static enum err
add_edge(struct rows *rows, const struct code *code, uint32_t src,
         const struct code_link *link)
{
    struct code_edge_change *change = add(rows, sizeof(*change));

    if (!change)
        return ERR_NOMEM;
    *change = (struct code_edge_change){
        .src = src,
        .dst = link->node,
        .type = link->type,
        .provenance = link->provenance,
    };
    code_edge_hash(code, src, link, change->hash);
    return OK;
}

static bool
same_places(const struct diff *d, const struct code_change *pair,
            const struct code_link *a, const struct code_link *b)
{
    uint32_t a_line = d->from.code->nodes[pair->old_node].line;
    uint32_t b_line = d->to.code->nodes[pair->new_node].line;

    if (a->site_len != b->site_len)
        return false;
    for (uint32_t i = 0; i < a->site_len; i++) {
        struct code_site x = d->from.code->sites[a->site_at + i];
        struct code_site y = d->to.code->sites[b->site_at + i];
        if (x.line - a_line != y.line - b_line || x.col != y.col)
            return false;
    }
    return true;
}

/* Which of the two sides comes next; 0: the same edge of both. */
static int
compare_sides(const struct diff *d, uint32_t a, uint32_t b)
{
    if (a >= d->from.len)
        return 1;
    if (b >= d->to.len)
        return -1;
    return compare_ends(&d->from.ends[a], &d->to.ends[b]);
}

/* Edges that leave |pair|, one of whose sides may be missing. */
static enum err
compare_edges(struct diff *d, struct code_change *pair)
{
    enum err err = read_ends(&d->from, pair->old_node);
    uint32_t a = 0;
    uint32_t b = 0;

    if (!err)
        err = read_ends(&d->to, pair->new_node);
    while (!err && (a < d->from.len || b < d->to.len)) {
        int order = compare_sides(d, a, b);

        if (order < 0)
            err = add_edge(&d->edges_removed, d->from.code, pair->old_node,
                           d->from.ends[a].link);
        else if (order > 0)
            err = add_edge(&d->edges_added, d->to.code, pair->new_node,
                           d->to.ends[b].link);
        else if (!same_places(d, pair, d->from.ends[a].link,
                              d->to.ends[b].link))
            pair->mod |= CODE_MOD_BODY;
        if (order != 0)
            pair->mod |= CODE_MOD_EDGES;
        a += order <= 0;
        b += order >= 0;
    }
    return err;
}

/* ---- vertices ---- */

static uint32_t
lines_of(const struct code_vertex *node)
{
    return node->end_line > node->line ? node->end_line - node->line : 0;
}

static enum err
add_change(struct rows *rows, struct code_change change)
{
    struct code_change *row = add(rows, sizeof(*row));

    if (!row)
        return ERR_NOMEM;
    *row = change;
    return OK;
}

static enum err
compare_new(struct diff *d, uint32_t id)
{
    const struct code_vertex *node = &d->to.code->nodes[id];
    struct code_change change = {
        .old_node = code_by_hash(d->from.code, node->hash),
        .new_node = id,
    };
    const struct code_vertex *old = &d->from.code->nodes[change.old_node];
    enum err err = compare_edges(d, &change);

    if (err)
        return err;
    if (!change.old_node) {
        change.mod = 0;
        return add_change(&d->added, change);
    }
    if (!str_eq(old->signature, node->signature))
        change.mod |= CODE_MOD_SIGNATURE;
    if (node->kind != CODE_FILE && lines_of(old) != lines_of(node))
        change.mod |= CODE_MOD_BODY;
    return change.mod ? add_change(&d->modified, change) : OK;
}

static enum err
compare_old(struct diff *d, uint32_t id)
{
    struct code_change change = {.old_node = id};

    if (code_by_hash(d->to.code, d->from.code->nodes[id].hash))
        return OK;
    enum err err = compare_edges(d, &change);
    change.mod = 0;
    return err ? err : add_change(&d->removed, change);
}

enum err
code_diff_make(const struct code *old_code, const struct code *new_code,
               struct code_diff *out)
{
    struct diff d = {
        .out = out,
        .from.code = old_code,
        .to.code = new_code,
        .added = {(void **)&out->added, &out->added_len, 0},
        .removed = {(void **)&out->removed, &out->removed_len, 0},
        .modified = {(void **)&out->modified, &out->modified_len, 0},
        .edges_added = {(void **)&out->edges_added, &out->edges_added_len, 0},
        .edges_removed = {(void **)&out->edges_removed, &out->edges_removed_len,
                          0},
    };
    enum err err = OK;

    *out = (struct code_diff){0};
    for (uint32_t id = 1; id < new_code->node_len && !err; id++)
        err = compare_new(&d, id);
    for (uint32_t id = 1; id < old_code->node_len && !err; id++)
        err = compare_old(&d, id);
    free(d.from.ends);
    free(d.to.ends);
    if (err)
        code_diff_fini(out);
    return err;
}

void
code_diff_fini(struct code_diff *diff)
{
    free(diff->added);
    free(diff->removed);
    free(diff->modified);
    free(diff->edges_added);
    free(diff->edges_removed);
    *diff = (struct code_diff){0};
}

/* ---- what a vertex's code is ---- */

void
code_fingerprint(const struct code *code, uint32_t node, unsigned char *out)
{
    const struct code_vertex *it = code_node(code, node);
    struct side side = {.code = code};
    struct buf text = {0};
    uint32_t lines = lines_of(it);

    buf_add(&text, it->signature);
    buf_add(&text, (str){"", 1});
    buf_add(&text, (str){(const char *)&lines, sizeof(lines)});
    if (it != code->nodes && !read_ends(&side, node))
        for (uint32_t i = 0; i < side.len; i++) {
            const struct code_link *link = side.ends[i].link;
            buf_add(&text, (str){(const char *)side.ends[i].dst, SHA256_LEN});
            buf_printf(&text, "%u %u", link->type, link->provenance);
            for (uint32_t s = 0; s < link->site_len; s++)
                buf_printf(
                    &text, " %d:%u",
                    (int)(code->sites[link->site_at + s].line - it->line),
                    code->sites[link->site_at + s].col);
        }
    hash_sha256(&(str){text.ptr, text.len}, 1, out);
    free(side.ends);
    buf_fini(&text);
}
