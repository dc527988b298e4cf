/*
 * A ring of children, each with a socket and a few slots of shared memory.
 * Files go out a few at a time, one a slot, so that no child waits; answers
 * come in the order of what it was given, so the first one unanswered is the
 * one a dead child was at.  Nothing that a child says is believed but facts,
 * which are checked when they are decoded.
 */
#include "index/parsers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "index/frame.h"
#include "index/grammar.h"
#include "index/sandbox.h"

enum { PROCESSES_MAX = 16, AHEAD = 4, ANSWER_MAX = 256 << 20 };
enum { FRAME_FACTS = 1, FRAME_SKIPPED = 2 };

#define NO_JOB UINT32_MAX

const struct parsers_cfg parsers_cfg_default = {
    .memory_max = UINT64_C(2) << 30,
    .patience_ns = UINT64_C(20) * NS_PER_S,
    .limits = {.timeout_ns = UINT64_C(5) * NS_PER_S, .max_bytes = 2 << 20},
    .parse = lang_facts,
};

/* What a child is told: slot |slot| holds a path and then the content. */
struct order {
    uint32_t slot;
    uint32_t lang;
    uint32_t path_len;
    uint32_t len;
};

struct given {
    uint32_t job;
    uint32_t bytes;
};

struct child {
    pid_t pid; /* 0: none */
    int fd;
    char *slots;               /* AHEAD of slot_bytes, shared with it */
    uint32_t slot;             /* the next one */
    struct given given[AHEAD]; /* unanswered, oldest first */
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
    size_t slot_bytes;
    struct buf content;
    struct child children[PROCESSES_MAX];
    uint32_t child_len;
    uint32_t next;                            /* job not given to anyone yet */
    uint32_t returned[PROCESSES_MAX * AHEAD]; /* not begun by one that died */
    uint32_t returned_len;
    uint32_t done;
};

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

/* ---- in the child ---- */

static enum err
answer(const struct parsers *p, int fd, str path, str content,
       const struct lang *lang, struct buf *packed)
{
    struct facts facts = {0};
    const char *skipped = lang_is_minified(content) ? "minified" : NULL;

    buf_reset(packed);
    if (!skipped) {
        enum err err =
            p->cfg->parse(lang, path, content, &p->cfg->limits, &facts);
        if (!err)
            err = facts_encode(&facts, packed);
        if (err)
            skipped = reason_of(err);
        facts_fini(&facts);
    }
    const struct frame frame = {
        .kind = skipped ? FRAME_SKIPPED : FRAME_FACTS,
        .payload = skipped ? str_of(skipped) : buf_str(packed),
    };
    return frame_write(fd, &frame);
}

/* False at the end, which is the parent's. */
static bool
read_order(int fd, struct order *order)
{
    char *to = (char *)order;
    size_t have = 0;

    while (have < sizeof(*order)) {
        ssize_t got = read(fd, to + have, sizeof(*order) - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        have += (size_t)got;
    }
    return true;
}

_Noreturn static void
child_main(const struct parsers *p, const struct child *self, int fd,
           uint64_t memory_max)
{
    struct buf packed = {0};
    struct order order;

    static const int deadly[] = {SIGSEGV, SIGBUS,  SIGILL,
                                 SIGFPE,  SIGABRT, SIGTERM};

    for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
        (void)signal(deadly[i], SIG_DFL);
    (void)signal(SIGINT, SIG_IGN);
    (void)sandbox_parser(fd, memory_max);
    while (read_order(fd, &order)) {
        const char *at = self->slots + order.slot * p->slot_bytes;
        str path = {at, order.path_len};
        str content = {at + order.path_len, order.len};
        if (answer(p, fd, path, content, lang_get((enum lang_id)order.lang),
                   &packed))
            break;
    }
    _exit(0);
}

/* ---- in the parent ---- */

/* What is used already does not count, so that facts of a large repository in
 * the parent leave a parser its room. */
static uint64_t
memory_max(const struct parsers *p)
{
    return sandbox_used_bytes() + AHEAD * p->slot_bytes + p->cfg->memory_max;
}

static enum err
start_child(struct parsers *p, struct child *child)
{
    uint64_t max = memory_max(p);
    pid_t self = getpid();
    int ends[2];

    if (!child->slots) {
        void *slots = mmap(NULL, AHEAD * p->slot_bytes, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (slots == MAP_FAILED)
            return ERR_NOMEM;
        child->slots = slots;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return ERR_IO;
    pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self)
            _exit(0);
        child_main(p, child, ends[1], max);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return ERR_IO;
    }
    child->pid = pid;
    child->fd = ends[0];
    child->given_len = 0;
    child->slot = 0;
    child->in = (struct frame_reader){.max = ANSWER_MAX};
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

static enum err
skip(struct parsers *p, uint32_t job, uint64_t bytes, const char *why)
{
    p->done++;
    return p->fn(p->ctx, job, (str){"", 0}, bytes, str_of(why));
}

static void
give_one(struct parsers *p, struct child *child, uint32_t job, str path)
{
    str content = buf_str(&p->content);
    struct order order = {
        .slot = child->slot,
        .lang = p->jobs[job].lang,
        .path_len = (uint32_t)path.len,
        .len = (uint32_t)content.len,
    };
    char *to = child->slots + order.slot * p->slot_bytes;

    memcpy(to, path.ptr, path.len);
    if (content.len)
        memcpy(to + path.len, content.ptr, content.len);
    if (child->given_len == 0)
        child->since_ns = clock_mono_ns();
    child->slot = (child->slot + 1) % AHEAD;
    child->given[child->given_len++] = (struct given){job, order.len};
    /* A child that is gone is seen when it is read from. */
    (void)send(child->fd, &order, sizeof(order), MSG_NOSIGNAL);
}

/* Files are small: a child is given a few at a time. */
static enum err
give(struct parsers *p, struct child *child)
{
    uint32_t files;
    const struct tree_file *file = tree_files(p->tree, &files);
    enum err err = OK;

    while (child->pid && child->given_len < AHEAD && !err) {
        uint32_t job = take_job(p);
        if (job == NO_JOB)
            return OK;
        uint32_t i = p->jobs[job].file;
        buf_reset(&p->content);
        err = tree_read(p->tree, i, p->cfg->limits.max_bytes, &p->content);
        if (err)
            err = skip(p, job, file[i].bytes, reason_of(err));
        else
            give_one(p, child, job, file[i].path);
    }
    return err;
}

static void
take_back(struct parsers *p, struct child *child)
{
    for (uint32_t i = 0; i < child->given_len; i++)
        p->returned[p->returned_len++] = child->given[i].job;
    child->given_len = 0;
}

static struct given
oldest(struct child *child)
{
    struct given given = child->given[0];

    child->given_len--;
    memmove(child->given, child->given + 1,
            child->given_len * sizeof(child->given[0]));
    child->since_ns = clock_mono_ns();
    return given;
}

/* The file it was at is given up; what it had not begun goes to others. */
static enum err
bury(struct parsers *p, struct child *child, const char *why)
{
    struct given given = {NO_JOB, 0};

    if (child->given_len > 0)
        given = oldest(child);
    take_back(p, child);
    stop_child(child, true);
    return given.job == NO_JOB ? OK : skip(p, given.job, given.bytes, why);
}

/* A reason is one of those known here, whatever a child has made of it. */
static str
word_of(str told)
{
    static const enum err errs[] = {ERR_CANCELLED, ERR_UNSUPPORTED, ERR_NOMEM,
                                    ERR_TOO_LARGE};

    if (str_eq(told, STR("minified")))
        return STR("minified");
    for (size_t i = 0; i < sizeof(errs) / sizeof(errs[0]); i++)
        if (str_eq(told, str_of(reason_of(errs[i]))))
            return str_of(reason_of(errs[i]));
    return (str){"", 0};
}

static enum err
take_frames(struct parsers *p, struct child *child)
{
    struct frame frame;
    enum err err = OK;

    while (child->given_len > 0 && frame_next(&child->in, &frame, &err)) {
        struct given given = oldest(child);
        bool is_facts = frame.kind == FRAME_FACTS && frame.payload.len > 0;
        str skipped = is_facts                      ? (str){"", 0}
                      : frame.kind == FRAME_SKIPPED ? word_of(frame.payload)
                                                    : (str){"", 0};
        p->done++;
        if (!is_facts && skipped.len == 0)
            skipped = STR("the parser wrote nonsense");
        err = p->fn(p->ctx, given.job, is_facts ? frame.payload : (str){"", 0},
                    given.bytes, skipped);
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
        if ((err = give(p, child)))
            return err;
        if (!child->pid || child->given_len == 0)
            continue;
        who[len] = child;
        fds[len++] = (struct pollfd){.fd = child->fd, .events = POLLIN};
    }
    if (len && poll(fds, len, 100) < 0 && errno != EINTR)
        return ERR_IO;
    uint64_t now_ns = clock_mono_ns();
    for (nfds_t i = 0; i < len && !err; i++) {
        if (fds[i].revents)
            err = hear(p, who[i]);
        if (!err && who[i]->given_len > 0 && who[i]->since_ns < now_ns &&
            now_ns - who[i]->since_ns > p->cfg->patience_ns)
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

/* Here, so that the children share what is unpacked.  Where there is no memory
 * for it, they will find none and say so of each file. */
static void
unpack_grammars(const struct parse_job *jobs, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++) {
        const struct lang *lang = lang_get(jobs[i].lang);

        if (lang && lang->grammar)
            (void)grammar_language(lang->grammar);
    }
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
        .slot_bytes = (size_t)TREE_PATH_MAX + cfg->limits.max_bytes,
    };
    enum err err = OK;

    unpack_grammars(jobs, len);
    while (!err && p.done < len)
        err = wait_for_some(&p);
    for (uint32_t i = 0; i < p.child_len; i++) {
        stop_child(&p.children[i], true);
        if (p.children[i].slots)
            (void)munmap(p.children[i].slots, AHEAD * p.slot_bytes);
    }
    buf_fini(&p.content);
    return err;
}
