#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/code_find.h"
#include "graph/code_history.h"
#include "graph/code_write.h"
#include "graph/feedback.h"
#include "tests/support/builds.h"
#include "tests/support/dir.h"

static struct {
    char dir[64];
    struct code_store *cs;
    struct code_db *db;
    const struct code *code;
    struct buf why;
} it;

static int
setup(void **state)
{
    (void)state;
    dir_make(it.dir);
    return code_store_open(&it.cs, it.dir, 1, &it.why) ||
           code_db_open(&it.db, it.dir);
}

static int
teardown(void **state)
{
    (void)state;
    code_drop(it.code);
    it.code = NULL;
    code_db_close(it.db);
    code_store_close(it.cs);
    dir_remove(it.dir);
    buf_fini(&it.why);
    return 0;
}

static void
write_program(const struct program *p, const char *url)
{
    struct code_written written;
    struct code_build build;

    program_build(p, url, 0, &build);
    assert_int_equal(code_write(it.cs, &build, 1700000000, &written, &it.why),
                     OK);
    code_build_fini(&build);
    code_drop(it.code);
    assert_int_equal(code_db_hold(it.db, &it.code, &it.why), OK);
}

static const struct code *
past(uint32_t index)
{
    const struct code *code = NULL;

    enum err err = code_snapshot_load(it.db, it.code, index, &code, &it.why);
    if (err)
        fail_msg("%s %s", err_str(err), buf_cstr(&it.why));
    return code;
}

/* A program of two functions in a file, the first calling the second. */
static void
two_functions(struct program *p)
{
    *p = (struct program){.seed = 1};
    p->files[0].is_there = p->files[1].is_there = true;
    p->functions[0].file = p->functions[1].file = 1;
    p->functions[0].name = 0;
    p->functions[1].name = 1;
    p->functions[0].length = p->functions[1].length = 5;
    p->functions[0].calls[0] = 2;
    memset(p->commit, 'a', 40);
}

static void
snapshots_are_named_by_commit_hash_or_front(void **state)
{
    struct program p;
    struct buf hex = {0};
    uint32_t at = 9;

    (void)state;
    buf_reset(&it.why);
    two_functions(&p);
    assert_int_equal(code_db_hold(it.db, &it.code, &it.why), OK);
    assert_int_equal(
        code_snapshot_find(it.code, 0, STR("latest"), &at, &it.why),
        ERR_NOT_FOUND);
    write_program(&p, "example.com/x");
    assert_int_equal(
        code_snapshot_find(it.code, 0, STR("previous"), &at, &it.why),
        ERR_NOT_FOUND);
    memset(p.commit, 'b', 40);
    p.functions[1].name = 7;
    write_program(&p, "example.com/x");
    assert_int_equal(
        code_snapshot_find(it.code, 0, STR("latest"), &at, &it.why), OK);
    assert_int_equal(at, 0);
    assert_int_equal(
        code_snapshot_find(it.code, 0, STR("previous"), &at, &it.why), OK);
    assert_int_equal(at, 1);
    assert_int_equal(code_snapshot_find(it.code, 0, STR("aaaa"), &at, &it.why),
                     OK);
    assert_int_equal(at, 1);
    assert_int_equal(
        code_snapshot_find(it.code, 1, STR("BBBBBB"), &at, &it.why), OK);
    assert_int_equal(at, 0);
    buf_add_hex(&hex, (str){(const char *)it.code->snapshots[1].hash, 32});
    assert_int_equal(
        code_snapshot_find(it.code, 0, buf_str(&hex), &at, &it.why), OK);
    assert_int_equal(at, 1);
    assert_int_equal(code_snapshot_find(it.code, 0,
                                        str_cut(buf_str(&hex), 0, 8), &at,
                                        &it.why),
                     OK);
    assert_int_equal(at, 1);
    buf_fini(&hex);
    assert_int_equal(code_snapshot_find(it.code, 0, STR("aaa"), &at, &it.why),
                     ERR_INVALID);
    assert_int_equal(code_snapshot_find(it.code, 0, STR("main"), &at, &it.why),
                     ERR_INVALID);
    assert_int_equal(code_snapshot_find(it.code, 0, STR("0123"), &at, &it.why),
                     ERR_NOT_FOUND);
    assert_int_equal(code_snapshot_find(it.code, 2, STR("aaaa"), &at, &it.why),
                     ERR_NOT_FOUND);
    /* Another commit that begins alike, with another graph. */
    p.commit[39] = 'c';
    p.functions[1].name = 8;
    write_program(&p, "example.com/x");
    assert_int_equal(code_snapshot_find(it.code, 0, STR("bbbb"), &at, &it.why),
                     ERR_AMBIGUOUS);
    write_program(&p, "example.com/y");
    assert_int_equal(
        code_snapshot_find(it.code, 0, STR("latest"), &at, &it.why),
        ERR_AMBIGUOUS);
    assert_int_equal(
        code_snapshot_find(it.code, 2, STR("latest"), &at, &it.why), OK);
    assert_int_equal(it.code->snapshots[at].repo, 2);
    assert_true(it.why.len > 0);
}

static void
a_difference_tells_what_came_went_and_changed(void **state)
{
    struct program p;
    struct code_diff diff;

    (void)state;
    two_functions(&p);
    write_program(&p, "example.com/x");
    memset(p.commit, 'b', 40);
    p.files[0].lines_above = 30; /* no change */
    p.functions[1].signature = 9;
    p.functions[2].file = 2;
    p.functions[2].name = 2;
    p.functions[2].calls[1] = 2;
    p.functions[0].calls[0] = 3;
    write_program(&p, "example.com/x");
    const struct code *old = past(1), *new = past(0);
    assert_int_equal(code_diff_make(old, new, &diff), OK);
    assert_int_equal(diff.added_len, 1);
    assert_true(
        str_eq(new->nodes[diff.added[0].new_node].name, STR("Type.fn2")));
    assert_int_equal(diff.removed_len, 0);
    assert_int_equal(diff.modified_len, 2);
    assert_int_equal(diff.modified[0].mod, CODE_MOD_EDGES);
    assert_int_equal(diff.modified[1].mod, CODE_MOD_SIGNATURE);
    assert_int_equal(diff.edges_added_len, 2);
    assert_int_equal(diff.edges_removed_len, 1);
    assert_true(
        str_eq(old->nodes[diff.edges_removed[0].src].name, STR("Type.fn0")));
    assert_true(
        str_eq(old->nodes[diff.edges_removed[0].dst].name, STR("Type.fn1")));
    code_diff_fini(&diff);
    /* And back. */
    assert_int_equal(code_diff_make(new, old, &diff), OK);
    assert_int_equal(diff.added_len, 0);
    assert_int_equal(diff.removed_len, 1);
    assert_int_equal(diff.edges_added_len, 1);
    assert_int_equal(diff.edges_removed_len, 2);
    code_diff_fini(&diff);
    assert_int_equal(code_diff_make(new, new, &diff), OK);
    assert_int_equal(diff.added_len + diff.removed_len + diff.modified_len +
                         diff.edges_added_len + diff.edges_removed_len,
                     0);
    code_diff_fini(&diff);
    code_drop(old);
    code_drop(new);
}

static void
differences_add_up_over_any_two_snapshots(void **state)
{
    struct program p;

    (void)state;
    program_init(&p, 11);
    for (int i = 0; i < 10; i++) {
        write_program(&p, "example.com/x");
        program_edit(&p);
        program_edit(&p);
    }
    for (uint32_t a = 0; a < 10; a += 3)
        for (uint32_t b = 0; b < 10; b += 2) {
            const struct code *x = past(a), *y = past(b);
            struct code_diff d;
            assert_int_equal(code_diff_make(x, y, &d), OK);
            assert_int_equal((int64_t)y->node_len - x->node_len,
                             (int64_t)d.added_len - (int64_t)d.removed_len);
            assert_int_equal((int64_t)it.code->snapshots[b].edges -
                                 it.code->snapshots[a].edges,
                             (int64_t)d.edges_added_len -
                                 (int64_t)d.edges_removed_len);
            for (size_t i = 0; i < d.modified_len; i++)
                assert_memory_equal(x->nodes[d.modified[i].old_node].hash,
                                    y->nodes[d.modified[i].new_node].hash, 32);
            code_diff_fini(&d);
            code_drop(x);
            code_drop(y);
        }
}

static void
what_was_there_and_is_not_is_stale(void **state)
{
    struct program p;
    struct code_stales stales;

    (void)state;
    two_functions(&p);
    write_program(&p, "example.com/x");
    memset(p.commit, 'b', 40);
    p.functions[0].length = 6; /* places change, the relation does not */
    p.functions[0].calls[1] = 2;
    write_program(&p, "example.com/x");
    assert_int_equal(code_stale_edges(it.db, it.code, 0, &stales, &it.why), OK);
    assert_int_equal(stales.len, 0);
    code_stales_fini(&stales);
    memset(p.commit, 'c', 40);
    p.functions[0].calls[0] = 0;
    p.functions[0].calls[1] = 0;
    write_program(&p, "example.com/x");
    memset(p.commit, 'd', 40);
    write_program(&p, "example.com/x");
    assert_int_equal(code_stale_edges(it.db, it.code, 0, &stales, &it.why), OK);
    assert_int_equal(stales.len, 2); /* by two provenances */
    for (size_t i = 0; i < 2; i++) {
        assert_true(str_eq(stales.rows[i].src, STR("src/pkg0.Type.fn0")));
        assert_true(str_eq(stales.rows[i].dst, STR("src/pkg1.Type.fn1")));
        assert_true(str_eq(stales.rows[i].src_path, STR("src/file0.go")));
        assert_int_equal(stales.rows[i].last_generation, 2);
        assert_int_equal(stales.rows[i].type, CODE_CALLS);
    }
    code_stales_fini(&stales);
    /* As of the first two, nothing was. */
    assert_int_equal(code_stale_edges(it.db, it.code, 3, &stales, &it.why), OK);
    assert_int_equal(stales.len, 0);
    code_stales_fini(&stales);
    /* Once those that had it are dropped, nobody knows of it. */
    assert_int_equal(code_gc(it.cs, 0, 2, NULL), OK);
    assert_int_equal(code_stale_edges(it.db, it.code, 0, &stales, &it.why), OK);
    assert_int_equal(stales.len, 0);
    code_stales_fini(&stales);
    buf_reset(&it.why);
    assert_int_equal(code_stale_edges(it.db, it.code, 3, &stales, &it.why),
                     ERR_NOT_FOUND);
    assert_int_equal(code_stale_edges(it.db, it.code, 99, &stales, &it.why),
                     ERR_NOT_FOUND);
    const struct code *gone = NULL;
    assert_int_equal(code_snapshot_load(it.db, it.code, 3, &gone, &it.why),
                     ERR_NOT_FOUND);
    assert_null(gone);
}

static void
a_fingerprint_is_of_the_code_and_not_of_where_it_stands(void **state)
{
    struct program p;
    unsigned char first[32], now[32];

    (void)state;
    two_functions(&p);
    write_program(&p, "example.com/x");
    uint32_t id =
        code_by_qualified(it.code, STR("example.com/x://src/pkg0.Type.fn0"));
    assert_true(id != 0);
    code_fingerprint(it.code, id, first);
    p.files[0].lines_above = 12;
    write_program(&p, "example.com/x");
    code_fingerprint(it.code, id, now);
    assert_memory_equal(first, now, 32);
    p.functions[0].length++;
    write_program(&p, "example.com/x");
    code_fingerprint(it.code, id, now);
    assert_memory_not_equal(first, now, 32);
    code_fingerprint(it.code, 0, now);
}

/* Sums what is kept, and gives that of the first vertex. */
static struct feedback_sum
said_of_first(void)
{
    struct feedback_sum sum = {0};
    struct feedback all;

    assert_int_equal(feedback_load(it.db, it.code, 0, &all, &it.why), OK);
    if (feedback_of(&all, 1))
        sum = *feedback_of(&all, 1);
    feedback_fini(&all);
    return sum;
}

static void
what_was_said_of_code_expires_when_it_changes(void **state)
{
    static const str sessions[] = {STR_INIT("a"), STR_INIT("b"), STR_INIT("c")};
    struct program p;
    struct feedback_word word = {1, true, STR("s"), 1700000000};

    (void)state;
    buf_reset(&it.why);
    assert_int_equal(code_db_hold(it.db, &it.code, &it.why), OK);
    assert_int_equal(said_of_first().node, 0);
    two_functions(&p);
    write_program(&p, "example.com/x");
    assert_int_equal(feedback_record(it.db, it.code, &word, &it.why), ERR_BUSY);
    code_store_close(it.cs);
    it.cs = NULL;
    for (size_t i = 0; i < 3; i++) {
        word.session = sessions[i];
        word.useful = i == 0;
        assert_int_equal(feedback_record(it.db, it.code, &word, &it.why), OK);
    }
    struct feedback_sum sum = said_of_first();
    assert_int_equal(sum.useful, 1);
    assert_int_equal(sum.not_useful, 2);
    assert_int_equal(sum.expired, 0);
    p.functions[0].signature++;
    assert_int_equal(code_store_open(&it.cs, it.dir, 1, &it.why), OK);
    write_program(&p, "example.com/x");
    sum = said_of_first();
    assert_int_equal(sum.useful + sum.not_useful, 0);
    assert_int_equal(sum.expired, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(snapshots_are_named_by_commit_hash_or_front),
        TEST(a_difference_tells_what_came_went_and_changed),
        TEST(differences_add_up_over_any_two_snapshots),
        TEST(what_was_there_and_is_not_is_stale),
        TEST(a_fingerprint_is_of_the_code_and_not_of_where_it_stands),
        TEST(what_was_said_of_code_expires_when_it_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
