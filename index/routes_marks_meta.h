/*
 * routes_marks_meta - what an annotation says, by itself or, of Spring, by the
 * annotations of its declaration in the repository.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_MARKS_META_H
#define INDEX_ROUTES_MARKS_META_H

#include "index/routes_marks.h"
#include "index/routes_turns.h"

enum { MARK_SAYS_MAX = 8 };

struct mark_says {
    const struct mark_rule *rule;
    struct at mark;    /* that has the rule */
    struct at path;    /* expr, or 0 */
    struct at methods; /* expr, or 0; of MARK_PREFIX */
    struct mark_made made;
};

/* mark_says is how many things |mark| says, MARK_SAYS_MAX at most. */
unsigned mark_says(struct parts *p, struct at mark, struct mark_says *out);

/* mark_methods is the methods that it names, or id 0. */
struct at mark_methods(struct parts *p, struct at mark);

/* made_says is how many things |mark| says that a function of the repository
 * gives: a decorator of NestJS, or several by `applyDecorators`
 * (index/routes_marks_made.c). */
unsigned made_says(struct parts *p, struct at mark, struct mark_says *out);
/* made_call is the call of |path| that |mark| is, or that such functions give,
 * or id 0; what is in |made| made it. */
struct at made_call(struct parts *p, struct at mark, const char *path,
                    struct mark_made *made);
/* made_begin makes the parameters of those functions what they are given, until
 * made_end; |turns| has MADE_DEPTH_MAX. */
void made_begin(struct parts *p, const struct mark_made *made,
                struct part_turn *turns);
void made_end(struct parts *p, const struct mark_made *made,
              const struct part_turn *turns);

#endif
