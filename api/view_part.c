/*
 * Nodes and edges lie in arrays in the order in which they were met.  Ids are
 * small, so a node is found by a table over ids; an edge by an open-addressed
 * table of index + 1, at least twice as large as there are edges.
 */
#include "api/view_part.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "api/view.h"
#include "api/write.h"
#include "base/grow.h"
#include "base/hash.h"
#include "graph/joined.h"

void
part_fini(struct part *part)
{
    free(part->nodes);
    free(part->edges);
    free(part->at);
    free(part->slots);
    *part = (struct part){.len = 0};
}

struct part_node *
part_find(const struct part *part, uint32_t id)
{
    uint32_t at = id < part->at_cap ? part->at[id] : 0;

    return at ? &part->nodes[at - 1] : NULL;
}

static bool
grow_at(struct part *part, uint32_t id)
{
    size_t cap = part->at_cap ? part->at_cap : 1024;

    if (id < part->at_cap)
        return true;
    while (cap <= id)
        cap *= 2;
    uint32_t *at = realloc(part->at, cap * sizeof(*at));
    if (!at)
        return false;
    memset(at + part->at_cap, 0, (cap - part->at_cap) * sizeof(*at));
    part->at = at;
    part->at_cap = cap;
    return true;
}

enum err
part_add_node(struct part *part, uint32_t id, uint32_t depth,
              struct part_node **out)
{
    struct part_node *node = part_find(part, id);

    if (node) {
        *out = node;
        return OK;
    }
    if (part->len == part->limit)
        return ERR_FULL;
    if (!grow_room(part->nodes, part->len, part->cap))
        return ERR_NOMEM;
    if (!grow_at(part, id))
        return ERR_NOMEM;
    assert(part->nodes);
    node = &part->nodes[part->len++];
    *node = (struct part_node){.id = id, .depth = depth, .is_rim = true};
    part->at[id] = (uint32_t)part->len;
    *out = node;
    return OK;
}

static size_t
slot_of(const struct part *part, const struct part_edge *edge)
{
    size_t mask = part->slot_cap - 1;
    size_t i = (size_t)hash_mix((uint64_t)edge->source << 32 | edge->target,
                                edge->kind);

    for (i &= mask; part->slots[i]; i = (i + 1) & mask) {
        const struct part_edge *row = &part->edges[part->slots[i] - 1];

        if (row->source == edge->source && row->target == edge->target &&
            row->kind == edge->kind)
            break;
    }
    return i;
}

bool
part_has_edge(const struct part *part, const struct part_edge *edge)
{
    return part->slot_cap && part->slots[slot_of(part, edge)];
}

static bool
grow_edges(struct part *part)
{
    size_t cap = part->edge_cap ? 2 * part->edge_cap : 128;
    struct part_edge *edges = realloc(part->edges, cap * sizeof(*edges));
    uint32_t *slots = calloc(2 * cap, sizeof(*slots));

    if (edges)
        part->edges = edges;
    if (!edges || !slots) {
        free(slots);
        return false;
    }
    free(part->slots);
    part->slots = slots;
    part->edge_cap = cap;
    part->slot_cap = 2 * cap;
    for (size_t i = 0; i < part->edge_len; i++)
        part->slots[slot_of(part, &part->edges[i])] = (uint32_t)(i + 1);
    return true;
}

enum err
part_add_edge(struct part *part, const struct part_edge *edge)
{
    if (part->edge_len == VIEW_EDGES_MAX ||
        part->edge_len == VIEW_EDGES_A_NODE * part->limit)
        return ERR_FULL;
    if (part->edge_len == part->edge_cap && !grow_edges(part))
        return ERR_NOMEM;
    part->edges[part->edge_len++] = *edge;
    part->slots[slot_of(part, edge)] = (uint32_t)part->edge_len;
    return OK;
}

void
part_miss(struct part *part, struct part_node *node, bool by_hub)
{
    part->left_out++;
    if (node)
        node->hidden++;
    if (by_hub)
        part->by_hub = true;
    else
        part->by_limit = true;
}

/* ---- as JSON ---- */

void
view_write_counts(struct buf *out, const struct part_node *node)
{
    write_int(out, "depth", node->depth);
    write_int(out, "hidden", node->hidden);
    write_bool(out, "rim", node->is_rim);
    write_int(out, "in", node->in);
    write_int(out, "in_errors", node->in_errors);
    write_int(out, "out", node->out);
    write_int(out, "out_errors", node->out_errors);
    write_ms(out, "p95_ms", node->p95_ns);
    write_time(out, "last", node->last_s);
}

static void
write_exemplars(struct buf *out, const struct part_edge *edge)
{
    char id[EXEMPLAR_ID_LEN + 1];

    if (edge->exemplar_len == 0)
        return;
    write_open(out, "exemplars", '[');
    for (size_t i = 0; i < edge->exemplar_len; i++) {
        const struct exemplar *it = &edge->exemplars[i];
        write_open(out, NULL, '{');
        write_text(out, "trace_id", str_of(exemplar_id(it, id)));
        write_time(out, "at", it->at_s);
        write_bool(out, "failed", it->failed);
        write_close(out, '}');
    }
    write_close(out, ']');
}

void
view_write_edge(struct buf *out, const struct part_edge *edge, const char *kind)
{
    static const char *const evidence[] = {
        [BY_STATIC] = "static", [BY_OBSERVED] = "observed", [BY_BOTH] = "both"};

    write_open(out, NULL, '{');
    write_int(out, "source", edge->source);
    write_int(out, "target", edge->target);
    write_text(out, "kind", str_of(kind));
    write_text(out, "evidence", str_of(evidence[edge->evidence & BY_BOTH]));
    write_int(out, "count", edge->count);
    write_int(out, "errors", edge->errors);
    write_ms(out, "p50_ms", edge->p50_ns);
    write_ms(out, "p95_ms", edge->p95_ns);
    write_ms(out, "p99_ms", edge->p99_ns);
    write_time(out, "first", edge->first_s);
    write_time(out, "last", edge->last_s);
    write_exemplars(out, edge);
    write_close(out, '}');
}

void
view_write_left_out(struct buf *out, const struct part *part)
{
    write_open(out, "left_out", '{');
    write_int(out, "edges", (int64_t)part->left_out);
    write_bool(out, "by_hub", part->by_hub);
    write_bool(out, "by_limit", part->by_limit);
    write_int(out, "hub", VIEW_HUB);
    write_int(out, "limit", (int64_t)part->limit);
    write_close(out, '}');
}
