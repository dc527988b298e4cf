/*
 * Statements are prepared once and reset after each use, so that none is left
 * in the middle when a transaction ends.  All parameters of a statement are
 * bound at each use; nothing is cleared in between.
 */
#include "store/impl.h"

static const char *const statement_sql[STMT_COUNT] = {
#define STATEMENT_SQL(id, sql) [STMT_##id] = (sql),
    STATEMENTS(STATEMENT_SQL)
#undef STATEMENT_SQL
};

enum err
store_fail(struct store *st, int rc)
{
    return dbfile_fail(&st->file, rc);
}

enum err
store_prepare_all(struct store *st)
{
    return dbfile_prepare(&st->file, statement_sql, STMT_COUNT, st->stmt);
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
    return dbfile_run(&st->file, stmt);
}

bool
store_next(struct store *st, sqlite3_stmt *stmt, enum err *err)
{
    return dbfile_next(&st->file, stmt, err);
}
