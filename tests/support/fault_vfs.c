/*
 * Files are opened by the real VFS behind ours, in the same block of memory.
 * What a loss of power would leave of them is kept by fault_disk.
 */
#include "tests/support/fault_vfs.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include <sqlite3.h>

#include "base/hash.h"
#include "base/str.h"
#include "tests/support/fault_disk.h"
#include "tests/support/size.h"

struct fault_file {
    sqlite3_file base;
    const char *name;
    struct fault_disk *disk; /* NULL: not recorded */
    sqlite3_file *real;
};

static struct {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    atomic_ullong count;
    atomic_ullong fail_at;
    atomic_int code;
    atomic_bool stays;
    atomic_bool dies; /* what fails is not even begun */
    atomic_bool full;
    atomic_int sync_code; /* of the next sync; SQLITE_OK: none */
    atomic_ullong reads;
    atomic_ullong fail_read_at;
    atomic_bool reads_stay;
    _Atomic(const char *) broken; /* how the path ends; NULL: none is */
    int64_t broken_at;
    int64_t broken_end;
    bool recording;
    uint64_t random; /* 0: that of the system */
    uint64_t doubt;
    uint64_t story;
} fault;

static struct fault_disk *
disk_of(sqlite3_file *file)
{
    return ((struct fault_file *)(void *)file)->disk;
}

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

/* Of a seed only: others write from several threads. */
static void
tell(str bytes, sqlite3_int64 at, int rc)
{
    if (fault.random == 0)
        return;
    fault.story = hash_mix(fault.story, (uint64_t)at);
    fault.story = hash_mix(fault.story, (uint64_t)rc);
    fault.story = hash_bytes(bytes, fault.story);
}

/* How much of a write that fails with |rc| is done all the same. */
static int
part_of(int len, int rc)
{
    uint64_t third = fault.count * 1021 % 3;

    if (fault.dies || third == 0)
        return 0;
    return third == 1 || rc == SQLITE_FULL ? len / 2 : len;
}

/* ---- the methods of a file ---- */

static int
fault_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static bool
is_broken(sqlite3_file *file, int64_t at, int64_t end)
{
    const char *name = ((struct fault_file *)(void *)file)->name;
    size_t len = name ? strlen(name) : 0;
    const char *broken = fault.broken;
    size_t tail = broken ? strlen(broken) : 0;

    return tail > 0 && len >= tail && strcmp(name + len - tail, broken) == 0 &&
           at < fault.broken_end && end > fault.broken_at;
}

static int
fault_read(sqlite3_file *file, void *out, int len, sqlite3_int64 at)
{
    uint64_t number = atomic_fetch_add(&fault.reads, 1) + 1;
    uint64_t fail_at = fault.fail_read_at;

    if (fail_at &&
        (number == fail_at || (fault.reads_stay && number > fail_at)))
        return SQLITE_IOERR_READ;
    if (is_broken(file, at, at + len))
        return SQLITE_IOERR_READ;
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
    int done = rc == SQLITE_OK ? len : part_of(len, rc);
    if (done > 0) {
        int real =
            real_of(file)->pMethods->xWrite(real_of(file), bytes, done, at);
        rc = rc == SQLITE_OK ? real : rc;
        if (real == SQLITE_OK)
            fault_disk_write(disk_of(file), bytes, done, at);
    }
    tell((str){bytes, (size_t)len}, at, rc);
    return rc;
}

static int
fault_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    int rc = next_operation();

    if (rc == SQLITE_OK)
        rc = real_of(file)->pMethods->xTruncate(real_of(file), size);
    if (rc == SQLITE_OK)
        fault_disk_truncate(disk_of(file), size);
    tell(STR("truncated"), size, rc);
    return rc;
}

static int
fault_sync(sqlite3_file *file, int flags)
{
    int rc = next_operation();

    if (rc == SQLITE_OK)
        rc = atomic_exchange(&fault.sync_code, SQLITE_OK);
    /* The real sync is left out: power is lost only here. */
    (void)flags;
    if (rc == SQLITE_OK)
        fault_disk_sync(disk_of(file), &fault.doubt);
    else if (!fault.dies)
        fault_disk_doubt(disk_of(file));
    tell(STR("synced"), 0, rc);
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

static int
fault_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
           int *out_flags)
{
    struct fault_file *ours = (void *)file;

    (void)vfs;
    *ours =
        (struct fault_file){.name = name, .real = (sqlite3_file *)(ours + 1)};
    if (fault.recording && name)
        ours->disk = fault_disk_open(name);
    int rc = fault.real->xOpen(fault.real, name, ours->real, flags, out_flags);
    if (rc == SQLITE_OK)
        ours->base.pMethods = &methods;
    return rc;
}

/* What is deleted stays deleted: SQLite syncs the directory where it must. */
static int
fault_delete(sqlite3_vfs *vfs, const char *name, int sync_dir)
{
    int rc = next_operation();

    (void)vfs;
    if (rc == SQLITE_OK)
        rc = fault.real->xDelete(fault.real, name, sync_dir);
    if (rc == SQLITE_OK)
        fault_disk_forget(name);
    return rc;
}

static int
fault_randomness(sqlite3_vfs *vfs, int len, char *out)
{
    (void)vfs;
    if (fault.random == 0)
        return fault.real->xRandomness(fault.real, len, out);
    for (int i = 0; i < len; i++)
        out[i] = (char)size_roll(&fault.random);
    return len;
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
    fault.vfs.xRandomness = fault_randomness;
    sqlite3_vfs_register(&fault.vfs, 1);
}

void
fault_vfs_heal(void)
{
    fault.count = 0;
    fault.fail_at = 0;
    fault.dies = false;
    fault.full = false;
    fault.sync_code = SQLITE_OK;
    fault.reads = 0;
    fault.fail_read_at = 0;
    fault.broken = NULL;
}

void
fault_vfs_fail_at(uint64_t number, int code, bool stays)
{
    fault.fail_at = number;
    fault.code = code;
    fault.stays = stays;
}

void
fault_vfs_fail_sync(int code)
{
    fault.sync_code = code;
}

void
fault_vfs_die_at(uint64_t number)
{
    fault_vfs_fail_at(number, SQLITE_IOERR, true);
    fault.dies = true;
}

void
fault_vfs_fail_read_at(uint64_t number, bool stays)
{
    fault.fail_read_at = number;
    fault.reads_stay = stays;
}

void
fault_vfs_break(const char *name, int64_t at, int64_t len)
{
    fault.broken_at = at;
    fault.broken_end = at + len;
    fault.broken = name;
}

uint64_t
fault_vfs_reads(void)
{
    return fault.reads;
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

void
fault_vfs_seed(uint64_t seed)
{
    fault.random = seed | 1;
    fault.doubt = ~seed;
    fault.story = seed;
    sqlite3_randomness(0, NULL); /* begins anew with ours */
}

uint64_t
fault_vfs_story(void)
{
    return fault.story;
}

void
fault_vfs_lose_power(uint64_t seed)
{
    fault_disk_lose_power(seed);
    fault.recording = false;
}
