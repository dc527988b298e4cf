/*
 * code_fields - what is written about a vertex of the code, field by field.
 *
 * Its name, signature, package and path, its comment, what it says
 * (index/says.h), the names of what it calls.  A route and the function that
 * handles it tell of each other: who looks for the one is served by the other.
 *
 * Memory     code_fields_fini.
 * Threads    Once made, any.
 */
#ifndef GRAPH_CODE_FIELDS_H
#define GRAPH_CODE_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "graph/code.h"

enum code_field {
    FIELD_NAME,
    FIELD_SIGNATURE,
    FIELD_PACKAGE,
    FIELD_PATH,
    FIELD_SAID,    /* a message, a key */
    FIELD_DOC,     /* its comment */
    FIELD_BODY,    /* names that it uses */
    FIELD_CALLED,  /* the name of what it calls */
    FIELD_METHOD,  /* what its HTTP method is for, in words */
    FIELD_HANDLER, /* of a route: the name of its handler */
    FIELD_ROUTE,   /* of a handler: its route */
    FIELD_BEHIND,  /* of a route: what is written about its handler */
    FIELD_END,
};

/* Rows of other tables, by vertex. */
struct code_fields {
    uint32_t *said_at; /* of node v: said[said_at[v]..said_at[v + 1]) */
    uint32_t *said;    /* indices in code->literals */
    uint32_t *route_at;
    uint32_t *routes; /* in code->routes: its own, and those it handles */
};

/* code_fields_make: ERR_NOMEM; then too code_fields_fini. */
enum err code_fields_make(const struct code *code, struct code_fields *out);
void code_fields_fini(struct code_fields *fields);

struct code_field_text {
    str text;
    enum code_field field;
    uint32_t node; /* whose name it is; 0: it is no name */
    uint32_t file; /* whose path it is; 0: it is none */
};
typedef void code_field_fn(void *ctx, const struct code_field_text *of);
void code_fields_each(const struct code *code, const struct code_fields *fields,
                      uint32_t node, code_field_fn *fn, void *ctx);

/* code_is_entry: a route, an RPC, its declaration, or what handles one. */
bool code_is_entry(const struct code *code, const struct code_fields *fields,
                   uint32_t node);
/* code_is_nameless: `outer.func1`, `outer.anonymous2`: it says nothing. */
bool code_is_nameless(str name);
/* code_method_words says what an HTTP method is for; empty: it is none. */
str code_method_words(str method);

#endif
