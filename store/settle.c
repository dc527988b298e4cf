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

static int
rewrite(sqlite3_file *file, sqlite3_int64 len, void *chunk)
{
    int rc = SQLITE_OK;

    for (sqlite3_int64 at = 0; at < len && rc == SQLITE_OK; at += CHUNK) {
        int some = len - at < CHUNK ? (int)(len - at) : CHUNK;
        rc = file->pMethods->xRead(file, chunk, some, at);
        if (rc == SQLITE_OK)
            rc = file->pMethods->xWrite(file, chunk, some, at);
    }
    return rc == SQLITE_OK ? file->pMethods->xSync(file, SQLITE_SYNC_NORMAL)
                           : rc;
}

enum err
dbfile_settle(struct dbfile *db)
{
    int64_t tables;
    sqlite3_int64 len = 0;
    void *chunk = NULL;
    enum err err =
        db->sync == DBFILE_SYNC_FULL
            ? dbfile_query_int(db, "SELECT count(*) FROM sqlite_schema",
                               &tables) /* opens the log */
            : OK;
    sqlite3_file *file = dbfile_log(db);

    if (err || db->sync != DBFILE_SYNC_FULL || !file)
        goto out;
    int rc = file->pMethods->xFileSize(file, &len);
    if (rc == SQLITE_OK && len > 0) {
        err = ERR_NOMEM;
        chunk = malloc(CHUNK);
        if (!chunk)
            goto out;
        rc = rewrite(file, len, chunk);
    }
    err = dbfile_fail(db, rc);
out:
    db->in_doubt = err != OK;
    free(chunk);
    return err;
}
