/*
 * feed_tape - a stream for the feed, and what it made of it.
 *
 *     tape_expect(stream, STR("J{...}|P...|"), OK)
 *
 * Threads    None; one tape a program.
 */
#ifndef TESTS_SUPPORT_FEED_TAPE_H
#define TESTS_SUPPORT_FEED_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "cmd/feed.h"

#define TAPE_CUT_OFF \
    "cut off: the file has lost its end, or is still being written"

enum { TAPE_MOST = 4096, TAPE_NO_STEP = 1 << 24, TAPE_NEVER = 1 << 30 };

extern struct feed_tape {
    str stream;
    bool is_plain; /* what is taken must be where it is said to be */
    size_t read;   /* bytes of it */
    size_t step;   /* bytes at a time */
    size_t fail_at;
    struct buf taken; /* "J{...}|P...|", but what is longer than TAPE_MOST */
    size_t requests;
    size_t longest;
    size_t stop_at; /* this request is refused */
    size_t read_at_first;
    uint64_t at_last; /* of the last that was taken or skipped */
    bool is_at_end;   /* the last that was taken */
    size_t skipped;
    const char *skipped_why; /* the last */
    unsigned behind;         /* the sum of what is behind requests */
    struct feed_fault fault;
} tape;

/* For cmocka, around each test and at the end. */
int tape_set_up(void **state);
int tape_tear_down(void **state);

/* tape_feed runs |stream|, |step| bytes at a time, for requests of TAPE_MOST
 * bytes or |most|. */
enum err tape_feed(str stream, size_t step);
enum err tape_feed_bound(str stream, size_t step, size_t most);

/* tape_expect fails unless |stream| gives |wanted| and |err|, in pieces of
 * whatever length. */
void tape_expect(str stream, str wanted, enum err err);

/* tape_frame makes |to| a frame of |len| bytes. */
str tape_frame(struct buf *to, size_t len);

/* tape_pack puts |plain| behind |to| as one gzip member or zstd frame. */
void tape_pack(struct buf *to, str plain, bool is_gzip);

#endif
