/*
 * routes_laravel - what stands before a call of Laravel's Route facade.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_LARAVEL_H
#define INDEX_ROUTES_LARAVEL_H

#include "index/routes_block.h"

struct laravel {
    struct buf prefix;    /* to be freed */
    struct at controller; /* of Route::controller(C::class), or id 0 */
    bool is_tail;
};

/* laravel_is_chain: the first link of the chain that |call| ends is Route. */
bool laravel_is_chain(struct parts *p, struct at call);
/* laravel_add_chain appends what the links of a chain say, |call| the last. */
void laravel_add_chain(struct parts *p, struct laravel *l, struct at call);
/* laravel_add_groups does so for the group |around| and those around it; id 0:
 * there is none. */
void laravel_add_groups(struct parts *p, struct laravel *l, struct at around);

/* laravel_file is the router of the routes of a file, mounted where the file is
 * taken in (index/routes_laravel_files.c). */
uint32_t laravel_file(struct parts *p, uint32_t file);

#endif
