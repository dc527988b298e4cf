/*
 * sse - the transport of revision 2024-11-05: HTTP with server-sent events.
 *
 * GET opens a stream.  Its first event, `endpoint`, is the URL with the id of
 * a session; a POST there is answered 202, and what is answered to it comes as
 * an event `message` of the stream.  The only transport that keeps sessions: a
 * table of them, each with its open stream and the calls under way.
 *
 * A session ends when its client goes, does not read (net/request.h), or asks
 * nothing for a while, and when the server stops: then once what was asked has
 * been answered.  What is still under way in a session that ended is cancelled.
 *
 * Bound      SSE_MAX sessions, SSE_CALLS_MAX calls under way in each.
 * Threads    Any thread.
 */
#ifndef MCP_SSE_H
#define MCP_SSE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "net/request.h"

enum {
    SSE_MAX = 64,
    SSE_CALLS_MAX = 32,
    SSE_ID_LEN = 32, /* 128 random bits */
    SSE_BEAT_MS = 15000,
};

struct mcp;
struct mcp_call;

struct sse_session {
    char id[SSE_ID_LEN + 1];
    struct request *req;    /* the open stream; NULL: none */
    struct mcp_call *calls; /* under way, linked by next */
    size_t call_len;
    uint64_t used_mono_ns; /* the last POST */
    int rev;               /* enum mcp_rev, as agreed */
    int log_level;
};

struct sse {
    pthread_mutex_t mutex;
    pthread_cond_t stop; /* on the monotonic clock */
    pthread_t beat;
    uint64_t idle_ns; /* 0: not served */
    bool has_beat;
    bool stopped;
    struct sse_session sessions[SSE_MAX]; /* free: no stream and no calls */
};

void sse_init(struct sse *sse, uint64_t idle_ns);
void sse_fini(struct sse *sse);

/* sse_open makes the answer of |req| the stream of a new session; false, and
 * |req| not answered, when there are too many. */
bool sse_open(struct mcp *mcp, struct request *req);

/* sse_enter gives |call| to the session |id|, through which it is answered.
 * ERR_NOT_FOUND: there is none; ERR_FULL: it has too many calls under way. */
enum err sse_enter(struct mcp_call *call, str id);

/* sse_cancel cancels what the notification |notice| names in the session |id|,
 * if that is still there. */
void sse_cancel(struct mcp_call *notice, str id);

/* sse_check sends each stream a line without meaning, so that those who have
 * gone are noticed, and ends the sessions that are idle at |now_mono_ns|.  Run
 * every SSE_BEAT_MS, or more often when idle_ns is shorter. */
void sse_check(struct sse *sse, uint64_t now_mono_ns);

/* sse_stop ends all sessions, each after its last answer; none begins. */
void sse_stop(struct sse *sse);

#endif
