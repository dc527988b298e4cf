/*
 * The child has a process group of its own, so that a Ctrl-C reaches it once,
 * from its parent, and not twice: a second signal ends the service at once.
 * For the same reason signals that come within a second are one.
 */
#include "cmd/demo_home.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/demo.h"
#include "cmd/listen.h"
#include "cmd/options.h"
#include "store/backup.h"
#include "store/files.h"

enum err
demo_home_open(struct demo_home *home, const char *dir, bool force)
{
    const char *tmp = getenv("TMPDIR");

    *home = (struct demo_home){.is_temporary = !dir};
    if (dir) {
        buf_add(&home->dir, str_of(dir));
        if (!backup_is_there(dir) || force)
            return OK;
        fprintf(stderr,
                "spangraph serve: there is a store in %s, and a demo would mix "
                "made-up traffic into it: name another folder, none, or add "
                "--force\n",
                dir);
        return ERR_INVALID;
    }
    buf_printf(&home->dir, "%s/spangraph-demo.XXXXXX",
               tmp && *tmp ? tmp : "/tmp");
    if (home->dir.failed || !buf_cstr(&home->dir) || !mkdtemp(home->dir.ptr)) {
        fprintf(stderr, "spangraph serve: %s: %s\n", buf_cstr(&home->dir),
                strerror(errno));
        return ERR_IO;
    }
    return OK;
}

void
demo_home_fini(struct demo_home *home)
{
    buf_fini(&home->dir);
}

static int
remove_one(const char *path, const struct stat *st, int what, struct FTW *at)
{
    (void)st;
    (void)what;
    (void)at;
    (void)remove(path);
    return 0;
}

/* Passes signals on until the child has ended; its status as wait has it. */
static int
attend(pid_t child, const sigset_t *set)
{
    uint64_t last_ns = 0;
    int status = 0;
    int number;

    while (waitpid(child, &status, WNOHANG) == 0) {
        if (sigwait(set, &number) || number == SIGCHLD)
            continue;
        uint64_t now_ns = clock_mono_ns();
        if (number == SIGHUP || now_ns - last_ns > NS_PER_S)
            (void)kill(child, number);
        if (number != SIGHUP)
            last_ns = now_ns;
    }
    return status;
}

static void
become_service(pid_t parent, const sigset_t *old)
{
    (void)setpgid(0, 0);
    /* Of another group than the terminal's: it may write there all the same. */
    (void)signal(SIGTTOU, SIG_IGN);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(EXIT_CANNOT_RUN);
    (void)sigprocmask(SIG_SETMASK, old, NULL);
}

enum err
demo_home_guard(struct demo_home *home, int *exit_code)
{
    enum { DEPTH = 16 };
    pid_t self = getpid();
    sigset_t set;
    sigset_t old;

    if (!home->is_temporary)
        return OK;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &set, &old);
    pid_t child = fork();
    if (child == 0) {
        become_service(self, &old);
        return OK;
    }
    int status = child > 0 ? attend(child, &set) : 0;
    (void)nftw(buf_cstr(&home->dir), remove_one, DEPTH, FTW_DEPTH | FTW_PHYS);
    (void)sigprocmask(SIG_SETMASK, &old, NULL);
    if (child < 0) {
        fprintf(stderr, "spangraph serve: cannot start: %s\n", strerror(errno));
        return ERR_NOMEM;
    }
    if (WIFSIGNALED(status))
        fprintf(stderr, "spangraph serve: ended by signal %d\n",
                WTERMSIG(status));
    *exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_CANNOT_RUN;
    return ERR_CANCELLED;
}

int
demo_home_declare(struct demo_home *home)
{
    static char service[] = DEMO_SERVICE;
    static char words[4][16] = {"import-routes", "--service", "--data", "--"};
    const struct command self = {.name = words[0], .usage = words[0]};
    struct buf file = {0};
    struct buf why = {0};
    str routes = demo_routes();
    FILE *out = NULL;
    int rc = EXIT_CANNOT_RUN;

    buf_printf(&file, "%s/demo-routes.txt", buf_cstr(&home->dir));
    if (files_make_dir(buf_cstr(&home->dir), &why) == OK)
        out = fopen(buf_cstr(&file), "we");
    bool is_written =
        out && fwrite(routes.ptr, 1, routes.len, out) == routes.len;
    if (out && fclose(out) == 0 && is_written) {
        char *argv[] = {words[0],      words[1], service,  words[2],
                        home->dir.ptr, words[3], file.ptr, NULL};

        rc = cmd_import_routes(&self, 7, argv);
    } else {
        fprintf(stderr, "spangraph serve: %s: %s\n", buf_cstr(&file),
                why.len ? buf_cstr(&why) : strerror(errno));
    }
    (void)unlink(buf_cstr(&file));
    buf_fini(&file);
    buf_fini(&why);
    return rc;
}

void
demo_home_configure(struct config *cfg)
{
    static const char *const keys[][2] = {{"pairing.wait", "1s"},
                                          {"store.flush_interval", "100ms"},
                                          {"service.log.level", "warn"}};
    struct buf why = {0};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        (void)config_set(cfg, keys[i][0], keys[i][1], &why);
    buf_fini(&why);
}

void
demo_home_place(char out[DEMO_PLACE_CAP], const struct config_listener *cfg,
                uint16_t port)
{
    char host[LISTEN_HOST_CAP];
    uint16_t configured;

    *out = '\0';
    if (!cfg->enabled ||
        config_split_endpoint(cfg->endpoint, host, sizeof(host), &configured))
        return;
    if (strncmp(host, "unix:", 5) == 0)
        (void)snprintf(out, DEMO_PLACE_CAP, "%s", host);
    else
        (void)snprintf(out, DEMO_PLACE_CAP,
                       strchr(host, ':') ? "[%s]:%u" : "%s:%u", host,
                       (unsigned)port);
}

static void
print_place(const char *what, const char *scheme, const char *at,
            const char *path)
{
    if (*at)
        printf("  %-10s %s%s%s\n", what, scheme, at, path);
}

void
demo_home_print(struct demo_home *home, const struct demo_places *places)
{
    const char *dir = buf_cstr(&home->dir);

    printf("\nA shop's recorded requests are replayed every %u seconds.  Data: "
           "%s%s\n\nAsk it, from another terminal:\n"
           "  who calls the service orders, and how often?\n"
           "    spangraph call --data %s runtime_traffic service_name=orders\n"
           "  which routes does nobody call?\n"
           "    spangraph call --data %s dead_routes stale_days=30\n"
           "  how much has been seen?\n"
           "    spangraph call --data %s trace_stats\n\nWhere to look:\n",
           (unsigned)(DEMO_EVERY_NS / NS_PER_S), dir,
           home->is_temporary ? " (gone when this ends)" : "", dir, dir, dir);
    print_place("edges", "spangraph edges --data ", dir, "");
    print_place("live", "spangraph top --server http://", places->query, "");
    print_place("OTLP/gRPC", "", places->grpc, "");
    print_place("OTLP/HTTP", "http://", places->http, "/v1/traces");
    print_place("MCP", "http://", places->query, "/mcp");
    print_place("metrics", "http://", places->query, "/metrics");
    print_place("your agent",
                "claude mcp add --transport http spangraph http://",
                places->query, "/mcp");
    printf("\nCtrl-C ends it.\n");
    (void)fflush(stdout);
}
