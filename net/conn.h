/*
 * conn - the state of one connection, shared by its way in and out.
 *
 * For net/conn.c, net/conn_out.c and net/glance.c alone; others use net/loop.h.
 *
 * Threads    The loop's only.
 */
#ifndef NET_CONN_H
#define NET_CONN_H

#include "net/loop.h"

enum { PREFACE_LEN = 24 }; /* of HTTP/2 */

union io {
    uv_handle_t handle;
    uv_stream_t stream;
    uv_tcp_t tcp;
    uv_pipe_t pipe;
};

struct conn {
    union io io;
    uv_timer_t timer;
    uv_write_t write;
    uv_shutdown_t shutdown;
    struct listener *listener;
    struct conn *prev;
    struct conn *next;
    struct conn *next_dirty;
    struct session *session; /* NULL until the protocol is known */
    struct tls_stream *tls;
    struct buf out;     /* not yet given to the socket */
    struct buf writing; /* given */
    struct buf plain;   /* not yet encrypted */
    char sniffed[PREFACE_LEN];
    size_t sniffed_len;
    struct hub_claim claim; /* for |writing| */
    uint64_t peer;          /* counted in the listener's peers; 0: not */
    uint64_t born_ms;
    uint64_t old_ms; /* when it has been there for long enough; SESSION_NEVER */
    uint64_t timer_ms;
    uint64_t progress_ms; /* the peer last took something */
    size_t write_left;
    uint64_t linger_ms;
    uint64_t gather_ns; /* since when answers wait; 0: none does */
    int handles;
    bool is_loopback;
    bool has_spoken; /* to a port of TLS */
    bool is_plain;   /* and not that */
    bool is_dirty;
    bool is_reading;
    bool is_writing;
    bool is_closing;
    bool is_draining;
    bool is_lingering;
    bool is_eof;
    bool is_ended; /* TLS: goodbye said */
};

uint64_t conn_now(const struct conn *conn);

/* conn_mark_dirty (|owner| is a conn) has it flushed by server_flush. */
void conn_mark_dirty(void *owner);

/* conn_forget_writing frees what was given to the socket. */
void conn_forget_writing(struct conn *conn);

/* conn_undirty takes |conn| from the server's list of dirty ones. */
void conn_undirty(struct conn *conn);

/* conn_gather produces and does not send yet; false when it is time to. */
bool conn_gather(struct conn *conn);

/* conn_read_start reads from the socket; conn_pump_tls decrypts what has been
 * read, as far as the session takes it. */
void conn_read_start(struct conn *conn);
void conn_pump_tls(struct conn *conn);

/* conn_schedule sees to it that the timer fires at the next deadline. */
void conn_schedule(struct conn *conn);

/* conn_send gives what has been produced to the socket; false when that takes
 * no more for now, or is broken and |conn| closing. */
bool conn_send(struct conn *conn);

#endif
