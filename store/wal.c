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

#include "store/wal_frame.h"

enum {
    PAGES_AT = 28, /* of the first page: how many there are; 0: ask the log */
};

struct wal {
    int fd;
    uint8_t head[WAL_HEAD];
    bool is_head_sound;
    bool is_big;
    size_t frame_len;
    uint8_t *frame;          /* the one that was read last */
    uint8_t before[WAL_SUM]; /* what the one before says of itself */
    uint32_t number;         /* of the frame, from 1 */
    bool is_ours;
    bool is_sound;
};

static struct wal_sum
sum_frame(const struct wal *wal, struct wal_sum sum)
{
    return wal_frame_sum(sum, wal->frame, wal->frame + WAL_FRAME_HEAD,
                         wal->frame_len - WAL_FRAME_HEAD, wal->is_big);
}

/* ---- reading ---- */

/* Makes of a head that is not sound one that the frames agree with, as far as
 * can be told. */
static void
guess_head(struct wal *wal)
{
    uint8_t first[WAL_FRAME_HEAD];

    wal_frame_guess_head(wal->head);
    if (!wal_frame_is_page_len(wal_frame_get(wal->head + WAL_HEAD_PAGE_LEN)))
        wal_frame_put(wal->head + WAL_HEAD_PAGE_LEN, WAL_PAGE_USUAL);
    if (pread(wal->fd, first, sizeof(first), WAL_HEAD) == WAL_FRAME_HEAD)
        memcpy(wal->head + WAL_HEAD_SALT, first + WAL_FRAME_SALT, WAL_SALT);
}

static enum err
wal_open(struct wal *wal, const char *path)
{
    /* A FIFO is not waited for; it cannot be read at a place. */
    *wal = (struct wal){
        .fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    if (wal->fd < 0)
        return ERR_NOT_FOUND;
    if (pread(wal->fd, wal->head, WAL_HEAD, 0) != WAL_HEAD)
        return ERR_NOT_FOUND;
    wal->is_head_sound = wal_frame_head_is_sound(wal->head);
    memcpy(wal->before, wal->head + WAL_HEAD_SUM, WAL_SUM);
    if (!wal->is_head_sound)
        guess_head(wal);
    wal->is_big = wal_frame_is_big(wal->head);
    wal->frame_len =
        WAL_FRAME_HEAD + wal_frame_get(wal->head + WAL_HEAD_PAGE_LEN);
    wal->frame = calloc(1, wal->frame_len);
    return wal->frame ? OK : ERR_NOMEM;
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
        memcpy(wal->before, wal->frame + WAL_FRAME_SUM, WAL_SUM);
    off_t at = WAL_HEAD + (off_t)(wal->number * (uint64_t)wal->frame_len);
    if (pread(wal->fd, wal->frame, wal->frame_len, at) !=
        (ssize_t)wal->frame_len)
        return false;
    struct wal_sum sum = sum_frame(wal, wal_frame_get_sum(wal->before));
    struct wal_sum said = wal_frame_get_sum(wal->frame + WAL_FRAME_SUM);
    wal->number++;
    wal->is_ours = memcmp(wal->frame + WAL_FRAME_SALT,
                          wal->head + WAL_HEAD_SALT, WAL_SALT) == 0;
    wal->is_sound = wal->is_ours && wal_frame_get(wal->frame) != 0 &&
                    sum.a == said.a && sum.b == said.b;
    return true;
}

static bool
commits(const struct wal *wal)
{
    return wal_frame_get(wal->frame + 4) != 0;
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

/* Copies the frames up to number |last|, each with the sum that it has there.
 */
static enum err
copy_frames(struct wal *wal, int fd, uint32_t last, bool with_damaged)
{
    uint8_t head[WAL_HEAD];
    uint8_t frame_sum[WAL_SUM];

    memcpy(head, wal->head, WAL_HEAD);
    struct wal_sum sum = wal_frame_add((struct wal_sum){0, 0}, head,
                                       WAL_HEAD_SUMMED, wal->is_big);
    wal_frame_put_sum(head + WAL_HEAD_SUM, sum);
    enum err err = write_all(fd, head, WAL_HEAD);
    while (!err && wal->number < last && next_frame(wal)) {
        if (!wal->is_ours || wal_frame_get(wal->frame) == 0 ||
            (!wal->is_sound && !with_damaged))
            continue;
        if (wal_frame_get(wal->frame) == 1)
            wal_frame_put(wal->frame + WAL_FRAME_HEAD + PAGES_AT, 0);
        memcpy(frame_sum, wal->frame + WAL_FRAME_SUM, WAL_SUM);
        sum = sum_frame(wal, sum);
        wal_frame_put_sum(wal->frame + WAL_FRAME_SUM, sum);
        err = write_all(fd, wal->frame, wal->frame_len);
        memcpy(wal->frame + WAL_FRAME_SUM, frame_sum, WAL_SUM);
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
