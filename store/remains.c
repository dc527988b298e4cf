/*
 * That there was a spool is known by its lock, a file that stays; those of the
 * other databases are made for a restore, too, that may have none of them.
 *
 * With commits that are not synced a log can be taken for damaged that a loss
 * of power left so: then too something is not there that was.
 */
#include "store/remains.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/metrics.h"
#include "store/files.h"
#include "store/moved.h"
#include "store/wal.h"

static bool
is_there(const char *dir, const char *name)
{
    char *path = files_path(dir, name);
    bool is_there = path && access(path, F_OK) == 0;

    free(path);
    return is_there;
}

static enum err
look_at_log(const struct dbfile *file, struct wal_state *out)
{
    struct buf path = {0};

    buf_printf(&path, "%s-wal", file->path);
    enum err err = path.failed ? ERR_NOMEM : wal_look(buf_cstr(&path), out);
    buf_fini(&path);
    return err == ERR_NOT_FOUND ? OK : err;
}

static void
tell_rest(const struct dbfile *file, const struct wal_state *log)
{
    log_warn("the last transaction of a database is left out: it failed, was "
             "being written as the power went, or is damaged",
             "file", "%s-wal, %u pages", file->spec->file, log->rest);
}

/* Leaves out of a damaged log what is in the database already.  Others than
 * the owner may read what is made again if it is lost: it stays as it is. */
static enum err
cure(struct dbfile *file, struct wal_state *log, struct buf *why)
{
    bool is_cut = false;
    enum err err = moved_cure(file, log, &is_cut, why);

    if (err == ERR_BUSY && !file->spec->is_alone) {
        buf_reset(why);
        return OK;
    }
    return is_cut ? look_at_log(file, log) : err;
}

static enum err
check(struct dbfile *file, bool was_there, struct buf *why)
{
    struct wal_state log = {0};
    int64_t len = files_size(file->path);
    enum err err = look_at_log(file, &log);

    if (err || (len > 0 && (err = cure(file, &log, why))))
        return err;
    file->wal_pages = (int)log.used;
    if (file->spec->is_saved && was_there && len == 0)
        buf_printf(why, "%s is missing or empty, and there was one",
                   file->path);
    else if (log.damaged)
        buf_printf(why,
                   "%s-wal is damaged, and what was written behind that: %u of "
                   "%u pages",
                   file->path, log.frames - log.used, log.frames);
    else if (log.rest)
        tell_rest(file, &log);
    if (why->len == 0)
        return OK;
    if (file->spec->is_saved)
        return ERR_CORRUPT;
    metrics_add(METRIC_DATABASES_DAMAGED, 1);
    log_error("a database has lost what was in it", "what", "%s",
              buf_cstr(why));
    buf_reset(why);
    return OK;
}

enum err
remains_lock(struct dbfile *file, struct buf *why)
{
    const struct dbfile_spec *spec = file->spec;
    bool was_there = is_there(file->dir, spec->lock);
    enum err err = files_lock(file->dir, spec->lock, &file->lock_fd, why);

    return err ? err : check(file, was_there, why);
}
