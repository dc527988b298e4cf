/*
 * Addresses into listening sockets.
 *
 * Connections are accepted here and not by libuv: when file descriptors run
 * out, its accept tries again within the same turn of the loop, for ever once
 * another thread has got the descriptor that it keeps in reserve, and the loop
 * serves nobody any more, so that none is ever closed.  Ours looks away for a
 * moment; newcomers wait in the kernel, and those who are there are served.
 * Connections alone do not make them run out: net/spare.h.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "net/loop.h"
#include "net/spare.h"

enum { BACKLOG = 1024, PAUSE_MS = 100 };

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un path;
};

static const str unix_prefix = STR_INIT("unix:");

/* What |code| of libuv, -errno, means to the one who configures us; in the
 * words of grpc_place_explain. */
static enum err
explain(int code, const struct server_listener *cfg, struct buf *why)
{
    enum err err = ERR_INVALID;

    if (code == UV_EADDRINUSE)
        err = ERR_BUSY;
    else if (code == UV_EACCES || code == UV_EPERM)
        err = ERR_DENIED;
    else if (code == UV_ENOMEM)
        err = ERR_NOMEM;
    if (str_starts(str_of(cfg->address), unix_prefix))
        buf_printf(why, "cannot listen on %s: %s", cfg->address,
                   strerror(-code));
    else
        buf_printf(why,
                   strchr(cfg->address, ':') ? "cannot listen on [%s]:%u: %s"
                                             : "cannot listen on %s:%u: %s",
                   cfg->address, (unsigned)cfg->port, strerror(-code));
    return err;
}

/* Binds and listens; 0 or -errno. */
static int
listen_at(struct listener *listener, const union address *addr, socklen_t len)
{
    const int on = 1;
    const int off = 0;
    int family = addr->any.sa_family;
    int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -errno;
    listener->fd = fd;
    if (family != AF_UNIX &&
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)))
        return -errno;
    if (family == AF_INET6 &&
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)))
        return -errno;
    return bind(fd, &addr->any, len) || listen(fd, BACKLOG) ? -errno : 0;
}

static int
listen_tcp(struct listener *listener, const struct server_listener *cfg)
{
    union address addr;
    socklen_t len = sizeof(addr);

    int code = uv_ip4_addr(cfg->address, cfg->port, &addr.v4);
    if (code)
        code = uv_ip6_addr(cfg->address, cfg->port, &addr.v6);
    if (!code)
        code = listen_at(listener, &addr,
                         addr.any.sa_family == AF_INET ? sizeof(addr.v4)
                                                       : sizeof(addr.v6));
    if (!code && getsockname(listener->fd, &addr.any, &len))
        code = -errno;
    if (!code)
        listener->port =
            ntohs(addr.any.sa_family == AF_INET ? addr.v4.sin_port
                                                : addr.v6.sin6_port);
    return code;
}

/* Removes a socket nobody listens on any more; UV_EADDRINUSE for one that is
 * alive, or for anything else of that name. */
static int
clear_path(const char *path)
{
    struct stat st;
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    int code = UV_EADDRINUSE;

    if (lstat(path, &st))
        return errno == ENOENT ? 0 : -errno;
    if (!S_ISSOCK(st.st_mode))
        return UV_EADDRINUSE;

    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    memcpy(addr.sun_path, path, strlen(path));
    if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) &&
        errno == ECONNREFUSED)
        code = unlink(path) ? -errno : 0;
    close(fd);
    return code;
}

static int
listen_unix(struct listener *listener, const char *path)
{
    union address addr = {.path = {.sun_family = AF_UNIX}};

    if (!path[0])
        return UV_EINVAL;
    if (strlen(path) >= sizeof(addr.path.sun_path))
        return UV_ENAMETOOLONG;
    memcpy(addr.path.sun_path, path, strlen(path));

    int code = clear_path(path);
    if (!code)
        code = listen_at(listener, &addr, sizeof(addr.path));
    if (!code && !(listener->path = strdup(path)))
        code = UV_ENOMEM;
    return code;
}

/* ---- accepting ---- */

static void on_connection(uv_poll_t *poll, int status, int events);

static void
on_pause_over(uv_timer_t *timer)
{
    struct listener *listener = timer->data;

    (void)uv_poll_start(&listener->poll, UV_READABLE, on_connection);
}

/* What does not go now does not go at once again. */
static void
pause_accepting(struct listener *listener, int code)
{
    log_warn("connection not accepted", "error", "%s", uv_strerror(code));
    uv_poll_stop(&listener->poll);
    uv_timer_start(&listener->pause, on_pause_over, PAUSE_MS, 0);
}

/* A newcomer that would have a descriptor that is needed for others. */
static void
refuse(int fd)
{
    log_warn("connection not accepted", "error", "%s", uv_strerror(UV_EMFILE));
    close(fd);
}

static void
on_connection(uv_poll_t *poll, int status, int events)
{
    struct listener *listener = poll->data;

    (void)events;
    while (status == 0) {
        int fd =
            accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0 && spare_is_left(fd, 1))
            conn_accept(listener, fd);
        else if (fd >= 0)
            refuse(fd);
        else if (errno != EINTR && errno != ECONNABORTED)
            status = -errno;
    }
    if (status != UV_EAGAIN)
        pause_accepting(listener, status);
    server_flush(listener->server);
}

static int
open_socket(struct listener *listener, const struct server_listener *cfg)
{
    uv_loop_t *loop = &listener->server->loop;
    const char *address = cfg->address ? cfg->address : "";

    listener->is_unix = str_starts(str_of(address), unix_prefix);
    int code = listener->is_unix
                   ? listen_unix(listener, address + unix_prefix.len)
                   : listen_tcp(listener, cfg);
    if (!code)
        code = uv_poll_init(loop, &listener->poll, listener->fd);
    if (code)
        return code;
    uv_timer_init(loop, &listener->pause);
    listener->poll.data = listener;
    listener->pause.data = listener;
    listener->is_open = true;
    return uv_poll_start(&listener->poll, UV_READABLE, on_connection);
}

/* Copies bytes to |to|, which moves on, in lower case if it |is_name|: HTTP/2
 * knows no other. */
static str
put(char **to, str bytes, bool is_name)
{
    char *start = *to;

    if (bytes.len)
        memcpy(start, bytes.ptr, bytes.len);
    for (size_t i = 0; is_name && i < bytes.len; i++)
        if (start[i] >= 'A' && start[i] <= 'Z')
            start[i] = (char)(start[i] | 0x20);
    *to += bytes.len;
    return (str){start, bytes.len};
}

static bool
copy_headers(struct listener *listener, const struct server_listener *cfg)
{
    size_t size = cfg->header_len * sizeof(*cfg->headers);

    if (cfg->header_len == 0)
        return true;
    for (size_t i = 0; i < cfg->header_len; i++)
        size += cfg->headers[i].name.len + cfg->headers[i].value.len;
    struct header *headers = malloc(size);
    if (!headers)
        return false;
    char *to = (char *)(headers + cfg->header_len);
    for (size_t i = 0; i < cfg->header_len; i++)
        headers[i] = (struct header){put(&to, cfg->headers[i].name, true),
                                     put(&to, cfg->headers[i].value, false)};
    listener->env.headers = headers;
    listener->env.header_len = cfg->header_len;
    return true;
}

enum err
listener_open(struct server *server, struct listener **out,
              const struct server_listener *cfg, struct buf *why)
{
    struct listener *listener = calloc(1, sizeof(*listener));
    enum err err = OK;

    *out = NULL;
    if (!listener)
        return ERR_NOMEM;
    listener->server = server;
    listener->fd = -1;
    listener->env = (struct session_env){
        .hub = server->hub,
        .inflater = server->inflater,
        .aside = server->aside,
        .is_any_thread = cfg->is_any_thread,
        .limits = cfg->limits,
        .handler = cfg->handler,
        .body_most = cfg->body_most,
        .ctx = cfg->ctx,
        .cors = cfg->cors,
    };
    listener->reload_ms = cfg->tls.reload_ms;
    if (cfg->limits.address_connections) {
        listener->peers =
            peers_new(cfg->limits.connections, cfg->limits.address_connections);
        err = listener->peers ? OK : ERR_NOMEM;
    }
    if (!err && !copy_headers(listener, cfg))
        err = ERR_NOMEM;
    if (!err && cfg->tls.cert_file)
        err = tls_source_new(&listener->tls, &cfg->tls, why);
    if (!err) {
        int code = open_socket(listener, cfg);
        err = code ? explain(code, cfg, why) : OK;
    }
    if (!err) {
        hub_raise_budget(server->hub, cfg->limits.budget_bytes);
        *out = listener;
        listener = NULL;
    }
    if (listener) {
        listener_close(listener);
        uv_run(&server->loop, UV_RUN_NOWAIT); /* the handle closes */
        listener_free(listener);
    }
    return err;
}

static void
on_closed(uv_handle_t *handle)
{
    (void)handle;
}

void
listener_close(struct listener *listener)
{
    if (listener->is_open) {
        uv_close((uv_handle_t *)&listener->poll, on_closed);
        uv_close((uv_handle_t *)&listener->pause, on_closed);
    }
    listener->is_open = false;
    if (listener->path)
        unlink(listener->path);
    free(listener->path);
    listener->path = NULL;
    if (listener->fd >= 0)
        close(listener->fd);
    listener->fd = -1;
}

void
listener_free(struct listener *listener)
{
    if (!listener)
        return;
    tls_source_free(listener->tls);
    peers_free(listener->peers);
    free(listener->env.headers);
    free(listener);
}

void
listener_reload(struct listener *listener)
{
    struct buf why = {.cap_max = 1024};

    if (tls_source_reload(listener->tls, &why))
        log_error("certificates not reloaded, the old ones stay", "reason",
                  "%s", buf_cstr(&why));
    else
        log_info("certificates reloaded", "port", "%u",
                 (unsigned)listener->port);
    buf_fini(&why);
}
