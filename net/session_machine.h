/*
 * session_machine - what the machine of a protocol is made of: HTTP/1.1 and
 * HTTP/2 begin with a struct session and answer for its ops.
 *
 * Others see a session through net/session.h alone.
 *
 * Threads    The loop's only.
 */
#ifndef NET_SESSION_MACHINE_H
#define NET_SESSION_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "net/cors.h"
#include "net/hub.h"
#include "net/inflate.h"
#include "net/request.h"
#include "net/server.h"

/* A deadline that is none. */
#define SESSION_NEVER UINT64_MAX

struct aside;
struct session;

/* What the sessions of one listener share; it outlives them. */
struct session_env {
    struct hub *hub;
    struct inflater *inflater;
    struct aside *aside; /* NULL: all is done on the loop */
    bool is_any_thread;  /* see struct server_listener */
    struct server_limits limits;
    request_handler *handler;
    request_body_most *body_most; /* NULL: whatever the limits allow */
    void *ctx;
    const struct cors *cors; /* NULL: pages of other origins are told nothing */
    struct header *headers;  /* of each answer of HTTP that does not say them
                                itself; in lower case */
    size_t header_len;
};

struct session_peer {
    bool is_tls;
    bool is_loopback;
    str tls_name;
    uint32_t share; /* of the hub's budget */
};

/* Where the next bytes should be read to: first to |place|, which is the
 * session's, and what follows to |spare|, which is the reader's. */
struct session_room {
    char *place; /* NULL: none */
    size_t place_len;
    char *spare;
    size_t spare_len;
};

struct session_ops {
    const char *name; /* of the protocol, as people write it */
    void (*place)(struct session *session, struct session_room *room);
    void (*feed)(struct session *session, str bytes);
    void (*eof)(struct session *session);
    void (*produce)(struct session *session, struct buf *out);
    void (*answered)(struct session *session, struct exchange *exchange);
    uint64_t (*deadline)(const struct session *session);
    void (*expire)(struct session *session);
    void (*drain)(struct session *session);
    size_t (*under_way)(const struct session *session); /* requests */
    void (*free)(struct session *session);
};

struct session {
    const struct session_ops *ops;
    const struct session_env *env;
    struct session_peer peer;
    uint64_t now_ms; /* of the last call; monotonic */

    /* Called when an answer came from outside a call: produce, soon. */
    void (*wake)(void *owner);
    void *owner;

    size_t out_high; /* produce no more at a time, about; the owner's */
    bool is_over;    /* send what is produced, then close */
    bool is_full;    /* read no more until produce has been called */
    bool must_drain; /* the peer may still be sending: close gently */
};

#endif
