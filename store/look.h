/*
 * look - what a directory of stores holds, seen from outside.
 *
 * For who asks after a store that nobody serves, or that does not open: nothing
 * is written, nothing is migrated, and no version is too old or too new.
 *
 * Threads    Any; nothing is shared but the disk.
 */
#ifndef STORE_LOOK_H
#define STORE_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* One database of a directory. */
struct look {
    const char *file; /* of backup_files (store/backup.h) */
    bool is_there;
    bool is_readable;     /* else schema is unknown */
    int64_t bytes;        /* of the file */
    int64_t wal_bytes;    /* of what is not yet in it */
    int64_t schema;       /* migrations it has seen: PRAGMA user_version */
    int64_t schema_known; /* migrations of this program */
    bool is_suspect;      /* damage was met: it will be checked whole */
    bool is_locked;       /* somebody writes it */
    long holder;          /* process, or 0: unknown */
};

enum { LOOK_FILES = 3 };

/* look_at fills |out| for each file of |dir|.  ERR_NOT_FOUND: there is no such
 * directory, or none of the files; ERR_DENIED: it may not be read; |why|. */
enum err look_at(const char *dir, struct look out[LOOK_FILES], struct buf *why);

#endif
