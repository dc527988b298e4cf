#include "net/grpc_place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <grpc/support/alloc.h>

#include "net/grpc.h"

static bool
place_unix(struct grpc_place *out, const char *path)
{
    struct sockaddr_un *addr = (struct sockaddr_un *)&out->addr;

    if (*path == '\0' || strlen(path) >= sizeof(addr->sun_path))
        return false;
    addr->sun_family = AF_UNIX;
    memcpy(addr->sun_path, path, strlen(path) + 1);
    out->len = sizeof(*addr);
    out->unix_path = path;
    out->is_loopback = true;
    snprintf(out->target, sizeof(out->target), "unix:%s", path);
    return true;
}

bool
grpc_place_of(struct grpc_place *out, const struct server_listener *listener)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)&out->addr;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&out->addr;

    *out = (struct grpc_place){0};
    if (str_starts(str_of(listener->address), STR("unix:")))
        return place_unix(out, listener->address + STR("unix:").len);
    if (inet_pton(AF_INET, listener->address, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(listener->port);
        out->len = sizeof(*v4);
        out->is_loopback = ntohl(v4->sin_addr.s_addr) >> 24 == 127;
        snprintf(out->target, sizeof(out->target), "%s:%u", listener->address,
                 listener->port);
        return true;
    }
    if (inet_pton(AF_INET6, listener->address, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(listener->port);
        out->len = sizeof(*v6);
        out->is_loopback = IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
        snprintf(out->target, sizeof(out->target), "[%s]:%u", listener->address,
                 listener->port);
        return true;
    }
    return false;
}

bool
grpc_endpoint_takes(const struct server_listener *listener)
{
    struct grpc_place unused;

    return grpc_place_of(&unused, listener);
}

enum err
grpc_place_check(const struct grpc_place *place, struct buf *why)
{
    struct stat st;
    int fd;
    bool is_alive;

    if (!place->unix_path || lstat(place->unix_path, &st))
        return OK;
    if (!S_ISSOCK(st.st_mode)) {
        buf_printf(why, "%s exists and is no socket", place->unix_path);
        return ERR_BUSY;
    }
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return ERR_IO;
    is_alive =
        connect(fd, (const struct sockaddr *)&place->addr, place->len) == 0;
    close(fd);
    if (!is_alive)
        return OK;
    buf_printf(why, "another process listens on %s", place->unix_path);
    return ERR_BUSY;
}

enum err
grpc_place_explain(const struct grpc_place *place, struct buf *why)
{
    int fd = socket(place->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int one = 1;
    int code = 0;

    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
        bind(fd, (const struct sockaddr *)&place->addr, place->len) ||
        listen(fd, 1))
        code = errno;
    if (fd >= 0)
        close(fd);
    if (place->unix_path && code == 0)
        unlink(place->unix_path);
    buf_printf(why, "cannot listen on %s: %s", place->target,
               code ? strerror(code) : "gRPC core refused it");
    switch (code) {
    case EADDRINUSE:
        return ERR_BUSY;
    case EACCES:
    case EPERM:
        return ERR_DENIED;
    case EADDRNOTAVAIL:
    case ENOENT:
    case ENOTDIR:
    case EAFNOSUPPORT:
        return ERR_INVALID;
    default:
        return ERR_IO;
    }
}

bool
grpc_place_is_near(grpc_call *call)
{
    char *peer = grpc_call_get_peer(call);
    str name = str_of(peer);
    bool is_local = str_starts(name, STR("ipv4:127.")) ||
                    str_starts(name, STR("ipv6:[::1]")) ||
                    str_starts(name, STR("ipv6:%5B::1%5D")) ||
                    str_starts(name, STR("unix:"));
    gpr_free(peer);
    return is_local;
}
