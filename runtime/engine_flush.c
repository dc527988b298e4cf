/*
 * The steps of a flush.  Waits are ended before it begins, up to a time that is
 * written down with the rest: a replay ends them up to the same time before it
 * lets anything count.
 *
 * The parts are staged first, which only appends; then one transaction says how
 * far all that reaches and that the parts are whole; then they are added to the
 * edges, each dropped in the transaction that adds it.  Only the middle one is
 * synced: what was staged goes to the disk with it, the rest with that of the
 * next flush, and in the log nothing comes through without what was written
 * before it.  What is one part anyway is added in the middle one.
 */
#include "runtime/engine_impl.h"

#include <assert.h>
#include <string.h>

#include "base/metrics.h"
#include "store/edge_rows.h"
#include "store/flush_rows.h"
#include "store/journal_rows.h"
#include "store/node_rows.h"

#define HEARTBEAT_NS (10 * NS_PER_S)

enum {
    TRIMS = 64,  /* steps of a flush, and of all its housekeeping */
    PRUNES = 10, /* of them, at most */
};

/* ---- beginning ---- */

static bool
is_needed(const struct engine *engine)
{
    bool counted = false;

    for (int i = 0; i < COUNTER_COUNT; i++)
        counted |= engine->counters[i] != 0;
    for (int i = 0; i < LOSS_COUNT; i++)
        counted |= engine->losses[i] != 0;
    return counted || engine->seq != engine->covered_seq ||
           engine->prune_next != 0 || edges_stats(engine->edges).dirty > 0 ||
           !engine_is_writable(engine) || engine->uptime_start_s == 0 ||
           engine->now_ns - engine->heartbeat_ns >= HEARTBEAT_NS;
}

static void
take_counters(struct engine *engine)
{
    struct flush *flush = &engine->flush;

    memcpy(flush->counters, engine->counters, sizeof(flush->counters));
    memcpy(flush->losses, engine->losses, sizeof(flush->losses));
    memset(engine->counters, 0, sizeof(engine->counters));
    memset(engine->losses, 0, sizeof(engine->losses));
}

/* What is taken is that of this moment, all of it. */
static enum err
take(struct engine *engine)
{
    struct flush *flush = &engine->flush;
    enum err err =
        edges_take(engine->edges, engine->cfg.part_edges, &flush->parts);

    if (err)
        return err;
    if (engine->exemplars)
        exemplars_end_take(engine->exemplars,
                           (uint32_t)(engine->now_ns / NS_PER_S));
    flush->producers_count = pair_save_producers(
        engine->pair, &flush->producers, &flush->producers_until_ns);
    take_counters(engine);
    flush->seq = engine->seq;
    flush->now_ns = engine->now_ns;
    flush->finished_seq = engine->finished_seq;
    flush->failed = false;
    flush->added = flush->staged = 0;
    flush->first_seq = 1;
    flush->kept_house = 0;
    engine->unflushed_stubs = 0;
    flush->phase = FLUSH_COVER;
    if (edge_parts_len(&flush->parts) > 1) {
        flush->phase = FLUSH_STAGE;
        flush->number++;
    }
    return OK;
}

static void
tell(const struct engine *engine, enum err err)
{
    uint64_t duration_ns = clock_mono_ns() - engine->flush.begin_ns;

    metrics_observe(METRIC_FLUSH_SECONDS, duration_ns);
    if (engine->on_flush)
        engine->on_flush(engine->on_flush_ctx, duration_ns, err);
}

enum err
engine_flush_begin(struct engine *engine)
{
    struct flush *flush = &engine->flush;

    assert(flush->phase == FLUSH_NONE);
    flush->begin_ns = clock_mono_ns();
    pair_advance(engine->pair, engine->now_ns);
    engine_gather_counters(engine);
    engine->flushed_ns = engine->now_ns;
    if (!is_needed(engine))
        return OK;
    enum err err = take(engine);
    if (err) { /* it is as bad as a store that cannot be written */
        err = engine_end_tx(engine, err);
        tell(engine, err);
    }
    metrics_observe(METRIC_FLUSH_HOLD_SECONDS,
                    clock_mono_ns() - flush->begin_ns);
    return err;
}

bool
engine_flush_is_under_way(const struct engine *engine)
{
    return engine->flush.phase != FLUSH_NONE && !engine->flush.failed;
}

/* ---- steps: what is done in the transaction ---- */

/* What a step has done, once it is committed. */
struct done {
    uint32_t parts;
    bool more; /* for the same phase */
};

static bool
goes_on(const struct flush *flush, uint32_t at, uint64_t until_ns)
{
    return at < edge_parts_len(&flush->parts) && clock_mono_ns() < until_ns;
}

static enum err
stage(struct engine *engine, uint64_t until_ns, struct done *done)
{
    struct flush *flush = &engine->flush;
    uint32_t at = flush->staged;
    /* Those of one that a crash cut short mean nothing. */
    enum err err = at == 0 ? store_drop_all_parts(engine->store) : OK;

    if (err)
        return err;
    do {
        err =
            store_put_part(engine->store, flush->number, flush->first_seq + at,
                           edge_parts_get(&flush->parts, at));
        at++;
    } while (!err && goes_on(flush, at, until_ns));
    done->parts = at - flush->staged;
    done->more = at < edge_parts_len(&flush->parts);
    return err;
}

static enum err
write_overflow(void *ctx, uint32_t id, uint64_t estimate, str saved)
{
    const struct engine *engine = ctx;

    return store_put_overflow(engine->store, id, estimate, saved);
}

static enum err
say_alive(struct engine *engine)
{
    uint32_t now_s = (uint32_t)(engine->now_ns / NS_PER_S);
    uint32_t start_s = engine->uptime_start_s ? engine->uptime_start_s : now_s;

    return engine->running ? store_put_uptime(engine->store, start_s, now_s)
                           : OK;
}

/* Of a flush of one part that part, of others that theirs are whole. */
static enum err
cover_parts(struct engine *engine, struct done *done)
{
    struct flush *flush = &engine->flush;

    if (flush->staged > 0)
        return store_put_flush(engine->store, flush->number);
    done->parts = edge_parts_len(&flush->parts);
    enum err err = store_put_added(engine->store, flush->now_ns);
    return err || done->parts == 0
               ? err
               : edge_writer_add(engine->writer,
                                 edge_parts_get(&flush->parts, 0),
                                 engine_window(engine));
}

static enum err
cover(struct engine *engine, struct done *done)
{
    struct flush *flush = &engine->flush;
    struct edges_window kept = engine_window(engine);
    const struct producers_row producers = {
        .data = buf_str(&flush->producers),
        .count = flush->producers_count,
        .until_ns = flush->producers_until_ns,
    };
    enum err err;

    if ((err = engine_save_nodes(engine)) ||
        (err = nodes_each_overflow(engine->nodes, write_overflow, engine)) ||
        (err = cover_parts(engine, done)) ||
        (err = engine_write_counters(engine)))
        return err;
    if (producers.count > 0 &&
        (err = store_put_producers(engine->store, &producers)))
        return err;
    if ((err = store_put_covered(engine->store, flush->seq, flush->now_ns)) ||
        (err = store_put_finished(engine->store, flush->finished_seq)) ||
        (err = store_put_kept(engine->store, kept.first_hour, kept.first_day)))
        return err;
    return say_alive(engine);
}

static enum err
add(struct engine *engine, uint64_t until_ns, struct done *done)
{
    struct flush *flush = &engine->flush;
    struct edges_window window = engine_window(engine);
    uint32_t at = flush->added;
    enum err err;

    do {
        err = edge_writer_add(engine->writer, edge_parts_get(&flush->parts, at),
                              window);
        at++;
    } while (!err && goes_on(flush, at, until_ns));
    done->parts = at - flush->added;
    done->more = at < edge_parts_len(&flush->parts);
    if (err)
        return err;
    if (done->more)
        return store_drop_parts(engine->store, flush->first_seq + at - 1);
    err = store_drop_all_parts(engine->store);
    return err ? err : store_put_added(engine->store, flush->now_ns);
}

static enum err
do_phase(struct engine *engine, uint64_t until_ns, struct done *done)
{
    enum flush_phase phase = engine->flush.phase;
    enum err err = phase == FLUSH_COVER ? store_begin(engine->store)
                                        : store_begin_lazily(engine->store);

    if (err)
        return err;
    if (phase == FLUSH_STAGE)
        return stage(engine, until_ns, done);
    if (phase == FLUSH_COVER)
        return cover(engine, done);
    if (phase == FLUSH_ADD)
        return add(engine, until_ns, done);
    if (phase == FLUSH_TRIM)
        return engine_trim(engine, &done->more);
    return engine_prune(engine, &done->more);
}

/* ---- steps: what is true once it is committed ---- */

static void
note_covered(struct engine *engine)
{
    struct flush *flush = &engine->flush;

    buf_reset(&flush->producers);
    engine->covered_seq = flush->seq;
    engine->heartbeat_ns = flush->now_ns;
    if (engine->uptime_start_s == 0)
        engine->uptime_start_s = (uint32_t)(engine->now_ns / NS_PER_S);
}

static void
note_added(struct engine *engine)
{
    edge_parts_fini(&engine->flush.parts);
    engine->flush.phase = FLUSH_TRIM;
    tell(engine, OK);
}

static void
end(struct engine *engine)
{
    engine->flush.phase = FLUSH_NONE;
    (void)store_checkpoint(engine->store);
    metrics_set(METRIC_STORE_BYTES, store_size_bytes(engine->store));
    metrics_set(METRIC_WAL_BYTES, store_wal_bytes(engine->store));
}

static void
note_step(struct engine *engine, const struct done *done)
{
    struct flush *flush = &engine->flush;

    switch (flush->phase) {
    case FLUSH_STAGE:
        flush->staged += done->parts;
        flush->phase = done->more ? FLUSH_STAGE : FLUSH_COVER;
        break;
    case FLUSH_COVER:
        note_covered(engine);
        flush->phase = FLUSH_ADD;
        if (flush->staged == 0)
            note_added(engine);
        break;
    case FLUSH_ADD:
        flush->added += done->parts;
        if (!done->more)
            note_added(engine);
        break;
    case FLUSH_TRIM:
        if (!done->more || ++flush->kept_house == TRIMS) {
            flush->phase = FLUSH_PRUNE;
            flush->kept_house = 0;
        }
        break;
    case FLUSH_PRUNE:
        engine_pruned(engine, done->more);
        flush->kept_house++;
        break;
    case FLUSH_NONE:
        break;
    }
    if (flush->phase == FLUSH_PRUNE &&
        (!engine_prune_is_due(engine) || flush->kept_house == PRUNES))
        end(engine);
}

enum err
engine_flush_step(struct engine *engine, uint64_t until_ns)
{
    struct flush *flush = &engine->flush;
    uint64_t begin_ns = clock_mono_ns();
    struct done done = {0};

    enum err err = engine_end_tx(engine, do_phase(engine, until_ns, &done));
    flush->failed = err != OK;
    if (err)
        tell(engine, err);
    else
        note_step(engine, &done);
    metrics_observe(METRIC_FLUSH_HOLD_SECONDS, clock_mono_ns() - begin_ns);
    return err;
}

/* ---- all of it ---- */

static enum err
run_out(struct engine *engine)
{
    enum err err = OK;

    while (engine->flush.phase != FLUSH_NONE && !err) {
        err = engine_flush_step(engine, 0);
        (void)store_checkpoint_step(engine->store);
    }
    return err;
}

enum err
engine_flush(struct engine *engine)
{
    enum err err = run_out(engine); /* one that failed before */

    if (!err)
        err = engine_flush_begin(engine);
    return err ? err : run_out(engine);
}

void
engine_on_flush(struct engine *engine, engine_flushed_fn *fn, void *ctx)
{
    engine->on_flush = fn;
    engine->on_flush_ctx = ctx;
}
