/*
 * The loop's thread.  Other threads reach it by the hub alone: they post a
 * message and the hub wakes the loop, which hands messages to their exchanges
 * and then lets each connection that has something new to say produce it.
 *
 * The pool has few threads.  One of them is kept from work that may take long,
 * so that short work, such as what watches this process, is done whatever is
 * asked; the others take turns with who asks (net/turns.h).
 *
 * It ends in steps, each begun when the one before is done: no listeners; no
 * connections, by themselves or by the timer; no work on the pool; nothing in
 * the hub, which then closes.  Answers that come later find it closed and free
 * themselves.
 */
#include "net/server.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/thread.h"
#include "net/answer.h"
#include "net/exchange.h"
#include "net/glance.h"
#include "net/loop.h"
#include "net/turns.h"

const struct server_limits server_limits_default = {
    .body_bytes = (size_t)64 << 20,
    .header_bytes = 16 << 10,
    .budget_bytes = (size_t)512 << 20,
    .connections = 10000,
    .streams = 128,
    .header_ms = 10000,
    .idle_ms = 60000,
    .write_ms = 30000,
    .body_rate = 1024,
};

enum {
    WORKS_MAX = 1024,
    SHORT_WORKS = 64, /* beyond it, of short work alone */
    LONG_WORKS_MAX = SERVER_WORK_THREADS - 1, /* at once */
};

struct work {
    struct message message;
    struct turns_item turn; /* of what is long */
    uv_work_t req;
    struct server *server;
    void (*run)(void *ctx);
    void *ctx;
    uint64_t took_ns;
    bool is_long;
};

void
server_flush(struct server *server)
{
    while (server->dirty)
        conn_flush(server->dirty);
}

static void
run_work(uv_work_t *req)
{
    static _Thread_local bool is_named;
    struct work *work = req->data;

    /* Pool threads are libuv's, and would have the name of whichever loop had
     * the first work for them. */
    if (!is_named)
        thread_set_name("work");
    is_named = true;

    uint64_t begin_ns = clock_mono_ns();
    work->run(work->ctx);
    work->took_ns = clock_mono_ns() - begin_ns;
}

/* Counts one more of |share|; false: there are too many, or |share|, if it has
 * more than this one, has more than there is place left for all others. */
static bool
count(struct server *server, uint32_t share, uint32_t max)
{
    uint32_t all = atomic_fetch_add(&server->works, 1) + 1;
    uint32_t own = atomic_fetch_add(&server->works_of[share], 1) + 1;

    return all <= max && (share == 0 || own == 1 || own <= max - all);
}

static void
uncount(struct server *server, uint32_t share)
{
    atomic_fetch_sub(&server->works_of[share], 1);
    atomic_fetch_sub(&server->works, 1);
}

static struct work *
work_of(struct turns_item *turn)
{
    return (struct work *)(void *)((char *)turn - offsetof(struct work, turn));
}

static void after_work(uv_work_t *req, int status);
static void finish_stop(struct server *server);

static void
run_on_pool(struct work *work)
{
    work->req.data = work;
    /* It fails only without a function to run. */
    uv_queue_work(&work->server->loop, &work->req, run_work, after_work);
}

static void
run_those_next(struct server *server)
{
    uint64_t now_ns = clock_mono_ns();

    for (struct turns_item *next; (next = turns_next(server->turns, now_ns));)
        run_on_pool(work_of(next));
}

static void
begin_work(struct work *work)
{
    if (!work->is_long) {
        run_on_pool(work);
        return;
    }
    turns_enter(work->server->turns, &work->turn);
    run_those_next(work->server);
}

static void
after_work(uv_work_t *req, int status)
{
    struct work *work = req->data;
    struct server *server = work->server;

    (void)status;
    if (work->is_long) {
        turns_leave(server->turns, &work->turn, work->took_ns, clock_mono_ns());
        run_those_next(server);
    }
    uncount(server, work->turn.share);
    free(work);
    finish_stop(server);
}

static void
deliver(struct server *server)
{
    struct message *message = hub_take(server->hub);

    while (message) {
        struct message *next = message->next;

        if (message->kind == MESSAGE_WORK)
            begin_work(message->payload);
        else if (message->kind == MESSAGE_GLANCE)
            glance_answer(server, message);
        else
            exchange_take(message->exchange, message);
        message = next;
    }
    server_flush(server);
}

static void
on_handle_closed(uv_handle_t *handle)
{
    (void)handle;
}

/* Goes as far towards the end as is possible now. */
static void
finish_stop(struct server *server)
{
    if (!server->is_stopping || server->conns || atomic_load(&server->works) ||
        uv_is_closing((uv_handle_t *)&server->wake))
        return;
    if (!hub_close(server->hub))
        return; /* a wake is on its way, and brings us back */
    uv_close((uv_handle_t *)&server->wake, on_handle_closed);
    uv_close((uv_handle_t *)&server->round, on_handle_closed);
    uv_close((uv_handle_t *)&server->stop_timer, on_handle_closed);
    uv_close((uv_handle_t *)&server->reload_timer, on_handle_closed);
}

void
server_conn_gone(struct server *server)
{
    finish_stop(server);
}

static void
on_stop_timer(uv_timer_t *timer)
{
    struct server *server = timer->data;

    for (struct conn *conn = server->conns; conn; conn = conn_next(conn))
        conn_close(conn);
}

static void
begin_stop(struct server *server)
{
    server->is_stopping = true;
    for (size_t i = 0; i < server->listener_len; i++)
        listener_close(server->listeners[i]);
    for (struct conn *conn = server->conns; conn; conn = conn_next(conn))
        conn_drain(conn);
    server_flush(server);
    uv_timer_start(&server->stop_timer, on_stop_timer,
                   atomic_load(&server->drain_ms), 0);
}

static void
on_wake(uv_async_t *wake)
{
    struct server *server = wake->data;

    deliver(server);
    if (atomic_load(&server->want_stop) && !server->is_stopping)
        begin_stop(server);
    finish_stop(server);
}

static void
wake_loop(void *ctx)
{
    struct server *server = ctx;

    uv_async_send(&server->wake);
}

static void
on_reload_timer(uv_timer_t *timer)
{
    struct server *server = timer->data;

    for (size_t i = 0; i < server->listener_len; i++) {
        struct listener *listener = server->listeners[i];

        if (listener->tls && listener->reload_ms &&
            tls_source_is_stale(listener->tls))
            listener_reload(listener);
    }
}

static void
on_round(uv_check_t *round)
{
    server_flush(round->data);
}

static void *
run_loop(void *ctx)
{
    struct server *server = ctx;
    uint64_t reload_ms = 0;

    thread_set_name(server->name);
    for (size_t i = 0; i < server->listener_len; i++) {
        uint32_t each = server->listeners[i]->reload_ms;
        if (each && (!reload_ms || each < reload_ms))
            reload_ms = each;
    }
    if (reload_ms)
        uv_timer_start(&server->reload_timer, on_reload_timer, reload_ms,
                       reload_ms);
    hub_open(server->hub, wake_loop, server);
    uv_async_send(&server->wake); /* a stop may have been asked for already */
    uv_run(&server->loop, UV_RUN_DEFAULT);
    return NULL;
}

static bool
init_loop(struct server *server)
{
    if (uv_loop_init(&server->loop))
        return false;
    server->has_loop = true;
    if (uv_async_init(&server->loop, &server->wake, on_wake) ||
        uv_check_init(&server->loop, &server->round) ||
        uv_check_start(&server->round, on_round) ||
        uv_timer_init(&server->loop, &server->stop_timer) ||
        uv_timer_init(&server->loop, &server->reload_timer))
        return false;
    server->wake.data = server;
    server->round.data = server;
    server->stop_timer.data = server;
    server->reload_timer.data = server;
    return true;
}

static void
close_handle(uv_handle_t *handle, void *ctx)
{
    (void)ctx;
    if (!uv_is_closing(handle))
        uv_close(handle, on_handle_closed);
}

enum err
server_new(struct server **out)
{
    struct server *server = calloc(1, sizeof(*server));

    *out = NULL;
    if (!server)
        return ERR_NOMEM;
    server_set_name(server, "loop");
    server->peer_seed = hash_seed();
    server->hub = hub_new();
    server->inflater = inflater_new();
    server->room = malloc(READ_ROOM);
    server->turns = turns_new(LONG_WORKS_MAX);
    if (!server->hub || !server->inflater || !server->room || !server->turns ||
        aside_new(&server->aside) || !init_loop(server)) {
        server_free(server);
        return ERR_NOMEM;
    }
    *out = server;
    return OK;
}

void
server_set_name(struct server *server, const char *name)
{
    (void)snprintf(server->name, sizeof(server->name), "%s", name);
}

enum err
server_listen(struct server *server, const struct server_listener *listener,
              size_t *index, struct buf *why)
{
    assert(!server->is_started);
    if (server->listener_len == LISTENERS_MAX) {
        buf_add(why, STR("too many listeners"));
        return ERR_INVALID;
    }

    size_t at = server->listener_len;
    enum err err = listener_open(server, &server->listeners[at], listener, why);
    if (err)
        return err;
    server->listener_len++;
    *index = at;
    return OK;
}

uint16_t
server_port(const struct server *server, size_t index)
{
    assert(index < server->listener_len);
    return server->listeners[index]->port;
}

enum err
server_start(struct server *server)
{
    assert(!server->is_started);
    signal(SIGPIPE, SIG_IGN); /* a peer that is gone is an error, not an end */
    if (aside_start(server->aside) ||
        pthread_create(&server->thread, NULL, run_loop, server))
        return ERR_NOMEM;
    server->is_started = true;
    return OK;
}

void
server_reload(struct server *server)
{
    for (size_t i = 0; i < server->listener_len; i++)
        if (server->listeners[i]->tls)
            listener_reload(server->listeners[i]);
}

void
server_drain(struct server *server, uint32_t drain_ms)
{
    if (!server->is_started || server->is_draining)
        return;
    server->is_draining = true;
    atomic_store(&server->drain_ms, drain_ms);
    atomic_store(&server->want_stop, true);
    uv_async_send(&server->wake);
}

void
server_stop(struct server *server, uint32_t drain_ms)
{
    if (!server || !server->is_started || server->is_stopped)
        return;
    server_drain(server, drain_ms);
    server->is_stopped = true;
    pthread_join(server->thread, NULL);
    aside_stop(server->aside);
}

void
server_free(struct server *server)
{
    if (!server)
        return;
    server_stop(server, 0);
    if (!server->is_started && server->has_loop) {
        for (size_t i = 0; i < server->listener_len; i++)
            listener_close(server->listeners[i]);
        uv_walk(&server->loop, close_handle, NULL);
        uv_run(&server->loop, UV_RUN_DEFAULT);
    }
    aside_free(server->aside);
    if (server->has_loop)
        uv_loop_close(&server->loop);
    for (size_t i = 0; i < server->listener_len; i++)
        listener_free(server->listeners[i]);
    turns_free(server->turns);
    inflater_free(server->inflater);
    hub_unref(server->hub);
    free(server->room);
    free(server);
}

static enum err
post_work(struct server *server, const struct work *what)
{
    uint32_t share = what->turn.share;
    struct work *work = NULL;

    if (count(server, share,
              what->is_long ? WORKS_MAX : WORKS_MAX + SHORT_WORKS))
        work = malloc(sizeof(*work));
    if (work) {
        *work = *what;
        work->message.kind = MESSAGE_WORK;
        work->message.payload = work;
        work->server = server;
        if (hub_post(server->hub, &work->message))
            return OK;
    }
    uncount(server, share);
    free(work);
    return ERR_FULL;
}

enum err
server_work(struct server *server, uint32_t share, void (*work)(void *ctx),
            void *ctx)
{
    assert(share < HUB_SHARES);
    return post_work(server, &(struct work){.turn.share = share,
                                            .run = work,
                                            .ctx = ctx,
                                            .is_long = true});
}

enum err
server_work_short(struct server *server, void (*work)(void *ctx), void *ctx)
{
    return post_work(server, &(struct work){.run = work, .ctx = ctx});
}
