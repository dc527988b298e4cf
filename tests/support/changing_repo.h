/*
 * changing_repo - a git repository of source in three languages that calls
 * other source, and changes at random: files are written, moved and deleted.
 *
 * Order      What it writes depends on |random| alone.
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_CHANGING_REPO_H
#define TESTS_SUPPORT_CHANGING_REPO_H

#include <stdbool.h>
#include <stdint.h>

enum { REPO_NAMES = 14, REPO_FOLDERS = 4 };

struct changing_repo {
    char dir[64];
    char repo[96]; /* dir/repo */
    uint64_t random;
    bool is_there[3][REPO_FOLDERS][REPO_NAMES]; /* by language */
};

/* The set-up and the tear-down of a test, whose state is its changing_repo. */
int changing_repo_setup(void **state);
int changing_repo_teardown(void **state);

/* repo_sh runs a shell in the repository, which must succeed. */
void repo_sh(const struct changing_repo *w, const char *what);
/* repo_roll returns a number below |n|. */
uint32_t repo_roll(struct changing_repo *w, uint32_t n);
/* repo_write_file writes a file anew; |lang| is 0 for Go, 1 Python, 2
 * TypeScript. */
void repo_write_file(struct changing_repo *w, int lang, int folder, int name);
/* repo_commit_changes makes so many changes and commits them. */
void repo_commit_changes(struct changing_repo *w, uint32_t changes);

#endif
