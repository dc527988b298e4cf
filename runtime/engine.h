/*
 * engine - the graph thread: journal, pairing, folding, in that order.
 *
 * Everything that changes the graph passes through here, one batch after the
 * other.  A batch is acknowledged when the journal transaction that holds it
 * is committed; edges follow, once a second, with the position of the journal
 * they cover.  After a crash engine_open replays: what was covered only
 * to rebuild what is pending, the rest with counting.  So nothing acknowledged
 * is lost and nothing counts twice.
 *
 *     engine_open -> engine_start -> engine_submit ... -> engine_stop
 *
 * Without engine_start nothing runs by itself and engine_submit does all its
 * work before it returns: for files and for tests.
 *
 * A failed transaction answers its batches with ERR_STORE and is over; the
 * next one is tried as if nothing had happened, so a full disk heals by itself.
 *
 * Time       While the thread runs: wall time when it started, plus what the
 *            steady clock added; a wall clock that is set changes nothing.
 *            Without it: that of the batches.  In both cases it never goes
 *            back, not even over a restart.
 *
 * Threads    engine_submit and engine_retry_ms: any.  The rest: the owner.
 */
#ifndef RUNTIME_ENGINE_H
#define RUNTIME_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "graph/nodes.h"
#include "graph/routes.h"
#include "model/stub.h"
#include "runtime/pair.h"
#include "store/store.h"

enum durability {
    DURABILITY_COMMIT, /* answered when it is on disk */
    DURABILITY_OS,     /* answered when the system has it */
    DURABILITY_MEMORY, /* answered at once; a crash loses what was not yet
                          folded */
};

struct engine_cfg {
    enum durability durability;
    uint32_t group_ms;     /* gather requests for one transaction; 5 */
    uint32_t group_stubs;  /* or until so many; 2,000 */
    uint32_t flush_ms;     /* fold edges into the store; 1,000 */
    uint32_t part_edges;   /* stored in one step of that at least; 256 */
    uint32_t queue_stubs;  /* accepted and not yet folded; 262,144 */
    uint32_t max_edges;    /* 1,000,000 */
    bool exemplars;        /* keep a few trace ids of each edge; no */
    uint32_t hour_buckets; /* kept; 48 */
    uint32_t day_buckets;  /* kept; 400 */
    struct pair_cfg pair;
};

extern const struct engine_cfg engine_cfg_default;

struct engine;

/* engine_done_fn says what became of one batch: OK, ERR_STORE, ERR_FULL.  It is
 * called on the graph thread or by engine_submit, and must not submit. */
typedef void engine_done_fn(void *ctx, enum err err);

/*
 * engine_open loads the graph of |store| into |nodes| and |routes| (both new
 * and empty) and replays the journal as of |now_ns|.  cfg->pair.user is found
 * here, whatever it says.
 *
 * ERR_CORRUPT  the journal or a table cannot be read
 * ERR_STORE, ERR_NOMEM
 */
enum err engine_open(struct engine **out, const struct engine_cfg *cfg,
                     struct store *store, struct nodes *nodes,
                     struct routes *routes, uint64_t now_ns);

/* engine_start begins the graph thread, which reads base/clock.h. */
enum err engine_start(struct engine *engine);

/* engine_has_room says whether |stubs| more would be taken; ask before the
 * work of decoding. */
bool engine_has_room(const struct engine *engine, uint32_t stubs);

/* engine_note_refused counts a request that was refused for that before it was
 * decoded, so that nobody knows how many spans it held.  Any thread. */
void engine_note_refused(struct engine *engine);

/*
 * engine_submit takes |batch|, which is the engine's from here on, and calls
 * |done| once, perhaps before it returns.  |digest| of zeros: never a retry.
 */
void engine_submit(struct engine *engine, struct stub_batch *batch,
                   struct digest128 digest, engine_done_fn *done, void *ctx);

/* engine_on_flush has |fn| told of each flush that wrote; before engine_start.
 * It is called on the graph thread and must not block. */
typedef void engine_flushed_fn(void *ctx, uint64_t duration_ns, enum err err);
void engine_on_flush(struct engine *engine, engine_flushed_fn *fn, void *ctx);

/* engine_retry_ms is how long a refused client should wait: five seconds, and
 * more the longer the queue takes to drain. */
uint32_t engine_retry_ms(const struct engine *engine);

/*
 * engine_write runs |work| on the graph thread with the store inside a
 * transaction, which also stores the nodes that are new: for gc/ and for
 * declaring routes.  The result is that of |work|, or of the commit.
 *
 * ERR_CANCELLED  the engine was stopped
 */
enum err
engine_write(struct engine *engine,
             enum err (*work)(void *ctx, struct store *store), void *ctx);

/* engine_finish ends all waits (engine not started) and flushes. */
enum err engine_finish(struct engine *engine);

/* engine_is_writable: the last transaction did not fail. */
bool engine_is_writable(const struct engine *engine);

/* engine_stop commits and flushes what is queued and ends the thread.  What is
 * submitted after that is refused. */
void engine_stop(struct engine *engine);

/* engine_close lets go of everything and writes nothing: what was acknowledged
 * and not flushed is in the journal.  The store stays open. */
void engine_close(struct engine *engine);

#endif
