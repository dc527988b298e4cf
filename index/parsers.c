/*
 * A ring of children, each with a socket.  The numbers of a few jobs at a time
 * go out, so that no child waits; frames come back in the order of the jobs it
 * was given, so the first one unanswered is the one a dead child was at.
 */
#include "index/parsers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "index/frame.h"

enum { PROCESSES_MAX = 16, AHEAD = 4 };
enum { FRAME_FACTS = 1, FRAME_SKIPPED = 2 };

#define NO_JOB UINT32_MAX

const struct parsers_cfg parsers_cfg_default = {
    .memory_max = UINT64_C(2) << 30,
    .patience_ns = UINT64_C(20) * NS_PER_S,
    .limits = {.timeout_ns = UINT64_C(5) * NS_PER_S, .max_bytes = 2 << 20},
};

struct child {
    pid_t pid; /* 0: none */
    int fd;
    uint32_t given[AHEAD]; /* unanswered jobs, oldest first */
    uint32_t given_len;
    uint64_t since_ns; /* when the oldest began to be waited for */
    struct frame_reader in;
};

struct parsers {
    struct tree *tree;
    const struct parse_job *jobs;
    uint32_t len;
    const struct parsers_cfg *cfg;
    parsed_fn *fn;
    void *ctx;
    struct child children[PROCESSES_MAX];
    uint32_t child_len;
    uint32_t next;      /* job not given to anyone yet */
    uint32_t *returned; /* jobs that a dead child had not begun */
    uint32_t returned_len;
    uint32_t done;
};

/* ---- in the child ---- */

static const char *
reason_of(enum err err)
{
    switch (err) {
    case ERR_TOO_LARGE:
        return "too large";
    case ERR_CANCELLED:
        return "took too long to parse";
    case ERR_UNSUPPORTED:
        return "its grammar is not the one this was built for";
    case ERR_NOMEM:
        return "needs too much memory to parse";
    default:
        return "could not be read";
    }
}

static enum err
answer(const struct parsers *p, int fd, uint32_t job, struct buf *content,
       struct buf *packed)
{
    const struct parse_job *what = &p->jobs[job];
    uint32_t files;
    const struct tree_file *file = &tree_files(p->tree, &files)[what->file];
    struct facts facts = {0};
    const char *skipped = NULL;
    enum err err;

    buf_reset(content);
    buf_reset(packed);
    err = tree_read(p->tree, what->file, p->cfg->limits.max_bytes, content);
    if (!err && lang_is_minified(buf_str(content)))
        skipped = "minified";
    if (!err && !skipped) {
        err = lang_facts(lang_get(what->lang), file->path, buf_str(content),
                         &p->cfg->limits, &facts);
        if (!err)
            err = facts_encode(&facts, packed);
        facts_fini(&facts);
    }
    if (err)
        skipped = reason_of(err);
    const struct frame frame = {
        .kind = skipped ? FRAME_SKIPPED : FRAME_FACTS,
        .number = (uint32_t)content->len,
        .payload = skipped ? str_of(skipped) : buf_str(packed),
    };
    return frame_write(fd, &frame);
}

static void
set_limit(int what, uint64_t max)
{
    const struct rlimit limit = {max, max};

    (void)setrlimit((__rlimit_resource_t)what, &limit);
}

_Noreturn static void
child_main(const struct parsers *p, int fd)
{
    struct buf content = {0};
    struct buf packed = {0};
    uint32_t job;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_FSIZE, 0);
#ifndef __SANITIZE_ADDRESS__
    set_limit(RLIMIT_AS, p->cfg->memory_max);
#endif
    (void)signal(SIGINT, SIG_IGN);
    for (;;) {
        ssize_t got = read(fd, &job, sizeof(job));
        if (got < 0 && errno == EINTR)
            continue;
        if (got != sizeof(job) || answer(p, fd, job, &content, &packed))
            _exit(0);
    }
}

/* ---- in the parent ---- */

static enum err
start_child(struct parsers *p, struct child *child)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return ERR_IO;
    pid_t pid = fork();
    if (pid < 0) {
        close(ends[0]);
        close(ends[1]);
        return ERR_IO;
    }
    if (pid == 0) {
        close(ends[0]);
        for (uint32_t i = 0; i < p->child_len; i++)
            if (p->children[i].pid)
                close(p->children[i].fd);
        child_main(p, ends[1]);
    }
    close(ends[1]);
    child->pid = pid;
    child->fd = ends[0];
    child->given_len = 0;
    child->in = (struct frame_reader){0};
    return OK;
}

static void
stop_child(struct child *child, bool kill_it)
{
    int status;

    if (!child->pid)
        return;
    close(child->fd);
    if (kill_it)
        (void)kill(child->pid, SIGKILL);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    child->pid = 0;
    frame_reader_fini(&child->in);
}

static uint32_t
take_job(struct parsers *p)
{
    if (p->returned_len)
        return p->returned[--p->returned_len];
    return p->next < p->len ? p->next++ : NO_JOB;
}

/* Small jobs are given a few at a time. */
static void
give(struct parsers *p, struct child *child)
{
    while (child->pid && child->given_len < AHEAD) {
        uint32_t job = take_job(p);
        if (job == NO_JOB)
            return;
        if (child->given_len == 0)
            child->since_ns = clock_mono_ns();
        child->given[child->given_len++] = job;
        /* A child that is gone is seen when it is read from. */
        if (send(child->fd, &job, sizeof(job), MSG_NOSIGNAL) < 0)
            return;
    }
}

static void
take_back(struct parsers *p, struct child *child)
{
    for (uint32_t i = 0; i < child->given_len; i++)
        p->returned[p->returned_len++] = child->given[i];
    child->given_len = 0;
}

static uint32_t
oldest(struct child *child)
{
    uint32_t job = child->given[0];

    child->given_len--;
    memmove(child->given, child->given + 1,
            child->given_len * sizeof(child->given[0]));
    child->since_ns = clock_mono_ns();
    return job;
}

/* The file it was at is given up; what it had not begun goes to others. */
static enum err
bury(struct parsers *p, struct child *child, const char *why)
{
    bool had_job = child->given_len > 0;
    uint32_t job = had_job ? oldest(child) : NO_JOB;

    take_back(p, child);
    stop_child(child, true);
    if (!had_job)
        return OK;
    p->done++;
    return p->fn(p->ctx, job, (str){"", 0}, 0, str_of(why));
}

static enum err
take_frames(struct parsers *p, struct child *child)
{
    struct frame frame;
    enum err err = OK;

    while (child->given_len > 0 && frame_next(&child->in, &frame, &err)) {
        bool is_skipped = frame.kind == FRAME_SKIPPED;
        uint32_t job = oldest(child);
        p->done++;
        err = p->fn(p->ctx, job, is_skipped ? (str){"", 0} : frame.payload,
                    frame.number, is_skipped ? frame.payload : (str){"", 0});
        if (err)
            return err;
    }
    if (err == ERR_CORRUPT)
        return bury(p, child, "the parser wrote nonsense");
    return err;
}

static enum err
hear(struct parsers *p, struct child *child)
{
    enum err err = frame_fill(&child->in, child->fd);

    if (err == ERR_NOMEM)
        return err;
    if (!err && !child->in.is_over)
        return take_frames(p, child);
    return bury(p, child, "crashed the parser");
}

static enum err
wait_for_some(struct parsers *p)
{
    struct pollfd fds[PROCESSES_MAX];
    struct child *who[PROCESSES_MAX];
    nfds_t len = 0;
    enum err err = OK;

    for (uint32_t i = 0; i < p->child_len; i++) {
        struct child *child = &p->children[i];
        if (!child->pid && (p->returned_len || p->next < p->len) &&
            (err = start_child(p, child)))
            return err;
        give(p, child);
        if (!child->pid || child->given_len == 0)
            continue;
        who[len] = child;
        fds[len++] = (struct pollfd){.fd = child->fd, .events = POLLIN};
    }
    if (poll(fds, len, 500) < 0 && errno != EINTR)
        return ERR_IO;
    uint64_t now_ns = clock_mono_ns();
    for (nfds_t i = 0; i < len && !err; i++) {
        if (fds[i].revents)
            err = hear(p, who[i]);
        else if (now_ns - who[i]->since_ns > p->cfg->patience_ns)
            err = bury(p, who[i], "took too long to parse");
    }
    return err;
}

static uint32_t
process_count(const struct parsers_cfg *cfg, uint32_t jobs)
{
    enum { JOBS_EACH = 8 }; /* fewer are not worth a process */
    long have = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t want = cfg->processes ? cfg->processes
                    : have > 0     ? (uint32_t)have
                                   : 1;
    uint32_t use = jobs / JOBS_EACH + 1;

    want = want < PROCESSES_MAX ? want : PROCESSES_MAX;
    return want < use ? want : use;
}

enum err
parsers_run(struct tree *tree, const struct parse_job *jobs, uint32_t len,
            const struct parsers_cfg *cfg, parsed_fn *fn, void *ctx)
{
    struct parsers p = {
        .tree = tree,
        .jobs = jobs,
        .len = len,
        .cfg = cfg,
        .fn = fn,
        .ctx = ctx,
        .child_len = process_count(cfg, len),
        .returned = calloc(PROCESSES_MAX * AHEAD, sizeof(uint32_t)),
    };
    enum err err = p.returned ? OK : ERR_NOMEM;

    while (!err && p.done < len)
        err = wait_for_some(&p);
    for (uint32_t i = 0; i < p.child_len; i++)
        stop_child(&p.children[i], err != OK);
    free(p.returned);
    return err;
}
