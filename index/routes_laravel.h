/*
 * routes_laravel - what stands before a call of Laravel's Route facade.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_LARAVEL_H
#define INDEX_ROUTES_LARAVEL_H

#include "index/routes_block.h"

struct laravel {
    struct buf first;     /* before all of the groups */
    struct buf prefix;    /* of the groups */
    struct buf space;     /* `Admin\Reports`: namespace of classes by text */
    struct at controller; /* of Route::controller(C::class), or id 0 */
    bool is_tail;
    bool has_domain;
};
void laravel_fini(struct laravel *l);

/* laravel_is_chain: the first link of the chain that |call| ends is Route. */
bool laravel_is_chain(struct parts *p, struct at call);
/* laravel_add_chain appends what the links of a chain say, |call| the last. */
void laravel_add_chain(struct parts *p, struct laravel *l, struct at call);
/* laravel_add_groups does so for the group |around| and those around it; id 0:
 * there is none. */
void laravel_add_groups(struct parts *p, struct laravel *l, struct at around);

/* laravel_enter enters a route of |path| behind what |l| says. */
void laravel_enter(struct parts *p, struct at call, const struct laravel *l,
                   str path, str method, uint32_t handler);

/* laravel_class is the class that |expr| names, as `C::class` or a text. */
bool laravel_class(struct parts *p, const struct laravel *l, struct at expr,
                   struct at *out);
/* laravel_answers is the vertex of what |expr| says that answers, or 0. */
uint32_t
laravel_answers(struct parts *p, const struct laravel *l, struct at expr);

/* laravel_is_resource: `resource`, `apiResource`, `singleton`, or several. */
bool laravel_is_resource(const struct parts *p, struct at call);
/* laravel_resource enters the routes of the resource |name|, laravel_resources
 * those of the map of resources that is the first argument. */
void laravel_resource(struct parts *p, struct at call, const struct laravel *l,
                      str name, struct at controller);
void
laravel_resources(struct parts *p, struct at call, const struct laravel *l);

/* laravel_file is the router of the routes of a file, mounted where the file is
 * taken in (index/routes_laravel_files.c). */
uint32_t laravel_file(struct parts *p, uint32_t file);

#endif
