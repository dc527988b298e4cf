/*
 * Trees of commits and of directories.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "tests/support/tree_place.h"

/* ---- commits ---- */

static void
a_commit_is_read_by_head_branch_tag_and_id(void **state)
{
    struct tree_place *p = *state;
    char id[41];

    tree_make_repo(p);
    struct tree *tree = tree_open_ok(p, NULL, false);
    tree_has_files(tree, "a/b/x.go|y.py|z.ts");
    tree_has_content(tree, "a/b/x.go", "one\n");
    assert_int_equal(tree_commit(tree).len, 40);
    memcpy(id, tree_commit(tree).ptr, 40);
    id[40] = '\0';
    assert_true(tree_commit_s(tree) > 1000000000);
    tree_close(tree);
    tree = tree_open_ok(p, "v1", false);
    tree_has_files(tree, "a/b/x.go|y.py");
    tree_close(tree);
    tree = tree_open_ok(p, "main~1", false);
    tree_has_files(tree, "a/b/x.go|y.py");
    tree_close(tree);
    id[12] = '\0';
    tree = tree_open_ok(p, id, false);
    tree_has_files(tree, "a/b/x.go|y.py|z.ts");
    tree_close(tree);
}

static void
what_is_no_commit_is_refused_in_words(void **state)
{
    struct tree_place *p = *state;

    tree_make_repo(p);
    tree_refused(p, "nope", false, ERR_NOT_FOUND, "no commit nope");
    tree_refused(p, "HEAD:y.py", false, ERR_NOT_FOUND, "no commit");
    tree_refused(p, "0000000000000000000000000000000000000000", false,
                 ERR_NOT_FOUND, "no commit");
    tree_sh(p, "rm -rf .git && git init -q .");
    tree_refused(p, NULL, false, ERR_NOT_FOUND, "no commit HEAD");
    tree_sh(p, "rm -rf .git");
    tree_refused(p, "main", false, ERR_INVALID, "no git repository");
    tree_sh(p, "rm -rf * && cd .. && rmdir repo && touch repo");
    tree_refused(p, NULL, false, ERR_INVALID, "Not a directory");
    assert_int_equal(unlink(p->repo), 0);
    tree_refused(p, NULL, false, ERR_NOT_FOUND, "No such file");
}

static void
bare_shallow_packed_and_linked_repositories_are_read(void **state)
{
    struct tree_place *p = *state;

    tree_make_repo(p);
    tree_sh(p, "git gc -q && git worktree add -q \"$OUT/wt\" v1 && cd .. && "
               "git clone -q --bare repo bare && "
               "git clone -q --depth 1 \"file://$PWD/repo\" shallow");
    (void)snprintf(p->repo, sizeof(p->repo), "%s/bare", p->dir);
    struct tree *tree = tree_open_ok(p, NULL, false);
    tree_has_files(tree, "a/b/x.go|y.py|z.ts");
    tree_close(tree);
    tree_refused(p, NULL, true, ERR_INVALID, "bare");
    (void)snprintf(p->repo, sizeof(p->repo), "%s/shallow", p->dir);
    tree = tree_open_ok(p, NULL, false);
    tree_has_content(tree, "z.ts", "three\n");
    tree_close(tree);
    (void)snprintf(p->repo, sizeof(p->repo), "%s/outside/wt", p->dir);
    tree = tree_open_ok(p, NULL, false);
    tree_has_files(tree, "a/b/x.go|y.py");
    tree_close(tree);
}

static void
a_submodule_is_read_by_itself_and_not_within(void **state)
{
    struct tree_place *p = *state;

    tree_make_repo(p);
    tree_sh(p, "cp -r . \"$OUT/lib\" && git -c protocol.file.allow=always "
               "submodule add -q \"$OUT/lib\" lib && git commit -qm sub");
    struct tree *tree = tree_open_ok(p, NULL, false);
    tree_has_files(tree, ".gitmodules|a/b/x.go|y.py|z.ts");
    tree_close(tree);
    (void)snprintf(p->repo, sizeof(p->repo), "%s/repo/lib", p->dir);
    tree = tree_open_ok(p, NULL, false);
    tree_has_files(tree, "a/b/x.go|y.py|z.ts");
    tree_close(tree);
}

static void
names_are_bytes_and_blob_ids_those_of_git(void **state)
{
    struct tree_place *p = *state;
    static const char *const names[] = {"a\nb.go", "\xc3\xa9.go", "\xff\xfe.go",
                                        " .go",    "-x.go",       "\"q\".go"};
    char path[160];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", p->repo, names[i]);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        (void)fprintf(file, "file %zu\n", i);
        assert_int_equal(fclose(file), 0);
    }
    tree_sh(p,
            ": >empty.go && git init -q . && git add . && git commit -qm one");
    struct tree *tree = tree_open_ok(p, NULL, false);
    struct tree *folder = tree_open_ok(p, NULL, true);
    uint32_t len;
    uint32_t folder_len;
    const struct tree_file *a = tree_files(tree, &len);
    const struct tree_file *b = tree_files(folder, &folder_len);
    assert_int_equal(len, 7);
    assert_int_equal(folder_len, 7);
    for (uint32_t i = 0; i < len; i++) {
        assert_true(str_eq(a[i].path, b[i].path));
        assert_memory_equal(a[i].blob, b[i].blob, BLOB_ID_LEN);
    }
    tree_has_content(tree, "a\nb.go", "file 0\n");
    tree_has_content(folder, "\xff\xfe.go", "file 2\n");
    assert_int_equal(tree_commit(folder).len, 0);
    tree_close(folder);
    tree_close(tree);
}

static void
links_are_not_files(void **state)
{
    struct tree_place *p = *state;

    tree_sh(
        p,
        "echo secret >\"$OUT/secret.go\" && ln -s \"$OUT/secret.go\" s.go && "
        "ln -s \"$OUT\" folder && ln -s ../outside up && echo a >a.go && "
        "ln -s a.go in.go && ln -s loop loop && git init -q . && git add . "
        "&& git commit -qm one");
    struct tree *tree = tree_open_ok(p, NULL, false);
    tree_has_files(tree, "a.go");
    tree_close(tree);
    tree = tree_open_ok(p, NULL, true);
    tree_has_files(tree, "a.go");
    tree_close(tree);
}

static void
a_size_at_the_limit_is_read_and_one_past_it_not(void **state)
{
    struct tree_place *p = *state;
    struct buf out = {0};

    tree_sh(
        p,
        "head -c 1000 /dev/zero >at.go && head -c 1001 /dev/zero >past.go && "
        "git init -q . && git add . && git commit -qm one");
    for (int is_worktree = 0; is_worktree < 2; is_worktree++) {
        struct tree *tree = tree_open_ok(p, NULL, is_worktree);
        assert_int_equal(tree_read(tree, tree_find(tree, "at.go"), 1000, &out),
                         OK);
        assert_int_equal(
            tree_read(tree, tree_find(tree, "past.go"), 1000, &out),
            ERR_TOO_LARGE);
        tree_close(tree);
    }
    buf_fini(&out);
}

/* ---- directories ---- */

static void
a_folder_is_read_without_what_is_foreign_hidden_or_built(void **state)
{
    struct tree_place *p = *state;

    tree_sh(p,
            "mkdir -p src node_modules/x vendor build .hidden .github/w && "
            "for d in . src node_modules/x vendor build .hidden .github/w; do "
            "echo a >$d/f.go; done");
    struct tree *tree = tree_open_ok(p, NULL, false);
    tree_has_files(tree, ".github/w/f.go|f.go|src/f.go");
    assert_int_equal(tree_skipped(tree), 4);
    uint32_t built = 0;
    assert_true(str_eq(tree_built(tree, &built), STR("build")));
    assert_int_equal(built, 1);
    assert_true(str_eq(tree_name(tree), STR("repo")));
    tree_close(tree);
}

static void
fifos_sockets_and_the_unreadable_do_not_stop_it(void **state)
{
    struct tree_place *p = *state;
    struct buf out = {0};
    enum err err;

    tree_sh(p,
            "mkfifo pipe.go && echo a >a.go && echo b >b.go && chmod 0 b.go && "
            "mkdir shut && echo c >shut/c.go && chmod 0 shut");
    struct tree *tree = tree_open_ok(p, NULL, false);
    if (geteuid() == 0) {
        tree_has_files(tree, "a.go|b.go|shut/c.go");
    } else {
        tree_has_files(tree, "a.go|b.go");
        err = tree_read(tree, tree_find(tree, "b.go"), 100, &out);
        assert_int_equal(err, ERR_IO);
        assert_int_equal(tree_skipped(tree), 1);
    }
    tree_sh(p, "chmod 755 shut; rm a.go; mkfifo a.go");
    assert_int_equal(tree_read(tree, tree_find(tree, "a.go"), 100, &out),
                     ERR_IO);
    tree_close(tree);
    buf_fini(&out);
}

static void
what_changed_since_it_was_listed_is_not_read(void **state)
{
    struct tree_place *p = *state;
    struct buf out = {0};

    tree_sh(p, "mkdir d && echo a >a.go && echo b >b.go && echo c >d/c.go && "
               "echo e >e.go && cp -r d \"$OUT/d\"");
    struct tree *tree = tree_open_ok(p, NULL, false);
    tree_sh(p, "echo A >a.go && rm b.go && rm -r d && ln -s \"$OUT/d\" d && "
               "rm e.go && echo e >\"$OUT/e\" && ln -s \"$OUT/e\" e.go");
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(tree_read(tree, i, 100, &out), ERR_IO);
    tree_close(tree);
    buf_fini(&out);
}

static void
a_stamp_changes_when_files_do(void **state)
{
    struct tree_place *p = *state;
    const struct tree_ask commit = {p->repo, NULL, false};
    const struct tree_ask folder = {p->repo, NULL, true};
    struct buf a = {0};
    struct buf b = {0};

    tree_make_repo(p);
    assert_int_equal(tree_stamp(&commit, &a), OK);
    assert_int_equal(tree_stamp(&commit, &b), OK);
    assert_true(str_eq(buf_str(&a), buf_str(&b)));
    tree_sh(p, "git commit -q --allow-empty -m three");
    buf_reset(&b);
    assert_int_equal(tree_stamp(&commit, &b), OK);
    assert_false(str_eq(buf_str(&a), buf_str(&b)));
    buf_reset(&a);
    buf_reset(&b);
    assert_int_equal(tree_stamp(&folder, &a), OK);
    tree_sh(p, "echo more >>y.py");
    assert_int_equal(tree_stamp(&folder, &b), OK);
    assert_false(str_eq(buf_str(&a), buf_str(&b)));
    tree_sh(p, "rm -rf ../repo/* .git && cd .. && rmdir repo");
    assert_int_equal(tree_stamp(&folder, &b), ERR_NOT_FOUND);
    buf_fini(&a);
    buf_fini(&b);
}

/* ---- history and name ---- */

static enum err
count_author(void *ctx, uint32_t file, str author, uint64_t at_s)
{
    uint32_t *counts = ctx;

    assert_true(at_s > 0);
    assert_true(str_eq(author, STR("a@x.org")));
    counts[file]++;
    return OK;
}

static void
authors_are_those_of_the_commits_that_changed_a_file(void **state)
{
    struct tree_place *p = *state;
    uint32_t counts[3] = {0};
    uint64_t soon_ns = clock_mono_ns() + 20 * NS_PER_S;

    tree_make_repo(p);
    tree_sh(p, "echo more >>y.py && git commit -qam three");
    struct tree *tree = tree_open_ok(p, NULL, false);
    assert_int_equal(tree_authors(tree, 100, soon_ns, count_author, counts),
                     OK);
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[1], 2);
    assert_int_equal(counts[2], 1);
    memset(counts, 0, sizeof(counts));
    assert_int_equal(tree_authors(tree, 1, soon_ns, count_author, counts), OK);
    assert_int_equal(counts[0] + counts[1] + counts[2], 1);
    memset(counts, 0, sizeof(counts));
    assert_int_equal(tree_authors(tree, 100, 0, count_author, counts), OK);
    assert_int_equal(counts[0] + counts[1] + counts[2], 0);
    tree_close(tree);
}

static void
its_name_is_the_url_of_origin_but_no_path(void **state)
{
    struct tree_place *p = *state;
    static const char *const rows[][2] = {
        {"https://example.com/o/r.git", "https://example.com/o/r.git"},
        {"git@example.com:o/r.git", "git@example.com:o/r.git"},
        {"/srv/git/r.git", "repo"},
        {"../r.git", "repo"},
        {"file:///srv/r.git", "repo"},
    };

    tree_make_repo(p);
    tree_sh(p, "git remote add origin x");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct buf set = {0};
        buf_printf(&set, "git remote set-url origin '%s'", rows[i][0]);
        tree_sh(p, buf_cstr(&set));
        buf_fini(&set);
        struct tree *tree = tree_open_ok(p, NULL, false);
        assert_true(str_eq(tree_name(tree), str_of(rows[i][1])));
        tree_close(tree);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(a_commit_is_read_by_head_branch_tag_and_id),
        PLACE_TEST(what_is_no_commit_is_refused_in_words),
        PLACE_TEST(bare_shallow_packed_and_linked_repositories_are_read),
        PLACE_TEST(a_submodule_is_read_by_itself_and_not_within),
        PLACE_TEST(names_are_bytes_and_blob_ids_those_of_git),
        PLACE_TEST(links_are_not_files),
        PLACE_TEST(a_size_at_the_limit_is_read_and_one_past_it_not),
        PLACE_TEST(a_folder_is_read_without_what_is_foreign_hidden_or_built),
        PLACE_TEST(fifos_sockets_and_the_unreadable_do_not_stop_it),
        PLACE_TEST(what_changed_since_it_was_listed_is_not_read),
        PLACE_TEST(a_stamp_changes_when_files_do),
        PLACE_TEST(authors_are_those_of_the_commits_that_changed_a_file),
        PLACE_TEST(its_name_is_the_url_of_origin_but_no_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
