/*
 * Trees of commits and of directories, friendly and hostile.  Repositories are
 * made with git, or by hand with libgit2 where git refuses.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <git2.h>

#include "base/clock.h"
#include "index/tree.h"
#include "tests/support/dir.h"

struct place {
    char dir[64];
    char repo[96];
    char outside[96];
    struct buf why;
};

#define GIT \
    "git -c user.name=A -c user.email=a@x.org -c init.defaultBranch=main "

/* Runs a shell in the repository. */
static void
sh(const struct place *p, const char *what)
{
    struct buf command = {0};

    buf_printf(&command,
               "cd '%s' && export HOME='%s' GIT_CONFIG_NOSYSTEM=1 "
               "OUT='%s' && git() { command " GIT "\"$@\"; } && { %s; } "
               ">/dev/null 2>&1",
               p->repo, p->dir, p->outside, what);
    if (system(buf_cstr(&command)) != 0)
        fail_msg("%s", what);
    buf_fini(&command);
}

static int
set_up(void **state)
{
    struct place *p = calloc(1, sizeof(*p));

    assert_non_null(p);
    dir_make(p->dir);
    (void)snprintf(p->repo, sizeof(p->repo), "%s/repo", p->dir);
    (void)snprintf(p->outside, sizeof(p->outside), "%s/outside", p->dir);
    assert_int_equal(mkdir(p->repo, 0755), 0);
    assert_int_equal(mkdir(p->outside, 0755), 0);
    git_libgit2_init();
    *state = p;
    return 0;
}

static int
tear_down(void **state)
{
    struct place *p = *state;

    dir_remove(p->dir);
    buf_fini(&p->why);
    free(p);
    git_libgit2_shutdown();
    return 0;
}

static void
make_repo(const struct place *p)
{
    sh(p, "git init -q . && mkdir -p a/b && echo one >a/b/x.go && "
          "echo two >y.py && git add . && git commit -qm one && git tag -a v1 "
          "-m v1 && echo three >z.ts && git add . && git commit -qm two");
}

static struct tree *
open_ok(struct place *p, const char *commit, bool is_worktree)
{
    const struct tree_ask ask = {p->repo, commit, is_worktree};
    struct tree *tree = NULL;

    buf_reset(&p->why);
    if (tree_open(&tree, &ask, &p->why))
        fail_msg("%s", buf_cstr(&p->why));
    return tree;
}

static void
assert_refused(struct place *p, const char *commit, bool is_worktree,
               enum err want, const char *word)
{
    const struct tree_ask ask = {p->repo, commit, is_worktree};
    struct tree *tree = NULL;

    buf_reset(&p->why);
    enum err err = tree_open(&tree, &ask, &p->why);
    tree_close(tree);
    assert_null(tree);
    if (err != want || !strstr(buf_cstr(&p->why), word))
        fail_msg("%s, not %s: %s", err_str(err), err_str(want),
                 buf_cstr(&p->why));
}

/* All paths, one after the other. */
static void
assert_files(const struct tree *tree, const char *want)
{
    struct buf got = {0};
    uint32_t len;
    const struct tree_file *files = tree_files(tree, &len);

    for (uint32_t i = 0; i < len; i++)
        buf_printf(&got, "%s%.*s", i ? "|" : "", (int)files[i].path.len,
                   files[i].path.ptr);
    assert_string_equal(buf_cstr(&got), want);
    buf_fini(&got);
}

static uint32_t
find(const struct tree *tree, const char *path)
{
    uint32_t len;
    const struct tree_file *files = tree_files(tree, &len);

    for (uint32_t i = 0; i < len; i++)
        if (str_eq(files[i].path, str_of(path)))
            return i;
    fail_msg("no %s", path);
    return 0;
}

static void
assert_content(struct tree *tree, const char *path, const char *want)
{
    struct buf got = {0};

    assert_int_equal(tree_read(tree, find(tree, path), 1000, &got), OK);
    assert_string_equal(buf_cstr(&got), want);
    buf_fini(&got);
}

/* ---- commits ---- */

static void
a_commit_is_read_by_head_branch_tag_and_id(void **state)
{
    struct place *p = *state;
    char id[41];

    make_repo(p);
    struct tree *tree = open_ok(p, NULL, false);
    assert_files(tree, "a/b/x.go|y.py|z.ts");
    assert_content(tree, "a/b/x.go", "one\n");
    assert_int_equal(tree_commit(tree).len, 40);
    memcpy(id, tree_commit(tree).ptr, 40);
    id[40] = '\0';
    assert_true(tree_commit_s(tree) > 1000000000);
    tree_close(tree);
    tree = open_ok(p, "v1", false);
    assert_files(tree, "a/b/x.go|y.py");
    tree_close(tree);
    tree = open_ok(p, "main~1", false);
    assert_files(tree, "a/b/x.go|y.py");
    tree_close(tree);
    id[12] = '\0';
    tree = open_ok(p, id, false);
    assert_files(tree, "a/b/x.go|y.py|z.ts");
    tree_close(tree);
}

static void
what_is_no_commit_is_refused_in_words(void **state)
{
    struct place *p = *state;

    make_repo(p);
    assert_refused(p, "nope", false, ERR_NOT_FOUND, "no commit nope");
    assert_refused(p, "HEAD:y.py", false, ERR_NOT_FOUND, "no commit");
    assert_refused(p, "0000000000000000000000000000000000000000", false,
                   ERR_NOT_FOUND, "no commit");
    sh(p, "rm -rf .git && git init -q .");
    assert_refused(p, NULL, false, ERR_NOT_FOUND, "no commit HEAD");
    sh(p, "rm -rf .git");
    assert_refused(p, "main", false, ERR_INVALID, "no git repository");
    sh(p, "rm -rf * && cd .. && rmdir repo && touch repo");
    assert_refused(p, NULL, false, ERR_INVALID, "Not a directory");
    assert_int_equal(unlink(p->repo), 0);
    assert_refused(p, NULL, false, ERR_NOT_FOUND, "No such file");
}

static void
bare_shallow_packed_and_linked_repositories_are_read(void **state)
{
    struct place *p = *state;

    make_repo(p);
    sh(p, "git gc -q && git worktree add -q \"$OUT/wt\" v1 && cd .. && "
          "git clone -q --bare repo bare && "
          "git clone -q --depth 1 \"file://$PWD/repo\" shallow");
    (void)snprintf(p->repo, sizeof(p->repo), "%s/bare", p->dir);
    struct tree *tree = open_ok(p, NULL, false);
    assert_files(tree, "a/b/x.go|y.py|z.ts");
    tree_close(tree);
    assert_refused(p, NULL, true, ERR_INVALID, "bare");
    (void)snprintf(p->repo, sizeof(p->repo), "%s/shallow", p->dir);
    tree = open_ok(p, NULL, false);
    assert_content(tree, "z.ts", "three\n");
    tree_close(tree);
    (void)snprintf(p->repo, sizeof(p->repo), "%s/outside/wt", p->dir);
    tree = open_ok(p, NULL, false);
    assert_files(tree, "a/b/x.go|y.py");
    tree_close(tree);
}

static void
a_submodule_is_read_by_itself_and_not_within(void **state)
{
    struct place *p = *state;

    make_repo(p);
    sh(p, "cp -r . \"$OUT/lib\" && git -c protocol.file.allow=always "
          "submodule add -q \"$OUT/lib\" lib && git commit -qm sub");
    struct tree *tree = open_ok(p, NULL, false);
    assert_files(tree, ".gitmodules|a/b/x.go|y.py|z.ts");
    tree_close(tree);
    (void)snprintf(p->repo, sizeof(p->repo), "%s/repo/lib", p->dir);
    tree = open_ok(p, NULL, false);
    assert_files(tree, "a/b/x.go|y.py|z.ts");
    tree_close(tree);
}

static void
names_are_bytes_and_blob_ids_those_of_git(void **state)
{
    struct place *p = *state;
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
    sh(p, ": >empty.go && git init -q . && git add . && git commit -qm one");
    struct tree *tree = open_ok(p, NULL, false);
    struct tree *folder = open_ok(p, NULL, true);
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
    assert_content(tree, "a\nb.go", "file 0\n");
    assert_content(folder, "\xff\xfe.go", "file 2\n");
    assert_int_equal(tree_commit(folder).len, 0);
    tree_close(folder);
    tree_close(tree);
}

static void
links_are_not_files(void **state)
{
    struct place *p = *state;

    sh(p, "echo secret >\"$OUT/secret.go\" && ln -s \"$OUT/secret.go\" s.go && "
          "ln -s \"$OUT\" folder && ln -s ../outside up && echo a >a.go && "
          "ln -s a.go in.go && ln -s loop loop && git init -q . && git add . "
          "&& git commit -qm one");
    struct tree *tree = open_ok(p, NULL, false);
    assert_files(tree, "a.go");
    tree_close(tree);
    tree = open_ok(p, NULL, true);
    assert_files(tree, "a.go");
    tree_close(tree);
}

static void
a_size_at_the_limit_is_read_and_one_past_it_not(void **state)
{
    struct place *p = *state;
    struct buf out = {0};

    sh(p, "head -c 1000 /dev/zero >at.go && head -c 1001 /dev/zero >past.go && "
          "git init -q . && git add . && git commit -qm one");
    for (int is_worktree = 0; is_worktree < 2; is_worktree++) {
        struct tree *tree = open_ok(p, NULL, is_worktree);
        assert_int_equal(tree_read(tree, find(tree, "at.go"), 1000, &out), OK);
        assert_int_equal(tree_read(tree, find(tree, "past.go"), 1000, &out),
                         ERR_TOO_LARGE);
        tree_close(tree);
    }
    buf_fini(&out);
}

static void
a_damaged_repository_is_an_error_and_no_crash(void **state)
{
    struct place *p = *state;
    struct buf out = {0};

    make_repo(p);
    sh(p, "rm -f .git/objects/$(git rev-parse HEAD:y.py | sed 's|..|&/|')");
    struct tree *tree = open_ok(p, NULL, false);
    assert_int_equal(tree_read(tree, find(tree, "y.py"), 1000, &out), ERR_IO);
    assert_content(tree, "z.ts", "three\n");
    tree_close(tree);
    sh(p, "echo '[core' >.git/config");
    assert_refused(p, NULL, false, ERR_IO, "cannot read the repository");
    sh(p, "git init -q tmp && cp tmp/.git/config .git/ && f=.git/objects/$(git "
          "rev-parse "
          "HEAD^{tree} | sed 's|..|&/|') && chmod +w $f && echo no >$f");
    assert_refused(p, NULL, false, ERR_IO, "cannot read commit");
    buf_fini(&out);
}

/* ---- trees that git would not make ---- */

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
init(const struct place *p)
{
    git_repository *repo;

    assert_int_equal(git_repository_init(&repo, p->repo, 0), 0);
    return repo;
}

static void
names_that_lead_elsewhere_are_left_out(void **state)
{
    struct place *p = *state;
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
    struct tree *tree = open_ok(p, "raw", false);
    assert_files(tree, "a.go|b.go|good/x.go");
    assert_int_equal(tree_skipped(tree), 6);
    tree_close(tree);
}

static void
a_tree_that_unfolds_without_end_is_refused(void **state)
{
    struct place *p = *state;
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
    assert_refused(p, "raw", false, ERR_TOO_LARGE, "more than");
    assert_true(clock_mono_ns() - began_ns < 30 * NS_PER_S);
}

static void
folders_at_the_deepest_level_are_read_and_below_left_out(void **state)
{
    struct place *p = *state;
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
    struct tree *tree = open_ok(p, "raw", false);
    tree_files(tree, &len);
    assert_int_equal(len, 65);
    assert_int_equal(tree_skipped(tree), 1);
    tree_close(tree);
}

/* ---- repositories that lead out of themselves ---- */

static void
git_that_leads_elsewhere_is_refused(void **state)
{
    struct place *p = *state;
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
        make_repo(p);
        sh(p, tricks[i]);
        assert_refused(p, NULL, false, ERR_DENIED, "not followed");
        struct tree *tree = open_ok(p, NULL, true);
        assert_content(tree, "z.ts", "three\n");
        tree_close(tree);
        sh(p, "rm -rf .git * \"$OUT\"/*");
    }
}

static void
what_stays_inside_is_followed(void **state)
{
    struct place *p = *state;

    make_repo(p);
    sh(p, "mv .git .data && echo gitdir: .data >.git && "
          "mkdir .data/more && mv .data/refs .data/more/refs && "
          "ln -s more/refs .data/refs && git clone -q --bare . .data/b && "
          "echo ../b/objects >.data/objects/info/alternates");
    struct tree *tree = open_ok(p, NULL, false);
    assert_files(tree, "a/b/x.go|y.py|z.ts");
    tree_close(tree);
}

static void
nothing_of_a_repository_is_run(void **state)
{
    struct place *p = *state;
    char canary[128];

    make_repo(p);
    sh(p,
       "for h in post-checkout pre-commit reference-transaction "
       "post-index-change fsmonitor-watchman; do printf '#!/bin/sh\\ntouch "
       "%s/canary\\n' \"$OUT\" >.git/hooks/$h; chmod +x .git/hooks/$h; done; "
       "c=\"touch $OUT/canary\"; for k in core.fsmonitor core.sshCommand "
       "core.pager filter.f.smudge filter.f.clean filter.f.process "
       "diff.d.textconv diff.external core.askPass credential.helper "
       "uploadpack.packObjectsHook; do command git config $k \"$c\"; done; "
       "echo '* filter=f diff=d' >.git/info/attributes; "
       "echo '* filter=f diff=d' >.gitattributes");
    struct tree *tree = open_ok(p, NULL, false);
    assert_content(tree, "z.ts", "three\n");
    tree_close(tree);
    tree = open_ok(p, NULL, true);
    assert_content(tree, "z.ts", "three\n");
    tree_close(tree);
    (void)snprintf(canary, sizeof(canary), "%s/canary", p->outside);
    assert_int_not_equal(access(canary, F_OK), 0);
}

/* ---- directories ---- */

static void
a_folder_is_read_without_what_is_foreign_hidden_or_built(void **state)
{
    struct place *p = *state;

    sh(p, "mkdir -p src node_modules/x vendor build .hidden .github/w && "
          "for d in . src node_modules/x vendor build .hidden .github/w; do "
          "echo a >$d/f.go; done");
    struct tree *tree = open_ok(p, NULL, false);
    assert_files(tree, ".github/w/f.go|f.go|src/f.go");
    assert_int_equal(tree_skipped(tree), 4);
    assert_true(str_eq(tree_name(tree), STR("repo")));
    tree_close(tree);
}

static void
fifos_sockets_and_the_unreadable_do_not_stop_it(void **state)
{
    struct place *p = *state;
    struct buf out = {0};
    enum err err;

    sh(p, "mkfifo pipe.go && echo a >a.go && echo b >b.go && chmod 0 b.go && "
          "mkdir shut && echo c >shut/c.go && chmod 0 shut");
    struct tree *tree = open_ok(p, NULL, false);
    if (geteuid() == 0) {
        assert_files(tree, "a.go|b.go|shut/c.go");
    } else {
        assert_files(tree, "a.go|b.go");
        err = tree_read(tree, find(tree, "b.go"), 100, &out);
        assert_int_equal(err, ERR_IO);
        assert_int_equal(tree_skipped(tree), 1);
    }
    sh(p, "chmod 755 shut; rm a.go; mkfifo a.go");
    assert_int_equal(tree_read(tree, find(tree, "a.go"), 100, &out), ERR_IO);
    tree_close(tree);
    buf_fini(&out);
}

static void
what_changed_since_it_was_listed_is_not_read(void **state)
{
    struct place *p = *state;
    struct buf out = {0};

    sh(p, "mkdir d && echo a >a.go && echo b >b.go && echo c >d/c.go && "
          "echo e >e.go && cp -r d \"$OUT/d\"");
    struct tree *tree = open_ok(p, NULL, false);
    sh(p, "echo A >a.go && rm b.go && rm -r d && ln -s \"$OUT/d\" d && "
          "rm e.go && echo e >\"$OUT/e\" && ln -s \"$OUT/e\" e.go");
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(tree_read(tree, i, 100, &out), ERR_IO);
    tree_close(tree);
    buf_fini(&out);
}

static void
a_stamp_changes_when_files_do(void **state)
{
    struct place *p = *state;
    const struct tree_ask commit = {p->repo, NULL, false};
    const struct tree_ask folder = {p->repo, NULL, true};
    struct buf a = {0};
    struct buf b = {0};

    make_repo(p);
    assert_int_equal(tree_stamp(&commit, &a), OK);
    assert_int_equal(tree_stamp(&commit, &b), OK);
    assert_true(str_eq(buf_str(&a), buf_str(&b)));
    sh(p, "git commit -q --allow-empty -m three");
    buf_reset(&b);
    assert_int_equal(tree_stamp(&commit, &b), OK);
    assert_false(str_eq(buf_str(&a), buf_str(&b)));
    buf_reset(&a);
    buf_reset(&b);
    assert_int_equal(tree_stamp(&folder, &a), OK);
    sh(p, "echo more >>y.py");
    assert_int_equal(tree_stamp(&folder, &b), OK);
    assert_false(str_eq(buf_str(&a), buf_str(&b)));
    sh(p, "rm -rf ../repo/* .git && cd .. && rmdir repo");
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
    struct place *p = *state;
    uint32_t counts[3] = {0};
    uint64_t soon_ns = clock_mono_ns() + 20 * NS_PER_S;

    make_repo(p);
    sh(p, "echo more >>y.py && git commit -qam three");
    struct tree *tree = open_ok(p, NULL, false);
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
    struct place *p = *state;
    static const char *const rows[][2] = {
        {"https://example.com/o/r.git", "https://example.com/o/r.git"},
        {"git@example.com:o/r.git", "git@example.com:o/r.git"},
        {"/srv/git/r.git", "repo"},
        {"../r.git", "repo"},
        {"file:///srv/r.git", "repo"},
    };

    make_repo(p);
    sh(p, "git remote add origin x");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct buf set = {0};
        buf_printf(&set, "git remote set-url origin '%s'", rows[i][0]);
        sh(p, buf_cstr(&set));
        buf_fini(&set);
        struct tree *tree = open_ok(p, NULL, false);
        assert_true(str_eq(tree_name(tree), str_of(rows[i][1])));
        tree_close(tree);
    }
}

int
main(void)
{
#define PLACE_TEST(name) \
    cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        PLACE_TEST(a_commit_is_read_by_head_branch_tag_and_id),
        PLACE_TEST(what_is_no_commit_is_refused_in_words),
        PLACE_TEST(bare_shallow_packed_and_linked_repositories_are_read),
        PLACE_TEST(a_submodule_is_read_by_itself_and_not_within),
        PLACE_TEST(names_are_bytes_and_blob_ids_those_of_git),
        PLACE_TEST(links_are_not_files),
        PLACE_TEST(a_size_at_the_limit_is_read_and_one_past_it_not),
        PLACE_TEST(a_damaged_repository_is_an_error_and_no_crash),
        PLACE_TEST(names_that_lead_elsewhere_are_left_out),
        PLACE_TEST(a_tree_that_unfolds_without_end_is_refused),
        PLACE_TEST(folders_at_the_deepest_level_are_read_and_below_left_out),
        PLACE_TEST(git_that_leads_elsewhere_is_refused),
        PLACE_TEST(what_stays_inside_is_followed),
        PLACE_TEST(nothing_of_a_repository_is_run),
        PLACE_TEST(a_folder_is_read_without_what_is_foreign_hidden_or_built),
        PLACE_TEST(fifos_sockets_and_the_unreadable_do_not_stop_it),
        PLACE_TEST(what_changed_since_it_was_listed_is_not_read),
        PLACE_TEST(a_stamp_changes_when_files_do),
        PLACE_TEST(authors_are_those_of_the_commits_that_changed_a_file),
        PLACE_TEST(its_name_is_the_url_of_origin_but_no_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
