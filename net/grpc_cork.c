/*
 * The linker takes this sendmsg before that of the C library, for core and for
 * all others.  It finds its cork by a variable of the thread, for its callers
 * know of none; with no thread that holds it is the call to the system.
 */
#include "net/grpc_cork.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/grpc_portion.h"

static _Thread_local struct cork *holding;

void
cork_begin(struct cork *cork, size_t len)
{
    bool is_short = len <= CORK_WORK_BYTES;

    if (!is_short)
        cork_flush(cork);
    holding = is_short ? cork : NULL;
}

void
cork_end(void)
{
    holding = NULL;
}

bool
cork_is_due(const struct cork *cork)
{
    return cork->held > 0 && clock_mono_ns() - cork->since_ns >= CORK_NS;
}

void
cork_flush(struct cork *cork)
{
    const int off = 0;

    for (size_t i = 0; i < cork->used_len; i++) {
        struct cork_socket *socket = &cork->sockets[cork->used[i]];
        if (socket->is_many || socket->sends > 1)
            (void)setsockopt(socket->fd, IPPROTO_TCP, TCP_CORK, &off,
                             sizeof(off));
        socket->is_many = socket->sends > 1;
        socket->sends = 0;
    }
    cork->used_len = 0;
    cork->held = 0;
}

static bool
must_hold(struct cork *cork, int fd)
{
    uint8_t i = (uint8_t)((unsigned)fd % CORK_SOCKETS);
    struct cork_socket *socket = &cork->sockets[i];

    if (socket->fd != fd) {
        if (socket->sends > 0)
            return false;
        *socket = (struct cork_socket){.fd = fd};
    }
    if (socket->sends++ == 0) {
        cork->used[cork->used_len++] = i;
        if (!socket->is_many)
            return false;
    }
    if (cork->held++ == 0)
        cork->since_ns = clock_mono_ns();
    return true;
}

ssize_t
sendmsg(int fd, const struct msghdr *message, int flags)
{
    if (holding && must_hold(holding, fd))
        flags |= MSG_MORE;
    portion_sends(fd);
    ssize_t sent = syscall(SYS_sendmsg, fd, message, flags);

    if (sent > 0)
        portion_sent(fd, message, (size_t)sent);
    return sent;
}
