/*
 * segment - one file of the journal, as groups of rows.
 *
 * A group is what one commit brings: it is put together in memory, written at
 * the end of a segment in one piece, and counts whole or not at all.
 *
 *     head   magic u32, rows u32, data u64 (bytes), store u64, number u64,
 *            first u64 (seq of the segment), seq u64 (of the group's first row)
 *     data   the rows, as store/journal.h packs them
 *     index  each row: bytes u32, stubs u32, received u64, digest u64 u64;
 *            0 bytes: the stubs are lost
 *     hash   u64, XXH3-64 of the index, seeded with that of the head
 *
 * All numbers little-endian.  Nothing is trusted that is read: a group is sound
 * if it is of this store and this segment and head and index are what was
 * hashed; a row of it, if its own checksum holds.  What the disk cannot read is
 * damaged as zeros would be.
 *
 * Errors     ERR_NOMEM; ERR_STORE: it cannot be read or written.
 * Threads    None.
 */
#ifndef STORE_SEGMENT_H
#define STORE_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "model/stub.h"

/* ---- writing ---- */

struct segment_id {
    uint64_t store;  /* random, of the database it belongs to */
    uint64_t number; /* in its name, rising */
    uint64_t first;  /* seq of its first row */
};

/* Zero-initialise; rows are added, then it is ended, then it is reset. */
struct segment_group {
    struct buf bytes;
    struct buf index;
    uint32_t rows;
    uint64_t stubs;
    uint64_t last_ns; /* the latest of the rows */
};

/* ERR_NOMEM: the group is as before, or has failed for good until reset. */
enum err
segment_group_add(struct segment_group *group, const struct stub_batch *batch,
                  struct digest128 digest);

/* segment_group_add_lost adds a row without data, which says that so many stubs
 * are lost: it is read as one that is damaged. */
enum err segment_group_add_lost(struct segment_group *group, uint32_t stubs);

/* segment_group_end gives the bytes to be written, valid until the next call.
 * ERR_NOMEM. */
enum err segment_group_end(struct segment_group *group,
                           const struct segment_id *id, uint64_t seq, str *out);
void segment_group_reset(struct segment_group *group);
void segment_group_fini(struct segment_group *group);

/* ---- reading ---- */

struct segment_row {
    uint64_t seq;
    uint64_t received_ns;
    struct digest128 digest;
    uint32_t stubs;
    uint32_t bytes;
};

/* A walk over the sound groups of a file, in order. */
struct segment_walk {
    sqlite3_file *file; /* the caller's */
    int64_t size;
    struct segment_id id; /* |first| is set by the first sound group */
    int64_t at;           /* of the group it stands on */
    int64_t end;          /* behind it */
    uint64_t seq;         /* of its first row */
    uint32_t rows;
    int64_t unread;    /* behind the last sector that could not be read */
    bool is_foreign;   /* the file begins with a group of another store */
    struct buf index;  /* of the group */
    struct buf data;   /* of the group, once asked for */
    struct buf window; /* for the search */
};

/* segment_walk_begin: |id| says which file it should be. */
enum err segment_walk_begin(struct segment_walk *walk, sqlite3_file *file,
                            uint64_t store, uint64_t number);
void segment_walk_fini(struct segment_walk *walk);

/* segment_walk_next goes to the next sound group.  ERR_NOT_FOUND: there is
 * none; walk->end is where the last one ended. */
enum err segment_walk_next(struct segment_walk *walk);

/* segment_walk_row is row |i| of the group. */
struct segment_row
segment_walk_row(const struct segment_walk *walk, uint32_t i);

/* segment_walk_load reads the data of the group; then segment_walk_data is that
 * of row |i|, to be gone through by rising |i| with |at| from 0. */
enum err segment_walk_load(struct segment_walk *walk);
str segment_walk_data(const struct segment_walk *walk, uint32_t i, size_t *at);

#endif
