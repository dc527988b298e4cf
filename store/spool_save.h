/*
 * spool_save - what can still be read of a damaged spool becomes a new one.
 *
 * A part has a checksum of its own, which is looked at when its batch is read.
 * So here everything is taken that SQLite finds, in whatever state it is, and
 * what it does not find is left.
 *
 *     spool_save -> the damaged files are put aside -> spool_take_saved
 *
 * Until the damaged files are aside nothing is changed of them, and the next
 * start does all of it again; from then on the saved file is the only spool,
 * and the next start takes it, too.
 *
 * Errors     ERR_STORE, ERR_NOMEM.
 * Threads    The owner of the spool only.
 */
#ifndef STORE_SPOOL_SAVE_H
#define STORE_SPOOL_SAVE_H

#include <stdint.h>

#include "base/err.h"
#include "store/dbfile.h"

/* spool_save makes the saved file of the spool that |file| has the lock of, and
 * not open; |parts| is how many it has.  ERR_UNSUPPORTED: the file system has
 * no second name for a file. */
enum err spool_save(const struct dbfile *file, uint64_t *parts);

/* spool_take_saved gives the saved file, if there is one and there is no spool,
 * the name of the spool. */
enum err spool_take_saved(const char *dir);

#endif
