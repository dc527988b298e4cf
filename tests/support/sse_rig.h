/*
 * sse_rig - a server and a client of its sessions over /sse: a stream that is
 * read, and posts beside it.
 *
 * Threads    None, but that posts may come from any.
 */
#ifndef TESTS_SUPPORT_SSE_RIG_H
#define TESTS_SUPPORT_SSE_RIG_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "tests/support/mcp_peer.h"

#define SSE_MESSAGE(id, name, rest)                               \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" name "\"," \
    "\"params\":{" rest "}}"
#define SSE_CALL(id, name, args)         \
    SSE_MESSAGE(id, "tools/call",        \
                "\"name\":\"" name "\"," \
                "\"arguments\":{" args "}")

enum { SSE_RIG_IDLE_MS = 60000, SSE_QUERY_CAP = 64 };

struct sse_client {
    struct peer stream;
    struct peer poster;
    char query[SSE_QUERY_CAP]; /* that names the session, once it is open */
};

struct sse_rig {
    struct mcp *mcp;
    struct sse_client client;
};

/* The one of the test that runs, its set-up and its tear-down. */
extern struct sse_rig sse;
int sse_rig_setup(void **state);
int sse_rig_teardown(void **state);
#define SSE_TEST(test) \
    cmocka_unit_test_setup_teardown(test, sse_rig_setup, sse_rig_teardown)

/* Clients of the one server. */
void sse_client_init(struct sse_client *one);
void sse_client_fini(struct sse_client *one);

/* sse_client_open opens the stream; false when it is refused. */
bool sse_client_open(struct sse_client *one);
/* sse_client_post posts |body| to the session and returns the status of that.
 */
int sse_client_post(struct sse_client *one, const char *body);
/* sse_client_last returns what came on the stream last; the client's. */
const cJSON *sse_client_last(struct sse_client *one);
/* sse_client_got returns whether |words| have come on the stream. */
bool sse_client_got(struct sse_client *one, const char *words);
/* sse_client_go is a client that leaves. */
void sse_client_go(struct sse_client *one);

#endif
