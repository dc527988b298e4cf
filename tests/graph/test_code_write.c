#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "graph/code_history.h"
#include "graph/code_write.h"
#include "tests/support/builds.h"
#include "tests/support/dir.h"

#define URL "https://github.com/Org/shop.git"

static struct {
    char dir[64];
    struct code_store *cs;
    struct buf why;
} it;

static int
setup(void **state)
{
    (void)state;
    dir_make(it.dir);
    return code_store_open(&it.cs, it.dir, 1, &it.why);
}

static int
teardown(void **state)
{
    (void)state;
    code_store_close(it.cs);
    dir_remove(it.dir);
    buf_fini(&it.why);
    return 0;
}

static struct code_written
write_program(struct code_store *cs, const struct program *p, uint32_t shuffle)
{
    struct code_written written;
    struct code_build build;

    program_build(p, URL, shuffle, &build);
    enum err err = code_write(cs, &build, 1700000000, &written, &it.why);
    if (err)
        fail_msg("code_write: %s %s", err_str(err), buf_cstr(&it.why));
    code_build_fini(&build);
    return written;
}

static const struct code *
load(const char *dir)
{
    struct code_db *db = NULL;
    const struct code *code = NULL;
    struct buf why = {0};

    assert_int_equal(code_db_open(&db, dir), OK);
    enum err err = code_db_hold(db, &code, &why);
    if (err)
        fail_msg("load: %s %s", err_str(err), buf_cstr(&why));
    code_db_close(db);
    buf_fini(&why);
    return code;
}

static void
add_site_lines(struct buf *out, const struct code *code,
               const struct code_link *link)
{
    for (uint32_t i = 0; i < link->site_len; i++)
        buf_printf(out, " %u:%u", code->sites[link->site_at + i].line,
                   code->sites[link->site_at + i].col);
}

#define S(text) (int)(text).len, (text).ptr

/* All that a graph says, in an order of its own. */
static void
print(const struct code *code, struct buf *out)
{
    for (uint32_t i = 1; i < code->file_len; i++)
        buf_printf(out, "file %.*s %u %u %u '%.*s' %u\n",
                   S(code->files[i].path), code->files[i].lang,
                   code->files[i].flags, code->files[i].bytes,
                   S(code->files[i].skipped), code->files[i].blob[1]);
    for (uint32_t i = 1; i < code->node_len; i++) {
        const struct code_vertex *node = &code->nodes[i];
        buf_printf(out, "node %.*s %u %u %u:%u-%u %.*s %.*s ",
                   S(node->qualified), node->kind, node->flags, node->line,
                   node->col, node->end_line, S(node->signature),
                   S(code->files[node->file].path));
        buf_add_hex(out, (str){(const char *)node->hash, SHA256_LEN});
        for (uint32_t n = code->out_at[i]; n < code->out_at[i + 1]; n++) {
            const struct code_link *link = &code->out[n];
            buf_printf(out, "\n  %u %u %u -> %u", link->type, link->provenance,
                       link->permille, link->node);
            add_site_lines(out, code, link);
        }
        for (uint32_t n = code->in_at[i]; n < code->in_at[i + 1]; n++)
            buf_printf(out, "\n  %u <- %u", code->in[n].type, code->in[n].node);
        buf_add_char(out, '\n');
    }
    for (uint32_t i = 0; i < code->owner_len; i++)
        buf_printf(out, "owner %.*s %.*s\n", S(code->owners[i].pattern),
                   S(code->owners[i].owner));
    for (uint32_t i = 0; i < code->author_len; i++)
        buf_printf(out, "author %u %.*s %u\n", code->authors[i].file,
                   S(code->authors[i].author), code->authors[i].commits);
    buf_printf(out, "%u routes %u literals %u services %u exposures\n",
               code->route_len, code->literal_len, code->service_len,
               code->exposure_len);
}

static void
assert_same(const struct code *a, const struct code *b, const char *what)
{
    struct buf x = {0}, y = {0};

    print(a, &x);
    print(b, &y);
    if (strcmp(buf_cstr(&x), buf_cstr(&y)) != 0) {
        size_t at = 0;
        while (x.ptr[at] == y.ptr[at])
            at++;
        at = at > 80 ? at - 80 : 0;
        fail_msg("%s: ...%.200s\n\nand\n\n...%.200s", what, x.ptr + at,
                 y.ptr + at);
    }
    buf_fini(&x);
    buf_fini(&y);
}

static void
after_any_edits_the_graph_is_that_of_a_fresh_index(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        char fresh_dir[64];
        struct program p;
        uint32_t generation = 0;

        program_init(&p, seed);
        if (seed > 1) {
            teardown(NULL);
            setup(NULL);
        }
        for (int edit = 0; edit < 25; edit++) {
            struct code_store *fresh = NULL;
            struct code_written a = write_program(it.cs, &p, 0);
            dir_make(fresh_dir);
            assert_int_equal(code_store_open(&fresh, fresh_dir, 1, &it.why),
                             OK);
            struct code_written b =
                write_program(fresh, &p, 1 + (uint32_t)edit % 5);

            assert_memory_equal(a.root, b.root, SHA256_LEN);
            assert_memory_equal(a.hash, b.hash, SHA256_LEN);
            assert_int_equal(a.nodes, b.nodes);
            assert_int_equal(a.edges, b.edges);
            assert_true(a.is_new);
            assert_int_equal(a.generation, ++generation);
            code_store_close(fresh);
            const struct code *x = load(it.dir), *y = load(fresh_dir);
            assert_same(x, y, "incremental and fresh");
            code_drop(x);
            code_drop(y);
            dir_remove(fresh_dir);
            for (uint32_t n = program_random(&p, 4) + 1; n > 0; n--)
                program_edit(&p);
            if (edit % 6 == 5)
                assert_int_equal(code_gc(it.cs, 0, 4, NULL), OK);
        }
    }
}

static void
any_kept_snapshot_is_as_it_was_when_it_was_written(void **state)
{
    enum { SNAPSHOTS = 20, KEEP = 12 };
    const struct code *then[SNAPSHOTS + 1];
    struct code_db *db = NULL;
    const struct code *now = NULL;
    struct program p;

    (void)state;
    program_init(&p, 42);
    for (uint32_t i = 1; i <= SNAPSHOTS; i++) {
        (void)write_program(it.cs, &p, i % 3);
        then[i] = load(it.dir);
        program_edit(&p);
        program_edit(&p);
    }
    uint32_t dropped = 0;
    assert_int_equal(code_gc(it.cs, 0, KEEP, &dropped), OK);
    assert_int_equal(dropped, SNAPSHOTS - KEEP);
    assert_int_equal(code_db_open(&db, it.dir), OK);
    assert_int_equal(code_db_hold(db, &now, &it.why), OK);
    assert_int_equal(now->snapshot_len, KEEP);
    for (uint32_t i = 0; i < KEEP; i++) {
        const struct code *past = NULL;
        uint32_t generation = now->snapshots[i].generation;
        assert_int_equal(generation, SNAPSHOTS - i);
        assert_int_equal(code_snapshot_load(db, now, i, &past, &it.why), OK);
        assert_same(past, then[generation], "snapshot");
        assert_int_equal(past->repos[1].generation, generation);
        assert_int_equal(past->node_len - 1, now->snapshots[i].nodes);
        code_drop(past);
    }
    for (uint32_t i = 1; i <= SNAPSHOTS; i++)
        code_drop(then[i]);
    code_drop(now);
    code_db_close(db);
}

static void
the_same_build_makes_no_snapshot(void **state)
{
    struct program p;

    (void)state;
    program_init(&p, 3);
    struct code_written first = write_program(it.cs, &p, 0);
    assert_true(first.is_new);
    assert_int_equal(first.generation, 1);
    /* Byte for byte, and told in another order. */
    for (uint32_t shuffle = 0; shuffle < 3; shuffle++) {
        struct code_written again = write_program(it.cs, &p, shuffle);
        assert_false(again.is_new);
        assert_int_equal(again.generation, 1);
        assert_memory_equal(again.hash, first.hash, SHA256_LEN);
        assert_memory_equal(again.root, first.root, SHA256_LEN);
        assert_int_equal(again.nodes, first.nodes);
        assert_int_equal(again.edges, first.edges);
        assert_int_equal(again.files, first.files);
        for (int table = 0; table < CODE_TABLES; table++) {
            assert_int_equal(again.changes[table].added, 0);
            assert_int_equal(again.changes[table].ended, 0);
            assert_int_equal(again.changes[table].same,
                             first.changes[table].added);
        }
    }
}

static void
lines_that_move_rewrite_no_edge_and_replace_the_snapshot_of_their_commit(
    void **state)
{
    struct program p;
    char fresh_dir[64];
    struct code_store *fresh = NULL;

    (void)state;
    program_init(&p, 4);
    (void)write_program(it.cs, &p, 0);
    for (uint32_t f = 0; f < PROGRAM_FILES; f++)
        p.files[f].lines_above += 10;
    struct code_written moved = write_program(it.cs, &p, 0);
    assert_false(moved.is_new); /* one commit, one root */
    assert_true(moved.changes[CODE_NODES].added > 10);
    assert_int_equal(moved.changes[CODE_EDGES].added, 0);

    dir_make(fresh_dir);
    assert_int_equal(code_store_open(&fresh, fresh_dir, 1, &it.why), OK);
    (void)write_program(fresh, &p, 0);
    const struct code *x = load(it.dir), *y = load(fresh_dir);
    assert_same(x, y, "replaced");
    assert_int_equal(x->snapshot_len, 1);
    code_drop(x);
    code_drop(y);
    code_store_close(fresh);
    dir_remove(fresh_dir);
}

static void
repositories_do_not_touch_each_other(void **state)
{
    struct program p, q;
    struct code_written written;
    struct code_build build;

    (void)state;
    program_init(&p, 5);
    program_init(&q, 6);
    (void)write_program(it.cs, &p, 0);
    program_build(&q, "git@example.com:other", 0, &build);
    assert_int_equal(code_write(it.cs, &build, 1, &written, &it.why), OK);
    code_build_fini(&build);
    const struct code *before = load(it.dir);
    assert_int_equal(before->repo_len, 3);
    for (int i = 0; i < 6; i++) {
        program_edit(&p);
        (void)write_program(it.cs, &p, 0);
    }
    const struct code *after = load(it.dir);
    const struct code_repo *x = &before->repos[1], *y = &after->repos[1];
    assert_true(str_eq(x->url, STR("example.com/other")));
    assert_int_equal(y->generation, 1);
    assert_int_equal(after->repos[2].generation, 7);
    assert_int_equal(x->last - x->first, y->last - y->first);
    assert_int_equal(code_gc(it.cs, 0, 2, NULL), OK);
    code_drop(before);
    code_drop(after);
    after = load(it.dir);
    assert_int_equal(after->snapshot_len, 3);
    code_drop(after);
}

static void
an_empty_repository_has_an_empty_tree(void **state)
{
    static const unsigned char zeros[SHA256_LEN];
    struct code_written written;
    struct code_build build;

    (void)state;
    assert_int_equal(code_build_init(&build), OK);
    build.repo_url = texts_add(&build.texts, STR("example.com/empty"));
    assert_int_equal(code_write(it.cs, &build, 1, &written, &it.why), OK);
    assert_memory_equal(written.root, zeros, SHA256_LEN);
    assert_true(written.is_new);
    assert_int_equal(written.nodes + written.edges + written.files, 0);
    build.repo_url = texts_add(&build.texts, STR(" / "));
    assert_int_equal(code_write(it.cs, &build, 1, &written, &it.why),
                     ERR_INVALID);
    assert_true(it.why.len > 0);
    code_build_fini(&build);
}

static void
a_repository_is_called_the_same_however_it_was_cloned(void **state)
{
    static const char *const names[][2] = {
        {"https://github.com/Org/repo.git", "github.com/Org/repo"},
        {"https://user:secret@GitHub.com/Org/repo", "github.com/Org/repo"},
        {"git@github.com:Org/repo.git", "github.com/Org/repo"},
        {"ssh://git@github.com:22/Org/repo.git/", "github.com/Org/repo"},
        {"git://github.com/Org/repo", "github.com/Org/repo"},
        {"github.com/Org/repo/", "github.com/Org/repo"},
        {"https://x.org/a/b/c.git?ref=1#top", "x.org/a/b/c"},
        {"/home/somebody/src/Shop", "Shop"},
        {"/home/somebody/src/Shop.git/", "Shop"},
        {"file:///srv/git/shop.git", "shop"},
        {"./shop", "shop"},
        {"../shop", "shop"},
        {"C:\\src\\shop", "shop"},
        {"Shop", "Shop"},
        {" shop\n", "shop"},
        {"", ""},
        {"/", ""},
        {".", ""},
        {"..", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct buf out = {0};
        code_repo_url(str_of(names[i][0]), &out);
        if (strcmp(buf_cstr(&out), names[i][1]) != 0)
            fail_msg("%s: %s", names[i][0], buf_cstr(&out));
        buf_fini(&out);
    }
}

static void
an_edge_told_twice_is_one_with_all_its_places(void **state)
{
    struct code_written written;
    struct code_build b;

    (void)state;
    assert_int_equal(code_build_init(&b), OK);
    b.repo_url = texts_add(&b.texts, STR("example.com/x"));
    uint32_t file = code_build_file(
        &b, &(struct build_file){.path = texts_add(&b.texts, STR("a.go"))});
    for (int i = 0; i < 2; i++)
        code_build_node(
            &b, &(struct build_node){.kind = CODE_FUNCTION,
                                     .file = file,
                                     .line = 10 - 5 * (uint32_t)i,
                                     .end_line = 20,
                                     .name = texts_add(&b.texts, STR("init"))});
    static const struct code_site sites[] = {{12, 3}, {11, 3}, {12, 3}, {3, 1}};
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t at = code_build_site(&b, sites[i]);
        code_build_edge(&b,
                        &(struct build_edge){1, 2, CODE_CALLS, CODE_BY_SCOPE,
                                             (uint16_t)(900 + i), at, 1});
    }
    assert_int_equal(code_write(it.cs, &b, 1, &written, &it.why), OK);
    assert_int_equal(written.edges, 1);
    code_build_fini(&b);
    const struct code *code = load(it.dir);
    assert_int_equal(code->node_len, 3);
    /* The one that stands first has the name, the other a number. */
    assert_true(str_eq(code->nodes[1].name, STR("init")));
    assert_int_equal(code->nodes[1].line, 5);
    assert_true(str_eq(code->nodes[2].name, STR("init#2")));
    assert_int_equal(code->edge_len, 1);
    const struct code_link *link = &code->out[code->out_at[2]];
    assert_int_equal(link->node, 1);
    assert_int_equal(link->permille, 903);
    assert_int_equal(link->site_len, 3);
    static const uint32_t lines[] = {3, 11, 12};
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(code->sites[link->site_at + i].line, lines[i]);
    code_drop(code);
}

static void
what_does_not_fit_together_is_told_and_can_be_set_aside(void **state)
{
    struct program p;
    struct code_written written;
    struct code_build build;
    struct code_row row = {.id = (uint64_t)1 << CODE_ID_BITS | 9999999,
                           .born = 1};

    (void)state;
    program_init(&p, 7);
    (void)write_program(it.cs, &p, 0);
    row.texts[SYMBOL_HASH] = STR("short");
    assert_int_equal(code_store_begin(it.cs), OK);
    assert_int_equal(code_store_add(it.cs, CODE_NODES, &row), OK);
    assert_int_equal(code_store_commit(it.cs), OK);
    program_edit(&p);
    program_build(&p, URL, 0, &build);
    assert_int_equal(code_write(it.cs, &build, 1, &written, &it.why),
                     ERR_CORRUPT);
    struct code_db *db = NULL;
    const struct code *code = NULL;
    assert_int_equal(code_db_open(&db, it.dir), OK);
    buf_reset(&it.why);
    assert_int_equal(code_db_hold(db, &code, &it.why), ERR_CORRUPT);
    assert_true(it.why.len > 0);
    assert_null(code);

    code_store_set_aside(it.cs, 5 * NS_PER_S, &it.why);
    assert_true(dir_count(it.dir, CODE_STORE_FILE ".corrupt-5") > 0);
    assert_int_equal(code_store_open(&it.cs, it.dir, 1, &it.why), OK);
    assert_int_equal(code_write(it.cs, &build, 1, &written, &it.why), OK);
    assert_int_equal(written.generation, 1);
    assert_int_equal(code_db_hold(db, &code, &it.why), OK);
    assert_int_equal(code->node_len - 1, written.nodes);
    code_drop(code);
    code_db_close(db);
    code_build_fini(&build);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(after_any_edits_the_graph_is_that_of_a_fresh_index),
        TEST(any_kept_snapshot_is_as_it_was_when_it_was_written),
        TEST(the_same_build_makes_no_snapshot),
        TEST(
            lines_that_move_rewrite_no_edge_and_replace_the_snapshot_of_their_commit),
        TEST(repositories_do_not_touch_each_other),
        TEST(an_empty_repository_has_an_empty_tree),
        TEST(a_repository_is_called_the_same_however_it_was_cloned),
        TEST(an_edge_told_twice_is_one_with_all_its_places),
        TEST(what_does_not_fit_together_is_told_and_can_be_set_aside),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
