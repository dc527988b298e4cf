/*
 * edge_rows - edges, their buckets and versions, and what else is counted, as
 * they are stored (store/schema.c).
 *
 * What is put is put within a transaction; errors as of store/store.h.
 *
 * Threads    The owner thread only.
 */
#ifndef STORE_EDGE_ROWS_H
#define STORE_EDGE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "model/edge.h"
#include "store/store.h"

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

/* store_put_exemplar makes it one of the two latest of those that failed, or
 * that did not, of |edge|; one that is older than both, and the same trace
 * again, change nothing. */
enum err store_put_exemplar(struct store *st, uint32_t edge,
                            const struct exemplar *exemplar);

/* store_get_latency appends the stored sketch of a day bucket to |out|, or
 * nothing: read it, merge, and store_add_day. */
enum err store_get_latency(struct store *st, uint32_t edge, uint32_t day,
                           struct buf *out);

enum err store_add_counter(struct store *st, str name, int64_t delta);
enum err
store_add_loss(struct store *st, uint32_t day, str reason, int64_t delta);
/* store_put_uptime makes or extends the interval that begins at |start_s|. */
enum err store_put_uptime(struct store *st, uint32_t start_s, uint32_t end_s);

/* store_prune drops buckets before |hour| and |day|, and exemplars before
 * |day|, of the edges from |first| to |last|, and of their |versions| those not
 * seen since |day|, but for the last of each side and at most
 * STORE_PRUNE_VERSIONS a call: |more|, there may be others.  Some hundred edges
 * a call keep a transaction short. */
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

/* The first hour and day whose buckets are whole, since the epoch: those before
 * them may have been dropped.  They never fall, whatever is kept later on. */
enum err store_put_kept(struct store *st, uint32_t hour, uint32_t day);

/* store_sweep marks edges last seen before |before_s| and not yet swept as
 * swept at |now_s|, drops their buckets and exemplars but keeps first and last;
 * |swept| is
 * how many, at most |max|. */
enum err store_sweep(struct store *st, uint32_t before_s, uint32_t now_s,
                     uint32_t max, uint32_t *swept);

/* ---- loading, at start ---- */

typedef enum err store_edge_fn(void *ctx, const struct edge_delta *edge);
/* store_each_edge goes by rising id and leaves weighted, known, errors and hash
 * 0: whoever starts has no use for them, and reading a number of a million rows
 * takes some 30 ms. */
enum err store_each_edge(struct store *st, store_edge_fn *fn, void *ctx);
enum err store_count_edges(struct store *st, uint64_t *out);

#endif
