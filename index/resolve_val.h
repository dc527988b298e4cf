/*
 * resolve_val - what a resolver knows an expression, a name or an import to be.
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_VAL_H
#define INDEX_RESOLVE_VAL_H

#include <stdbool.h>
#include <stdint.h>

#include "index/resolve_intern.h"

enum val_kind {
    VAL_NONE = 0,
    VAL_DEF,      /* file, id: the definition itself */
    VAL_FILE,     /* file: a module */
    VAL_UNIT,     /* id: a package or namespace */
    VAL_FOLDER,   /* name: a folder of modules without a file of its own */
    VAL_EXTERNAL, /* module, name */
    VAL_INSTANCE, /* file, id: of that type */
    VAL_FOREIGN,  /* module, name: of that type, which is not ours */
    VAL_GENERIC,  /* file, id: type expression of a collection, an instance */
    VAL_OBJECT,   /* file, id: expression; object literal */
    VAL_ARRAY,    /* file, id: expression */
    VAL_TEXT,     /* a string or a number */
    VAL_VARIABLE, /* file, id: bind of a type parameter */
    VAL_MADE,     /* by a call of which nothing is known but its place */
};

enum val_origin { ORIGIN_NONE = 0, ORIGIN_EXPR, ORIGIN_BIND };

struct val {
    uint8_t kind;
    uint8_t by; /* enum code_provenance: how a definition was reached */
    uint8_t origin;
    bool is_choice; /* VAL_TEXT, and what has it in it: one of several, which
                       is for the run to say;
                       VAL_DEF: one of several overloads, which return what is
                       not the same */
    uint32_t file;
    uint32_t id;
    sym module;
    sym name;
    uint32_t origin_file; /* where the value was made, or its parameter */
    uint32_t origin_id;
    uint32_t call_file; /* that of a function, in whose run it was made */
    uint32_t call_id;
    uint32_t args_file; /* type expression with the arguments of a generic */
    uint32_t args;
    uint32_t variable; /* bind, from bind_base: of that type parameter */
};

static inline struct val
val_of(enum val_kind kind, uint32_t file, uint32_t id, uint8_t by)
{
    return (struct val){
        .kind = (uint8_t)kind, .by = by, .file = file, .id = id};
}

/* val_made_as is |val|, but made where |made| was. */
static inline struct val
val_made_as(struct val val, struct val made)
{
    val.origin = made.origin;
    val.origin_file = made.origin_file;
    val.origin_id = made.origin_id;
    val.call_file = made.call_file;
    val.call_id = made.call_id;
    return val;
}

#endif
