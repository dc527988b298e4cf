/*
 * code_write_impl - what the files behind graph/code_write.h share.  Not for
 * others.
 *
 * A build becomes rows (code_write_rows.c) after its vertices have got names
 * of their own and its edges were put together (code_write_plan.c).  A row is
 * made when it is compared, and again when it is written: most are not.
 *
 * Threads    None.
 */
#ifndef GRAPH_CODE_WRITE_IMPL_H
#define GRAPH_CODE_WRITE_IMPL_H

#include "graph/code_held.h"
#include "graph/code_write.h"
#include "graph/identity.h"

/* Row |i| of files and nodes is index i + 1 of the build. */
struct code_writer {
    const struct code_build *build;
    struct code_store *store;
    str repo_url;
    uint32_t repo;
    uint32_t next_num;
    uint64_t next_id;
    struct held held[CODE_TABLES];
    uint32_t *match[CODE_TABLES]; /* row of held, or HELD_NONE; */
    bool *same[CODE_TABLES];      /*   and it needs not be written */
    uint32_t len[CODE_TABLES];
    struct texts names;       /* `name#2` */
    text_id *other_name;      /* by node of the build; 0: its own */
    uint32_t *file_num;       /* by file of the build */
    uint32_t *node_num;       /* by node of the build */
    unsigned char *node_hash; /* SHA256_LEN each, by node of the build */
    char *node_hex;           /* IDENTITY_HEX_LEN each */
    unsigned char *edge_hash; /* by edge, below */
    struct build_edge *edges; /* one for each (src, dst, type, provenance) */
    struct code_site *sites;
    uint32_t edge_len;
    struct buf scratch; /* packed sites of one row */
    struct hash_state *hashing;
};

/* code_plan names vertices and joins edges.  ERR_NOMEM. */
enum err code_plan(struct code_writer *w);

/* code_compare fills what follows from what is stored: held, match, same, and
 * numbers and hashes.  ERR_CORRUPT, ERR_STORE, ERR_NOMEM. */
enum err code_compare(struct code_writer *w);

/* code_make_row makes row |i|; its views are good until the next call. */
void code_make_row(struct code_writer *w, enum code_table table, uint32_t i,
                   struct code_row *out);

#endif
