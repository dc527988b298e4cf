/*
 * gc - ages what is no longer seen.
 *
 * An edge is active, recent, stale or eligible by when it was last seen
 * (graph/confidence.h); readers class it and lower its confidence as they look.
 * What is eligible for longer than the grace period is swept, if that is
 * wanted: its buckets go, its first and last observed stay, so that "stopped"
 * never turns into "never".  This is policy only: when, and what; the work is
 * done by the graph thread through |write|.
 *
 *     gc_step(&state, &cfg, now, mono, write, ctx)   one look, for tests
 *     gc_start ... gc_stop                           a thread that looks
 *
 * Threads    gc_start, gc_stop: the owner.
 */
#ifndef GC_GC_H
#define GC_GC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store.h"

struct gc_cfg {
    uint64_t interval_ns;       /* between two looks */
    uint64_t eligible_after_ns; /* not seen for longer: eligible; 90 days */
    uint64_t grace_ns;          /* eligible for longer: swept; 7 days */
    bool sweep;                 /* false: never */
};

/* A gc_write_fn runs |work| inside a transaction of the store's owner, and
 * returns its result. */
typedef enum err gc_work_fn(void *ctx, struct store *store);
typedef enum err gc_write_fn(void *ctx, gc_work_fn *work, void *work_ctx);

/* What is remembered from one look to the next. */
struct gc_state {
    uint64_t now_ns; /* of the last look; 0: none yet */
    uint64_t mono_ns;
    uint64_t swept; /* edges, so far */
};

/*
 * gc_step looks once, at wall time |now_ns| and monotonic time |mono_ns|.  When
 * the wall clock has gone ahead of the other by more than an hour since the
 * last look, it is not believed and nothing is swept this time.
 *
 * OK; any error of |write|: nothing more was swept, the next look goes on.
 */
enum err
gc_step(struct gc_state *state, const struct gc_cfg *cfg, uint64_t now_ns,
        uint64_t mono_ns, gc_write_fn *write, void *ctx);

struct gc;

/* gc_start looks at once and then every interval.  ERR_NOMEM. */
enum err gc_start(struct gc **out, const struct gc_cfg *cfg, gc_write_fn *write,
                  void *ctx);

/* gc_stop waits for the look under way; NULL is fine. */
void gc_stop(struct gc *gc);

#endif
