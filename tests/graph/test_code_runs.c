#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "graph/code_runs.h"
#include "graph/code_write.h"
#include "tests/support/builds.h"
#include "tests/support/dir.h"

static struct {
    char dir[64];
    struct code_store *cs;
    struct code_db *db;
    const struct code *code;
    const struct code_terms *terms;
    struct buf why;
} it;

static int
setup(void **state)
{
    struct code_build build;
    struct code_written written;
    struct program p;

    (void)state;
    memset(&it, 0, sizeof(it));
    dir_make(it.dir);
    assert_int_equal(code_store_open(&it.cs, it.dir, 1, &it.why), OK);
    program_init(&p, 7);
    program_build(&p, "example.com/org/x", 0, &build);
    assert_int_equal(code_write(it.cs, &build, 1700000000, &written, &it.why),
                     OK);
    code_build_fini(&build);
    build_large(&build, "example.com/org/y", 500, 900);
    assert_int_equal(code_write(it.cs, &build, 1700000001, &written, &it.why),
                     OK);
    code_build_fini(&build);
    assert_int_equal(code_db_open(&it.db, it.dir), OK);
    assert_int_equal(code_db_hold(it.db, &it.code, &it.why), OK);
    return code_terms_of(it.code, &it.terms);
}

static int
teardown(void **state)
{
    (void)state;
    code_drop(it.code);
    code_db_close(it.db);
    code_store_close(it.cs);
    dir_remove(it.dir);
    buf_fini(&it.why);
    return 0;
}

/* By looking at each. */
static unsigned
common(str word, str term)
{
    unsigned same = 0;

    for (size_t i = 0; i + 3 <= word.len; i++)
        same += term.len > 2 && memmem(term.ptr, term.len, word.ptr + i, 3);
    return same;
}

static void
check_word(const struct code_runs *runs, str word)
{
    uint8_t *counts = calloc(it.terms->len + 1, 1);

    assert_non_null(counts);
    code_runs_count(runs, word, counts);
    for (uint32_t t = 0; t < it.terms->len; t++)
        assert_int_equal(counts[t], common(word, it.terms->terms[t]));
    assert_int_equal(counts[it.terms->len], 0);
    free(counts);
}

static void
a_word_has_with_each_term_the_runs_that_looking_finds(void **state)
{
    const struct code_runs *runs;

    (void)state;
    assert_true(it.terms->len > 50);
    assert_int_equal(code_runs_of(it.code, it.terms, &runs), OK);
    for (uint32_t t = 0; t < it.terms->len; t++)
        check_word(runs, it.terms->terms[t]);
    check_word(runs, STR(""));
    check_word(runs, STR("fu"));
    check_word(runs, STR("aaaaaa"));
    check_word(runs, STR("funfunfunction"));
    check_word(runs, STR("\xff\xff\xff"));
    check_word(runs, (str){"\0\0\0", 3});
}

static void
strings_have_the_marks_of_their_texts(void **state)
{
    const struct code_runs *runs;

    (void)state;
    assert_int_equal(code_runs_of(it.code, it.terms, &runs), OK);
    for (uint32_t i = 0; i < it.code->literal_len; i++)
        assert_int_equal(runs->said[i],
                         code_terms_mark(it.code->literals[i].text));
}

static void
the_empty_graph_has_no_runs(void **state)
{
    const struct code_terms *terms;
    const struct code_runs *runs;
    const struct code *empty;
    struct code_db *db;
    uint8_t count = 0;
    char dir[64];

    (void)state;
    dir_make(dir);
    assert_int_equal(code_db_open(&db, dir), OK);
    assert_int_equal(code_db_hold(db, &empty, &it.why), OK);
    assert_int_equal(code_terms_of(empty, &terms), OK);
    assert_int_equal(code_runs_of(empty, terms, &runs), OK);
    assert_int_equal(runs->len, 0);
    code_runs_count(runs, STR("function"), &count);
    assert_int_equal(count, 0);
    code_drop(empty);
    code_db_close(db);
    dir_remove(dir);
}

static void *
ask(void *out)
{
    assert_int_equal(code_runs_of(it.code, it.terms, out), OK);
    return NULL;
}

static void
all_who_ask_at_once_are_given_the_same(void **state)
{
    const struct code_runs *runs[4];
    pthread_t threads[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &runs[i]), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 1; i < 4; i++)
        assert_ptr_equal(runs[i], runs[0]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define IT(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        IT(a_word_has_with_each_term_the_runs_that_looking_finds),
        IT(strings_have_the_marks_of_their_texts),
        IT(the_empty_graph_has_no_runs),
        IT(all_who_ask_at_once_are_given_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
