/*
 * Statements are prepared once and reset after each use, so that none is left
 * in the middle when a transaction ends.  All parameters of a statement are
 * bound at each use; nothing is cleared in between.
 */
#include "store/impl.h"

#include "base/log.h"
#include "store/files.h"

static const char *const statement_sql[STMT_COUNT] = {
#define STATEMENT_SQL(id, sql) [STMT_##id] = (sql),
    STATEMENTS(STATEMENT_SQL)
#undef STATEMENT_SQL
};

enum err
store_fail(struct store *st, int rc)
{
    int code = rc & 0xff;

    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE)
        return OK;
    log_error("the database refused", "sqlite", "%s (%d)",
              st->db ? sqlite3_errmsg(st->db) : sqlite3_errstr(rc), rc);
    if (code == SQLITE_NOMEM)
        return ERR_NOMEM;
    st->in_doubt |= code == SQLITE_IOERR;
    if (code != SQLITE_CORRUPT && code != SQLITE_NOTADB)
        return ERR_STORE;
    files_mark_suspect(st->dir);
    return ERR_CORRUPT;
}

enum err
store_prepare_all(struct store *st)
{
    for (int id = 0; id < STMT_COUNT; id++) {
        int rc =
            sqlite3_prepare_v3(st->db, statement_sql[id], -1,
                               SQLITE_PREPARE_PERSISTENT, &st->stmt[id], NULL);
        if (rc == SQLITE_OK)
            continue;
        enum err err = store_fail(st, rc);
        return (rc & 0xff) == SQLITE_ERROR ? ERR_CORRUPT : err;
    }
    return OK;
}

sqlite3_stmt *
store_bind(struct store *st, enum statement id, const int64_t *values,
           size_t len)
{
    sqlite3_stmt *stmt = st->stmt[id];

    for (size_t i = 0; i < len; i++)
        sqlite3_bind_int64(stmt, (int)i + 1, values[i]);
    return stmt;
}

enum err
store_run(struct store *st, sqlite3_stmt *stmt)
{
    int rc = sqlite3_step(stmt);

    enum err err = rc == SQLITE_DONE ? OK : store_fail(st, rc);
    sqlite3_reset(stmt);
    return err;
}

bool
store_next(struct store *st, sqlite3_stmt *stmt, enum err *err)
{
    int rc = sqlite3_step(stmt);

    if (rc == SQLITE_ROW)
        return true;
    *err = store_fail(st, rc);
    sqlite3_reset(stmt);
    return false;
}

enum err
store_exec(struct store *st, const char *sql)
{
    return store_fail(st, sqlite3_exec(st->db, sql, NULL, NULL, NULL));
}

enum err
store_query_int(struct store *st, const char *sql, int64_t *out)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(st->db, sql, -1, &stmt, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    *out = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
    enum err err = store_fail(st, rc);
    sqlite3_finalize(stmt);
    return err;
}
