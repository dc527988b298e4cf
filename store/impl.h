/*
 * impl - what the files behind store/store.h share.  Not for others.
 *
 * Every statement is written down once, in the tables of STATEMENTS, and
 * prepared when the store is opened: a file whose tables are not ours is found
 * there and then.
 *
 * Threads    The owner thread only.
 */
#ifndef STORE_IMPL_H
#define STORE_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "store/dbfile.h"
#include "store/graph_sql.h"
#include "store/journal_log.h"
#include "store/journal_rows.h"
#include "store/kept_sql.h"
#include "store/store.h"

#define STATEMENTS(X) GRAPH_STATEMENTS(X) KEPT_STATEMENTS(X)

#define STATEMENT_ID(id, sql) STMT_##id,
enum statement { STATEMENTS(STATEMENT_ID) STMT_COUNT };
#undef STATEMENT_ID

struct store {
    struct dbfile_spec spec;
    struct dbfile file;
    sqlite3_stmt *stmt[STMT_COUNT];
    struct journal_log *log;
    bool nodes_put;       /* in the transaction */
    bool graph_put;       /* likewise: edges, their buckets, or routes */
    bool is_noted;        /* that the file was opened: others may have put */
    bool nodes_are_soft;  /* some may have been committed without a sync */
    uint64_t table_stubs; /* in the rows of the table */
    uint64_t emptied_seq; /* rows of the table up to it hold digests only */
    bool sums_stale;      /* table_stubs is not known: rolled back */
    struct buf carried;   /* digests of the segment that is to be dropped, as
                             struct segment_row */
    size_t carried_at;    /* so much of it is in the table */
    uint64_t carrying;    /* the number of that segment; 0: none */
    bool is_dropping;     /* once committed, it is dropped */
    struct buf lost;      /* rows, as struct journal_lost (journal_read.h) */
    size_t lost_put;      /* so much of them is in the table, in the */
    size_t lost_kept;     /* transaction; is committed */
    uint64_t journal_at;  /* of the table `meta`, or less */
    uint64_t lost_file;   /* seq that stands for a file that is gone; 0: none */
};

/* store_fail maps |rc| of the last call and logs what SQLite says of it. */
enum err store_fail(struct store *st, int rc);

/* store_prepare_all: ERR_CORRUPT if the tables are not ours. */
enum err store_prepare_all(struct store *st);

/* store_bind binds |len| integers as ?1 and on, and returns the statement. */
sqlite3_stmt *store_bind(struct store *st, enum statement id,
                         const int64_t *values, size_t len);

/* store_run runs a bound statement that gives no rows. */
enum err store_run(struct store *st, sqlite3_stmt *stmt);

/* store_next steps a query; false at the end or on |err|.  The statement is
 * reset then; whoever leaves early resets it. */
bool store_next(struct store *st, sqlite3_stmt *stmt, enum err *err);

/* store_load_sums reads what the store keeps of the table in memory. */
enum err store_load_sums(struct store *st);

/* store_open_journal opens the segments, and has rows go on behind all that
 * were. */
enum err store_open_journal(struct store *st, uint64_t now_ns);

/* store_put_journal_at, in a transaction, says that segment |number| of the
 * journal is the last with a row: at a start without it, it is missing. */
enum err store_put_journal_at(struct store *st, uint64_t number);

/* store_tell_lost_file passes what was in the last segment, if that is missing,
 * as a damaged entry behind all others: of one stub, for more is not known. */
enum err
store_tell_lost_file(struct store *st, store_journal_fn *fn, void *ctx);

enum err store_put_meta(struct store *st, const char *key, uint64_t value);
enum err store_get_meta(struct store *st, const char *key, uint64_t *out);

/* store_drop_dead drops what the transaction that was committed has said to be
 * dead. */
void store_drop_dead(struct store *st);

static inline str
store_column_str(sqlite3_stmt *row, int column)
{
    const char *ptr = sqlite3_column_blob(row, column);

    return (str){ptr, (size_t)sqlite3_column_bytes(row, column)};
}

#define STORE_RUN(st, id, ...)                                             \
    store_run((st), store_bind((st), (id), (const int64_t[]){__VA_ARGS__}, \
                               sizeof((const int64_t[]){__VA_ARGS__}) /    \
                                   sizeof(int64_t)))

#endif
