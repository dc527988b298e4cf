/*
 * grpc_rpc - one call on gRPC core, from its arrival to its answer.
 *
 *     rpc_await(home, server, method)     one more call may arrive
 *     rpc_event(home, tag, ok)                core says that something happened
 *
 * An rpc is a struct request for its handler.  It lives until it is answered
 * and core has said that the call is over, whichever is later.
 *
 * Threads    rpc_event on the completion queue's thread only, which calls the
 *            handlers; those of large bodies are called on that of |aside|.
 *            Answers come from any thread.
 */
#ifndef NET_GRPC_RPC_H
#define NET_GRPC_RPC_H

#include <stdbool.h>

#include <grpc/grpc.h>

#include "base/err.h"
#include "net/grpc_home.h"

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

/* rpc_await lets core deliver one more call of |method|, whose memory stays
 * the caller's.  ERR_NOMEM. */
enum err rpc_await(struct rpc_home *home, const struct rpc_method *method);

void rpc_event(struct rpc_home *home, struct rpc_tag *tag, bool ok);

#endif
