/*
 * A group of requests: the nodes that are new, then their rows in the journal,
 * then the answers, then the folding.  Answers go out before the folding, since
 * what the folding does can be done again from the journal.
 *
 * A retry is known here and not when it is submitted: by then all requests
 * before it have been stored or refused, so there is no third case.  Within a
 * group, its first is what it waits for.
 */
#include "runtime/engine_impl.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/metrics.h"
#include "graph/identity.h"
#include "runtime/intake.h"
#include "store/journal_rows.h"
#include "store/node_rows.h"

enum err
engine_save_nodes(struct engine *engine)
{
    unsigned char hash[SHA256_LEN];
    enum err err = OK;

    for (uint32_t id; !err && (id = nodes_next_unsaved(engine->nodes)) != 0;) {
        struct node node = nodes_get(engine->nodes, id);
        identity_of_node(engine->nodes, id, hash);
        err = store_put_node(engine->store, &node, hash,
                             engine->now_ns / NS_PER_S);
    }
    return err;
}

/* Says whether the store can be written, as the last attempt has shown. */
static enum err
note_attempt(struct engine *engine, enum err err)
{
    bool was_writable = engine_is_writable(engine);

    /* What the work of engine_write refuses says nothing of the disk. */
    bool failed = err == ERR_STORE || err == ERR_CORRUPT || err == ERR_NOMEM;
    if (failed && was_writable)
        log_error("the store cannot be written; requests are refused", "error",
                  "%s", err_str(err));
    if (!err && !was_writable)
        log_info("the store can be written again", NULL, NULL);
    if (failed || !err)
        atomic_store(&engine->writable, !failed);
    if (failed)
        engine->uptime_start_s = 0; /* the gap shall be seen */
    return err;
}

static enum err
end_tx(struct engine *engine, enum err err)
{
    if (!err)
        err = store_commit(engine->store);
    if (err) {
        store_rollback(engine->store);
        nodes_unsave_all(engine->nodes);
    } else {
        nodes_commit_saved(engine->nodes);
    }
    return err;
}

enum err
engine_end_tx(struct engine *engine, enum err err)
{
    return note_attempt(engine, end_tx(engine, err));
}

static void
answer(struct engine *engine, struct request *request, enum err err)
{
    if (err)
        engine->counters[COUNTER_REFUSED_STORE] += request->batch->stub_len;
    if (request->done)
        request->done(request->ctx, err ? ERR_STORE : OK);
}

/* Notes which requests repeat an earlier one; those of this group that do not
 * are added to the digests.  Returns how many are new. */
static uint32_t
find_retries(struct engine *engine, struct request *list)
{
    uint32_t fresh = 0;

    for (struct request *it = list; it; it = it->next) {
        if (it->digest.hi == 0 && it->digest.lo == 0) {
            fresh++;
            continue;
        }
        it->is_retry = digests_has(engine->digests, it->digest);
        if (it->is_retry)
            continue;
        digests_add(engine->digests, it->digest, engine->now_ns);
        fresh++;
    }
    return fresh;
}

/* Rows speak of nodes by their ids: so these are committed before. */
static enum err
save_new_nodes(struct engine *engine)
{
    if (!nodes_have_unsaved(engine->nodes))
        return OK;
    enum err err = store_begin(engine->store);

    if (!err)
        err = engine_save_nodes(engine);
    return end_tx(engine, err);
}

static enum err
append_all(struct engine *engine, const struct request *list, uint64_t *seq)
{
    enum err err = save_new_nodes(engine);

    for (const struct request *it = list; it && !err; it = it->next) {
        if (!it->is_retry)
            err =
                store_append_journal(engine->store, it->batch, it->digest, seq);
    }
    if (!err)
        err = store_commit_journal(engine->store);
    return note_attempt(engine, err);
}

static enum err
store_group(struct engine *engine, struct request *list)
{
    uint64_t begin_ns = clock_mono_ns();
    uint64_t seq = engine->seq;

    if (engine->cfg.durability == DURABILITY_MEMORY)
        return OK;
    enum err err = append_all(engine, list, &seq);
    metrics_observe(METRIC_COMMIT_SECONDS, clock_mono_ns() - begin_ns);
    metrics_add(err ? METRIC_COMMIT_FAILURES : METRIC_COMMITS, 1);
    if (!err)
        engine->seq = seq;
    return err;
}

void
engine_count_batch(struct engine *engine, const struct stub_batch *batch)
{
    engine->counters[COUNTER_REQUESTS]++;
    engine->counters[COUNTER_REJECTED] += batch->rejected;
    engine->counters[COUNTER_CLAMPED] += batch->clamped;
    engine->counters[COUNTER_BACKWARDS] += batch->backwards;
}

static void
fold(struct engine *engine, const struct request *request)
{
    if (request->is_retry) {
        engine->counters[COUNTER_REQUESTS_DUPLICATE]++;
        engine->counters[COUNTER_DUPLICATES] += request->batch->stub_len;
        metrics_add(METRIC_SPANS_DUPLICATE, request->batch->stub_len);
        return;
    }
    engine_count_batch(engine, request->batch);
    engine->unflushed_stubs += request->batch->stub_len;
    pair_add(engine->pair, request->batch);
}

/* Keeps an idea of how long one stub takes, for engine_retry_ms. */
static void
note_speed(struct engine *engine, uint64_t took_ns, uint64_t stubs)
{
    uint64_t old = atomic_load(&engine->stub_ns);
    uint64_t now = took_ns / (stubs ? stubs : 1);

    if (now > NS_PER_S)
        now = NS_PER_S;
    atomic_store(&engine->stub_ns, (unsigned)(old ? (7 * old + now) / 8 : now));
}

void
engine_commit(struct engine *engine, struct request *list)
{
    uint64_t begin_ns = clock_mono_ns();
    uint64_t mark = digests_mark(engine->digests);
    uint32_t cost = 0;
    enum err err = OK;

    if (!list)
        return;
    for (struct request *it = list; it; it = it->next) {
        it->batch->received_ns = engine->now_ns;
        digests_ahead(engine->digests, it->digest);
    }
    digests_expire(engine->digests, engine->now_ns > ENGINE_DIGEST_NS
                                        ? engine->now_ns - ENGINE_DIGEST_NS
                                        : 0);
    if (find_retries(engine, list) > 0)
        err = store_group(engine, list);
    if (err)
        digests_rewind(engine->digests, mark);
    /* Of a group that failed, those are stored that repeat an earlier one. */
    for (struct request *it = list; it; it = it->next) {
        it->is_retry =
            it->is_retry && (!err || digests_has(engine->digests, it->digest));
        answer(engine, it, it->is_retry ? OK : err);
    }
    while (list) {
        struct request *it = list;
        list = it->next;
        if (!err || it->is_retry)
            fold(engine, it);
        cost += it->cost;
        stub_batch_free(it->batch);
        free(it);
    }
    atomic_fetch_sub(&engine->queued, cost);
    metrics_set(METRIC_QUEUE_STUBS, atomic_load(&engine->queued));
    note_speed(engine, clock_mono_ns() - begin_ns, cost);
}
