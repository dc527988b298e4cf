/*
 * What the world sees of pairing; the work is done in the files beside it
 * (pair_state.h says in which).
 */
#include "runtime/pair.h"

#include <stdlib.h>

#include "base/clock.h"
#include "runtime/pair_batch.h"
#include "runtime/pair_state.h"
#include "runtime/pair_wait.h"

enum err
pair_new(struct pair **out, const struct pair_cfg *cfg, pair_sink_fn *sink,
         void *ctx)
{
    struct pair *pair = calloc(1, sizeof(*pair));
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (!pair)
        return ERR_NOMEM;
    pair->cfg = *cfg;
    pair->sink = sink;
    pair->ctx = ctx;
    if ((err = pair_table_init(&pair->table, cfg->max_spans)))
        goto out;
    if ((err = pair_producers_init(&pair->producers, cfg->max_producers)))
        goto out;
    *out = pair;
    pair = NULL; /* now the caller's */
out:
    pair_free(pair);
    return err;
}

void
pair_free(struct pair *pair)
{
    if (!pair)
        return;
    pair_producers_fini(&pair->producers);
    pair_table_fini(&pair->table);
    free(pair);
}

void
pair_advance(struct pair *pair, uint64_t now_ns)
{
    const struct pair_cfg *cfg = &pair->cfg;

    if (now_ns <= pair->now_ns)
        return;
    pair->now_ns = now_ns;
    if (now_ns >= cfg->wait_ns)
        pair_end_waits(pair, now_ns - cfg->wait_ns);
    if (now_ns >= cfg->horizon_ns)
        pair_end_horizons(pair, now_ns - cfg->horizon_ns);
    pair->seen_ms = (now_ns - 1) / NS_PER_MS + 1;
    pair_producers_expire(&pair->producers, (uint32_t)(now_ns / NS_PER_S));
}

void
pair_finish(struct pair *pair)
{
    pair_end_waits(pair, UINT64_MAX);
}

void
pair_add(struct pair *pair, const struct stub_batch *batch)
{
    pair_advance(pair, batch->received_ns);
    pair_take_batch(pair, batch);
}

void
pair_told(const struct pair *pair, uint64_t *trace_hi, uint64_t *trace_lo)
{
    const struct pair_entry *entry = pair_at(&pair->table, pair->told);

    *trace_hi = entry->trace_hi;
    *trace_lo = entry->trace_lo;
}

struct pair_stats
pair_stats(const struct pair *pair)
{
    struct pair_stats stats = pair->stats;

    stats.live = pair_table_live(&pair->table);
    stats.pending = (uint32_t)(pair->table.head - pair->table.wait);
    stats.producers = pair->producers.used;
    return stats;
}

uint32_t
pair_save_producers(struct pair *pair, struct buf *out, uint64_t *until_ns)
{
    uint32_t until_s;
    uint32_t count = pair_producers_save(&pair->producers, out, &until_s);

    *until_ns = until_s ? (until_s + UINT64_C(1)) * NS_PER_S : 0;
    return count;
}

enum err
pair_load_producers(struct pair *pair, str bytes)
{
    return pair_producers_load(&pair->producers, bytes,
                               (uint32_t)(pair->now_ns / NS_PER_S));
}
