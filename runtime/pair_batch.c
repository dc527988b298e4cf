/*
 * A batch is taken in by stages of up to STAGE spans, and each stage in steps,
 * one for all of its spans before the next:
 *
 *   hold     find duplicates, give the others an entry and put it in the index
 *   relate   find their parents, among those that were held and the stage's
 *   inherit  give them the children that came before them, in other stages
 *   tell     say what each stands for
 *
 * So a child that comes with its parent finds it, whichever is first, and
 * nothing is told that is taken back at once.  Each step asks for memory of a
 * group of spans ahead, all at once: a span touches several cache lines that
 * nobody expects.  And each step makes lists of those that are alike, without
 * branches, because of what sort a span is nobody can predict.
 *
 * The order inside a stage does not matter for what is told in the end, as that
 * of batches does not.  Children mostly end, and come, before their parents, so
 * going from the last to the first a site or function is final when it is
 * passed on.
 */
#include "runtime/pair_batch.h"

#include <assert.h>

#include "base/clock.h"
#include "graph/sketch.h"
#include "runtime/pair_join.h"
#include "runtime/pair_links.h"
#include "runtime/pair_rules.h"
#include "runtime/pair_wait.h"

enum {
    STAGE = 512,
    STAGES_MIN = 8, /* in a full table */
    GROUP = 64,
    KIDS_AHEAD = 3,
    FAMILY = 4 * GROUP,
};

#define POOLED (PAIR_ABSENT | PAIR_GHOST)

/* Two entries that are to be tied. */
struct duo {
    uint32_t id;
    uint32_t other;
};

struct stage {
    const struct stub *stubs;
    const struct span_link *links;
    uint32_t len;        /* spans that are held */
    uint32_t heir_len;   /* of them: some waited for */
    uint32_t linker_len; /* of them: may publish or have links */
    uint32_t id[STAGE];
    uint16_t stub[STAGE];
    uint16_t linker[STAGE];
    struct duo heir[STAGE]; /* with the absent it replaces */
};

/* ---- hold ---- */

static uint32_t
entry_flags(const struct stub *stub)
{
    const uint32_t remote = STUB_REMOTE_KNOWN | STUB_REMOTE;
    uint32_t flags = stub->flags & PAIR_OF_STUB;

    /* Kinds of spans come in no order that could be predicted. */
    uint32_t is_child = (flags & PAIR_INGRESS) != 0;
    is_child &= stub->parent_id != 0;
    is_child &= (stub->flags & remote) != STUB_REMOTE_KNOWN;
    flags |= stub->kind == SPAN_CONSUMER ? PAIR_CONSUMER : 0;
    flags |= stub->kind == SPAN_PRODUCER ? PAIR_PRODUCER : 0;
    flags |= stub->symbol ? PAIR_SYMBOL : 0;
    flags |= PAIR_CHILD & -is_child;
    if (flags & (PAIR_PUBLISH | PAIR_CREATE)) {
        flags |= PAIR_PRODUCER;
        if (flags & PAIR_CREATE || stub->peer)
            flags |= PAIR_ANSWERED; /* by its topic */
    }
    return flags;
}

static uint32_t
own_site(const struct stub *stub)
{
    uint32_t is_ingress = (stub->flags & STUB_INGRESS) != 0;
    uint32_t endpoint = stub->endpoint & -is_ingress;

    return endpoint ? endpoint : stub->service;
}

static void
fill(const struct pair *pair, uint32_t id, const struct stub *stub)
{
    bool is_known = stub->flags & STUB_WEIGHT_KNOWN;
    uint64_t weight = is_known ? stub->weight : WEIGHT_ONE;
    uint64_t latency = sketch_bucket(stub->duration_ns);
    uint32_t flags = entry_flags(stub);

    assert(weight > 0 && weight <= WEIGHT_MAX);
    uint64_t has_none = (flags & (PAIR_INGRESS | PAIR_EGRESS)) == 0;
    has_none |= (stub->flags & STUB_BACKWARDS) != 0;
    latency |= PAIR_NO_LATENCY & -has_none;
    *pair_at(&pair->table, id) = (struct pair_entry){
        .trace_hi = stub->trace_hi,
        .trace_lo = stub->trace_lo,
        .span_id = stub->span_id,
        .flags = flags,
        .service = stub->service,
        .site = own_site(stub),
        .code = stub->symbol,
    };
    *pair_facts(&pair->table, id) = (struct pair_facts){
        .weight = weight & ((UINT64_C(1) << 53) - 1),
        .latency = latency & PAIR_NO_LATENCY,
        .start_s = (uint32_t)(stub->start_ns / NS_PER_S),
        .version = stub->version,
        .peer = stub->peer,
        .scope = stub->scope,
        .arrived_ms = (uint32_t)pair->seen_ms,
    };
}

static bool
has_parent(const struct stub *stub)
{
    return (stub->parent_id != 0) & (stub->parent_id != stub->span_id);
}

/* Where the absent of |key| is, NULL if there is none; a span that is held
 * already is counted and |*is_known|. */
static uint32_t *
find_absent(struct pair *pair, const struct stub *stub, uint64_t hash,
            bool *is_known)
{
    struct pair_key key = {stub->trace_hi, stub->trace_lo, stub->span_id};
    uint32_t *slot = pair_index_find(&pair->table.index, hash, key);

    *is_known = slot && !(pair_at(&pair->table, *slot)->flags & POOLED);
    if (!*is_known)
        return slot;
    pair->stats.duplicates++;
    pair_tell_duplicate(pair, stub);
    return NULL;
}

static void
hold_span(struct pair *pair, struct stage *stage, uint32_t at, uint64_t hash)
{
    const struct stub *stub = &stage->stubs[at];
    const uint32_t publishes = STUB_PUBLISH | STUB_CREATE;
    uint32_t *slot = NULL;

    assert(stub->span_id != 0);
    if (!pair_index_lacks(&pair->table.index, hash)) {
        bool is_known;
        slot = find_absent(pair, stub, hash, &is_known);
        if (is_known)
            return;
    }
    uint32_t id = pair_table_push(&pair->table);
    fill(pair, id, stub);
    if (slot) {
        uint32_t absent = *slot;
        *slot = id;
        stage->heir[stage->heir_len++] = (struct duo){id, absent};
        if (!pair_index_is_home(&pair->table.index, hash, slot))
            pair_at(&pair->table, id)->flags |= PAIR_PASSED;
        pair_take_links(pair, id, absent);
    } else {
        (void)pair_index_add(&pair->table.index, hash, id);
    }
    stage->linker[stage->linker_len] = (uint16_t)stage->len;
    stage->linker_len += (stub->link_len != 0) | !!(stub->flags & publishes);
    stage->stub[stage->len] = (uint16_t)at;
    stage->id[stage->len++] = id;
}

static void
hold(struct pair *pair, struct stage *stage, uint32_t from, uint32_t len)
{
    const struct pair_table *table = &pair->table;
    const struct stub *stubs = &stage->stubs[from];
    uint64_t hash[GROUP];

    for (uint32_t i = 0; i < len; i++) {
        hash[i] = pair_hash(&table->index, stubs[i].trace_lo, stubs[i].span_id);
        pair_index_prefetch(&table->index, hash[i]);
    }
    for (uint32_t i = 0; i < len; i++)
        pair_prefetch(table, pair_index_peek(&table->index, hash[i]));
    for (uint32_t i = 0; i < len; i++)
        hold_span(pair, stage, from + i, hash[i]);
}

/* ---- relate ---- */

/* Those of a group by what their parents are; the ends are those of lists. */
struct kin {
    struct duo local[GROUP];  /* held, of the same service, and no ingress */
    struct duo remote[GROUP]; /* held */
    uint16_t missing[GROUP];  /* not there, or in the pool: place in a stage */
    uint32_t locals;
    uint32_t remotes;
    uint32_t missings;
};

/* Asks for what is pushed aside by one more child of |above|. */
PAIR_PREFETCH
prefetch_siblings(const struct pair_table *table, uint32_t above)
{
    const struct pair_entry *entry = pair_at(table, above);

    pair_prefetch(table, entry->kids);
    pair_prefetch(table, entry->reps);
    pair_prefetch_all(table, pair_facts(table, above)->holder);
}

static void
sort_out(const struct pair *pair, const struct stage *stage, uint32_t at,
         uint32_t above, struct kin *kin)
{
    const struct stub *stub = &stage->stubs[stage->stub[at]];
    const struct pair_entry *parent = pair_at(&pair->table, above);
    struct pair_key key = {stub->trace_hi, stub->trace_lo, stub->parent_id};
    struct duo duo = {stage->id[at], above};
    uint32_t has = has_parent(stub);

    uint32_t is_held = pair_index_is(&pair->table.index, above, key);
    is_held &= (parent->flags & POOLED) == 0;
    uint32_t is_local = (stub->flags & STUB_INGRESS) == 0;
    is_local &= stub->service == parent->service;
    kin->local[kin->locals] = duo;
    kin->locals += has & is_held & is_local;
    kin->remote[kin->remotes] = duo;
    kin->remotes += has & is_held & !is_local;
    kin->missing[kin->missings] = (uint16_t)at;
    kin->missings += has & !is_held;
}

static void
relate_missing(struct pair *pair, const struct stage *stage, uint32_t at,
               uint64_t hash)
{
    const struct stub *stub = &stage->stubs[stage->stub[at]];
    struct pair_key key = {stub->trace_hi, stub->trace_lo, stub->parent_id};
    uint32_t id = stage->id[at];
    bool is_consumer = pair_at(&pair->table, id)->flags & PAIR_CONSUMER;
    uint32_t parent = pair_find_or_await(pair, key, hash, is_consumer);

    if (!parent)
        return;
    if (pair_at(&pair->table, parent)->flags & POOLED)
        pair_await(pair, id, parent);
    else
        pair_join(pair, id, parent);
    pair_meet_parent(pair, id);
}

static void
relate(struct pair *pair, const struct stage *stage, uint32_t from,
       uint32_t len)
{
    const struct pair_table *table = &pair->table;
    uint64_t hash[GROUP];
    uint32_t above[GROUP];
    struct kin kin;

    kin.locals = kin.remotes = kin.missings = 0;
    for (uint32_t i = 0; i < len; i++) {
        const struct stub *stub = &stage->stubs[stage->stub[from + i]];
        hash[i] = pair_hash(&table->index, stub->trace_lo, stub->parent_id);
        pair_index_prefetch(&table->index, hash[i]);
    }
    for (uint32_t i = 0; i < len; i++) {
        above[i] = pair_index_peek(&table->index, hash[i]);
        pair_prefetch_all(table, above[i]);
    }
    for (uint32_t i = 0; i < len; i++)
        prefetch_siblings(table, above[i]);
    for (uint32_t i = len; i-- > 0;)
        sort_out(pair, stage, from + i, above[i], &kin);
    for (uint32_t i = 0; i < kin.locals; i++)
        pair_join_new(pair, kin.local[i].id, kin.local[i].other);
    for (uint32_t i = 0; i < kin.remotes; i++)
        pair_join_new(pair, kin.remote[i].id, kin.remote[i].other);
    for (uint32_t i = 0; i < kin.missings; i++)
        relate_missing(pair, stage, kin.missing[i],
                       hash[kin.missing[i] - from]);
}

static void
relate_links(struct pair *pair, const struct stage *stage)
{
    const uint32_t publishes = PAIR_PUBLISH | PAIR_CREATE;

    for (uint32_t i = 0; i < stage->linker_len; i++) {
        uint32_t at = stage->linker[i];
        uint32_t id = stage->id[at];
        const struct stub *stub = &stage->stubs[stage->stub[at]];
        uint32_t flags = pair_at(&pair->table, id)->flags;
        if (flags & PAIR_EGRESS && flags & publishes &&
            !(flags & PAIR_SYNTHETIC))
            pair_mark_publish(pair, id);
        if (stub->link_len)
            pair_link_producers(pair, id, stub, &stage->links[stub->link_at]);
    }
}

/* ---- inherit ---- */

/* Asks for |id| unless it came lately; if it did not, it is added to |ids|. */
static inline __attribute__((always_inline)) uint32_t
prefetch_old(const struct pair_table *table, uint32_t id, uint32_t *ids,
             uint32_t len)
{
    if (pair_live(table, id) == 0 || len == FAMILY ||
        pair_table_is_recent(table, id))
        return len;
    pair_prefetch_all(table, id);
    ids[len] = id;
    return len + 1;
}

/* Asks for the children of |absent|, who did not come yet, for their siblings
 * and for the children of those, a generation or a sibling a round. */
PAIR_PREFETCH
prefetch_kids(const struct pair_table *table, const struct duo *heirs,
              uint32_t len)
{
    uint32_t ids[FAMILY];
    uint32_t end = 0;
    uint32_t at = 0;

    for (uint32_t i = 0; i < len; i++)
        end =
            prefetch_old(table, pair_at(table, heirs[i].other)->kids, ids, end);
    for (int round = 0; round < KIDS_AHEAD; round++) {
        for (uint32_t stop = end; at < stop; at++) {
            const struct pair_entry *it = pair_at(table, ids[at]);
            pair_prefetch_all(table, it->reps);
            end = prefetch_old(table, it->next, ids, end);
            end = prefetch_old(table, it->kids, ids, end);
        }
    }
}

static void
inherit(struct pair *pair, const struct stage *stage)
{
    for (uint32_t from = 0; from < stage->heir_len; from += GROUP) {
        const struct duo *heirs = &stage->heir[from];
        uint32_t len = stage->heir_len - from;
        len = len < GROUP ? len : GROUP;
        prefetch_kids(&pair->table, heirs, len);
        for (uint32_t i = 0; i < len; i++)
            pair_take_kids(pair, heirs[i].id, heirs[i].other);
    }
}

/* ---- tell ---- */

/* Whether |flags| of an entry or |of_stub| say that there may be more to tell
 * of it than that it was seen. */
static bool
may_speak(uint32_t flags, uint32_t of_stub)
{
    const uint32_t speaks = PAIR_INGRESS | PAIR_INFERRED | PAIR_PRODUCER |
                            PAIR_RECEIVE | PAIR_SYMBOL | PAIR_SYNTHETIC |
                            PAIR_CONSUMER;

    return ((flags & speaks) | (of_stub & STUB_INPROC_DB)) != 0;
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

static void
tell(struct pair *pair, const struct stage *stage)
{
    uint16_t speaker[STAGE];
    uint32_t speaker_len = 0;

    for (uint32_t i = 0; i < stage->len; i++) {
        struct pair_entry *entry = pair_at(&pair->table, stage->id[i]);
        uint32_t of_stub = stage->stubs[stage->stub[i]].flags;
        entry->flags |= PAIR_TOLD;
        if (!(entry->flags & PAIR_SYNTHETIC))
            pair_see(pair, stage->id[i]);
        speaker[speaker_len] = (uint16_t)i;
        speaker_len += may_speak(entry->flags, of_stub);
    }
    for (uint32_t n = 0; n < speaker_len; n++) {
        uint32_t i = speaker[n];
        tell_new(pair, stage->id[i], &stage->stubs[stage->stub[i]]);
    }
}

/* ---- stages ---- */

static void
take_stage(struct pair *pair, struct stage *stage, uint32_t len)
{
    stage->len = stage->heir_len = stage->linker_len = 0;
    for (uint32_t i = 0; i < len; i += GROUP)
        hold(pair, stage, i, len - i < GROUP ? len - i : GROUP);
    pair->stats.spans += stage->len;
    for (uint32_t end = stage->len; end > 0;) {
        uint32_t from = (end - 1) / GROUP * GROUP;
        relate(pair, stage, from, end - from);
        end = from;
    }
    relate_links(pair, stage);
    inherit(pair, stage);
    tell(pair, stage);
}

/* How many entries in the pool |stub| may need. */
static uint32_t
others_of(const struct stub *stub)
{
    bool is_publishing = stub->flags & (STUB_PUBLISH | STUB_CREATE);

    return has_parent(stub) + stub->link_len + is_publishing;
}

static bool
is_held(const struct pair *pair, const struct stub *stub)
{
    const struct pair_table *table = &pair->table;
    struct pair_key key = {stub->trace_hi, stub->trace_lo, stub->span_id};
    uint64_t hash = pair_hash(&table->index, stub->trace_lo, stub->span_id);
    const uint32_t *slot = pair_index_find(&table->index, hash, key);

    return slot && !(pair_at(table, *slot)->flags & POOLED);
}

static bool
are_held(const struct pair *pair, const struct stub *stubs, uint32_t len)
{
    uint32_t i = 0;

    while (i < len && is_held(pair, &stubs[i]))
        i++;
    return i == len;
}

/* How many of |stubs| make the next stage; for them the oldest are forgotten.
 * That depends on the batch alone, so that a replay forgets the same at the
 * same time.  A small table has small stages: some may be repeats. */
static uint32_t
begin_stage(struct pair *pair, const struct stub *stubs, uint32_t len)
{
    struct pair_table *table = &pair->table;
    uint32_t most = table->max_spans / STAGES_MIN;
    uint32_t others = others_of(stubs);
    uint32_t end = 1;

    while (end < len && end < STAGE &&
           end + 1 + others + others_of(&stubs[end]) <= most)
        others += others_of(&stubs[end++]);
    if ((uint64_t)pair_table_live(table) + end <= table->max_spans ||
        !are_held(pair, stubs, end))
        pair_make_room(pair, end, others);
    pair_table_fit(table, end + others);
    return end;
}

void
pair_take_batch(struct pair *pair, const struct stub_batch *batch)
{
    struct stage stage;
    uint32_t len;

    for (uint32_t i = 0; i < batch->stub_len; i += len) {
        len = batch->stub_len - i;
        stage.stubs = &batch->stubs[i];
        stage.links = batch->links;
        len = begin_stage(pair, stage.stubs, len);
        take_stage(pair, &stage, len);
    }
    pair_tell_seen(pair);
}
