/*
 * One server, one completion queue, one thread that waits on it.  Core does
 * its socket work on the same thread while it waits, so a second one would
 * only move calls between caches.
 *
 * Stopping: core sends GOAWAY, takes no more calls and gives back |stopped|
 * once none is left.  Then, and only then, the queue is shut down; the loop
 * ends when it is empty.  After |drain_ms| the calls that are left are
 * cancelled, which lets core finish; their rpc waits for its answer alone.
 *
 * What struct server_limits asks and core 1.51 has no means for: the numbers of
 * connections, which net/grpc_portion.h counts, and the least rate of a body,
 * which net/grpc_pace.h looks at.  What has arrived and is not yet a request is
 * bounded by a quota on core's memory.
 */
#include "net/grpc.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/metrics.h"
#include "base/thread.h"
#include "net/grpc_frames.h"
#include "net/grpc_log.h"
#include "net/grpc_place.h"
#include "net/grpc_portion.h"
#include "net/grpc_rpc.h"
#include "net/tls_suites.h"

enum {
    CALLS_AWAITED = 32,  /* arrivals core may queue for us, of each method */
    PING_MIN_MS = 10000, /* clients may ping this often, calls or not */
    PING_STRIKES = 2,
    PING_IDLE_MS = 60000, /* we ping a silent client after this */
    AGE_GRACE_MS = 30000,
    ARGS_MAX = 24,
    ARG_CAP = 64,
};

/* The paths that core hands over with their message; see grpc_rpc.h. */
static const char *const known_paths[] = {
    "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
};
enum { KNOWN = sizeof(known_paths) / sizeof(*known_paths) };

struct grpc_endpoint {
    grpc_server *server;
    grpc_completion_queue *queue;
    struct rpc_home *home;
    struct aside *aside; /* NULL: the handler is for one thread */
    struct grpc_cert *cert;
    struct rpc_method methods[KNOWN + 1]; /* the last: all others */
    struct rpc_tag stopped;
    uint16_t port;
    bool is_stopped;
    bool has_thread;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool has_ended; /* under |lock|: the loop is over */
};

/* Core's arguments hold pointers to char; so here are chars that it may have,
 * instead of literals. */
struct args {
    grpc_arg arg[ARGS_MAX];
    char key[ARGS_MAX][ARG_CAP];
    size_t len;
};

static grpc_arg *
next_arg(struct args *args, const char *key, grpc_arg_type type)
{
    grpc_arg *arg = &args->arg[args->len];

    snprintf(args->key[args->len], ARG_CAP, "%s", key);
    *arg = (grpc_arg){.type = type, .key = args->key[args->len]};
    args->len++;
    return arg;
}

static void
add_arg(struct args *args, const char *key, size_t value)
{
    next_arg(args, key, GRPC_ARG_INTEGER)->value.integer =
        value < INT_MAX ? (int)value : INT_MAX;
}

/* What core refuses for its size nobody learns of.  So it takes in twice what
 * is allowed, or what senders usually have at most, and we refuse that, if it
 * fits into |room| beside others. */
static size_t
most_received(const struct server_limits *limits, size_t room)
{
    enum { USUAL = 16 << 20 };
    size_t twice = 2 * limits->body_bytes;
    size_t most = room / 4 < USUAL ? room / 4 : USUAL;

    return twice > most ? twice : most;
}

/* Core looks once in this time, and closes what it finds without a call since
 * it looked last: after one to two of it. */
static uint32_t
idle_look_ms(const struct server_limits *limits)
{
    return limits->idle_ms / 2 + limits->idle_ms % 2;
}

static void
add_limits(struct args *args, const struct server_limits *limits, size_t room)
{
    add_arg(args, GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH,
            most_received(limits, room));
    add_arg(args, GRPC_ARG_MAX_METADATA_SIZE, limits->header_bytes);
    add_arg(args, GRPC_ARG_MAX_CONCURRENT_STREAMS, limits->streams);
    if (limits->header_ms > 0)
        add_arg(args, GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, limits->header_ms);
    if (limits->idle_ms > 0)
        add_arg(args, GRPC_ARG_MAX_CONNECTION_IDLE_MS, idle_look_ms(limits));
    if (limits->write_ms > 0)
        add_arg(args, GRPC_ARG_KEEPALIVE_TIMEOUT_MS, limits->write_ms);
    if (limits->max_age_ms > 0) {
        add_arg(args, GRPC_ARG_MAX_CONNECTION_AGE_MS, limits->max_age_ms);
        add_arg(args, GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, AGE_GRACE_MS);
    }
}

static grpc_server *
create_server(const struct server_limits *limits)
{
    struct args args = {.len = 0};
    grpc_resource_quota *quota = grpc_resource_quota_create("spangraph");
    size_t room = limits->budget_bytes;
    char target[] = "throughput";

    if (room < 4 * limits->body_bytes)
        room = 4 * limits->body_bytes;
    grpc_resource_quota_resize(quota, room);
    frames_limit(room);
    frames_rate(limits->body_rate);
    next_arg(&args, GRPC_ARG_OPTIMIZATION_TARGET, GRPC_ARG_STRING)
        ->value.string = target;
    add_limits(&args, limits, room);
    add_arg(&args, GRPC_ARG_ALLOW_REUSEPORT, 0);
    add_arg(&args, GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
    add_arg(&args, GRPC_ARG_ENABLE_PER_MESSAGE_COMPRESSION, 0);
    add_arg(&args, GRPC_ARG_ENABLE_DEADLINE_CHECKS, 0);
    add_arg(&args, GRPC_ARG_ENABLE_CHANNELZ, 0);
    add_arg(&args, GRPC_ARG_KEEPALIVE_TIME_MS, PING_IDLE_MS);
    add_arg(&args, GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    add_arg(&args, GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
            PING_MIN_MS);
    add_arg(&args, GRPC_ARG_HTTP2_MAX_PING_STRIKES, PING_STRIKES);
    grpc_arg *arg = next_arg(&args, GRPC_ARG_RESOURCE_QUOTA, GRPC_ARG_POINTER);
    arg->value.pointer.p = quota;
    arg->value.pointer.vtable = grpc_resource_quota_arg_vtable();
    const grpc_channel_args channel_args = {args.len, args.arg};
    grpc_server *server = grpc_server_create(&channel_args, NULL);
    grpc_resource_quota_unref(quota);
    return server;
}

static enum err
bind_place(struct grpc_endpoint *endpoint, const struct grpc_place *place,
           const struct server_limits *limits, struct buf *why)
{
    grpc_server_credentials *creds =
        endpoint->cert ? grpc_cert_credentials(endpoint->cert)
                       : grpc_insecure_server_credentials_create();

    portion_learn(limits->connections, limits->address_connections,
                  endpoint->cert != NULL);
    int port =
        grpc_server_add_http2_port(endpoint->server, place->target, creds);
    portion_learnt();
    grpc_server_credentials_release(creds);
    if (port == 0)
        return grpc_place_explain(place, why);
    endpoint->port = place->unix_path ? 0 : (uint16_t)port;
    return OK;
}

/* Sleeps only when no answer is held back for the next. */
static grpc_event
next_event(struct grpc_endpoint *endpoint)
{
    struct cork *cork = &endpoint->home->cork;
    grpc_event event = {.type = GRPC_QUEUE_TIMEOUT};

    if (cork->held > 0) {
        event = grpc_completion_queue_next(
            endpoint->queue, gpr_inf_past(GPR_CLOCK_MONOTONIC), NULL);
        if (event.type == GRPC_QUEUE_TIMEOUT || cork_is_due(cork))
            cork_flush(cork);
    }
    if (event.type == GRPC_QUEUE_TIMEOUT)
        event = grpc_completion_queue_next(
            endpoint->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
    return event;
}

static void *
run(void *ctx)
{
    struct grpc_endpoint *endpoint = ctx;
    grpc_event event;

    thread_set_name("grpc");
    for (;;) {
        event = next_event(endpoint);
        if (event.type == GRPC_QUEUE_SHUTDOWN)
            break;
        if (event.tag == &endpoint->stopped)
            grpc_completion_queue_shutdown(endpoint->queue);
        else if (event.type == GRPC_OP_COMPLETE)
            rpc_event(endpoint->home, event.tag, event.success != 0);
    }
    pthread_mutex_lock(&endpoint->lock);
    endpoint->has_ended = true;
    pthread_cond_signal(&endpoint->ended);
    pthread_mutex_unlock(&endpoint->lock);
    return NULL;
}

static enum err
create_home(struct grpc_endpoint *endpoint,
            const struct server_listener *listener, bool is_loopback)
{
    struct rpc_home *home = calloc(1, sizeof(*home));

    if (!home)
        return ERR_NOMEM;
    endpoint->home = home;
    atomic_init(&home->refs, 1);
    atomic_init(&home->used_bytes, 0);
    atomic_init(&home->handed, 0);
    home->body_bytes = listener->limits.body_bytes;
    home->budget_bytes = listener->limits.budget_bytes;
    metrics_add(METRIC_MEMORY_LIMIT, (int64_t)home->budget_bytes);
    home->handler = listener->handler;
    home->body_most = listener->body_most;
    home->ctx = listener->ctx;
    home->server = endpoint->server;
    home->queue = endpoint->queue;
    home->cert = endpoint->cert;
    home->peer_seed = hash_seed();
    home->is_loopback = is_loopback;
    home->inflater = inflater_new();
    if (!home->inflater)
        return ERR_NOMEM;
    return listener->is_any_thread ? aside_new(&endpoint->aside) : OK;
}

/* Debian's Abseil notes the order in which its locks are taken, all of core's,
 * and ends the process when two orders differ, deadlock or not.  The name is
 * that of Debian's build; where there is none, there is nothing to switch off.
 */
static void
trust_lock_orders(void)
{
    static const char name[] = "_ZN4absl7debian329SetMutexDeadlockDetectionMode"
                               "ENS0_15OnDeadlockCycleE";
    const int ignore = 0; /* OnDeadlockCycle::kIgnore */
    void (*set_mode)(int);
    void *at = dlsym(RTLD_DEFAULT, name);

    memcpy(&set_mode, &at, sizeof(at));
    if (set_mode)
        set_mode(ignore);
}

static struct grpc_endpoint *
create_endpoint(void)
{
    struct grpc_endpoint *endpoint = calloc(1, sizeof(*endpoint));
    pthread_condattr_t attr;

    if (!endpoint)
        return NULL;
    pthread_mutex_init(&endpoint->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&endpoint->ended, &attr);
    pthread_condattr_destroy(&attr);
    trust_lock_orders();
    grpc_init();
    grpc_log_start();
    return endpoint;
}

/* Core always offers TLS 1.2 and 1.3, and the list is that of 1.2; an empty one
 * it refuses.  Without keys shared beforehand, of which there are none, nobody
 * can agree on this one. */
enum err
grpc_endpoint_set_up(bool needs_tls13, const char *tls12)
{
    const char *list = needs_tls13 ? "PSK-AES256-CBC-SHA384" : tls12;

    return list && setenv("GRPC_SSL_CIPHER_SUITES", list, 1) ? ERR_NOMEM : OK;
}

const char *
grpc_endpoint_lacks(const struct server_tls *tls)
{
    struct tls_suites suites;

    if (tls->only_tls12)
        return "gRPC core speaks TLS 1.3, whatever tls.max_version says; build "
               "with GRPC=nghttp2";
    if (tls_suites_read(&suites, tls->suites, tls->suite_len, NULL))
        return NULL;
    bool has_tls13 = suites.tls13 != NULL;
    tls_suites_fini(&suites);
    return has_tls13 ? "gRPC core has one list of suites for TLS 1.3, whatever "
                       "tls.cipher_suites says; build with GRPC=nghttp2"
                     : NULL;
}

enum err
grpc_endpoint_new(struct grpc_endpoint **out,
                  const struct server_listener *listener, struct buf *why)
{
    enum err err;
    struct grpc_endpoint *endpoint = NULL;
    struct grpc_place place;

    *out = NULL;
    if (!grpc_place_of(&place, listener)) {
        buf_printf(why, "%s is no address to listen on", listener->address);
        return ERR_INVALID;
    }
    if ((err = grpc_place_check(&place, why)))
        return err;
    if (!(endpoint = create_endpoint()))
        return ERR_NOMEM;
    if (listener->tls.cert_file &&
        (err = grpc_cert_new(&endpoint->cert, &listener->tls, why)))
        goto out;
    endpoint->server = create_server(&listener->limits);
    endpoint->queue = grpc_completion_queue_create_for_next(NULL);
    grpc_server_register_completion_queue(endpoint->server, endpoint->queue,
                                          NULL);
    for (size_t i = 0; i < KNOWN; i++)
        endpoint->methods[i] = (struct rpc_method){
            known_paths[i], grpc_server_register_method(
                                endpoint->server, known_paths[i], NULL,
                                GRPC_SRM_PAYLOAD_READ_INITIAL_BYTE_BUFFER, 0)};
    if ((err = create_home(endpoint, listener, place.is_loopback)))
        goto out;
    if ((err = bind_place(endpoint, &place, &listener->limits, why)))
        goto out;
    *out = endpoint;
    endpoint = NULL;
out:
    grpc_endpoint_free(endpoint);
    return err;
}

uint16_t
grpc_endpoint_port(const struct grpc_endpoint *endpoint)
{
    return endpoint->port;
}

void
grpc_endpoint_reload(struct grpc_endpoint *endpoint)
{
    if (endpoint->cert)
        grpc_cert_reload(endpoint->cert);
}

struct server *
grpc_endpoint_server(const struct grpc_endpoint *endpoint)
{
    (void)endpoint;
    return NULL;
}

enum err
grpc_endpoint_start(struct grpc_endpoint *endpoint)
{
    if (endpoint->aside && aside_start(endpoint->aside))
        return ERR_NOMEM;
    endpoint->home->aside = endpoint->aside;
    grpc_server_start(endpoint->server);
    if (pthread_create(&endpoint->thread, NULL, run, endpoint))
        return ERR_NOMEM;
    endpoint->has_thread = true;
    for (size_t i = 0; i <= KNOWN; i++)
        for (size_t call = 0; call < CALLS_AWAITED; call++)
            if (rpc_await(endpoint->home, &endpoint->methods[i]))
                return ERR_NOMEM;
    return OK;
}

static bool
wait_ended(struct grpc_endpoint *endpoint, uint32_t wait_ms)
{
    uint64_t until_ns = clock_mono_ns() + wait_ms * NS_PER_MS;
    const struct timespec until = {(time_t)(until_ns / NS_PER_S),
                                   (long)(until_ns % NS_PER_S)};
    int rc = 0;

    pthread_mutex_lock(&endpoint->lock);
    while (!endpoint->has_ended && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&endpoint->ended, &endpoint->lock, &until);
    bool has_ended = endpoint->has_ended;
    pthread_mutex_unlock(&endpoint->lock);
    return has_ended;
}

void
grpc_endpoint_stop(struct grpc_endpoint *endpoint, uint32_t drain_ms)
{
    if (endpoint->is_stopped)
        return;
    endpoint->is_stopped = true;
    if (!endpoint->server)
        return;
    grpc_server_shutdown_and_notify(endpoint->server, endpoint->queue,
                                    &endpoint->stopped);
    if (!endpoint->has_thread) {
        run(endpoint);
        return;
    }
    if (!wait_ended(endpoint, drain_ms))
        grpc_server_cancel_all_calls(endpoint->server);
    pthread_join(endpoint->thread, NULL);
    aside_stop(endpoint->aside);
}

void
grpc_endpoint_free(struct grpc_endpoint *endpoint)
{
    if (!endpoint)
        return;
    grpc_endpoint_stop(endpoint, 0);
    aside_free(endpoint->aside);
    if (endpoint->server)
        grpc_server_destroy(endpoint->server);
    if (endpoint->queue)
        grpc_completion_queue_destroy(endpoint->queue);
    grpc_cert_free(endpoint->cert);
    if (endpoint->home)
        inflater_free(endpoint->home->inflater);
    rpc_home_unref(endpoint->home);
    grpc_shutdown();
    pthread_cond_destroy(&endpoint->ended);
    pthread_mutex_destroy(&endpoint->lock);
    free(endpoint);
}
