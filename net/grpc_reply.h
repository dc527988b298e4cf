/*
 * grpc_reply - a struct reply in the shape that gRPC core sends.
 *
 * Memory     Holds copies; drop it when core says that the batch is done.
 * Threads    None.
 */
#ifndef NET_GRPC_REPLY_H
#define NET_GRPC_REPLY_H

#include <stddef.h>

#include <grpc/grpc.h>

#include "net/request.h"

enum { GRPC_REPLY_META_MAX = 8, GRPC_REPLY_OPS = 3 };

struct grpc_reply {
    grpc_status_code status;
    grpc_byte_buffer *body; /* NULL: a failure has none */
    grpc_slice text;
    grpc_metadata meta[GRPC_REPLY_META_MAX];
    size_t meta_len;
    size_t head_len; /* those of meta that go before the message */
};

/*
 * grpc_reply_init copies |from| into |out|.  Headers that core would refuse
 * are left out, as are those that it writes itself ("grpc-...", but for
 * grpc-accept-encoding) and more than GRPC_REPLY_META_MAX - 2.
 */
void grpc_reply_init(struct grpc_reply *out, const struct reply *from);
void grpc_reply_drop(struct grpc_reply *reply);

/* grpc_reply_ops fills |ops| and returns how many of them there are. */
size_t grpc_reply_ops(struct grpc_reply *reply, grpc_op ops[GRPC_REPLY_OPS]);

#endif
