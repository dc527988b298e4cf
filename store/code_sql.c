/*
 * Statements on rows are the same for all tables, so they are written from the
 * table's line in store/code_rows.c:
 *
 *     ?1 id   ?2 born   ?3 died   ?4 and on: integers, then texts
 *
 * A reader prepares only what reads.
 */
#include "store/code_impl.h"

#include "base/buf.h"

#define CODE_STATEMENT_SQL(id, sql) [CODE_##id] = (sql),
static const char *const statement_sql[CODE_STATEMENTS] = {
    CODE_READS(CODE_STATEMENT_SQL) CODE_WRITES(CODE_STATEMENT_SQL)};
#undef CODE_STATEMENT_SQL

static void
write_columns(struct buf *sql, const struct code_table_spec *spec)
{
    buf_add(sql, STR("id, born, died"));
    for (int i = 0; i < spec->int_len; i++)
        buf_printf(sql, ", %s", spec->ints[i]);
    for (int i = 0; i < spec->text_len; i++)
        buf_printf(sql, ", %s", spec->texts[i]);
}

static void
write_add(struct buf *sql, const struct code_table_spec *spec)
{
    int len = 3 + spec->int_len + spec->text_len;

    buf_printf(sql, "INSERT INTO %s (", spec->name);
    write_columns(sql, spec);
    buf_add(sql, STR(") VALUES (?1"));
    for (int i = 2; i <= len; i++)
        buf_printf(sql, ", ?%d", i);
    buf_add_char(sql, ')');
}

static void
write_sql(struct buf *sql, const struct code_table_spec *spec,
          enum code_verb verb)
{
    const char *name = spec->name;

    switch (verb) {
    case ROW_ADD:
        write_add(sql, spec);
        return;
    case ROW_END:
        buf_printf(sql, "UPDATE %s SET died = ?3 WHERE id = ?1", name);
        return;
    case ROW_REMOVE:
        buf_printf(sql, "DELETE FROM %s WHERE id = ?1", name);
        return;
    case ROWS_DROP_ENDED:
        buf_printf(sql,
                   "DELETE FROM %s INDEXED BY %s_died WHERE died > 0"
                   " AND died <= ?3 AND id BETWEEN ?1 AND ?2",
                   name, name);
        return;
    case ROWS_NOW:
    case ROWS_THEN:
    case ROWS_ALL:
    case ROW_VERBS:
        break;
    }
    buf_add(sql, STR("SELECT "));
    write_columns(sql, spec);
    buf_printf(sql, " FROM %s NOT INDEXED WHERE id BETWEEN ?1 AND ?2%s", name,
               verb == ROWS_NOW ? " AND died = 0"
               : verb == ROWS_THEN
                   ? " AND born <= ?3 AND (died = 0 OR died > ?3)"
                   : "");
    buf_add(sql, STR(" ORDER BY id"));
}

static enum err
prepare_rows(struct code_store *cs, int table)
{
    int verbs = cs->is_reader ? ROWS_READS : ROW_VERBS;
    struct buf sql = {0};
    enum err err = OK;

    for (int verb = 0; verb < verbs && !err; verb++) {
        buf_reset(&sql);
        write_sql(&sql, &code_tables[table], (enum code_verb)verb);
        const char *text = buf_cstr(&sql);
        err = sql.failed
                  ? ERR_NOMEM
                  : dbfile_prepare(&cs->file, &text, 1, &cs->rows[table][verb]);
    }
    buf_fini(&sql);
    return err;
}

enum err
code_prepare(struct code_store *cs)
{
    size_t len = cs->is_reader ? CODE_READ_END : CODE_STATEMENTS;
    enum err err = dbfile_prepare(&cs->file, statement_sql, len, cs->stmt);

    for (int table = 0; table < CODE_TABLES && !err; table++)
        err = prepare_rows(cs, table);
    return err;
}

void
code_finalize(struct code_store *cs)
{
    dbfile_finalize(cs->stmt, CODE_STATEMENTS);
    for (int table = 0; table < CODE_TABLES; table++)
        dbfile_finalize(cs->rows[table], ROW_VERBS);
}

sqlite3_stmt *
code_bind(struct code_store *cs, enum code_statement id, const int64_t *values,
          size_t len)
{
    sqlite3_stmt *stmt = cs->stmt[id];

    for (size_t i = 0; i < len; i++)
        sqlite3_bind_int64(stmt, (int)i + 1, values[i]);
    return stmt;
}

void
code_bind_text(sqlite3_stmt *stmt, int at, str text)
{
    sqlite3_bind_text64(stmt, at, text.len ? text.ptr : "", text.len,
                        SQLITE_STATIC, SQLITE_UTF8);
}

void
code_bind_blob(sqlite3_stmt *stmt, int at, str bytes)
{
    sqlite3_bind_blob64(stmt, at, bytes.len ? bytes.ptr : "", bytes.len,
                        SQLITE_STATIC);
}
