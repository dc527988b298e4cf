/*
 * code_build - all that one index of one repository at one commit says, on its
 * way from the indexer to the store.
 *
 * The indexer (index/) fills it in a process of its own, packs it, and the
 * parent unpacks, checks and stores it (graph/code_write.h).  It is always the
 * whole graph of the repository, however little was parsed anew: so an
 * incremental index cannot differ from a fresh one.
 *
 * Rows refer to each other by index; row 0 of files and nodes means none.
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
#include "model/code.h"

enum { BLOB_ID_LEN = 20, BUILD_ROWS_MAX = 1 << 26 };

struct build_file {
    text_id path;                    /* in the repository */
    unsigned char blob[BLOB_ID_LEN]; /* git's id of its content */
    uint8_t lang;                    /* enum lang_id */
    uint32_t flags;                  /* CODE_TEST, _GENERATED, _PARTIAL */
    uint32_t bytes;
    text_id skipped; /* why it was not read; empty: it was */
};

struct build_node {
    uint8_t kind;   /* enum code_kind */
    uint32_t flags; /* CODE_... */
    uint32_t file;
    uint32_t line;
    uint32_t col;
    uint32_t end_line;
    text_id package; /* path in the repository: `internal/store` */
    text_id name;    /* `Cart.Add`, `outer.func1` */
    text_id signature;
};

/* One relation; its places are sites[site_at..+site_len), all in the file of
 * |src|, sorted. */
struct build_edge {
    uint32_t src;
    uint32_t dst;
    uint8_t type;       /* enum code_edge */
    uint8_t provenance; /* enum code_provenance */
    uint16_t permille;  /* confidence in 1/1000 */
    uint32_t site_at;
    uint32_t site_len;
};

/* Bits of build_route.flags. */
#define ROUTE_PREFIX_UNKNOWN UINT32_C(1) /* raw is only the end of it */
#define ROUTE_IS_CLIENT      UINT32_C(2) /* asked for here, not served */
#define ROUTE_FROM_DOCUMENT  UINT32_C(4) /* OpenAPI, .proto without code */
#define ROUTE_IS_MOUNTED     UINT32_C(8) /* spans may tell no more than where */

/* A route, RPC method or topic of the code.  |node| is its vertex. */
struct build_route {
    uint32_t node;    /* CODE_ROUTE, CODE_RPC, CODE_TOPIC */
    uint32_t handler; /* node: function or method; 0: not resolved.  Of a
                         topic that is published to, or a client: who does */
    uint32_t flags;
    text_id method;    /* `GET`, `ANY`; `` for RPC and topics */
    text_id raw;       /* as the framework's instrumentation would tell it in
                          http.route */
    text_id canonical; /* graph/routes.h; or `pkg.Service/Method`, topic */
    text_id framework; /* `express`, `flask`, `grpc`, ... */
    uint32_t file;
    uint32_t line;
};

/* service.name NAME is what stands in |directory|. */
struct build_service {
    text_id name;
    text_id directory; /* `` is the whole repository */
    text_id evidence;  /* `compose:docker-compose.yml:12` */
    uint32_t rank;     /* less is better evidence */
};

/* Requests for |host| below |prefix| reach |service|, |rewrite| in its place.
 */
struct build_exposure {
    text_id host;
    text_id prefix;
    text_id rewrite;
    text_id service;
    text_id evidence;
};

/* A rule of CODEOWNERS, in the order of the file: the last that fits wins. */
struct build_owner {
    text_id pattern;
    text_id owner; /* one row an owner; same pattern: all of them own it */
    uint32_t line;
};

/* A string of a function.  Stored: never renumber. */
enum literal_kind {
    LITERAL_SPAN = 0, /* it names the spans that the function starts */
    LITERAL_SAID = 1, /* a message or a key (index/says.h), for search */
    LITERAL_DOC = 2,  /* what its comment says, for search */
    LITERAL_BODY = 3, /* names that its body uses, for search */
};
struct build_literal {
    text_id text;
    uint32_t node;
    uint8_t kind; /* enum literal_kind */
};

/* Who wrote a file, by git: the author of most of its latest commits. */
struct build_author {
    uint32_t file;
    text_id author;
    uint32_t commits;
    uint64_t last_s;
};

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
