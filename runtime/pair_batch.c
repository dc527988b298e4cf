/*
 * A batch is taken in by stages, and each stage in steps, one for all of its
 * spans before the next: those of pair_stage.h, and then each span tells what
 * it stands for.  So a child that comes with its parent finds it, whichever is
 * first, and nothing is told that is taken back at once.  Each step asks for
 * memory ahead: a span touches several cache lines that nobody expects.  And
 * each step makes lists of those that are alike, without branches, because of
 * what sort a span is nobody can predict.
 *
 * The order inside a stage does not matter for what is told in the end, as that
 * of batches does not.  Children mostly end, and come, before their parents, so
 * going from the last to the first a site or function is final when it is
 * passed on.
 */
#include "runtime/pair_batch.h"

#include "runtime/pair_beside.h"
#include "runtime/pair_pool.h"
#include "runtime/pair_rules.h"
#include "runtime/pair_seen.h"
#include "runtime/pair_shared.h"
#include "runtime/pair_stage.h"
#include "runtime/pair_wait.h"

enum { STAGES_MIN = 8 /* in a full table */ };

/* ---- tell ---- */

/* Of those of a stage, by their place, whoever has more to tell than that it
 * was seen: servers of which nothing else is to be asked, of them those with a
 * parent and those that name none, and all others. */
struct speakers {
    uint16_t server[PAIR_STAGE_LEN];
    uint16_t callee[PAIR_STAGE_LEN];
    uint16_t root[PAIR_STAGE_LEN];
    uint16_t other[PAIR_STAGE_LEN];
    uint32_t server_len;
    uint32_t callee_len;
    uint32_t root_len;
    uint32_t other_len;
};

/* Puts the span at |at| on its lists, without branches. */
static inline void
sort_out(struct speakers *who, uint32_t at, uint32_t flags,
         const struct stub *stub)
{
    const uint32_t others = PAIR_INFERRED | PAIR_PRODUCER | PAIR_RECEIVE |
                            PAIR_SYMBOL | PAIR_SYNTHETIC | PAIR_CONSUMER;
    uint32_t is_other =
        ((flags & others) | (stub->flags & STUB_INPROC_DB)) != 0;
    uint32_t is_server = !is_other & ((flags & PAIR_INGRESS) != 0);

    who->server[who->server_len] = (uint16_t)at;
    who->server_len += is_server;
    who->callee[who->callee_len] = (uint16_t)at;
    who->callee_len += is_server & ((flags & PAIR_JOINED) != 0);
    who->root[who->root_len] = (uint16_t)at;
    who->root_len += is_server & (stub->parent_id == 0);
    who->other[who->other_len] = (uint16_t)at;
    who->other_len += is_other;
}

static void
tell_new(struct pair *pair, uint32_t id, const struct stub *stub)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);

    pair_tell_arrival(pair, id, stub);
    pair_tell_parent(pair, id, 1);
    if (entry->flags & PAIR_PRODUCER)
        pair_tell_publish(pair, id, 1);
    if (entry->flags & PAIR_RECEIVE)
        pair_tell_receive(pair, id, 1);
    if (entry->flags & PAIR_SYMBOL)
        pair_tell_handled(pair, id, 1);
    for (uint32_t i = pair_facts(&pair->table, id)->out; i;
         i = pair_link_at(&pair->table, i)->next_out)
        pair_tell_link(pair, i, 1);
}

/* Nobody is forgotten within a stage, so the parents of callees are held. */
static void
tell_speakers(struct pair *pair, const struct pair_stage *stage,
              const struct speakers *who)
{
    for (uint32_t n = 0; n < who->server_len; n++) {
        uint32_t i = who->server[n];
        const struct stub *stub = &stage->stubs[stage->stub[i]];
        pair_tell_traffic(pair, stage->id[i], stub->flags & STUB_DENIED);
    }
    for (uint32_t n = 0; n < who->callee_len; n++)
        pair_rule_joined(pair, stage->id[who->callee[n]], 1);
    for (uint32_t n = 0; n < who->root_len; n++)
        pair_tell_caller(pair, stage->id[who->root[n]], 1);
    for (uint32_t n = 0; n < who->other_len; n++) {
        uint32_t i = who->other[n];
        tell_new(pair, stage->id[i], &stage->stubs[stage->stub[i]]);
    }
}

static void
tell(struct pair *pair, const struct pair_stage *stage)
{
    struct speakers who;

    who.server_len = who.callee_len = who.root_len = who.other_len = 0;
    for (uint32_t i = 0; i < stage->len; i++) {
        struct pair_entry *entry = pair_at(&pair->table, stage->id[i]);
        uint32_t flags = entry->flags | PAIR_TOLD;
        entry->flags = flags;
        if (!(flags & PAIR_SYNTHETIC))
            pair_see(pair, entry, pair_facts(&pair->table, stage->id[i]));
        sort_out(&who, i, flags, &stage->stubs[stage->stub[i]]);
    }
    tell_speakers(pair, stage, &who);
}

/* ---- stages ---- */

/* Those whose id another one has come last, one by one: they are few. */
static void
take_half(struct pair *pair, const struct pair_stage *stage, uint32_t at)
{
    struct stub half = stage->stubs[at];
    uint32_t id = pair_take_half(pair, &half, &stage->links[half.link_at]);
    struct pair_entry *entry = pair_at(&pair->table, id);

    if (!id)
        return;
    entry->flags |= PAIR_TOLD;
    if (!(entry->flags & PAIR_SYNTHETIC))
        pair_see(pair, entry, pair_facts(&pair->table, id));
    tell_new(pair, id, &half);
}

static void
take_stage(struct pair *pair, struct pair_stage *stage)
{
    pair_stage_hold(pair, stage);
    pair_stage_relate(pair, stage);
    pair_stage_inherit(pair, stage);
    tell(pair, stage);
    for (uint32_t i = 0; i < stage->half_len; i++)
        take_half(pair, stage, stage->half[i]);
}

/* How many entries in the pool |stub| may need. */
static uint32_t
others_of(const struct stub *stub)
{
    bool is_publishing = stub->flags & (STUB_PUBLISH | STUB_CREATE);

    return pair_has_parent(stub) + pair_is_alone(stub) + stub->link_len +
           is_publishing;
}

static bool
is_held(const struct pair *pair, const struct stub *stub)
{
    const struct pair_table *table = &pair->table;
    struct pair_key key = {stub->trace_hi, stub->trace_lo, stub->span_id};
    uint64_t hash = pair_hash(&table->index, stub->trace_lo, stub->span_id);
    const uint32_t *slot = pair_index_find(&table->index, hash, key);

    if (!slot || pair_at(table, *slot)->flags & PAIR_POOLED)
        return false;
    return !pair_shares_id(pair_at(table, *slot), stub) ||
           pair_shared_server(table, key) != 0;
}

static bool
are_held(const struct pair *pair, const struct stub *stubs, uint32_t len)
{
    uint32_t i = 0;

    while (i < len && is_held(pair, &stubs[i]))
        i++;
    return i == len;
}

/* How many of |stubs| make a stage; of |others| what they may need. */
static uint32_t
stage_len(const struct stub *stubs, uint32_t len, uint32_t most,
          uint32_t *others)
{
    uint32_t end = 1;

    *others = others_of(stubs);
    while (end < len && end < PAIR_STAGE_LEN &&
           end + 1 + *others + others_of(&stubs[end]) <= most)
        *others += others_of(&stubs[end++]);
    return end;
}

/* How many of the spans from |at| on make the next stage; for them the oldest
 * are forgotten.  That depends on the batch alone, so that a replay forgets the
 * same at the same time.  A small table has small stages: some may be repeats.
 * In a large one what they may need at most mostly fits, and is not counted. */
static uint32_t
begin_stage(struct pair *pair, const struct stub_batch *batch, uint32_t at)
{
    struct pair_table *table = &pair->table;
    const struct stub *stubs = &batch->stubs[at];
    uint32_t most = table->max_spans / STAGES_MIN;
    uint32_t len = batch->stub_len - at;
    uint32_t end = len < PAIR_STAGE_LEN ? len : PAIR_STAGE_LEN;
    uint32_t others = 2 * end + batch->link_len;
    uint32_t ghosts = end; /* of those that go for them */

    if (end + others > most ||
        (uint64_t)table->pool_used + others + ghosts > table->pool_cap)
        end = stage_len(stubs, len, most, &others);
    if ((uint64_t)pair_table_live(table) + end <= table->max_spans ||
        !are_held(pair, stubs, end))
        pair_make_room(pair, end, others);
    pair_table_fit(table, end + others);
    return end;
}

void
pair_take_batch(struct pair *pair, const struct stub_batch *batch)
{
    struct pair_stage stage;
    uint32_t len;

    for (uint32_t i = 0; i < batch->stub_len; i += len) {
        len = begin_stage(pair, batch, i);
        stage.stubs = &batch->stubs[i];
        stage.links = batch->links;
        stage.stub_len = len;
        take_stage(pair, &stage);
    }
    pair_tell_seen(pair);
}
