/*
 * What a start makes of the segments.  They are looked at from the last to the
 * first, since the first seq of one says how far those before it count: behind
 * that they have what was refused.
 */
#include "store/journal_impl.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/segment_file.h"

static const char cut_off[] =
    "a segment of the journal speaks of what the database does not know: is"
    " that a copy?";

/* Adds the rows of the group that |walk| stands on, before |limit|. */
static void
count_group(struct journal_segment *segment, const struct segment_walk *walk,
            uint64_t limit)
{
    for (uint32_t i = 0; i < walk->rows; i++) {
        struct segment_row row = segment_walk_row(walk, i);
        if (row.seq >= limit)
            break;
        segment->last = row.seq;
        if (segment->first_ns == 0)
            segment->first_ns = row.received_ns;
        segment->stubs += row.bytes > 0 ? row.stubs : 0;
        if (segment->last_ns < row.received_ns)
            segment->last_ns = row.received_ns;
    }
    segment->end = walk->end;
}

/* Fills |segment| with what counts of the file: rows before |limit|.  Who only
 * reads looks while the owner writes. */
static enum err
scan(struct journal_segment *segment, struct segment_walk *walk, uint64_t limit,
     bool is_owner, int64_t *last_at)
{
    enum err err;

    *last_at = 0;
    while (!(err = segment_walk_next(walk)) && walk->seq < limit) {
        *last_at = walk->at;
        count_group(segment, walk, limit);
    }
    segment->first = walk->id.first;
    if (err && err != ERR_NOT_FOUND)
        return err;
    if (limit != INT64_MAX)
        return OK;
    /* Of what lies behind all others nobody knows whether it was acknowledged:
     * what cannot be read may be another time. */
    if (walk->unread > *last_at)
        return ERR_STORE;
    if (is_owner && segment->last != 0 && walk->size > segment->end)
        log_warn("the journal ends with what is no group: it was being written,"
                 " or is damaged",
                 "bytes", "%lld", (long long)(walk->size - segment->end));
    return OK;
}

/* Puts on the disk what counts: the last group as it reads, for a write behind
 * it may have failed and taken its last page with it, and what the system still
 * has of those before it. */
static enum err
settle(const struct journal_log *log, sqlite3_file *file,
       const struct journal_segment *segment, int64_t from)
{
    if (!log->owner.db || log->owner.db->sync != DBFILE_SYNC_FULL ||
        segment->last == 0)
        return OK;
    return segment_file_fail("the journal cannot be settled",
                             dbfile_rewrite(file, from, segment->end));
}

enum { STRAY_CAP = 96 };

/* What is put aside is as if of a database of that name. */
static void
stray_name(char out[STRAY_CAP], const struct journal_owner *owner)
{
    snprintf(out, STRAY_CAP, "%s.stray-%llu", owner->base,
             (unsigned long long)(owner->now_ns / NS_PER_S));
}

static enum err
put_aside(const struct journal_owner *owner, uint64_t number, const char *what)
{
    char name[STRAY_CAP];

    if (!owner->db)
        return OK;
    stray_name(name, owner);
    log_error(what, "put_aside_as", "%s-seg%llu", name,
              (unsigned long long)number);
    return segment_file_move(owner->dir, owner->base, name, number) ? ERR_STORE
                                                                    : OK;
}

/* Whether groups can go to what is the last segment. */
static bool
goes_on(const struct journal_log *log, const struct journal_segment *segment,
        int64_t size)
{
    return log->owner.db && journal_log_len(log) == 0 && segment->last != 0 &&
           segment->end == size;
}

static enum err
keep(struct journal_log *log, const struct journal_segment *segment)
{
    log->stubs += segment->stubs;
    log->bytes += segment->end;
    buf_add(&log->list, (str){(const char *)segment, sizeof(*segment)});
    return log->list.failed ? ERR_NOMEM : OK;
}

/* Looks at segment |number|; |limit| is the first seq that later ones have, and
 * becomes that of this one. */
static enum err
take(struct journal_log *log, uint64_t number, uint64_t *limit)
{
    const struct journal_owner *owner = &log->owner;
    struct journal_segment segment = {.number = number};
    struct segment_walk walk = {0};
    sqlite3_file *file = NULL;
    int64_t last_at = 0;
    enum err err = segment_file_open(&file, owner->dir, owner->base, number,
                                     owner->db ? SEGMENT_WRITE : SEGMENT_READ);

    if (err) /* it may be gone by now */
        return owner->db || err != ERR_NOT_FOUND ? err : OK;
    if ((err = segment_walk_begin(&walk, file, owner->store, number)) ||
        (err = scan(&segment, &walk, *limit, owner->db != NULL, &last_at)))
        goto out;
    if (walk.is_foreign) {
        err = put_aside(owner, number,
                        "a segment of the journal is that of another database");
        goto out;
    }
    if (segment.first > *limit) { /* a cut could not go on */
        err = put_aside(owner, number, cut_off);
        goto out;
    }
    if (owner->db && segment.first == 0 && walk.size > 0)
        log_warn("a segment of the journal has nothing that is whole", "number",
                 "%llu", (unsigned long long)number);
    bool is_open = goes_on(log, &segment, walk.size);
    if ((err = settle(log, file, &segment, last_at)))
        goto out;
    if (segment.first != 0 && segment.first < *limit)
        *limit = segment.first;
    if (!owner->db)
        segment.kept = file;
    if ((err = keep(log, &segment)))
        goto out;
    if (is_open)
        log->active = file;
    if (is_open || !owner->db)
        file = NULL;
out:
    segment_walk_fini(&walk);
    segment_file_close(file);
    return err;
}

static void
reverse(struct journal_log *log)
{
    for (size_t i = 0, k = journal_log_len(log); i + 1 < k; i++) {
        struct journal_segment other = *journal_log_at(log, --k);
        *journal_log_at(log, k) = *journal_log_at(log, i);
        *journal_log_at(log, i) = other;
    }
}

/* Whether a file is empty or has a group of ours. */
static enum err
is_ours(const struct journal_owner *owner, uint64_t number, bool *ours)
{
    struct segment_walk walk = {0};
    sqlite3_file *file = NULL;
    enum err err =
        segment_file_open(&file, owner->dir, owner->base, number, SEGMENT_READ);

    if (!err)
        err = segment_walk_begin(&walk, file, owner->store, number);
    if (!err)
        err = segment_walk_next(&walk);
    *ours = !err || (err == ERR_NOT_FOUND && walk.size == 0);
    segment_walk_fini(&walk);
    segment_file_close(file);
    return err == ERR_NOMEM ? err : OK;
}

/* Removes those that are said to be dead, once that is on the disk: by their
 * numbers, which those of another database can have, too. */
static enum err
remove_dead(const struct journal_owner *owner, const uint64_t *number,
            size_t len)
{
    enum err err = len > 0 && owner->db ? dbfile_sync_log(owner->db) : OK;

    for (size_t i = 0; i < len && owner->db && !err; i++) {
        bool ours = false;
        if ((err = is_ours(owner, number[i], &ours)))
            break;
        if (ours)
            (void)segment_file_remove(owner->dir, owner->base, number[i]);
        else
            err = put_aside(owner, number[i],
                            "a segment of the journal is not known to be that "
                            "of this database");
    }
    return err;
}

enum err
journal_log_scan(struct journal_log *log, const struct buf *numbers)
{
    const uint64_t *number = (const uint64_t *)(const void *)numbers->ptr;
    size_t len = numbers->len / sizeof(*number);
    size_t dead = 0;
    uint64_t limit = INT64_MAX;
    enum err err = OK;

    while (dead < len && number[dead] < log->owner.from)
        dead++;
    for (size_t i = len; i > dead && !err; i--)
        err = take(log, number[i - 1], &limit);
    reverse(log);
    log->next_number = log->owner.from > 1 ? log->owner.from : 1;
    if (len > 0 && number[len - 1] >= log->next_number)
        log->next_number = number[len - 1] + 1;
    return err ? err : remove_dead(&log->owner, number, dead);
}

/* Has the group that says what is lost on the disk; from its seq on nothing of
 * what was there before counts. */
static enum err
end_here(struct journal_log *log, const struct journal_cut *cut)
{
    enum err err = segment_group_add_lost(&log->group, cut->stubs);

    log->next_seq = cut->seq;
    if (!err)
        return journal_log_commit(log); /* to a new file, and so it is synced */
    journal_log_forget(log);
    return err;
}

/* Forgets what does not count any more; the numbers of the segments of which
 * that is all go to |strays|. */
static enum err
forget(struct journal_log *log, const struct journal_cut *cut,
       struct buf *strays)
{
    struct journal_segment *segment = journal_log_at(log, cut->at);
    size_t keep = cut->at + (cut->is_part ? 1 : 0);

    for (size_t i = keep; i < journal_log_len(log); i++) {
        const struct journal_segment *stray = journal_log_at(log, i);
        buf_add(strays, (str){(const char *)&stray->number, sizeof(uint64_t)});
        log->stubs -= stray->stubs;
        log->bytes -= stray->end;
    }
    if (strays->failed)
        return ERR_NOMEM;
    if (cut->is_part) {
        log->stubs -= segment->stubs - cut->kept;
        segment->stubs = cut->kept;
        segment->last = cut->seq - 1;
    }
    log->list.len = keep * sizeof(struct journal_segment);
    return OK;
}

/* What is left of the segment that is cut stays where it is, and all of it has
 * another name, too, if the file system can do that. */
static void
show_aside(const struct journal_owner *owner, uint64_t number)
{
    char name[STRAY_CAP];

    stray_name(name, owner);
    int code = segment_file_link(owner->dir, owner->base, name, number);
    log_error(cut_off, "is_also", "%s-seg%llu%s%s", name,
              (unsigned long long)number, code ? ": " : "",
              code ? strerror(code) : "");
}

enum err
journal_log_cut(struct journal_log *log, const struct journal_cut *cut)
{
    uint64_t number = journal_log_at(log, cut->at)->number;
    struct buf strays = {0};
    enum err err;

    segment_file_close(log->active);
    log->active = NULL;
    if ((err = forget(log, cut, &strays)) || (err = end_here(log, cut)))
        goto out;
    if (cut->is_part)
        show_aside(&log->owner, number);
    for (size_t at = 0; at < strays.len && !err; at += sizeof(number)) {
        memcpy(&number, strays.ptr + at, sizeof(number));
        err = put_aside(&log->owner, number, cut_off);
    }
out:
    buf_fini(&strays);
    return err;
}
