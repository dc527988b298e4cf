/*
 * As in net/grpc_cork.c, the linker takes these before those of the C library;
 * their callers know of no portion, so all is one for the process.
 *
 * A round is from one epoll_wait to the next.  Of what it tells core does one
 * at a time, and we all that comes of it before the next; so a portion is that
 * of one socket in one round, and none waits because another is busy.
 *
 * Core watches for edges: to be told again of what it left in a socket it has
 * to be watched anew, as it was.  A number that is used again is noted again,
 * for it is watched again; if it is somebody else's now, the system says that
 * it is not watched there.
 */
#include "net/grpc_portion.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "net/grpc_frames.h"
#include "net/peers.h"
#include "net/spare.h"

/* PORTS: of descriptors, too, the other ports are to have some. */
enum { FIRST_CAP = 64, PORTS = 2, PEERS_MAX = 1 << 20 };

struct watch {
    bool is_watched;
    bool is_listener;
    unsigned round; /* in which |left| was left of its portion */
    long left;      /* may be below 0 */
    struct frames frames;
    struct epoll_event event;
};

static _Thread_local bool is_learning;
static atomic_int core_epoll = -1;
static atomic_uint round_now;

static struct {
    pthread_mutex_t lock;
    struct watch *of; /* by descriptor */
    size_t cap;
} watches = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum peer { PEER_NONE, PEER_IS_LET_IN, PEER_IS_SENT_TO };

/* Without a lock: close is called between fork and exec, too. */
static atomic_uchar peer_of[PEERS_MAX];    /* enum peer, by descriptor */
static atomic_uint held_kib[PEERS_MAX];    /* by its calls, likewise */
static _Atomic uint64_t key_of[PEERS_MAX]; /* of its address; 0: of none */
static atomic_int fd_end;                  /* beyond all that were let in */
static atomic_uint peers;
static atomic_uint peers_most;
static atomic_uint address_most; /* of one address; 0: any number */
static _Atomic uint64_t address_seed;
static atomic_bool is_tls_to_come;

void
portion_learn(uint32_t connections, uint32_t of_one_address, bool is_tls)
{
    atomic_store(&is_tls_to_come, is_tls);
    atomic_store(&peers_most, connections);
    atomic_store(&address_most, of_one_address);
    atomic_store(&address_seed, hash_seed());
    is_learning = true;
}

void
portion_learnt(void)
{
    is_learning = false;
}

/* With the lock; false: no memory, and |fd| is read without a bound. */
static bool
make_room(size_t fd)
{
    size_t cap = fd < FIRST_CAP ? FIRST_CAP : 2 * fd;
    struct watch *of;

    if (fd < watches.cap)
        return true;
    of = realloc(watches.of, cap * sizeof(*of));
    if (!of)
        return false;
    for (size_t i = watches.cap; i < cap; i++)
        of[i] = (struct watch){.is_watched = false};
    watches.of = of;
    watches.cap = cap;
    return true;
}

static void
note(int fd, struct watch watch)
{
    pthread_mutex_lock(&watches.lock);
    if (make_room((size_t)fd)) {
        watches.of[fd].frames.held_kib = 0; /* released by close */
        frames_end(&watches.of[fd].frames);
        watches.of[fd] = watch;
    }
    pthread_mutex_unlock(&watches.lock);
}

static struct watch
look_up(int fd)
{
    struct watch watch = {.is_watched = false};

    pthread_mutex_lock(&watches.lock);
    if (fd >= 0 && (size_t)fd < watches.cap)
        watch = watches.of[fd];
    pthread_mutex_unlock(&watches.lock);
    return watch;
}

/* What may be read of |fd| now. */
struct share {
    long left; /* of its portion; LONG_MAX: it is none of core's */
    bool is_refused;
};

/* With the lock; NULL: it is none of core's. */
static struct watch *
watch_of(int fd)
{
    if (fd < 0 || (size_t)fd >= watches.cap || !watches.of[fd].is_watched)
        return NULL;
    return &watches.of[fd];
}

static struct share
begin(int fd)
{
    struct share share = {LONG_MAX, false};
    unsigned now = atomic_load(&round_now);

    pthread_mutex_lock(&watches.lock);
    struct watch *watch = watch_of(fd);
    if (watch) {
        if (watch->round != now)
            watch->left = PORTION_BYTES;
        watch->round = now;
        share = (struct share){watch->left, watch->frames.is_refused};
    }
    pthread_mutex_unlock(&watches.lock);
    return share;
}

/* With the lock: for who closes |fd|. */
static void
tell_held(int fd, const struct watch *watch)
{
    if (fd < PEERS_MAX && atomic_load(&peer_of[fd]) != PEER_NONE)
        atomic_store(&held_kib[fd], watch->frames.held_kib);
}

/* |got| bytes came of |fd|; false: core is not to have them. */
static bool
take(int fd, const struct msghdr *message, size_t got)
{
    bool is_good = true;
    size_t all = got;

    pthread_mutex_lock(&watches.lock);
    struct watch *watch = watch_of(fd);
    if (watch) {
        watch->frames.is_tls = atomic_load(&is_tls_to_come);
        watch->frames.is_sent =
            fd < PEERS_MAX && atomic_load(&peer_of[fd]) == PEER_IS_SENT_TO;
    }
    for (size_t i = 0; watch && got && i < message->msg_iovlen; i++) {
        const struct iovec *part = &message->msg_iov[i];
        size_t len = part->iov_len < got ? part->iov_len : got;

        (void)frames_take(&watch->frames, part->iov_base, len);
        watch->left -= (long)len;
        got -= len;
    }
    if (watch) {
        is_good = frames_pace(&watch->frames, all, clock_mono_ns());
        tell_held(fd, watch);
    }
    pthread_mutex_unlock(&watches.lock);
    return is_good;
}

/* Has core told again of |fd|; false if that cannot be. */
static bool
tell_anew(int fd)
{
    struct watch watch = look_up(fd);

    return watch.is_watched && syscall(SYS_epoll_ctl, atomic_load(&core_epoll),
                                       EPOLL_CTL_MOD, fd, &watch.event) == 0;
}

/* Is there something left in |fd|?  An end is to be seen at once: of that
 * nobody is told again. */
static bool
has_bytes(int fd)
{
    char byte;

    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

void
portion_sends(int fd)
{
    unsigned char let_in = PEER_IS_LET_IN;

    if (fd >= 0 && fd < PEERS_MAX && atomic_load(&peer_of[fd]) == let_in)
        atomic_compare_exchange_strong(&peer_of[fd], &let_in, PEER_IS_SENT_TO);
}

void
portion_sent(int fd, const struct msghdr *message, size_t sent)
{
    if (fd < 0 || fd >= PEERS_MAX || atomic_load(&peer_of[fd]) == PEER_NONE)
        return;
    pthread_mutex_lock(&watches.lock);
    struct watch *watch = watch_of(fd);
    for (size_t i = 0; watch && sent && i < message->msg_iovlen; i++) {
        const struct iovec *part = &message->msg_iov[i];
        size_t len = part->iov_len < sent ? part->iov_len : sent;

        frames_sent(&watch->frames, part->iov_base, len, clock_mono_ns());
        sent -= len;
    }
    if (watch)
        tell_held(fd, watch);
    pthread_mutex_unlock(&watches.lock);
}

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): they are
 * those of the C library. */
int
epoll_ctl(int epoll, int op, int fd, struct epoll_event *event)
{
    if (is_learning)
        atomic_store(&core_epoll, epoll);
    if (op == EPOLL_CTL_ADD && fd >= 0 && epoll == atomic_load(&core_epoll))
        note(fd, (struct watch){.is_watched = true,
                                .is_listener = is_learning,
                                .round = atomic_load(&round_now),
                                .left = PORTION_BYTES,
                                .event = *event});
    return (int)syscall(SYS_epoll_ctl, epoll, op, fd, event);
}

int
epoll_wait(int epoll, struct epoll_event *events, int most, int wait_ms)
{
    if (epoll == atomic_load(&core_epoll))
        atomic_fetch_add(&round_now, 1);
    return (int)syscall(SYS_epoll_pwait, epoll, events, most, wait_ms, NULL, 0);
}

ssize_t
recvmsg(int fd, struct msghdr *message, int flags)
{
    struct share share = begin(fd);
    size_t all = message->msg_iovlen;
    size_t count = 0;
    ssize_t got;

    if (share.is_refused) {
        errno = ECONNRESET;
        return -1;
    }
    if (share.left <= 0 && has_bytes(fd) && tell_anew(fd)) {
        errno = EAGAIN;
        return -1;
    }
    for (long room = 0; count < all && (count == 0 || room < share.left);
         count++)
        room += (long)message->msg_iov[count].iov_len;
    message->msg_iovlen = count;
    got = syscall(SYS_recvmsg, fd, message, flags);
    if (got > 0 && !take(fd, message, (size_t)got)) {
        errno = ECONNRESET;
        got = -1;
    }
    message->msg_iovlen = all;
    return got;
}

/* Has |fd| the |key| of its address, if fewer than |most| have it; false: they
 * are too many.  Counted by looking at all: a table of addresses could not be
 * kept without a lock, for close takes none, and a look is cheap beside an
 * accept.  Only who enters waits, for who enters at the same time. */
static bool
take_key(int fd, uint64_t key, unsigned most)
{
    static pthread_mutex_t entering = PTHREAD_MUTEX_INITIALIZER;
    unsigned count = 0;

    pthread_mutex_lock(&entering);
    if (fd >= atomic_load(&fd_end))
        atomic_store(&fd_end, fd + 1);
    for (int i = 0; i < atomic_load(&fd_end) && count < most; i++)
        count += atomic_load_explicit(&key_of[i], memory_order_relaxed) == key;
    if (count < most)
        atomic_store(&key_of[fd], key);
    pthread_mutex_unlock(&entering);
    return count < most;
}

/* Counts |fd| among those of its address; false: they are too many, or it has
 * gone already. */
static bool
enter(int fd)
{
    struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
    socklen_t len = sizeof(address);
    unsigned most = atomic_load(&address_most);

    if (most == 0)
        return true;
    if (getpeername(fd, (struct sockaddr *)&address, &len))
        return false;
    uint64_t key = peers_key(atomic_load(&address_seed), &address);
    return key == 0 || take_key(fd, key, most);
}

/* Counts the connection |fd|, which core is to have; false: it may not. */
static bool
let_in(int fd)
{
    if (!spare_is_left(fd, PORTS)) {
        log_warn("connection not accepted", "error", "%s",
                 "too many open files");
        return false;
    }
    if (fd >= PEERS_MAX)
        return false;
    if (atomic_fetch_add(&peers, 1) >= atomic_load(&peers_most)) {
        atomic_fetch_sub(&peers, 1);
        return false;
    }
    if (!enter(fd)) {
        atomic_fetch_sub(&peers, 1);
        return false;
    }
    atomic_store(&peer_of[fd], PEER_IS_LET_IN);
    return true;
}

int
accept4(int fd, __SOCKADDR_ARG address, socklen_t *len, int flags)
{
    bool is_core = look_up(fd).is_listener;
    socklen_t cap = len ? *len : 0;
    int got;

    for (;;) {
        got = (int)syscall(SYS_accept4, fd, address.__sockaddr__, len, flags);
        if (!is_core || got < 0 || let_in(got))
            break;
        close(got);
        if (len)
            *len = cap;
    }
    if (is_core && got < 0 && errno != EINTR && errno != EAGAIN) {
        log_warn("connection not accepted", "error", "%s", strerror(errno));
        errno = EAGAIN;
    }
    return got;
}

int
close(int fd)
{
    if (fd >= 0 && fd < PEERS_MAX && atomic_load(&peer_of[fd]) &&
        atomic_exchange(&peer_of[fd], PEER_NONE)) {
        atomic_fetch_sub(&peers, 1);
        atomic_store(&key_of[fd], 0);
        frames_release(atomic_exchange(&held_kib[fd], 0));
    }
    return (int)syscall(SYS_close, fd);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
