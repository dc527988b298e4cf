/*
 * grpc_pace - whether the messages of a connection to gRPC core come fast
 * enough.
 *
 * Core 1.51 waits for a message for ever: its ends of idle connections are of
 * those without a call, and its pings of who does not answer.  So a byte now
 * and then kept a connection, one of those that all senders share.
 *
 * Looked at is the connection, so that one slow call ends nobody else's who
 * sends beside it, and only when something comes.  Of who is silent that is the
 * answer to a ping of core's.
 *
 * Bound      The rate after PACE_NS, and in each that follows, while a message
 *            is not whole.
 * Threads    One at a time.
 */
#ifndef NET_GRPC_PACE_H
#define NET_GRPC_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACE_NS UINT64_C(5000000000)

/* Zeroed to begin. */
struct pace {
    uint64_t since_ns; /* 0: nothing is waited for */
    uint64_t bytes;    /* since then */
};

/* pace_take: |len| bytes came at |now_ns|, and |is_waiting| for more of a
 * message.  False: that is less than |rate| bytes a second. */
bool pace_take(struct pace *pace, size_t len, uint64_t now_ns, bool is_waiting,
               uint32_t rate);

/* pace_restart: for a reason of ours nothing could come until |now_ns|, if that
 * is why it took so long: core gives a little window with nearly every write
 * while it has a large message, and who sends byte by byte has never none. */
static inline void
pace_restart(struct pace *pace, uint64_t now_ns)
{
    if (now_ns - pace->since_ns >= PACE_NS)
        pace->since_ns = 0;
}

#endif
