/*
 * grpc_place - where gRPC core listens, and whether a caller is near.
 *
 * Threads    Any thread.
 */
#ifndef NET_GRPC_PLACE_H
#define NET_GRPC_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include <grpc/grpc.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/buf.h"
#include "base/err.h"
#include "net/server.h"

struct grpc_place {
    struct sockaddr_storage addr;
    socklen_t len;
    const char *unix_path; /* the listener's; NULL: TCP */
    bool is_loopback;
    char target[sizeof(struct sockaddr_un) + 32]; /* in core's spelling */
};

/* grpc_place_of fills |out|, which looks into |listener|; false when that is no
 * address core can listen on: it takes none with a zone. */
bool
grpc_place_of(struct grpc_place *out, const struct server_listener *listener);

/* grpc_place_check: core removes a socket file that is in its way, a live one
 * too.  ERR_BUSY, and |why|: this one must stay; ERR_IO. */
enum err grpc_place_check(const struct grpc_place *place, struct buf *why);

/* grpc_place_explain: core says only that it could not listen there; binding
 * once more tells |why|.  Errors as server_listen. */
enum err grpc_place_explain(const struct grpc_place *place, struct buf *why);

/* grpc_place_is_near says whether |call| comes from this machine. */
bool grpc_place_is_near(grpc_call *call);

/*
 * grpc_place_share is whose a call from |peer|, in core's spelling, is of those
 * below HUB_SHARES: its address by |seed|, or its connection where that is of
 * this machine; all of a socket file are one.  grpc_place_share_of: of |call|.
 */
uint32_t grpc_place_share(uint64_t seed, str peer);
uint32_t grpc_place_share_of(uint64_t seed, grpc_call *call);

#endif
