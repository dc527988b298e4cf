/*
 * backup_journal - the journal of a database goes into its copy.
 *
 * A copy is one file: what the segments beside the database hold
 * (store/journal_log.h) becomes rows of its table `journal`.  They are looked
 * at before the pages are copied, so that none can vanish that these need, and
 * again afterwards, for what came in between.
 *
 * Errors     ERR_NOMEM, ERR_STORE; ERR_CORRUPT: a file of the journal is
 *            missing.  |why| says what.
 * Threads    None; nothing is shared but the disk.
 */
#ifndef STORE_BACKUP_JOURNAL_H
#define STORE_BACKUP_JOURNAL_H

#include <sqlite3.h>

#include "base/buf.h"
#include "base/err.h"

struct backup_journal;

/* backup_journal_open looks at what is beside the database |path|, which |db|
 * has open; NULL in |out| if its kind has no journal. */
enum err backup_journal_open(struct backup_journal **out, const char *path,
                             sqlite3 *db, struct buf *why);
void backup_journal_close(struct backup_journal *journal);

/* backup_journal_copy puts it into |to|, which has the pages already, and makes
 * of that a database of its own. */
enum err backup_journal_copy(struct backup_journal *journal, sqlite3 *to,
                             struct buf *why);

#endif
