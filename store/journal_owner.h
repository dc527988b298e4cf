/*
 * journal_owner - whose journal it is that store/journal_log.h opens.
 *
 * Segments lie beside a database and are of it alone: they carry its number,
 * and it says from which of them on they count, and which is the last.
 *
 * Ownership  What it points to outlives the log.
 * Threads    None; a value.
 */
#ifndef STORE_JOURNAL_OWNER_H
#define STORE_JOURNAL_OWNER_H

#include <stdint.h>

#include "base/err.h"
#include "store/dbfile.h"

/* A journal_note_fn hears in which segment a group is, once it is on the disk
 * and before it counts.  What it fails with, the commit fails with. */
typedef enum err journal_note_fn(void *ctx, uint64_t number);

struct journal_owner {
    const char *dir;
    const char *base;      /* the name of the database in |dir| */
    struct dbfile *db;     /* NULL: only read, maybe while it is written */
    uint64_t store;        /* the identity of the database */
    uint64_t from;         /* number of the first segment that counts */
    uint64_t now_ns;       /* for the names of what is put aside */
    journal_note_fn *note; /* or NULL */
    void *ctx;             /* of |note| */
};

#endif
