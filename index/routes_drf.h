/*
 * routes_drf - Django REST framework: routers, and what they make of view sets.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_DRF_H
#define INDEX_ROUTES_DRF_H

#include "index/routes_verbs.h"

/* drf_router is the router that |expr| is, by where it was made, or 0. */
uint32_t drf_router(struct parts *p, struct at expr);

/* drf_register enters the routes of `router.register(prefix, ViewSet)`. */
void drf_register(struct parts *p, struct at call);
/* drf_extend mounts what `router.registry.extend(other.registry)` takes. */
void drf_extend(struct parts *p, struct at call);
/* drf_root enters what a DefaultRouter that |call| makes lists itself. */
void drf_root(struct parts *p, struct at call);

#endif
