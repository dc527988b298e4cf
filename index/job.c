/*
 * The worker is this program again, so that it starts with one thread and no
 * descriptor but its pipe, whatever the process that asks has open.
 */
#include "index/job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "index/frame.h"
#include "index/sandbox.h"
#include "index/tree_places.h"
#include "store/code_store.h"

enum { WORKER_FD = 3, SCIP_FD = 4, WORDS_MAX = 16, POLL_MS = 200 };

/* Of the worker; a repository that needs more is not indexed. */
enum { CPU_S = 1800 };
#define MEMORY_MAX (UINT64_C(8) << 30)

/* Facts are committed now and then, not one by one. */
enum { FACTS_STEP_BYTES = 16 << 20 };

struct job {
    const struct job_ask *ask;
    job_progress_fn *fn;
    void *ctx;
    struct job_result *out;
    struct buf *why;
    struct code_store *store;
    struct frame_reader in;
    struct worker_progress progress;
    uint64_t started_ns;
    size_t kept_bytes;
    pid_t pid; /* 0: none */
    int fd;
    int scip_fd;     /* -1: none */
    bool is_writing; /* a transaction is open */
    bool is_done;
};

void
job_result_fini(struct job_result *result)
{
    code_build_fini(&result->build);
    buf_fini(&result->built_at);
    *result = (struct job_result){0};
}

/* ---- the process ---- */

/* Above the numbers that the worker's own get. */
static bool
lift(int *fd)
{
    int lifted = fcntl(*fd, F_DUPFD_CLOEXEC, SCIP_FD + 1);

    close(*fd);
    *fd = lifted;
    return lifted >= 0;
}

/* The worker is confined to the repository, so it is handed the file open. */
static enum err
open_scip(struct job *job)
{
    const char *path = job->ask->scip;

    if (!path || !*path)
        return OK;
    job->scip_fd = open(path, O_RDONLY | O_CLOEXEC);
    if (job->scip_fd >= 0 && lift(&job->scip_fd))
        return OK;
    buf_printf(job->why, "%s: %s", path, strerror(errno));
    return errno == ENOENT ? ERR_NOT_FOUND : ERR_IO;
}

static enum err
spawn(struct job *job, const char *const *words)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    char *const no_environment[] = {NULL};
    sigset_t none;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0 || !lift(&ends[1]))
        return ERR_IO;
    sigemptyset(&none);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], WORKER_FD);
    if (job->scip_fd >= 0)
        posix_spawn_file_actions_adddup2(&actions, job->scip_fd, SCIP_FD);
    posix_spawn_file_actions_addclosefrom_np(
        &actions, job->scip_fd >= 0 ? SCIP_FD + 1 : WORKER_FD + 1);
    /* posix_spawn does not write to the words, whatever its type says. */
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    char *const *argv = (char *const *)(uintptr_t)words;
    int error = posix_spawn(&job->pid, "/proc/self/exe", &actions, &attr, argv,
                            no_environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attr);
    close(ends[1]);
    if (error) {
        job->pid = 0;
        close(ends[0]);
        buf_printf(job->why, "cannot start the indexer: %s", strerror(error));
        return ERR_IO;
    }
    job->fd = ends[0];
    return OK;
}

static enum err
start(struct job *job)
{
    const struct job_ask *ask = job->ask;
    const char *words[WORDS_MAX] = {"spangraph", "index-worker"};
    char processes[16];
    int len = 2;

    (void)snprintf(processes, sizeof(processes), "%u", ask->processes);
    words[len++] = ask->data;
    words[len++] = ask->tree.path;
    words[len++] = ask->repo_url ? ask->repo_url : "";
    words[len++] = ask->tree.commit ? ask->tree.commit : "";
    words[len++] = ask->tree.is_worktree ? "worktree" : "commit";
    words[len++] = processes;
    words[len++] = ask->scip && *ask->scip ? "scip" : "";
    enum err err = open_scip(job);
    return err ? err : spawn(job, words);
}

static void
stop(struct job *job)
{
    int status;

    if (job->is_writing)
        code_store_rollback(job->store);
    if (job->pid) {
        close(job->fd);
        (void)kill(job->pid, SIGKILL);
        while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    if (job->scip_fd >= 0)
        close(job->scip_fd);
    frame_reader_fini(&job->in);
    code_store_close(job->store);
}

/* The pipe ended without a last frame. */
static enum err
explain_death(struct job *job)
{
    int status = 0;

    while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
        ;
    close(job->fd);
    job->pid = 0;
    if (WIFSIGNALED(status))
        buf_printf(
            job->why,
            "the indexer was killed by signal %d (%s) while %s; what was "
            "indexed before stays",
            WTERMSIG(status), strsignal(WTERMSIG(status)),
            worker_phase_str(job->progress.phase));
    else
        buf_printf(job->why, "the indexer ended with code %d while %s",
                   WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                   worker_phase_str(job->progress.phase));
    return ERR_CORRUPT;
}

/* ---- frames ---- */

static enum err
take_progress(struct job *job, str payload)
{
    if (payload.len != sizeof(job->progress))
        return ERR_CORRUPT;
    memcpy(&job->progress, payload.ptr, sizeof(job->progress));
    return OK;
}

static enum err
commit_facts(struct job *job)
{
    enum err err = job->is_writing ? code_store_commit(job->store) : OK;

    job->is_writing = false;
    job->kept_bytes = 0;
    return err;
}

static enum err
take_facts(struct job *job, uint32_t key, str payload)
{
    enum err err = OK;

    if (payload.len <= BLOB_ID_LEN || key > UINT8_MAX)
        return ERR_CORRUPT;
    if (!job->is_writing && (err = code_store_begin(job->store)))
        return err;
    job->is_writing = true;
    const struct fact_key fact = {(const unsigned char *)payload.ptr,
                                  (uint8_t)key, FACTS_VERSION};
    err = code_store_put_fact(job->store, fact,
                              str_cut(payload, BLOB_ID_LEN, payload.len));
    job->kept_bytes += payload.len;
    if (!err && job->kept_bytes > FACTS_STEP_BYTES)
        err = commit_facts(job);
    return err;
}

/* What a person says goes before what files say. */
static enum err
add_services(struct job *job)
{
    struct code_build *build = &job->out->build;

    for (size_t i = 0; i < job->ask->service_len; i++) {
        str word = str_of(job->ask->services[i]);
        const char *sign = word.len ? memchr(word.ptr, '=', word.len) : NULL;
        size_t name = sign ? (size_t)(sign - word.ptr) : word.len;
        str folder = str_cut(word, name + 1, word.len);

        while (folder.len > 0 && folder.ptr[folder.len - 1] == '/')
            folder.len--;
        if (str_starts(folder, STR("./")))
            folder = str_cut(folder, 2, folder.len);
        code_build_service(
            build, &(struct build_service){
                       .name = texts_add(&build->texts, str_cut(word, 0, name)),
                       .directory = texts_add(
                           &build->texts,
                           str_eq(folder, STR(".")) ? (str){"", 0} : folder),
                       .evidence = texts_add(&build->texts, STR("--service")),
                   });
    }
    return build->failed || build->texts.failed ? ERR_NOMEM : OK;
}

static enum err
take_graph(struct job *job, str payload)
{
    uint64_t began_ns = clock_mono_ns();
    uint32_t keep = job->ask->keep ? job->ask->keep : CODE_KEEP_DEFAULT;
    enum err err = commit_facts(job);

    job->out->parse_ns = began_ns - job->started_ns;
    job->progress = (struct worker_progress){.phase = PHASE_STORE};
    if (!err && (err = code_build_unpack(&job->out->build, payload)))
        buf_printf(job->why, "what the indexer sent cannot be trusted");
    if (!err)
        err = add_services(job);
    if (!err)
        err = code_write(job->store, &job->out->build,
                         (uint32_t)(clock_wall_ns() / NS_PER_S),
                         &job->out->written, job->why);
    if (!err)
        err = code_gc(job->store, job->out->written.repo, keep, NULL);
    job->out->store_ns = clock_mono_ns() - began_ns;
    job->is_done = true;
    return err;
}

static enum err
take_failure(struct job *job, uint32_t code, str payload)
{
    buf_add(job->why, payload);
    job->is_done = true;
    return code > 0 && code <= (uint32_t)-ERR_CANCELLED ? (enum err)(-(int)code)
                                                        : ERR_CORRUPT;
}

static enum err
take_built(struct job *job, const struct frame *frame)
{
    if (frame->payload.len > TREE_BUILT_BYTES_MAX || job->out->built)
        return ERR_CORRUPT;
    job->out->built = frame->number;
    buf_add(&job->out->built_at, frame->payload);
    return job->out->built_at.failed ? ERR_NOMEM : OK;
}

static enum err
take_frame(struct job *job, const struct frame *frame)
{
    switch ((enum worker_frame)frame->kind) {
    case WORKER_PROGRESS:
        return take_progress(job, frame->payload);
    case WORKER_FACTS:
        return take_facts(job, frame->number, frame->payload);
    case WORKER_SANDBOX:
        job->out->sandbox = frame->number;
        return OK;
    case WORKER_BUILT:
        return take_built(job, frame);
    case WORKER_GRAPH:
        return take_graph(job, frame->payload);
    case WORKER_FAILED:
        return take_failure(job, frame->number, frame->payload);
    }
    return ERR_CORRUPT;
}

static enum err
listen(struct job *job)
{
    struct pollfd fd = {.fd = job->fd, .events = POLLIN};
    struct frame frame;
    enum err err = OK;

    if (job->fn && (err = job->fn(job->ctx, &job->progress)))
        return err;
    if (poll(&fd, 1, POLL_MS) < 0)
        return errno == EINTR ? OK : ERR_IO;
    if (!fd.revents)
        return OK;
    err = frame_fill(&job->in, job->fd);
    while (!err && !job->is_done && frame_next(&job->in, &frame, &err))
        err = take_frame(job, &frame);
    if (!err && !job->is_done && job->in.is_over)
        err = explain_death(job);
    return err;
}

enum err
job_run(const struct job_ask *ask, job_progress_fn *fn, void *ctx,
        struct job_result *out, struct buf *why)
{
    struct job job = {.ask = ask,
                      .fn = fn,
                      .ctx = ctx,
                      .out = out,
                      .why = why,
                      .scip_fd = -1,
                      .started_ns = clock_mono_ns()};
    enum err err;

    *out = (struct job_result){0};
    err = code_store_open(&job.store, ask->data, clock_wall_ns(), why);
    if (err == ERR_CORRUPT) {
        /* It was set aside: all of it can be made again. */
        buf_reset(why);
        err = code_store_open(&job.store, ask->data, clock_wall_ns(), why);
    }
    if (!err)
        err = start(&job);
    while (!err && !job.is_done)
        err = listen(&job);
    if (err && why->len == 0)
        buf_printf(why, "%s", err_str(err));
    stop(&job);
    if (err)
        job_result_fini(out);
    return err;
}

/* ---- the other side ---- */

static bool
take_cached(void *ctx, const unsigned char *blob, uint8_t key, struct buf *out)
{
    const struct fact_key fact = {blob, key, FACTS_VERSION};

    return ctx && code_store_get_fact(ctx, fact, out) == OK;
}

/* Should memory run out, this goes first, not the service beside it. */
static void
offer_to_die(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)!write(fd, "1000", 4);
    close(fd);
}

/* What cannot be found is told by tree_open. */
static uint32_t
confine(const char *data, const char *path)
{
    struct tree_places places;
    struct buf why = {0};

    (void)tree_places_find(&places, path, &why);
    const char *const folders[] = {data, buf_cstr(&places.top),
                                   buf_cstr(&places.git),
                                   buf_cstr(&places.common)};
    uint32_t parts = sandbox_worker(&(struct sandbox_cfg){
        .folders = folders,
        .folder_len = sizeof(folders) / sizeof(folders[0]),
        .memory_max = MEMORY_MAX,
        .cpu_s = CPU_S,
    });
    tree_places_fini(&places);
    buf_fini(&why);
    return parts;
}

/* The first read makes the descriptors that a reader of a WAL has. */
static struct code_store *
open_facts(const char *data)
{
    struct code_store *store = NULL;
    struct buf why = {0};
    int64_t version;

    if (code_store_open_read(&store, data, &why) != OK ||
        code_store_version(store, &version) != OK) {
        code_store_close(store);
        store = NULL;
    }
    buf_fini(&why);
    return store;
}

/* A SCIP index as it was handed over; what cannot be mapped is no index, which
 * is told when it is read. */
static str
map_scip(void)
{
    struct stat st;
    void *bytes = MAP_FAILED;

    if (fstat(SCIP_FD, &st) == 0 && st.st_size > 0)
        bytes =
            mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, SCIP_FD, 0);
    return bytes == MAP_FAILED ? STR("?") : (str){bytes, (size_t)st.st_size};
}

int
job_worker_main(int argc, char **argv)
{
    enum { DATA = 1, PATH, URL, COMMIT, WHAT, PROCESSES, SCIP, WORDS };

    if (argc != WORDS || fcntl(WORKER_FD, F_GETFD) < 0) {
        fprintf(stderr, "spangraph: index-worker is what `spangraph index` "
                        "runs; use that\n");
        return 2;
    }
    (void)fcntl(WORKER_FD, F_SETFD, FD_CLOEXEC);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGPIPE, SIG_IGN);
    offer_to_die();
    tree_warm_up();
    /* Without kept facts all files are parsed: slower, not wrong. */
    struct code_store *store = open_facts(argv[DATA]);
    struct worker_cfg cfg = {
        .tree = {.path = argv[PATH],
                 .commit = *argv[COMMIT] ? argv[COMMIT] : NULL,
                 .is_worktree = strcmp(argv[WHAT], "worktree") == 0},
        .repo_url = argv[URL],
        .sandbox = confine(argv[DATA], argv[PATH]),
        .parsers = parsers_cfg_default,
        .history_commits = 1000,
        .cached = take_cached,
        .ctx = store,
    };
    if (*argv[SCIP])
        cfg.scip = map_scip();
    cfg.parsers.processes = (uint32_t)strtoul(argv[PROCESSES], NULL, 10);
    enum err err = worker_run(&cfg, WORKER_FD);
    code_store_close(store);
    return err ? 1 : 0;
}
