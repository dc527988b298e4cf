/*
 * forward - one batch to the gateway, and what its answer means.
 *
 *     taken    2xx, perhaps with spans that the gateway does not want
 *     later    no connection or no answer; 408, 429 and all of 5xx but 501;
 *              2xx with more than a gateway says, or with HTML, which is
 *              somebody's page
 *     refused  everything else: asking again would give the same
 *
 * OTLP allows to repeat only 429, 502, 503 and 504; the others that are
 * repeated here are what proxies and overloaded servers say, and the caller
 * bounds them.  A batch is the same bytes each time, by which the gateway knows
 * it again.
 *
 * Threads    One at a time.
 */
#ifndef RELAY_FORWARD_H
#define RELAY_FORWARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "net/client.h"

/* A gateway that asks for more patience than this is not believed: it would be
 * a third of the time for which it knows a batch again. */
enum { FORWARD_WAIT_MAX_MS = 300000 };

enum forward_outcome {
    FORWARD_TAKEN,
    FORWARD_LATER,
    FORWARD_REFUSED,
    FORWARD_STOPPED, /* stop_fd of the client */
};

/* Zero-initialise; buf_fini(&answer.why). */
struct forward_answer {
    enum forward_outcome outcome;
    int status;        /* HTTP; 0: no answer */
    uint32_t retry_ms; /* the gateway asks to wait so long; 0: it does not */
    uint64_t rejected; /* spans of a batch that was taken */
    bool is_doubtful;  /* it may have been taken, nobody knows */
    bool is_odd;       /* later, by what OTLP does not repeat */
    struct buf why;    /* what was said, for the log */
};

struct forward_cfg {
    struct client_cfg gateway; /* a URL without a path gets /v1/traces */
    const char *headers;       /* lines that end with CRLF */
    uint32_t timeout_ms;       /* of one attempt */
};

struct forward;

/* forward_new copies |cfg|.  Errors as client_open. */
enum err forward_new(struct forward **out, const struct forward_cfg *cfg,
                     struct buf *why);
void forward_free(struct forward *forward);

/* forward_send makes one attempt with |packed|, gzip.  Of an answer of more
 * than 64 KiB the status counts alone, and 2xx is not believed, as it is not
 * with HTML. */
void forward_send(struct forward *forward, str packed,
                  struct forward_answer *answer);

/*
 * forward_wait_ms is how long to wait after |tries| attempts that failed in a
 * row: |first_ms|, then half as much again each time, to |most_ms|; of that
 * between a half and all by |random|, so that sidecars do not come in step; but
 * never less than the gateway asked for.
 */
uint32_t forward_wait_ms(uint32_t tries, uint32_t first_ms, uint32_t most_ms,
                         uint32_t asked_ms, uint64_t random);

#endif
