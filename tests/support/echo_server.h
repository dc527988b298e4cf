/*
 * echo_server - a gRPC endpoint whose handler notes what it was given and
 * answers as it is told.
 *
 * Threads    The handler runs on the endpoint's thread.  What it notes may be
 *            read after |problem| or |handled| was.
 */
#ifndef TESTS_SUPPORT_ECHO_SERVER_H
#define TESTS_SUPPORT_ECHO_SERVER_H

#include <stdatomic.h>

#include "net/grpc.h"
#include "tests/support/grpc_client.h"

#define OTHER_PATH "/some.Service/Method"
#define MIB        ((size_t)1 << 20)

enum echo_mode {
    ECHO_BACK,
    ECHO_REFUSE,
    ECHO_REFUSE_ENCODING,
    ECHO_LATER,
    ECHO_NEVER,
    ECHO_STREAM
};

struct echo_server {
    struct grpc_endpoint *endpoint;
    struct server_listener listener;
    char target[128];
    atomic_int mode; /* enum echo_mode */
    atomic_int handled;
    atomic_int cancelled;
    _Atomic(struct request *) held;
    atomic_int problem;
    struct buf path;
    struct buf header;
    struct buf echo;
    bool is_loopback;
    bool is_padded;
    size_t wire_len;
};

/* echo_server_with has the limits of server_limits_default; change what
 * differs, or the handler, before echo_server_open. */
struct echo_server echo_server_with(enum echo_mode mode);
void echo_server_open(struct echo_server *fix);
void echo_server_close(struct echo_server *fix);

/* echo_server_call makes one call with a client of its own. */
struct grpc_answer echo_server_call(struct echo_server *fix, const char *path,
                                    str body, bool gzip);

/* echo_server_echo answers |req| with its own body. */
void echo_server_echo(struct request *req);

/* echo_server_dial is a connection to it, the caller's to close. */
int echo_server_dial(const struct echo_server *fix);

/* echo_server_reaches waits until |*value| is |wanted|; false after 5 s. */
bool echo_server_reaches(atomic_int *value, int wanted);

#endif
