/*
 * Parsers that crash, hang, eat memory, lie and try to get out.  What they do
 * is told by the file they are given: `!crash`, ...
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "index/parsers.h"
#include "index/sandbox.h"
#include "tests/support/dir.h"

enum { FILES_MAX = 256 };

struct bench {
    char dir[64];
    struct tree *tree;
    struct parse_job jobs[FILES_MAX];
    uint32_t len;
    struct parsers_cfg cfg;
    char *said[FILES_MAX]; /* why it was skipped, or `facts` */
    uint64_t bytes[FILES_MAX];
    uint32_t calls;
    uint32_t fail_at;
};

/* ---- what a parser may do ---- */

static void
try_to_get_out(void)
{
    char *const nothing[] = {NULL};
    char byte = 0;
    int open_fds = 0;

    if (open("/etc/passwd", O_RDONLY) >= 0 ||
        socket(AF_INET, SOCK_STREAM, 0) >= 0 || fork() >= 0 ||
        open("canary", O_WRONLY | O_CREAT, 0600) >= 0 ||
        mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
             0) != MAP_FAILED ||
        read(0, &byte, 1) > 0 || kill(getppid(), 0) == 0)
        __builtin_trap();
    for (int fd = 3; fd < 64; fd++)
        open_fds += write(fd, &byte, 0) == 0;
    if (open_fds != 1) /* the parent's */
        __builtin_trap();
    (void)execve("/bin/true", nothing, nothing);
}

static void
eat(void)
{
    for (;;) {
        char *more = malloc(16 << 20);
        if (!more)
            abort();
        for (size_t i = 0; i < 16 << 20; i += 4096)
            ((volatile char *)more)[i] = 1;
    }
}

static enum err
act(const struct lang *lang, str path, str content,
    const struct lang_limits *limits, struct facts *facts)
{
    (void)path;
    (void)limits;
    if (str_starts(content, STR("!crash")))
        __builtin_trap();
    if (str_starts(content, STR("!abort")))
        abort();
    if (str_starts(content, STR("!exit")))
        _exit(0);
    if (str_starts(content, STR("!hang")))
        for (volatile int on = 1; on;)
            ;
    if (str_starts(content, STR("!eat")))
        eat();
    if (str_starts(content, STR("!out")))
        try_to_get_out();
    if (str_starts(content, STR("!slow")))
        return ERR_CANCELLED;
    if (str_starts(content, STR("!grammar")))
        return ERR_UNSUPPORTED;
    if (str_starts(content, STR("!memory")))
        return ERR_NOMEM;
    return facts_init(facts, lang->id);
}

/* ---- the bench ---- */

static int
set_up(void **state)
{
    struct bench *b = calloc(1, sizeof(*b));

    assert_non_null(b);
    (void)signal(SIGPIPE, SIG_IGN);
    dir_make(b->dir);
    b->cfg = parsers_cfg_default;
    b->cfg.parse = act;
    b->cfg.processes = 2;
    b->cfg.patience_ns = NS_PER_S / 4;
    b->cfg.memory_max = UINT64_C(64) << 20;
    b->fail_at = UINT32_MAX;
    *state = b;
    return 0;
}

static int
tear_down(void **state)
{
    struct bench *b = *state;

    tree_close(b->tree);
    dir_remove(b->dir);
    for (size_t i = 0; i < FILES_MAX; i++)
        free(b->said[i]);
    free(b);
    return 0;
}

static void
put(struct bench *b, const char *name, const void *text, size_t len)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/%s", b->dir, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static void
put_text(struct bench *b, const char *name, const char *text)
{
    put(b, name, text, strlen(text));
}

static enum err
note(void *ctx, uint32_t job, str facts, uint64_t bytes, str skipped)
{
    struct bench *b = ctx;

    assert_true(job < b->len);
    assert_null(b->said[job]); /* once each */
    assert_true((facts.len == 0) == (skipped.len > 0));
    b->said[job] =
        facts.len ? strdup("facts") : strndup(skipped.ptr, skipped.len);
    b->bytes[job] = bytes;
    return ++b->calls > b->fail_at ? ERR_FULL : OK;
}

static enum err
run(struct bench *b)
{
    struct buf why = {0};
    const struct tree_ask ask = {.path = b->dir};

    assert_int_equal(tree_open(&b->tree, &ask, &why), OK);
    buf_fini(&why);
    tree_files(b->tree, &b->len);
    assert_true(b->len <= FILES_MAX);
    for (uint32_t i = 0; i < b->len; i++)
        b->jobs[i] = (struct parse_job){i, LANG_GO};
    enum err err = parsers_run(b->tree, b->jobs, b->len, &b->cfg, note, b);
    /* No child is left behind. */
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    return err;
}

static const char *
said(const struct bench *b, const char *name)
{
    uint32_t len;
    const struct tree_file *files = tree_files(b->tree, &len);

    for (uint32_t i = 0; i < len; i++)
        if (str_eq(files[i].path, str_of(name)))
            return b->said[i];
    fail_msg("no file %s", name);
    return NULL;
}

static void
each_file_is_answered_once(void **state)
{
    struct bench *b = *state;
    char name[16];

    for (int i = 0; i < 200; i++) {
        (void)snprintf(name, sizeof(name), "f%03d.go", i);
        put_text(b, name, "package a\n");
    }
    assert_int_equal(run(b), OK);
    assert_int_equal(b->calls, 200);
    for (uint32_t i = 0; i < 200; i++) {
        assert_string_equal(b->said[i], "facts");
        assert_int_equal(b->bytes[i], 10);
    }
}

static void
nothing_to_do_is_nothing_done(void **state)
{
    struct bench *b = *state;

    assert_int_equal(run(b), OK);
    assert_int_equal(b->calls, 0);
}

static void
one_that_dies_takes_one_file_with_it(void **state)
{
    struct bench *b = *state;
    char name[16];

    for (int i = 0; i < 60; i++) {
        (void)snprintf(name, sizeof(name), "f%03d.go", i);
        put_text(b, name,
                 i % 10 == 3   ? "!crash"
                 : i % 10 == 6 ? "!abort"
                 : i % 10 == 9 ? "!exit"
                               : "ok");
    }
    assert_int_equal(run(b), OK);
    assert_int_equal(b->calls, 60);
    for (uint32_t i = 0; i < 60; i++)
        assert_string_equal(b->said[i], i % 10 && i % 10 % 3 == 0
                                            ? "crashed the parser"
                                            : "facts");
}

static void
one_that_hangs_is_killed_and_the_others_go_on(void **state)
{
    struct bench *b = *state;
    uint64_t began_ns = clock_mono_ns();

    put_text(b, "a.go", "ok");
    put_text(b, "b.go", "!hang");
    put_text(b, "c.go", "ok");
    put_text(b, "d.go", "!hang");
    assert_int_equal(run(b), OK);
    assert_string_equal(said(b, "a.go"), "facts");
    assert_string_equal(said(b, "b.go"), "took too long to parse");
    assert_string_equal(said(b, "c.go"), "facts");
    assert_string_equal(said(b, "d.go"), "took too long to parse");
    assert_true(clock_mono_ns() - began_ns < 5 * NS_PER_S);
}

static void
one_that_eats_memory_is_stopped(void **state)
{
#ifdef __SANITIZE_ADDRESS__
    (void)state;
    skip(); /* the limit would hit the sanitizer */
#else
    struct bench *b = *state;

    b->cfg.patience_ns = 10 * NS_PER_S;
    put_text(b, "a.go", "!eat");
    put_text(b, "b.go", "ok");
    assert_int_equal(run(b), OK);
    assert_string_equal(said(b, "a.go"), "crashed the parser");
    assert_string_equal(said(b, "b.go"), "facts");
#endif
}

static void
none_gets_out(void **state)
{
    struct bench *b = *state;

    b->cfg.patience_ns = 10 * NS_PER_S;
    put_text(b, "a.go", "!out");
    assert_int_equal(run(b), OK);
    assert_string_equal(said(b, "a.go"), "facts");
    assert_int_not_equal(access("canary", F_OK), 0);
}

static void
what_is_not_parsed_is_told_in_words(void **state)
{
    struct bench *b = *state;
    size_t max = 1000;
    char *large = calloc(1, max + 1);

    assert_non_null(large);
    memset(large, '\n', max + 1);
    b->cfg.limits.max_bytes = (uint32_t)max;
    put_text(b, "slow.go", "!slow");
    put_text(b, "grammar.go", "!grammar");
    put_text(b, "memory.go", "!memory");
    put_text(b, "empty.go", "");
    put(b, "at.go", large, max);
    put(b, "past.go", large, max + 1);
    free(large);
    assert_int_equal(run(b), OK);
    assert_string_equal(said(b, "slow.go"), "took too long to parse");
    assert_string_equal(said(b, "grammar.go"),
                        "its grammar is not the one this was built for");
    assert_string_equal(said(b, "memory.go"), "needs too much memory to parse");
    assert_string_equal(said(b, "empty.go"), "facts");
    assert_string_equal(said(b, "at.go"), "facts");
    assert_string_equal(said(b, "past.go"), "too large");
}

static void
a_minified_file_is_skipped(void **state)
{
    struct bench *b = *state;
    size_t len = 200000;
    char *line = malloc(len);

    assert_non_null(line);
    for (size_t i = 0; i < len; i++)
        line[i] = "a=b;"[i % 4];
    put(b, "min.go", line, len);
    free(line);
    assert_int_equal(run(b), OK);
    assert_string_equal(said(b, "min.go"), "minified");
}

static void
an_error_of_the_callback_ends_the_run(void **state)
{
    struct bench *b = *state;
    char name[16];

    for (int i = 0; i < 50; i++) {
        (void)snprintf(name, sizeof(name), "f%03d.go", i);
        put_text(b, name, "ok");
    }
    b->fail_at = 10;
    assert_int_equal(run(b), ERR_FULL);
    assert_int_equal(b->calls, 11);
}

static void
real_source_gives_facts(void **state)
{
    struct bench *b = *state;

    b->cfg = parsers_cfg_default;
    put_text(b, "a.go", "package a\nfunc F() { G() }\nfunc G() {}\n");
    assert_int_equal(run(b), OK);
    assert_string_equal(b->said[0], "facts");
}

int
main(void)
{
#define BENCH_TEST(name) \
    cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        BENCH_TEST(each_file_is_answered_once),
        BENCH_TEST(nothing_to_do_is_nothing_done),
        BENCH_TEST(one_that_dies_takes_one_file_with_it),
        BENCH_TEST(one_that_hangs_is_killed_and_the_others_go_on),
        BENCH_TEST(one_that_eats_memory_is_stopped),
        BENCH_TEST(none_gets_out),
        BENCH_TEST(what_is_not_parsed_is_told_in_words),
        BENCH_TEST(a_minified_file_is_skipped),
        BENCH_TEST(an_error_of_the_callback_ends_the_run),
        BENCH_TEST(real_source_gives_facts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
