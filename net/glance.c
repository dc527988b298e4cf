/*
 * The question is a message in the hub, and the answer a copy: who asks waits
 * on a condition, and the last of the two who is done with it frees it.  So
 * a loop that comes to it late, when nobody waits any more, finds it whole.
 */
#include "net/glance.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "net/conn.h"

struct glance {
    struct message message;
    pthread_mutex_t mutex;
    pthread_cond_t told;
    struct glance_conn *conns;
    size_t cap;
    size_t len;
    size_t total;
    int holders; /* who asks, and the loop until it has answered */
    bool is_told;
};

static void
glance_free(struct glance *glance)
{
    pthread_cond_destroy(&glance->told);
    pthread_mutex_destroy(&glance->mutex);
    free(glance->conns);
    free(glance);
}

/* Timed by the steady clock. */
static bool
init_sync(struct glance *glance)
{
    pthread_condattr_t attr;

    if (pthread_mutex_init(&glance->mutex, NULL))
        return false;
    bool done = pthread_condattr_init(&attr) == 0 &&
                pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
                pthread_cond_init(&glance->told, &attr) == 0;
    (void)pthread_condattr_destroy(&attr);
    if (!done)
        pthread_mutex_destroy(&glance->mutex);
    return done;
}

static struct glance *
glance_new(size_t cap)
{
    struct glance *glance = calloc(1, sizeof(*glance));

    if (!glance)
        return NULL;
    glance->conns = calloc(cap, sizeof(*glance->conns));
    if (!glance->conns || !init_sync(glance)) {
        free(glance->conns);
        free(glance);
        return NULL;
    }
    glance->cap = cap;
    glance->holders = 2;
    glance->message.kind = MESSAGE_GLANCE;
    glance->message.payload = glance;
    return glance;
}

static void
let_go(struct glance *glance)
{
    pthread_mutex_lock(&glance->mutex);
    bool is_last = --glance->holders == 0;
    pthread_mutex_unlock(&glance->mutex);
    if (is_last)
        glance_free(glance);
}

/* ---- on the loop ---- */

static void
name_peer(const struct conn *conn, char out[GLANCE_PEER_CAP])
{
    struct sockaddr_storage addr;
    const struct sockaddr_in *v4 = (const void *)&addr;
    const struct sockaddr_in6 *v6 = (const void *)&addr;
    char text[INET6_ADDRSTRLEN] = "";
    int len = sizeof(addr);

    if (conn->listener->is_unix) {
        (void)snprintf(out, GLANCE_PEER_CAP, "unix");
        return;
    }
    out[0] = '\0'; /* gone, and not yet noticed */
    if (conn->is_closing ||
        uv_tcp_getpeername(&conn->io.tcp, (struct sockaddr *)&addr, &len))
        return;
    if (addr.ss_family == AF_INET &&
        inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text)))
        (void)snprintf(out, GLANCE_PEER_CAP, "%s:%u", text,
                       (unsigned)ntohs(v4->sin_port));
    else if (addr.ss_family == AF_INET6 &&
             inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text)))
        (void)snprintf(out, GLANCE_PEER_CAP, "[%s]:%u", text,
                       (unsigned)ntohs(v6->sin6_port));
}

static size_t
index_of(const struct server *server, const struct listener *listener)
{
    size_t i = 0;

    while (i < server->listener_len && server->listeners[i] != listener)
        i++;
    return i;
}

static void
tell(const struct server *server, const struct conn *conn,
     struct glance_conn *out)
{
    const struct session *session = conn->session;

    *out = (struct glance_conn){
        .protocol = session ? session->ops->name : "",
        .listener = index_of(server, conn->listener),
        .requests = session ? session->ops->under_way(session) : 0,
        .unsent_bytes = conn->out.len + conn->write_left,
        .age_ms = conn_now(conn) - conn->born_ms,
        .is_tls = conn->tls != NULL,
        .is_ending =
            conn->is_closing || conn->is_draining || conn->is_lingering,
    };
    name_peer(conn, out->peer);
}

void
glance_answer(struct server *server, struct message *message)
{
    struct glance *glance = message->payload;

    pthread_mutex_lock(&glance->mutex);
    for (const struct conn *conn = server->conns; conn;
         conn = conn_next(conn)) {
        if (glance->len < glance->cap)
            tell(server, conn, &glance->conns[glance->len++]);
        glance->total++;
    }
    glance->is_told = true;
    pthread_cond_signal(&glance->told);
    pthread_mutex_unlock(&glance->mutex);
    let_go(glance);
}

/* ---- who asks ---- */

static bool
wait_for(struct glance *glance, uint32_t wait_ms)
{
    uint64_t until_ns = clock_mono_ns() + wait_ms * NS_PER_MS;
    const struct timespec until = {(time_t)(until_ns / NS_PER_S),
                                   (long)(until_ns % NS_PER_S)};
    int code = 0;

    pthread_mutex_lock(&glance->mutex);
    while (!glance->is_told && code != ETIMEDOUT)
        code = pthread_cond_timedwait(&glance->told, &glance->mutex, &until);
    bool is_told = glance->is_told;
    pthread_mutex_unlock(&glance->mutex);
    return is_told;
}

enum err
glance_conns(struct server *server, uint32_t wait_ms, struct glance_conn *out,
             size_t cap, size_t *len, size_t *total)
{
    struct glance *glance = glance_new(cap);
    enum err err = OK;

    *len = *total = 0;
    if (!glance)
        return ERR_NOMEM;
    if (!hub_post(server->hub, &glance->message)) {
        glance_free(glance);
        return ERR_CANCELLED;
    }
    if (wait_for(glance, wait_ms)) {
        memcpy(out, glance->conns, glance->len * sizeof(*out));
        *len = glance->len;
        *total = glance->total;
    } else {
        err = ERR_BUSY;
    }
    let_go(glance);
    return err;
}
