/*
 * tree_impl - the two kinds of tree, for index/tree*.c only.
 *
 * Threads    One.
 */
#ifndef INDEX_TREE_IMPL_H
#define INDEX_TREE_IMPL_H

#include "index/git.h"
#include "index/tree.h"
#include "index/tree_places.h"

enum { TREE_DEPTH_MAX = 64 };

struct tree {
    struct tree_file *files;
    uint32_t len;
    uint32_t cap;
    uint32_t skipped;
    uint32_t built;      /* folders of those, for they hold what is built */
    struct buf built_at; /* the first of them, by `, ` */
    bool is_repository;  /* files are of a commit, not of the directory */
    bool is_stamp;       /* names, sizes and times go to |stamp|, no content */
    struct buf stamp;
    struct buf paths;
    struct tree_places places;
    struct buf name;
    struct git_calls git; /* once it is_open */
    git_repository *repo; /* NULL: the directory is none */
    git_odb *odb;
    uint32_t folders; /* seen in the tree of a commit */
    bool is_open;     /* libgit2 was begun */
    git_commit *head; /* NULL: no commit yet */
    char commit[GIT_OID_HEXSZ + 1];
    uint64_t commit_s;
};

/* tree_release frees all but |tree| itself. */
void tree_release(struct tree *tree);

bool tree_skips_folder(str name, bool is_repository);
/* tree_is_built: a plain directory called |name| is taken for what is built. */
bool tree_is_built(str name);
enum err tree_add(struct tree *tree, str path, const unsigned char *blob,
                  uint64_t bytes);

/* tree_git_open finds out whether |top| is a repository; if so it resolves the
 * commit and the name. */
enum err
tree_git_open(struct tree *tree, const struct tree_ask *ask, struct buf *why);
void tree_git_close(struct tree *tree);
enum err tree_git_list(struct tree *tree, struct buf *why);
enum err
tree_git_read(struct tree *tree, uint32_t i, uint32_t max, struct buf *out);

enum err tree_folder_list(struct tree *tree, struct buf *why);
enum err
tree_folder_read(struct tree *tree, uint32_t i, uint32_t max, struct buf *out);

#endif
