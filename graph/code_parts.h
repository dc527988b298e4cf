/*
 * code_parts - what the arrays of a loaded static graph (graph/code.h) hold.
 *
 * Threads    None; plain values.
 */
#ifndef GRAPH_CODE_PARTS_H
#define GRAPH_CODE_PARTS_H

#include <stdint.h>

#include "base/hash.h"
#include "base/str.h"

struct code_repo {
    str url;                        /* `github.com/org/repo` */
    unsigned char hash[SHA256_LEN]; /* SHA-256 of url */
    str commit;                     /* of what is loaded; may be empty */
    uint32_t generation;            /* of what is loaded */
    uint32_t indexed_s;
    uint32_t first, last;           /* its nodes: [first, last) */
    uint32_t file_first, file_last; /* its files */
};

struct code_file {
    str path;
    str skipped;               /* why it was not read; empty: it was */
    const unsigned char *blob; /* 20 bytes */
    uint32_t repo;
    uint32_t flags; /* CODE_TEST, _GENERATED, _PARTIAL */
    uint32_t bytes;
    uint8_t lang; /* enum lang_id */
};

struct code_vertex {
    str qualified; /* `repo://package.name`; `repo://name` without package */
    str package;
    str name;
    str signature;
    unsigned char hash[SHA256_LEN];
    uint32_t repo;
    uint32_t file; /* 0: none */
    uint32_t line; /* 0: none */
    uint32_t col;
    uint32_t end_line;
    uint32_t flags; /* CODE_... of model/code.h */
    uint8_t kind;   /* enum code_kind */
};

/* One end of an edge.  Its places, in the file of the source, are
 * code->sites[site_at..+site_len). */
struct code_link {
    uint32_t node; /* the other end */
    uint32_t site_at;
    uint32_t site_len;
    uint16_t permille; /* confidence */
    uint8_t type;      /* enum code_edge */
    uint8_t provenance;
};

struct code_route {
    uint32_t node;    /* CODE_ROUTE, CODE_RPC, CODE_TOPIC */
    uint32_t handler; /* 0: not resolved */
    uint32_t file;
    uint32_t line;
    uint32_t flags; /* ROUTE_... of graph/code_build.h */
    uint32_t repo;
    str method;
    str raw;
    str canonical;
    str framework;
};

struct code_service {
    uint32_t repo;
    uint32_t rank; /* less is better */
    str name;
    str directory;
    str evidence;
};

struct code_exposure {
    uint32_t repo;
    str host, prefix, rewrite, service, evidence;
};

struct code_owner {
    uint32_t repo;
    uint32_t line;
    str pattern;
    str owner; /* empty: nobody */
};

struct code_literal {
    uint32_t node;
    uint8_t kind; /* enum literal_kind of graph/code_build.h */
    str text;
};

struct code_author {
    uint32_t file;
    uint32_t commits;
    uint64_t last_s;
    str author;
};

struct code_snapshot {
    uint32_t repo;
    uint32_t generation;
    unsigned char hash[SHA256_LEN];
    unsigned char root[SHA256_LEN];
    unsigned char parent[SHA256_LEN]; /* zeros: the first */
    str commit;
    uint64_t commit_s;
    uint32_t created_s;
    uint32_t files, nodes, edges, guesses;
    uint64_t bytes; /* of source */
    uint32_t calls, calls_external, calls_unknown;
};

#endif
