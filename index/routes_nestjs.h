/*
 * routes_nestjs - where the methods of NestJS's controllers are registered.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_NESTJS_H
#define INDEX_ROUTES_NESTJS_H

#include "index/routes_marks.h"

/* A method of a controller, and what its marks say. */
struct nestjs_method {
    struct at def;
    struct at type;       /* the controller */
    struct at controller; /* its mark */
    struct at prefix;     /* its paths, or id 0 */
};
/* nestjs_tell puts what stands before them, each way that there is, before the
 * paths of the routes of |of|: what was entered from |from| on. */
void
nestjs_tell(struct parts *p, uint32_t from, const struct nestjs_method *of);

/* What an application puts before the routes of a controller. */
struct nestjs_place {
    uint32_t base;        /* router with its prefix, or 0 */
    struct at prefix;     /* the call that says it, or id 0 */
    struct at versioning; /* the same of versions */
    text_id module;       /* by RouterModule */
    bool is_tail;         /* what is before |module| is not known */
};
/* nestjs_place_of is that of an application by one of its files. */
struct nestjs_place nestjs_place_of(struct parts *p, uint32_t file);
/* nestjs_places is how many applications have |controller|, of which |out| gets
 * the first |cap|: by their modules (index/routes_nestjs_modules.c); 0 where
 * none is known to. */
uint32_t nestjs_places(struct parts *p, struct at controller,
                       struct nestjs_place *out, uint32_t cap);
/* nestjs_is_cut: there is more in the modules than is looked at, so that no
 * controller is known to be of an application. */
bool nestjs_is_cut(struct parts *p);
/* nestjs_is_nowhere: no module has |controller|, of a repository in which all
 * that its applications import is read and nothing else names it. */
bool nestjs_is_nowhere(struct parts *p, struct at controller);
/* nestjs_join is both with one slash between. */
text_id nestjs_join(struct parts *p, text_id front, text_id path);
void nestjs_fini(struct parts *p);

#endif
