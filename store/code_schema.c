/*
 * The numbered migrations.  One is never changed once released; the next one
 * is added behind.  Rows are clustered by repository, since ids hold it, so
 * reading one repository is reading a range; no other index is needed but
 * those of rows that have ended, which are few.
 */
#include "store/code_schema.h"

#define ROW \
    "id INTEGER PRIMARY KEY, born INTEGER NOT NULL, died INTEGER NOT NULL,"
#define ENDED(table) \
    "CREATE INDEX " table "_died ON " table " (died, id) WHERE died > 0;"

const char *const code_schema_migrations[] = {
    /* 1 */
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"

    "CREATE TABLE repo (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE,"
    " generation INTEGER NOT NULL, next_num INTEGER NOT NULL,"
    " next_id INTEGER NOT NULL, indexed_s INTEGER NOT NULL,"
    " commit_id TEXT NOT NULL, build BLOB NOT NULL);"

    /* edges: of the Merkle tree; guesses: may_call, may_dispatch */
    "CREATE TABLE snapshot (repo INTEGER NOT NULL, generation INTEGER NOT NULL,"
    " hash BLOB NOT NULL, root BLOB NOT NULL, parent BLOB NOT NULL,"
    " commit_id TEXT NOT NULL, commit_s INTEGER NOT NULL,"
    " created_s INTEGER NOT NULL, files INTEGER NOT NULL,"
    " nodes INTEGER NOT NULL, edges INTEGER NOT NULL,"
    " guesses INTEGER NOT NULL, bytes INTEGER NOT NULL,"
    " calls INTEGER NOT NULL, calls_external INTEGER NOT NULL,"
    " calls_unknown INTEGER NOT NULL, PRIMARY KEY (repo, generation))"
    " WITHOUT ROWID;"

    /* Rows as in store/code_rows.h: good for generations [born, died). */
    "CREATE TABLE file (" ROW " num INTEGER NOT NULL, lang INTEGER NOT NULL,"
    " flags INTEGER NOT NULL, bytes INTEGER NOT NULL, path TEXT NOT NULL,"
    " blob BLOB NOT NULL, skipped TEXT NOT NULL);" ENDED(
        "file") "CREATE INDEX file_blob ON file (blob);"
                "CREATE TABLE node (" ROW
                " num INTEGER NOT NULL, kind INTEGER NOT NULL,"
                " flags INTEGER NOT NULL, file INTEGER NOT NULL, line INTEGER "
                "NOT NULL,"
                " col INTEGER NOT NULL, end_line INTEGER NOT NULL, hash BLOB "
                "NOT NULL,"
                " package TEXT NOT NULL, name TEXT NOT NULL, signature TEXT "
                "NOT NULL);" ENDED(
                    "node") "CREATE TABLE edge (" ROW
                            " src INTEGER NOT NULL, dst INTEGER NOT NULL,"
                            " type INTEGER NOT NULL, provenance INTEGER NOT "
                            "NULL,"
                            " permille INTEGER NOT NULL, hash BLOB NOT NULL, "
                            "sites BLOB NOT NULL);" ENDED(
                                "edge") "CREATE TABLE route (" ROW
                                        " node INTEGER NOT NULL, handler "
                                        "INTEGER NOT NULL,"
                                        " file INTEGER NOT NULL, flags INTEGER "
                                        "NOT NULL, line INTEGER NOT NULL,"
                                        " method TEXT NOT NULL, raw TEXT NOT "
                                        "NULL, canonical TEXT NOT NULL,"
                                        " framework TEXT NOT NULL);" ENDED(
                                            "route") "CREATE TABLE service "
                                                     "(" ROW
                                                     " rank INTEGER NOT NULL, "
                                                     "name TEXT NOT NULL,"
                                                     " directory TEXT NOT "
                                                     "NULL, evidence TEXT NOT "
                                                     "NULL);" ENDED(
                                                         "service") "CREATE "
                                                                    "TABLE "
                                                                    "exposure "
                                                                    "(" ROW
                                                                    " host "
                                                                    "TEXT NOT "
                                                                    "NULL, "
                                                                    "prefix "
                                                                    "TEXT NOT "
                                                                    "NULL,"
                                                                    " rewrite "
                                                                    "TEXT NOT "
                                                                    "NULL, "
                                                                    "service "
                                                                    "TEXT NOT "
                                                                    "NULL, "
                                                                    "evidence "
                                                                    "TEXT NOT "
                                                                    "NULL)"
                                                                    ";" ENDED(
                                                                        "exposu"
                                                                        "re") "CREATE TABLE owner (" ROW
                                                                              " position INTEGER NOT NULL,"
                                                                              " line INTEGER NOT NULL, pattern TEXT NOT NULL, owner TEXT NOT NULL);" ENDED(
                                                                                  "owner") "CREATE TABLE literal (" ROW
                                                                                           " node INTEGER NOT NULL, text TEXT NOT NULL);" ENDED(
                                                                                               "literal") "CREATE TABLE author (" ROW
                                                                                                          " file INTEGER NOT NULL,"
                                                                                                          " commits INTEGER NOT NULL, last_s INTEGER NOT NULL,"
                                                                                                          " author TEXT NOT NULL);" ENDED(
                                                                                                              "author")

    /* What extractors found in a file, by its git blob id. */
    "CREATE TABLE fact (id INTEGER PRIMARY KEY, blob BLOB NOT NULL,"
    " lang INTEGER NOT NULL, version INTEGER NOT NULL, data BLOB NOT NULL,"
    " UNIQUE (blob, lang));"

    "CREATE TABLE feedback (id INTEGER PRIMARY KEY, hash BLOB NOT NULL,"
    " code BLOB NOT NULL, session TEXT NOT NULL, useful INTEGER NOT NULL,"
    " at_s INTEGER NOT NULL);"
    "CREATE INDEX feedback_hash ON feedback (hash);",

    /* 2: messages and keys, beside the names of spans */
    "ALTER TABLE literal ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;",
};

const size_t code_schema_len =
    sizeof(code_schema_migrations) / sizeof(code_schema_migrations[0]);
