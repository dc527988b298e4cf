#include "store/segment_file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "store/lack.h"

#define SUFFIX "-seg"

enum { NUMBER_DIGITS = 18 }; /* of SEGMENT_NUMBER_MAX */

enum err
segment_file_fail(const char *what, int rc)
{
    char lack[LACK_TEXT_CAP];

    if (rc == SQLITE_OK)
        return OK;
    log_error(what, "sqlite", "%s (%d)%s", sqlite3_errstr(rc), rc,
              lack_text(rc, lack));
    return (rc & 0xff) == SQLITE_NOMEM ? ERR_NOMEM : ERR_STORE;
}

static char *
path_of(const char *dir, const char *base, uint64_t number)
{
    char *out = NULL;
    int len = asprintf(&out, "%s/%s" SUFFIX "%" PRIu64, dir, base, number);

    return len < 0 ? NULL : out;
}

/* SQLite copies names without a look at how long they are. */
enum err
segment_files_check(const char *dir, const char *base)
{
    const sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    char *name = path_of(dir, base, SEGMENT_NUMBER_MAX);
    enum err err = vfs && name ? OK : ERR_NOMEM;

    if (!err && strlen(name) > (size_t)vfs->mxPathname) {
        log_error("the directory's name is too long for the journal",
                  "bytes_over", "%zu", strlen(name) - (size_t)vfs->mxPathname);
        err = ERR_STORE;
    }
    free(name);
    return err;
}

/* What the system said last, |code|, is why; SQLite's word for it is none. */
static enum err
refuse_open(const char *name, int rc, int code)
{
    log_error("the journal cannot be opened", "file", "%s: %s (%d)", name,
              code ? strerror(code) : sqlite3_errstr(rc), rc);
    return (rc & 0xff) == SQLITE_NOMEM ? ERR_NOMEM : ERR_STORE;
}

static bool
is_there(sqlite3_vfs *vfs, const char *name)
{
    int there = 0;

    return vfs->xAccess(vfs, name, SQLITE_ACCESS_EXISTS, &there) == SQLITE_OK &&
           there;
}

/* SQLite's file keeps the name it was opened with: it goes behind it. */
enum err
segment_file_open(sqlite3_file **out, const char *dir, const char *base,
                  uint64_t number, enum segment_how how)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    int flags =
        SQLITE_OPEN_WAL |
        (how == SEGMENT_WRITE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                              : SQLITE_OPEN_READONLY);
    char *name = path_of(dir, base, number);
    size_t len = name ? strlen(name) + 1 : 0;
    sqlite3_file *file = vfs ? calloc(1, (size_t)vfs->szOsFile + len) : NULL;
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (!name || !file)
        goto out;
    err = ERR_STORE;
    if (number > SEGMENT_NUMBER_MAX) {
        log_error("the journal has no number left", NULL, NULL);
        goto out;
    }
    err = ERR_NOT_FOUND;
    if (how == SEGMENT_READ && !is_there(vfs, name))
        goto out;
    char *kept = (char *)file + vfs->szOsFile;
    memcpy(kept, name, len);
    errno = 0;
    int rc = vfs->xOpen(vfs, kept, file, flags, NULL);
    if (rc != SQLITE_OK) {
        int code = errno;
        if (file->pMethods)
            (void)file->pMethods->xClose(file);
        /* It may have gone meanwhile. */
        if (how == SEGMENT_WRITE || is_there(vfs, name))
            err = refuse_open(name, rc, code);
        goto out;
    }
    err = OK;
    *out = file;
    file = NULL;
out:
    free(file);
    free(name);
    return err;
}

void
segment_file_close(sqlite3_file *file)
{
    if (!file)
        return;
    (void)file->pMethods->xClose(file);
    free(file);
}

bool
segment_file_is_gone(const sqlite3_file *file)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    const char *name = (const char *)file + vfs->szOsFile;
    int there = 0;

    return vfs->xAccess(vfs, name, SQLITE_ACCESS_EXISTS, &there) == SQLITE_OK &&
           !there;
}

enum err
segment_file_remove(const char *dir, const char *base, uint64_t number)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    char *name = path_of(dir, base, number);
    int rc = name ? vfs->xDelete(vfs, name, 0) : SQLITE_NOMEM;

    free(name);
    if (rc == SQLITE_IOERR_DELETE_NOENT)
        rc = SQLITE_OK;
    return segment_file_fail("a segment of the journal cannot be removed", rc);
}

/* The number in |name|, if it is that of a segment of |base|; 0: it is not. */
static uint64_t
number_of(const char *name, const char *base)
{
    size_t len = strlen(base);

    if (strncmp(name, base, len) != 0 ||
        strncmp(name + len, SUFFIX, sizeof(SUFFIX) - 1) != 0)
        return 0;
    const char *digits = name + len + sizeof(SUFFIX) - 1;
    size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > NUMBER_DIGITS || digits[count] != '\0' ||
        *digits == '0')
        return 0;
    return strtoull(digits, NULL, 10);
}

static int
compare(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;

    return (*x > *y) - (*x < *y);
}

enum err
segment_files_list(const char *dir, const char *base, struct buf *out)
{
    DIR *all = opendir(dir);
    struct dirent *entry;
    enum err err = OK;

    if (!all)
        return ERR_STORE;
    errno = 0;
    while ((entry = readdir(all))) {
        uint64_t number = number_of(entry->d_name, base);
        if (number)
            buf_add(out, (str){(const char *)&number, sizeof(number)});
        errno = 0;
    }
    if (errno)
        err = ERR_STORE;
    (void)closedir(all);
    if (out->failed)
        return ERR_NOMEM;
    if (!err && out->len > 0)
        qsort(out->ptr, out->len / sizeof(uint64_t), sizeof(uint64_t), compare);
    return err;
}

/* Does |what|, rename or link, to segment |number|. */
static int
name_anew(int (*what)(const char *, const char *), const char *dir,
          const char *from, const char *to, uint64_t number)
{
    char *from_path = path_of(dir, from, number);
    char *to_path = path_of(dir, to, number);
    int code = from_path && to_path ? 0 : ENOMEM;

    if (code == 0 && what(from_path, to_path) != 0 && errno != ENOENT)
        code = errno;
    free(from_path);
    free(to_path);
    return code;
}

int
segment_file_move(const char *dir, const char *from, const char *to,
                  uint64_t number)
{
    return name_anew(rename, dir, from, to, number);
}

int
segment_file_link(const char *dir, const char *from, const char *to,
                  uint64_t number)
{
    return name_anew(link, dir, from, to, number);
}

int
segment_files_move(const char *dir, const char *from, const char *to)
{
    struct buf list = {0};
    enum err err = segment_files_list(dir, from, &list);
    int code = err == OK ? 0 : err == ERR_NOMEM ? ENOMEM : EIO;

    for (size_t at = 0; at < list.len && code == 0; at += sizeof(uint64_t)) {
        uint64_t number;
        memcpy(&number, list.ptr + at, sizeof(number));
        code = segment_file_move(dir, from, to, number);
    }
    buf_fini(&list);
    return code;
}
