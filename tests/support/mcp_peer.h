/*
 * mcp_peer - a client without a network, and a small offer to ask.
 *
 *     struct peer peer;
 *     peer_init(&peer, mcp);
 *     peer_old(&peer, "{\"jsonrpc\":...}");        or peer_new(...)
 *     peer.status, peer_result(&peer), ...
 *     peer_fini(&peer);
 *
 * The handler gets a real struct request with operations that write down what
 * they are asked; every request must be answered exactly once.
 */
#ifndef TESTS_SUPPORT_MCP_PEER_H
#define TESTS_SUPPORT_MCP_PEER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "mcp/extra.h"
#include "mcp/mcp.h"

enum { PEER_HEADERS = 24 };

struct peer {
    struct request req;
    struct mcp *mcp;
    pthread_mutex_t mutex; /* of what the operations write */
    struct header headers[PEER_HEADERS];
    int status;
    struct buf type;  /* content type of the answer */
    struct buf extra; /* "name: value\n" of its other headers */
    struct buf body;  /* all of it; for a stream, all events */
    unsigned answers; /* replies and closed streams */
    bool is_stream;
    bool is_gone; /* writes fail */
    cJSON *json;
};

void peer_init(struct peer *peer, struct mcp *mcp);
void peer_fini(struct peer *peer);

/* peer_header sets a header, or takes it away with NULL. */
void peer_header(struct peer *peer, const char *name, const char *value);

/* peer_post sends |body| as it is, with the headers set. */
void peer_post(struct peer *peer, const char *body);

/* peer_old sends |body| under |version|, peer_new a call of 2026-07-28 whose
 * params have |members| beside `_meta`; |name| is for Mcp-Name, or NULL. */
void peer_old(struct peer *peer, const char *version, const char *body);
void peer_new(struct peer *peer, const char *method, const char *name,
              const char *members);

/* peer_await waits until |words| have come, from any thread, and copies what
 * follows them to |rest|; false after a second. */
bool peer_await(struct peer *peer, const char *words, char *rest, size_t cap);

/* The answer, parsed; of a stream, its last event. */
const cJSON *peer_json(struct peer *peer);
const cJSON *peer_result(struct peer *peer);
int peer_code(struct peer *peer); /* of the error; 0: none */

/* peer_text is the text of the first content block. */
const char *peer_text(struct peer *peer);

/* peer_offer has: tools echo {text, times 1..5 = 1, kind a|b}, fail, nothing,
 * hostile, large {bytes}, steps, ask, tell, change, wait, mirror; resources
 * test://one and test://item/{name}; the prompt greet {who}. */
extern const struct mcp_offer peer_offer;

/* How often the tool "echo" ran. */
extern unsigned peer_echoes;

/* What happens while the tool "wait" runs, or NULL. */
extern void (*peer_meanwhile)(void);

#endif
