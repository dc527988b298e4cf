/*
 * Files are opened by the real VFS behind ours, in the same block of memory.
 * For loss of power each recorded file keeps an image of what is surely on
 * disk: its content at the last sync.  Writes since then are a list; losing
 * power applies a random part of it, sector by sector, to the image.
 */
#include "tests/support/fault_vfs.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/hash.h"

enum { FILES_MAX = 8, SECTOR = 512 };

struct write {
    struct write *next;
    int64_t at;
    int len; /* -1: truncate to |at| */
    unsigned char bytes[];
};

struct disk_file {
    char *path;
    unsigned char *image; /* as of the last sync */
    int64_t len;
    int64_t cap;
    struct write *writes; /* newest first */
};

struct fault_file {
    sqlite3_file base;
    struct disk_file *disk; /* NULL: not recorded */
    sqlite3_file *real;
};

static struct {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    atomic_ullong count;
    atomic_ullong fail_at;
    atomic_int code;
    atomic_bool stays;
    atomic_bool full;
    bool recording;
    struct disk_file files[FILES_MAX];
} fault;

static sqlite3_file *
real_of(sqlite3_file *file)
{
    return ((struct fault_file *)(void *)file)->real;
}

static int
next_operation(void)
{
    uint64_t number = atomic_fetch_add(&fault.count, 1) + 1;
    uint64_t fail_at = fault.fail_at;

    if (fail_at == 0 || number < fail_at)
        return SQLITE_OK;
    return number == fail_at || fault.stays ? fault.code : SQLITE_OK;
}

static void
record(sqlite3_file *file, const void *bytes, int len, int64_t at)
{
    struct disk_file *disk = ((struct fault_file *)(void *)file)->disk;

    if (!disk)
        return;
    size_t size = len > 0 ? (size_t)len : 0;
    struct write *write = malloc(sizeof(*write) + size);
    *write = (struct write){.next = disk->writes, .at = at, .len = len};
    if (size)
        memcpy(write->bytes, bytes, size);
    disk->writes = write;
}

static void
forget_writes(struct disk_file *disk)
{
    while (disk->writes) {
        struct write *next = disk->writes->next;
        free(disk->writes);
        disk->writes = next;
    }
}

static void
resize(struct disk_file *disk, int64_t len)
{
    if (len >= disk->cap) {
        disk->cap = 2 * len + 4096;
        disk->image = realloc(disk->image, (size_t)disk->cap);
    }
    if (len > disk->len)
        memset(disk->image + disk->len, 0, (size_t)(len - disk->len));
    disk->len = len;
}

static void
apply(struct disk_file *disk, const struct write *write, int from, int to)
{
    if (write->len < 0) {
        resize(disk, write->at);
        return;
    }
    if (write->at + to > disk->len)
        resize(disk, write->at + to);
    memcpy(disk->image + write->at + from, write->bytes + from,
           (size_t)(to - from));
}

/* Puts the list, newest first, into the order of time. */
static struct write *
reverse(struct write *list)
{
    struct write *out = NULL;

    while (list) {
        struct write *next = list->next;
        list->next = out;
        out = list;
        list = next;
    }
    return out;
}

static void
settle(struct disk_file *disk)
{
    if (!disk)
        return;
    disk->writes = reverse(disk->writes);
    for (struct write *w = disk->writes; w; w = w->next)
        apply(disk, w, 0, w->len);
    forget_writes(disk);
}

/* ---- the methods of a file ---- */

static int
fault_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int
fault_read(sqlite3_file *file, void *out, int len, sqlite3_int64 at)
{
    return real_of(file)->pMethods->xRead(real_of(file), out, len, at);
}

static int
fault_write(sqlite3_file *file, const void *bytes, int len, sqlite3_int64 at)
{
    sqlite3_int64 size = 0;
    int rc = next_operation();

    if (rc == SQLITE_OK && fault.full) {
        rc = real_of(file)->pMethods->xFileSize(real_of(file), &size);
        if (rc == SQLITE_OK && at + len > size)
            rc = SQLITE_FULL;
    }
    if (rc == SQLITE_OK)
        rc = real_of(file)->pMethods->xWrite(real_of(file), bytes, len, at);
    if (rc == SQLITE_OK)
        record(file, bytes, len, at);
    return rc;
}

static int
fault_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    int rc = next_operation();

    if (rc == SQLITE_OK)
        rc = real_of(file)->pMethods->xTruncate(real_of(file), size);
    if (rc == SQLITE_OK)
        record(file, NULL, -1, size);
    return rc;
}

static int
fault_sync(sqlite3_file *file, int flags)
{
    int rc = next_operation();

    /* The real sync is left out: power is lost only here. */
    (void)flags;
    if (rc == SQLITE_OK)
        settle(((struct fault_file *)(void *)file)->disk);
    return rc;
}

static int
fault_file_size(sqlite3_file *file, sqlite3_int64 *out)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), out);
}

static int
fault_lock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int
fault_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int
fault_check_lock(sqlite3_file *file, int *out)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), out);
}

static int
fault_control(sqlite3_file *file, int op, void *arg)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), op, arg);
}

static int
fault_sector_size(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

/* None of the promises a disk may make about what power loss leaves alone. */
static int
fault_traits(sqlite3_file *file)
{
    (void)file;
    return 0;
}

static int
fault_shm_map(sqlite3_file *file, int page, int size, int extend,
              void volatile **out)
{
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend,
                                            out);
}

static int
fault_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, n, flags);
}

static void
fault_shm_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int
fault_shm_unmap(sqlite3_file *file, int remove)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), remove);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = fault_close,
    .xRead = fault_read,
    .xWrite = fault_write,
    .xTruncate = fault_truncate,
    .xSync = fault_sync,
    .xFileSize = fault_file_size,
    .xLock = fault_lock,
    .xUnlock = fault_unlock,
    .xCheckReservedLock = fault_check_lock,
    .xFileControl = fault_control,
    .xSectorSize = fault_sector_size,
    .xDeviceCharacteristics = fault_traits,
    .xShmMap = fault_shm_map,
    .xShmLock = fault_shm_lock,
    .xShmBarrier = fault_shm_barrier,
    .xShmUnmap = fault_shm_unmap,
};

/* ---- the file system ---- */

static void
read_image(struct disk_file *disk)
{
    FILE *in = fopen(disk->path, "rb");

    if (!in)
        return;
    (void)fseek(in, 0, SEEK_END);
    resize(disk, ftell(in));
    rewind(in);
    if (fread(disk->image, 1, (size_t)disk->len, in) != (size_t)disk->len)
        abort();
    (void)fclose(in);
}

static struct disk_file *
disk_of(const char *path)
{
    struct disk_file *unused = NULL;

    for (int i = 0; i < FILES_MAX; i++) {
        struct disk_file *disk = &fault.files[i];
        if (!disk->path)
            unused = disk;
        else if (strcmp(disk->path, path) == 0)
            return disk;
    }
    if (!unused)
        abort();
    unused->path = strdup(path);
    read_image(unused);
    return unused;
}

static int
fault_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
           int *out_flags)
{
    struct fault_file *ours = (void *)file;

    (void)vfs;
    *ours = (struct fault_file){.real = (sqlite3_file *)(ours + 1)};
    if (fault.recording && name)
        ours->disk = disk_of(name);
    int rc = fault.real->xOpen(fault.real, name, ours->real, flags, out_flags);
    if (rc == SQLITE_OK)
        ours->base.pMethods = &methods;
    return rc;
}

static void
forget_file(struct disk_file *disk)
{
    forget_writes(disk);
    free(disk->image);
    free(disk->path);
    *disk = (struct disk_file){0};
}

/* What is deleted stays deleted: SQLite syncs the directory where it must. */
static int
fault_delete(sqlite3_vfs *vfs, const char *name, int sync_dir)
{
    int rc = next_operation();

    (void)vfs;
    if (rc == SQLITE_OK)
        rc = fault.real->xDelete(fault.real, name, sync_dir);
    for (int i = 0; rc == SQLITE_OK && i < FILES_MAX; i++) {
        if (fault.files[i].path && strcmp(fault.files[i].path, name) == 0)
            forget_file(&fault.files[i]);
    }
    return rc;
}

void
fault_vfs_install(void)
{
    if (fault.real)
        return;
    fault.real = sqlite3_vfs_find(NULL);
    fault.vfs = *fault.real;
    fault.vfs.zName = "fault";
    fault.vfs.pNext = NULL;
    fault.vfs.szOsFile += (int)sizeof(struct fault_file);
    fault.vfs.xOpen = fault_open;
    fault.vfs.xDelete = fault_delete;
    sqlite3_vfs_register(&fault.vfs, 1);
}

void
fault_vfs_heal(void)
{
    fault.count = 0;
    fault.fail_at = 0;
    fault.full = false;
}

void
fault_vfs_fail_at(uint64_t number, int code, bool stays)
{
    fault.fail_at = number;
    fault.code = code;
    fault.stays = stays;
}

void
fault_vfs_fill(void)
{
    fault.full = true;
}

uint64_t
fault_vfs_count(void)
{
    return fault.count;
}

void
fault_vfs_record(void)
{
    fault.recording = true;
}

static uint64_t
roll(uint64_t *seed)
{
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    return hash_mix(*seed, UINT64_C(0x7ea5));
}

/* Each sector of each unsynced write reached the disk, or not. */
static void
tear(struct disk_file *disk, uint64_t *seed)
{
    bool none = roll(seed) % 4 == 0;
    uint64_t keep = roll(seed) % 5; /* of 4: the share of what arrived */

    disk->writes = reverse(disk->writes);
    for (struct write *w = disk->writes; w && !none; w = w->next) {
        if (w->len < 0) {
            if (roll(seed) % 4 < keep)
                apply(disk, w, 0, 0);
            continue;
        }
        for (int from = 0; from < w->len; from += SECTOR) {
            int to = from + SECTOR < w->len ? from + SECTOR : w->len;
            if (roll(seed) % 4 < keep)
                apply(disk, w, from, to);
        }
    }
    forget_writes(disk);
}

void
fault_vfs_lose_power(uint64_t seed)
{
    for (int i = 0; i < FILES_MAX; i++) {
        struct disk_file *disk = &fault.files[i];
        if (!disk->path)
            continue;
        tear(disk, &seed);
        FILE *out = fopen(disk->path, "wb");
        if (!out)
            abort();
        size_t len = (size_t)disk->len;
        if (len && fwrite(disk->image, 1, len, out) != len)
            abort();
        (void)fclose(out);
        forget_file(disk);
    }
    fault.recording = false;
}
