/*
 * grpc_rpc - one call on gRPC core, from its arrival to its answer.
 *
 *     rpc_await(home, server, method)     one more call may arrive
 *     rpc_event(home, tag, ok)                core says that something happened
 *
 * An rpc is a struct request for its handler.  It lives until it is answered
 * and core has said that the call is over, whichever is later; what calls
 * share (struct rpc_home) lives until the last of them is gone.
 *
 * Threads    rpc_event on the completion queue's thread only, which calls the
 *            handlers; those of large bodies are called on that of |aside|.
 *            Answers come from any thread.
 */
#ifndef NET_GRPC_RPC_H
#define NET_GRPC_RPC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <grpc/grpc.h>

#include "base/err.h"
#include "net/aside.h"
#include "net/grpc_cert.h"
#include "net/grpc_cork.h"
#include "net/inflate.h"
#include "net/request.h"

struct rpc_home {
    atomic_size_t refs;
    atomic_size_t used_bytes; /* of all calls, against budget_bytes */
    atomic_uint handed;       /* times an rpc was handed to core; see .c */
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

/* A method that core knows: it reads the message before it tells of the call,
 * which saves a wake-up.  |handle| is NULL for "all other methods". */
struct rpc_method {
    const char *path;
    void *handle;
};

/* What core gives back with an event. */
struct rpc_tag {
    struct rpc *rpc;
    void (*happened)(struct rpc *rpc, bool ok);
};

void rpc_home_ref(struct rpc_home *home);
void rpc_home_unref(struct rpc_home *home);

/* rpc_await lets core deliver one more call of |method|, whose memory stays
 * the caller's.  ERR_NOMEM. */
enum err rpc_await(struct rpc_home *home, const struct rpc_method *method);

void rpc_event(struct rpc_home *home, struct rpc_tag *tag, bool ok);

#endif
