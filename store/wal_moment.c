/*
 * What was to be read of a log is up to the last frame that commits, as
 * store/wal.c has it; a transaction behind that, of which something is wrong,
 * is one that failed or was being written as the power went.  But neither was
 * ever moved into the database: where pages of it are there, it counts.
 *
 * A frame that is lost does no harm if its page was written again, or if the
 * index says that it was moved (store/wal_scan.h).  Else the database as it was
 * after the transaction before it will do, if it is known: if what was first
 * written later was not moved yet, so that the page in the database is the one
 * of then.
 */
#include "store/wal_moment.h"

#include <stdlib.h>
#include <string.h>

/* ---- versions ---- */

static int
by_page(const void *x, const void *y)
{
    const struct wal_version *a = x;
    const struct wal_version *b = y;

    if (a->page != b->page)
        return a->page < b->page ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static enum err
list_versions(struct wal_moment *m)
{
    const struct wal_scan *scan = m->scan;

    free(m->versions);
    m->versions = calloc(scan->len, sizeof(*m->versions));
    if (!m->versions)
        return ERR_NOMEM;
    m->version_len = 0;
    for (uint32_t at = 0; at < scan->len; at++)
        if (scan->found[at].state != WAL_LOST)
            m->versions[m->version_len++] =
                (struct wal_version){scan->found[at].page, at};
    qsort(m->versions, m->version_len, sizeof(*m->versions), by_page);
    return OK;
}

/* The last frame with |page| before |end|, or NULL. */
const struct wal_version *
wal_moment_version(const struct wal_moment *m, uint32_t page, uint32_t end)
{
    size_t from = 0;
    size_t to = m->version_len;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const struct wal_version *version = &m->versions[middle];
        bool is_before = version->page < page ||
                         (version->page == page && version->at < end);
        from = is_before ? middle + 1 : from;
        to = is_before ? to : middle;
    }
    const struct wal_version *last = from > 0 ? &m->versions[from - 1] : NULL;
    return last && last->page == page ? last : NULL;
}

static bool
note(struct wal_moment *m, enum err err)
{
    if (err && err != ERR_NOT_FOUND)
        m->err = err;
    return err == OK;
}

/* Whether frame |at| was moved: its page is in the database, and that was
 * another one before |end|. */
static bool
was_moved(struct wal_moment *m, uint32_t at, uint32_t end)
{
    const struct wal_scan *scan = m->scan;
    const struct wal_version *before =
        wal_moment_version(m, scan->found[at].page, end);

    if (!note(m, wal_scan_read(scan, at, m->a)) ||
        !note(m, wal_scan_read_file(scan, scan->found[at].page, m->b)) ||
        memcmp(m->a, m->b, scan->page_len) != 0)
        return false;
    return !before || (note(m, wal_scan_read(scan, before->at, m->b)) &&
                       memcmp(m->a, m->b, scan->page_len) != 0);
}

/* Whether something at or behind |from| was. */
static bool
was_some_moved(struct wal_moment *m, uint32_t from)
{
    for (uint32_t at = from; at < m->end; at++)
        if (m->scan->found[at].state != WAL_LOST && was_moved(m, at, from))
            return true;
    return false;
}

/* ---- the end ---- */

static bool
commits(const struct wal_found *found)
{
    return found->state != WAL_LOST && found->size != 0;
}

/* Whether most of what is to be read up to |end|, and cannot be, is there.  A
 * commit that was not synced is in the index, and with the power its frames may
 * be gone: so it was to be. */
static bool
was_written(const struct wal_moment *m, uint32_t end)
{
    uint32_t there = 0;

    for (uint32_t at = m->frames; at < end; at++)
        there += m->scan->found[at].is_ours;
    return end > m->frames &&
           (there > (end - m->frames) / 2 || end <= m->scan->moved);
}

void
wal_moment_find_end(struct wal_moment *m)
{
    const struct wal_scan *scan = m->scan;
    bool is_plain = scan->is_head_plain;
    bool is_whole = true;
    uint32_t ends = 0; /* of those behind one another, how many commit */

    for (uint32_t at = 0; at < scan->len; at++) {
        const struct wal_found *found = &scan->found[at];
        bool is_lost = found->state == WAL_LOST;
        bool is_end = commits(found);
        is_plain &= found->is_plain;
        is_whole &= !is_lost;
        /* What fits behind an end was written when that was committed. */
        ends = is_lost ? found->is_ours && found->size : ends + is_end;
        if (found->is_ours || !is_lost)
            m->end = at + 1;
        if (!is_end || (!is_whole && ends < 2))
            continue;
        m->frames = at + 1;
        m->used = is_plain ? at + 1 : m->used;
    }
    if (was_written(m, scan->committed))
        m->frames = scan->committed;
    if (m->end < m->frames)
        m->end = m->frames;
    m->kept = m->used;
}

/* A last frame whose own sum is damaged has none behind it to prove it.  Its
 * page, in the database, does: others of its transaction are there, too. */
static bool
is_last_moved(struct wal_moment *m, uint32_t at)
{
    const struct wal_found *found = m->scan->found;
    uint32_t size = found[at].size;
    bool is_usual = size == m->scan->db_pages ||
                    (m->frames > 0 && size == found[m->frames - 1].size);

    return found[at].is_ours && is_usual && size > 0 && was_moved(m, at, at);
}

/* Where the database has what is behind the end, that was not the end. */
static enum err
move_end(struct wal_moment *m)
{
    struct wal_found *found = m->scan->found;
    uint32_t commit = m->frames;
    uint32_t at = m->frames;

    m->is_end_known = true;
    if (!was_some_moved(m, m->frames))
        return m->err;
    for (; at < m->end; at++)
        if (commits(&found[at]))
            commit = at + 1;
    for (at = m->frames; at < m->end && found[at].state != WAL_LOST;)
        at++;
    bool is_last =
        commit == m->frames && at + 1 == m->end && is_last_moved(m, at);
    if (is_last) {
        found[at].state = WAL_IN_FILE;
        commit = at + 1;
    }
    m->is_end_known = commit > m->frames;
    m->frames = commit;
    return is_last ? list_versions(m) : m->err;
}

/* ---- which moment ---- */

/* Whether a frame that is lost has at least the number of its page.  What tears
 * that and the page tears the salt between them; what tears it from the other
 * side, the frame before. */
static bool
has_number(const struct wal_moment *m, uint32_t at)
{
    bool is_last_sound = at > 0 ? m->scan->found[at - 1].state != WAL_LOST
                                : m->scan->is_head_plain;

    return m->scan->found[at].is_ours && is_last_sound;
}

/* Whether each page is known that was written before |end|. */
static bool
is_all_known(const struct wal_moment *m, uint32_t end)
{
    const struct wal_found *found = m->scan->found;

    if (end > m->scan->moved && !commits(&found[end - 1]))
        return false;
    for (uint32_t at = m->scan->moved; at < end; at++) {
        if (found[at].state != WAL_LOST)
            continue;
        const struct wal_version *last =
            has_number(m, at) ? wal_moment_version(m, found[at].page, end)
                              : NULL;
        if (!last || last->at < at)
            return false;
    }
    return true;
}

/* Whether what is behind |end| left nothing in the database that is not known
 * as it was before. */
static bool
is_cut(struct wal_moment *m, uint32_t end)
{
    const struct wal_found *found = m->scan->found;

    if (!was_some_moved(m, end))
        return true;
    for (uint32_t at = end; at < m->end; at++) {
        bool is_lost = found[at].state == WAL_LOST;
        const struct wal_version *last =
            !is_lost || has_number(m, at)
                ? wal_moment_version(m, found[at].page, end)
                : NULL;
        bool is_known = last && last->at >= m->scan->moved;
        if (!is_known && (is_lost || was_moved(m, at, end)))
            return false;
    }
    return true;
}

/* The last end of a transaction before anything that is lost. */
static uint32_t
last_whole(const struct wal_moment *m)
{
    uint32_t last = m->scan->moved;

    for (uint32_t at = last; at < m->frames; at++) {
        if (m->scan->found[at].state == WAL_LOST)
            break;
        last = commits(&m->scan->found[at]) ? at + 1 : last;
    }
    return last;
}

static enum err
choose(struct wal_moment *m)
{
    m->kept = m->frames;
    if (is_all_known(m, m->frames) && (m->is_end_known || is_cut(m, m->frames)))
        return m->err;
    m->kept = last_whole(m);
    bool is_good = is_cut(m, m->kept);
    if (m->err)
        return m->err;
    return is_good ? OK : ERR_CORRUPT;
}

enum err
wal_moment_choose(struct wal_moment *m)
{
    enum err err = list_versions(m);

    m->a = malloc(m->scan->page_len);
    m->b = malloc(m->scan->page_len);
    if (err || !m->a || !m->b)
        return ERR_NOMEM;
    err = move_end(m);
    return err ? err : choose(m);
}

void
wal_moment_fini(struct wal_moment *m)
{
    free(m->versions);
    free(m->a);
    free(m->b);
    *m = (struct wal_moment){0};
}
