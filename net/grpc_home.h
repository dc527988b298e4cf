/*
 * grpc_home - what the calls of one listener on gRPC core share.
 *
 * It lives until the last of them is gone, which may be after the listener.
 *
 * Threads    Any, except where said.
 */
#ifndef NET_GRPC_HOME_H
#define NET_GRPC_HOME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <grpc/grpc.h>

#include "net/aside.h"
#include "net/grpc_cert.h"
#include "net/grpc_cork.h"
#include "net/inflate.h"
#include "net/request.h"

struct rpc_home {
    atomic_size_t refs;
    atomic_size_t used_bytes; /* of all calls, against budget_bytes */
    atomic_uint handed; /* times an rpc was handed to core; see grpc_rpc.c */
    size_t body_bytes;
    size_t budget_bytes;
    request_handler *handler;
    request_body_most *body_most; /* as in struct server_listener */
    void *ctx;
    grpc_server *server;
    grpc_completion_queue *queue;
    struct inflater *inflater; /* the queue's thread only */
    struct cork cork;          /* the same; answers of one round */
    struct aside *aside;       /* NULL: all is done on the queue's thread */
    uint64_t peer_seed;        /* by which addresses are known to it */
    struct grpc_cert *cert;    /* NULL: no TLS */
    bool is_loopback;          /* nobody else can reach the listener */
};

void rpc_home_ref(struct rpc_home *home);
void rpc_home_unref(struct rpc_home *home);

/* rpc_home_take takes |len| bytes of the budget; false: that much is not left.
 * rpc_home_give gives them back. */
bool rpc_home_take(struct rpc_home *home, size_t len);
void rpc_home_give(struct rpc_home *home, size_t len);

/* What a call has of the budget. */
struct rpc_charge {
    struct rpc_home *home;
    size_t bytes;
};

/* rpc_charge_begin takes the first |len| bytes.  What would not fit if it were
 * the only call is REQUEST_TOO_LARGE: to come again would be of no use; else
 * REQUEST_NO_ROOM.  rpc_charge_take takes more for the struct rpc_charge |ctx|;
 * rpc_charge_keep gives back all but |keep|. */
enum request_problem rpc_charge_begin(struct rpc_charge *charge, size_t len);
bool rpc_charge_take(void *ctx, size_t len);
void rpc_charge_keep(struct rpc_charge *charge, size_t keep);

/* rpc_home_beside: what the budget has beside |len| bytes, were those all. */
size_t rpc_home_beside(const struct rpc_home *home, size_t len);

#endif
