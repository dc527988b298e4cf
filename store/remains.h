/*
 * remains - whether all is there of what a database was when it was left.
 *
 * SQLite makes a new database where there is none, forgets the log of one that
 * is empty, and reads a log up to the first damaged page (store/wal.h), all of
 * it without a word.  So it is looked at before SQLite is asked, and cut where
 * that helps (store/moved.h).
 *
 * Threads    The owner of the database only.
 */
#ifndef STORE_REMAINS_H
#define STORE_REMAINS_H

#include "base/buf.h"
#include "base/err.h"
#include "store/dbfile.h"

/*
 * remains_lock takes the lock of |file| and says in the log what is not there
 * of it.
 *
 * ERR_CORRUPT  the same in |why|, of a database whose spec has it saved row by
 *              row, or of which some is older than the rest (store/moved.h)
 * ERR_BUSY     also: its log must be cut, and somebody reads it
 * else as files_lock
 */
enum err remains_lock(struct dbfile *file, struct buf *why);

#endif
