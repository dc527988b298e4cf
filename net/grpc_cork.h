/*
 * grpc_cork - answers of one round at one connection go out together.
 *
 * Core writes each answer with a call to the system of its own, and has no
 * option for gathering them; of a call with one span that was a third of the
 * time, most of it for a segment of its own and waking its reader.  So the
 * program's sendmsg is the one of this file: between cork_begin and cork_end
 * it tells the system that more will follow (MSG_MORE), and a segment goes out
 * when it is full, or when cork_flush says that this was all.
 *
 *     cork_begin(cork, len) ... core sends ... cork_end()    many
 *     cork_flush(cork)                the end of the round, or it is due
 *
 * Where there is one answer a round nothing is held: the first of a round goes
 * at once, unless there were more in the last one at that connection.
 *
 * The bytes are the system's all the time: what is never flushed is late by
 * its 200 ms, but not lost, not even when core closes the socket.
 *
 * Bound      CORK_SOCKETS at a time; those beyond send at once.
 * Threads    A cork is of one thread.
 */
#ifndef NET_GRPC_CORK_H
#define NET_GRPC_CORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CORK_SOCKETS = 64, CORK_WORK_BYTES = 1 << 14, CORK_NS = 500000 };

struct cork_socket {
    int fd;
    uint32_t sends; /* of this round */
    bool is_many;   /* there were several in the last one */
};

struct cork {
    struct cork_socket sockets[CORK_SOCKETS]; /* by the end of |fd| */
    uint8_t used[CORK_SOCKETS];               /* which have sends */
    size_t used_len;
    size_t held;       /* sends that were held back */
    uint64_t since_ns; /* the first of them; steady clock */
};

/*
 * cork_begin: what this thread sends from here to cork_end may wait for
 * cork_flush.  It must not sleep between them.  |len| bytes will be worked on:
 * for more than CORK_WORK_BYTES nobody waits, what is held goes out before.
 */
void cork_begin(struct cork *cork, size_t len);
void cork_end(void);

/* cork_is_due: has something been held for CORK_NS? */
bool cork_is_due(const struct cork *cork);

/* cork_flush sends what is held and ends the round.  A socket that is closed by
 * now has sent it all; if another has its number, nothing happens to that. */
void cork_flush(struct cork *cork);

#endif
