/*
 * segment_file - the files of the journal beside their database.
 *
 * `spangraph.db-seg7` is segment 7 of `spangraph.db`: so named, SQLite's file
 * system gives it the mode of the database and syncs the directory with the
 * first sync of the file.  All of a segment is read and written through that
 * file system, as the database is.
 *
 * Errors     ERR_NOMEM, ERR_STORE.
 * Threads    None.
 */
#ifndef STORE_SEGMENT_FILE_H
#define STORE_SEGMENT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>

#include "base/buf.h"
#include "base/err.h"

/* SQLite's file system moves less than 128 KiB at a time. */
enum { SEGMENT_PIECE = 1 << 16 };

/* The last that segment_files_list would find. */
#define SEGMENT_NUMBER_MAX UINT64_C(999999999999999999)

/* |how| of segment_file_open; what SEGMENT_WRITE does not find it makes. */
enum segment_how { SEGMENT_READ, SEGMENT_WRITE };

/* segment_files_check refuses, with ERR_STORE, a |dir| with which a name could
 * be longer than SQLite's file system takes. */
enum err segment_files_check(const char *dir, const char *base);

/* segment_file_open opens segment |number| of the database |base| in |dir|;
 * NULL in |out| after an error.  ERR_NOT_FOUND: there is none to read;
 * ERR_STORE, too: SEGMENT_NUMBER_MAX is passed. */
enum err
segment_file_open(sqlite3_file **out, const char *dir, const char *base,
                  uint64_t number, enum segment_how how);
void segment_file_close(sqlite3_file *file);
/* segment_file_is_gone: it is open, and has no name any more. */
bool segment_file_is_gone(const sqlite3_file *file);
enum err
segment_file_remove(const char *dir, const char *base, uint64_t number);

/* segment_file_fail says what |rc| means, once it was told in the log. */
enum err segment_file_fail(const char *what, int rc);

/* segment_files_list appends the numbers, as uint64_t by rising value, of the
 * segments of the database |base| in |dir|. */
enum err segment_files_list(const char *dir, const char *base, struct buf *out);

/* segment_files_move renames the segments of the database |from| to those of
 * |to|.  0 or an errno. */
int segment_files_move(const char *dir, const char *from, const char *to);

/* segment_file_move renames one; segment_file_link has it under both names. */
int segment_file_move(const char *dir, const char *from, const char *to,
                      uint64_t number);
int segment_file_link(const char *dir, const char *from, const char *to,
                      uint64_t number);

#endif
