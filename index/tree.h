/*
 * tree - the files of a repository at one commit, or of a directory.
 *
 * Reads a git repository with libgit2: nothing of it is run, no hook, filter,
 * pager or transport.  A directory that is not the top of a repository is
 * walked, and its files are named by the blob id that git would give them, so
 * facts are shared between the two.
 *
 * What is never listed: symbolic links, submodules, folders of other people's
 * code (node_modules, vendor, ...) and, in a plain directory, hidden ones and
 * those that hold built things.  Nothing outside is read, wherever links and
 * the repository's own files point (index/tree_places.h).
 *
 * Memory     tree_close frees all views.
 * Limits     TREE_FILES_MAX files, and folders; what has a longer path than
 *            TREE_PATH_MAX bytes or is deeper than 64 levels is left out.
 * Threads    One.  A forked child may go on with it.
 */
#ifndef INDEX_TREE_H
#define INDEX_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "graph/code_build.h"

enum { TREE_FILES_MAX = 1000000, TREE_PATH_MAX = 4096 };

struct tree;

struct tree_file {
    str path; /* from the top, `/` between */
    unsigned char blob[BLOB_ID_LEN];
    uint64_t bytes; /* 0 in a git tree: known when it is read */
};

/*
 * tree_open lists the files at |commit| (a revision: an id, a branch, a tag;
 * NULL: HEAD) of the repository whose top is |path|; with |is_worktree|, or
 * where |path| is no repository, what stands in the directory.
 *
 * ERR_NOT_FOUND  no such directory or revision
 * ERR_INVALID    a revision of what is no repository, a file, the worktree
 *                of a bare repository
 * ERR_DENIED     not ours to read, or the repository leads out of itself
 * ERR_UNSUPPORTED  a repository, and no libgit2 to read it with
 * ERR_IO, ERR_TOO_LARGE, ERR_NOMEM: |why| says what
 */
struct tree_ask {
    const char *path;
    const char *commit;
    bool is_worktree;
};
enum err
tree_open(struct tree **out, const struct tree_ask *ask, struct buf *why);

/* tree_warm_up has the libraries read what they want of their own before the
 * process is confined (index/sandbox.h).  Once, at the start. */
void tree_warm_up(void);

/* tree_stamp appends what changes when the files that |ask| names do: the id of
 * the commit, or a digest of names, sizes and times.  As tree_open. */
enum err tree_stamp(const struct tree_ask *ask, struct buf *out);
void tree_close(struct tree *tree);

/* tree_files are sorted by path. */
const struct tree_file *tree_files(const struct tree *tree, uint32_t *len);

/* tree_commit is 40 hex digits, or empty for a directory. */
str tree_commit(const struct tree *tree);
uint64_t tree_commit_s(const struct tree *tree);

/* tree_name is where the repository comes from: the url of `origin`, else the
 * name of the directory. */
str tree_name(const struct tree *tree);

/* tree_skipped is how many folders, and files, were left out unlisted. */
uint32_t tree_skipped(const struct tree *tree);

/* tree_built is which folders of a plain directory were left out for what is
 * built stands in them, by `, `, TREE_BUILT_MAX of the |count|. */
enum { TREE_BUILT_MAX = 4, TREE_BUILT_BYTES_MAX = 1024 };
str tree_built(const struct tree *tree, uint32_t *count);

/* tree_read appends the content of file |i|.  ERR_TOO_LARGE beyond |max|;
 * ERR_IO: it is gone, or changed since it was listed. */
enum err
tree_read(struct tree *tree, uint32_t i, uint32_t max, struct buf *out);

/*
 * tree_authors walks the history back from the commit, newest first, and
 * counts for each file listed who changed it: at most |commits_max| commits
 * and until |deadline_ns| (base/clock.h, monotonic).  A directory has none.
 */
typedef enum err
tree_author_fn(void *ctx, uint32_t file, str author, uint64_t at_s);
enum err tree_authors(struct tree *tree, uint32_t commits_max,
                      uint64_t deadline_ns, tree_author_fn *fn, void *ctx);

#endif
