/*
 * http1 - the state of an HTTP/1.1 session, shared by its files.
 *
 * For net/http1*.c alone; others use net/session.h.
 *
 * Threads    The loop's only.
 */
#ifndef NET_HTTP1_H
#define NET_HTTP1_H

#include <http_parser.h>

#include "net/exchange.h"
#include "net/http1_frame.h"
#include "net/session.h"

enum http1_phase {
    HTTP1_FRESH,  /* no byte yet */
    HTTP1_IDLE,   /* between two requests */
    HTTP1_HEAD,   /* a header has begun */
    HTTP1_BODY,   /* a body is coming, wanted or not */
    HTTP1_ANSWER, /* received; its answer is due */
    HTTP1_BROKEN, /* what comes is no longer read */
};

struct http1 {
    struct session base; /* first */
    http_parser parser;
    struct exchange *ex; /* from its first byte until its answer is out */
    enum http1_phase phase;
    uint64_t since_ms; /* of the phase */
    struct exchange_field field;
    struct http1_frame frame; /* of the message */
    const char *piece;        /* what is being parsed begins here */
    char last;        /* of what was parsed before, spaces and tabs apart */
    struct buf ahead; /* received before its turn */
    struct hub_claim claim; /* for |ahead| */
    struct buf early;       /* answers to be produced first */
    uint64_t body_left;
    uint64_t drained;
    int fail_status; /* what to answer to bytes that are no request */
    bool has_value;
    bool has_length;
    bool is_1_1;
    bool is_dispatched;
    bool is_received; /* the message has ended */
    bool is_answered; /* its answer is out */
    bool is_head_sent;
    bool is_chunking;
    bool want_continue;
    bool keep_alive;
    bool is_draining;
    bool is_brief; /* the last request was small and answered at once */
    bool is_ahead; /* the peer has sent before it was answered */
    bool is_eof;   /* it sends no more */
};

/* http1_fail has |status| answered and the connection closed. */
void http1_fail(struct http1 *h, int status);

/* http1_end has the connection closed behind what is produced: gently if the
 * peer sends ahead, for a socket that is closed over what nobody has read is
 * reset, and the answers that are on their way are lost. */
void http1_end(struct http1 *h);

/* http1_parse reads until a message ends, and returns what is behind it. */
str http1_parse(struct http1 *h, str bytes);

/* http1_next makes ready for the next request. */
void http1_next(struct http1 *h);

/* http1_parse_ahead goes on with what came ahead. */
void http1_parse_ahead(struct http1 *h);

/*
 * http1_answer_early ends a request whose answer is there, whole and short,
 * before it is asked for, so that what was received behind it can be read where
 * it lies; false if that is not so, or enough of them are to be produced.
 */
bool http1_answer_early(struct http1 *h);

void http1_produce(struct session *session, struct buf *out);

#endif
