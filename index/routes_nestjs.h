/*
 * routes_nestjs - where the methods of NestJS's controllers are registered.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_NESTJS_H
#define INDEX_ROUTES_NESTJS_H

#include "index/routes_marks.h"

/* A method of a NestJS controller, and what its marks say. */
struct nestjs_method {
    struct at def;
    struct at controller; /* the mark of its class */
    struct at prefix;     /* the controller's paths, or id 0 */
    struct at path;       /* its own, or id 0 */
    str method;           /* GET */
};
/* nestjs_router is what its route stands on, mounted below its versions
 * (index/routes_nestjs.c); 0: no memory. */
uint32_t nestjs_router(struct parts *p, const struct nestjs_method *of);
/* nestjs_entry makes path and method what is registered: no slash at the end,
 * RequestMethod.ALL is any. */
void nestjs_entry(struct parts *p, struct route_entry *entry);

#endif
