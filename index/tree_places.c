/*
 * By hand, before libgit2 sees any of it.  What is looked at may be changed
 * meanwhile by whoever can write there; the process that reads is confined to
 * these directories besides, where the kernel can do that (index/sandbox.h).
 */
#include "index/tree_places.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SMALL_MAX = 1 << 16, LEVELS_MAX = 32, ENTRIES_MAX = 4000000 };

void
tree_places_fini(struct tree_places *places)
{
    buf_fini(&places->top);
    buf_fini(&places->git);
    buf_fini(&places->common);
}

/* ---- small files and paths ---- */

/* Reads |folder|/|name|, if that is a plain file of at most SMALL_MAX. */
static bool
read_small(const char *folder, const char *name, struct buf *out)
{
    struct buf path = {0};
    struct stat st;
    bool is_read = false;

    buf_reset(out);
    buf_printf(&path, "%s/%s", folder, name);
    int fd = open(buf_cstr(&path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    buf_fini(&path);
    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= SMALL_MAX) {
        char *to = buf_grow(out, SMALL_MAX);
        ssize_t got = to ? read(fd, to, SMALL_MAX) : -1;
        out->len += got > 0 ? (size_t)got : 0;
        is_read = got >= 0;
    }
    close(fd);
    return is_read;
}

static str
trim(str line)
{
    while (line.len && strchr(" \t\r\n", line.ptr[line.len - 1]))
        line.len--;
    while (line.len && strchr(" \t", line.ptr[0]))
        line = str_cut(line, 1, line.len);
    return line;
}

static str
next_line(str *text)
{
    const char *end = text->len ? memchr(text->ptr, '\n', text->len) : NULL;
    size_t len = end ? (size_t)(end - text->ptr) : text->len;
    str line = str_cut(*text, 0, len);

    *text = str_cut(*text, end ? len + 1 : len, text->len);
    return trim(line);
}

/* The directory or file that |path|, seen from |folder|, is in the end. */
static bool
resolve(const char *folder, str path, char *out)
{
    struct buf full = {0};

    if (path.len == 0 || memchr(path.ptr, '\0', path.len))
        return false;
    if (path.ptr[0] != '/')
        buf_printf(&full, "%s/", folder);
    buf_add(&full, path);
    bool found = !full.failed && realpath(buf_cstr(&full), out);
    buf_fini(&full);
    return found;
}

static bool
is_below(const char *path, struct buf *folder)
{
    const char *top = buf_cstr(folder);
    size_t len = strlen(top);

    return len > 0 && strncmp(path, top, len) == 0 &&
           (path[len] == '\0' || path[len] == '/' || len == 1);
}

static bool
is_inside(struct tree_places *places, const char *path)
{
    return is_below(path, &places->top) || is_below(path, &places->git) ||
           is_below(path, &places->common);
}

static enum err
deny(struct tree_places *places, struct buf *why, const char *what)
{
    buf_printf(why,
               "%s: %s; that is not followed (--worktree reads the folder as "
               "it is)",
               buf_cstr(&places->top), what);
    buf_reset(&places->git);
    buf_reset(&places->common);
    return ERR_DENIED;
}

/* ---- where .git is ---- */

/* `core.worktree` of a submodule's configuration. */
static bool
config_names_top(struct tree_places *places, const char *git)
{
    struct buf text = {0};
    char path[PATH_MAX];
    bool found = false;

    if (read_small(git, "config", &text))
        for (str rest = buf_str(&text); rest.len > 0 && !found;) {
            str line = next_line(&rest);
            const char *sign = line.len ? memchr(line.ptr, '=', line.len) : 0;
            size_t at = sign ? (size_t)(sign - line.ptr) : 0;
            found = sign &&
                    str_eq(trim(str_cut(line, 0, at)), STR("worktree")) &&
                    resolve(git, trim(str_cut(line, at + 1, line.len)), path) &&
                    strcmp(path, buf_cstr(&places->top)) == 0;
        }
    buf_fini(&text);
    return found;
}

/* Whether the repository at |git| says that a worktree of it is at |top|. */
static bool
knows_top(struct tree_places *places, const char *git)
{
    struct buf text = {0};
    char path[PATH_MAX];
    bool found = false;

    if (read_small(git, "gitdir", &text) &&
        resolve(git, trim(buf_str(&text)), path)) {
        char *slash = strrchr(path, '/');
        if (slash && strcmp(slash, "/.git") == 0) {
            *slash = '\0';
            found = strcmp(path, buf_cstr(&places->top)) == 0;
        }
    }
    buf_fini(&text);
    return found || config_names_top(places, git);
}

static bool
is_bare(const char *top)
{
    char path[PATH_MAX];

    return resolve(top, STR("HEAD"), path) && resolve(top, STR("refs"), path) &&
           resolve(top, STR("objects"), path);
}

static enum err
follow_file(struct tree_places *places, struct buf *why)
{
    struct buf text = {0};
    char git[PATH_MAX];
    enum err err = OK;

    if (!read_small(buf_cstr(&places->top), ".git", &text) ||
        !str_starts(buf_str(&text), STR("gitdir:")) ||
        !resolve(buf_cstr(&places->top),
                 trim(str_cut(buf_str(&text), 7, text.len)), git))
        err = deny(places, why, "its .git is a file that names no repository");
    else if (!is_below(git, &places->top) && !knows_top(places, git))
        err = deny(places, why,
                   "its .git names a repository elsewhere that does not know "
                   "of it");
    else
        buf_add(&places->git, str_of(git));
    buf_fini(&text);
    return err;
}

static enum err
find_git(struct tree_places *places, struct buf *why)
{
    const char *top = buf_cstr(&places->top);
    struct buf dot = {0};
    char git[PATH_MAX];
    struct stat st;
    enum err err = OK;

    buf_printf(&dot, "%s/.git", top);
    if (lstat(buf_cstr(&dot), &st) != 0) {
        if (is_bare(top))
            buf_add(&places->git, str_of(top));
    } else if (S_ISREG(st.st_mode)) {
        err = follow_file(places, why);
    } else if (!realpath(buf_cstr(&dot), git)) {
        err = deny(places, why, "its .git is a link to nothing");
    } else if (!is_below(git, &places->top)) {
        err = deny(places, why, "its .git is a link out of it");
    } else {
        buf_add(&places->git, str_of(git));
    }
    buf_fini(&dot);
    return err;
}

static enum err
find_common(struct tree_places *places, struct buf *why)
{
    struct buf text = {0};
    struct buf worktrees = {0};
    char common[PATH_MAX];
    const char *git = buf_cstr(&places->git);
    enum err err = OK;

    if (!read_small(git, "commondir", &text)) {
        buf_add(&places->common, str_of(git));
    } else if (!resolve(git, trim(buf_str(&text)), common)) {
        err = deny(places, why, "its commondir names nothing");
    } else {
        buf_printf(&worktrees, "%s/worktrees",
                   strcmp(common, "/") == 0 ? "" : common);
        if (is_below(common, &places->top) || is_below(git, &worktrees))
            buf_add(&places->common, str_of(common));
        else
            err = deny(places, why, "its commondir leads out of it");
    }
    buf_fini(&text);
    buf_fini(&worktrees);
    return err;
}

/* ---- what leads out of it ---- */

static enum err
check_alternates(struct tree_places *places, struct buf *why)
{
    struct buf objects = {0};
    struct buf text = {0};
    char path[PATH_MAX];
    enum err err = OK;

    buf_printf(&objects, "%s/objects", buf_cstr(&places->common));
    if (read_small(buf_cstr(&objects), "info/alternates", &text))
        for (str rest = buf_str(&text); rest.len > 0 && !err;) {
            str line = next_line(&rest);
            if (line.len && line.ptr[0] != '#' &&
                resolve(buf_cstr(&objects), line, path) &&
                !is_inside(places, path))
                err = deny(places, why,
                           "it borrows objects from elsewhere "
                           "(objects/info/alternates; `git repack -a -d` "
                           "takes them in)");
        }
    buf_fini(&objects);
    buf_fini(&text);
    return err;
}

static enum err
check_config(struct tree_places *places, const char *folder, const char *name,
             struct buf *why)
{
    struct buf text = {0};
    enum err err = OK;

    if (read_small(folder, name, &text))
        for (str rest = buf_str(&text); rest.len > 0 && !err;) {
            str line = next_line(&rest);
            if (line.len > 8 && strncasecmp(line.ptr, "[include", 8) == 0)
                err = deny(places, why, "its configuration includes others");
        }
    buf_fini(&text);
    return err;
}

struct look {
    struct tree_places *places;
    struct buf *why;
    struct buf path;
    uint32_t entries;
};

static enum err look_into(struct look *look, int level);

static enum err
look_at(struct look *look, const struct dirent *entry, int level)
{
    size_t before = look->path.len;
    char path[PATH_MAX];
    enum err err = OK;

    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
        return OK;
    if (++look->entries > ENTRIES_MAX)
        return deny(look->places, look->why, "its .git has too many files");
    buf_printf(&look->path, "/%s", entry->d_name);
    const char *name = buf_cstr(&look->path);
    struct stat st;
    mode_t type = (mode_t)DTTOIF(entry->d_type);
    if (entry->d_type == DT_UNKNOWN && lstat(name, &st) == 0)
        type = st.st_mode;
    if (S_ISLNK(type) && realpath(name, path) && !is_inside(look->places, path))
        err = deny(look->places, look->why, "its .git holds a link out of it");
    else if (S_ISDIR(type))
        err = look_into(look, level + 1);
    look->path.len = before;
    return err;
}

/* At the directory |look->path|; links are resolved, not followed. */
static enum err
look_into(struct look *look, int level)
{
    struct dirent *entry;
    enum err err = OK;

    if (level > LEVELS_MAX)
        return deny(look->places, look->why, "its .git is too deep");
    int fd = open(buf_cstr(&look->path),
                  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        if (fd >= 0)
            close(fd);
        return OK; /* nor will libgit2 read it */
    }
    while (!err && (entry = readdir(dir)))
        err = look_at(look, entry, level);
    (void)closedir(dir);
    return err;
}

/* Of the whole of .git only what names and holds commits. */
static enum err
check_links(struct tree_places *places, struct buf *why)
{
    static const char *const parts[] = {"objects",     "refs",   "HEAD",
                                        "packed-refs", "config", "shallow"};
    struct look look = {.places = places, .why = why};
    struct buf *roots[] = {&places->git, &places->common};
    char path[PATH_MAX];
    enum err err = OK;

    for (size_t i = 0; i < 2 * sizeof(parts) / sizeof(parts[0]) && !err; i++) {
        const char *root = buf_cstr(roots[i % 2]);
        const char *part = parts[i / 2];
        if (!*root || !resolve(root, str_of(part), path))
            continue;
        if (!is_inside(places, path)) {
            err = deny(places, why, "its .git holds a link out of it");
        } else if (i / 2 < 2 &&
                   !(i % 2 == 1 && strcmp(buf_cstr(roots[0]), root) == 0)) {
            buf_reset(&look.path);
            buf_add(&look.path, str_of(path));
            err = look_into(&look, 0);
        }
    }
    buf_fini(&look.path);
    return err;
}

static enum err
find_top(struct tree_places *places, const char *path, struct buf *why)
{
    char top[PATH_MAX];
    struct stat st = {0};
    int error = realpath(path, top) && stat(top, &st) == 0 ? 0 : errno;

    if (!error && !S_ISDIR(st.st_mode))
        error = ENOTDIR;
    if (error) {
        buf_printf(why, "%s: %s", path, strerror(error));
        return error == EACCES    ? ERR_DENIED
               : error == ENOENT  ? ERR_NOT_FOUND
               : error == ENOTDIR ? ERR_INVALID
                                  : ERR_IO;
    }
    buf_add(&places->top, str_of(top));
    return *buf_cstr(&places->top) ? OK : ERR_NOMEM;
}

enum err
tree_places_find(struct tree_places *places, const char *path, struct buf *why)
{
    enum err err;

    *places = (struct tree_places){0};
    if ((err = find_top(places, path, why)) || (err = find_git(places, why)) ||
        places->git.len == 0 || (err = find_common(places, why)))
        return err;
    const char *git = buf_cstr(&places->git);
    const char *common = buf_cstr(&places->common);
    if ((err = check_links(places, why)) ||
        (err = check_alternates(places, why)) ||
        (err = check_config(places, common, "config", why)))
        return err;
    return check_config(places, git, "config.worktree", why);
}
