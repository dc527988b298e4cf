/*
 * routes_grpc - what generated code of services is called by.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_GRPC_H
#define INDEX_ROUTES_GRPC_H

#include "index/routes_parts.h"

/* grpc_service_between: |word| is |before| + a service's name + |after|;
 * UINT32_MAX: of none. */
uint32_t grpc_service_between(const struct parts *p, str word,
                              const char *before, const char *after);

/* What a call serves, and the value that answers; UINT32_MAX: nothing. */
struct grpc_served {
    uint32_t service;
    struct at impl;
};
struct grpc_served grpc_served_by(struct parts *p, struct at call);

/* grpc_impl is the type of the value |expr|; id 0: it is not known. */
struct at grpc_impl(struct parts *p, struct at expr);

#endif
