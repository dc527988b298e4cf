/*
 * engine_impl - what the files behind runtime/engine.h share.  Not for others.
 *
 * Threads    |lock| guards what is between the two lines below; atomics are
 *            anyone's; all else belongs to the graph thread once it runs.
 */
#ifndef RUNTIME_ENGINE_IMPL_H
#define RUNTIME_ENGINE_IMPL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "graph/edge_writer.h"
#include "graph/edges.h"
#include "runtime/digests.h"
#include "runtime/engine.h"
#include "runtime/engine_flush.h"

/* An exact retry is known for so long (at least). */
#define ENGINE_DIGEST_NS (UINT64_C(900) * NS_PER_S)

struct request {
    struct request *next;
    struct stub_batch *batch;
    struct digest128 digest;
    engine_done_fn *done; /* NULL: answered already */
    void *ctx;
    uint64_t queued_ns; /* monotonic */
    uint32_t cost;      /* of its place in the queue, in stubs */
    bool is_retry;      /* of one before it: nothing to be stored */
};

struct work {
    struct work *next;
    enum err (*fn)(void *ctx, struct store *store);
    void *ctx;
    enum err err;
    bool finished;
};

struct engine {
    struct engine_cfg cfg;
    struct store *store;
    struct nodes *nodes;
    struct edges *edges;
    struct exemplars *exemplars; /* NULL: none are kept */
    struct edge_writer *writer;
    struct pair *pair;
    struct digests *digests;
    engine_flushed_fn *on_flush; /* may be NULL */
    void *on_flush_ctx;

    /* ---- */
    pthread_mutex_t lock;
    pthread_cond_t wake;     /* the graph thread */
    pthread_cond_t finished; /* those who wait for work */
    struct request *queue;
    struct request **queue_end;
    struct work *works;
    uint32_t queue_waiting; /* cost of |queue| */
    bool dozing;            /* nobody looks before the next flush: wake it */
    bool stopping;
    /* ---- */

    pthread_t thread;
    atomic_bool running; /* the thread does the work */
    atomic_bool stopped; /* nothing is done any more */
    atomic_uint queued;  /* cost of all that was not yet folded */
    atomic_bool writable;
    atomic_ullong refused_full;     /* spans; taken with each flush */
    atomic_ullong refused_store;    /* before they were queued; likewise */
    atomic_ullong requests_refused; /* for the same; likewise */
    atomic_uint stub_ns;            /* smoothed time to commit and fold one */

    /* Time, as the journal knows it: it never goes back, and while the thread
     * runs it is wall time at the start plus what the steady clock added,
     * which goes on while the machine is suspended. */
    uint64_t now_ns;
    uint64_t start_boot_ns;
    uint64_t start_wall_ns;
    uint64_t next_flush_ns; /* monotonic */

    bool sink_open;           /* observations count */
    uint64_t seq;             /* of the last row given to |pair| */
    uint64_t covered_seq;     /* of the last flush that is whole in the store */
    uint64_t finished_seq;    /* all waits up to it were ended at once */
    uint64_t flushed_ns;      /* engine time when the last flush began */
    uint64_t unflushed_stubs; /* of rows behind the last flush that began */
    struct pair_stats counted;        /* of |pair|, in the counters already */
    struct edges_stats counted_edges; /* the same of |edges| */
    int64_t counters[COUNTER_COUNT];  /* since the last flush began */
    int64_t losses[LOSS_COUNT];
    struct flush flush;
    uint32_t uptime_start_s; /* 0: none has begun */
    uint32_t prune_next;     /* edge id; 0: none under way */
    uint64_t heartbeat_ns;   /* engine time of the last one */
    uint64_t pruned_ns;      /* engine time of the last beginning of a prune */
    uint32_t pruned_day;     /* the first day kept when it last ended */
};

/* engine_save_nodes writes what is new into the open transaction. */
enum err engine_save_nodes(struct engine *engine);

/* engine_end_tx commits, or rolls back after |err|, and marks the nodes
 * accordingly; sets |writable|. */
enum err engine_end_tx(struct engine *engine, enum err err);

/* engine_commit stores, answers and folds the requests of |list|. */
void engine_commit(struct engine *engine, struct request *list);

/* engine_load fills nodes, routes, edges and pairs from the store. */
enum err engine_load(struct engine *engine, struct routes *routes);

/* engine_count_batch adds what a batch says of itself to the counters. */
void engine_count_batch(struct engine *engine, const struct stub_batch *batch);

#endif
