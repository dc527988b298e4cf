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
    struct at impl; /* the first type that implements it, or id 0 */
    bool is_served; /* something does, or an object of functions */
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

/* grpc_is_generated: what protoc made, in the repository or not; a function of
 * one's own may be called the same. */
bool grpc_is_generated(struct parts *p, struct at callee);

/* grpc_answer is the vertex of the method that |type|, or nothing, has for an
 * rpc, or 0. */
uint32_t grpc_answer(struct parts *p, struct at type, str rpc);

/* routes_gateway tells what grpc-gateway serves; to be called when it is known
 * who implements what (index/routes_gateway.c). */
void routes_gateway(struct parts *p);

/* grpc_impl is the type of the value |expr|; id 0: it is not known. */
struct at grpc_impl(struct parts *p, struct at expr);

#endif
