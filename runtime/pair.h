/*
 * pair - spans find each other, and what they say together becomes edges.
 *
 * Holds every span for `horizon` (R8: a repeat counts once), tells parents from
 * children, callers from callees, and calls |sink| with observations by rules
 * R1 to R13 of spec/edges.md.  What is known is told at once; what turns out
 * otherwise is taken back (an observation with negative numbers) and told
 * anew.  So the sum of all observations depends only on which spans came and
 * which waits have ended, never on their order (R14).
 *
 *     pair_advance(pair, now)   waits that have ended by |now|
 *     pair_add(pair, batch)     the spans of one request
 *
 * Memory     All reserved in pair_new, touched as it is used: 112 bytes a span
 *            and 16 of index at the bound, 64 for a parent or producer that is
 *            awaited and 112 for one that is forgotten and still linked to, 24
 *            a link, 56 a producer; 4 million spans take 490 MiB.
 *            What a rush took is given back after it.
 * Bound      max_spans for spans.  Beyond, the oldest are forgotten as if their
 *            horizon had ended; what they still waited for is told first, and
 *            EDGE_EVICTED counts them.  Who they are depends on the batches
 *            since twice as many spans alone, so a replay of so many forgets
 *            the same.  Repeats are among them: at the bound, spans that come
 *            again in other batches, and halves that share an id, may be told
 *            otherwise after a restart.
 *            Those they await come on top: a parent each, and with links up to
 *            half as many again, beyond which the oldest spans go, too.  Links
 *            beyond one for four spans are dropped and counted.
 * Time       Only what the caller says; it never goes back (an earlier time is
 *            taken as the latest known).
 * Threads    None: the graph thread owns it.
 */
#ifndef RUNTIME_PAIR_H
#define RUNTIME_PAIR_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "model/edge.h"
#include "model/stub.h"

struct pair;

typedef void pair_sink_fn(void *ctx, const struct edge_obs *obs);

struct pair_cfg {
    uint64_t wait_ns;         /* for the other half; 60 s */
    uint64_t horizon_ns;      /* dedup and late re-classification; 15 min */
    uint64_t link_horizon_ns; /* a producer can be linked; 24 h */
    uint32_t max_spans;       /* held at once; 4,000,000 */
    uint32_t max_producers;   /* held for links beyond the horizon; 1,000,000 */
    uint32_t user;            /* node id of the external `user` */
};

struct pair_stats {
    uint64_t spans;      /* taken in, without duplicates */
    uint64_t duplicates; /* (R8) */
    uint64_t evicted;    /* forgotten before their time */
    uint32_t live;       /* held now */
    uint32_t pending;    /* of them: waits not ended */
    uint32_t producers;  /* held for links */
    uint64_t links_dropped;
};

/* pair_new: ERR_NOMEM. */
enum err pair_new(struct pair **out, const struct pair_cfg *cfg,
                  pair_sink_fn *sink, void *ctx);
void pair_free(struct pair *pair);

/* pair_advance ends the waits and horizons that end by |now_ns|. */
void pair_advance(struct pair *pair, uint64_t now_ns);

/* pair_add takes in |batch|, received at batch->received_ns (which advances
 * the time as pair_advance does).  Nothing of |batch| is kept.  A repeat of a
 * span within its horizon counts as EDGE_DUPLICATE alone, beyond it anew. */
void pair_add(struct pair *pair, const struct stub_batch *batch);

/* pair_finish ends all waits, for the end of an input. */
void pair_finish(struct pair *pair);

/* pair_told is the trace of the observation that is being told, in two words;
 * only to be asked from within the sink, and not of EDGE_SEEN and
 * EDGE_SEEN_BY. */
void pair_told(const struct pair *pair, uint64_t *trace_hi, uint64_t *trace_lo);

struct pair_stats pair_stats(const struct pair *pair);

/*
 * Producers outlive the journal, so they are saved on their own.
 * pair_save_producers appends those that were added since the last call, as
 * bytes for pair_load_producers, and returns how many they are; |until_ns| is
 * when the last of them ends.  Nothing new: no bytes, 0 and 0.  If |out| fails
 * they are appended next time; a caller whose transaction fails must keep the
 * bytes and write them later. To be loaded before spans; those that are known
 * or over are left out.
 *
 * ERR_CORRUPT  (load) not such bytes; nothing was added
 */
uint32_t
pair_save_producers(struct pair *pair, struct buf *out, uint64_t *until_ns);
enum err pair_load_producers(struct pair *pair, str bytes);

#endif
