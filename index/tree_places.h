/*
 * tree_places - which directories the files of a repository lie in.
 *
 * A `.git` may be a file or a link, name another directory for what it shares,
 * borrow objects, include configuration: each leads wherever the repository
 * wants.  Followed is only what stays inside of it, and a `.git` file whose
 * other end says that it belongs here (`git worktree`, submodules).
 *
 * Memory     tree_places_fini.
 * Threads    None.
 */
#ifndef INDEX_TREE_PLACES_H
#define INDEX_TREE_PLACES_H

#include "base/buf.h"
#include "base/err.h"

/* Absolute, without links. */
struct tree_places {
    struct buf top;
    struct buf git;    /* empty: |top| is no repository */
    struct buf common; /* refs and objects; |git| itself but in a worktree */
};
void tree_places_fini(struct tree_places *places);

/*
 * tree_places_find looks at |path|.
 *
 * ERR_NOT_FOUND, ERR_IO, ERR_NOMEM
 * ERR_INVALID    it is no directory
 * ERR_DENIED     not ours to read; or (|top| is set then) the repository leads
 *                out of itself: |why| says by what
 */
enum err
tree_places_find(struct tree_places *places, const char *path, struct buf *why);

#endif
