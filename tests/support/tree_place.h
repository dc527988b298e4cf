/*
 * tree_place - a repository of its own for each test of index/tree, made with
 * git, and what is asked of the trees in it.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_TREE_PLACE_H
#define TESTS_SUPPORT_TREE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "index/tree.h"

struct tree_place {
    char dir[64];
    char repo[96];    /* where trees are opened: dir/repo, until a test says */
    char outside[96]; /* a folder beside it */
    struct buf why;
};

/* The set-up and the tear-down of a test, whose state is its tree_place. */
int tree_place_setup(void **state);
int tree_place_teardown(void **state);
#define PLACE_TEST(test) \
    cmocka_unit_test_setup_teardown(test, tree_place_setup, tree_place_teardown)

/* tree_sh runs a shell in the repository, with $OUT for |outside|; it must
 * succeed. */
void tree_sh(const struct tree_place *p, const char *what);
/* tree_make_repo makes two commits, the first with the tag v1: a/b/x.go and
 * y.py, then z.ts. */
void tree_make_repo(const struct tree_place *p);

/* tree_open_ok opens a tree, which must succeed; the caller closes it. */
struct tree *
tree_open_ok(struct tree_place *p, const char *commit, bool is_worktree);
/* tree_refused tries, which must fail with |want| and a reason that holds
 * |word|. */
void tree_refused(struct tree_place *p, const char *commit, bool is_worktree,
                  enum err want, const char *word);

/* tree_has_files holds the paths against |want|: one|after|the other. */
void tree_has_files(const struct tree *tree, const char *want);
/* tree_find returns the index of a file, which must be there. */
uint32_t tree_find(const struct tree *tree, const char *path);
/* tree_has_content holds a file against |want|. */
void tree_has_content(struct tree *tree, const char *path, const char *want);

#endif
