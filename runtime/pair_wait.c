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

/* How many entries before its use memory is asked for. */
enum { AHEAD_SELF = 32, AHEAD = 16, AHEAD_NEXT = 8 };

static bool
is_missing_parent(const struct pair *pair, const struct pair_entry *entry)
{
    return entry->flags & PAIR_CHILD && !(entry->flags & PAIR_JOINED) &&
           !pair_is_held(pair_at(&pair->table, entry->parent), entry);
}

static void
end_wait(struct pair *pair, uint32_t id)
{
    struct pair_entry *entry = pair_at(&pair->table, id);

    entry->flags |= PAIR_WAITED;
    if (is_missing_parent(pair, entry))
        pair_tell_parent(pair, id, 1);
    if (entry->flags & PAIR_EGRESS)
        pair_tell_outcome(pair, id, 1);
    for (uint32_t i = pair_facts(&pair->table, id)->out; i;) {
        const struct pair_link *link = pair_link_at(&pair->table, i);
        if (pair_at(&pair->table, link->dst)->flags & PAIR_ABSENT)
            pair_tell_link(pair, i, 1);
        i = link->next_out;
    }
}

void
pair_end_waits(struct pair *pair, uint64_t arrived_ns)
{
    uint64_t arrived_ms = arrived_ns / NS_PER_MS;
    struct pair_table *table = &pair->table;

    for (; table->wait < table->head; table->wait++) {
        uint32_t id = pair_table_id(table, table->wait);
        if (pair_arrived_ms(pair, id) > arrived_ms)
            return;
        if (table->head - table->wait > AHEAD_SELF)
            pair_prefetch_all(table,
                              pair_table_id(table, table->wait + AHEAD_SELF));
        end_wait(pair, id);
    }
}

static void
freeze_children(struct pair *pair, uint32_t *list)
{
    uint32_t next;

    for (uint32_t i = *list; i; i = next) {
        struct pair_entry *child = pair_at(&pair->table, i);
        next = child->next;
        child->parent = 0;
        child->next = 0;
        child->prev = 0;
        child->flags |= PAIR_FROZEN;
    }
    *list = 0;
}

static void
leave_parent(struct pair *pair, uint32_t id)
{
    struct pair_entry *entry = pair_at(&pair->table, id);
    struct pair_entry *parent = pair_at(&pair->table, entry->parent);

    if (!entry->parent)
        return;
    /* Those that are absent have no facts. */
    if (entry->flags & PAIR_JOINED && entry->flags & PAIR_INGRESS &&
        pair_facts(&pair->table, entry->parent)->holder == id) {
        pair_facts(&pair->table, entry->parent)->holder = 0;
        parent->flags |= PAIR_SAMPLED;
    }
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

/* Forgets the entry at the tail, whose wait has ended. */
static void
forget(struct pair *pair)
{
    struct pair_table *table = &pair->table;
    uint32_t id = pair_table_id(table, table->tail);
    struct pair_entry *entry = pair_at(table, id);

    freeze_children(pair, &entry->reps);
    freeze_children(pair, &entry->kids);
    leave_parent(pair, id);
    pair_unlink(pair, id);
    if (entry->flags & PAIR_PRODUCER)
        keep_producer(pair, id);
    if (!pair_retire(pair, id))
        pair_index_remove(
            &table->index,
            pair_hash(&table->index, entry->trace_lo, entry->span_id), id);
    pair_table_pop(table);
}

PAIR_PREFETCH
prefetch_forget(const struct pair_table *table)
{
    if (table->head - table->tail <= AHEAD_SELF)
        return;
    pair_prefetch_all(table, pair_table_id(table, table->tail + AHEAD_SELF));
    const struct pair_entry *entry =
        pair_at(table, pair_table_id(table, table->tail + AHEAD));
    pair_index_prefetch(&table->index, pair_hash(&table->index, entry->trace_lo,
                                                 entry->span_id));
    pair_prefetch(table, entry->parent);
    pair_prefetch(table, entry->next);
    pair_prefetch(table, entry->prev);
    pair_prefetch(table, entry->kids);
    pair_prefetch(table, entry->reps);

    entry = pair_at(table, pair_table_id(table, table->tail + AHEAD_NEXT));
    pair_prefetch(table, pair_at(table, entry->kids)->next);
    pair_prefetch(table, pair_at(table, entry->reps)->next);
}

void
pair_end_horizons(struct pair *pair, uint64_t arrived_ns)
{
    uint64_t arrived_ms = arrived_ns / NS_PER_MS;
    struct pair_table *table = &pair->table;

    while (table->tail < table->head) {
        uint32_t id = pair_table_id(table, table->tail);
        if (pair_arrived_ms(pair, id) > arrived_ms)
            return;
        if (table->wait == table->tail) {
            end_wait(pair, id);
            table->wait++;
        }
        prefetch_forget(table);
        forget(pair);
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
evict(struct pair *pair)
{
    struct pair_table *table = &pair->table;
    uint64_t end = pair_table_chunk_end(table);

    while (table->tail < end) {
        uint32_t id = pair_table_id(table, table->tail);
        if (table->wait == table->tail) {
            if (is_waiting(pair, id))
                pair_tell_evicted(pair, id);
            end_wait(pair, id);
            table->wait++;
        }
        prefetch_forget(table);
        forget(pair);
        pair->stats.evicted++;
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
