/*
 * code - vertices and edges of the static graph: what the source says.
 *
 * They live apart from what traces tell (model/node.h, model/edge.h): in their
 * own database, tied to commits, and are joined with it on reading
 * (graph/join.h).  Numbers are stored: never renumber.
 *
 * Threads    None; plain values.
 */
#ifndef MODEL_CODE_H
#define MODEL_CODE_H

#include <stdint.h>

#include "base/str.h"

enum code_kind {
    CODE_NONE = 0,
    CODE_FILE = 1,
    CODE_PACKAGE = 2,
    CODE_FUNCTION = 3, /* with those that have no name: `outer.func1` */
    CODE_METHOD = 4,
    CODE_TYPE = 5, /* class, struct, enum, record */
    CODE_INTERFACE = 6,
    CODE_CONST = 7,
    CODE_VAR = 8,
    CODE_FIELD = 9,
    CODE_ROUTE = 10, /* `GET /users/{}`, of a directory or service */
    CODE_RPC = 11,   /* `pkg.Service/Method` */
    CODE_TOPIC = 12, /* `kafka:orders` */
    CODE_EXTERNAL = 13,
    CODE_KIND_END = 14,
};

enum code_edge {
    CODE_EDGE_NONE = 0,
    CODE_CALLS = 1,
    CODE_IMPORTS = 2,    /* file to file, or package */
    CODE_IMPLEMENTS = 3, /* type to interface */
    CODE_EXTENDS = 4,
    CODE_OVERRIDES = 5,     /* method to the method it overrides */
    CODE_HANDLES_ROUTE = 6, /* route or RPC to function, as `knowing` has it */
    CODE_PUBLISHES = 7,     /* function to topic */
    CODE_SUBSCRIBES = 8,    /* topic to function */
    CODE_CONSUMES = 9,      /* function to the route or RPC it asks */
    CODE_TESTS = 10,        /* test to what it calls that is no test */
    CODE_CONTAINS = 11,     /* package, file, type to what stands in it */
    CODE_REFERENCES = 12,   /* function to function passed as a value */
    /* Kept apart: never counted as calls, never in a Merkle root. */
    CODE_MAY_DISPATCH = 13, /* declared method to an implementation */
    CODE_MAY_CALL = 14,     /* by name only: unique, or one of candidates */
    CODE_EDGE_END = 15,
};

/* How an edge was found (spec/indexing.md, 2.2). */
enum code_provenance {
    CODE_BY_NONE = 0,
    CODE_BY_STRUCTURE = 1,  /* 1.00: it stands there */
    CODE_BY_SCIP = 2,       /* 1.00 */
    CODE_BY_SCOPE = 3,      /* 0.99: lexical */
    CODE_BY_IMPORT = 4,     /* 0.99 */
    CODE_BY_SELF = 5,       /* 0.99: self, super, the hierarchy */
    CODE_BY_TYPE = 6,       /* 0.98: the receiver's type */
    CODE_BY_SINGLE = 7,     /* 0.90: the only implementation */
    CODE_BY_FRAMEWORK = 8,  /* 0.95: a rule about a framework */
    CODE_BY_UNIQUE = 9,     /* 0.40: nothing else has that name */
    CODE_BY_CANDIDATE = 10, /* 0.25 shared among the candidates */
    CODE_PROVENANCE_END = 11,
};

/* Bits of code_node.flags. */
#define CODE_TEST         UINT32_C(0x01) /* a test, or a helper in a test file */
#define CODE_GENERATED    UINT32_C(0x02)
#define CODE_EXPORTED     UINT32_C(0x04)
#define CODE_ANONYMOUS    UINT32_C(0x08)
#define CODE_ABSTRACT     UINT32_C(0x10) /* declared, without a body */
#define CODE_PARTIAL      UINT32_C(0x20) /* its file did not parse cleanly */
#define CODE_IS_TEST_CASE UINT32_C(0x40) /* the runner runs it by its name */

/* A vertex as the indexer makes it.  Known by (repo, package, name, kind). */
struct code_node {
    uint8_t kind; /* enum code_kind */
    uint32_t flags;
    uint32_t
        file; /* index of its file in the same build; files themselves too */
    uint32_t line; /* from 1; 0: none */
    uint32_t col;  /* from 0, in bytes */
    uint32_t end_line;
    str package;   /* path in the repository: `internal/store`, `src/app` */
    str name;      /* `Cart.Add`, `outer.func1` */
    str signature; /* one line, 256 bytes at most */
};

struct code_site {
    uint32_t line;
    uint32_t col;
};

const char *code_kind_str(uint8_t kind);
const char *code_edge_str(uint8_t type);
uint8_t code_edge_of(str word);
const char *code_provenance_str(uint8_t provenance);
double code_provenance_confidence(uint8_t provenance);

#endif
