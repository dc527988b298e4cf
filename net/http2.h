/*
 * http2 - the state of an HTTP/2 session, shared by its way in and out.
 *
 * For net/http2*.c alone; others use net/session.h.
 *
 * Threads    The loop's only.
 */
#ifndef NET_HTTP2_H
#define NET_HTTP2_H

#include <nghttp2/nghttp2.h>

#include "net/exchange.h"
#include "net/grpc_frame.h"
#include "net/session.h"

/* Odd things a peer may do at once, and how many more each second, before it
 * is told to calm down; and as many streams it may have refused, for want of
 * room or as too many before it knows how many it may have, before it is sent
 * away: once what it has under way is answered. */
enum { HTTP2_GLITCHES = 100, HTTP2_GLITCHES_PER_S = 10 };

struct http2_account {
    uint64_t as_of_ms;
    uint32_t left; /* in thousandths */
};

struct http2_stream {
    struct http2_stream *prev;
    struct http2_stream *next;
    struct http2 *session;
    struct exchange *ex; /* NULL: answered without waiting for the handler */
    int32_t id;
    struct exchange_span method;
    struct exchange_span authority;
    struct grpc_frame frame;
    int refusal;          /* the status that refuses its header, or 0 */
    uint64_t due_ms;      /* gRPC deadline, or 0 */
    uint64_t progress_ms; /* the peer last took a piece of the answer */
    uint64_t drained;
    size_t held; /* of the session's, for this one */
    bool is_grpc;
    bool is_dispatched;
    bool is_received;
    bool is_submitted;
    bool is_sent;  /* all of the answer */
    bool is_reset; /* by us; it closes when that is sent */
};

struct http2 {
    struct session base; /* first */
    nghttp2_session *ng;
    struct http2_stream *streams;
    uint64_t idle_ms;     /* since when there is no stream */
    uint64_t head_ms;     /* a header has begun, or 0 */
    int32_t head_stream;  /* whose */
    uint64_t goaway_ms;   /* when to send the final GOAWAY, or 0 */
    int32_t data_stream;  /* of the DATA that comes */
    uint32_t data_left;   /* of its frame, to be told of; 0: not known */
    const char *data_end; /* of what was told of last */
    struct http2_account glitches;
    struct http2_account refusals;
    uint32_t allowance;     /* replies to what we sent: no glitches */
    size_t held;            /* bytes of all streams, bodies and answers apart */
    struct hub_claim claim; /* for these, as far as they are many */
    bool has_settings;
    bool is_draining;
    bool is_terminated;
    bool is_eof; /* the peer sends no more */
};

/* http2_glitch counts one odd thing. */
void http2_glitch(struct http2 *h);

/* http2_terminate ends the session when its GOAWAY with |code| is out; nothing
 * more is taken in. */
void http2_terminate(struct http2 *h, uint32_t code);

/* http2_reset ends |stream| with an HTTP/2 error code. */
void http2_reset(struct http2_stream *stream, uint32_t code);

/*
 * http2_hold counts what |stream| takes beside its body and a long answer, now
 * that its header is known; false: there is no room for it.  http2_let_go gives
 * that back.
 */
bool http2_hold(struct http2_stream *stream);
void http2_let_go(struct http2_stream *stream);

/* http2_submit begins the answer of |stream|. */
void http2_submit(struct http2_stream *stream);

/* http2_submit_late answers a gRPC call whose deadline has passed. */
void http2_submit_late(struct http2_stream *stream);

/* http2_submit_continue tells a peer who asked to send its body. */
void http2_submit_continue(struct http2_stream *stream);

void http2_answered(struct session *session, struct exchange *exchange);
void http2_produce(struct session *session, struct buf *out);

/* http2_callbacks makes the way in; 0, or NGHTTP2_ERR_NOMEM. */
int http2_callbacks(nghttp2_session_callbacks **out);

#endif
