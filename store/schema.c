/*
 * The numbered migrations.  One is never changed once released; the next one
 * is added behind.  Names used by queries in store/read_*.c and store/write.c.
 */
#include "store/schema.h"

const char *const schema_migrations[] = {
    /* 1: the spine */
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"

    /* Every node of model/node.h; hash is its identity outside. */
    "CREATE TABLE node ("
    " id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, owner INTEGER NOT NULL,"
    " name TEXT NOT NULL, env TEXT NOT NULL, alias INTEGER NOT NULL,"
    " source INTEGER NOT NULL, hash BLOB NOT NULL, created_s INTEGER NOT NULL);"
    "CREATE INDEX node_name ON node (name, kind);"
    "CREATE INDEX node_owner ON node (owner) WHERE owner > 0;"
    "CREATE INDEX node_hash ON node (hash);"

    /* Every edge and account of model/edge.h.  weighted: in 1/WEIGHT_ONE;
     * known: observations whose weight was known; count 0: taken back whole. */
    "CREATE TABLE edge ("
    " id INTEGER PRIMARY KEY, src INTEGER NOT NULL, dst INTEGER NOT NULL,"
    " kind INTEGER NOT NULL, count INTEGER NOT NULL, weighted INTEGER NOT NULL,"
    " known INTEGER NOT NULL, errors INTEGER NOT NULL,"
    " first_s INTEGER NOT NULL, last_s INTEGER NOT NULL,"
    " swept_s INTEGER NOT NULL DEFAULT 0, hash BLOB);"
    "CREATE INDEX edge_src ON edge (src, kind);"
    "CREATE INDEX edge_dst ON edge (dst, kind);"
    "CREATE INDEX edge_hash ON edge (hash) WHERE hash IS NOT NULL;"

    /* hour, day: whole hours and days since the epoch, UTC.  hours: a bit for
     * each hour of the day with an observation. */
    "CREATE TABLE edge_hour (edge INTEGER NOT NULL, hour INTEGER NOT NULL,"
    " count INTEGER NOT NULL, weighted INTEGER NOT NULL,"
    " errors INTEGER NOT NULL, PRIMARY KEY (edge, hour)) WITHOUT ROWID;"
    "CREATE TABLE edge_day (edge INTEGER NOT NULL, day INTEGER NOT NULL,"
    " count INTEGER NOT NULL, weighted INTEGER NOT NULL,"
    " errors INTEGER NOT NULL, hours INTEGER NOT NULL, latency BLOB,"
    " PRIMARY KEY (edge, day)) WITHOUT ROWID;"
    /* side 0: of the source, 1: of the destination; version: a node id */
    "CREATE TABLE edge_version (edge INTEGER NOT NULL, side INTEGER NOT NULL,"
    " version INTEGER NOT NULL, first_s INTEGER NOT NULL,"
    " last_s INTEGER NOT NULL, PRIMARY KEY (edge, side, version))"
    " WITHOUT ROWID;"

    /* Accepted requests; stubs as store/journal.h packs them. */
    "CREATE TABLE journal (seq INTEGER PRIMARY KEY, received_ns INTEGER"
    " NOT NULL, digest BLOB, stubs INTEGER NOT NULL, data BLOB NOT NULL);"
    /* Producers held for links, as runtime/pair.h packs them; |seq| goes on by
     * as many as they are (by one in rows of earlier versions). */
    "CREATE TABLE producer (seq INTEGER PRIMARY KEY, until_ns INTEGER NOT NULL,"
    " data BLOB NOT NULL);"

    /* Totals by name, and by day what makes evidence incomplete. */
    "CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL)"
    " WITHOUT ROWID;"
    "CREATE TABLE loss (day INTEGER NOT NULL, reason TEXT NOT NULL,"
    " count INTEGER NOT NULL, PRIMARY KEY (day, reason)) WITHOUT ROWID;"
    /* When the service ran and could receive. */
    "CREATE TABLE uptime (start_s INTEGER PRIMARY KEY, end_s INTEGER"
    " NOT NULL);"

    /* Routes that a service says it serves.  node: NODE_ROUTE in node. */
    "CREATE TABLE route (id INTEGER PRIMARY KEY, service INTEGER NOT NULL,"
    " method TEXT NOT NULL, pattern TEXT NOT NULL, raw TEXT NOT NULL,"
    " origin TEXT NOT NULL, node INTEGER NOT NULL, created_s INTEGER NOT NULL,"
    " removed_s INTEGER NOT NULL DEFAULT 0, UNIQUE (service, method, "
    "pattern));",

    /* 2: what overflow nodes stand for, as graph/hll.h saves it */
    "CREATE TABLE overflow (node INTEGER PRIMARY KEY, estimate INTEGER"
    " NOT NULL, registers BLOB NOT NULL);",

    /* 3: what a flush took and has not yet added to the edges, as
     * graph/edge_part.h packs it.  flush: meta covered_flush says which one is
     * meant; others were never finished. */
    "CREATE TABLE flush_part (seq INTEGER PRIMARY KEY, flush INTEGER NOT NULL,"
    " data BLOB NOT NULL);"
    "INSERT INTO meta SELECT 'added_ns', coalesce((SELECT value FROM meta"
    " WHERE key = 'covered_ns'), 0);",

    /* 4: the journal goes into files of its own (store/journal_log.h), which
     * know by this number whose they are; the table has what was there before,
     * and digests of what is there no more. */
    "INSERT INTO meta VALUES ('store_id', random());",

    /* 5: of each edge the latest trace that failed and that did not, and the
     * one before each; sixteen bytes as W3C Trace Context has them. */
    "CREATE TABLE edge_exemplar (edge INTEGER NOT NULL, failed INTEGER NOT"
    " NULL, at_s INTEGER NOT NULL, trace BLOB NOT NULL, before_s INTEGER,"
    " before BLOB, PRIMARY KEY (edge, failed)) WITHOUT ROWID;",
};

const size_t schema_len =
    sizeof(schema_migrations) / sizeof(schema_migrations[0]);
