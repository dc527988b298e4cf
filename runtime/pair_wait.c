/*
 * Entries lie in order of arrival, so what time ends is always a run of them
 * from a position on.  An entry that is forgotten leaves what was told as it
 * is: its children are frozen as they stand.  What is still linked to lives
 * on as a ghost in the pool.
 */
#include "runtime/pair_wait.h"

#include "base/clock.h"
#include "runtime/pair_join.h"
#include "runtime/pair_links.h"
#include "runtime/pair_rules.h"

enum {
    AHEAD = 32, /* entries before its use memory is asked for */
    BLOCK = 32, /* entries forgotten together */
};

/* Who may have links: those that consume, and those that publish. */
#define MAY_LINK (PAIR_CONSUMER | PAIR_RECEIVE | PAIR_PUBLISH | PAIR_CREATE)

static bool
is_missing_parent(const struct pair *pair, const struct pair_entry *entry)
{
    return entry->flags & PAIR_CHILD && !(entry->flags & PAIR_JOINED) &&
           !pair_is_held(pair_at(&pair->table, entry->parent), entry);
}

/* What is to be told of |id| because its wait has ended. */
static void
tell_waited(struct pair *pair, uint32_t id)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);

    if (is_missing_parent(pair, entry))
        pair_tell_parent(pair, id, 1);
    if (entry->flags & PAIR_EGRESS)
        pair_tell_outcome(pair, id, 1);
    if (!(entry->flags & (PAIR_CONSUMER | PAIR_RECEIVE)))
        return; /* others link to their marker at most */
    for (uint32_t i = pair_facts(&pair->table, id)->out; i;) {
        const struct pair_link *link = pair_link_at(&pair->table, i);
        if (pair_at(&pair->table, link->dst)->flags & PAIR_ABSENT)
            pair_tell_link(pair, i, 1);
        i = link->next_out;
    }
}

static inline void
end_wait(struct pair *pair, uint32_t id)
{
    const uint32_t settled = PAIR_NESTED | PAIR_ANSWERED | PAIR_SYNTHETIC;
    struct pair_entry *entry = pair_at(&pair->table, id);
    uint32_t flags = entry->flags | PAIR_WAITED;
    /* One branch, not three. */
    bool waits = (flags & (PAIR_EGRESS | settled)) == PAIR_EGRESS;

    waits |= (flags & (PAIR_CHILD | PAIR_JOINED)) == PAIR_CHILD;
    waits |= (flags & (PAIR_CONSUMER | PAIR_RECEIVE)) != 0;
    entry->flags = flags;
    if (waits)
        tell_waited(pair, id);
}

/* The first position from |from| on that came after |arrived_ms|, or the
 * head.  Few arrivals are looked at: those of one batch are equal. */
static uint64_t
first_after(const struct pair *pair, uint64_t from, uint64_t arrived_ms)
{
    const struct pair_table *table = &pair->table;
    uint64_t low = from;
    uint64_t high = table->head;
    uint64_t step = 0;

    while (low < high) {
        uint64_t at = high - low > step ? low + step : low + (high - low) / 2;
        if (pair_arrived_ms(pair, pair_table_id(table, at)) > arrived_ms) {
            high = at;
            continue;
        }
        low = at + 1;
        step = 2 * step + 256;
    }
    return low;
}

void
pair_end_waits(struct pair *pair, uint64_t arrived_ns)
{
    uint64_t arrived_ms = arrived_ns / NS_PER_MS;
    struct pair_table *table = &pair->table;

    uint64_t end = first_after(pair, table->wait, arrived_ms);

    while (table->wait < end) {
        uint32_t id = pair_table_id(table, table->wait);
        uint32_t len = pair_table_run(table, table->wait, end);
        for (uint32_t i = 0; i < len; i++, table->wait++) {
            if (i + AHEAD < len)
                pair_prefetch(table, id + i + AHEAD);
            end_wait(pair, id + i);
        }
    }
}

/* Entry 0 is none and may be written: whether there is a child nobody can
 * predict, that there is a second one is rare. */
static inline void
freeze_children(struct pair *pair, uint32_t *list)
{
    uint32_t at = *list;

    *list = 0;
    do {
        struct pair_entry *child = pair_at(&pair->table, at);
        at = child->next;
        child->parent = 0;
        child->next = 0;
        child->prev = 0;
    } while (at);
}

static void
leave_parent(struct pair *pair, uint32_t id)
{
    struct pair_entry *entry = pair_at(&pair->table, id);
    struct pair_entry *parent = pair_at(&pair->table, entry->parent);

    if (entry->flags & PAIR_HOLDER)
        parent->flags |= PAIR_SAMPLED;
    uint32_t from = entry->parent;
    pair_leave(pair, id);
    entry->parent = 0;
    if (!(entry->flags & PAIR_JOINED))
        pair_release_idle(pair, from);
}

static void
keep_producer(struct pair *pair, uint32_t id)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    const struct pair_facts *facts = pair_facts(&pair->table, id);
    uint64_t until_s =
        (pair_arrived_ms(pair, id) * NS_PER_MS + pair->cfg.link_horizon_ns) /
        NS_PER_S;
    struct pair_producer producer = {
        .key = {entry->trace_hi, entry->trace_lo, entry->span_id},
        .until_s = until_s < UINT32_MAX ? (uint32_t)until_s : UINT32_MAX,
        .site = entry->site,
        .code = entry->code,
        .version = facts->version,
    };

    producer.weight = facts->weight;
    if (entry->flags & PAIR_FAILED)
        producer.flags |= PAIR_PRODUCER_FAILED;
    if (entry->flags & PAIR_WEIGHTED)
        producer.flags |= PAIR_PRODUCER_WEIGHTED;
    if (entry->flags & PAIR_SYNTHETIC)
        producer.flags |= PAIR_PRODUCER_SYNTHETIC;
    pair_producers_add(&pair->producers, &producer,
                       (uint32_t)(pair->now_ns / NS_PER_S));
}

/* Forgets the entry |id| at the tail, whose wait has ended. */
static void
forget(struct pair *pair, uint32_t id, uint64_t hash)
{
    struct pair_table *table = &pair->table;
    struct pair_entry *entry = pair_at(table, id);

    freeze_children(pair, &entry->reps);
    freeze_children(pair, &entry->kids);
    if (entry->parent)
        leave_parent(pair, id);
    if (entry->flags & MAY_LINK)
        pair_unlink(pair, id);
    if (entry->flags & PAIR_PRODUCER)
        keep_producer(pair, id);
    if (!entry->in || !pair_retire(pair, id))
        pair_index_remove(&table->index, hash, id);
    entry->span_id = 0; /* nobody's (pair_index_is) */
    pair_table_pop(table);
}

/* A run of entries at the tail, with what is asked for ahead. */
struct block {
    uint32_t id;
    uint32_t len;
    uint64_t hash[BLOCK];
};

static void
begin_block(const struct pair_table *table, uint64_t end, struct block *block)
{
    block->id = pair_table_id(table, table->tail);
    block->len = pair_table_run(table, table->tail, end);
    if (block->len > BLOCK)
        block->len = BLOCK;
    for (uint32_t i = 0; i < block->len; i++) {
        const struct pair_entry *entry = pair_at(table, block->id + i);
        block->hash[i] =
            pair_hash(&table->index, entry->trace_lo, entry->span_id);
        pair_index_prefetch(&table->index, block->hash[i]);
        pair_prefetch(table, entry->parent);
        pair_prefetch(table, entry->next);
        pair_prefetch(table, entry->prev);
        pair_prefetch(table, entry->kids);
        pair_prefetch(table, entry->reps);
        /* The next block; behind the last chunk there may be no page, but
         * memory that nobody has is asked for in vain and no worse. */
        pair_prefetch(table, block->id + block->len + i);
    }
    for (uint32_t i = 0; i < block->len; i++) {
        const struct pair_entry *entry = pair_at(table, block->id + i);
        pair_prefetch(table, pair_at(table, entry->kids)->next);
        pair_prefetch(table, pair_at(table, entry->reps)->next);
    }
}

static void
end_wait_at_tail(struct pair *pair, uint32_t id)
{
    end_wait(pair, id);
    pair->table.wait++;
}

void
pair_end_horizons(struct pair *pair, uint64_t arrived_ns)
{
    uint64_t arrived_ms = arrived_ns / NS_PER_MS;
    struct pair_table *table = &pair->table;
    struct block block;

    uint64_t end = first_after(pair, table->tail, arrived_ms);

    while (table->tail < end) {
        begin_block(table, end, &block);
        for (uint32_t i = 0; i < block.len; i++) {
            if (table->wait == table->tail)
                end_wait_at_tail(pair, block.id + i);
            forget(pair, block.id + i, block.hash[i]);
        }
    }
}

/* Whether |id|, whose wait has just been ended early, was waiting. */
static bool
is_waiting(const struct pair *pair, uint32_t id)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);
    const uint32_t settled = PAIR_NESTED | PAIR_ANSWERED;

    if (entry->flags & PAIR_SYNTHETIC)
        return false;
    if (is_missing_parent(pair, entry))
        return true;
    if (entry->flags & PAIR_EGRESS && !(entry->flags & settled))
        return true;
    for (uint32_t i = pair_facts(&pair->table, id)->out; i;) {
        const struct pair_link *link = pair_link_at(&pair->table, i);
        if (!(link->flags & PAIR_LINK_MARK) &&
            pair_at(&pair->table, link->dst)->flags & PAIR_ABSENT)
            return true;
        i = link->next_out;
    }
    return false;
}

static void
cut_wait_at_tail(struct pair *pair, uint32_t id)
{
    if (is_waiting(pair, id))
        pair_tell_evicted(pair, id);
    end_wait_at_tail(pair, id);
}

static void
evict(struct pair *pair)
{
    struct pair_table *table = &pair->table;
    uint64_t end = pair_table_chunk_end(table);
    struct block block;

    while (table->tail < end) {
        begin_block(table, end, &block);
        for (uint32_t i = 0; i < block.len; i++) {
            if (table->wait == table->tail)
                cut_wait_at_tail(pair, block.id + i);
            forget(pair, block.id + i, block.hash[i]);
        }
        pair->stats.evicted += block.len;
    }
}

void
pair_make_room(struct pair *pair, uint32_t need)
{
    const struct pair_table *table = &pair->table;

    while (pair_table_live(table) > 0 &&
           pair_table_live(table) + table->pool_used + need > table->max_spans)
        evict(pair);
}
