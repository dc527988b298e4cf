/*
 * kept_sql - the statements of what is kept beside the graph: the journal, what
 * is being flushed, producers, counters; and of transactions.
 *
 * Threads    None; a table.
 */
#ifndef STORE_KEPT_SQL_H
#define STORE_KEPT_SQL_H

/* clang-format off */
#define KEPT_STATEMENTS(X) \
    X(BEGIN, "BEGIN IMMEDIATE") \
    X(COMMIT, "COMMIT") \
    X(ROLLBACK, "ROLLBACK") \
    X(ADD_COUNTER, \
      "INSERT INTO counter (name, value) VALUES (?2, ?1)" \
      " ON CONFLICT (name) DO UPDATE SET value = value + ?1") \
    X(ADD_LOSS, \
      "INSERT INTO loss (day, count, reason) VALUES (?1, ?2, ?3)" \
      " ON CONFLICT (day, reason) DO UPDATE SET count = count + ?2") \
    X(PUT_UPTIME, \
      "INSERT INTO uptime (start_s, end_s) VALUES (?1, ?2)" \
      " ON CONFLICT (start_s) DO UPDATE SET end_s = max(end_s, ?2)") \
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
      "INSERT INTO producer (seq, until_ns, data) VALUES" \
      " ((SELECT coalesce(max(seq), 0) + ?3 FROM producer), ?1, ?2)") \
    X(EACH_PRODUCERS, "SELECT data FROM producer ORDER BY seq") \
    X(TRIM_PRODUCERS, \
      "DELETE FROM producer WHERE seq IN (SELECT seq FROM" \
      " (SELECT seq, until_ns FROM producer ORDER BY seq LIMIT ?3)" \
      " WHERE until_ns < ?1 OR seq <= (SELECT max(seq) FROM producer) - ?2)")
/* clang-format on */

#endif
