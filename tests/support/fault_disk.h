/*
 * fault_disk - what a loss of power would leave of some files.
 *
 * Told of every write and sync of a file, it knows what is surely on disk and
 * what may be there in part: writes that were not synced arrive or do not,
 * each sector for itself, in any order.
 *
 * Threads    One.
 */
#ifndef TESTS_SUPPORT_FAULT_DISK_H
#define TESTS_SUPPORT_FAULT_DISK_H

#include <stdint.h>

struct fault_disk;

/* fault_disk_open begins with |path| as it is, or goes on with what is known of
 * it.  The functions below take NULL for a file that is not watched. */
struct fault_disk *fault_disk_open(const char *path);
void fault_disk_forget(const char *path);

void fault_disk_write(struct fault_disk *disk, const void *bytes, int len,
                      int64_t at);
void fault_disk_truncate(struct fault_disk *disk, int64_t size);

/* fault_disk_sync: all of it is on disk, but what an earlier sync gave up
 * (fault_disk_doubt) by chance. */
void fault_disk_sync(struct fault_disk *disk, uint64_t *random);
void fault_disk_doubt(struct fault_disk *disk);

/* fault_disk_lose_power rewrites all files by |seed| and forgets them. */
void fault_disk_lose_power(uint64_t seed);

#endif
