/*
 * request - one whole request, whatever brought it, and the way to answer it.
 *
 * HTTP/1.1, HTTP/2, gRPC over nghttp2 and gRPC core all end here: a handler
 * gets a struct request with its body complete, decompressed and padded, and
 * answers it once, then or later, from any thread.  What went wrong before the
 * body was whole (too large, bad encoding) is told by |problem|, so that the
 * protocol above can answer in its own words.
 *
 *     void handle(void *ctx, struct request *req)
 *     {
 *         request_reply(req, &(struct reply){.status = 200, .body = ...});
 *     }
 *
 * Memory     A request belongs to the transport; every view in it is valid
 *            until it is answered.  request_reply copies what it is given.
 * Answer     Exactly once: request_reply, or request_stream_open ... _close.
 *            An unanswered request keeps its memory and its connection.
 * Threads    A handler is called on its transport's thread and must not block
 *            it; for large bodies on another one, if its listener says so.  The
 * request_ functions may be called from any thread, but for one request not
 * from two at once.
 */
#ifndef NET_REQUEST_H
#define NET_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Readable bytes behind request.body, so that a decoder may read a little too
 * far without looking. */
enum { REQUEST_PAD = 512 };

enum request_protocol { REQUEST_HTTP, REQUEST_GRPC };

enum request_problem {
    REQUEST_WHOLE = 0,
    REQUEST_TOO_LARGE,            /* on the wire or once decompressed */
    REQUEST_BAD_ENCODING,         /* compressed bytes do not decompress */
    REQUEST_UNSUPPORTED_ENCODING, /* an encoding we do not know */
    REQUEST_NO_ROOM,              /* the memory for requests is used up */
    REQUEST_BAD_FRAME,            /* gRPC: not exactly one whole message */
};

struct header {
    str name; /* lower case */
    str value;
};

/* grpc status codes used here (https://grpc.io/docs/guides/status-codes/). */
enum grpc_code {
    GRPC_CODE_OK = 0,
    GRPC_CODE_CANCELLED = 1,
    GRPC_CODE_UNKNOWN = 2,
    GRPC_CODE_INVALID_ARGUMENT = 3,
    GRPC_CODE_PERMISSION_DENIED = 7,
    GRPC_CODE_RESOURCE_EXHAUSTED = 8,
    GRPC_CODE_UNIMPLEMENTED = 12,
    GRPC_CODE_INTERNAL = 13,
    GRPC_CODE_UNAVAILABLE = 14,
    GRPC_CODE_UNAUTHENTICATED = 16,
};

struct reply {
    int status; /* HTTP status, or enum grpc_code for REQUEST_GRPC */
    str content_type;
    str body;
    str grpc_message; /* REQUEST_GRPC: plain text; encoded by the transport */
    str grpc_details; /* REQUEST_GRPC: bytes of grpc-status-details-bin */
    const struct header *headers; /* besides content type and length */
    size_t header_len;
};

struct request;

/* What a transport provides; see the functions below. */
struct request_ops {
    void (*reply)(struct request *req, const struct reply *reply);
    void (*stream_open)(struct request *req, const struct reply *head);
    bool (*stream_write)(struct request *req, str bytes);
    void (*stream_close)(struct request *req);
};

struct request {
    const struct request_ops *ops;
    enum request_protocol protocol;
    enum request_problem problem;
    str method; /* "POST"; REQUEST_GRPC: always POST */
    str path;   /* without the query */
    str query;  /* behind the '?', empty if none */
    str body;   /* REQUEST_PAD more bytes are readable */
    const struct header *headers;
    size_t header_len;
    bool is_tls;
    bool is_loopback;  /* the peer is on this machine, or a unix socket */
    str tls_peer_name; /* verified client certificate's SAN or CN, or empty */
    uint32_t share;    /* whose it is, below HUB_SHARES: an address, or a
                        * connection of this machine; 0: not known */
    size_t wire_len;   /* bytes of the body before decompression */
    uint64_t received_mono_ns;

    /* For the handler: what to tell when the peer goes away before the
     * answer is complete, a streamed one too.  Called at most once, on the
     * transport's thread, and never again once request_reply or
     * request_stream_close has been called; the request must still be
     * answered (the answer goes nowhere). */
    void (*on_cancel)(void *ctx, struct request *req);
    void *on_cancel_ctx;
};

typedef void request_handler(void *ctx, struct request *req);

/* Tells by the header alone how large a body the handler would read: a larger
 * one is not waited for, nor decompressed, and REQUEST_TOO_LARGE.  |req| has no
 * body yet and is not to be answered.  For plain bodies of REQUEST_SMALL bytes
 * it is not worth asking. */
typedef size_t request_body_most(void *ctx, const struct request *req);
enum { REQUEST_SMALL = 16 << 10 };

/* request_most is what |ask| (may be NULL) says, |limit| at most. */
size_t request_most(request_body_most *ask, void *ctx,
                    const struct request *req, size_t limit);

/* reply_has: |reply| says |name| (lower case). */
bool reply_has(const struct reply *reply, str name);

/* request_header is the value of |name| (lower case), or the empty view. */
str request_header(const struct request *req, str name);

void request_reply(struct request *req, const struct reply *reply);

/*
 * request_stream_open answers |head| (its body is sent as the first piece) and
 * keeps the answer open.  request_stream_write sends a piece; false when the
 * peer is gone or reads too slowly, then only request_stream_close is left.
 */
void request_stream_open(struct request *req, const struct reply *head);
bool request_stream_write(struct request *req, str bytes);
void request_stream_close(struct request *req);

#endif
