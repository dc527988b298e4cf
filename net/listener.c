/*
 * Addresses into listening sockets.
 *
 * When file descriptors run out libuv gives up the one it keeps in reserve,
 * accepts what waits and closes it at once, and takes its reserve back: the
 * newcomer sees a closed connection, and the loop does not spin.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "net/loop.h"

enum { BACKLOG = 1024 };

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

static int
bind_tcp(struct listener *listener, const struct server_listener *cfg)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } addr;
    struct sockaddr_storage got;
    int len = sizeof(got);

    int code = uv_ip4_addr(cfg->address, cfg->port, &addr.v4);
    if (code)
        code = uv_ip6_addr(cfg->address, cfg->port, &addr.v6);
    if (!code)
        code = uv_tcp_bind(&listener->io.tcp, &addr.any, 0);
    if (!code)
        code = uv_tcp_getsockname(&listener->io.tcp, (struct sockaddr *)&got,
                                  &len);
    if (!code)
        listener->port = ntohs(got.ss_family == AF_INET
                                   ? ((struct sockaddr_in *)&got)->sin_port
                                   : ((struct sockaddr_in6 *)&got)->sin6_port);
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
bind_unix(struct listener *listener, const char *path)
{
    if (!path[0])
        return UV_EINVAL;
    if (strlen(path) >= sizeof(((struct sockaddr_un *)NULL)->sun_path))
        return UV_ENAMETOOLONG;

    int code = clear_path(path);
    return code ? code : uv_pipe_bind(&listener->io.pipe, path);
}

static void
on_connection(uv_stream_t *stream, int status)
{
    struct listener *listener = stream->data;

    if (status == 0) {
        conn_accept(listener);
        server_flush(listener->server);
    } else {
        log_warn("connection not accepted", "error", "%s", uv_strerror(status));
    }
}

static enum err
open_socket(struct listener *listener, const struct server_listener *cfg,
            struct buf *why)
{
    uv_loop_t *loop = &listener->server->loop;
    const char *address = cfg->address ? cfg->address : "";
    int code;

    listener->is_unix = str_starts(str_of(address), unix_prefix);
    if (listener->is_unix)
        code = uv_pipe_init(loop, &listener->io.pipe, 0);
    else
        code = uv_tcp_init(loop, &listener->io.tcp);
    if (code)
        return explain(code, cfg, why);
    listener->io.handle.data = listener;
    listener->is_open = true;
    code = listener->is_unix ? bind_unix(listener, address + unix_prefix.len)
                             : bind_tcp(listener, cfg);
    if (!code)
        code = uv_listen(&listener->io.stream, BACKLOG, on_connection);
    return code ? explain(code, cfg, why) : OK;
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
    listener->env = (struct session_env){
        .hub = server->hub,
        .inflater = server->inflater,
        .aside = server->aside,
        .is_any_thread = cfg->is_any_thread,
        .limits = cfg->limits,
        .handler = cfg->handler,
        .body_most = cfg->body_most,
        .ctx = cfg->ctx,
    };
    listener->reload_ms = cfg->tls.reload_ms;
    err = conn_spare(listener);
    if (!err && cfg->limits.address_connections) {
        listener->peers =
            peers_new(cfg->limits.connections, cfg->limits.address_connections);
        err = listener->peers ? OK : ERR_NOMEM;
    }
    if (!err && cfg->tls.cert_file)
        err = tls_source_new(&listener->tls, &cfg->tls, why);
    if (!err)
        err = open_socket(listener, cfg, why);
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
    if (!listener->is_open)
        return;
    listener->is_open = false;
    uv_close(&listener->io.handle, on_closed);
}

void
listener_free(struct listener *listener)
{
    if (!listener)
        return;
    tls_source_free(listener->tls);
    peers_free(listener->peers);
    free(listener->spare);
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
