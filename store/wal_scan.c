/*
 * Frames are proven one behind the other.  A frame that fits the checksum of
 * the one before is sound.  Where it does not:
 *
 *  - the salt is not summed: a frame that fits without it is sound, if the one
 *    before it is.  (What an earlier log left behind the end fits as well, but
 *    for its first frame, and so none of it is proven.)
 *  - page and size can be told from the rest.  That always gives some numbers;
 *    they are right if one of the two is what it says.  (A byte of the page or
 *    of the sum that is another one changes both, the second by millions where
 *    it leaves the first.  One of the sum before changes one of them: so that
 *    must be known to be right.)
 *  - the page may be in the database, if it was moved since.
 *  - the checksum of the one before may be what is damaged: then this frame
 *    fits what that of the one before should be, and both are sound.
 *  - its page, too: then its checksum is told by going back through this
 *    frame, and the page of the database is tried with that.
 */
#include "store/wal_scan.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

enum {
    PAGE_LEN_AT = 16, /* of the database: two bytes */
    SALTS_TRIED = 5,

    /* The index has its head twice, and behind it how much was moved; numbers
     * are those of the machine, the salt is as in the log. */
    INDEX_HEAD = 48,
    INDEX_HEAD_FRAMES = 16,
    INDEX_HEAD_SALT = 32,
    INDEX_HEAD_SUMMED = 40,
    INDEX_MOVED = 2 * INDEX_HEAD,
    INDEX_READ = INDEX_MOVED + 4,
};

struct fit {
    enum wal_state_of state;
    uint32_t page;
    uint32_t size;
};

/* ---- files ---- */

/* A FIFO is not waited for; it cannot be read at a place. */
static int
open_plain(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

static uint64_t
len_of(int fd)
{
    struct stat st;

    return fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0
               ? (uint64_t)st.st_size
               : 0;
}

static uint64_t
len_of_db(sqlite3_file *db)
{
    sqlite3_int64 len = 0;

    return db && db->pMethods->xFileSize(db, &len) == SQLITE_OK && len > 0
               ? (uint64_t)len
               : 0;
}

/* The database knows how long its pages are, where the log does not. */
static uint32_t
page_len_of(sqlite3_file *db)
{
    uint8_t len[2];

    if (!db ||
        db->pMethods->xRead(db, len, sizeof(len), PAGE_LEN_AT) != SQLITE_OK)
        return WAL_PAGE_USUAL;
    uint32_t bytes = (uint32_t)len[0] << 8 | len[1];
    bytes = bytes == 1 ? UINT32_C(1) << 16 : bytes;
    return wal_frame_is_page_len(bytes) ? bytes : WAL_PAGE_USUAL;
}

/* That which two frames behind one another have, among the first. */
static void
guess_salt(struct wal_scan *scan, size_t len)
{
    uint8_t salts[SALTS_TRIED][WAL_SALT];
    int chosen = 0;

    for (int i = 0; i < SALTS_TRIED; i++) {
        off_t from = WAL_HEAD + (off_t)(i * len) + WAL_FRAME_SALT;
        if (pread(scan->log, salts[i], WAL_SALT, from) != WAL_SALT)
            memset(salts[i], 0, WAL_SALT);
    }
    while (chosen + 1 < SALTS_TRIED &&
           memcmp(salts[chosen], salts[chosen + 1], WAL_SALT) != 0)
        chosen++;
    memcpy(scan->head + WAL_HEAD_SALT,
           salts[chosen + 1 < SALTS_TRIED ? chosen : 0], WAL_SALT);
}

/* Makes of a head that is not sound one that the frames agree with. */
static void
guess_head(struct wal_scan *scan)
{
    uint32_t len = page_len_of(scan->db);

    wal_frame_guess_head(scan->head);
    wal_frame_put(scan->head + WAL_HEAD_PAGE_LEN, len);
    guess_salt(scan, WAL_FRAME_HEAD + (size_t)len);
}

static size_t
frame_len(const struct wal_scan *scan)
{
    return WAL_FRAME_HEAD + (size_t)scan->page_len;
}

static enum err
read_frame(const struct wal_scan *scan, uint32_t at, uint8_t *out)
{
    off_t from = WAL_HEAD + (off_t)(at * (uint64_t)frame_len(scan));

    return pread(scan->log, out, frame_len(scan), from) ==
                   (ssize_t)frame_len(scan)
               ? OK
               : ERR_STORE;
}

enum err
wal_scan_read_file(const struct wal_scan *scan, uint32_t number, uint8_t *out)
{
    if (number == 0 || number > scan->db_pages)
        return ERR_NOT_FOUND;
    int64_t from = (int64_t)scan->page_len * (number - 1);
    return scan->db->pMethods->xRead(scan->db, out, (int)scan->page_len,
                                     from) == SQLITE_OK
               ? OK
               : ERR_STORE;
}

enum err
wal_scan_read(const struct wal_scan *scan, uint32_t at, uint8_t *out)
{
    off_t from =
        WAL_HEAD + (off_t)(at * (uint64_t)frame_len(scan)) + WAL_FRAME_HEAD;

    if (scan->found[at].state == WAL_IN_FILE)
        return wal_scan_read_file(scan, scan->found[at].page, out);
    return pread(scan->log, out, scan->page_len, from) ==
                   (ssize_t)scan->page_len
               ? OK
               : ERR_STORE;
}

/* ---- a frame by itself ---- */

/* Whether |frame| with its own page or that of the database leads from |before|
 * to |behind|. */
static bool
fits(const struct wal_scan *scan, const uint8_t *frame, struct wal_sum before,
     struct wal_sum behind, struct fit *out)
{
    uint32_t page = wal_frame_get(frame);

    *out = (struct fit){WAL_SOUND, page, wal_frame_get(frame + 4)};
    struct wal_sum sum = wal_frame_sum(before, frame, frame + WAL_FRAME_HEAD,
                                       scan->page_len, scan->is_big);
    if (page != 0 && wal_frame_same_sum(sum, behind))
        return true;
    if (wal_scan_read_file(scan, page, scan->page) != OK)
        return false;
    out->state = WAL_IN_FILE;
    sum =
        wal_frame_sum(before, frame, scan->page, scan->page_len, scan->is_big);
    return wal_frame_same_sum(sum, behind);
}

/* Whether one of page and size is another one than |frame| says. */
static bool
solve(const struct wal_scan *scan, const uint8_t *frame, struct wal_sum before,
      struct wal_sum behind, struct fit *out)
{
    uint8_t words[WAL_FRAME_SUMMED];
    struct wal_sum at = wal_frame_take_back(behind, frame + WAL_FRAME_HEAD,
                                            scan->page_len, scan->is_big);

    wal_frame_solve(before, at, scan->is_big, words);
    uint32_t page = wal_frame_get(words);
    uint32_t size = wal_frame_get(words + 4);
    *out = (struct fit){WAL_SOUND, page, size};
    return (page == wal_frame_get(frame) || size == wal_frame_get(frame + 4)) &&
           page > 0 && page <= scan->page_most &&
           (size == 0 || (size >= page && size <= scan->page_most));
}

/* ---- one behind the other ---- */

static void
prove(struct wal_found *found, const struct fit *fit, struct wal_sum sum)
{
    found->state = fit->state;
    found->page = fit->page;
    found->size = fit->size;
    found->sum = sum;
}

static struct wal_sum
sum_before(const struct wal_scan *scan, uint32_t at)
{
    return at > 0 ? scan->found[at - 1].sum
                  : wal_frame_get_sum(scan->head + WAL_HEAD_SUM);
}

/* Tries what the sum of the one before should be, by what it has and by what
 * has come behind it; that one is in scan->last. */
static void
prove_both(struct wal_scan *scan, uint32_t at, struct wal_sum behind)
{
    struct wal_found *last = &scan->found[at - 1];
    struct wal_sum before = sum_before(scan, at - 1);
    struct fit fit;
    struct wal_sum due =
        wal_frame_sum(before, scan->last, scan->last + WAL_FRAME_HEAD,
                      scan->page_len, scan->is_big);

    if (fits(scan, scan->frame, due, behind, &fit) && fit.state == WAL_SOUND) {
        prove(&scan->found[at], &fit, behind);
        fit = (struct fit){WAL_SOUND, last->page, last->size};
        prove(last, &fit, due);
        return;
    }
    if (!scan->found[at].is_ours)
        return;
    due = wal_frame_take_back(behind, scan->frame + WAL_FRAME_HEAD,
                              scan->page_len, scan->is_big);
    due = wal_frame_take_back(due, scan->frame, WAL_FRAME_SUMMED, scan->is_big);
    if (!fits(scan, scan->last, before, due, &fit))
        return;
    prove(last, &fit, due);
    fit = (struct fit){WAL_SOUND, wal_frame_get(scan->frame),
                       wal_frame_get(scan->frame + 4)};
    prove(&scan->found[at], &fit, behind);
}

/* The frame |at| is in scan->frame. */
static void
look_at(struct wal_scan *scan, uint32_t at)
{
    struct wal_found *found = &scan->found[at];
    struct wal_sum said = wal_frame_get_sum(scan->frame + WAL_FRAME_SUM);
    bool is_last_lost = at > 0 && scan->found[at - 1].state == WAL_LOST;
    struct fit fit;

    *found = (struct wal_found){
        .page = wal_frame_get(scan->frame),
        .size = wal_frame_get(scan->frame + 4),
        .sum = said,
        .is_ours = memcmp(scan->frame + WAL_FRAME_SALT,
                          scan->head + WAL_HEAD_SALT, WAL_SALT) == 0,
    };
    if (!found->is_ours && is_last_lost && !scan->found[at - 1].is_ours)
        return; /* of an earlier log */
    struct wal_sum before = sum_before(scan, at);
    if ((found->is_ours || !is_last_lost) &&
        fits(scan, scan->frame, before, said, &fit)) {
        found->is_plain = found->is_ours && fit.state == WAL_SOUND;
        prove(found, &fit, said);
    } else if (is_last_lost)
        prove_both(scan, at, said);
    else if (solve(scan, scan->frame, before, said, &fit))
        prove(found, &fit, said);
}

static enum err
look_at_all(struct wal_scan *scan)
{
    enum err err = OK;

    for (uint32_t at = 0; at < scan->len && !err; at++) {
        uint8_t *frame = scan->last;
        scan->last = scan->frame;
        scan->frame = frame;
        if (!(err = read_frame(scan, at, scan->frame)))
            look_at(scan, at);
    }
    return err;
}

/* ---- the index ---- */

static uint32_t
get_native(const uint8_t *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof(value));
    return value;
}

static bool
is_index_sound(const struct wal_scan *scan, const uint8_t *index)
{
    const bool is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    struct wal_sum sum =
        wal_frame_add((struct wal_sum){0, 0}, index, INDEX_HEAD_SUMMED, is_big);

    return memcmp(index, index + INDEX_HEAD, INDEX_HEAD) == 0 &&
           memcmp(index + INDEX_HEAD_SALT, scan->head + WAL_HEAD_SALT,
                  WAL_SALT) == 0 &&
           sum.a == get_native(index + INDEX_HEAD_SUMMED) &&
           sum.b == get_native(index + INDEX_HEAD_SUMMED + 4);
}

/* SQLite says in the index that something was moved once it is synced. */
static void
read_index(struct wal_scan *scan, const char *path)
{
    uint8_t index[INDEX_READ];
    int fd = open_plain(path);

    if (fd >= 0 && pread(fd, index, INDEX_READ, 0) == INDEX_READ &&
        is_index_sound(scan, index)) {
        uint32_t committed = get_native(index + INDEX_HEAD_FRAMES);
        uint32_t moved = get_native(index + INDEX_MOVED);
        scan->committed = committed <= scan->len ? committed : 0;
        scan->moved = moved <= scan->committed ? moved : 0;
    }
    if (fd >= 0)
        close(fd);
}

/* ---- the log ---- */

/* The sum of a head that is not sound is what it says, or what the rest of it
 * gives: with which one the first frame fits. */
static enum err
choose_sum(struct wal_scan *scan)
{
    struct fit fit;
    struct wal_sum sum = wal_frame_add((struct wal_sum){0, 0}, scan->head,
                                       WAL_HEAD_SUMMED, scan->is_big);
    enum err err = read_frame(scan, 0, scan->frame);

    if (!err && fits(scan, scan->frame, sum,
                     wal_frame_get_sum(scan->frame + WAL_FRAME_SUM), &fit))
        wal_frame_put_sum(scan->head + WAL_HEAD_SUM, sum);
    return err;
}

static enum err
begin(struct wal_scan *scan)
{
    if (pread(scan->log, scan->head, WAL_HEAD, 0) != WAL_HEAD)
        return ERR_NOT_FOUND;
    scan->is_head_plain = wal_frame_head_is_sound(scan->head);
    if (!scan->is_head_plain)
        guess_head(scan);
    scan->is_big = wal_frame_is_big(scan->head);
    scan->page_len = wal_frame_get(scan->head + WAL_HEAD_PAGE_LEN);
    uint64_t len = (len_of(scan->log) - WAL_HEAD) / frame_len(scan);
    uint64_t pages = len_of_db(scan->db) / scan->page_len;
    if (len == 0)
        return ERR_NOT_FOUND;
    if (len > UINT32_MAX / 2 || pages > UINT32_MAX / 2)
        return ERR_STORE;
    scan->len = (uint32_t)len;
    scan->db_pages = (uint32_t)pages;
    scan->page_most = scan->db_pages + scan->len;
    scan->found = calloc(scan->len, sizeof(*scan->found));
    scan->frame = calloc(1, frame_len(scan));
    scan->last = calloc(1, frame_len(scan));
    scan->page = calloc(1, scan->page_len);
    if (!scan->found || !scan->frame || !scan->last || !scan->page)
        return ERR_NOMEM;
    return scan->is_head_plain ? OK : choose_sum(scan);
}

enum err
wal_scan_open(struct wal_scan *scan, const char *path, sqlite3_file *db)
{
    struct buf log = {0};
    struct buf index = {0};
    enum err err = ERR_NOMEM;

    *scan = (struct wal_scan){.log = -1, .db = db};
    buf_printf(&log, "%s-wal", path);
    buf_printf(&index, "%s-shm", path);
    if (log.failed || index.failed)
        goto out;
    scan->log = open_plain(buf_cstr(&log));
    err = ERR_NOT_FOUND;
    if (scan->log < 0 || len_of(scan->log) <= WAL_HEAD)
        goto out;
    err = begin(scan);
    if (!err)
        err = look_at_all(scan);
    if (!err && db)
        read_index(scan, buf_cstr(&index));
out:
    buf_fini(&log);
    buf_fini(&index);
    return err;
}

void
wal_scan_close(struct wal_scan *scan)
{
    if (scan->log >= 0)
        close(scan->log);
    free(scan->found);
    free(scan->frame);
    free(scan->last);
    free(scan->page);
    *scan = (struct wal_scan){.log = -1};
}
