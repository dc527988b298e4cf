/*
 * migrate - bring the tables of a file up to date, one step a transaction.
 *
 * A step either happened whole, with `PRAGMA user_version` saying so, or not
 * at all; a process that dies between two goes on from there.  Table
 * `schema_version` says it, too: four bytes of the header that one flipped bit
 * changes are no proof that a newer program wrote the file.
 *
 * Threads    The owner of the connection.
 */
#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H

#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>

/* migrate_run applies migrations[version..len).  An SQLite result code; after
 * a failure the file is as the last whole step left it. */
int migrate_run(sqlite3 *db, const char *const *migrations, size_t len,
                int64_t version);

/* migrate_stated gives the version that the table says; 0: there is none, the
 * program that wrote it knew no such table.  migrate_state says |version| there
 * if it is not said.  An SQLite result code. */
int migrate_stated(sqlite3 *db, int64_t *out);
int migrate_state(sqlite3 *db, size_t version);

/* migrate_backup copies the database to |path|, which only ever names a whole
 * copy.  An SQLite result code. */
int migrate_backup(sqlite3 *db, const char *path);

#endif
