/*
 * pending - calls that may lose their client, and questions that wait for one.
 *
 * live knows which requests have a call under way, so that a transport can say
 * "the peer of this request is gone" without holding the call: the call may be
 * answered and freed by its work thread at the same moment.
 *
 * pending knows which questions (server to client requests, before 2026-07-28)
 * are open.  Their ids are 128 random bits, so that only the client that was
 * asked can answer.
 *
 * Bound      PENDING_MAX questions at once.
 * Threads    Any thread.
 */
#ifndef MCP_PENDING_H
#define MCP_PENDING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/err.h"

enum { PENDING_MAX = 64, PENDING_ID_LEN = 32 };

struct mcp_call;

struct live_entry {
    const void *key; /* the transport's request; NULL: not entered */
    struct mcp_call *call;
    struct live_entry *next;
    struct live_entry **link;
};

struct live {
    pthread_mutex_t mutex;
    struct live_entry *first;
};

struct question {
    char id[PENDING_ID_LEN + 1]; /* empty: the slot is free */
    struct mcp_call *call;       /* who asks */
    cJSON *answer;               /* the response, once it is there */
};

struct pending {
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* on the monotonic clock */
    bool stopped;
    struct question questions[PENDING_MAX];
};

void live_init(struct live *live);
void live_fini(struct live *live);
void live_add(struct live *live, struct live_entry *entry, const void *key,
              struct mcp_call *call);

/* live_remove may be called again, and for what was never added.  After it no
 * other thread touches the call. */
void live_remove(struct live *live, struct live_entry *entry);

/* live_gone marks the call of |key| as gone. */
void live_gone(struct live *live, const void *key);

void pending_init(struct pending *pending);
void pending_fini(struct pending *pending);

/* pending_open takes a slot and sets |id|; ERR_FULL. */
enum err
pending_open(struct pending *pending, struct mcp_call *call, const char **id);

/*
 * pending_wait waits for the answer to |id| and frees the slot.  NULL when
 * |deadline_mono_ns| has passed, the client is gone or mute, or pending_stop.
 */
cJSON *pending_wait(struct pending *pending, const char *id,
                    uint64_t deadline_mono_ns);

/* pending_answer hands over the response |root| to who asked; false, and
 * nothing taken, when nobody did. */
bool pending_answer(struct pending *pending, const char *id, cJSON *root);

/* pending_wake makes all who wait look again at their client. */
void pending_wake(struct pending *pending);

/* pending_stop ends all waits, and those to come. */
void pending_stop(struct pending *pending);

#endif
