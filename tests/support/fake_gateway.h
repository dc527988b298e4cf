/*
 * fake_gateway - a server that answers as it is told, and keeps what it got.
 *
 * One connection at a time, on a thread of its own.  Each request takes the
 * next step; when there are no more, it is answered 200.
 *
 * Threads    start, stop: the owner.  What was got may be read after
 *            fake_gateway_wait, as far as it was waited for.
 */
#ifndef TESTS_SUPPORT_FAKE_GATEWAY_H
#define TESTS_SUPPORT_FAKE_GATEWAY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum fake_act {
    FAKE_ANSWER,  /* |status|, |headers|, |body| */
    FAKE_LEAVE,   /* the same, and closes without having said so */
    FAKE_EARLY,   /* the same, before it has read the body */
    FAKE_HANG_UP, /* closes when it has read the request */
    FAKE_DIE,     /* the same, and listens no more */
    FAKE_CUT,     /* closes in the middle of the answer */
    FAKE_LATE,    /* the same as FAKE_ANSWER, after |ms| */
    FAKE_NOISE,   /* sends |body| as it is, and closes */
};

struct fake_step {
    enum fake_act act;
    int status;          /* 0: 200 */
    const char *headers; /* lines that end with CRLF; NULL: none */
    str body;
    uint32_t ms;
};

enum { FAKE_GOT_MAX = 512 };

struct fake_got {
    struct buf head;
    struct buf body;
};

struct fake_gateway {
    uint16_t port;
    char url[64];
    const struct fake_step *steps;
    size_t step_len;
    struct fake_got got[FAKE_GOT_MAX];
    size_t got_len;
    size_t connections;
    int listener;
    int stop_fd;
    pthread_t thread;
    pthread_mutex_t lock;
};

/* fake_gateway_start listens on |port| of 127.0.0.1, 0: any. */
void
fake_gateway_start(struct fake_gateway *gateway, const struct fake_step *steps,
                   size_t len, uint16_t port);
void fake_gateway_stop(struct fake_gateway *gateway);

/* fake_gateway_got is how many requests there were. */
size_t fake_gateway_got(struct fake_gateway *gateway);
/* fake_gateway_wait waits for |count| of them, 5 s at most. */
bool fake_gateway_wait(struct fake_gateway *gateway, size_t count);

#endif
