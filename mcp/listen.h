/*
 * listen - the open answers of subscriptions/listen.
 *
 * A subscription is a call whose answer stays open: an acknowledgement first,
 * then notifications of the kinds it asked for, each with the subscription's
 * id, and a result when the server stops.  A line without meaning is sent every
 * LISTEN_BEAT_MS over HTTP, so that those who have gone are noticed.
 *
 * Bound      LISTEN_MAX subscriptions at once.
 * Threads    Any thread.
 */
#ifndef MCP_LISTEN_H
#define MCP_LISTEN_H

#include <pthread.h>
#include <stdbool.h>

#include "mcp/extra.h"

enum { LISTEN_MAX = 64, LISTEN_BEAT_MS = 15000 };

struct mcp_call;

struct subscription {
    struct mcp_call *call; /* NULL: the slot is free */
    unsigned wants;        /* 1 << enum mcp_list */
};

struct listen {
    pthread_mutex_t mutex;
    pthread_cond_t stop;
    pthread_t beat;
    bool has_beat;
    bool stopped;
    struct subscription subscriptions[LISTEN_MAX];
};

void listen_init(struct listen *listen);
void listen_fini(struct listen *listen);

/* listen_send tells all who want |list|. */
void listen_send(struct listen *listen, enum mcp_list list);

/* listen_cancel ends the subscription of |channel_ctx| whose id is |id|, or the
 * first one if |id| is NULL; false when there is none. */
bool
listen_cancel(struct listen *listen, const void *channel_ctx, const char *id);

/* listen_stop ends all subscriptions with a result. */
void listen_stop(struct listen *listen);

#endif
