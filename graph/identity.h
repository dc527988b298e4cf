/*
 * identity - what a node or an edge is called outside: 32 bytes, the same on
 * every machine and in every file.
 *
 * The recipe is that of `knowing`, so that the two systems can speak of the
 * same thing:
 *
 *     node = SHA-256("node\0" repo "\0" package "\0" symbol "\0" kind)
 *     edge = SHA-256("edge\0" hex(src) "\0" hex(dst) "\0" kind "\0" provenance)
 *
 * For what traces tell, repo is the name of the service (of the owner, for
 * what a service serves; empty, for what nobody owns), package its
 * environment, symbol the node's own name.  So a service without environment
 * has the hash that `knowing` gives it, staging and production differ, and no
 * name can be chosen to look like another: names hold no NUL.
 *
 * Threads    Any.
 */
#ifndef GRAPH_IDENTITY_H
#define GRAPH_IDENTITY_H

#include <stdint.h>

#include "base/hash.h"
#include "base/str.h"
#include "graph/nodes.h"
#include "model/edge.h"

#define IDENTITY_PROVENANCE "otel_trace"

struct identity_name {
    str repo;
    str package;
    str symbol;
    str kind;
};

/* |out|, |src|, |dst| are SHA256_LEN bytes. */
void identity_node(const struct identity_name *name, unsigned char *out);
void identity_edge(const unsigned char *src, const unsigned char *dst, str kind,
                   str provenance, unsigned char *out);

/* The same for many in a row (hash_sha256_many); the ends of an edge are
 * written in hex, 64 letters each. */
enum { IDENTITY_HEX_LEN = 2 * SHA256_LEN };
void identity_hex(const unsigned char *hash, char *out);
void identity_node_many(struct hash_state **state,
                        const struct identity_name *name, unsigned char *out);
struct identity_edge {
    const char *src_hex;
    const char *dst_hex;
    str kind;
    str provenance;
};
void identity_edge_many(struct hash_state **state,
                        const struct identity_edge *edge, unsigned char *out);

void
identity_of_node(const struct nodes *nodes, uint32_t id, unsigned char *out);
/* identity_of_edge: both ends are nodes. */
void identity_of_edge(const struct nodes *nodes, struct edge_key key,
                      unsigned char *out);

#endif
