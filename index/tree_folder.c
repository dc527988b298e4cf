/*
 * A directory, walked with openat and O_NOFOLLOW, so that no link, not even one
 * that is put there meanwhile, leads out of it.  A file's blob id is that of
 * its content when it was listed; if it has another when it is read, it is
 * left out.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "index/tree_impl.h"

/* Larger files are listed and never read: no source is. */
enum { HASHED_MAX = 8 << 20 };

struct walk {
    struct tree *tree;
    struct buf *why;
    struct buf path;
    struct buf content;
};

static enum err
read_fd(int fd, size_t max, struct buf *out)
{
    size_t before = out->len;

    for (;;) {
        char *to = buf_grow(out, 1 << 16);
        if (!to)
            return ERR_NOMEM;
        ssize_t got = read(fd, to, 1 << 16);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ERR_IO;
        if (got == 0)
            return OK;
        out->len += (size_t)got;
        if (out->len - before > max)
            return ERR_TOO_LARGE;
    }
}

static enum err
take_file(struct walk *walk, int folder, const char *name)
{
    int fd =
        openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    unsigned char blob[GIT_BLOB_LEN] = {0};
    enum err err = OK;

    /* Gone or a link: not listed.  Unreadable: so that it is told. */
    if (fd < 0)
        return errno == EACCES && !walk->tree->is_stamp
                   ? tree_add(walk->tree, buf_str(&walk->path), blob, 0)
                   : OK;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        goto out;
    if (walk->tree->is_stamp) {
        buf_add(&walk->tree->stamp, buf_str(&walk->path));
        buf_printf(&walk->tree->stamp, " %lld %lld.%09ld\n",
                   (long long)st.st_size, (long long)st.st_mtim.tv_sec,
                   st.st_mtim.tv_nsec);
        goto out;
    }
    if (st.st_size <= HASHED_MAX) {
        buf_reset(&walk->content);
        err = read_fd(fd, HASHED_MAX, &walk->content);
        if (err) {
            err = err == ERR_NOMEM ? err : OK;
            goto out;
        }
        hash_git_blob(buf_str(&walk->content), blob);
    }
    err =
        tree_add(walk->tree, buf_str(&walk->path), blob, (uint64_t)st.st_size);
out:
    close(fd);
    return err;
}

static enum err walk_folder(struct walk *walk, int fd, int depth);

/* Code that is published stands in such a folder, too: who asks for it is told
 * that it was not read. */
static void
note_built(struct walk *walk)
{
    struct tree *tree = walk->tree;
    str path = buf_str(&walk->path);

    if (tree->built++ >= TREE_BUILT_MAX ||
        tree->built_at.len + path.len + 2 > TREE_BUILT_BYTES_MAX)
        return;
    buf_add(&tree->built_at, tree->built_at.len > 0 ? STR(", ") : STR(""));
    buf_add(&tree->built_at, path);
}

static enum err
take_folder(struct walk *walk, int folder, const char *name, int depth)
{
    if (tree_skips_folder(str_of(name), false) || depth >= TREE_DEPTH_MAX) {
        walk->tree->skipped++;
        if (tree_is_built(str_of(name)))
            note_built(walk);
        return OK;
    }
    int fd =
        openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    walk->tree->skipped += fd < 0;
    return fd < 0 ? OK : walk_folder(walk, fd, depth + 1);
}

static enum err
take_name(struct walk *walk, int folder, const char *name, int depth)
{
    size_t before = walk->path.len;
    struct stat st;
    enum err err = OK;

    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return OK;
    if (before > 0)
        buf_add_char(&walk->path, '/');
    buf_add(&walk->path, str_of(name));
    if (walk->path.failed)
        return ERR_NOMEM;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        err = S_ISDIR(st.st_mode)   ? take_folder(walk, folder, name, depth)
              : S_ISREG(st.st_mode) ? take_file(walk, folder, name)
                                    : OK;
    walk->path.len = before;
    return err;
}

/* Takes over |fd|. */
static enum err
walk_folder(struct walk *walk, int fd, int depth)
{
    DIR *dir = fdopendir(fd);
    struct dirent *entry;
    enum err err = OK;

    if (!dir) {
        close(fd);
        return ERR_NOMEM;
    }
    while (!err && (entry = readdir(dir)))
        err = take_name(walk, dirfd(dir), entry->d_name, depth);
    (void)closedir(dir);
    return err;
}

enum err
tree_folder_list(struct tree *tree, struct buf *why)
{
    struct walk walk = {.tree = tree, .why = why};
    const char *top = buf_cstr(&tree->places.top);
    int fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum err err = fd < 0 ? ERR_IO : walk_folder(&walk, fd, 0);

    if (fd < 0)
        buf_printf(why, "%s: %s", top, strerror(errno));
    else if (err == ERR_TOO_LARGE)
        buf_printf(why, "%s: more than %d files", top, TREE_FILES_MAX);
    buf_fini(&walk.path);
    buf_fini(&walk.content);
    return err;
}

/* Opens |path| below |top| a folder at a time, following no link. */
static int
open_below(const char *top, str path)
{
    char name[TREE_PATH_MAX + 1];
    int fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    memcpy(name, path.ptr, path.len);
    name[path.len] = '\0';
    for (char *at = name; fd >= 0;) {
        char *slash = strchr(at, '/');
        if (slash)
            *slash = '\0';
        int next = openat(fd, at,
                          O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK |
                              (slash ? O_DIRECTORY : 0));
        close(fd);
        fd = next;
        if (!slash)
            break;
        at = slash + 1;
    }
    struct stat st;
    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

enum err
tree_folder_read(struct tree *tree, uint32_t i, uint32_t max, struct buf *out)
{
    const struct tree_file *file = &tree->files[i];
    size_t before = out->len;
    unsigned char blob[GIT_BLOB_LEN];

    if (file->bytes > max)
        return ERR_TOO_LARGE;
    int fd = open_below(buf_cstr(&tree->places.top), file->path);
    if (fd < 0)
        return ERR_IO;
    enum err err = read_fd(fd, max, out);
    close(fd);
    if (err)
        return err;
    str content = str_cut(buf_str(out), before, out->len);
    hash_git_blob(content, blob);
    return memcmp(blob, file->blob, BLOB_ID_LEN) == 0 ? OK : ERR_IO;
}
