/*
 * code_build - all that one index of one repository at one commit says, on its
 * way from the indexer to the store.
 *
 * The indexer (index/) fills it in a process of its own, packs it, and the
 * parent unpacks, checks and stores it (graph/code_write.h).  It is always the
 * whole graph of the repository, however little was parsed anew: so an
 * incremental index cannot differ from a fresh one.
 *
 * Its rows are those of graph/build_rows.h.
 *
 * Memory     code_build_init, code_build_fini.
 * Limits     2^26 rows a table.
 * Threads    None.
 */
#ifndef GRAPH_CODE_BUILD_H
#define GRAPH_CODE_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/texts.h"
#include "graph/build_rows.h"
#include "model/code.h"

struct code_build {
    struct texts texts;
    text_id repo_url;
    text_id commit; /* 40 hex; of a bare directory: `` */
    uint64_t commit_s;
    bool failed;
    struct build_file *files;
    struct build_node *nodes;
    struct build_edge *edges;
    struct code_site *sites;
    struct build_route *routes;
    struct build_service *services;
    struct build_exposure *exposures;
    struct build_owner *owners;
    struct build_literal *literals;
    struct build_author *authors;
    uint32_t file_len, node_len, edge_len, site_len, route_len, service_len,
        exposure_len, owner_len, literal_len, author_len;
    uint32_t file_cap, node_cap, edge_cap, site_cap, route_cap, service_cap,
        exposure_cap, owner_cap, literal_cap, author_cap;
    uint64_t bytes;          /* of source that was read */
    uint32_t parsed;         /* files parsed in this run; the others' facts
                                were kept */
    uint32_t calls;          /* call expressions seen */
    uint32_t calls_external; /* to what is not in the repository */
    uint32_t calls_unknown;  /* to nothing that could be named */
};

enum err code_build_init(struct code_build *build);
void code_build_fini(struct code_build *build);

/* Each appends a row and gives its index; 0 (and |failed|) if it cannot. */
uint32_t
code_build_file(struct code_build *build, const struct build_file *row);
uint32_t
code_build_node(struct code_build *build, const struct build_node *row);
uint32_t
code_build_edge(struct code_build *build, const struct build_edge *row);
uint32_t code_build_site(struct code_build *build, struct code_site site);
uint32_t
code_build_route(struct code_build *build, const struct build_route *row);
uint32_t
code_build_service(struct code_build *build, const struct build_service *row);
uint32_t
code_build_exposure(struct code_build *build, const struct build_exposure *row);
uint32_t
code_build_owner(struct code_build *build, const struct build_owner *row);
uint32_t
code_build_literal(struct code_build *build, const struct build_literal *row);
uint32_t
code_build_author(struct code_build *build, const struct build_author *row);

/* code_build_pack appends the packed form; code_build_unpack reads it and
 * checks every index, since it comes from a process that read hostile input.
 * ERR_NOMEM; unpack: ERR_CORRUPT. */
enum err code_build_pack(const struct code_build *build, struct buf *out);
enum err code_build_unpack(struct code_build *build, str packed);

#endif
