/*
 * loop - the inside of a server: its event loop, listeners and connections.
 *
 * For the files of net/ that own sockets; others use net/server.h.
 *
 * Threads    The loop's, but for what net/server.h says.
 */
#ifndef NET_LOOP_H
#define NET_LOOP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/buf.h"
#include "net/aside.h"
#include "net/hub.h"
#include "net/peers.h"
#include "net/server.h"
#include "net/session.h"
#include "net/stranger.h"
#include "net/tls.h"

enum {
    LISTENERS_MAX = 16,
    READ_ROOM = 64 << 10, /* one for all: a read is used up at once */
};

struct conn;

struct listener {
    uv_poll_t poll;   /* of |fd| */
    uv_timer_t pause; /* until it is polled again */
    int fd;
    char *path; /* of a unix socket */
    struct server *server;
    struct session_env env;
    struct tls_source *tls; /* NULL: none */
    struct peers *peers;    /* NULL: one address may have them all */
    uint32_t conn_len;
    uint32_t aged; /* connections that were given an age, round and round */
    uint32_t reload_ms;
    uint16_t port;
    struct stranger_log strangers;
    bool is_unix;
    bool is_open; /* the handles are */
};

struct server {
    uv_loop_t loop;
    uv_async_t wake;
    uv_check_t round; /* at the end of each round: flushes what waited */
    uv_timer_t stop_timer;
    uv_timer_t reload_timer;
    pthread_t thread;
    struct hub *hub;
    struct inflater *inflater;
    struct aside *aside;
    uint64_t peer_seed; /* by which addresses are known */
    uint32_t entered;   /* connections, round and round */
    struct listener *listeners[LISTENERS_MAX];
    size_t listener_len;
    struct conn *conns; /* see conn_next */
    struct conn *dirty; /* have something to produce */
    char *room;
    struct turns *turns;              /* of long work */
    atomic_uint works;                /* posted and not finished */
    atomic_uint works_of[HUB_SHARES]; /* of these */
    atomic_uint drain_ms;
    atomic_bool want_stop;
    bool is_stopping;
    bool is_started;
    bool is_draining;
    bool is_stopped;
    bool has_loop;
    char name[16]; /* of its thread */
};

/* server_now_ms is the loop's idea of the time. */
static inline uint64_t
server_now_ms(struct server *server)
{
    return uv_now(&server->loop);
}

/* server_flush produces for every dirty connection; at the end of each
 * callback that may have fed one. */
void server_flush(struct server *server);

/* server_conn_gone: a connection has been freed. */
void server_conn_gone(struct server *server);

/* listener_open binds and listens; errors as server_listen.  listener_close
 * stops listening; listener_free needs the loop to have run after it. */
enum err listener_open(struct server *server, struct listener **out,
                       const struct server_listener *cfg, struct buf *why);
void listener_close(struct listener *listener);
void listener_free(struct listener *listener);

/* listener_reload reads the certificates again, from any thread; a failure is
 * logged and changes nothing. */
void listener_reload(struct listener *listener);

/* conn_accept takes |fd|, a connection that came to |listener|. */
void conn_accept(struct listener *listener, int fd);

/* conn_flush sends what there is to send. */
void conn_flush(struct conn *conn);

/* conn_drain closes when what is under way is done, conn_close at once. */
void conn_drain(struct conn *conn);
void conn_close(struct conn *conn);
struct conn *conn_next(const struct conn *conn);

#endif
