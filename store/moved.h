/*
 * moved - how far a log is in its database already, kept beside it.
 *
 * SQLite reads a log up to the first frame that is wrong (store/wal.h).  What
 * was moved into the database since is newer than what it reads then, page by
 * page, and pages of two moments beside one another are no database any more.
 * But what was moved is not needed: the log from there on, put on the database
 * as it is, gives all that was committed.  So each checkpoint notes, in
 * `<file>.moved`, up to where it is to move the log, and then that it has; and
 * who opens the database leaves out what was moved if it is damaged.
 *
 * A note speaks of one log, which is known by its salt.  One that is old, lost
 * or torn says less than it could.
 *
 * Threads    The owner thread of the file only.
 */
#ifndef STORE_MOVED_H
#define STORE_MOVED_H

#include "base/buf.h"
#include "base/err.h"
#include "store/dbfile.h"

/*
 * moved_cure, with the lock of |file| and before SQLite opens it, cuts a log
 * that is damaged before where it was moved to, and says so in the log.  A
 * crash leaves the one or the other, and either gives the same.
 *
 * ERR_CORRUPT  the process ended while it moved what is damaged: some pages are
 *              of before and some of after that
 * ERR_BUSY     it is damaged, and somebody reads the database
 * ERR_STORE    it is damaged, and no other can be written; ERR_NOMEM
 * |why| says so, but for ERR_NOMEM; the files give what they gave.
 */
enum err moved_cure(struct dbfile *file, const struct wal_state *was,
                    bool *is_cut, struct buf *why);

/* moved_begin is before a checkpoint, and has the log on the disk: an SQLite
 * result code of that.  moved_end is after one that moved |frames| of |all|,
 * and has synced the database if that is all of them.  A note that cannot be
 * written is none, and a log without one is what it is to SQLite. */
int moved_begin(struct dbfile *file);
void moved_end(struct dbfile *file, int all, int frames);

/* moved_forget: the log is empty. */
void moved_forget(const struct dbfile *file);

#endif
