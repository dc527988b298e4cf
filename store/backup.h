/*
 * backup - a whole copy of a database, of one moment, while others write it.
 *
 * The copy is read in one transaction over a read-only connection: writers do
 * not wait for it, nor it for them.
 *
 * Errors     ERR_NOT_FOUND, ERR_DENIED, ERR_CORRUPT, ERR_STORE, ERR_IO; |why|
 *            says what, with the file's name.
 * Threads    Any; nothing is shared but the disk.
 */
#ifndef STORE_BACKUP_H
#define STORE_BACKUP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* backup_copy writes the database |from| to the new file |to|. */
enum err backup_copy(const char *from, const char *to, struct buf *why);

/* backup_check looks at all of the database |file|. */
enum err backup_check(const char *file, struct buf *why);

/* backup_check_version: this program knows the tables of |file|, which is
 * |which| of backup_files.  ERR_UNSUPPORTED: a newer one wrote it, which may
 * keep things in places that this one does not know.  ERR_CORRUPT: it has
 * none. */
enum err backup_check_version(const char *file, size_t which, struct buf *why);

/* backup_dir_lock takes all locks of the stores in |dir|, which is made if it
 * is not there, until backup_dir_unlock.  ERR_BUSY: somebody writes it.  After
 * an error all is as before. */
enum { BACKUP_FILES = 3 };
struct backup_locks {
    int fd[BACKUP_FILES];
    bool is_new[BACKUP_FILES]; /* there was no such file */
    size_t there;              /* files_there of the folder */
};
enum err
backup_dir_lock(const char *dir, struct backup_locks *out, struct buf *why);
void backup_dir_unlock(struct backup_locks *locks);
/* backup_dir_abandon unlocks |dir| as it was before: without the files of
 * locks that were not there, and without what was made of its path. */
void backup_dir_abandon(const char *dir, struct backup_locks *locks);

/* backup_is_there: one of the files is in |dir|. */
bool backup_is_there(const char *dir);

/* The database files of a directory: the traces', the code's, the knowledge. */
extern const char *const backup_files[BACKUP_FILES];

#endif
