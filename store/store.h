/*
 * store - the one connection that writes.
 *
 * A directory holds the database `spangraph.db` and a lock.  Whoever opens the
 * store holds the lock: a second process gets ERR_BUSY.  This connection alone
 * writes and alone checkpoints (SQLite before 3.51.3 can corrupt a WAL that two
 * do); readers open store/reader.h.
 *
 *     store_begin(st); store_put_...(st, ...) ...; store_commit(st);
 *
 * After a failed statement or commit, roll back; the store stays usable.
 *
 * Errors     ERR_STORE: the disk is full or failed, try later.  ERR_CORRUPT:
 *            what was read is not what was written.
 * Threads    The owner thread only.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "model/edge.h"
#include "model/node.h"
#include "model/stub.h"

#define STORE_FILE "spangraph.db"
#define STORE_LOCK "lock"

struct store;

enum store_sync {
    STORE_SYNC_FULL, /* a commit is on disk */
    STORE_SYNC_OS,   /* a commit is with the system */
};

/*
 * store_open opens or makes the store in |dir| (made too, mode 0700) and brings
 * its schema up to date.  |why| says what happened, in words for the operator.
 *
 * ERR_BUSY     another process holds it
 * ERR_DENIED   no permission
 * ERR_CORRUPT  damaged, or not ours: it was renamed to `*.corrupt-<time>` and
 *              nothing was opened; call again for an empty one
 * ERR_INVALID  written by a newer version of the program
 * ERR_STORE    the disk
 */
enum err store_open(struct store **out, const char *dir, enum store_sync sync,
                    uint64_t now_ns, struct buf *why);

/* store_set_up has connections, readers' too, take their caches page by page.
 * SQLite gives each twenty pages at once, 87 KB, of which one that only looks
 * needs a few.  Before the first is opened, while there is one thread. */
void store_set_up(void);

/* store_close moves the WAL into the database and releases the lock. */
void store_close(struct store *st);

/* store_set_aside closes |st| and renames its files as store_open does with
 * damaged ones, for damage found later.  |why| as there. */
void store_set_aside(struct store *st, uint64_t now_ns, struct buf *why);

/* store_begin_lazily is for what nobody waits for: the commit is on disk when
 * the next one of store_begin is, and is lost only together with all that came
 * after it. */
enum err store_begin(struct store *st);
enum err store_begin_lazily(struct store *st);
enum err store_commit(struct store *st);
void store_rollback(struct store *st);

/*
 * store_checkpoint moves committed pages from the WAL into the database and,
 * when the WAL has grown beyond its bound, cuts it, for which it waits 200 ms
 * for readers at most.  Call it between transactions, now and then.
 */
enum err store_checkpoint(struct store *st);

/* store_checkpoint_step is for between two commits: it moves what has gathered
 * since the last time, if that is some 4 MB, and waits for nobody. */
enum err store_checkpoint_step(struct store *st);
bool store_checkpoint_is_due(const struct store *st); /* it is that much */

/* store_size_bytes is the size of the database file and of the journal. */
int64_t store_size_bytes(const struct store *st);

/* ---- nodes, edges: rows as in store/schema.c ---- */

/* |hash|: SHA256_LEN bytes, the node's identity (graph/identity.h). */
enum err store_put_node(struct store *st, const struct node *node,
                        const unsigned char *hash, uint64_t now_s);

/* store_put_overflow keeps how many names an overflow node stands for, and what
 * graph/hll.h saves of it. */
enum err store_put_overflow(struct store *st, uint32_t node, uint64_t estimate,
                            str registers);

/* What one flush adds to one edge.  A row that is missing is made. */
struct edge_delta {
    uint32_t id;
    struct edge_key key;
    int64_t count;
    int64_t weighted;
    int64_t known;
    int64_t errors;
    uint32_t first_s; /* 0: first and last stay as they are */
    uint32_t last_s;
    bool is_new;               /* no row is expected: try to make it first */
    const unsigned char *hash; /* identity for a new row; NULL: none */
};

/* One bucket of one edge, hour or day. */
struct bucket_delta {
    uint32_t edge;
    uint32_t number; /* hour or day since the epoch */
    int64_t count;
    int64_t weighted;
    int64_t errors;
    uint32_t hours; /* day buckets: bits to set */
    str latency;    /* day buckets: encoded sketch that replaces the stored
                       one; NULL: it stays */
};

struct version_delta {
    uint32_t edge;
    uint32_t version;
    uint8_t side;
    uint32_t first_s;
    uint32_t last_s;
};

enum err store_add_edge(struct store *st, const struct edge_delta *delta);
enum err store_add_hour(struct store *st, const struct bucket_delta *delta);
enum err store_add_day(struct store *st, const struct bucket_delta *delta);
enum err store_add_version(struct store *st, const struct version_delta *delta);

/* store_get_latency appends the stored sketch of a day bucket to |out|, or
 * nothing: read it, merge, and store_add_day. */
enum err store_get_latency(struct store *st, uint32_t edge, uint32_t day,
                           struct buf *out);

enum err store_add_counter(struct store *st, str name, int64_t delta);
enum err
store_add_loss(struct store *st, uint32_t day, str reason, int64_t delta);
/* store_put_uptime makes or extends the interval that begins at |start_s|. */
enum err store_put_uptime(struct store *st, uint32_t start_s, uint32_t end_s);

/* store_prune drops buckets before |hour| and |day| of the edges from |first|
 * to |last|, and of their |versions| those not seen since |day|, but for the
 * last of each side and at most STORE_PRUNE_VERSIONS a call: |more|, there may
 * be others.  Some hundred edges a call keep a transaction short. */
enum { STORE_PRUNE_VERSIONS = 5000 };
struct store_prune {
    uint32_t hour;
    uint32_t day;
    uint32_t first;
    uint32_t last;
    bool versions;
};
enum err
store_prune(struct store *st, const struct store_prune *what, bool *more);

/* ---- loading, at start ---- */

typedef enum err store_node_fn(void *ctx, const struct node *node);
typedef enum err store_edge_fn(void *ctx, const struct edge_delta *edge);
enum err store_each_node(struct store *st, store_node_fn *fn, void *ctx);
/* store_each_edge goes by rising id and leaves weighted, known, errors and hash
 * 0: whoever starts has no use for them, and reading a number of a million rows
 * takes some 30 ms. */
enum err store_each_edge(struct store *st, store_edge_fn *fn, void *ctx);
enum err store_count_edges(struct store *st, uint64_t *out);
typedef enum err store_overflow_fn(void *ctx, uint32_t node, str registers);
enum err
store_each_overflow(struct store *st, store_overflow_fn *fn, void *ctx);

/* ---- journal ---- */

/*
 * Rows go into files beside the database (store/journal_log.h) and need no
 * transaction; the nodes whose ids they hold must have been committed.
 * store_append_journal gives the row its |seq|, rising; store_commit_journal
 * has all of them on disk, or with the system; with STORE_SYNC_OS, too, it has
 * on disk before them what nodes were committed since the last time.
 * After an error of either none of them is stored, and their numbers come
 * again.
 */
enum err store_append_journal(struct store *st, const struct stub_batch *batch,
                              struct digest128 digest, uint64_t *seq);
enum err store_commit_journal(struct store *st);

struct journal_entry {
    uint64_t seq;
    struct digest128 digest;
    struct stub_batch batch; /* valid during the call */
    uint32_t stubs;          /* what the row says it holds */
    bool damaged;
};
typedef enum err store_journal_fn(void *ctx, const struct journal_entry *entry);

/* store_each_journal goes by rising seq.  A row that cannot be trusted is
 * passed without batch and |damaged|, as is what was put aside because it
 * speaks of nodes that are not stored (store/journal_log.h); it has its digest
 * if it was counted: what was not is known to the next store_put_covered, and
 * has none ever after. */
enum err store_each_journal(struct store *st, store_journal_fn *fn, void *ctx);

/*
 * store_trim_journal, in a transaction, drops rows up to |covered_seq|: those
 * received before |before_ns| whole; of the others the oldest lose their stubs,
 * as long as |max_stubs| are left, and keep their digest until
 * |digest_before_ns|.  Files go as a whole, so that some may be kept that need
 * not be.  A call looks at STORE_TRIM_ROWS of each sort at most; |more| says
 * that there may be others.
 */
enum { STORE_TRIM_ROWS = 512 };

struct journal_trim {
    uint64_t before_ns;
    uint64_t digest_before_ns;
    uint64_t max_stubs;
    uint64_t covered_seq;
};
enum err store_trim_journal(struct store *st, const struct journal_trim *trim,
                            bool *more);

/* How far the stored edges cover the journal, and the time up to which waits
 * had ended; zeros in a new store. */
enum err store_put_covered(struct store *st, uint64_t seq, uint64_t now_ns);
enum err store_get_covered(struct store *st, uint64_t *seq, uint64_t *now_ns);

/* The time up to which all is in the edges that is covered: the same, or while
 * parts of a flush are still to be added that of the flush before. */
enum err store_put_added(struct store *st, uint64_t now_ns);

/* The first hour and day whose buckets are whole, since the epoch: those before
 * them may have been dropped.  They never fall, whatever is kept later on. */
enum err store_put_kept(struct store *st, uint32_t hour, uint32_t day);

/* Up to which row of the journal all waits were ended at once, because the
 * input had ended; 0: none. */
enum err store_put_finished(struct store *st, uint64_t seq);
enum err store_get_finished(struct store *st, uint64_t *seq);

/* ---- flushes under way ---- */

/*
 * What a flush took, in parts that are not yet added to the edges: put the
 * parts, then say with store_put_covered how far in the journal they reach and
 * with store_put_flush that they are whole; then add them, and drop each in the
 * transaction that adds it, and with the last say store_put_added.  Parts are
 * numbered from 1 in each flush.
 */
enum err
store_put_part(struct store *st, uint64_t flush, uint64_t seq, str data);
enum err store_drop_parts(struct store *st, uint64_t upto_seq);
enum err store_drop_all_parts(struct store *st);
typedef enum err store_part_fn(void *ctx, uint64_t seq, str data);
enum err
store_each_part(struct store *st, uint64_t flush, store_part_fn *fn, void *ctx);

/* The number of the last flush whose parts are whole; 0: none. */
enum err store_put_flush(struct store *st, uint64_t flush);
enum err store_get_flush(struct store *st, uint64_t *flush);

/* ---- producers held for links ---- */

enum err store_put_producers(struct store *st, str data, uint64_t until_ns);
typedef enum err store_blob_fn(void *ctx, str data);
enum err store_each_producers(struct store *st, store_blob_fn *fn, void *ctx);
enum err store_trim_producers(struct store *st, uint64_t before_ns);

/* ---- declared routes ---- */

struct route_row {
    uint32_t id;
    uint32_t service; /* node ids */
    uint32_t node;
    uint32_t created_s;
    uint32_t removed_s; /* 0: still declared */
    str method;         /* upper case, or ANY; empty: RPC */
    str pattern;        /* canonical, or package.Service/Method */
    str raw;            /* as declared */
    str origin;         /* "openapi:petstore.yaml", "list:routes.txt" */
};

/* store_put_route adds or renews by (service, method, pattern). */
enum err store_put_route(struct store *st, const struct route_row *row);
/* store_remove_route notes that route |id| is no longer declared. */
enum err store_remove_route(struct store *st, uint32_t id, uint32_t now_s);
typedef enum err store_route_fn(void *ctx, const struct route_row *row);
enum err store_each_route(struct store *st, store_route_fn *fn, void *ctx);

/* ---- ageing (gc/) ---- */

/* store_sweep marks edges last seen before |before_s| and not yet swept as
 * swept at |now_s|, drops their buckets but keeps first and last; |swept| is
 * how many, at most |max|. */
enum err store_sweep(struct store *st, uint32_t before_s, uint32_t now_s,
                     uint32_t max, uint32_t *swept);

#endif
