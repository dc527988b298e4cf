/*
 * Trees that were made to harm: such as git refuses, made by hand with libgit2,
 * and repositories that are damaged or lead out of themselves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <git2.h>

#include "base/clock.h"
#include "tests/support/tree_place.h"

static void
a_damaged_repository_is_an_error_and_no_crash(void **state)
{
    struct tree_place *p = *state;
    struct buf out = {0};

    tree_make_repo(p);
    tree_sh(p,
            "rm -f .git/objects/$(git rev-parse HEAD:y.py | sed 's|..|&/|')");
    struct tree *tree = tree_open_ok(p, NULL, false);
    assert_int_equal(tree_read(tree, tree_find(tree, "y.py"), 1000, &out),
                     ERR_IO);
    tree_has_content(tree, "z.ts", "three\n");
    tree_close(tree);
    tree_sh(p, "echo '[core' >.git/config");
    tree_refused(p, NULL, false, ERR_IO, "cannot read the repository");
    tree_sh(
        p,
        "git init -q tmp && cp tmp/.git/config .git/ && f=.git/objects/$(git "
        "rev-parse "
        "HEAD^{tree} | sed 's|..|&/|') && chmod +w $f && echo no >$f");
    tree_refused(p, NULL, false, ERR_IO, "cannot read commit");
    buf_fini(&out);
}

static int
start_git(void **state)
{
    (void)state;
    return git_libgit2_init() > 0 ? 0 : -1;
}

static int
stop_git(void **state)
{
    (void)state;
    git_libgit2_shutdown();
    return 0;
}

static git_oid
write_blob(git_repository *repo, const char *text)
{
    git_oid id;

    assert_int_equal(git_blob_create_from_buffer(&id, repo, text, strlen(text)),
                     0);
    return id;
}

struct raw_entry {
    const char *mode;
    const char *name;
    git_oid id;
};

static git_oid
write_tree(git_repository *repo, const struct raw_entry *entries, size_t len)
{
    struct buf raw = {0};
    git_odb *odb;
    git_oid id;

    for (size_t i = 0; i < len; i++) {
        buf_printf(&raw, "%s %s", entries[i].mode, entries[i].name);
        buf_add_char(&raw, '\0');
        buf_add(&raw, (str){(const char *)entries[i].id.id, 20});
    }
    assert_int_equal(git_repository_odb(&odb, repo), 0);
    assert_int_equal(git_odb_write(&id, odb, raw.ptr, raw.len, GIT_OBJECT_TREE),
                     0);
    git_odb_free(odb);
    buf_fini(&raw);
    return id;
}

static void
commit_tree(git_repository *repo, git_oid tree)
{
    char text[256];
    char hex[41];
    git_odb *odb;
    git_oid id;
    git_reference *ref = NULL;

    git_oid_tostr(hex, sizeof(hex), &tree);
    int len = snprintf(text, sizeof(text),
                       "tree %s\nauthor A <a@x.org> 1700000000 +0000\n"
                       "committer A <a@x.org> 1700000000 +0000\n\nmsg\n",
                       hex);
    assert_int_equal(git_repository_odb(&odb, repo), 0);
    assert_int_equal(
        git_odb_write(&id, odb, text, (size_t)len, GIT_OBJECT_COMMIT), 0);
    git_odb_free(odb);
    assert_int_equal(
        git_reference_create(&ref, repo, "refs/heads/raw", &id, 1, NULL), 0);
    git_reference_free(ref);
}

static git_repository *
init(const struct tree_place *p)
{
    git_repository *repo;

    assert_int_equal(git_repository_init(&repo, p->repo, 0), 0);
    return repo;
}

static void
names_that_lead_elsewhere_are_left_out(void **state)
{
    struct tree_place *p = *state;
    git_repository *repo = init(p);
    git_oid blob = write_blob(repo, "package a\n");
    const struct raw_entry inner[] = {{"100644", "x.go", blob}};
    git_oid sub = write_tree(repo, inner, 1);
    const struct raw_entry entries[] = {
        {"100644", "../up.go", blob}, {"40000", "..", sub},
        {"40000", ".", sub},          {"40000", ".GIT", sub},
        {"100644", "/abs.go", blob},  {"100644", "a.go", blob},
        {"100644", "a.go", blob},     {"100755", "b.go", blob},
        {"120000", "link.go", blob},  {"160000", "module", blob},
        {"40000", "good", sub},
    };

    commit_tree(repo, write_tree(repo, entries, 11));
    git_repository_free(repo);
    struct tree *tree = tree_open_ok(p, "raw", false);
    tree_has_files(tree, "a.go|b.go|good/x.go");
    assert_int_equal(tree_skipped(tree), 6);
    tree_close(tree);
}

static void
a_tree_that_unfolds_without_end_is_refused(void **state)
{
    struct tree_place *p = *state;
    enum { WIDE = 10, LEVELS = 12 };
    git_repository *repo = init(p);
    struct raw_entry entries[WIDE];
    char names[WIDE][16];
    git_oid below = write_tree(repo, NULL, 0);
    uint64_t began_ns = clock_mono_ns();

    for (int level = 0; level < LEVELS; level++) {
        for (int i = 0; i < WIDE; i++) {
            (void)snprintf(names[i], sizeof(names[i]), "d%d", i);
            entries[i] = (struct raw_entry){"40000", names[i], below};
        }
        below = write_tree(repo, entries, WIDE);
    }
    commit_tree(repo, below);
    git_repository_free(repo);
    tree_refused(p, "raw", false, ERR_TOO_LARGE, "more than");
    assert_true(clock_mono_ns() - began_ns < 30 * NS_PER_S);
}

static void
folders_at_the_deepest_level_are_read_and_below_left_out(void **state)
{
    struct tree_place *p = *state;
    git_repository *repo = init(p);
    git_oid blob = write_blob(repo, "x");
    const struct raw_entry leaf[] = {{"100644", "leaf.go", blob}};
    git_oid below = write_tree(repo, leaf, 1);
    uint32_t len;

    for (int level = 0; level < 70; level++) {
        const struct raw_entry entries[] = {{"40000", "d", below},
                                            {"100644", "x.go", blob}};
        below = write_tree(repo, entries, 2);
    }
    commit_tree(repo, below);
    git_repository_free(repo);
    struct tree *tree = tree_open_ok(p, "raw", false);
    tree_files(tree, &len);
    assert_int_equal(len, 65);
    assert_int_equal(tree_skipped(tree), 1);
    tree_close(tree);
}

static void
git_that_leads_elsewhere_is_refused(void **state)
{
    struct tree_place *p = *state;
    static const char *const tricks[] = {
        "mv .git \"$OUT/git\" && echo gitdir: \"$OUT/git\" >.git",
        "mv .git \"$OUT/git\" && ln -s \"$OUT/git\" .git",
        "echo gitdir: /nowhere >f && rm -rf .git && mv f .git",
        "rm -rf .git && : >.git",
        "mv .git/objects \"$OUT/o\" && ln -s \"$OUT/o\" .git/objects",
        "mv .git/refs \"$OUT/r\" && ln -s ../../outside/r .git/refs",
        "mv .git/HEAD \"$OUT/H\" && ln -s \"$OUT/H\" .git/HEAD",
        "mv .git/config \"$OUT/c\" && ln -s \"$OUT/c\" .git/config",
        "mv .git/refs/heads \"$OUT/h\" && ln -s \"$OUT/h\" .git/refs/heads",
        "d=$(ls -d .git/objects/?? | head -1) && mv $d \"$OUT/d\" && "
        "ln -s \"$OUT/d\" $d",
        "git clone -q --bare . \"$OUT/b\" && echo \"$OUT/b/objects\" "
        ">.git/objects/info/alternates",
        "git clone -q --bare . \"$OUT/b\" && echo "
        "\"../../../outside/b/objects\" "
        ">.git/objects/info/alternates",
        "git clone -q --bare . \"$OUT/b\" && echo \"$OUT/b\" >.git/commondir",
        "echo \"[Include] path=/etc/passwd\" >>.git/config",
        "echo \"[includeIf \\\"gitdir:/\\\"]\" >>.git/config",
    };

    for (size_t i = 0; i < sizeof(tricks) / sizeof(tricks[0]); i++) {
        tree_make_repo(p);
        tree_sh(p, tricks[i]);
        tree_refused(p, NULL, false, ERR_DENIED, "not followed");
        struct tree *tree = tree_open_ok(p, NULL, true);
        tree_has_content(tree, "z.ts", "three\n");
        tree_close(tree);
        tree_sh(p, "rm -rf .git * \"$OUT\"/*");
    }
}

static void
what_stays_inside_is_followed(void **state)
{
    struct tree_place *p = *state;

    tree_make_repo(p);
    tree_sh(p, "mv .git .data && echo gitdir: .data >.git && "
               "mkdir .data/more && mv .data/refs .data/more/refs && "
               "ln -s more/refs .data/refs && git clone -q --bare . .data/b && "
               "echo ../b/objects >.data/objects/info/alternates");
    struct tree *tree = tree_open_ok(p, NULL, false);
    tree_has_files(tree, "a/b/x.go|y.py|z.ts");
    tree_close(tree);
}

static void
nothing_of_a_repository_is_run(void **state)
{
    struct tree_place *p = *state;
    char canary[128];

    tree_make_repo(p);
    tree_sh(
        p,
        "for h in post-checkout pre-commit reference-transaction "
        "post-index-change fsmonitor-watchman; do printf '#!/bin/sh\\ntouch "
        "%s/canary\\n' \"$OUT\" >.git/hooks/$h; chmod +x .git/hooks/$h; done; "
        "c=\"touch $OUT/canary\"; for k in core.fsmonitor core.sshCommand "
        "core.pager filter.f.smudge filter.f.clean filter.f.process "
        "diff.d.textconv diff.external core.askPass credential.helper "
        "uploadpack.packObjectsHook; do command git config $k \"$c\"; done; "
        "echo '* filter=f diff=d' >.git/info/attributes; "
        "echo '* filter=f diff=d' >.gitattributes");
    struct tree *tree = tree_open_ok(p, NULL, false);
    tree_has_content(tree, "z.ts", "three\n");
    tree_close(tree);
    tree = tree_open_ok(p, NULL, true);
    tree_has_content(tree, "z.ts", "three\n");
    tree_close(tree);
    (void)snprintf(canary, sizeof(canary), "%s/canary", p->outside);
    assert_int_not_equal(access(canary, F_OK), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(a_damaged_repository_is_an_error_and_no_crash),
        PLACE_TEST(names_that_lead_elsewhere_are_left_out),
        PLACE_TEST(a_tree_that_unfolds_without_end_is_refused),
        PLACE_TEST(folders_at_the_deepest_level_are_read_and_below_left_out),
        PLACE_TEST(git_that_leads_elsewhere_is_refused),
        PLACE_TEST(what_stays_inside_is_followed),
        PLACE_TEST(nothing_of_a_repository_is_run),
    };

    return cmocka_run_group_tests(tests, start_git, stop_git);
}
