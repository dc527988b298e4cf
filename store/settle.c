/*
 * The log can hold what was never put on the disk: its writer died before it
 * asked for that, or asked and the disk failed, after which the system takes
 * the pages for clean and never writes them again, whatever a later sync says.
 * Such a log can be read, and goes with the power.  So it is written again, as
 * it reads, and synced.  Being the same bytes, a mixture of old and new is no
 * worse than either.
 */
#include "store/dbfile.h"

#include <stdlib.h>

#include "base/log.h"

enum { CHUNK = 1 << 16 };

sqlite3_file *
dbfile_log(const struct dbfile *file)
{
    sqlite3_file *log = NULL;

    if (sqlite3_file_control(file->db, "main", SQLITE_FCNTL_JOURNAL_POINTER,
                             (void *)&log) != SQLITE_OK ||
        !log || !log->pMethods)
        return NULL;
    return log;
}

int
dbfile_rewrite(sqlite3_file *file, int64_t from, int64_t to)
{
    void *chunk = malloc(CHUNK);
    int rc = chunk ? SQLITE_OK : SQLITE_NOMEM;

    for (int64_t at = from; at < to && rc == SQLITE_OK; at += CHUNK) {
        int some = to - at < CHUNK ? (int)(to - at) : CHUNK;
        rc = file->pMethods->xRead(file, chunk, some, at);
        if (rc == SQLITE_OK)
            rc = file->pMethods->xWrite(file, chunk, some, at);
    }
    free(chunk);
    return rc == SQLITE_OK ? file->pMethods->xSync(file, SQLITE_SYNC_NORMAL)
                           : rc;
}

enum err
dbfile_settle(struct dbfile *db)
{
    bool is_wanted = db->sync == DBFILE_SYNC_FULL || db->in_doubt;
    int64_t tables;
    sqlite3_int64 len = 0;
    enum err err =
        is_wanted ? dbfile_query_int(db, "SELECT count(*) FROM sqlite_schema",
                                     &tables) /* opens the log */
                  : OK;
    sqlite3_file *file = dbfile_log(db);

    if (!err && is_wanted && file) {
        int rc = file->pMethods->xFileSize(file, &len);
        if (rc == SQLITE_OK && len > 0)
            rc = dbfile_rewrite(file, 0, len);
        err = dbfile_fail(db, rc);
    }
    db->in_doubt = err != OK;
    db->is_settled = !err && is_wanted;
    return err;
}

/* What is written to a file without a name is nowhere once it is closed. */
enum err
dbfile_ready(struct dbfile *db)
{
    int is_gone = 0;

    (void)sqlite3_file_control(db->db, "main", SQLITE_FCNTL_HAS_MOVED,
                               &is_gone);
    if (is_gone) {
        log_error("the database was removed or replaced while it is written: "
                  "put it back, or restart for a new one",
                  "file", "%s", db->path);
        return ERR_STORE;
    }
    return db->in_doubt ? dbfile_settle(db) : OK;
}

enum err
dbfile_sync_log(struct dbfile *db)
{
    sqlite3_file *file = dbfile_log(db);

    if (db->in_doubt)
        return dbfile_settle(db);
    if (!file)
        return OK;
    return dbfile_fail(db, file->pMethods->xSync(file, SQLITE_SYNC_NORMAL));
}
