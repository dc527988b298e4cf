/*
 * The last segment is open while groups go to it.  At a start it is gone on
 * with if nothing lies behind its last group; what lies there could come to
 * light again behind a shorter one.
 *
 * A group that fails leaves its segment for good: a sync that failed has left
 * pages of which nobody knows.  Had the segment nothing else, its file is begun
 * anew, so that a disk that is full for an hour does not leave a file for each
 * attempt.
 */
#include "store/journal_log.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "store/files.h"
#include "store/journal_impl.h"
#include "store/segment_file.h"

static void
take_spare(struct journal_log *log)
{
    if (log->dir >= 0 && log->spare < 0)
        log->spare = fcntl(log->dir, F_DUPFD_CLOEXEC, 0);
}

static void
give_spare(struct journal_log *log)
{
    if (log->spare >= 0)
        (void)close(log->spare);
    log->spare = -1;
}

enum err
journal_log_open_file(struct journal_log *log, sqlite3_file **out,
                      uint64_t number, enum segment_how how)
{
    give_spare(log);
    enum err err =
        segment_file_open(out, log->owner.dir, log->owner.base, number, how);

    take_spare(log);
    return err;
}

static enum err
open_dir(struct journal_log *log)
{
    if (!log->owner.db)
        return OK;
    log->dir = open(log->owner.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    take_spare(log);
    return log->dir < 0 ? ERR_STORE : OK;
}

enum err
journal_log_open(struct journal_log **out, const struct journal_owner *owner)
{
    struct journal_log *log = calloc(1, sizeof(*log));
    struct buf numbers = {0};
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (!log)
        return ERR_NOMEM;
    log->owner = *owner;
    log->dir = log->spare = -1;
    if ((err = open_dir(log)) ||
        (err = segment_files_check(owner->dir, owner->base)) ||
        (err = segment_files_list(owner->dir, owner->base, &numbers)) ||
        (err = journal_log_scan(log, &numbers)))
        goto out;
    log->next_seq = 1;
    for (size_t i = 0; i < journal_log_len(log); i++)
        journal_log_begin_at(log, journal_log_at(log, i)->last + 1);
    *out = log;
    log = NULL;
out:
    buf_fini(&numbers);
    journal_log_close(log);
    return err;
}

void
journal_log_close(struct journal_log *log)
{
    if (!log)
        return;
    for (size_t i = 0; i < journal_log_len(log); i++)
        segment_file_close(journal_log_at(log, i)->kept);
    segment_file_close(log->active);
    segment_group_fini(&log->group);
    buf_fini(&log->list);
    give_spare(log);
    if (log->dir >= 0)
        (void)close(log->dir);
    free(log);
}

/* ---- appending ---- */

/* A segment goes on without a gap: behind one there is another. */
void
journal_log_begin_at(struct journal_log *log, uint64_t seq)
{
    const struct journal_segment *last = journal_log_newest(log);

    if (log->next_seq < seq)
        log->next_seq = seq;
    if (last && last->last + 1 < log->next_seq && log->active) {
        segment_file_close(log->active);
        log->active = NULL;
    }
}

enum err
journal_log_add(struct journal_log *log, const struct stub_batch *batch,
                struct digest128 digest, uint64_t *seq)
{
    enum err err = segment_group_add(&log->group, batch, digest);

    if (err)
        journal_log_forget(log);
    else
        *seq = log->next_seq + log->group.rows - 1;
    return err;
}

void
journal_log_forget(struct journal_log *log)
{
    segment_group_reset(&log->group);
}

static void
leave(struct journal_log *log)
{
    segment_file_close(log->active);
    log->active = NULL;
}

/* Has |log->active| open, and the segment that it is in |out|. */
static enum err
choose(struct journal_log *log, struct journal_segment *out)
{
    const struct journal_segment *last = journal_log_newest(log);

    if (last && last->end >= JOURNAL_SEGMENT_BYTES)
        leave(log);
    if (last && log->active && segment_file_is_gone(log->active)) {
        log_error("a file of the journal was removed while it is written: the "
                  "next one is begun",
                  "number", "%llu", (unsigned long long)last->number);
        leave(log);
    }
    if (last && log->active) {
        *out = *last;
        return OK;
    }
    *out = (struct journal_segment){.number = log->next_number,
                                    .first = log->next_seq};
    /* Room for it first: what is acknowledged must be in the list. */
    if (!buf_grow(&log->list, sizeof(*out))) {
        log->list.failed = false;
        return ERR_NOMEM;
    }
    return journal_log_open_file(log, &log->active, out->number, SEGMENT_WRITE);
}

static int
write_all(sqlite3_file *file, str bytes, int64_t at)
{
    int rc = SQLITE_OK;

    for (size_t done = 0; done < bytes.len && rc == SQLITE_OK;) {
        size_t some =
            bytes.len - done < SEGMENT_PIECE ? bytes.len - done : SEGMENT_PIECE;
        rc = file->pMethods->xWrite(file, bytes.ptr + done, (int)some,
                                    at + (int64_t)done);
        done += some;
    }
    return rc;
}

/* Has on the disk what was written to the active segment, and its name.  SQLite
 * does sync the directory of a new file, but does not say whether that failed.
 */
static enum err
sync_active(struct journal_log *log, bool is_new)
{
    uint64_t begin_ns = clock_mono_ns();
    int rc = log->active->pMethods->xSync(log->active, SQLITE_SYNC_NORMAL);

    if (rc == SQLITE_OK && is_new && files_sync_dir(log->dir) != 0)
        rc = SQLITE_IOERR_DIR_FSYNC;
    metrics_observe(METRIC_FSYNC_SECONDS, clock_mono_ns() - begin_ns);
    return segment_file_fail("the journal cannot be synced", rc);
}

static enum err
write_group(struct journal_log *log, struct journal_segment *segment)
{
    const struct segment_id id = {log->owner.store, segment->number,
                                  segment->first};
    str bytes;
    enum err err = segment_group_end(&log->group, &id, log->next_seq, &bytes);

    if (err)
        return err;
    int rc = write_all(log->active, bytes, segment->end);
    bool is_new = segment->end == 0;
    segment->end += (int64_t)bytes.len;
    /* A new file is on the disk before the database names it. */
    if (rc == SQLITE_OK && (is_new || log->owner.db->sync == DBFILE_SYNC_FULL))
        return sync_active(log, is_new);
    return segment_file_fail("the journal cannot be written", rc);
}

/* What is true once the group is written. */
static void
note_group(struct journal_log *log, struct journal_segment *segment)
{
    const struct segment_group *group = &log->group;
    struct journal_segment *last = journal_log_newest(log);
    bool is_new = !last || segment->number == log->next_number;
    int64_t before = is_new ? 0 : last->end;

    log->next_seq += group->rows;
    log->stubs += group->stubs;
    log->bytes += segment->end - before;
    segment->last = log->next_seq - 1;
    segment->stubs += group->stubs;
    if (segment->first_ns == 0)
        segment->first_ns = group->last_ns;
    if (segment->last_ns < group->last_ns)
        segment->last_ns = group->last_ns;
    if (is_new) {
        buf_add(&log->list, (str){(const char *)segment, sizeof(*segment)});
        log->next_number++;
    } else {
        *last = *segment;
    }
}

enum err
journal_log_commit(struct journal_log *log)
{
    struct journal_segment segment;
    enum err err;

    if (log->group.rows == 0)
        return OK;
    if (!(err = choose(log, &segment)) && !(err = write_group(log, &segment)) &&
        log->owner.note)
        err = log->owner.note(log->owner.ctx, segment.number);
    if (err)
        leave(log);
    else
        note_group(log, &segment);
    journal_log_forget(log);
    return err;
}

/* ---- what there is ---- */

const struct journal_segment *
journal_log_oldest(const struct journal_log *log)
{
    return journal_log_len(log) ? journal_log_at(log, 0) : NULL;
}

uint64_t
journal_log_last_number(const struct journal_log *log)
{
    for (size_t i = journal_log_len(log); i > 0; i--) {
        if (journal_log_at(log, i - 1)->last != 0)
            return journal_log_at(log, i - 1)->number;
    }
    return 0;
}

uint64_t
journal_log_first_seq(const struct journal_log *log)
{
    for (size_t i = 0; i < journal_log_len(log); i++) {
        if (journal_log_at(log, i)->last != 0)
            return journal_log_at(log, i)->first;
    }
    return INT64_MAX;
}

uint64_t
journal_log_next_seq(const struct journal_log *log)
{
    return log->next_seq;
}

uint64_t
journal_log_stubs(const struct journal_log *log)
{
    return log->stubs;
}

int64_t
journal_log_bytes(const struct journal_log *log)
{
    return log->bytes;
}

void
journal_log_roll(struct journal_log *log, uint64_t stubs, uint64_t before_ns)
{
    const struct journal_segment *last = journal_log_newest(log);

    if (last && (last->stubs > stubs || last->first_ns < before_ns))
        leave(log);
}

void
journal_log_seal_oldest(struct journal_log *log)
{
    if (journal_log_len(log) == 1)
        leave(log);
}

void
journal_log_drop(struct journal_log *log)
{
    struct journal_segment *oldest = journal_log_at(log, 0);
    size_t rest = log->list.len - sizeof(*oldest);

    (void)segment_file_remove(log->owner.dir, log->owner.base, oldest->number);
    log->stubs -= oldest->stubs;
    log->bytes -= oldest->end;
    memmove(log->list.ptr, log->list.ptr + sizeof(*oldest), rest);
    log->list.len = rest;
}
