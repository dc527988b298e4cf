/*
 * A flush is one transaction: edges and their buckets, totals, producers, and
 * how far in the journal and in time all that reaches.  Waits are ended first,
 * up to a time that is written down with the rest: a replay ends them up to
 * the same time before it lets anything count.
 *
 * Housekeeping rides along in small steps, so that no flush is long.
 */
#include "runtime/engine_impl.h"

#include "base/log.h"
#include "base/metrics.h"

#define HEARTBEAT_NS (10 * NS_PER_S)
#define PRUNE_NS     (3600 * NS_PER_S)

enum { PRUNE_EDGES = 5000 }; /* a flush */

static const str counter_names[COUNTER_COUNT] = {
#define COUNTER_NAME(id, name) [COUNTER_##id] = {(name), sizeof(name) - 1},
    ENGINE_COUNTERS(COUNTER_NAME)
#undef COUNTER_NAME
};

static const str loss_names[LOSS_COUNT] = {
#define LOSS_NAME(id, name) [LOSS_##id] = {(name), sizeof(name) - 1},
    ENGINE_LOSSES(LOSS_NAME)
#undef LOSS_NAME
};

/* Takes over what pairing and folding have counted since the last time. */
static void
gather_counters(struct engine *engine)
{
    struct pair_stats pair = pair_stats(engine->pair);
    struct edges_stats edges = edges_stats(engine->edges);
    int64_t evicted = (int64_t)(pair.evicted - engine->counted.evicted);
    int64_t links =
        (int64_t)(pair.links_dropped - engine->counted.links_dropped);
    int64_t repeated = (int64_t)(pair.duplicates - engine->counted.duplicates);

    engine->counters[COUNTER_SPANS] +=
        (int64_t)(pair.spans - engine->counted.spans);
    engine->counters[COUNTER_DUPLICATES] += repeated;
    engine->counters[COUNTER_EVICTED] += evicted;
    engine->counters[COUNTER_LINKS_DROPPED] += links;
    engine->counters[COUNTER_EDGES_OVERFLOWED] +=
        (int64_t)(edges.overflowed - engine->counted_edges.overflowed);
    engine->losses[LOSS_EVICTED] += evicted;
    engine->losses[LOSS_LINKS_DROPPED] += links;
    engine->losses[LOSS_EDGES_DROPPED] +=
        (int64_t)(edges.dropped - engine->counted_edges.dropped);
    engine->counters[COUNTER_REFUSED_FULL] +=
        (int64_t)atomic_exchange(&engine->refused_full, 0);
    engine->counters[COUNTER_REQUESTS_REFUSED] +=
        (int64_t)atomic_exchange(&engine->requests_refused, 0);
    engine->counted = pair;
    engine->counted_edges = edges;
    metrics_add(METRIC_SPANS_DUPLICATE, repeated);
    metrics_add(METRIC_EVICTED, evicted);
    metrics_set(METRIC_PENDING, pair.live);
    metrics_set(METRIC_EDGES, edges.edges);
    metrics_set(METRIC_UNRESOLVED_PARENT, edges.unresolved[0]);
    metrics_set(METRIC_UNRESOLVED_EGRESS,
                edges.unresolved[EDGE_UNRESOLVED - EDGE_ORPHAN]);
    metrics_set(METRIC_UNRESOLVED_LINK,
                edges.unresolved[EDGE_UNRESOLVED_LINK - EDGE_ORPHAN]);
    metrics_set(METRIC_NODES, nodes_len(engine->nodes));
}

static enum err
write_counters(struct engine *engine)
{
    uint32_t day = (uint32_t)(engine->now_ns / NS_PER_S / S_PER_DAY);
    enum err err = OK;

    for (int i = 0; i < COUNTER_COUNT && !err; i++) {
        if (engine->counters[i] != 0)
            err = store_add_counter(engine->store, counter_names[i],
                                    engine->counters[i]);
    }
    for (int i = 0; i < LOSS_COUNT && !err; i++) {
        if (engine->losses[i] != 0)
            err = store_add_loss(engine->store, day, loss_names[i],
                                 engine->losses[i]);
    }
    return err;
}

static enum err
write_overflow(void *ctx, uint32_t id, uint64_t estimate, str saved)
{
    const struct engine *engine = ctx;

    return store_put_overflow(engine->store, id, estimate, saved);
}

static uint32_t
floor_of(uint64_t now, uint32_t kept)
{
    return now >= kept ? (uint32_t)(now - kept + 1) : 0;
}

static struct edges_window
window_of(const struct engine *engine)
{
    uint64_t now_s = engine->now_ns / NS_PER_S;

    return (struct edges_window){
        .first_hour = floor_of(now_s / S_PER_H, engine->cfg.hour_buckets),
        .first_day = floor_of(now_s / S_PER_DAY, engine->cfg.day_buckets),
    };
}

static uint64_t
before(uint64_t now_ns, uint64_t span_ns)
{
    return now_ns > span_ns ? now_ns - span_ns : 0;
}

static enum err
trim(struct engine *engine)
{
    uint64_t kept_ns = 2 * engine->cfg.pair.horizon_ns;

    if (kept_ns < ENGINE_DIGEST_NS)
        kept_ns = ENGINE_DIGEST_NS;
    const struct journal_trim journal = {
        .before_ns = before(engine->now_ns, kept_ns),
        .digest_before_ns = before(engine->now_ns, ENGINE_DIGEST_NS),
        .max_stubs = 2 * (uint64_t)engine->cfg.pair.max_spans,
        .covered_seq = engine->seq,
    };
    enum err err = store_trim_journal(engine->store, &journal);

    return err ? err : store_trim_producers(engine->store, engine->now_ns);
}

/* One step of dropping old buckets; once an hour it begins again. */
static enum err
prune(struct engine *engine, uint32_t *next)
{
    struct edges_window window = window_of(engine);

    *next = engine->prune_next;
    if (*next == 0 && engine->now_ns - engine->pruned_ns >= PRUNE_NS)
        *next = 1;
    if (*next == 0)
        return OK;
    const struct store_prune step = {
        .hour = window.first_hour,
        .day = window.first_day,
        .first = *next,
        .last = *next + PRUNE_EDGES - 1,
    };
    *next = step.last < edges_stats(engine->edges).last_id ? step.last + 1 : 0;
    return store_prune(engine->store, &step);
}

static enum err
say_alive(struct engine *engine)
{
    uint32_t now_s = (uint32_t)(engine->now_ns / NS_PER_S);
    uint32_t start_s = engine->uptime_start_s ? engine->uptime_start_s : now_s;

    return engine->running ? store_put_uptime(engine->store, start_s, now_s)
                           : OK;
}

static enum err
write_all(struct engine *engine, uint32_t *prune_next)
{
    enum err err;

    if ((err = store_begin(engine->store)) ||
        (err = engine_save_nodes(engine)) ||
        (err = nodes_each_overflow(engine->nodes, write_overflow, engine)) ||
        (err = edges_flush(engine->edges, engine->store, window_of(engine))) ||
        (err = write_counters(engine)))
        return err;
    if (engine->producers.len > 0 &&
        (err = store_put_producers(engine->store, buf_str(&engine->producers),
                                   engine->producers_until_ns)))
        return err;
    if ((err = store_put_covered(engine->store, engine->seq, engine->now_ns)) ||
        (err = store_put_finished(engine->store, engine->finished_seq)) ||
        (err = say_alive(engine)) || (err = trim(engine)))
        return err;
    return prune(engine, prune_next);
}

static bool
is_needed(const struct engine *engine)
{
    bool counted = false;

    for (int i = 0; i < COUNTER_COUNT; i++)
        counted |= engine->counters[i] != 0;
    for (int i = 0; i < LOSS_COUNT; i++)
        counted |= engine->losses[i] != 0;
    return counted || engine->seq != engine->covered_seq ||
           engine->producers.len > 0 || engine->prune_next != 0 ||
           edges_stats(engine->edges).dirty > 0 ||
           !engine_is_writable(engine) || engine->uptime_start_s == 0 ||
           engine->now_ns - engine->heartbeat_ns >= HEARTBEAT_NS;
}

static void
note_success(struct engine *engine, uint32_t prune_next)
{
    edges_flushed(engine->edges);
    buf_reset(&engine->producers);
    for (int i = 0; i < COUNTER_COUNT; i++)
        engine->counters[i] = 0;
    for (int i = 0; i < LOSS_COUNT; i++)
        engine->losses[i] = 0;
    engine->covered_seq = engine->seq;
    engine->unflushed_stubs = 0;
    engine->heartbeat_ns = engine->now_ns;
    if (engine->uptime_start_s == 0)
        engine->uptime_start_s = (uint32_t)(engine->now_ns / NS_PER_S);
    if (engine->prune_next == 0 &&
        engine->now_ns - engine->pruned_ns >= PRUNE_NS)
        engine->pruned_ns = engine->now_ns;
    engine->prune_next = prune_next;
    (void)store_checkpoint(engine->store);
    metrics_set(METRIC_STORE_BYTES, store_size_bytes(engine->store));
}

enum err
engine_flush(struct engine *engine)
{
    uint64_t begin_ns = clock_mono_ns();
    uint32_t prune_next = 0;

    pair_advance(engine->pair, engine->now_ns);
    gather_counters(engine);
    if (engine->producers.len == 0) /* else those could not be stored yet */
        pair_save_producers(engine->pair, &engine->producers,
                            &engine->producers_until_ns);
    engine->flushed_ns = engine->now_ns;
    if (!is_needed(engine))
        return OK;
    enum err err = engine_end_tx(engine, write_all(engine, &prune_next));
    if (err)
        edges_flush_failed(engine->edges);
    else
        note_success(engine, prune_next);
    uint64_t duration_ns = clock_mono_ns() - begin_ns;
    metrics_observe(METRIC_FLUSH_SECONDS, duration_ns);
    if (engine->on_flush)
        engine->on_flush(engine->on_flush_ctx, duration_ns, err);
    return err;
}

void
engine_on_flush(struct engine *engine, engine_flushed_fn *fn, void *ctx)
{
    engine->on_flush = fn;
    engine->on_flush_ctx = ctx;
}
