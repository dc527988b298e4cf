/*
 * The lock is an flock on a file of its own, not on the database: SQLite uses
 * POSIX locks there, which any close of the file in this process would drop.
 * The kernel releases it with the process, so a crash leaves nothing behind.
 */
#include "store/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/segment_file.h"

enum { SET_ASIDE_TRIES = 100, LOCK_TRIES = 100 };

char *
files_path(const char *dir, const char *name)
{
    char *path = NULL;

    return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

static enum err
fail(struct buf *why, const char *path, int code)
{
    buf_printf(why, "%s: %s", path, strerror(code));
    if (code == EACCES || code == EPERM)
        buf_printf(why,
                   "; give it to user %u, who runs this, or name another "
                   "folder",
                   (unsigned)geteuid());
    else if (code == EROFS)
        buf_add(why, STR("; mount it writable, or name another folder"));
    return code == EACCES || code == EPERM || code == EROFS || code == ELOOP
               ? ERR_DENIED
               : ERR_STORE;
}

int
files_sync_dir(int fd)
{
    if (fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ||
        errno == ENOSYS)
        return 0;
    return errno;
}

int
files_sync_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    char above[PATH_MAX] = ".";
    size_t len = slash && slash > path ? (size_t)(slash - path) : 1;

    if (len >= sizeof(above))
        return ENAMETOOLONG;
    if (slash) {
        memcpy(above, path, len);
        above[len] = '\0';
    }
    int fd = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    int code = files_sync_dir(fd);
    close(fd);
    return code;
}

/* What is synced in a folder is lost with the folder's own name.  One whose
 * name is in doubt goes again, so that the next attempt does not find it there
 * and think it safe. */
static enum err
make_one_dir(const char *path, struct buf *why)
{
    struct stat st;
    int code = mkdir(path, 0700) == 0 ? 0 : errno;

    if (code == 0) {
        if ((code = files_sync_name(path)) == 0)
            return OK;
        (void)rmdir(path);
        return fail(why, path, code);
    }
    if (stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return OK;
        code = ENOTDIR;
    }
    return fail(why, path, code);
}

enum err
files_make_dir(const char *dir, struct buf *why)
{
    char path[PATH_MAX];
    size_t len = strlen(dir);
    enum err err = OK;

    if (len == 0 || len >= sizeof(path))
        return fail(why, dir, len ? ENAMETOOLONG : ENOENT);
    memcpy(path, dir, len + 1);
    for (size_t i = 1; i < len && !err; i++) {
        if (path[i] != '/')
            continue;
        path[i] = '\0';
        err = make_one_dir(path, why);
        path[i] = '/';
    }
    return err ? err : make_one_dir(path, why);
}

size_t
files_there(const char *dir)
{
    char path[PATH_MAX];
    size_t len = strlen(dir);
    size_t there = 0;

    if (len >= sizeof(path))
        return len;
    memcpy(path, dir, len + 1);
    for (size_t i = 1; i <= len; i++) {
        if (path[i] != '/' && i < len)
            continue;
        path[i] = '\0';
        if (access(path, F_OK) != 0)
            break;
        there = i;
        path[i] = dir[i];
    }
    return there;
}

void
files_remove_made(const char *dir, size_t there)
{
    char path[PATH_MAX];
    size_t len = strlen(dir);

    if (len >= sizeof(path))
        return;
    memcpy(path, dir, len + 1);
    for (size_t i = len; i > there; i--) {
        if (path[i] != '/' && i < len)
            continue;
        path[i] = '\0';
        (void)rmdir(path);
    }
}

static enum err
refuse_locked(int fd, const char *path, struct buf *why)
{
    char holder[32] = "";
    ssize_t got = pread(fd, holder, sizeof(holder) - 1, 0);

    holder[got > 0 ? got : 0] = '\0';
    holder[strspn(holder, "0123456789")] = '\0';
    buf_printf(why,
               "%s is in use by another process%s%s: stop it, or name another "
               "folder",
               path, *holder ? ", number " : "", holder);
    return ERR_BUSY;
}

/* Locked, but nobody else will find it: whoever held it removed it
 * (backup_dir_abandon) between our opening and our locking.  Not by the number
 * of its names: there are file systems that tell none, or keep one that is
 * hidden. */
static bool
is_removed(int fd, const char *path)
{
    struct stat ours;
    struct stat found;

    if (fstat(fd, &ours) != 0)
        return false;
    return lstat(path, &found) != 0 || ours.st_ino != found.st_ino ||
           ours.st_dev != found.st_dev;
}

static enum err
take_lock(const char *path, int *out_fd, struct buf *why)
{
    const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;

    for (int i = 0; i < LOCK_TRIES; i++) {
        enum err err = OK;
        int fd = open(path, flags, 0600);

        if (fd < 0)
            return fail(why, path, errno);
        if (flock(fd, LOCK_EX | LOCK_NB) != 0)
            err = errno == EWOULDBLOCK ? refuse_locked(fd, path, why)
                                       : fail(why, path, errno);
        else if (!is_removed(fd, path)) {
            *out_fd = fd;
            return OK;
        }
        close(fd);
        if (err)
            return err;
    }
    buf_printf(why, "%s: others remove it again and again", path);
    return ERR_BUSY;
}

enum err
files_lock(const char *dir, const char *name, int *out_fd, struct buf *why)
{
    char *path = files_path(dir, name);
    enum err err;

    *out_fd = -1;
    if (!path)
        return ERR_NOMEM;
    /* For whoever is refused; a full disk is no reason not to start. */
    if (!(err = take_lock(path, out_fd, why)) && ftruncate(*out_fd, 0) == 0)
        (void)!dprintf(*out_fd, "%ld\n", (long)getpid());
    free(path);
    return err;
}

/* SQLite opens what lies beside the database without asking what it is: for a
 * FIFO it waits for ever, or has an error that names another file. */
static enum err
check_beside(const char *path, struct buf *why)
{
    static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
    char beside[PATH_MAX];
    struct stat st;

    for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
        if (snprintf(beside, PATH_MAX, "%s%s", path, suffixes[i]) >= PATH_MAX)
            return fail(why, path, ENAMETOOLONG);
        if (lstat(beside, &st) == 0 && !S_ISREG(st.st_mode)) {
            buf_printf(why, "%s: not a regular file", beside);
            return ERR_INVALID;
        }
    }
    return OK;
}

enum err
files_touch(const char *path, struct buf *why)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                  0600);

    if (fd < 0 && errno == EISDIR) {
        buf_printf(why, "%s: is a directory", path);
        return ERR_INVALID;
    }
    if (fd < 0)
        return fail(why, path, errno);
    bool is_file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    close(fd);
    if (is_file)
        return check_beside(path, why);
    buf_printf(why, "%s: not a regular file", path);
    return ERR_INVALID;
}

int64_t
files_size(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? st.st_size : 0;
}

/* Renames <from><suffix> to <to><suffix>, which is where SQLite looks for the
 * WAL of <to>: what is set aside can still be opened. */
static int
rename_part(const char *dir, const char *from, const char *to,
            const char *suffix)
{
    char from_path[PATH_MAX];
    char to_path[PATH_MAX];

    if (snprintf(from_path, PATH_MAX, "%s/%s%s", dir, from, suffix) >=
            PATH_MAX ||
        snprintf(to_path, PATH_MAX, "%s/%s%s", dir, to, suffix) >= PATH_MAX)
        return ENAMETOOLONG;
    return rename(from_path, to_path) == 0 || errno == ENOENT ? 0 : errno;
}

static bool
is_taken(const char *dir, const char *name)
{
    char *path = files_path(dir, name);
    bool taken = path && access(path, F_OK) == 0;

    free(path);
    return taken;
}

static void
sync_dir(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)files_sync_dir(fd);
    close(fd);
}

enum err
files_set_aside(const char *dir, const char *file, uint64_t now_s,
                struct buf *why)
{
    char name[64];
    int code;

    snprintf(name, sizeof(name), "%s.corrupt-%llu", file,
             (unsigned long long)now_s);
    for (int n = 1; n < SET_ASIDE_TRIES && is_taken(dir, name); n++)
        snprintf(name, sizeof(name), "%s.corrupt-%llu.%d", file,
                 (unsigned long long)now_s, n);
    if (is_taken(dir, name))
        return fail(why, dir, EEXIST);
    /* The WAL first: a database without it is older, a WAL without its
     * database would be taken for that of the next one. */
    if ((code = segment_files_move(dir, file, name)) ||
        (code = rename_part(dir, file, name, "-wal")) ||
        (code = rename_part(dir, file, name, "-shm")) ||
        (code = rename_part(dir, file, name, "")))
        return fail(why, dir, code);
    sync_dir(dir);
    files_clear_suspect(dir, file);
    buf_printf(why, "; it was set aside as %s/%s", dir, name);
    return OK;
}

static char *
suspect_path(const char *dir, const char *file)
{
    char *path = NULL;

    return asprintf(&path, "%s/%s.suspect", dir, file) < 0 ? NULL : path;
}

void
files_mark_suspect(const char *dir, const char *file)
{
    char *path = suspect_path(dir, file);
    int fd = path
                 ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)
                 : -1;

    if (fd >= 0)
        close(fd);
    free(path);
}

bool
files_is_suspect(const char *dir, const char *file)
{
    char *path = suspect_path(dir, file);
    bool is_there = path && access(path, F_OK) == 0;

    free(path);
    return is_there;
}

void
files_clear_suspect(const char *dir, const char *file)
{
    char *path = suspect_path(dir, file);

    if (path)
        (void)unlink(path);
    free(path);
}
