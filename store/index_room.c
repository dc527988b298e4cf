/*
 * The file is never opened here: to close it again would drop the locks that
 * SQLite has on it in this process.  So the descriptor is SQLite's, found by
 * what it is open on.
 */
#include "store/index_room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/lack.h"

#define SUFFIX "-shm"

enum {
    STAT_BLOCK = 512, /* of st_blocks, whatever the file system has */
    FDS_MAX = 4096,   /* SQLite opens its files when few are open */
};

static enum err
refuse(const char *path, int code, struct buf *why)
{
    buf_printf(why, "%s" SUFFIX, path);
    lack_advise(code, why);
    return ERR_STORE;
}

/* Has in |out| what the file is; false: there is none. */
static enum err
look(const char *path, struct stat *out, bool *there)
{
    char *name = NULL;

    if (asprintf(&name, "%s" SUFFIX, path) < 0)
        return ERR_NOMEM;
    *there = stat(name, out) == 0;
    free(name);
    return OK;
}

/* What a file system says it has free is not always to be had, least of all
 * under a quota: so a file without a name takes it, and gives it back. */
static int
try(const char *dir, off_t bytes)
{
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd < 0)
        return lack_is(errno) ? errno : 0;
    int code = fallocate(fd, 0, 0, bytes) == 0 ? 0 : errno;
    (void)close(fd);
    return lack_is(code) ? code : 0;
}

enum err
index_room_find(const char *dir, const char *path, struct buf *why)
{
    off_t bytes = INDEX_ROOM_MIN;
    struct stat st;
    bool there;
    enum err err = look(path, &st, &there);

    if (err)
        return err;
    if (there)
        bytes -= (off_t)st.st_blocks * STAT_BLOCK;
    int code = bytes > 0 ? try(dir, bytes) : 0;
    return code ? refuse(path, code, why) : OK;
}

static int
find_fd(const struct stat *wanted)
{
    struct stat st;

    for (int fd = 0; fd < FDS_MAX; fd++) {
        if (fstat(fd, &st) == 0 && st.st_ino == wanted->st_ino &&
            st.st_dev == wanted->st_dev)
            return fd;
    }
    return -1;
}

/*
 * As much as leaves room for the journal.  What is asked for in vain keeps the
 * blocks that it got, so it is tried elsewhere before.  The least is asked for
 * in any case: the same file can be in more pieces than before, which cost
 * blocks, too.
 */
static int
take(const char *dir, int fd)
{
    off_t bytes = INDEX_ROOM_BYTES;

    while (bytes > INDEX_ROOM_MIN && try(dir, bytes + INDEX_ROOM_RESERVE))
        bytes /= 2;
    if (fallocate(fd, 0, 0, bytes) == 0 || !lack_is(errno))
        return 0; /* some cannot: these have blocks of 4 KiB at least */
    return fallocate(fd, 0, 0, INDEX_ROOM_MIN) == 0 ? 0 : errno;
}

enum err
index_room_take(const char *dir, const char *path, struct buf *why)
{
    struct stat st;
    bool there;
    enum err err = look(path, &st, &there);
    int fd = !err && there ? find_fd(&st) : -1;
    int code = fd >= 0 ? take(dir, fd) : 0;

    return code ? refuse(path, code, why) : err;
}
