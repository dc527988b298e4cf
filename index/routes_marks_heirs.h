/*
 * routes_marks_heirs - what stands below a type of Java, Kotlin and C#, and
 * what a locator of JAX-RS gives.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_MARKS_HEIRS_H
#define INDEX_ROUTES_MARKS_HEIRS_H

#include "index/routes_marks.h"

/* marks_have_heirs: another class, but of tests, extends |type|. */
bool marks_have_heirs(struct parts *p, struct at type);
/* marks_only_heir is the class below |type| that can be made, if there is one
 * and no other; else |*heir| stays as it is. */
bool marks_only_heir(struct parts *p, struct at type, struct at *heir);

/* marks_is_open: only what extends or implements |type| can be made. */
bool marks_is_open(const struct parts *p, struct at type);

/* marks_locator mounts the class that a JAX-RS locator returns; the path is
 * |path|, told of |def| or of what it overrides
 * (index/routes_marks_jaxrs.c). */
void
marks_locator(struct parts *p, uint32_t router, struct at def, struct at path);
/* marks_jaxrs_unsaid: |type| says nothing itself and is told by no base where
 * it is, but a base has methods that a locator may reach through it. */
bool marks_jaxrs_unsaid(struct parts *p, struct at type);

#endif
