/*
 * impl - what the files behind store/store.h share.  Not for others.
 *
 * Every statement is written down once, in STATEMENTS, and prepared when the
 * store is opened: a file whose tables are not ours is found there and then.
 *
 * Threads    The owner thread only.
 */
#ifndef STORE_IMPL_H
#define STORE_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "store/dbfile.h"
#include "store/journal_log.h"
#include "store/store.h"

/* clang-format off */
#define STATEMENTS(X) \
    X(BEGIN, "BEGIN IMMEDIATE") \
    X(COMMIT, "COMMIT") \
    X(ROLLBACK, "ROLLBACK") \
    X(PUT_NODE, \
      "INSERT INTO node (id, kind, owner, alias, source, created_s, name, env," \
      " hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)" \
      " ON CONFLICT (id) DO UPDATE SET alias = ?4, source = ?5") \
    X(PUT_OVERFLOW, \
      "INSERT OR REPLACE INTO overflow (node, estimate, registers)" \
      " VALUES (?1, ?2, ?3)") \
    X(EACH_OVERFLOW, "SELECT node, registers FROM overflow ORDER BY node") \
    X(ADD_EDGE, \
      "UPDATE edge SET count = count + ?2, weighted = weighted + ?3," \
      " known = known + ?4, errors = errors + ?5," \
      " first_s = CASE WHEN ?6 = 0 THEN first_s WHEN first_s = 0 THEN ?6" \
      "  ELSE min(first_s, ?6) END," \
      " swept_s = CASE WHEN ?7 > last_s THEN 0 ELSE swept_s END," \
      " last_s = max(last_s, ?7) WHERE id = ?1") \
    X(NEW_EDGE, \
      "INSERT INTO edge (id, count, weighted, known, errors, first_s, last_s," \
      " src, dst, kind, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10," \
      " ?11) ON CONFLICT (id) DO NOTHING") \
    X(ADD_HOUR, \
      "INSERT INTO edge_hour (edge, hour, count, weighted, errors)" \
      " VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (edge, hour) DO UPDATE SET" \
      " count = count + ?3, weighted = weighted + ?4, errors = errors + ?5") \
    X(ADD_DAY, \
      "INSERT INTO edge_day (edge, day, count, weighted, errors, hours," \
      " latency) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)" \
      " ON CONFLICT (edge, day) DO UPDATE SET count = count + ?3," \
      " weighted = weighted + ?4, errors = errors + ?5, hours = hours | ?6," \
      " latency = coalesce(?7, latency)") \
    X(GET_LATENCY, \
      "SELECT latency FROM edge_day WHERE edge = ?1 AND day = ?2") \
    X(ADD_VERSION, \
      "INSERT INTO edge_version (edge, side, version, first_s, last_s)" \
      " VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (edge, side, version)" \
      " DO UPDATE SET first_s = min(first_s, ?4), last_s = max(last_s, ?5)") \
    X(ADD_COUNTER, \
      "INSERT INTO counter (name, value) VALUES (?2, ?1)" \
      " ON CONFLICT (name) DO UPDATE SET value = value + ?1") \
    X(ADD_LOSS, \
      "INSERT INTO loss (day, count, reason) VALUES (?1, ?2, ?3)" \
      " ON CONFLICT (day, reason) DO UPDATE SET count = count + ?2") \
    X(PUT_UPTIME, \
      "INSERT INTO uptime (start_s, end_s) VALUES (?1, ?2)" \
      " ON CONFLICT (start_s) DO UPDATE SET end_s = max(end_s, ?2)") \
    X(PRUNE_HOURS, \
      "DELETE FROM edge_hour WHERE edge BETWEEN ?2 AND ?3 AND hour < ?1") \
    X(PRUNE_DAYS, \
      "DELETE FROM edge_day WHERE edge BETWEEN ?2 AND ?3 AND day < ?1") \
    X(PRUNE_VERSIONS, \
      "DELETE FROM edge_version WHERE (edge, side, version) IN" \
      " (SELECT gone.edge, gone.side, gone.version FROM edge_version AS gone" \
      "  JOIN (SELECT edge, side, max(last_s) AS latest FROM edge_version" \
      "   WHERE edge BETWEEN ?2 AND ?3 GROUP BY edge, side" \
      "   HAVING min(last_s) < ?1) AS kept" \
      "  ON kept.edge = gone.edge AND kept.side = gone.side" \
      "  WHERE gone.last_s < ?1 AND gone.last_s < kept.latest LIMIT ?4)") \
    X(EACH_NODE, \
      "SELECT id, kind, owner, alias, source, name, env FROM node" \
      " ORDER BY id") \
    X(EACH_EDGE, \
      "SELECT id, src, dst, kind, count, first_s, last_s FROM edge" \
      " ORDER BY id") \
    X(COUNT_EDGES, "SELECT count(*) FROM edge") \
    X(KEEP_DIGEST, \
      "INSERT OR REPLACE INTO journal (seq, received_ns, stubs, digest, data)" \
      " VALUES (?1, ?2, 0, ?3, x'')") \
    X(EACH_JOURNAL, \
      "SELECT seq, received_ns, stubs, digest, data FROM journal" \
      " WHERE seq < ?1 ORDER BY seq") \
    X(JOURNAL_SUMS, \
      "SELECT coalesce(max(seq), 0), coalesce(sum(stubs), 0) FROM journal" \
      " WHERE seq < ?1") \
    X(JOURNAL_OLDEST, \
      "SELECT seq, received_ns, stubs FROM journal WHERE seq <= ?1" \
      " ORDER BY seq LIMIT ?2") \
    X(JOURNAL_FULL_OLDEST, \
      "SELECT seq, received_ns, stubs FROM journal WHERE seq > ?3" \
      " AND seq <= ?1 ORDER BY seq LIMIT ?2") \
    X(DROP_JOURNAL, "DELETE FROM journal WHERE seq <= ?1") \
    X(EMPTY_JOURNAL, \
      "UPDATE journal SET stubs = 0, data = x'' WHERE seq > ?1 AND seq <= ?2" \
      " AND stubs > 0") \
    X(PUT_META, "INSERT OR REPLACE INTO meta (value, key) VALUES (?1, ?2)") \
    X(RAISE_META, \
      "INSERT INTO meta (value, key) VALUES (?1, ?2)" \
      " ON CONFLICT (key) DO UPDATE SET value = max(value, ?1)") \
    X(GET_META, "SELECT value FROM meta WHERE key = ?1") \
    X(PUT_PART, \
      "INSERT OR REPLACE INTO flush_part (seq, flush, data)" \
      " VALUES (?1, ?2, ?3)") \
    X(EACH_PART, \
      "SELECT seq, data FROM flush_part WHERE flush = ?1 ORDER BY seq") \
    X(DROP_PARTS, "DELETE FROM flush_part WHERE seq <= ?1") \
    X(DROP_ALL_PARTS, "DELETE FROM flush_part") \
    X(PUT_PRODUCERS, \
      "INSERT INTO producer (until_ns, data) VALUES (?1, ?2)") \
    X(EACH_PRODUCERS, "SELECT data FROM producer ORDER BY seq") \
    X(TRIM_PRODUCERS, "DELETE FROM producer WHERE until_ns < ?1") \
    X(PUT_ROUTE, \
      "INSERT INTO route (service, node, created_s, removed_s, method," \
      " pattern, raw, origin) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)" \
      " ON CONFLICT (service, method, pattern) DO UPDATE SET node = ?2," \
      " removed_s = ?4, raw = ?7, origin = ?8") \
    X(REMOVE_ROUTE, "UPDATE route SET removed_s = ?2 WHERE id = ?1") \
    X(EACH_ROUTE, \
      "SELECT id, service, node, created_s, removed_s, method, pattern, raw," \
      " origin FROM route ORDER BY id") \
    X(SWEEPABLE, \
      "SELECT id FROM edge WHERE swept_s = 0 AND last_s < ?1 LIMIT ?2") \
    X(SWEEP_EDGE, "UPDATE edge SET swept_s = ?2 WHERE id = ?1") \
    X(SWEEP_HOURS, "DELETE FROM edge_hour WHERE edge = ?1") \
    X(SWEEP_DAYS, "DELETE FROM edge_day WHERE edge = ?1")
/* clang-format on */

#define STATEMENT_ID(id, sql) STMT_##id,
enum statement { STATEMENTS(STATEMENT_ID) STMT_COUNT };
#undef STATEMENT_ID

struct store {
    struct dbfile_spec spec;
    struct dbfile file;
    sqlite3_stmt *stmt[STMT_COUNT];
    struct journal_log *log;
    bool nodes_put;       /* in the transaction */
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
