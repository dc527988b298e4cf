/*
 * What rides along with a flush: totals, and dropping what is too old, in small
 * steps, so that no request waits long for one.
 */
#include "runtime/engine_impl.h"

#include "base/metrics.h"
#include "store/edge_rows.h"
#include "store/flush_rows.h"
#include "store/journal_rows.h"

#define PRUNE_NS (3600 * NS_PER_S)

enum { PRUNE_EDGES = 100 }; /* a step */

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

void
engine_gather_counters(struct engine *engine)
{
    struct pair_stats pair = pair_stats(engine->pair);
    struct edges_stats edges = edges_stats(engine->edges);
    int64_t evicted = (int64_t)(pair.evicted - engine->counted.evicted);
    int64_t links =
        (int64_t)(pair.links_dropped - engine->counted.links_dropped);
    int64_t repeated = (int64_t)(pair.duplicates - engine->counted.duplicates);
    int64_t overflowed =
        (int64_t)(edges.overflowed - engine->counted_edges.overflowed);

    engine->counters[COUNTER_SPANS] +=
        (int64_t)(pair.spans - engine->counted.spans);
    engine->counters[COUNTER_DUPLICATES] += repeated;
    engine->counters[COUNTER_EVICTED] += evicted;
    engine->counters[COUNTER_LINKS_DROPPED] += links;
    engine->counters[COUNTER_EDGES_OVERFLOWED] += overflowed;
    engine->losses[LOSS_EVICTED] += evicted;
    engine->losses[LOSS_LINKS_DROPPED] += links;
    engine->losses[LOSS_EDGES_DROPPED] +=
        (int64_t)(edges.dropped - engine->counted_edges.dropped);
    engine->counters[COUNTER_REFUSED_FULL] +=
        (int64_t)atomic_exchange(&engine->refused_full, 0);
    engine->counters[COUNTER_REFUSED_STORE] +=
        (int64_t)atomic_exchange(&engine->refused_store, 0);
    engine->counters[COUNTER_REQUESTS_REFUSED] +=
        (int64_t)atomic_exchange(&engine->requests_refused, 0);
    engine->counted = pair;
    engine->counted_edges = edges;
    metrics_add(METRIC_SPANS_DUPLICATE, repeated);
    metrics_add(METRIC_EVICTED, evicted);
    metrics_add(METRIC_OVERFLOWED_EDGES, overflowed);
    metrics_set(METRIC_PENDING, pair.live);
    metrics_set(METRIC_EDGES, edges.edges);
    metrics_set(METRIC_UNRESOLVED_PARENT, edges.unresolved[0]);
    metrics_set(METRIC_UNRESOLVED_EGRESS,
                edges.unresolved[EDGE_UNRESOLVED - EDGE_ORPHAN]);
    metrics_set(METRIC_UNRESOLVED_LINK,
                edges.unresolved[EDGE_UNRESOLVED_LINK - EDGE_ORPHAN]);
    metrics_set(METRIC_NODES, nodes_len(engine->nodes));
}

enum err
engine_write_counters(struct engine *engine)
{
    const struct flush *flush = &engine->flush;
    uint32_t day = (uint32_t)(flush->now_ns / NS_PER_S / S_PER_DAY);
    enum err err = OK;

    for (int i = 0; i < COUNTER_COUNT && !err; i++) {
        if (flush->counters[i] != 0)
            err = store_add_counter(engine->store, counter_names[i],
                                    flush->counters[i]);
    }
    for (int i = 0; i < LOSS_COUNT && !err; i++) {
        if (flush->losses[i] != 0)
            err = store_add_loss(engine->store, day, loss_names[i],
                                 flush->losses[i]);
    }
    return err;
}

static uint32_t
floor_of(uint64_t now, uint32_t kept)
{
    return now >= kept ? (uint32_t)(now - kept + 1) : 0;
}

struct edges_window
engine_window(const struct engine *engine)
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

enum err
engine_trim(struct engine *engine, bool *more)
{
    uint64_t kept_ns = 2 * engine->cfg.pair.horizon_ns;

    if (kept_ns < ENGINE_DIGEST_NS)
        kept_ns = ENGINE_DIGEST_NS;
    const struct journal_trim journal = {
        .before_ns = before(engine->now_ns, kept_ns),
        .digest_before_ns = before(engine->now_ns, ENGINE_DIGEST_NS),
        .max_stubs = 2 * (uint64_t)engine->cfg.pair.max_spans,
        .uncovered_stubs = engine->unflushed_stubs,
        .covered_seq = engine->covered_seq,
    };
    enum err err = store_trim_journal(engine->store, &journal, more);

    return err ? err
               : store_trim_producers(engine->store, engine->now_ns,
                                      engine->cfg.pair.max_producers);
}

bool
engine_prune_is_due(const struct engine *engine)
{
    return engine->prune_next != 0 ||
           engine->now_ns - engine->pruned_ns >= PRUNE_NS;
}

/* Once an hour it begins again; versions go by days. */
enum err
engine_prune(struct engine *engine, bool *more)
{
    struct edges_window window = engine_window(engine);
    uint32_t first = engine->prune_next ? engine->prune_next : 1;
    const struct store_prune step = {
        .hour = window.first_hour,
        .day = window.first_day,
        .first = first,
        .last = first + PRUNE_EDGES - 1,
        .versions = window.first_day > engine->pruned_day,
    };

    return store_prune(engine->store, &step, more);
}

void
engine_pruned(struct engine *engine, bool more)
{
    uint32_t first = engine->prune_next ? engine->prune_next : 1;
    uint32_t next = more ? first : first + PRUNE_EDGES;

    if (first == 1)
        engine->pruned_ns = engine->now_ns;
    engine->prune_next = next <= edges_stats(engine->edges).last_id ? next : 0;
    if (engine->prune_next == 0)
        engine->pruned_day = engine_window(engine).first_day;
}
