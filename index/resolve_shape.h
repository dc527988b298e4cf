/*
 * resolve_shape - what Java's rules about arguments ask of a type or a value:
 * whether it is a primitive, text, an array, of the repository, of a library.
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_SHAPE_H
#define INDEX_RESOLVE_SHAPE_H

#include "index/resolve_impl.h"

enum shape_kind {
    SHAPE_UNKNOWN,
    SHAPE_OBJECT,
    SHAPE_PRIMITIVE, /* |which| */
    SHAPE_BOXED,     /* |which| */
    SHAPE_NUMBER,    /* a primitive, or what boxes it, but not boolean */
    SHAPE_TEXT,
    SHAPE_NULL,
    SHAPE_LAMBDA,
    SHAPE_ARRAY,
    SHAPE_OURS,    /* |val|, an instance */
    SHAPE_LIBRARY, /* |name| */
    SHAPE_UNASKED  /* in tables: not found out yet */
};

/* In the order in which they widen; a char to an int. */
enum primitive {
    P_BYTE,
    P_SHORT,
    P_INT,
    P_LONG,
    P_FLOAT,
    P_DOUBLE,
    P_CHAR,
    P_BOOLEAN,
    P_END
};

struct shape {
    enum shape_kind kind;
    enum primitive which;
    struct val val;
    sym name;
};

/* shape_of_val is that of a value, or of a type as an instance of it. */
struct shape shape_of_val(struct resolver *r, struct val val);
/* shape_of_argument is that of an expression that is passed. */
struct shape
shape_of_argument(struct resolver *r, uint32_t file, uint32_t expr);

#endif
