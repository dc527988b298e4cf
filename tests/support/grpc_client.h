/*
 * grpc_client - calls a gRPC server in two ways: with gRPC core, as a proper
 * client does, and frame by frame with nghttp2, to say what core never would.
 *
 * Threads    None: one client, one thread.
 */
#ifndef TESTS_SUPPORT_GRPC_CLIENT_H
#define TESTS_SUPPORT_GRPC_CLIENT_H

#include <stdint.h>

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>

#include "base/buf.h"
#include "net/request.h"

#define EXPORT_PATH \
    "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

struct grpc_answer {
    int status; /* of gRPC; -1: none came */
    struct buf body;
    struct buf message;
    struct buf details; /* grpc-status-details-bin, as bytes */
    struct buf headers; /* "name: value\n", leading and trailing ones */
};

void grpc_answer_fini(struct grpc_answer *answer);

/* grpc_answer_has says whether |needle| is in |buf|, a part of an answer. */
bool grpc_answer_has(const struct buf *buf, const char *needle);

struct grpc_client {
    grpc_channel *channel;
    grpc_completion_queue *queue;
};

/* grpc_client_open: |creds| NULL is plain text; |gzip| compresses. */
void grpc_client_open(struct grpc_client *client, const char *target,
                      grpc_channel_credentials *creds, bool gzip);
void grpc_client_close(struct grpc_client *client);

/* grpc_client_call waits at most |wait_ms| for the answer. */
struct grpc_answer
grpc_client_call(struct grpc_client *client, const char *path, str body,
                 const struct header *headers, size_t header_len, int wait_ms);

/*
 * grpc_raw_call sends |bytes| as the DATA of one stream with |encoding| as its
 * grpc-encoding (NULL: none) and ends the stream.  Waits at most 5 seconds.
 */
struct grpc_answer
grpc_raw_call(uint16_t port, const char *path, const char *encoding, str bytes);

/* grpc_raw_is_left says whether the server gives up a connection, by closing
 * it or by GOAWAY, on which nothing happens for |wait_ms|; |speaks| sends the
 * preface of HTTP/2 first. */
bool grpc_raw_is_left(uint16_t port, bool speaks, int wait_ms);

/* grpc_raw_frame appends a frame of HTTP/2. */
void grpc_raw_frame(struct buf *out, uint8_t type, uint8_t flags,
                    uint32_t stream, str payload);

/* grpc_frame appends |message| with its five bytes of prefix. */
void grpc_frame(struct buf *out, int is_compressed, str message);

#endif
