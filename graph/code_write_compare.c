/*
 * What the build says is looked for among what is held, in the order of the
 * tables: files and vertices get their numbers, vertices and edges their
 * hashes, before rows that name them are compared.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/code_write_impl.h"

static enum err
load_held(struct code_writer *w, enum code_table table)
{
    uint32_t len = w->len[table];
    enum err err = held_load(&w->held[table], w->store, table, w->repo);

    if (err)
        return err;
    w->match[table] = calloc((size_t)len + 1, sizeof(*w->match[table]));
    w->same[table] = calloc((size_t)len + 1, sizeof(*w->same[table]));
    return w->match[table] && w->same[table] ? OK : ERR_NOMEM;
}

/* Finds what row |i| was, if it was there. */
static uint32_t
compare_row(struct code_writer *w, enum code_table table, uint32_t i)
{
    struct held *held = &w->held[table];
    struct code_row row = {0};

    code_make_row(w, table, i, &row);
    struct held_key key = held_key(held, &row);
    uint32_t found = held_take(held, &key);
    w->match[table][i] = found;
    w->same[table][i] =
        found != HELD_NONE && held->rows[found].key.body == key.body;
    return found;
}

static uint32_t
number_of(struct code_writer *w, enum code_table table, uint32_t found)
{
    return found == HELD_NONE ? w->next_num++ : w->held[table].rows[found].num;
}

static void
compare_files(struct code_writer *w)
{
    for (uint32_t i = 0; i < w->len[CODE_FILES]; i++)
        w->file_num[i + 1] =
            number_of(w, CODE_FILES, compare_row(w, CODE_FILES, i));
}

static void
hash_node(struct code_writer *w, uint32_t i, unsigned char *out)
{
    const struct build_node *node = &w->build->nodes[i];
    text_id other = w->other_name[i];

    identity_node_many(
        &w->hashing,
        &(struct identity_name){
            .repo = w->repo_url,
            .package = texts_get(&w->build->texts, node->package),
            .symbol = other ? texts_get(&w->names, other)
                            : texts_get(&w->build->texts, node->name),
            .kind = str_of(code_kind_str(node->kind)),
        },
        out);
}

static void
compare_nodes(struct code_writer *w)
{
    for (uint32_t i = 0; i < w->len[CODE_NODES]; i++) {
        uint32_t found = compare_row(w, CODE_NODES, i);
        unsigned char *hash = w->node_hash + (size_t)(i + 1) * SHA256_LEN;

        w->node_num[i + 1] = number_of(w, CODE_NODES, found);
        if (found == HELD_NONE)
            hash_node(w, i + 1, hash);
        else
            memcpy(hash, held_hash(&w->held[CODE_NODES], found), SHA256_LEN);
        identity_hex(hash, w->node_hex + (size_t)(i + 1) * IDENTITY_HEX_LEN);
    }
}

static void
compare_edges(struct code_writer *w)
{
    for (uint32_t i = 0; i < w->len[CODE_EDGES]; i++) {
        const struct build_edge *edge = &w->edges[i];
        uint32_t found = compare_row(w, CODE_EDGES, i);
        unsigned char *hash = w->edge_hash + (size_t)i * SHA256_LEN;

        if (found != HELD_NONE) {
            memcpy(hash, held_hash(&w->held[CODE_EDGES], found), SHA256_LEN);
            continue;
        }
        struct identity_edge identity = {
            .src_hex = w->node_hex + (size_t)edge->src * IDENTITY_HEX_LEN,
            .dst_hex = w->node_hex + (size_t)edge->dst * IDENTITY_HEX_LEN,
            .kind = str_of(code_edge_str(edge->type)),
            .provenance = str_of(code_provenance_str(edge->provenance)),
        };
        identity_edge_many(&w->hashing, &identity, hash);
    }
}

enum err
code_compare(struct code_writer *w)
{
    const struct code_build *build = w->build;
    const uint32_t lens[CODE_TABLES] = {
        build->file_len - 1, build->node_len - 1, w->edge_len,
        build->route_len,    build->service_len,  build->exposure_len,
        build->owner_len,    build->literal_len,  build->author_len,
    };
    enum err err = OK;

    memcpy(w->len, lens, sizeof(lens));
    for (int table = 0; table < CODE_TABLES && !err; table++)
        err = load_held(w, (enum code_table)table);
    if (err)
        return err;
    compare_files(w);
    compare_nodes(w);
    compare_edges(w);
    for (int table = CODE_EDGES + 1; table < CODE_TABLES; table++)
        for (uint32_t i = 0; i < w->len[table]; i++)
            (void)compare_row(w, (enum code_table)table, i);
    for (int table = 0; table < CODE_TABLES; table++)
        if (w->held[table].scratch.failed)
            return ERR_NOMEM;
    return w->scratch.failed ? ERR_NOMEM : OK;
}
