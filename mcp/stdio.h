/*
 * stdio - one client on a pair of descriptors: a JSON message a line.
 *
 * Two threads: the caller's reads lines, another runs the calls one after the
 * other.  So a cancellation, or the answer to a question, gets through while a
 * call is under way.
 *
 * Bound      STDIO_LINE_MAX bytes a line; a longer one is answered with an
 *            error and skipped.  STDIO_QUEUE_MAX calls wait, then reading does.
 * Threads    stdio_take: the reader.  stdio_run_next: the runner.
 */
#ifndef MCP_STDIO_H
#define MCP_STDIO_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "mcp/call.h"
#include "mcp/mcp.h"

enum { STDIO_LINE_MAX = 4 << 20, STDIO_QUEUE_MAX = 64 };

struct stdio {
    struct mcp *mcp;
    int out_fd;
    pthread_mutex_t out_mutex;
    bool is_broken; /* writing failed; under out_mutex */

    pthread_mutex_t mutex; /* of all below */
    pthread_cond_t changed;
    struct mcp_call *first;
    struct mcp_call **last;
    size_t waiting;
    struct mcp_call *running;
    bool at_end;

    enum mcp_rev rev; /* what initialize agreed on; the runner's */
    int log_level;    /* the runner's */
};

void stdio_init(struct stdio *s, struct mcp *mcp, int out_fd);

/* stdio_fini forgets the calls that still wait. */
void stdio_fini(struct stdio *s);

/* stdio_take takes one line in: answers what is no message, queues what is a
 * request.  It waits while the queue is full. */
void stdio_take(struct stdio *s, str line);

/* stdio_end says that no more lines will come; with |cancel|, that nobody waits
 * for answers either. */
void stdio_end(struct stdio *s, bool cancel);

/* stdio_run_next runs the call that waits longest.  It waits for one, unless
 * |wait| is false; false: there is none, and with |wait|, none will come. */
bool stdio_run_next(struct stdio *s, bool wait);

#endif
