/*
 * wal_frame - what a write-ahead log of SQLite is made of.
 *
 *     head   magic u32, version u32, length of a page u32, how often it was
 *            begun anew u32, salt u64, checksum u64
 *     frame  page u32, pages u32 (of the database, if it commits; else 0),
 *            salt u64, checksum u64; then the page
 *
 * All is big-endian.  The checksum of a frame goes on from that of the frame
 * before it, the first from that of the head, and covers its first 8 bytes and
 * its page; the salt is another one each time the log is begun anew.
 *
 * Each step of a sum can be taken back.  So from a page and the sums before and
 * behind it, the two words before the page can be told: wal_frame_solve.
 *
 * Threads    None; any.
 */
#ifndef STORE_WAL_FRAME_H
#define STORE_WAL_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WAL_HEAD = 32,
    WAL_HEAD_SUMMED = 24,
    WAL_HEAD_PAGE_LEN = 8,
    WAL_HEAD_SALT = 16,
    WAL_HEAD_SUM = 24,
    WAL_FRAME_HEAD = 24,
    WAL_FRAME_SUMMED = 8,
    WAL_FRAME_SALT = 8,
    WAL_FRAME_SUM = 16,
    WAL_SUM = 8,
    WAL_SALT = 8,
    WAL_PAGE_USUAL = 4096,
};

struct wal_sum {
    uint32_t a;
    uint32_t b;
};

uint32_t wal_frame_get(const uint8_t *at);
void wal_frame_put(uint8_t *at, uint32_t value);
struct wal_sum wal_frame_get_sum(const uint8_t *at);
void wal_frame_put_sum(uint8_t *at, struct wal_sum sum);
bool wal_frame_same_sum(struct wal_sum x, struct wal_sum y);

/* wal_frame_add goes on from |sum| over |len| bytes, a multiple of 8, and
 * wal_frame_take_back from behind them to before them. */
struct wal_sum wal_frame_add(struct wal_sum sum, const uint8_t *bytes,
                             size_t len, bool is_big);
struct wal_sum wal_frame_take_back(struct wal_sum sum, const uint8_t *bytes,
                                   size_t len, bool is_big);

/* wal_frame_sum goes on over the frame |head| with the |len| bytes of |page|.
 */
struct wal_sum wal_frame_sum(struct wal_sum sum, const uint8_t *head,
                             const uint8_t *page, size_t len, bool is_big);

/* wal_frame_solve writes to |words| the 8 bytes that lead from |before| to
 * |behind|, the sum before the page: always some, whether they make sense or
 * not. */
void wal_frame_solve(struct wal_sum before, struct wal_sum behind, bool is_big,
                     uint8_t words[WAL_FRAME_SUMMED]);

bool wal_frame_is_page_len(uint32_t len);

/* wal_frame_head_is_sound, and whether the sums are of big-endian words. */
bool wal_frame_head_is_sound(const uint8_t head[WAL_HEAD]);
bool wal_frame_is_big(const uint8_t head[WAL_HEAD]);

/* wal_frame_guess_head puts right what each log has the same. */
void wal_frame_guess_head(uint8_t head[WAL_HEAD]);

#endif
