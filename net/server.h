/*
 * server - listens, and turns connections into requests.
 *
 * One event loop on one thread serves any number of listeners.  A listener
 * speaks HTTP/1.1 and HTTP/2 on one port (by ALPN under TLS, by the connection
 * preface without), and takes gRPC calls among its HTTP/2 streams.
 *
 *     server_new(&server, &cfg);
 *     server_listen(server, &listener, error);   ... once each
 *     server_start(server);
 *     server_stop(server, drain_ms);
 *     server_free(server);
 *
 * Bound      Every limit is in struct server_limits; reaching one refuses the
 *            newcomer and never the work under way.
 * Threads    new, listen, start, stop, free: the owner.  server_work*: any.
 */
#ifndef NET_SERVER_H
#define NET_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "net/cors.h"
#include "net/request.h"
#include "net/server_tls.h"

struct server;

struct server_limits {
    size_t body_bytes;    /* of one body, wire and decompressed; 64 MiB */
    size_t header_bytes;  /* of one request's header list; 16 KiB */
    size_t budget_bytes;  /* of all bodies under way; 512 MiB */
    uint32_t connections; /* 10,000 */
    uint32_t address_connections; /* of one address; 0: any number */
    uint32_t streams;             /* at once in one HTTP/2 connection; 128 */
    uint32_t header_ms;           /* to connect and send the header; 10,000 */
    uint32_t idle_ms;             /* between requests; 60,000 */
    uint32_t write_ms;            /* to take an answer; 30,000 */
    uint32_t body_rate;           /* least bytes a second after 5 s; 1,024 */
    uint32_t max_age_ms;          /* of a connection, a tenth more or less, then
                                   * GOAWAY; 0: none */
};

/* The defaults above. */
extern const struct server_limits server_limits_default;

struct server_listener {
    const char *address; /* "127.0.0.1", "::1", "0.0.0.0"; or "unix:/path" */
    uint16_t port;       /* 0: any free one; see server_port */
    struct server_tls tls;
    struct server_limits limits;
    request_handler *handler;
    request_body_most *body_most; /* NULL: whatever the limits allow */
    void *ctx;
    const struct cors *cors; /* NULL: pages of other origins are told nothing;
                                stays while the server does */
    const struct header *headers; /* of each answer of HTTP; copied */
    size_t header_len;
    /* The handler may be called on another thread for large bodies, at the same
     * time as on the loop; it has no use for on_cancel. */
    bool is_any_thread;
};

/* server_new: ERR_NOMEM.  server_set_name, before it is started, says what its
 * thread is called (base/thread.h); "loop" by itself. */
enum err server_new(struct server **out);
void server_set_name(struct server *server, const char *name);

/*
 * server_listen opens |listener|; it accepts once the server is started.
 * |index| numbers the listeners from 0.  On failure |why| says what to do:
 *
 * ERR_BUSY     the port or socket path is in use
 * ERR_DENIED   no permission, or an unreadable certificate or key
 * ERR_INVALID  an address that is none, a certificate that is none
 */
enum err
server_listen(struct server *server, const struct server_listener *listener,
              size_t *index, struct buf *why);

/* server_port is the port that listener |index| has got. */
uint16_t server_port(const struct server *server, size_t index);

/* server_start begins to serve; SIGPIPE is ignored from now on.  ERR_NOMEM. */
enum err server_start(struct server *server);

/* server_reload reads the certificates again; connections go on.  On failure
 * the old ones stay and |why| is logged. */
void server_reload(struct server *server);

/*
 * server_stop refuses new connections and requests, waits at most |drain_ms|
 * for those under way to be answered, closes all and ends the thread.
 * server_drain begins that and does not wait, so that several can be stopped at
 * once; server_stop then waits for the rest of the |drain_ms| given here.
 */
void server_drain(struct server *server, uint32_t drain_ms);
void server_stop(struct server *server, uint32_t drain_ms);
void server_free(struct server *server);

/* Threads of the pool, one of them for short work alone. */
enum { SERVER_WORK_THREADS = 4 };

/* server_work runs |work| on a pool thread, for what may block, of a client
 * that takes turns with others: request.share.  server_work_short what does not
 * for long, without waiting for all of those before it, and has some place
 * where they have none.  ERR_FULL: too much is waiting already, or more of this
 * client than there is place left for all others, or the server does not run.
 */
enum err server_work(struct server *server, uint32_t share,
                     void (*work)(void *ctx), void *ctx);
enum err
server_work_short(struct server *server, void (*work)(void *ctx), void *ctx);

#endif
