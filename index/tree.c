/*
 * An array of files, paths in one block.  A path is kept by its offset until
 * all are there, because the block moves while it grows.
 */
#include "index/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "index/tree_impl.h"

/* What is written by others, wherever it stands. */
static const char *const foreign[] = {
    "node_modules", "bower_components", "vendor",
    "third_party",  "site-packages",    ".venv",
    "venv",         "__pycache__",      ".tox",
    ".git",         "jspm_packages",    "Pods",
};

/* What is built, in a plain directory.  A repository holds what was put in. */
static const char *const built[] = {"build", "dist", "target",
                                    "out",   "bin",  "obj"};

static bool
is_one_of(str name, const char *const *words, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (str_eq(name, str_of(words[i])))
            return true;
    return false;
}

bool
tree_is_built(str name)
{
    return is_one_of(name, built, sizeof(built) / sizeof(built[0]));
}

bool
tree_skips_folder(str name, bool is_repository)
{
    if (is_one_of(name, foreign, sizeof(foreign) / sizeof(foreign[0])))
        return true;
    if (is_repository)
        return false;
    return (name.len > 0 && name.ptr[0] == '.' &&
            !str_eq(name, STR(".github"))) ||
           tree_is_built(name);
}

enum err
tree_add(struct tree *tree, str path, const unsigned char *blob, uint64_t bytes)
{
    if (tree->len >= TREE_FILES_MAX)
        return ERR_TOO_LARGE;
    if (path.len > TREE_PATH_MAX) {
        tree->skipped++;
        return OK;
    }
    if (!grow_room(tree->files, tree->len, tree->cap))
        return ERR_NOMEM;
    struct tree_file *file = &tree->files[tree->len];

    *file = (struct tree_file){.path.len = path.len, .bytes = bytes};
    if (blob)
        memcpy(file->blob, blob, BLOB_ID_LEN);
    buf_add(&tree->paths, path);
    if (tree->paths.failed)
        return ERR_NOMEM;
    tree->len++;
    return OK;
}

static int
compare(const void *left, const void *right)
{
    return str_order(((const struct tree_file *)left)->path,
                     ((const struct tree_file *)right)->path);
}

static void
finish(struct tree *tree)
{
    const char *at = tree->paths.ptr;

    for (uint32_t i = 0; i < tree->len; i++) {
        tree->files[i].path.ptr = at;
        at += tree->files[i].path.len;
    }
    if (tree->len == 0)
        return;
    qsort(tree->files, tree->len, sizeof(*tree->files), compare);
    /* A tree that was made by hand may name one twice. */
    uint32_t kept = 1;
    for (uint32_t i = 1; i < tree->len; i++)
        if (!str_eq(tree->files[i].path, tree->files[kept - 1].path))
            tree->files[kept++] = tree->files[i];
    tree->skipped += tree->len - kept;
    tree->len = kept;
}

static void
name_by_folder(struct tree *tree)
{
    const char *top = buf_cstr(&tree->places.top);
    const char *slash = strrchr(top, '/');

    buf_add(&tree->name, str_of(slash && slash[1] ? slash + 1 : "root"));
}

/* A repository that cannot be trusted can still be read as a directory. */
static enum err
find_places(struct tree *tree, const struct tree_ask *ask, struct buf *why)
{
    enum err err = tree_places_find(&tree->places, ask->path, why);

    if (err == ERR_DENIED && ask->is_worktree && tree->places.top.len) {
        buf_reset(why);
        return OK;
    }
    return err;
}

static enum err
open_kind(struct tree *tree, const struct tree_ask *ask, struct buf *why)
{
    enum err err;

    if ((err = find_places(tree, ask, why)) ||
        (err = tree_git_open(tree, ask, why)))
        return err;
    if (tree->name.len == 0)
        name_by_folder(tree);
    tree->is_repository = tree->repo && !ask->is_worktree;
    if (tree->repo && ask->is_worktree &&
        tree->git.repository_is_bare(tree->repo)) {
        buf_printf(why, "%s is a bare repository: there is no worktree to read",
                   ask->path);
        return ERR_INVALID;
    }
    if (tree->repo || !ask->commit)
        return tree->name.failed ? ERR_NOMEM : OK;
    buf_printf(why, "%s is no git repository, so it has no commit %s",
               ask->path, ask->commit);
    return ERR_INVALID;
}

enum err
tree_open(struct tree **out, const struct tree_ask *ask, struct buf *why)
{
    struct tree *tree = calloc(1, sizeof(*tree));
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (!tree)
        return err;
    if ((err = open_kind(tree, ask, why)))
        goto out;
    err = tree->is_repository ? tree_git_list(tree, why)
                              : tree_folder_list(tree, why);
    if (err)
        goto out;
    finish(tree);
    *out = tree;
    tree = NULL;
out:
    tree_close(tree);
    return err;
}

enum err
tree_stamp(const struct tree_ask *ask, struct buf *out)
{
    struct tree tree = {.is_stamp = true};
    struct buf why = {0};
    enum err err = open_kind(&tree, ask, &why);

    if (!err && tree.is_repository) {
        buf_add(out, str_of(tree.commit));
    } else if (!err && !(err = tree_folder_list(&tree, &why))) {
        struct digest128 digest = hash_digest(buf_str(&tree.stamp));
        buf_add(out, (str){(const char *)&digest, sizeof(digest)});
        err = tree.stamp.failed ? ERR_NOMEM : OK;
    }
    tree_release(&tree);
    buf_fini(&why);
    return err;
}

const struct tree_file *
tree_files(const struct tree *tree, uint32_t *len)
{
    *len = tree->len;
    return tree->files;
}

str
tree_commit(const struct tree *tree)
{
    return tree->is_repository ? str_of(tree->commit) : (str){"", 0};
}

uint64_t
tree_commit_s(const struct tree *tree)
{
    return tree->is_repository ? tree->commit_s : 0;
}

str
tree_name(const struct tree *tree)
{
    return buf_str(&tree->name);
}

uint32_t
tree_skipped(const struct tree *tree)
{
    return tree->skipped;
}

str
tree_built(const struct tree *tree, uint32_t *count)
{
    *count = tree->built;
    return buf_str(&tree->built_at);
}

enum err
tree_read(struct tree *tree, uint32_t i, uint32_t max, struct buf *out)
{
    return tree->is_repository ? tree_git_read(tree, i, max, out)
                               : tree_folder_read(tree, i, max, out);
}
