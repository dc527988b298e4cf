#include "net/grpc_place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <grpc/support/alloc.h>

#include "base/hash.h"
#include "net/grpc.h"
#include "net/hub.h"
#include "net/peers.h"

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

static bool
is_near(str peer)
{
    return str_starts(peer, STR("ipv4:127.")) ||
           str_starts(peer, STR("ipv6:[::1]")) ||
           str_starts(peer, STR("ipv6:%5B::1%5D")) ||
           str_starts(peer, STR("unix:"));
}

bool
grpc_place_is_near(grpc_call *call)
{
    char *peer = grpc_call_get_peer(call);
    bool is_local = is_near(str_of(peer));

    gpr_free(peer);
    return is_local;
}

/* The address in |peer|, without its brackets, which may be escaped, and port;
 * ss_family is AF_UNSPEC where it is none. */
static struct sockaddr_storage
address_of(str peer)
{
    struct sockaddr_storage out = {.ss_family = AF_UNSPEC};
    struct sockaddr_in *v4 = (struct sockaddr_in *)&out;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&out;
    bool is_v4 = str_starts(peer, STR("ipv4:"));
    bool is_escaped = str_starts(peer, STR("ipv6:%5B"));
    size_t at = is_v4 ? 5 : is_escaped ? 8 : 6;
    const char *ends = is_v4 ? ":" : is_escaped ? "%" : "]%";
    char text[INET6_ADDRSTRLEN] = "";

    for (size_t len = 0; at < peer.len && !strchr(ends, peer.ptr[at]) &&
                         len < sizeof(text) - 1;)
        text[len++] = peer.ptr[at++];
    if (is_v4 && inet_pton(AF_INET, text, &v4->sin_addr) == 1)
        out.ss_family = AF_INET;
    else if (!is_v4 && inet_pton(AF_INET6, text, &v6->sin6_addr) == 1)
        out.ss_family = AF_INET6;
    return out;
}

uint32_t
grpc_place_share(uint64_t seed, str peer)
{
    struct sockaddr_storage address = address_of(peer);
    uint64_t key = is_near(peer) ? 0 : peers_key(seed, &address);

    if (!key)
        key = hash_bytes(peer, seed);
    return 1 + (uint32_t)(key % (HUB_SHARES - 1));
}

uint32_t
grpc_place_share_of(uint64_t seed, grpc_call *call)
{
    char *peer = grpc_call_get_peer(call);
    uint32_t share = grpc_place_share(seed, str_of(peer));

    gpr_free(peer);
    return share;
}
