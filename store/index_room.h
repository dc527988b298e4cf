/*
 * index_room - room on the disk for what SQLite maps.
 *
 * The index of the write-ahead log is a file, `-shm`, that all who have the
 * database open map.  SQLite has it as long as it needs by one byte in each
 * 4 KiB, which on a file system of smaller blocks is not yet room for the rest;
 * and a page that finds none when it is first touched ends the process.  So the
 * room is asked for before the database is opened, and taken once it is.
 *
 * Threads    The owner of the database only.
 */
#ifndef STORE_INDEX_ROOM_H
#define STORE_INDEX_ROOM_H

#include "base/buf.h"
#include "base/err.h"

enum {
    INDEX_ROOM_BYTES =
        256 << 10,             /* for a log of 128 MB, twice what it may be */
    INDEX_ROOM_MIN = 32 << 10, /* for one of 16 MB, what SQLite begins with */
    INDEX_ROOM_RESERVE = 256 << 10, /* what is left to the journal */
};

/*
 * index_room_find is for before SQLite opens the database |path| in |dir|: an
 * index that is there is made anew by it, and its room counts. index_room_take
 * is for after: SQLite has the index open.  It takes more than INDEX_ROOM_MIN
 * only where INDEX_ROOM_RESERVE is left.
 *
 * ERR_STORE  there is not so much; |why| says what to do about it.  ERR_NOMEM.
 */
enum err index_room_find(const char *dir, const char *path, struct buf *why);
enum err index_room_take(const char *dir, const char *path, struct buf *why);

#endif
