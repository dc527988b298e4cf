/*
 * routes_marks_meta - what an annotation says, by itself or, of Spring, by the
 * annotations of its declaration in the repository.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_MARKS_META_H
#define INDEX_ROUTES_MARKS_META_H

#include "index/routes_marks.h"

enum { MARK_SAYS_MAX = 8 };

struct mark_says {
    const struct mark_rule *rule;
    struct at path;    /* expr, or 0 */
    struct at methods; /* expr, or 0; of MARK_PREFIX */
};

/* mark_says is how many things |mark| says, MARK_SAYS_MAX at most. */
unsigned mark_says(struct parts *p, struct at mark, struct mark_says *out);

#endif
