/*
 * code_impl - what the files behind store/code_store.h share.  Not for others.
 *
 * Threads    The owner thread only.
 */
#ifndef STORE_CODE_IMPL_H
#define STORE_CODE_IMPL_H

#include <stdbool.h>

#include <sqlite3.h>

#include "store/code_store.h"
#include "store/dbfile.h"

/* clang-format off */
#define CODE_READS(X) \
    X(VERSION, "PRAGMA data_version") \
    X(EACH_REPO, \
      "SELECT id, generation, next_num, next_id, indexed_s, url, commit_id," \
      " build FROM repo ORDER BY id") \
    X(EACH_SNAPSHOT, \
      "SELECT repo, generation, commit_s, created_s, files, nodes, edges," \
      " guesses, bytes, calls, calls_external, calls_unknown, hash, root," \
      " parent, commit_id FROM snapshot WHERE repo BETWEEN ?1 AND ?2" \
      " ORDER BY repo, generation DESC") \
    X(GET_FACT, \
      "SELECT data FROM fact WHERE blob = ?3 AND lang = ?1 AND version = ?2") \
    X(EACH_FEEDBACK, \
      "SELECT useful, at_s, hash, code, session FROM feedback ORDER BY id") \
    X(FEEDBACK_OF, \
      "SELECT useful, at_s, hash, code, session FROM feedback" \
      " WHERE hash = ?1 ORDER BY id")

#define CODE_WRITES(X) \
    X(PUT_REPO, \
      "INSERT INTO repo (id, generation, next_num, next_id, indexed_s, url," \
      " commit_id, build) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)" \
      " ON CONFLICT (id) DO UPDATE SET generation = ?2, next_num = ?3," \
      " next_id = ?4, indexed_s = ?5, commit_id = ?7, build = ?8") \
    X(PUT_SNAPSHOT, \
      "INSERT OR REPLACE INTO snapshot (repo, generation, commit_s," \
      " created_s, files, nodes, edges, guesses, bytes, calls," \
      " calls_external, calls_unknown, hash, root, parent, commit_id)" \
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14," \
      " ?15, ?16)") \
    X(DROP_SNAPSHOTS, \
      "DELETE FROM snapshot WHERE repo = ?1 AND generation < ?2") \
    X(DROP_FACTS, \
      "DELETE FROM fact WHERE NOT EXISTS" \
      " (SELECT 1 FROM file WHERE file.blob = fact.blob)") \
    X(PUT_FACT, \
      "INSERT OR REPLACE INTO fact (lang, version, blob, data)" \
      " VALUES (?1, ?2, ?3, ?4)") \
    X(ADD_FEEDBACK, \
      "INSERT INTO feedback (useful, at_s, hash, code, session)" \
      " VALUES (?1, ?2, ?3, ?4, ?5)")
/* clang-format on */

#define CODE_STATEMENT_ID(id, sql) CODE_##id,
enum code_statement {
    CODE_READS(CODE_STATEMENT_ID) CODE_READ_END,
    CODE_READ_LAST = CODE_READ_END - 1, /* what follows goes on from there */
    CODE_WRITES(CODE_STATEMENT_ID) CODE_STATEMENTS,
};
#undef CODE_STATEMENT_ID

/* What is done with rows, alike for all tables. */
enum code_verb {
    ROWS_NOW,  /* those that are there now */
    ROWS_THEN, /* those good for a generation */
    ROWS_ALL,
    ROWS_READS,
    ROW_ADD = ROWS_READS,
    ROW_END,
    ROW_REMOVE,
    ROWS_DROP_ENDED, /* of one repository, up to a generation */
    ROW_VERBS,
};

struct code_store {
    struct dbfile_spec spec;
    struct dbfile file;
    bool is_reader;
    sqlite3_stmt *stmt[CODE_STATEMENTS];
    sqlite3_stmt *rows[CODE_TABLES][ROW_VERBS];
};

enum err code_prepare(struct code_store *cs);
void code_finalize(struct code_store *cs);

/* code_bind binds integers as ?1 and on; the others one text, one blob. */
sqlite3_stmt *code_bind(struct code_store *cs, enum code_statement id,
                        const int64_t *values, size_t len);
void code_bind_text(sqlite3_stmt *stmt, int at, str text);
void code_bind_blob(sqlite3_stmt *stmt, int at, str bytes);

static inline str
code_column(sqlite3_stmt *row, int column)
{
    const char *ptr = sqlite3_column_blob(row, column);

    return (str){ptr, (size_t)sqlite3_column_bytes(row, column)};
}

#define CODE_BIND(cs, id, ...)                            \
    code_bind((cs), (id), (const int64_t[]){__VA_ARGS__}, \
              sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

#endif
