#include "knowledge/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/match.h"
#include "base/utf8.h"

struct walk {
    const struct folder_ask *ask;
    folder_fn *fn;
    void *ctx;
    struct folder_sum *sum;
    struct buf path;
};

static bool
fits_any(const cJSON *patterns, str path)
{
    const cJSON *pattern;

    cJSON_ArrayForEach(pattern,
                       patterns) if (cJSON_IsString(pattern) &&
                                     match_path(str_of(pattern->valuestring),
                                                path)) return true;
    return false;
}

static bool
is_text_name(const char *name)
{
    static const char *const ends[] = {".md", ".markdown", ".txt", ".rst",
                                       ".adoc"};
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && i < sizeof(ends) / sizeof(ends[0]); i++)
        if (strcasecmp(dot, ends[i]) == 0)
            return true;
    return false;
}

static enum err
read_all(int fd, size_t size, struct buf *out)
{
    char *at = buf_grow(out, size + 1);
    size_t len = 0;

    if (!at)
        return ERR_NOMEM;
    while (len <= size) {
        ssize_t got = read(fd, at + len, size + 1 - len);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        len += (size_t)got;
    }
    out->len = len < size ? len : size;
    return OK;
}

static enum err
visit_file(struct walk *walk, int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct buf text = {0};
    struct stat st;
    enum err err = OK;

    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
        (size_t)st.st_size > walk->ask->bytes) {
        walk->sum->skipped++;
        goto out;
    }
    if (walk->sum->files >= walk->ask->max) {
        walk->sum->is_truncated = true;
        goto out;
    }
    err = read_all(fd, (size_t)st.st_size, &text);
    if (err)
        goto out;
    if (text.len == 0 || !utf8_valid(buf_str(&text)) ||
        memchr(text.ptr, '\0', text.len)) {
        walk->sum->skipped++;
        goto out;
    }
    walk->sum->files++;
    err = walk->fn(walk->ctx, buf_str(&walk->path), buf_str(&text));
out:
    if (fd >= 0)
        close(fd);
    buf_fini(&text);
    return err;
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct names {
    char **items;
    size_t len;
    size_t cap;
};

static enum err
list_names(DIR *dir, struct names *out)
{
    const struct dirent *entry;

    while ((entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        if (!grow_room(out->items, out->len, out->cap))
            return ERR_NOMEM;
        if (!(out->items[out->len] = strdup(entry->d_name)))
            return ERR_NOMEM;
        out->len++;
    }
    if (out->len)
        qsort(out->items, out->len, sizeof(out->items[0]), by_name);
    return OK;
}

static enum err visit_folder(struct walk *walk, int fd, int depth);

/* The folder within a folder that |name| is, or a file, or neither. */
static enum err
visit(struct walk *walk, int dir, const char *name, int depth)
{
    size_t before = walk->path.len;
    struct stat st;
    enum err err = OK;

    if (before)
        buf_add_char(&walk->path, '/');
    buf_add(&walk->path, str_of(name));
    if (walk->path.failed) {
        err = ERR_NOMEM;
    } else if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
               fits_any(walk->ask->exclude, buf_str(&walk->path))) {
        err = OK; /* gone meanwhile, or not wanted */
    } else if (S_ISDIR(st.st_mode) && depth > 1) {
        int fd =
            openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        err = fd >= 0 ? visit_folder(walk, fd, depth - 1) : OK;
    } else if (S_ISREG(st.st_mode) && is_text_name(name) &&
               (cJSON_GetArraySize(walk->ask->include) == 0 ||
                fits_any(walk->ask->include, buf_str(&walk->path)))) {
        err = visit_file(walk, dir, name);
    }
    walk->path.len = before;
    return err;
}

static enum err
visit_folder(struct walk *walk, int fd, int depth)
{
    DIR *dir = fdopendir(fd);
    struct names names = {0};
    enum err err;

    if (!dir) {
        close(fd);
        return ERR_NOMEM;
    }
    err = list_names(dir, &names);
    for (size_t i = 0; i < names.len; i++) {
        if (!err)
            err = visit(walk, dirfd(dir), names.items[i], depth);
        free(names.items[i]);
    }
    free(names.items);
    closedir(dir);
    return err;
}

/* No part of the path may be a link: one could have been put there since the
 * path was allowed.  Kernels before 5.6 look at the last part only. */
static int
open_root(const char *root)
{
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    const struct open_how how = {
        .flags = FLAGS, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    int fd = (int)syscall(SYS_openat2, AT_FDCWD, root, &how, sizeof(how));

    return fd < 0 && errno == ENOSYS ? open(root, FLAGS) : fd;
}

enum err
folder_walk(const struct folder_ask *ask, folder_fn *fn, void *ctx,
            struct folder_sum *sum, struct buf *why)
{
    struct walk walk = {.ask = ask, .fn = fn, .ctx = ctx, .sum = sum};
    int fd = open_root(ask->root);
    enum err err;

    *sum = (struct folder_sum){0};
    if (fd < 0) {
        int code = errno;

        buf_printf(why, "cannot read directory %s: %s", ask->root,
                   strerror(code));
        return code == EACCES ? ERR_DENIED : ERR_NOT_FOUND;
    }
    err = visit_folder(&walk, fd, ask->depth);
    buf_fini(&walk.path);
    return err;
}
