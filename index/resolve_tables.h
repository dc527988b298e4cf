/*
 * resolve_tables - the rows of a resolver's tables: what is declared where, and
 * what was found about it.
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_TABLES_H
#define INDEX_RESOLVE_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "index/facts.h"
#include "index/resolve_intern.h"

/* ROW_PAIR: |id| makes something, |order| is the EXPR_PAIR of a field. */
enum row_kind { ROW_DEF = 1, ROW_BIND, ROW_IMPORT, ROW_PAIR };

struct row {
    uint32_t file;
    uint32_t id;
    uint32_t order; /* a bind counts for expressions behind this one */
    uint32_t line;
    uint8_t kind;
};

struct rows {
    const struct row *at;
    uint32_t len;
};

struct scope_key {
    uint32_t scope;
    sym name;
    uint32_t at; /* in rows */
    uint32_t len;
};

struct source {
    const struct facts *facts;
    str path;
    sym folder;
    sym module; /* path without extension; `__init__`, `index`: the folder */
    uint32_t unit;
    uint32_t def_base;
    uint32_t expr_base;
    uint32_t bind_base;
    uint32_t import_base;
    uint32_t text_base;
    str_id exports_name; /* JavaScript: `const lib = module.exports`, or 0 */
};

struct unit {
    sym key;          /* of the table of units */
    sym package;      /* the name of its vertices */
    sym clause;       /* Go: its package clause */
    uint32_t file;    /* the first */
    uint32_t lambdas; /* Go: those at file level so far */
    uint8_t lang;
};

/* The bases of a type, nearest first; itself is the first. */
struct lineage {
    uint32_t at; /* in r->bases */
    uint32_t len;
    bool is_known; /* set when found */
    bool is_open;  /* a base is not in the repository, or not found */
};

/* Of a method of Java, Kotlin or C#; they stand side by side. */
struct parameters {
    uint32_t first; /* bind */
    uint32_t len;
    uint32_t receiver; /* bind of what it is called on, which is written */
    uint32_t shapes;   /* in r->shapes: of each, and of one of the rest; 0: none
                          asked for yet */
    bool has_rest;     /* the last one takes all that are left */
};

struct call_site {
    uint32_t target; /* global def */
    uint32_t file;
    uint32_t expr;
    uint8_t by;
};

#endif
