/*
 * The keeper is a copy of the program from before it had threads, files or
 * data, and waits for descriptors: each is one end of a walk.  A walk's process
 * is the keeper's child, so it is confined by what it does itself, not by what
 * the service gave up later.  All end with the socket above them.
 */
#include "crawl/crawler.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "crawl/crawler_parts.h"

enum {
    POLL_MS = 100,
    GRACE_MS = 60000, /* beyond the time of a walk: a page under way, names */
};

struct crawler {
    pid_t keeper;
    int fd;
    atomic_bool is_halted;
    pthread_mutex_t lock; /* of what follows */
    int walks;
};

/* ---- the keeper ---- */

/* One descriptor; -1: the other side is gone. */
static int
take_fd(int fd)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    char byte;
    struct iovec part = {&byte, 1};
    struct msghdr msg = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof(control.bytes),
    };
    ssize_t got;
    int out = -1;

    do
        got = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    const struct cmsghdr *head = got > 0 ? CMSG_FIRSTHDR(&msg) : NULL;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
        memcpy(&out, CMSG_DATA(head), sizeof(out));
    return out;
}

/* Stops and reloads are the service's; these end when their sockets do. */
static void
settle_signals(void)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    sigset_t none;

    for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
        (void)signal(ignored[i], SIG_IGN);
    (void)signal(SIGCHLD, SIG_DFL);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Standard output may be the answers of an MCP server. */
static void
leave_files(int fd)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null >= 0) {
        (void)dup2(null, STDIN_FILENO);
        (void)dup2(null, STDOUT_FILENO);
    }
    if (fd > 3)
        (void)close_range(3, (unsigned)fd - 1, 0);
    (void)close_range((unsigned)fd + 1, ~0U, 0);
}

_Noreturn static void
keeper_main(const struct crawler_cfg *cfg, int fd)
{
    int end;

    (void)prctl(PR_SET_NAME, "crawl-keeper");
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    leave_files(fd);
    settle_signals();
    while ((end = take_fd(fd)) >= 0) {
        pid_t self = getpid();

        if (fork() == 0) {
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != self)
                _exit(0);
            close(fd);
            walker_main(cfg, end);
        }
        close(end);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
    }
    _exit(0);
}

enum err
crawler_start(struct crawler **out, const struct crawler_cfg *cfg)
{
    struct crawler *crawler = calloc(1, sizeof(*crawler));
    pid_t self = getpid();
    int ends[2];

    *out = NULL;
    if (!crawler)
        return ERR_NOMEM;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        free(crawler);
        return ERR_IO;
    }
    crawler->keeper = fork();
    if (crawler->keeper == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self)
            _exit(0);
        keeper_main(cfg, ends[1]);
    }
    close(ends[1]);
    crawler->fd = ends[0];
    pthread_mutex_init(&crawler->lock, NULL);
    if (crawler->keeper < 0) {
        crawler_stop(crawler);
        return ERR_IO;
    }
    *out = crawler;
    return OK;
}

void
crawler_halt(struct crawler *crawler)
{
    atomic_store(&crawler->is_halted, true);
}

void
crawler_stop(struct crawler *crawler)
{
    if (!crawler)
        return;
    close(crawler->fd);
    if (crawler->keeper > 0)
        while (waitpid(crawler->keeper, NULL, 0) < 0 && errno == EINTR)
            ;
    pthread_mutex_destroy(&crawler->lock);
    free(crawler);
}

/* ---- a walk, for who wants it ---- */

struct walk {
    const struct crawler *crawler;
    const struct crawler_ears *ears;
    struct site_sum *sum;
    struct buf *why;
    int fd;
    struct frame_reader in;
    uint64_t until_ns;
    bool is_over;
};

static bool
give_fd(int to, int fd)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    char byte = 0;
    struct iovec part = {&byte, 1};
    struct msghdr msg = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof(control.bytes),
    };
    struct cmsghdr *head = CMSG_FIRSTHDR(&msg);
    ssize_t got;

    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &fd, sizeof(fd));
    do
        got = sendmsg(to, &msg, MSG_NOSIGNAL);
    while (got < 0 && errno == EINTR);
    return got == 1;
}

static enum err
hear_error(struct walk *walk, const struct frame *frame)
{
    static const enum err known[] = {ERR_INVALID, ERR_UNSUPPORTED, ERR_NOMEM};

    walk->is_over = true;
    buf_add(walk->why, frame->payload);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (frame->number == (uint32_t)-known[i])
            return known[i];
    return ERR_IO;
}

static enum err
hear_frame(struct walk *walk, const struct frame *frame)
{
    struct site_page page;
    enum err err;

    switch (frame->kind) {
    case WALK_PAGE:
        err = walk_page_unpack(frame->payload, frame->number, &page);
        return err ? err : walk->ears->page(walk->ears->ctx, &page);
    case WALK_END:
        walk->is_over = true;
        return walk_sum_unpack(frame->payload, walk->sum);
    case WALK_ERROR:
        return hear_error(walk, frame);
    default:
        return ERR_CORRUPT;
    }
}

static bool
is_cancelled(const struct walk *walk)
{
    return atomic_load(&walk->crawler->is_halted) ||
           walk->ears->is_cancelled(walk->ears->ctx);
}

static enum err
hear_some(struct walk *walk)
{
    struct pollfd fd = {.fd = walk->fd, .events = POLLIN};
    struct frame frame;
    enum err err = OK;

    if (is_cancelled(walk))
        return ERR_CANCELLED;
    while (!walk->is_over && frame_next(&walk->in, &frame, &err)) {
        err = hear_frame(walk, &frame);
        if (err || is_cancelled(walk))
            return err ? err : ERR_CANCELLED;
    }
    if (err || walk->is_over)
        return err;
    if (walk->in.is_over) {
        buf_add(walk->why, STR("the crawling process died; what it had found "
                               "is kept, and another try may do better"));
        return ERR_IO;
    }
    if (clock_mono_ns() > walk->until_ns) {
        buf_add(walk->why, STR("the crawling process does not answer"));
        return ERR_IO;
    }
    if (poll(&fd, 1, POLL_MS) > 0)
        return frame_fill(&walk->in, walk->fd);
    return OK;
}

static enum err
open_walk(struct crawler *crawler, struct walk *walk)
{
    int ends[2];
    bool given;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return ERR_IO;
    given = give_fd(crawler->fd, ends[1]);
    close(ends[1]);
    walk->fd = ends[0];
    if (!given)
        buf_add(walk->why, STR("the crawling process is gone; restart the "
                               "service"));
    return given ? OK : ERR_IO;
}

static bool
enter(struct crawler *crawler)
{
    pthread_mutex_lock(&crawler->lock);
    bool may = crawler->walks < CRAWLER_WALKS;
    crawler->walks += may;
    pthread_mutex_unlock(&crawler->lock);
    return may;
}

static void
leave(struct crawler *crawler)
{
    pthread_mutex_lock(&crawler->lock);
    crawler->walks--;
    pthread_mutex_unlock(&crawler->lock);
}

enum err
crawler_walk(struct crawler *crawler, const struct site_ask *ask,
             const struct crawler_ears *ears, struct site_sum *sum,
             struct buf *why)
{
    struct walk walk = {
        .crawler = crawler,
        .ears = ears,
        .sum = sum,
        .why = why,
        .fd = -1,
        .in = {.max = WALK_FRAME_MAX},
        .until_ns =
            clock_mono_ns() + ((uint64_t)ask->max_ms + GRACE_MS) * NS_PER_MS,
    };
    struct buf packed = {0};
    enum err err = OK;

    *sum = (struct site_sum){0};
    if (!enter(crawler)) {
        buf_printf(why, "%d crawls are under way; try again when one is done",
                   CRAWLER_WALKS);
        return ERR_BUSY;
    }
    walk_ask_pack(ask, &packed);
    const struct frame frame = {.kind = WALK_ASK, .payload = buf_str(&packed)};
    err = packed.failed ? ERR_NOMEM : open_walk(crawler, &walk);
    /* One that died at once is heard below, with what it said. */
    if (!err)
        (void)frame_write(walk.fd, &frame);
    while (!err && !walk.is_over)
        err = hear_some(&walk);
    if (err == ERR_CORRUPT) {
        buf_add(why, STR("the crawling process said nonsense"));
        err = ERR_IO;
    }
    if (walk.fd >= 0)
        close(walk.fd);
    frame_reader_fini(&walk.in);
    buf_fini(&packed);
    leave(crawler);
    return err;
}
