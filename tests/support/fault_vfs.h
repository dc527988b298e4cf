/*
 * fault_vfs - a disk that fails when told to.
 *
 * A layer over the file system of SQLite.  fault_vfs_install makes it the
 * default; whatever is opened after that goes through it.  Writes, syncs and
 * truncations are numbered from the last fault_vfs_heal on.
 *
 * It can also lose power: what was written since the last sync of a file is
 * remembered, and fault_vfs_lose_power puts the files into a state in which a
 * disk may be found, keeping some of those writes, dropping others, tearing
 * some in the middle of a page.
 *
 * Threads    Failing and healing: any.  The rest: one.
 */
#ifndef TESTS_SUPPORT_FAULT_VFS_H
#define TESTS_SUPPORT_FAULT_VFS_H

#include <stdbool.h>
#include <stdint.h>

void fault_vfs_install(void);

/* fault_vfs_heal lets everything succeed and starts counting at 0. */
void fault_vfs_heal(void);

/* fault_vfs_fail_at makes operation |number| fail with SQLite's |code|, and if
 * |stays| all after it.  A write that fails has been done not at all, by half
 * or whole; what a failed sync should have written is in doubt for good, even
 * if a later one succeeds. */
void fault_vfs_fail_at(uint64_t number, int code, bool stays);

/* fault_vfs_fail_sync makes the next sync fail, with |code|. */
void fault_vfs_fail_sync(int code);

/* fault_vfs_die_at leaves the files as they are from operation |number| on, as
 * if the process had ended: whatever it still tries fails and is not done. */
void fault_vfs_die_at(uint64_t number);

/* fault_vfs_fail_read_at makes read |number|, counted from the last
 * fault_vfs_heal, fail with SQLITE_IOERR_READ, and if |stays| all after it. */
void fault_vfs_fail_read_at(uint64_t number, bool stays);

/* fault_vfs_break makes all reads of what the bytes |at| and |len| after it of
 * a file are fail with SQLITE_IOERR_READ until healed; |name| is how its path
 * ends, and stays valid. */
void fault_vfs_break(const char *name, int64_t at, int64_t len);

/* fault_vfs_reads is how many reads there were. */
uint64_t fault_vfs_reads(void);

/* fault_vfs_fill makes every write that would lengthen a file fail with
 * SQLITE_FULL until healed. */
void fault_vfs_fill(void);

/* fault_vfs_count is how many operations there were. */
uint64_t fault_vfs_count(void);

/*
 * fault_vfs_record starts to remember unsynced writes (files opened from here
 * on); fault_vfs_lose_power, with all connections closed or abandoned, rewrites
 * the files by |seed| and forgets them.
 */
void fault_vfs_record(void);

/* fault_vfs_seed makes SQLite's own random numbers follow from |seed|, and
 * what becomes of writes that are in doubt. */
void fault_vfs_seed(uint64_t seed);

/* fault_vfs_story is a digest of all writes, truncations and syncs since then,
 * in order: where, how long, of which bytes, and which of them failed. */
uint64_t fault_vfs_story(void);
void fault_vfs_lose_power(uint64_t seed);

#endif
