/*
 * Replay.  Rows up to the covered one are given to pairing with the sink
 * closed: their observations are in the stored edges already, but who waits
 * for whom is not.  Then waits are ended up to the covered time, as the flush
 * had done before it wrote; then the sink opens, and the rest counts.  Where an
 * input had ended, all waits are ended behind its last row, as they were then.
 *
 * Producers are loaded first.  Those that pairing puts aside while the sink is
 * closed were stored by that flush too, so they are not stored again.
 */
#include "runtime/engine_impl.h"

#include "base/log.h"
#include "base/metrics.h"
#include "store/flush_rows.h"
#include "store/journal_rows.h"
#include "store/node_rows.h"

struct replay {
    struct engine *engine;
    uint64_t covered_seq;
    uint64_t covered_ns;
    uint64_t finished_seq;
    bool finished; /* the waits of those rows have been ended again */
    uint64_t rows;
    uint64_t counted; /* rows after the covered one */
};

static void
sink(void *ctx, const struct edge_obs *obs)
{
    struct engine *engine = ctx;

    if (engine->sink_open)
        edges_add(engine->edges, obs);
}

/* The same, and it keeps a trace of each edge that is shown. */
static void
sink_traced(void *ctx, const struct edge_obs *obs)
{
    struct engine *engine = ctx;
    uint64_t hi, lo;

    sink(engine, obs);
    if (!engine->sink_open || obs->key.kind >= EDGE_KIND_SHOWN_END)
        return;
    pair_told(engine->pair, &hi, &lo);
    exemplars_note(engine->exemplars, obs, hi, lo);
}

static enum err
load_node(void *ctx, const struct node *node)
{
    return nodes_load(ctx, node);
}

static enum err
load_overflow(void *ctx, uint32_t node, str registers)
{
    enum err err = nodes_load_overflow(ctx, node, registers);

    /* An estimate that begins again is no reason to start empty. */
    if (err == ERR_CORRUPT)
        log_error("a stored estimate is damaged and left out", "node", "%u",
                  node);
    return err == ERR_CORRUPT ? OK : err;
}

struct route_load {
    struct routes *routes;
    uint32_t nodes_len;
};

static enum err
load_route(void *ctx, const struct route_row *row)
{
    const struct route_load *load = ctx;

    if (row->removed_s != 0)
        return OK;
    if (row->service == 0 || row->service > load->nodes_len ||
        row->node > load->nodes_len)
        return ERR_CORRUPT;
    if (row->method.len == 0)
        return OK; /* an RPC method is no pattern to match paths with */
    enum err err =
        routes_declare(load->routes, row->service, row->method, row->pattern);
    return err == ERR_FULL ? OK : err;
}

static enum err
load_producers(void *ctx, str data)
{
    const struct engine *engine = ctx;
    enum err err = pair_load_producers(engine->pair, data);

    /* Some links will not be resolved; that is no reason to start empty. */
    if (err == ERR_CORRUPT)
        log_error("stored producers are damaged and left out", NULL, NULL);
    return err == ERR_CORRUPT ? OK : err;
}

static bool
is_known(const struct engine *engine, uint32_t id)
{
    return id <= nodes_len(engine->nodes);
}

/* Ids in a row are used without a look later on; in those of the table nobody
 * has looked at them. */
static bool
ids_are_known(const struct engine *engine, const struct stub_batch *batch)
{
    for (uint32_t i = 0; i < batch->stub_len; i++) {
        const struct stub *stub = &batch->stubs[i];
        if (!is_known(engine, stub->service) ||
            !is_known(engine, stub->endpoint) ||
            !is_known(engine, stub->peer) || !is_known(engine, stub->version) ||
            !is_known(engine, stub->scope) || !is_known(engine, stub->symbol))
            return false;
    }
    return true;
}

/* Ends all waits once the rows before |seq| have reached the end of an input.
 */
static void
finish_again(struct replay *replay, uint64_t seq)
{
    if (replay->finished || replay->finished_seq == 0 ||
        seq <= replay->finished_seq)
        return;
    replay->finished = true;
    pair_finish(replay->engine->pair);
}

static void
open_sink(struct replay *replay)
{
    struct engine *engine = replay->engine;
    uint64_t until_ns;

    if (engine->sink_open)
        return;
    finish_again(replay, UINT64_MAX);
    pair_advance(engine->pair, replay->covered_ns);
    (void)pair_save_producers(engine->pair, &engine->flush.producers,
                              &until_ns);
    buf_reset(&engine->flush.producers);
    engine->counted = pair_stats(engine->pair);
    engine->sink_open = true;
}

/* As it was when the row was written: one that had been over by then, and came
 * again, is known from then on. */
static void
note_digest(struct engine *engine, struct digest128 digest,
            uint64_t received_ns)
{
    if (engine->now_ns > ENGINE_DIGEST_NS)
        digests_expire(engine->digests, engine->now_ns - ENGINE_DIGEST_NS);
    if (received_ns + ENGINE_DIGEST_NS > engine->now_ns &&
        (digest.hi || digest.lo) && !digests_has(engine->digests, digest))
        digests_add(engine->digests, digest, received_ns);
}

/* What was counted is not lost, and a retry of it counts no second time. */
static void
leave_row_out(struct engine *engine, const struct journal_entry *entry,
              bool counts)
{
    log_error("a request of the journal is left out", "seq", "%llu",
              (unsigned long long)entry->seq);
    if (!counts) {
        note_digest(engine, entry->digest, entry->batch.received_ns);
        return;
    }
    engine->losses[LOSS_JOURNAL_DAMAGED] += entry->stubs;
    metrics_add(METRIC_JOURNAL_DAMAGED, entry->stubs);
}

static enum err
replay_row(void *ctx, const struct journal_entry *entry)
{
    struct replay *replay = ctx;
    struct engine *engine = replay->engine;
    uint64_t received_ns = entry->batch.received_ns;
    bool counts = entry->seq > replay->covered_seq;
    bool damaged = entry->damaged || !ids_are_known(engine, &entry->batch);

    finish_again(replay, entry->seq);
    if (counts)
        open_sink(replay);
    replay->rows++;
    replay->counted += counts;
    engine->seq = entry->seq;
    if (damaged) {
        leave_row_out(engine, entry, counts);
        return OK;
    }
    if (engine->now_ns < received_ns)
        engine->now_ns = received_ns;
    note_digest(engine, entry->digest, received_ns);
    if (counts) {
        engine_count_batch(engine, &entry->batch);
        engine->unflushed_stubs += entry->batch.stub_len;
    }
    pair_add(engine->pair, &entry->batch);
    return OK;
}

static enum err
replay_journal(struct engine *engine)
{
    struct replay replay = {.engine = engine};
    enum err err;

    if ((err = store_get_covered(engine->store, &replay.covered_seq,
                                 &replay.covered_ns)) ||
        (err = store_get_finished(engine->store, &replay.finished_seq)))
        return err;
    engine->finished_seq = replay.finished_seq;
    engine->seq = replay.covered_seq;
    if (engine->now_ns < replay.covered_ns)
        engine->now_ns = replay.covered_ns;
    if ((err = store_each_producers(engine->store, load_producers, engine)) ||
        (err = store_each_journal(engine->store, replay_row, &replay)))
        return err;
    open_sink(&replay);
    if (engine->seq < replay.covered_seq)
        engine->seq = replay.covered_seq;
    engine->covered_seq = replay.covered_seq;
    if (replay.rows > 0)
        log_info("journal replayed", "rows", "%llu, %llu of them to count",
                 (unsigned long long)replay.rows,
                 (unsigned long long)replay.counted);
    return OK;
}

/* ---- a flush that was not finished ---- */

enum { PARTS_MISSING_MAX = 1 << 20 };

struct part_load {
    struct engine *engine;
    struct edge_reader reader;
};

static enum err
expect_part(struct part_load *load, str part)
{
    struct edge_entry entry;
    enum err err =
        edge_part_check(&load->reader, part, nodes_len(load->engine->nodes));

    if (err)
        return err;
    edge_part_begin(&load->reader, part);
    while (!err && edge_part_next(&load->reader, &entry, &err))
        err = edges_load_taken(load->engine->edges, &entry);
    return err;
}

/* Some edges will be short of a second; no reason to start empty. */
static void
leave_out(struct part_load *load, uint64_t seq)
{
    log_error("a part of a flush is damaged and left out", "number", "%llu",
              (unsigned long long)seq);
    load->engine->losses[LOSS_EDGES_DROPPED]++;
    edge_parts_add(&load->engine->flush.parts, (str){NULL, 0});
}

static enum err
load_part(void *ctx, uint64_t seq, str part)
{
    struct part_load *load = ctx;
    struct flush *flush = &load->engine->flush;
    uint32_t len = edge_parts_len(&flush->parts);
    enum err err = expect_part(load, part);

    if (err && err != ERR_CORRUPT)
        return err;
    if (len == 0)
        flush->first_seq = seq;
    /* A part is dropped by its number, which is its place. */
    uint64_t missing = seq - flush->first_seq - len;
    if (missing > PARTS_MISSING_MAX)
        return ERR_CORRUPT;
    for (uint64_t i = 0; i < missing; i++)
        leave_out(load, flush->first_seq + len + i);
    if (err)
        leave_out(load, seq);
    else
        edge_parts_add(&flush->parts, part);
    return edge_parts_failed(&flush->parts) ? ERR_NOMEM : OK;
}

/* What was taken and is not yet added to the edges: that goes on where it
 * ended. */
static enum err
load_flush(struct engine *engine)
{
    struct part_load load = {.engine = engine};
    struct flush *flush = &engine->flush;
    enum err err = store_get_flush(engine->store, &flush->number);

    if (!err)
        err = store_get_covered(engine->store, &flush->seq, &flush->now_ns);
    if (!err)
        err = store_each_part(engine->store, flush->number, load_part, &load);
    edge_reader_fini(&load.reader);
    if (err || edge_parts_len(&flush->parts) == 0)
        return err;
    flush->phase = FLUSH_ADD;
    flush->staged = edge_parts_len(&flush->parts);
    flush->begin_ns = clock_mono_ns();
    log_info("a flush goes on", "parts", "%u", flush->staged);
    return OK;
}

enum err
engine_load(struct engine *engine, struct routes *routes)
{
    struct pair_cfg pair = engine->cfg.pair;
    struct edges_cfg edges = {.max_edges = engine->cfg.max_edges};
    pair_sink_fn *fn = engine->cfg.exemplars ? sink_traced : sink;
    enum err err;

    if ((err = store_each_node(engine->store, load_node, engine->nodes)) ||
        (err =
             store_each_overflow(engine->store, load_overflow, engine->nodes)))
        return err;
    struct route_load load = {routes, nodes_len(engine->nodes)};
    if ((err = store_each_route(engine->store, load_route, &load)))
        return err;
    pair.user = nodes_intern(engine->nodes, NODE_EXTERNAL, 0,
                             STR(NODE_NAME_USER), (str){NULL, 0});
    if (engine->cfg.exemplars && !(engine->exemplars = exemplars_new()))
        return ERR_NOMEM;
    edges.exemplars = engine->exemplars;
    if ((err =
             edges_open(&engine->edges, edges, engine->store, engine->nodes)) ||
        (err =
             edge_writer_new(&engine->writer, engine->store, engine->nodes)) ||
        (err = load_flush(engine)) ||
        (err = pair_new(&engine->pair, &pair, fn, engine)))
        return err;
    return replay_journal(engine);
}
