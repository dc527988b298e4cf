/*
 * A frame is known to be of this log by its salt, which is another one each
 * time the log is begun anew, and to be sound by its checksum, which begins
 * with what the frame before says that its own is: whether that one is right
 * does not matter.
 *
 * A transaction that failed as it was committed stays where it was, until the
 * next ones have written over it; so does what a loss of power left of the last
 * one.  Of neither is there more than one commit behind what does not fit, so
 * only where two are behind one another was something damaged.
 *
 * A frame without the salt was never written by this log, so it is none of the
 * damaged ones.  With frames left out, how many pages the first one says that
 * there are may be wrong; the log knows.
 */
#include "store/wal.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    HEAD = WAL_HEAD,
    HEAD_SUMMED = 24,
    FRAME_HEAD = WAL_FRAME_HEAD,
    FRAME_SUMMED = 8,
    SUM_AT_HEAD = 24,
    SUM_AT_FRAME = 16,
    SALT_AT_HEAD = 16,
    SALT_AT_FRAME = 8,
    SUM = WAL_SUM,
    SALT = 8,
    PAGE_MIN = 512,
    PAGE_MAX = 65536,
    PAGE_USUAL = 4096,
    PAGES_AT = 28, /* of the first page: how many there are; 0: ask the log */
};

#define MAGIC   UINT32_C(0x377f0682) /* and 1 more: sums of big-endian words */
#define VERSION UINT32_C(3007000)

struct sum {
    uint32_t a;
    uint32_t b;
};

struct wal {
    int fd;
    uint8_t head[HEAD];
    bool is_head_sound;
    bool is_big;
    size_t frame_len;
    uint8_t *frame;      /* the one that was read last */
    uint8_t before[SUM]; /* what the one before says of itself */
    uint32_t number;     /* of the frame, from 1 */
    bool is_ours;
    bool is_sound;
};

static uint32_t
get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
           (uint32_t)at[2] << 8 | at[3];
}

static void
put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint32_t
get_word(const uint8_t *at, bool is_big)
{
    uint32_t word = get_u32(at);

    return is_big ? word : __builtin_bswap32(word);
}

static void
add_sum(struct sum *sum, const uint8_t *bytes, size_t len, bool is_big)
{
    for (size_t i = 0; i < len; i += 8) {
        sum->a += get_word(bytes + i, is_big) + sum->b;
        sum->b += get_word(bytes + i + 4, is_big) + sum->a;
    }
}

static struct sum
get_sum(const uint8_t *at)
{
    return (struct sum){get_u32(at), get_u32(at + 4)};
}

static void
put_sum(uint8_t *at, struct sum sum)
{
    put_u32(at, sum.a);
    put_u32(at + 4, sum.b);
}

static struct sum
sum_frame(const struct wal *wal, struct sum sum)
{
    add_sum(&sum, wal->frame, FRAME_SUMMED, wal->is_big);
    add_sum(&sum, wal->frame + FRAME_HEAD, wal->frame_len - FRAME_HEAD,
            wal->is_big);
    return sum;
}

/* ---- reading ---- */

int64_t
wal_place_at(const uint8_t head[WAL_HEAD], uint32_t frame)
{
    uint64_t len = FRAME_HEAD + (uint64_t)get_u32(head + 8);

    return frame == 0 ? 0 : (int64_t)(HEAD + (frame - 1) * len);
}

static bool
is_page_len(uint32_t len)
{
    return len >= PAGE_MIN && len <= PAGE_MAX && (len & (len - 1)) == 0;
}

/* Makes of a head that is not sound one that the frames agree with, as far as
 * can be told. */
static void
guess_head(struct wal *wal)
{
    uint8_t salt[3][SALT] = {{0}};

    if ((get_u32(wal->head) & ~UINT32_C(1)) != MAGIC)
        put_u32(wal->head, MAGIC);
    put_u32(wal->head + 4, VERSION);
    if (!is_page_len(get_u32(wal->head + 8)))
        put_u32(wal->head + 8, PAGE_USUAL);
    for (uint32_t i = 0; i < 3; i++) {
        uint8_t frame[FRAME_HEAD];
        if (pread(wal->fd, frame, sizeof(frame),
                  wal_place_at(wal->head, i + 1)) == FRAME_HEAD)
            memcpy(salt[i], frame + SALT_AT_FRAME, SALT);
    }
    /* The first one may have gone with the head, or be all there is of a log
     * that was begun anew: SQLite counts its salt up by one then. */
    bool is_first = memcmp(salt[1], salt[2], SALT) != 0 ||
                    get_u32(salt[0]) == get_u32(salt[1]) + 1;
    memcpy(wal->head + SALT_AT_HEAD, salt[is_first ? 0 : 1], SALT);
}

static bool
is_head_sound(const struct wal *wal, bool is_big)
{
    struct sum sum = {0, 0};
    struct sum said = get_sum(wal->head + SUM_AT_HEAD);

    add_sum(&sum, wal->head, HEAD_SUMMED, is_big);
    return (get_u32(wal->head) & ~UINT32_C(1)) == MAGIC &&
           is_page_len(get_u32(wal->head + 8)) && sum.a == said.a &&
           sum.b == said.b;
}

static enum err
open_head(struct wal *wal, const char *path)
{
    /* A FIFO is not waited for; it cannot be read at a place. */
    *wal = (struct wal){
        .fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    if (wal->fd < 0 || pread(wal->fd, wal->head, HEAD, 0) != HEAD)
        return ERR_NOT_FOUND;
    wal->is_big = (get_u32(wal->head) & 1) != 0;
    wal->is_head_sound = is_head_sound(wal, wal->is_big);
    return OK;
}

static enum err
begin_frames(struct wal *wal)
{
    wal->is_big = (get_u32(wal->head) & 1) != 0;
    wal->frame_len = FRAME_HEAD + get_u32(wal->head + 8);
    wal->frame = calloc(1, wal->frame_len);
    return wal->frame ? OK : ERR_NOMEM;
}

static enum err
wal_open(struct wal *wal, const char *path)
{
    enum err err = open_head(wal, path);

    if (err)
        return err;
    memcpy(wal->before, wal->head + SUM_AT_HEAD, SUM);
    if (!wal->is_head_sound)
        guess_head(wal);
    return begin_frames(wal);
}

static void
wal_close(struct wal *wal)
{
    if (wal->fd >= 0)
        close(wal->fd);
    free(wal->frame);
}

/* Goes to the next frame; false if there is none that is whole. */
static bool
next_frame(struct wal *wal)
{
    if (wal->number > 0)
        memcpy(wal->before, wal->frame + SUM_AT_FRAME, SUM);
    off_t at = HEAD + (off_t)(wal->number * (uint64_t)wal->frame_len);
    if (pread(wal->fd, wal->frame, wal->frame_len, at) !=
        (ssize_t)wal->frame_len)
        return false;
    struct sum sum = sum_frame(wal, get_sum(wal->before));
    struct sum said = get_sum(wal->frame + SUM_AT_FRAME);
    wal->number++;
    wal->is_ours =
        memcmp(wal->frame + SALT_AT_FRAME, wal->head + SALT_AT_HEAD, SALT) == 0;
    wal->is_sound = wal->is_ours && get_u32(wal->frame) != 0 &&
                    sum.a == said.a && sum.b == said.b;
    return true;
}

static bool
commits(const struct wal *wal)
{
    return get_u32(wal->frame + 4) != 0;
}

enum err
wal_look(const char *path, struct wal_state *out)
{
    struct wal wal;
    enum err err = wal_open(&wal, path);
    uint32_t damaged = err || wal.is_head_sound ? 0 : 1;
    uint32_t last = 0; /* sound one that commits */
    uint32_t ends = 0; /* of those behind one another, how many commit */
    bool is_whole = damaged == 0;

    *out = (struct wal_state){0};
    while (!err && next_frame(&wal)) {
        damaged += !wal.is_sound;
        is_whole &= wal.is_sound;
        ends = wal.is_sound ? ends + commits(&wal) : 0;
        if (!wal.is_sound || !commits(&wal))
            continue;
        last = wal.number;
        if (!is_whole && ends < 2)
            continue;
        out->frames = wal.number;
        out->damaged = damaged;
        out->used = is_whole ? wal.number : out->used;
    }
    out->rest = last - out->frames;
    wal_close(&wal);
    return err;
}

/* ---- writing ---- */

static enum err
write_all(int fd, const uint8_t *bytes, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t some = write(fd, bytes + done, len - done);
        if (some <= 0)
            return ERR_STORE;
        done += (size_t)some;
    }
    return OK;
}

static enum err
put_head(const struct wal *wal, uint8_t head[HEAD], int to, struct sum *sum)
{
    *sum = (struct sum){0, 0};
    add_sum(sum, head, HEAD_SUMMED, wal->is_big);
    put_sum(head + SUM_AT_HEAD, *sum);
    return write_all(to, head, HEAD);
}

/* Copies the frames up to number |last|, each with the sum that it has there.
 */
static enum err
copy_frames(struct wal *wal, int fd, uint32_t last, bool with_damaged)
{
    uint8_t head[HEAD];
    uint8_t frame_sum[SUM];
    struct sum sum;

    memcpy(head, wal->head, HEAD);
    enum err err = put_head(wal, head, fd, &sum);
    while (!err && wal->number < last && next_frame(wal)) {
        if (!wal->is_ours || get_u32(wal->frame) == 0 ||
            (!wal->is_sound && !with_damaged))
            continue;
        if (get_u32(wal->frame) == 1)
            put_u32(wal->frame + FRAME_HEAD + PAGES_AT, 0);
        memcpy(frame_sum, wal->frame + SUM_AT_FRAME, SUM);
        sum = sum_frame(wal, sum);
        put_sum(wal->frame + SUM_AT_FRAME, sum);
        err = write_all(fd, wal->frame, wal->frame_len);
        memcpy(wal->frame + SUM_AT_FRAME, frame_sum, SUM);
    }
    return err;
}

enum err
wal_mend(const char *from, const char *to, bool with_damaged)
{
    struct wal_state state;
    struct wal wal = {.fd = -1};
    enum err err = wal_look(from, &state);

    if (!err && state.frames == 0)
        err = ERR_NOT_FOUND;
    if (err || (err = wal_open(&wal, from)))
        goto out;
    int fd =
        open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    err =
        fd < 0 ? ERR_STORE : copy_frames(&wal, fd, state.frames, with_damaged);
    if (fd >= 0 && close(fd) != 0 && !err)
        err = ERR_STORE;
out:
    wal_close(&wal);
    return err;
}

/* ---- behind a place ---- */

/* Whether |frame| is there of the log that began with |head|. */
static bool
has_frame(const struct wal *wal, uint32_t frame, const uint8_t head[HEAD])
{
    uint8_t said[FRAME_HEAD];

    return frame > 0 &&
           pread(wal->fd, said, FRAME_HEAD, wal_place_at(head, frame)) ==
               FRAME_HEAD &&
           memcmp(said + SALT_AT_FRAME, head + SALT_AT_HEAD, SALT) == 0;
}

/* Whether the log is the one that began with |head|.  Without its beginning it
 * is told by its first frames, of which one may be damaged with that.  Behind a
 * log that was begun anew, with a salt that is one more, is what is left of the
 * last one. */
static bool
is_log_of(const struct wal *wal, const uint8_t head[HEAD])
{
    uint32_t salt = get_u32(head + SALT_AT_HEAD);
    uint8_t first[FRAME_HEAD] = {0};

    if (wal->is_head_sound)
        return memcmp(wal->head + SALT_AT_HEAD, head + SALT_AT_HEAD, SALT) == 0;
    (void)!pread(wal->fd, first, sizeof(first), HEAD);
    return has_frame(wal, 1, head) ||
           (has_frame(wal, 2, head) &&
            get_u32(first + SALT_AT_FRAME) != salt + 1);
}

/* Opens the log of |head| so that the next frame is the one behind |from|. */
static enum err
open_behind(struct wal *wal, const char *path, const uint8_t head[HEAD],
            const struct wal_place *from, bool *is_other)
{
    enum err err = open_head(wal, path);

    if (err)
        return err;
    *is_other = !is_log_of(wal, head);
    memcpy(wal->head, head, HEAD);
    if ((err = begin_frames(wal)))
        return err;
    wal->number = from->frame;
    memcpy(wal->before, head + SUM_AT_HEAD, SUM);
    memcpy(wal->frame + SUM_AT_FRAME, from->sum, SUM);
    return OK;
}

/* Whether the log came to |place|: what the frame there says of itself may be
 * damaged, but hardly what the one before it does, too. */
static bool
has_place(const struct wal *wal, const struct wal_place *place)
{
    return has_frame(wal, place->frame, wal->head) ||
           (place->frame > 1 && has_frame(wal, place->frame - 1, wal->head));
}

enum err
wal_reach(const char *path, const uint8_t head[WAL_HEAD],
          const struct wal_place *from, const struct wal_place *far,
          struct wal_reach *out)
{
    struct wal wal;

    *out = (struct wal_reach){.end = from->frame};
    enum err err = open_behind(&wal, path, head, from, &out->is_other);
    while (!err && !out->is_other && next_frame(&wal) && wal.is_sound)
        if (commits(&wal))
            out->end = wal.number;
    if (!err && !out->is_other)
        out->is_there = out->end > from->frame || has_place(&wal, from) ||
                        has_place(&wal, far);
    wal_close(&wal);
    return err;
}

enum err
wal_cut(const char *path, const uint8_t head[WAL_HEAD],
        const struct wal_place *from, uint32_t end, int to)
{
    struct wal wal;
    bool is_other = false;
    struct sum sum;
    enum err err = open_behind(&wal, path, head, from, &is_other);

    if (err || from->frame >= end)
        goto out;
    /* The index that may be there is known by its salt to be of another. */
    put_u32(wal.head + SALT_AT_HEAD, get_u32(wal.head + SALT_AT_HEAD) + 1);
    uint8_t salt[SALT];
    uint8_t own[HEAD];
    memcpy(salt, wal.head + SALT_AT_HEAD, SALT);
    memcpy(own, wal.head, HEAD);
    err = put_head(&wal, own, to, &sum);
    while (!err && wal.number < end) {
        if (!next_frame(&wal)) {
            err = ERR_STORE;
            break;
        }
        uint8_t said[SUM];
        memcpy(said, wal.frame + SUM_AT_FRAME, SUM);
        memcpy(wal.frame + SALT_AT_FRAME, salt, SALT);
        sum = sum_frame(&wal, sum);
        put_sum(wal.frame + SUM_AT_FRAME, sum);
        err = write_all(to, wal.frame, wal.frame_len);
        memcpy(wal.frame + SUM_AT_FRAME, said, SUM);
    }
out:
    wal_close(&wal);
    return err;
}
