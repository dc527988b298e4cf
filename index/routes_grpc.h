/*
 * routes_grpc - what generated code of services is called by.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_GRPC_H
#define INDEX_ROUTES_GRPC_H

#include "index/routes_parts.h"

struct grpc_service {
    struct at def;
    bool is_served; /* something implements it */
};

/* grpc_service_between: |word| is |before| + a service's name + |after|, the
 * first of that name; UINT32_MAX: of none. */
uint32_t grpc_service_between(const struct parts *p, str word,
                              const char *before, const char *after);

/* grpc_service_from is which of the services that are called as |first| the
 * name |expr|, of what is generated, is of; UINT32_MAX: it does not say, or
 * |first| is (index/routes_grpc_which.c). */
uint32_t grpc_service_from(struct parts *p, struct at expr, uint32_t first);
/* grpc_service_in is the same of what is generated in |file|. */
uint32_t grpc_service_in(struct parts *p, uint32_t file, uint32_t first);

/* What a call serves, and the value that answers; UINT32_MAX: nothing. */
struct grpc_served {
    uint32_t service;
    struct at impl;
};
struct grpc_served grpc_served_by(struct parts *p, struct at call);

/* grpc_impl is the type of the value |expr|; id 0: it is not known. */
struct at grpc_impl(struct parts *p, struct at expr);

#endif
