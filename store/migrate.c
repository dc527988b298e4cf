/*
 * VACUUM INTO gives a copy that is one file and consistent, whatever is still
 * in the WAL.  It is made under another name and renamed, so that a copy cut
 * short by a crash is never taken for a backup.
 */
#include "store/migrate.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/schema.h"

/* Says the version once more, where a byte that is damaged makes no other
 * number of it. */
#define STATE_VERSION                                                       \
    "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL);" \
    "DELETE FROM schema_version;"                                           \
    "INSERT INTO schema_version VALUES (%zu);"

static int
step(sqlite3 *db, const char *migration, size_t number)
{
    char versions[320];
    int rc;

    snprintf(
        versions, sizeof(versions),
        "PRAGMA application_id = %d; PRAGMA user_version = %zu;" STATE_VERSION
        "COMMIT",
        SCHEMA_APPLICATION_ID, number, number);
    if ((rc = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL)) ||
        (rc = sqlite3_exec(db, migration, NULL, NULL, NULL)) ||
        (rc = sqlite3_exec(db, versions, NULL, NULL, NULL))) {
        if (!sqlite3_get_autocommit(db))
            (void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    }
    return rc;
}

int
migrate_run(sqlite3 *db, const char *const *migrations, size_t len,
            int64_t version)
{
    int rc = SQLITE_OK;

    for (size_t i = (size_t)version; i < len && rc == SQLITE_OK; i++)
        rc = step(db, migrations[i], i + 1);
    return rc;
}

static int
read_number(sqlite3 *db, const char *sql, int64_t *out)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    *out = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
    sqlite3_finalize(stmt);
    return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

int
migrate_stated(sqlite3 *db, int64_t *out)
{
    int rc = read_number(db,
                         "SELECT count(*) FROM sqlite_schema"
                         " WHERE type = 'table' AND name = 'schema_version'",
                         out);

    if (rc != SQLITE_OK || *out == 0)
        return rc;
    return read_number(db, "SELECT max(version) FROM schema_version", out);
}

int
migrate_state(sqlite3 *db, size_t version)
{
    char sql[256];
    int64_t stated;
    int rc = migrate_stated(db, &stated);

    if (rc != SQLITE_OK || stated == (int64_t)version)
        return rc;
    snprintf(sql, sizeof(sql), "BEGIN IMMEDIATE;" STATE_VERSION "COMMIT",
             version);
    rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
    if (rc != SQLITE_OK && !sqlite3_get_autocommit(db))
        (void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}

int
migrate_backup(sqlite3 *db, const char *path)
{
    char *partial = sqlite3_mprintf("%s.part", path);
    char *sql = sqlite3_mprintf("VACUUM INTO %Q", partial);
    int rc = SQLITE_NOMEM;

    if (!partial || !sql)
        goto out;
    /* An empty file of ours is taken over with its mode. */
    (void)unlink(partial);
    int fd = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    rc = SQLITE_CANTOPEN;
    if (fd < 0)
        goto out;
    close(fd);
    rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
    if (rc == SQLITE_OK && rename(partial, path) != 0)
        rc = SQLITE_IOERR;
    if (rc != SQLITE_OK)
        (void)unlink(partial);
out:
    sqlite3_free(sql);
    sqlite3_free(partial);
    return rc;
}
