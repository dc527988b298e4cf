/*
 * build_rows - the rows of which the index of a repository is made, on their
 * way from the indexer to the store (graph/code_build.h).
 *
 * They refer to each other by index; row 0 of files and nodes means none.
 */
#ifndef GRAPH_BUILD_ROWS_H
#define GRAPH_BUILD_ROWS_H

#include <stdint.h>

#include "base/texts.h"

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

#endif
