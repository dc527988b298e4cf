#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/metrics.h"
#include "cmd/confine.h"
#include "tests/support/dir.h"

/* A child, as there is no way back.  It says what went wrong by its status:
 * the line of the check. */
#define EXPECT(condition)             \
    do {                              \
        if (!(condition))             \
            _exit(fail_at(__LINE__)); \
    } while (0)

static int
fail_at(int line)
{
    (void)dprintf(2, "line %d: %s\n", line, strerror(errno));
    return 1;
}

typedef void child_fn(const struct config *cfg, uint32_t parts);

static void
in_a_child(child_fn *fn, const char *index_path)
{
    char dir[64];
    struct config cfg;
    struct buf why = {0};
    int status = 0;

    dir_make(dir);
    assert_int_equal(config_init(&cfg), OK);
    assert_int_equal(config_set(&cfg, "store.dir", dir, &why), OK);
    if (index_path)
        assert_int_equal(
            config_set(&cfg, "query.index_paths", index_path, &why), OK);
    pid_t child = fork();
    if (child == 0) {
        fn(&cfg, confine_process(&cfg));
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    config_fini(&cfg);
    buf_fini(&why);
    dir_remove(dir);
}

static void
look_at_files(const struct config *cfg, uint32_t parts)
{
    char path[4200];

    if (!(parts & CONFINE_LANDLOCK))
        return;
    (void)snprintf(path, sizeof(path), "%s/file", cfg->dir);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    EXPECT(fd >= 0 && write(fd, "x", 1) == 1 && ftruncate(fd, 0) == 0);
    EXPECT(close(fd) == 0 && unlink(path) == 0);
    EXPECT(open("/etc/passwd", O_RDONLY) < 0 && errno == EACCES);
    EXPECT(open("/", O_RDONLY) < 0 && errno == EACCES);
    EXPECT(open("/tmp/spangraph-elsewhere", O_WRONLY | O_CREAT, 0600) < 0 &&
           errno == EACCES);
    EXPECT(open("/usr/bin/env", O_WRONLY) < 0);
    EXPECT((fd = open("/dev/null", O_WRONLY)) >= 0);
    EXPECT(open("/proc/sys/kernel/hostname", O_WRONLY) < 0);
}

static void
only_its_own_files_can_be_opened(void **state)
{
    (void)state;
    in_a_child(look_at_files, NULL);
}

static void *
nothing(void *ctx)
{
    return ctx;
}

static void
make_calls(const struct config *cfg, uint32_t parts)
{
    pthread_t thread;

    (void)cfg;
    if (!(parts & CONFINE_SECCOMP))
        return;
    EXPECT(ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 && errno == EPERM);
    EXPECT(mount("none", "/tmp", "tmpfs", 0, NULL) < 0 && errno == EPERM);
    EXPECT(syscall(SYS_unshare, 0) < 0 && errno == EPERM);
    EXPECT(syscall(SYS_bpf, 0, NULL, 0) < 0 && errno == EPERM);
    EXPECT(syscall(SYS_keyctl, 0) < 0 && errno == EPERM);
    EXPECT(syscall(SYS_setuid, getuid()) < 0 && errno == EPERM);
    EXPECT(syscall(SYS_clone3, NULL, 0) < 0 && errno == ENOSYS);
    EXPECT(syscall(SYS_clone, 0x10000000 /* user namespace */, NULL, NULL, NULL,
                   NULL) < 0 &&
           errno == EPERM);
    EXPECT(socket(AF_PACKET, SOCK_RAW, 0) < 0 && errno == EAFNOSUPPORT);
    EXPECT(socket(AF_INET6, SOCK_STREAM, 0) >= 0);
    EXPECT(socket(AF_NETLINK, SOCK_RAW, 0) >= 0);
    EXPECT(pthread_create(&thread, NULL, nothing, NULL) == 0);
    EXPECT(pthread_join(thread, NULL) == 0);
}

static void
calls_that_are_never_made_are_refused(void **state)
{
    (void)state;
    in_a_child(make_calls, NULL);
}

static void
run_nothing(const struct config *cfg, uint32_t parts)
{
    char name[] = "true";
    char *const words[] = {name, NULL};

    (void)cfg;
    if (parts & CONFINE_SECCOMP)
        EXPECT(execv("/bin/true", words) < 0 && errno == EPERM);
}

static void
run_itself_only(const struct config *cfg, uint32_t parts)
{
    char name[] = "true";
    char *const words[] = {name, NULL};
    char flag[] = "--nothing";
    char *const me[] = {name, flag, NULL};

    (void)cfg;
    if (parts & CONFINE_LANDLOCK)
        EXPECT(execv("/bin/true", words) < 0 && errno == EACCES);
    (void)execv("/proc/self/exe", me);
    EXPECT(false);
}

static void
no_program_is_started_but_the_indexer(void **state)
{
    (void)state;
    in_a_child(run_nothing, NULL);
    in_a_child(run_itself_only, "/usr");
}

static void
call_out(const struct config *cfg, uint32_t parts)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(9)};
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);

    (void)cfg;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT(connect(fd, (struct sockaddr *)&at, sizeof(at)) < 0);
    if ((parts & CONFINE_LANDLOCK) && version >= 4)
        EXPECT(errno == EACCES);
    at.sin_port = 0;
    EXPECT(bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0);
    EXPECT(listen(fd, 1) == 0);
}

static void
it_listens_and_does_not_call_out(void **state)
{
    (void)state;
    in_a_child(call_out, NULL);
}

/* 0 if a connection to |port| is let out, whether anybody is there or not. */
static int
dial(uint16_t port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    errno = 0;
    int got = connect(fd, (struct sockaddr *)&at, sizeof(at));
    int code = got == 0 || errno == ECONNREFUSED ? 0 : errno;
    close(fd);
    return code;
}

enum { GATEWAY_PORT = 4399 };

static void
call_the_gateway(const struct config *cfg, uint32_t parts)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);

    if (!(parts & CONFINE_LANDLOCK))
        return;
    EXPECT(open(cfg->forward.ca_file, O_RDONLY) >= 0);
    EXPECT(open("/etc/passwd", O_RDONLY) < 0 && errno == EACCES);
    if (version < 4)
        return;
    EXPECT(dial(GATEWAY_PORT) == 0);
    EXPECT(dial(53) == 0); /* a name server */
    EXPECT(dial(GATEWAY_PORT + 1) == EACCES);
    EXPECT(dial(80) == EACCES && dial(443) == EACCES);
}

static void
a_sidecar_calls_its_gateway_and_nobody_else(void **state)
{
    char dir[64];
    char file[128];
    struct config cfg;
    struct buf why = {0};
    int status = 0;

    (void)state;
    dir_make(dir);
    (void)snprintf(file, sizeof(file), "%s/ca.pem", dir);
    assert_int_equal(close(open(file, O_WRONLY | O_CREAT, 0600)), 0);
    assert_int_equal(config_init(&cfg), OK);
    assert_int_equal(config_set(&cfg, "store.dir", dir, &why), OK);
    assert_int_equal(config_set(&cfg, "forward.tls.ca_file", file, &why), OK);
    assert_int_equal(config_set(&cfg, "forward.endpoint",
                                "https://gateway.example:4399", &why),
                     OK);
    pid_t child = fork();
    if (child == 0) {
        call_the_gateway(&cfg, confine_process(&cfg));
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    config_fini(&cfg);
    buf_fini(&why);
    dir_remove(dir);
}

static void
look_at_itself(const struct config *cfg, uint32_t parts)
{
    struct rlimit core;

    (void)cfg;
    EXPECT(parts & CONFINE_NO_NEW_PRIVS);
    EXPECT(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
    EXPECT(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
    EXPECT(getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_max == 0);
}

static void
no_core_no_tracer_and_no_privilege_remain(void **state)
{
    (void)state;
    in_a_child(look_at_itself, NULL);
}

static void
what_is_active_is_a_metric(void **state)
{
    struct config cfg;

    (void)state;
    assert_int_equal(config_init(&cfg), OK);
    cfg.sandbox = "off";
    assert_int_equal(confine_service(&cfg), 0);
    confine_report(&cfg, CONFINE_SECCOMP | CONFINE_NO_CORE);
    assert_int_equal(metrics_get(METRIC_HARDENING_SECCOMP), 1);
    assert_int_equal(metrics_get(METRIC_HARDENING_NO_CORE), 1);
    assert_int_equal(metrics_get(METRIC_HARDENING_LANDLOCK), 0);
    config_fini(&cfg);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_its_own_files_can_be_opened),
        cmocka_unit_test(calls_that_are_never_made_are_refused),
        cmocka_unit_test(no_program_is_started_but_the_indexer),
        cmocka_unit_test(it_listens_and_does_not_call_out),
        cmocka_unit_test(a_sidecar_calls_its_gateway_and_nobody_else),
        cmocka_unit_test(no_core_no_tracer_and_no_privilege_remain),
        cmocka_unit_test(what_is_active_is_a_metric),
    };

    if (argc > 1 && strcmp(argv[1], "--nothing") == 0)
        _exit(0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
