/*
 * routes_grape - routes of Grape's classes, by all ways that mount them.
 *
 *     class API < Grape::API               class Users < Grape::API
 *       prefix :api; version 'v1'            get ':id' do ... end
 *       mount Users => '/people'           end
 *     end
 *
 * Limits     ROUTE_WAYS_MAX ways a call, 1,024 routes; ROUTE_FURTHER_WAYS_MAX
 *            behind the first of each call, of all of them.
 * Threads    None.
 */
#ifndef INDEX_ROUTES_GRAPE_H
#define INDEX_ROUTES_GRAPE_H

#include "index/routes_rules.h"

/* grape_enter enters what |call|, a verb or `route` in a class of Grape's,
 * serves. */
void grape_enter(struct parts *p, struct at call);

void grape_fini(struct parts *p);

#endif
