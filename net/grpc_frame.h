/*
 * grpc_frame - what gRPC puts around a message: the prefix, and text encodings
 * of its headers.
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 *
 * Threads    None.
 */
#ifndef NET_GRPC_FRAME_H
#define NET_GRPC_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "net/exchange.h"

enum { GRPC_PREFIX_LEN = 5 };

/* What our replies name in grpc-accept-encoding. */
#define GRPC_ENCODINGS_ACCEPTED "identity,gzip,deflate,zstd"

/* The one message of a unary call while it comes; zeroed to start. */
struct grpc_frame {
    unsigned char prefix[GRPC_PREFIX_LEN];
    uint8_t have; /* of the prefix */
    uint32_t len; /* of the message, once the prefix is whole */
};

/* grpc_is_content_type: "application/grpc", alone or with "+proto". */
bool grpc_is_content_type(str value);

/*
 * grpc_frame_feed adds |bytes| to the body of |ex|, the prefix taken off;
 * grpc_frame_end says what the call is worth when no more will come.  If the
 * message is not compressed the encoding of |ex| becomes identity.
 */
enum request_problem
grpc_frame_feed(struct grpc_frame *frame, struct exchange *ex, str bytes);
enum request_problem
grpc_frame_end(const struct grpc_frame *frame, const struct exchange *ex);

/* grpc_timeout_parse reads "100m"; false when it is no timeout.  Rounded up,
 * and to a year at most. */
bool grpc_timeout_parse(str value, uint64_t *out_ms);

/* grpc_message_encode appends |text| percent-encoded. */
void grpc_message_encode(struct buf *out, str text);

/* grpc_binary_encode appends |bytes| in base64 without padding. */
void grpc_binary_encode(struct buf *out, str bytes);

#endif
