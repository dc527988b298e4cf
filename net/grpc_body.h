/*
 * grpc_body - the message of a call as plain, padded, contiguous bytes.
 *
 * Threads    One at a time.
 */
#ifndef NET_GRPC_BODY_H
#define NET_GRPC_BODY_H

#include <stdbool.h>
#include <stddef.h>

#include <grpc/grpc.h>

#include "base/err.h"
#include "net/aside.h"
#include "net/inflate.h"
#include "net/request.h"

struct grpc_body {
    grpc_byte_buffer *payload; /* as core gave it; NULL once it is |bytes| */
    char *bytes;               /* REQUEST_PAD zeros behind them */
    size_t len;
    grpc_compression_algorithm compression; /* of |payload| */
};

/* grpc_body_is_lost: there is no payload because |call| has ended, its peer
 * gone or core without room.  Who ends a stream before its message is whole,
 * and without a trailer, is there to be told, and not lost. */
bool grpc_body_is_lost(const struct grpc_body *body, const grpc_call *call);

/* grpc_body_tell_lost ends |call|, which is lost.  Mostly core has done so; but
 * who ends a stream with a trailer before its message is whole looks lost to
 * core as well, and waits to be told. */
void grpc_body_tell_lost(grpc_call *call);

/* grpc_body_wire_len is the length of the payload. */
size_t grpc_body_wire_len(const struct grpc_body *body);

/* grpc_body_seems is what the payload looks like to |aside|, of share 0;
 * surely plain only if it can be nothing else. */
struct aside_body grpc_body_seems(const struct grpc_body *body);

/*
 * grpc_body_unpack makes plain bytes of the payload; within |room| if it is
 * compressed, and after ERR_TOO_LARGE it may be asked again for more.
 *
 * ERR_TOO_LARGE, ERR_INVALID  as inflate_within
 * ERR_UNSUPPORTED             an encoding we do not know
 * ERR_NOMEM
 */
enum err grpc_body_unpack(struct grpc_body *body, struct inflater *inflater,
                          const struct inflate_room *room);

/* grpc_body_problem is what an error of grpc_body_unpack means. */
enum request_problem grpc_body_problem(enum err err);

/* grpc_body_drop frees what |body| holds. */
void grpc_body_drop(struct grpc_body *body);

#endif
