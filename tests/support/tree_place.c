#include "tests/support/tree_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/support/dir.h"
#include "tests/support/git_sh.h"

void
tree_sh(const struct tree_place *p, const char *what)
{
    struct buf command = {0};

    buf_printf(&command, "export OUT='%s' && { %s; }", p->outside, what);
    git_sh(p->repo, p->dir, buf_cstr(&command));
    buf_fini(&command);
}

int
tree_place_setup(void **state)
{
    struct tree_place *p = calloc(1, sizeof(*p));

    assert_non_null(p);
    dir_make(p->dir);
    (void)snprintf(p->repo, sizeof(p->repo), "%s/repo", p->dir);
    (void)snprintf(p->outside, sizeof(p->outside), "%s/outside", p->dir);
    assert_int_equal(mkdir(p->repo, 0755), 0);
    assert_int_equal(mkdir(p->outside, 0755), 0);
    *state = p;
    return 0;
}

int
tree_place_teardown(void **state)
{
    struct tree_place *p = *state;

    dir_remove(p->dir);
    buf_fini(&p->why);
    free(p);
    return 0;
}

void
tree_make_repo(const struct tree_place *p)
{
    tree_sh(
        p, "git init -q . && mkdir -p a/b && echo one >a/b/x.go && "
           "echo two >y.py && git add . && git commit -qm one && git tag -a v1 "
           "-m v1 && echo three >z.ts && git add . && git commit -qm two");
}

struct tree *
tree_open_ok(struct tree_place *p, const char *commit, bool is_worktree)
{
    const struct tree_ask ask = {p->repo, commit, is_worktree};
    struct tree *tree = NULL;

    buf_reset(&p->why);
    if (tree_open(&tree, &ask, &p->why))
        fail_msg("%s", buf_cstr(&p->why));
    return tree;
}

void
tree_refused(struct tree_place *p, const char *commit, bool is_worktree,
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

void
tree_has_files(const struct tree *tree, const char *want)
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

uint32_t
tree_find(const struct tree *tree, const char *path)
{
    uint32_t len;
    const struct tree_file *files = tree_files(tree, &len);

    for (uint32_t i = 0; i < len; i++)
        if (str_eq(files[i].path, str_of(path)))
            return i;
    fail_msg("no %s", path);
    return 0;
}

void
tree_has_content(struct tree *tree, const char *path, const char *want)
{
    struct buf got = {0};

    assert_int_equal(tree_read(tree, tree_find(tree, path), 1000, &got), OK);
    assert_string_equal(buf_cstr(&got), want);
    buf_fini(&got);
}
