/*
 * files - the directory of a store: who may enter, what lies where.
 *
 * Made for the owner alone (0700, files 0600): names of services and routes
 * are nobody else's business.  No link is followed to the database, so that
 * what somebody else put there is not written through.
 *
 * Threads    Any; nothing is shared but the disk.
 */
#ifndef STORE_FILES_H
#define STORE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* files_path is "<dir>/<name>", to be freed; NULL without memory. */
char *files_path(const char *dir, const char *name);

/* files_make_dir makes |dir| and what is missing above it, and has their names
 * on the disk.  ERR_DENIED, ERR_STORE. */
enum err files_make_dir(const char *dir, struct buf *why);

/* files_there is how much of the path |dir| is there, in bytes; asked before
 * files_make_dir, it says to files_remove_made what that will have made, which
 * goes again as far as it is empty. */
size_t files_there(const char *dir);
void files_remove_made(const char *dir, size_t there);

/* files_sync_dir has the names in the folder |fd| on the disk.  0 or an errno;
 * 0, too, where its file system has no such sync: nothing better can be done
 * there. */
int files_sync_dir(int fd);

/* files_sync_name does so with the name of |path| in the folder that it is in.
 * 0, too, where that may not be read. */
int files_sync_name(const char *path);

/* files_lock takes the lock |name| of |dir| until |out_fd| is closed.  ERR_BUSY
 * (|why| names the holder), ERR_DENIED, ERR_STORE. */
enum err
files_lock(const char *dir, const char *name, int *out_fd, struct buf *why);

/* files_touch makes the file |path|, of a database, if there is none.
 * ERR_DENIED, ERR_STORE, ERR_INVALID if it, or one that SQLite has beside it
 * (-wal, -shm, -journal), is something else than a file. */
enum err files_touch(const char *path, struct buf *why);

/* files_size is 0 if there is no such file. */
int64_t files_size(const char *path);

/* files_set_aside renames the database |file| and what belongs to it to
 * `*.corrupt-<now_s>` and says so in |why|. */
enum err files_set_aside(const char *dir, const char *file, uint64_t now_s,
                         struct buf *why);

/* A database is suspect from when damage was met until it was checked whole. */
void files_mark_suspect(const char *dir, const char *file);
bool files_is_suspect(const char *dir, const char *file);
void files_clear_suspect(const char *dir, const char *file);

#endif
