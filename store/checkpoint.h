/*
 * checkpoint - pages go from the write-ahead log into their database.
 *
 * Only what is in the database survives damage of the log: SQLite reads a log
 * up to the first byte that is wrong.  So what a process has left in it is
 * moved before anything else is put there, and what is written is moved as it
 * gathers.
 *
 * Errors     As store/store.h.
 * Threads    The owner thread of the file only, between transactions.
 */
#ifndef STORE_CHECKPOINT_H
#define STORE_CHECKPOINT_H

#include <stdbool.h>

#include "base/err.h"
#include "store/dbfile.h"

/*
 * checkpoint_first settles the log (dbfile_settle) and moves all of it, when
 * the file is opened.  Readers that are in the way, or a disk that is full or
 * fails, leave it where it is, as good as it was: that is no error.
 */
enum err checkpoint_first(struct dbfile *file);

/* dbfile_checkpoint moves what is worth it, and cuts the log once it has grown
 * beyond its bound, for which it waits for readers, some milliseconds. */
enum err dbfile_checkpoint(struct dbfile *file);

/* dbfile_checkpoint_step does some of it, if there is enough to do, and never
 * waits for readers. */
enum err dbfile_checkpoint_step(struct dbfile *file);
bool dbfile_checkpoint_is_due(const struct dbfile *file);

/* checkpoint_last moves all of it, before the file is closed; false if it could
 * not, and the next start goes on. */
bool checkpoint_last(struct dbfile *file);

#endif
