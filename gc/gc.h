/*
 * gc - when observed edges are old, and when they are swept.
 *
 * Policy alone: what is done to the store is done where the store is owned.
 * An edge is active, recent, stale, then eligible (graph/confidence.h).  Once
 * eligible for the grace period too, it is swept if sweeping was asked for:
 * its buckets go, its first and last stay, so that "stopped" never becomes
 * "never".
 *
 *     gc_start(&gc, &cfg, run, run_ctx) ... gc_stop(gc)
 *
 * Threads    gc_step: none.  start and stop: the owner.  |run| is called on
 *            gc's thread.
 */
#ifndef GC_GC_H
#define GC_GC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "graph/confidence.h"
#include "store/store.h"

struct gc_cfg {
    struct confidence_cfg ages;
    uint32_t grace_days; /* eligible, but not swept yet; 7 */
    bool sweep;          /* false: nothing is ever swept */
    uint32_t every_ms;   /* between two steps; 600,000 */
    uint32_t batch;      /* edges swept in one transaction; 1,000 */
};

extern const struct gc_cfg gc_cfg_default;

/* gc_work_fn does something to |store| inside a transaction; gc_run_fn has it
 * done where the store is owned, and gives its result (runtime/engine.h,
 * engine_age). */
typedef enum err gc_work_fn(void *ctx, struct store *store);
typedef enum err gc_run_fn(void *ctx, gc_work_fn *work, void *work_ctx);

/* gc_sweep_before is the time before which an edge must have been seen last to
 * be swept at |now_s|; 0: none is. */
uint32_t gc_sweep_before(const struct gc_cfg *cfg, uint32_t now_s);

/*
 * gc_step does all that is due at |now_s|, in transactions of at most |batch|
 * edges, and tells how many edges it swept.
 *
 * Errors of |run|: what was swept before stays swept; a later step goes on.
 */
enum err gc_step(const struct gc_cfg *cfg, uint32_t now_s, gc_run_fn *run,
                 void *run_ctx, uint32_t *swept);

struct gc;

/* gc_start: ERR_NOMEM; ERR_INVALID: ages that do not rise. */
enum err gc_start(struct gc **out, const struct gc_cfg *cfg, gc_run_fn *run,
                  void *run_ctx);
/* gc_stop ends the thread; a step under way is finished. */
void gc_stop(struct gc *gc);

#endif
