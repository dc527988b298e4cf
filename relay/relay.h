/*
 * relay - the sidecar: takes requests, keeps them on disk, hands them on.
 *
 *     receiver -> strip -> queue -> spool -> forward -> gateway
 *                             \ answer
 *
 * A request is stripped on the thread that decodes it and answered when it is
 * in the spool (at once, if so configured).  Then it belongs to a batch, which
 * is sent until the gateway has answered, the oldest first, one at a time, the
 * very same bytes each time.  The gateway knows a request for 15 minutes by the
 * digest of its bytes (runtime/digests.h, 1,048,576 of them), so "at least
 * once" becomes "once" as long as a batch whose fate is unknown - sent whole,
 * and no answer - is repeated within that time.  Only one batch at a time can
 * be in doubt; one that is repeated later is counted as doubtful and said in
 * the log: to count a batch twice is better than to lose it.
 *
 * A batch that the gateway refuses for good is set aside, so that it does not
 * hold up the rest, and is tried again when the relay is started or given its
 * gateway anew (SIGHUP, changed files).
 *
 *     relay_open; relay_start; ... relay_stop; relay_close
 *
 * Bound      Of the queue: four batches of stripped bytes, and what the lanes
 *            hold.  Of the spool: store/spool.h.  Beyond, ERR_FULL.
 * Threads    The sink as trace_sink (otlp/receiver.h) says; relay_is_writable
 *            any; the rest the owner.  Inside, a writer and a forwarder.
 */
#ifndef RELAY_RELAY_H
#define RELAY_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "otlp/receiver.h"
#include "relay/forward.h"
#include "store/spool.h"

/* How long the gateway knows a batch; ENGINE_DIGEST_NS there. */
#define RELAY_KNOWN_NS (UINT64_C(900) * NS_PER_S)

enum { RELAY_LANES_MAX = 16, RELAY_ODD_MAX = 16 };

struct relay_cfg {
    const char *dir; /* of the spool */
    struct spool_cfg spool;
    bool answer_at_once; /* a crash loses what is not yet in the spool */
    uint32_t group_ms;   /* gather requests for one transaction */
    uint32_t retry_first_ms;
    uint32_t retry_most_ms;
    size_t lanes; /* at most RELAY_LANES_MAX */
};

struct relay;

/* relay_open opens the spool.  Errors as spool_open; a damaged spool is set
 * aside, said in the log, and what could be read of it is sent. */
enum err
relay_open(struct relay **out, const struct relay_cfg *cfg, struct buf *why);

/* relay_set_gateway says where to send, from the next attempt on.  Errors as
 * forward_new; then it is as before. */
enum err relay_set_gateway(struct relay *relay, const struct forward_cfg *cfg,
                           struct buf *why);

/* relay_stop_fd is what struct client_cfg needs as stop_fd. */
int relay_stop_fd(const struct relay *relay);

void relay_get_sink(struct relay *relay, struct trace_sink *out);

/* relay_start begins the threads; relay_set_gateway comes first.  ERR_NOMEM. */
enum err relay_start(struct relay *relay);

/* relay_is_writable: the last transaction of the spool did not fail. */
bool relay_is_writable(const struct relay *relay);

/*
 * relay_stop writes what is queued to the spool, sends for |drain_ms| at most,
 * and ends the threads.  What is left is in the spool.  When no more requests
 * come.
 */
void relay_stop(struct relay *relay, uint32_t drain_ms);
void relay_close(struct relay *relay);

#endif
