/*
 * Whole indexes, by the real worker: this program is what job_run starts again.
 *
 * The property: after any row of edits, renames, moves and deletions, an
 * index that goes on from the one before finds and stores, byte for byte, what
 * a fresh one does.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "index/job.h"
#include "index/sandbox.h"
#include "tests/support/changing_repo.h"
#include "tests/support/dir.h"
#include "tests/support/size.h"

/* ---- what was found, and what is stored ---- */

static struct job_result
index_into(const struct changing_repo *w, const char *data, const char *commit)
{
    struct job_result result;
    struct buf why = {0};
    const struct job_ask ask = {
        .data = data,
        .tree = {.path = w->repo, .commit = commit},
        .repo_url = "example.com/o/m",
        .processes = 2,
    };

    if (job_run(&ask, NULL, NULL, &result, &why))
        fail_msg("%s", buf_cstr(&why));
    buf_fini(&why);
    return result;
}

#define NODE(column) \
    "(SELECT hex(n.hash) FROM node n WHERE n.died = 0 AND n.num = " column ")"
#define FILE_OF(column) \
    "(SELECT f.path FROM file f WHERE f.died = 0 AND f.num = " column ")"

static const char *const present[] = {
    "SELECT 'file', lang, flags, bytes, path, hex(blob), skipped FROM file "
    "WHERE died = 0",
    "SELECT 'node', kind, flags, " FILE_OF(
        "node.file") ", line, col, end_line, "
                     "hex(hash), package, name, signature FROM node WHERE died "
                     "= 0",
    "SELECT 'edge', " NODE("src") ", " NODE(
        "dst") ", type, provenance, "
               "permille, hex(hash), hex(sites) FROM edge WHERE died = 0",
    "SELECT 'route', " NODE("node") ", " NODE("handler") ", " FILE_OF(
        "route.file") ", flags, line, method, raw, canonical, framework "
                      "FROM route WHERE died = 0",
    "SELECT 'service', rank, name, directory, evidence FROM service WHERE "
    "died = 0",
    "SELECT 'owner', position, line, pattern, owner FROM owner WHERE died = 0",
    "SELECT 'literal', " NODE("node") ", text FROM literal WHERE died = 0",
    "SELECT 'author', " FILE_OF("author.file") ", commits, author FROM author "
                                               "WHERE died = 0",
    "SELECT 'snapshot', hex(hash), hex(root), files, nodes, edges, guesses, "
    "bytes, calls, calls_external, calls_unknown, \"commit\" FROM snapshot "
    "ORDER BY generation DESC LIMIT 1",
};

static int
compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct lines {
    char *line[20000];
    size_t len;
};

static int
add_line(void *ctx, int columns, char **values, char **names)
{
    struct lines *lines = ctx;
    struct buf line = {0};

    (void)names;
    for (int i = 0; i < columns; i++)
        buf_printf(&line, "%s\t", values[i] ? values[i] : "NULL");
    assert_true(lines->len < sizeof(lines->line) / sizeof(lines->line[0]));
    lines->line[lines->len++] = strdup(buf_cstr(&line));
    buf_fini(&line);
    return 0;
}

static struct lines *
read_store(const char *data)
{
    struct lines *lines = calloc(1, sizeof(*lines));
    char path[160];
    sqlite3 *db;

    assert_non_null(lines);
    (void)snprintf(path, sizeof(path), "%s/%s", data, CODE_STORE_FILE);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    for (size_t i = 0; i < sizeof(present) / sizeof(present[0]); i++) {
        char *error = NULL;
        if (sqlite3_exec(db, present[i], add_line, lines, &error))
            fail_msg("%s: %s", present[i], error);
    }
    sqlite3_close(db);
    qsort(lines->line, lines->len, sizeof(*lines->line), compare_lines);
    return lines;
}

static void
free_lines(struct lines *lines)
{
    for (size_t i = 0; i < lines->len; i++)
        free(lines->line[i]);
    free(lines);
}

static void
assert_same_stores(const char *a, const char *b, uint64_t seed, int round)
{
    struct lines *x = read_store(a);
    struct lines *y = read_store(b);
    size_t len = x->len < y->len ? x->len : y->len;

    for (size_t i = 0; i < len; i++)
        if (strcmp(x->line[i], y->line[i]) != 0)
            fail_msg("seed %llu, round %d:\n%s\nfresh:\n%s",
                     (unsigned long long)seed, round, x->line[i], y->line[i]);
    assert_int_equal(x->len, y->len);
    assert_true(x->len > 20);
    free_lines(x);
    free_lines(y);
}

static void
assert_same_builds(struct job_result *a, struct job_result *b)
{
    struct buf x = {0};
    struct buf y = {0};

    a->build.parsed = b->build.parsed = 0;
    assert_int_equal(code_build_pack(&a->build, &x), OK);
    assert_int_equal(code_build_pack(&b->build, &y), OK);
    assert_int_equal(x.len, y.len);
    assert_memory_equal(x.ptr, y.ptr, x.len);
    buf_fini(&x);
    buf_fini(&y);
}

static void
compare_with_fresh(struct changing_repo *w, const char *data, uint64_t seed,
                   int round)
{
    char fresh[96];

    (void)snprintf(fresh, sizeof(fresh), "%s/fresh", w->dir);
    struct job_result on = index_into(w, data, NULL);
    struct job_result anew = index_into(w, fresh, NULL);
    assert_same_builds(&on, &anew);
    assert_memory_equal(on.written.root, anew.written.root, SHA256_LEN);
    assert_same_stores(data, fresh, seed, round);
    job_result_fini(&on);
    job_result_fini(&anew);
    dir_remove(fresh);
}

static void
going_on_equals_beginning_anew(void **state)
{
    struct changing_repo *w = *state;
    struct seeds seeds = size_seeds(1, 20, 200);
    const int rounds = (int)size_of(14, 30, 60);
    char data[96];

    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        w->random = seed;
        (void)snprintf(data, sizeof(data), "%s/data", w->dir);
        repo_commit_changes(w, 40);
        for (int round = 0; round < rounds; round++) {
            compare_with_fresh(w, data, seed, round);
            repo_commit_changes(w, 1 + repo_roll(w, 8));
        }
        /* Back to an old state in one step. */
        repo_sh(
            w,
            "git checkout -q HEAD~9 -- . ; git commit -q --allow-empty -m x");
        compare_with_fresh(w, data, seed, rounds);
        dir_remove(data);
        repo_sh(w, "git rm -rqf . && mkdir -p core/api web");
        memset(w->is_there, 0, sizeof(w->is_there));
    }
}

static void
only_what_changed_is_parsed(void **state)
{
    struct changing_repo *w = *state;
    char data[96];
    unsigned char hash[SHA256_LEN];

    w->random = 7;
    (void)snprintf(data, sizeof(data), "%s/data", w->dir);
    for (int name = 0; name < REPO_NAMES; name++)
        repo_write_file(w, name % 3, 0, name);
    repo_sh(w, "git add -A . && git commit -qm one");
    struct job_result r = index_into(w, data, NULL);
    assert_int_equal(r.build.parsed, REPO_NAMES);
    assert_true(r.written.is_new);
    assert_true((r.sandbox & SANDBOX_LIMITS) && (r.sandbox & SANDBOX_NO_PRIVS));
    memcpy(hash, r.written.hash, sizeof(hash));
    job_result_fini(&r);

    r = index_into(w, data, NULL);
    assert_int_equal(r.build.parsed, 0);
    assert_false(r.written.is_new);
    assert_memory_equal(hash, r.written.hash, SHA256_LEN);
    job_result_fini(&r);

    /* Moved: its content is known, so nothing is parsed. */
    repo_sh(w, "git mv f0.go core/f0.go && git commit -qm two");
    r = index_into(w, data, NULL);
    assert_int_equal(r.build.parsed, 0);
    assert_true(r.written.is_new);
    job_result_fini(&r);

    repo_sh(w, "echo '// more' >>f3.go && git commit -qam three");
    r = index_into(w, data, NULL);
    assert_int_equal(r.build.parsed, 1);
    job_result_fini(&r);

    /* A commit of the past, and back. */
    r = index_into(w, data, "HEAD~2");
    assert_memory_equal(hash, r.written.hash, SHA256_LEN);
    job_result_fini(&r);
}

/* ---- what goes wrong ---- */

static enum err
cancel_at(void *ctx, const struct worker_progress *progress)
{
    return progress->phase >= *(const uint32_t *)ctx ? ERR_CANCELLED : OK;
}

static void
a_cancelled_index_changes_nothing(void **state)
{
    struct changing_repo *w = *state;
    char data[96];

    w->random = 3;
    (void)snprintf(data, sizeof(data), "%s/data", w->dir);
    repo_commit_changes(w, 30);
    struct job_result r = index_into(w, data, NULL);
    job_result_fini(&r);
    repo_commit_changes(w, 30);
    struct lines *before = read_store(data);
    for (uint32_t phase = 0; phase < PHASE_END; phase++) {
        const struct job_ask ask = {.data = data,
                                    .tree = {.path = w->repo},
                                    .repo_url = "example.com/o/m"};
        struct buf why = {0};
        enum err err = job_run(&ask, cancel_at, &phase, &r, &why);
        if (err == OK) { /* it was through before it was asked */
            job_result_fini(&r);
            buf_fini(&why);
            break;
        }
        assert_int_equal(err, ERR_CANCELLED);
        struct lines *after = read_store(data);
        assert_int_equal(before->len, after->len);
        for (size_t i = 0; i < before->len; i++)
            assert_string_equal(before->line[i], after->line[i]);
        free_lines(after);
        buf_fini(&why);
    }
    free_lines(before);
    compare_with_fresh(w, data, 3, 0);
}

static void
failures_are_told_in_words(void **state)
{
    struct changing_repo *w = *state;
    struct job_result r;
    char data[96];

    (void)snprintf(data, sizeof(data), "%s/data", w->dir);
    repo_sh(w, "git add -A . && git commit -qm one");
    const struct {
        struct job_ask ask;
        enum err err;
        const char *word;
    } rows[] = {
        {{.data = data, .tree = {.path = "/nonexistent"}},
         ERR_NOT_FOUND,
         "No such file"},
        {{.data = data, .tree = {.path = w->repo, .commit = "nope"}},
         ERR_NOT_FOUND,
         "no commit nope"},
        {{.data = data, .tree = {.path = w->dir, .commit = "main"}},
         ERR_INVALID,
         "no git repository"},
        {{.data = "/proc/nothing", .tree = {.path = w->repo}},
         ERR_DENIED,
         "/proc/nothing"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct buf why = {0};
        enum err err = job_run(&rows[i].ask, NULL, NULL, &r, &why);
        if ((err != rows[i].err && i != 3) || err == OK ||
            !strstr(buf_cstr(&why), rows[i].word))
            fail_msg("%zu: %s: %s", i, err_str(err), buf_cstr(&why));
        buf_fini(&why);
    }
}

static void
two_at_once_are_refused(void **state)
{
    struct changing_repo *w = *state;
    struct code_store *other;
    struct job_result r;
    struct buf why = {0};
    char data[96];

    (void)snprintf(data, sizeof(data), "%s/data", w->dir);
    repo_sh(w, "git add -A . && git commit -qm one");
    assert_int_equal(code_store_open(&other, data, 1, &why), OK);
    const struct job_ask ask = {.data = data, .tree = {.path = w->repo}};
    assert_int_equal(job_run(&ask, NULL, NULL, &r, &why), ERR_BUSY);
    assert_true(why.len > 0);
    code_store_close(other);
    buf_fini(&why);
}

int
main(int argc, char **argv)
{
#define WORLD_TEST(name)                                       \
    cmocka_unit_test_setup_teardown(name, changing_repo_setup, \
                                    changing_repo_teardown)
    const struct CMUnitTest tests[] = {
        WORLD_TEST(only_what_changed_is_parsed),
        WORLD_TEST(going_on_equals_beginning_anew),
        WORLD_TEST(a_cancelled_index_changes_nothing),
        WORLD_TEST(failures_are_told_in_words),
        WORLD_TEST(two_at_once_are_refused),
    };

    if (argc > 1 && strcmp(argv[1], "index-worker") == 0)
        return job_worker_main(argc - 1, argv + 1);
    size_args(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
