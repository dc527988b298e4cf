/*
 * net_kit - what tests of net/ stand on: a handler with known manners, a
 * session without a socket, a server with one, and a client.
 *
 * The handler goes by path:
 *     /echo     answers at once with what came (see kit_handler)
 *     /later    the same, from a pool thread
 *     /hold     keeps the request for kit_held; cancel is counted
 *     /none     204 without a body
 *     /big      1 MiB of 'b'
 *
 * Threads    None, but that the handler runs on the server's.
 */
#ifndef TESTS_NET_KIT_H
#define TESTS_NET_KIT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "net/server.h"
#include "net/session.h"

enum { KIT_HELD_MAX = 64, KIT_WAIT_MS = 5000 };

struct kit {
    struct server *server;
    uint16_t port;
    pthread_mutex_t mutex;
    struct request *held[KIT_HELD_MAX];
    size_t held_len;
    int requests;
    int cancels;
    enum request_problem problem; /* of the last request */
    enum request_protocol protocol;
    struct buf seen; /* headers of the last, "name: value\n" */
    struct buf body; /* of the last */

    /* For a session without a socket. */
    struct session_env env;
    struct session *session;
    uint64_t now_ms;
    struct buf out; /* all it has said */
};

/* kit_handler answers 200 (a problem: 400 + problem; gRPC: status 0 or 3) with
 * "METHOD path?query body" as the body. */
void kit_handler(void *ctx, struct request *req);

/* kit_start serves on a free port of 127.0.0.1; |change| (may be NULL) edits
 * the listener first. */
void kit_start(struct kit *kit, void (*change)(struct server_listener *));
void kit_stop(struct kit *kit);

/* kit_session makes a session of |make| at time 1,000 ms. */
typedef struct session *kit_session_fn(const struct session_env *,
                                       const struct session_peer *, uint64_t);
void kit_session(struct kit *kit, kit_session_fn *make,
                 const struct server_limits *limits);
void kit_feed(struct kit *kit, str bytes);
/* kit_pass moves the clock on, and expires what is due. */
void kit_pass(struct kit *kit, uint64_t ms);
void kit_session_fini(struct kit *kit);

/* kit_held waits for |count| held requests and returns the last. */
struct request *kit_held(struct kit *kit, size_t count);

/* kit_wait_cancels waits until |count| were cancelled. */
bool kit_wait_cancels(struct kit *kit, int count);

/* A blocking client; all calls give up after KIT_WAIT_MS. */
int kit_connect(const struct kit *kit);
void kit_send(int fd, str bytes);
/* kit_recv reads until |until| has been seen |count| times, or the end. */
void kit_recv(int fd, struct buf *out, str until, size_t count);
/* kit_recv_all reads to the end; false if there was none in time. */
bool kit_recv_all(int fd, struct buf *out);

size_t kit_count(const struct buf *text, str what);
bool kit_has(const struct buf *text, const char *what);

#endif
