/*
 * routes_nest - what a call mounts: functions, routers, plugins.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_NEST_H
#define INDEX_ROUTES_NEST_H

#include <stdbool.h>
#include <stdint.h>

#include "index/routes_verbs.h"

/* verb_give mounts the first parameter of the function |expr| on |parent|. */
void verb_give(const struct verb_call *v, struct at expr, uint32_t parent,
               const struct verb_path *prefix);

/* nest_use mounts what `app.use('/x', router)` and its likes are given
 * (index/routes_use.c). */
void nest_use(const struct verb_call *v);

/* nest_function mounts the first parameter of the function |def| on |parent|;
 * nest_hapi each plugin that a call registers (index/routes_hapi.c). */
void nest_function(const struct verb_call *v, struct at def, uint32_t parent,
                   const struct verb_path *prefix);
void nest_hapi(const struct verb_call *v);

/* nest_vertx mounts what a route of Vert.x hands on to (index/routes_vertx.c).
 */
void nest_vertx(const struct verb_call *v);
/* nest_gozero puts the routes of a call below what its options say
 * (index/routes_gozero.c). */
void nest_gozero(const struct verb_call *v);
/* nest_ninja mounts what an API or router of Django Ninja takes in
 * (index/routes_ninja.c). */
void nest_ninja(const struct verb_call *v);

/* nest_given is the function that |expr| is, imports or wraps. */
bool nest_given(struct parts *p, struct at expr, struct at *out);
/* nest_is_plain: fastify-plugin wraps the plugin |expr|, which then has no
 * prefix, whatever it is registered with. */
bool nest_is_plain(struct parts *p, struct at expr);
/* nest_exported is what a JavaScript file exports: a function or type
 * (VALUE_DEF), or an expression (VALUE_MADE). */
bool nest_exported(struct parts *p, uint32_t file, struct value *out);

/* nest_split: of utoipa-axum, a pair of router and document that a function
 * returns; who has the router then is not seen (index/routes_utoipa.c). */
void nest_split(const struct verb_call *v);
/* nest_carter puts the modules of Carter on a router (index/routes_carter.c).
 */
void nest_carter(const struct verb_call *v);
/* nest_fastendpoints does so with what FastEndpoints finds
 * (index/routes_fastendpoints.c). */
void nest_fastendpoints(const struct verb_call *v);

#endif
