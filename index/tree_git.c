/*
 * A commit's tree, by libgit2.  The repository's own configuration is not
 * trusted and hardly read: `origin`'s url and no more.  libgit2 runs nothing by
 * itself; owner checks are off because they protect programs that would.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "index/tree_impl.h"

static const char *
last_error(const struct git_calls *git)
{
    const git_error *error = git->error_last();

    return error && error->message ? error->message : "unknown error";
}

/* From the configuration itself: asking libgit2 for the remote has it match
 * expressions, for which it keeps memory each time. */
static void
read_origin(struct tree *tree)
{
    const struct git_calls *git = &tree->git;
    git_config *config = NULL;
    const char *url = NULL;

    if (git->repository_config_snapshot(&config, tree->repo) == 0 &&
        git->config_get_string(&url, config, "remote.origin.url") == 0 &&
        url[0] != '/' && url[0] != '.' && strncmp(url, "file:", 5) != 0)
        buf_add(&tree->name, str_of(url));
    git->config_free(config);
}

static int
find_object(git_object **out, struct tree *tree, const char *commit)
{
    const struct git_calls *git = &tree->git;
    git_oid id;

    if (commit)
        return git->revparse_single(out, tree->repo, commit);
    int got = git->reference_name_to_id(&id, tree->repo, "HEAD");
    return got ? got : git->object_lookup(out, tree->repo, &id, GIT_OBJECT_ANY);
}

static enum err
find_commit(struct tree *tree, const struct tree_ask *ask, struct buf *why)
{
    const struct git_calls *git = &tree->git;
    git_object *object = NULL;
    git_object *commit = NULL;
    enum err err = OK;

    if (find_object(&object, tree, ask->commit) == 0 &&
        git->object_peel(&commit, object, GIT_OBJECT_COMMIT) == 0) {
        tree->head = (git_commit *)commit;
        git->oid_tostr(tree->commit, sizeof(tree->commit),
                       git->commit_id(tree->head));
        tree->commit_s = (uint64_t)git->commit_time(tree->head);
    } else if (ask->commit || !ask->is_worktree) {
        buf_printf(why, "%s: no commit %s in this repository (%s)", ask->path,
                   ask->commit ? ask->commit : "HEAD", last_error(git));
        err = ERR_NOT_FOUND;
    }
    git->object_free(object);
    return err;
}

/* Nobody's configuration but the repository's; small windows on packs, because
 * address space is limited. */
static void
set_up(const struct git_calls *git)
{
    enum { WINDOW = 8 << 20, MAPPED = 256 << 20 };

    for (int level = GIT_CONFIG_LEVEL_PROGRAMDATA;
         level <= GIT_CONFIG_LEVEL_GLOBAL; level++)
        git->libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "");
    git->libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    git->libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, (size_t)WINDOW);
    git->libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, (size_t)MAPPED);
}

void
tree_warm_up(void)
{
    unsigned char digest[SHA256_LEN];
    struct git_calls git;
    struct buf why = {0};

    /* Who reads a repository is told what is missing. */
    if (git_load(&git, GIT_LIBRARY, &why) == OK) {
        git.libgit2_init();
        set_up(&git);
    }
    buf_fini(&why);
    hash_sha256(&STR("warm"), 1, digest);
    hash_git_blob(STR("warm"), digest);
}

enum err
tree_git_open(struct tree *tree, const struct tree_ask *ask, struct buf *why)
{
    const struct git_calls *git = &tree->git;

    if (tree->places.git.len == 0)
        return OK;
    enum err err = git_load(&tree->git, GIT_LIBRARY, why);
    if (err)
        return err;
    git->libgit2_init();
    tree->is_open = true;
    set_up(git);
    int got = git->repository_open_ext(&tree->repo, buf_cstr(&tree->places.git),
                                       GIT_REPOSITORY_OPEN_NO_SEARCH, NULL);
    if (got == GIT_ENOTFOUND) {
        tree->repo = NULL;
        return OK;
    }
    if (got != 0 || git->repository_odb(&tree->odb, tree->repo) != 0) {
        buf_printf(why, "%s: cannot read the repository: %s", ask->path,
                   last_error(git));
        return ERR_IO;
    }
    read_origin(tree);
    return find_commit(tree, ask, why);
}

void
tree_git_close(struct tree *tree)
{
    const struct git_calls *git = &tree->git;

    if (!tree->is_open)
        return;
    git->commit_free(tree->head);
    git->odb_free(tree->odb);
    git->repository_free(tree->repo);
    git->libgit2_shutdown();
}

struct listing {
    struct tree *tree;
    struct buf path;
    enum err err;
};

/* A tree may have been made by hand, with names that git refuses. */
static bool
is_plain_name(const char *name)
{
    return *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
           strcasecmp(name, ".git") != 0 && !strchr(name, '/');
}

/* One that is in a thousand others is a thousand folders. */
static int
take_tree(struct listing *listing, const char *root, const char *name)
{
    struct tree *tree = listing->tree;
    int depth = 0;

    for (const char *at = root; *at; at++)
        depth += *at == '/';
    if (tree_skips_folder(str_of(name), true) || depth >= TREE_DEPTH_MAX) {
        tree->skipped++;
        return 1;
    }
    if (++tree->folders <= TREE_FILES_MAX)
        return 0;
    listing->err = ERR_TOO_LARGE;
    return -1;
}

static int
take_entry(const char *root, const git_tree_entry *entry, void *ctx)
{
    struct listing *listing = ctx;
    const struct git_calls *git = &listing->tree->git;
    const char *name = git->tree_entry_name(entry);

    if (!is_plain_name(name)) {
        listing->tree->skipped++;
        return 1;
    }
    if (git->tree_entry_type(entry) == GIT_OBJECT_TREE)
        return take_tree(listing, root, name);
    git_filemode_t mode = git->tree_entry_filemode(entry);
    if (mode != GIT_FILEMODE_BLOB && mode != GIT_FILEMODE_BLOB_EXECUTABLE)
        return 0;
    buf_reset(&listing->path);
    buf_add(&listing->path, str_of(root));
    buf_add(&listing->path, str_of(name));
    listing->err = listing->path.failed
                       ? ERR_NOMEM
                       : tree_add(listing->tree, buf_str(&listing->path),
                                  git->tree_entry_id(entry)->id, 0);
    return listing->err ? -1 : 0;
}

enum err
tree_git_list(struct tree *tree, struct buf *why)
{
    const struct git_calls *git = &tree->git;
    struct listing listing = {.tree = tree};
    git_tree *root = NULL;

    if (git->commit_tree(&root, tree->head) != 0 ||
        (git->tree_walk(root, GIT_TREEWALK_PRE, take_entry, &listing) != 0 &&
         !listing.err)) {
        buf_printf(why, "cannot read commit %s: %s", tree->commit,
                   last_error(git));
        listing.err = ERR_IO;
    }
    if (listing.err == ERR_TOO_LARGE)
        buf_printf(why, "more than %d files or folders", TREE_FILES_MAX);
    git->tree_free(root);
    buf_fini(&listing.path);
    return listing.err;
}

/* How large it is, is asked first: it may not fit into memory. */
enum err
tree_git_read(struct tree *tree, uint32_t i, uint32_t max, struct buf *out)
{
    const struct git_calls *git = &tree->git;
    git_odb_object *object = NULL;
    git_object_t type;
    git_oid id;
    size_t len;
    enum err err = ERR_IO;

    memcpy(id.id, tree->files[i].blob, BLOB_ID_LEN);
    if (git->odb_read_header(&len, &type, tree->odb, &id) != 0 ||
        type != GIT_OBJECT_BLOB)
        return ERR_IO;
    tree->files[i].bytes = len;
    if (len > max)
        return ERR_TOO_LARGE;
    if (git->odb_read(&object, tree->odb, &id) == 0 &&
        git->odb_object_size(object) <= max) {
        buf_add(out, (str){git->odb_object_data(object),
                           git->odb_object_size(object)});
        err = out->failed ? ERR_NOMEM : OK;
    }
    git->odb_object_free(object);
    return err;
}

/* ---- history ---- */

struct history {
    struct tree *tree;
    tree_author_fn *fn;
    void *ctx;
    const git_signature *author;
};

static int
by_path(const void *key, const void *row)
{
    const char *path = key;
    const struct tree_file *file = row;
    size_t len = strlen(path);
    int order = memcmp(path, file->path.ptr,
                       len < file->path.len ? len : file->path.len);

    return order ? order : (len > file->path.len) - (len < file->path.len);
}

static enum err
take_delta(struct history *history, const git_diff_delta *delta)
{
    struct tree *tree = history->tree;

    if (delta->status == GIT_DELTA_DELETED || tree->len == 0)
        return OK;
    const struct tree_file *file =
        bsearch(delta->new_file.path, tree->files, tree->len,
                sizeof(*tree->files), by_path);
    return file ? history->fn(
                      history->ctx, (uint32_t)(file - tree->files),
                      str_of(history->author->email && *history->author->email
                                 ? history->author->email
                                 : history->author->name),
                      (uint64_t)history->author->when.time)
                : OK;
}

/* Not git_diff_foreach, which prepares to compare contents. */
static enum err
take_diff(struct history *history, git_tree *before, git_tree *now)
{
    const struct git_calls *git = &history->tree->git;
    git_diff_options options;
    git_diff *diff = NULL;
    enum err err = OK;

    git->diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.flags = GIT_DIFF_IGNORE_SUBMODULES | GIT_DIFF_SKIP_BINARY_CHECK;
    if (git->diff_tree_to_tree(&diff, history->tree->repo, before, now,
                               &options) == 0)
        for (size_t i = 0; i < git->diff_num_deltas(diff) && !err; i++)
            err = take_delta(history, git->diff_get_delta(diff, i));
    git->diff_free(diff);
    return err;
}

static enum err
take_commit(struct history *history, const git_oid *id)
{
    const struct git_calls *git = &history->tree->git;
    git_commit *commit = NULL;
    git_commit *parent = NULL;
    git_tree *now = NULL;
    git_tree *before = NULL;
    enum err err = OK;

    if (git->commit_lookup(&commit, history->tree->repo, id) != 0)
        return ERR_IO;
    /* A merge changes nothing of its own. */
    if (git->commit_parentcount(commit) > 1)
        goto out;
    if (git->commit_parentcount(commit) == 1 &&
        (git->commit_parent(&parent, commit, 0) != 0 ||
         git->commit_tree(&before, parent) != 0))
        goto out;
    if (git->commit_tree(&now, commit) == 0) {
        history->author = git->commit_author(commit);
        err = take_diff(history, before, now);
    }
out:
    git->tree_free(now);
    git->tree_free(before);
    git->commit_free(parent);
    git->commit_free(commit);
    return err;
}

enum err
tree_authors(struct tree *tree, uint32_t commits_max, uint64_t deadline_ns,
             tree_author_fn *fn, void *ctx)
{
    struct history history = {.tree = tree, .fn = fn, .ctx = ctx};
    const struct git_calls *git = &tree->git;
    git_revwalk *walk = NULL;
    git_oid id;
    enum err err = OK;

    if (!tree->is_repository)
        return OK;
    if (git->revwalk_new(&walk, tree->repo) != 0)
        return ERR_NOMEM;
    git->revwalk_sorting(walk, GIT_SORT_TIME);
    git->revwalk_push(walk, git->commit_id(tree->head));
    /* A shallow clone ends where its history does. */
    for (uint32_t i = 0;
         i < commits_max && !err && clock_mono_ns() < deadline_ns &&
         git->revwalk_next(&id, walk) == 0;
         i++) {
        err = take_commit(&history, &id);
        if (err == ERR_IO)
            break;
    }
    git->revwalk_free(walk);
    return err == ERR_IO ? OK : err;
}

void
tree_release(struct tree *tree)
{
    tree_git_close(tree);
    buf_fini(&tree->paths);
    buf_fini(&tree->built_at);
    buf_fini(&tree->stamp);
    tree_places_fini(&tree->places);
    buf_fini(&tree->name);
    free(tree->files);
}

void
tree_close(struct tree *tree)
{
    if (tree)
        tree_release(tree);
    free(tree);
}
