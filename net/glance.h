/*
 * glance - what the connections of a server are at, for who watches it.
 *
 * Only the loop knows them, so it is asked and has a moment to tell.  A loop
 * that hangs is not waited for, and that it did not answer is news as well.
 *
 * Memory     What is told lies in the caller's |out|; nothing is kept.
 * Threads    Any but a loop's that is asked.
 */
#ifndef NET_GLANCE_H
#define NET_GLANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct message;
struct server;

enum { GLANCE_PEER_CAP = 80 };

/* One connection. */
struct glance_conn {
    char peer[GLANCE_PEER_CAP]; /* "203.0.113.7:50312", "[::1]:50312", "unix" */
    const char *protocol;       /* "HTTP/1.1", "HTTP/2"; "": nothing came yet */
    size_t listener;            /* as server_listen numbers them */
    size_t requests;            /* begun, and not answered */
    size_t unsent_bytes;        /* of answers, on our side of the socket */
    uint64_t age_ms;
    bool is_tls;
    bool is_ending; /* is being closed, or takes no more requests */
};

/*
 * glance_conns fills |out| with those of |server|, the newest first, |cap| of
 * them at most; |len| is how many that is, |total| how many there are.  Waits
 * |wait_ms| at most.
 *
 * ERR_BUSY       the loop did not answer in that time
 * ERR_CANCELLED  the server does not run
 * ERR_NOMEM
 */
enum err
glance_conns(struct server *server, uint32_t wait_ms, struct glance_conn *out,
             size_t cap, size_t *len, size_t *total);

/* glance_answer is for the loop, which found |message| in its hub. */
void glance_answer(struct server *server, struct message *message);

#endif
