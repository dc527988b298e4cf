/*
 * wal_scene - a store and its log as a killed process leaves them, with what is
 * shown of it after each transaction.
 *
 * Memory     wal_scene_make fills a scene, wal_scene_free empties it.
 * Threads    One.
 */
#ifndef TESTS_SUPPORT_WAL_SCENE_H
#define TESTS_SUPPORT_WAL_SCENE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <sqlite3.h>

#include "tests/support/stored.h"

#define WAL_SCENE_LOG STORE_FILE "-wal"

enum {
    WAL_SCENE_PAGE = 4096,
    WAL_SCENE_HEAD = 32,
    WAL_SCENE_FRAME_HEAD = 24,
    WAL_SCENE_FRAME = WAL_SCENE_FRAME_HEAD + WAL_SCENE_PAGE,
    WAL_SCENE_STEPS = 40,
};

/* How far the log was moved when the process was killed. */
enum wal_moved {
    WAL_MOVED_NOTHING,
    WAL_MOVED_ALL,
    WAL_MOVED_HALF,    /* and more was written behind it */
    WAL_MOVED_RESTART, /* and the log begun anew, over the old one */
    WAL_MOVED_TORN,    /* half was, and it was while the rest was moved */
    WAL_MOVED_SPILLED, /* all, and behind it is a transaction without its end */
    WAL_MOVED_PART, /* half, and more that a reader had seen, while it read */
    WAL_MOVED_ONE,  /* all, and the log was begun anew for one page */
    WAL_MOVED_COUNT,
};

struct wal_scene {
    enum wal_moved moved;
    struct stored_bytes before; /* the database, before it was moved */
    struct stored_bytes db;
    struct stored_bytes log;
    struct stored_bytes index;
    struct stored_bytes note; /* store/moved.h; none: nothing was moved */
    struct timespec time;     /* of the database */
    uint32_t half;            /* frames that were moved in the middle of it */
    uint32_t all;             /* frames of the log as it was last begun */
    uint32_t frames;          /* of them, up to the last that commits */
    uint32_t last[2];         /* where the last transaction begins, from 0,
                                 and the one before */
    uint64_t seen[WAL_SCENE_STEPS + 1]; /* what is shown after each step */
};

/* wal_scene_show is a hash of what the store at stored.path shows. */
uint64_t wal_scene_show(void);

/* wal_scene_read begins to read it and goes on; sqlite3_close. */
sqlite3 *wal_scene_read(void);

void wal_scene_make(struct wal_scene *scene, enum wal_moved moved);
void wal_scene_free(struct wal_scene *scene);

/* wal_scene_lay_out writes the files, with the log |log|.  Where it was killed
 * while it was moved, |pages| of the database are moved.  A disk that lost its
 * power need not have the |time| of the database. */
void wal_scene_lay_out(const struct wal_scene *scene, const char *log,
                       size_t pages, bool with_index, bool with_time);

#endif
