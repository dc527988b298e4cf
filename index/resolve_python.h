/*
 * resolve_python - objects of Python that are made of what is passed.
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_PYTHON_H
#define INDEX_RESOLVE_PYTHON_H

#include "index/resolve_impl.h"

/* python_made is what the call |expr| of |callee| makes of what its first
 * argument is, whoever makes it: `super().__new__(cls)`, `copy.copy(x)`,
 * `cast(T, x)`; VAL_NONE: it is none of these. */
struct val python_made(struct resolver *r, uint32_t file, uint32_t expr,
                       struct val callee);

#endif
