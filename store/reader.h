/*
 * reader - one connection that only reads.
 *
 * Sees the database as it was committed, next to the one that writes
 * (store/store.h), never waits for it and never makes it wait.  Between
 * reader_begin and reader_end all answers come from one moment.
 *
 *     reader_begin(r); reader_each_...(r, ...) ...; reader_end(r);
 *
 * A callback must not call the function that calls it; the others it may.
 * Any result but OK ends the walk and is returned.
 *
 * Memory     Views handed to a callback are valid during the call.
 * Errors     ERR_STORE: the database did not answer, try later.  ERR_CORRUPT:
 *            what was read is not what was written.
 * Threads    One at a time; open one for each that asks at once.
 */
#ifndef STORE_READER_H
#define STORE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "model/edge.h"
#include "model/node.h"
#include "store/edge_rows.h"
#include "store/node_rows.h"

struct reader;

/*
 * reader_open reads the store in |dir|.  |why| says what to do:
 *
 * ERR_NOT_FOUND  there is none
 * ERR_INVALID    it is empty, not ours, or of a newer version
 * ERR_DENIED, ERR_CORRUPT, ERR_STORE, ERR_NOMEM
 */
enum err reader_open(struct reader **out, const char *dir, struct buf *why);
void reader_close(struct reader *r);

enum err reader_begin(struct reader *r);
void reader_end(struct reader *r);

/* reader_log_is_long: the writer has not been able to begin its log anew for
 * long, since there always was one who read what is in it.  It can be told
 * outside of reader_begin and reader_end. */
bool reader_log_is_long(const struct reader *r);

/* reader_version changes when another connection has committed. */
enum err reader_version(struct reader *r, int64_t *out);

/* reader_nodes_version changes when a node came or was changed, and with each
 * start of the writer; 0: of a store that does not say. */
enum err reader_nodes_version(struct reader *r, uint64_t *out);
/* reader_graph_version likewise when edges or declared routes did, too; not
 * with what is pruned and swept of them. */
enum err reader_graph_version(struct reader *r, uint64_t *out);

/* reader_added_ns is the time up to which edges are stored, all of them; 0:
 * never. */
enum err reader_added_ns(struct reader *r, uint64_t *out);

/* reader_kept is the first hour and day whose buckets are whole; 0: of a store
 * that does not say. */
struct reader_kept {
    uint32_t hour;
    uint32_t day;
};
enum err reader_kept(struct reader *r, struct reader_kept *out);

struct reader_node {
    struct node node;
    unsigned char hash[32]; /* zeros if none was stored */
    uint32_t created_s;
};
typedef enum err reader_node_fn(void *ctx, const struct reader_node *node);
/* reader_each_node goes by rising id. */
enum err reader_each_node(struct reader *r, reader_node_fn *fn, void *ctx);

typedef enum err
reader_overflow_fn(void *ctx, uint32_t node, uint64_t estimate);
/* reader_each_overflow gives the overflow nodes that stand for most first. */
enum err
reader_each_overflow(struct reader *r, reader_overflow_fn *fn, void *ctx);

struct reader_edge {
    uint32_t id;
    struct edge_key key;
    int64_t count;
    int64_t weighted; /* in 1/WEIGHT_ONE */
    int64_t known;
    int64_t errors;
    uint32_t first_s;
    uint32_t last_s;
    uint32_t swept_s;
};
typedef enum err reader_edge_fn(void *ctx, const struct reader_edge *edge);

enum reader_side { READER_ALL, READER_FROM, READER_TO };

/* What reader_each_edge walks: kinds from..to, both included, that leave or
 * enter |node| (READER_ALL: any).  Edges taken back whole are not shown. */
struct reader_edges {
    enum reader_side side;
    uint32_t node;
    uint8_t from_kind;
    uint8_t to_kind;
};
enum err reader_each_edge(struct reader *r, const struct reader_edges *what,
                          reader_edge_fn *fn, void *ctx);

/* reader_each_tally walks all edges for what totals are made of, their kind,
 * count, first and last, and leaves the rest 0: each column costs as much as
 * the step to the next row. */
enum err reader_each_tally(struct reader *r, reader_edge_fn *fn, void *ctx);

/* reader_edge_most is at least as many as there are edges. */
enum err reader_edge_most(struct reader *r, uint64_t *out);

/* Whole hours or days since the epoch, both ends included. */
enum reader_unit { READER_HOURS, READER_DAYS };
struct reader_span {
    enum reader_unit unit;
    uint32_t from;
    uint32_t to;
};

/* reader_sum adds up the buckets of |edge|; hours and latency stay empty.  Of
 * edges by rising id it costs a fraction. */
enum err reader_sum(struct reader *r, uint32_t edge, struct reader_span span,
                    struct bucket_delta *out);

typedef enum err reader_bucket_fn(void *ctx, const struct bucket_delta *bucket);
/* reader_each_day walks the days of |edge|, oldest first. */
enum err reader_each_day(struct reader *r, uint32_t edge, uint32_t from,
                         uint32_t to, reader_bucket_fn *fn, void *ctx);

typedef enum err reader_version_fn(void *ctx, const struct version_delta *row);
enum err reader_each_version(struct reader *r, uint32_t edge,
                             reader_version_fn *fn, void *ctx);

typedef enum err reader_exemplar_fn(void *ctx, const struct exemplar *row);
enum err reader_each_exemplar(struct reader *r, uint32_t edge,
                              reader_exemplar_fn *fn, void *ctx);

/* reader_each_route walks the declared routes, also those that were removed. */
enum err reader_each_route(struct reader *r, store_route_fn *fn, void *ctx);

typedef enum err reader_counter_fn(void *ctx, str name, int64_t value);
enum err
reader_each_counter(struct reader *r, reader_counter_fn *fn, void *ctx);
/* reader_each_loss sums by reason what was lost on the days from..to. */
enum err reader_each_loss(struct reader *r, uint32_t from, uint32_t to,
                          reader_counter_fn *fn, void *ctx);

typedef enum err reader_uptime_fn(void *ctx, uint32_t start_s, uint32_t end_s);
/* reader_each_uptime walks the intervals that end after |from_s|. */
enum err reader_each_uptime(struct reader *r, uint32_t from_s,
                            reader_uptime_fn *fn, void *ctx);

#endif
