/*
 * Entries lie in order of arrival, so what time ends is always a run of them
 * from a position on.  An entry that is forgotten leaves what was told as it
 * is: its children are frozen as they stand.  What is still linked to lives
 * on as a ghost in the pool.
 *
 * Most are forgotten by moving the tail alone: nobody reads what is gone.  A
 * list of children is read up to the first that is gone, so one needs to be
 * taken out only if a younger one is behind it.
 */
#include "runtime/pair_wait.h"

#include <assert.h>

#include "base/clock.h"
#include "runtime/pair_ahead.h"
#include "runtime/pair_join.h"
#include "runtime/pair_links.h"
#include "runtime/pair_order.h"
#include "runtime/pair_pool.h"
#include "runtime/pair_rules.h"

/* Entries that are gone through together, while the next are asked for. */
enum { BLOCK = 64 };

/* Who may have links: those that consume, and those that publish. */
#define MAY_LINK (PAIR_CONSUMER | PAIR_RECEIVE | PAIR_PUBLISH | PAIR_CREATE)

static bool
is_missing_parent(const struct pair *pair, const struct pair_entry *entry)
{
    return entry->flags & PAIR_CHILD && !(entry->flags & PAIR_JOINED) &&
           !pair_is_held(pair_at(&pair->table, entry->parent), entry);
}

/* An egress nobody has answered, by the |flags| of its entry. */
static inline bool
awaits_outcome(uint32_t flags)
{
    const uint32_t settled = PAIR_NESTED | PAIR_ANSWERED | PAIR_SYNTHETIC;

    return (flags & (PAIR_EGRESS | settled)) == PAIR_EGRESS;
}

/* Those of a block whose waits have ended and of whom there may be something to
 * tell. */
struct waiters {
    uint32_t missing[BLOCK]; /* their parents */
    uint32_t calling[BLOCK]; /* unanswered */
    uint32_t reading[BLOCK]; /* others link to their marker at most */
    uint32_t missing_len;
    uint32_t calling_len;
    uint32_t reading_len;
};

/* Ends the wait of |id| and puts it on its lists, without branches: of what
 * sort it is nobody can predict. */
static inline void
end_wait(struct pair *pair, uint32_t id, struct waiters *who)
{
    const uint32_t missing = PAIR_CHILD | PAIR_JOINED | PAIR_INGRESS;
    struct pair_entry *entry = pair_at(&pair->table, id);
    uint32_t flags = entry->flags | PAIR_WAITED;

    who->missing[who->missing_len] = id;
    who->missing_len += (flags & missing) == (PAIR_CHILD | PAIR_INGRESS);
    who->calling[who->calling_len] = id;
    who->calling_len += awaits_outcome(flags);
    who->reading[who->reading_len] = id;
    who->reading_len += (flags & (PAIR_CONSUMER | PAIR_RECEIVE)) != 0;
    entry->flags = flags;
}

static void
tell_unresolved_links(struct pair *pair, uint32_t id)
{
    for (uint32_t i = pair_facts(&pair->table, id)->out; i;) {
        const struct pair_link *link = pair_link_at(&pair->table, i);
        if (pair_at(&pair->table, link->dst)->flags & PAIR_ABSENT)
            pair_tell_link(pair, i, 1);
        i = link->next_out;
    }
}

static void
tell_waited(struct pair *pair, const struct waiters *who)
{
    for (uint32_t i = 0; i < who->missing_len; i++) {
        uint32_t id = who->missing[i];
        if (is_missing_parent(pair, pair_at(&pair->table, id)))
            pair_tell_parent(pair, id, 1);
    }
    for (uint32_t i = 0; i < who->calling_len; i++)
        pair_tell_outcome(pair, who->calling[i], 1);
    for (uint32_t i = 0; i < who->reading_len; i++)
        tell_unresolved_links(pair, who->reading[i]);
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
        uint32_t id = pair_ids_at(&table->ids, at);
        if (pair_arrived_ms(pair, id) > arrived_ms) {
            high = at;
            continue;
        }
        low = at + 1;
        step = 2 * step + 256;
    }
    return low;
}

static void
end_waits_to(struct pair *pair, uint64_t end)
{
    struct pair_table *table = &pair->table;
    struct waiters who;

    while (table->wait < end) {
        uint32_t id = pair_ids_at(&table->ids, table->wait);
        uint32_t len = pair_table_run(table, table->wait, end);
        len = len < BLOCK ? len : BLOCK;
        who.missing_len = who.calling_len = who.reading_len = 0;
        for (uint32_t i = 0; i < len; i++) {
            pair_prefetch(table, id + i + BLOCK);
            end_wait(pair, id + i, &who);
        }
        table->wait += len;
        tell_waited(pair, &who);
    }
}

void
pair_end_waits(struct pair *pair, uint64_t arrived_ns)
{
    end_waits_to(pair,
                 first_after(pair, pair->table.wait, arrived_ns / NS_PER_MS));
}

/* ---- horizons ---- */

/* Takes |id| out of the list it is in, if others are found through it: its
 * younger siblings, or all who wait for the same absent. */
static void
leave_parent(struct pair *pair, uint32_t id)
{
    struct pair_table *table = &pair->table;
    const struct pair_entry *entry = pair_at(table, id);
    uint32_t parent = entry->parent;

    if (entry->flags & PAIR_JOINED) {
        if (pair_live(table, parent) && pair_live(table, entry->next))
            pair_leave(pair, id);
    } else if (parent) {
        pair_leave(pair, id);
        pair_release_idle(pair, parent);
    }
}

static struct pair_key
key_of(const struct pair_table *table, uint32_t id)
{
    const struct pair_entry *entry = pair_at(table, id);

    return (struct pair_key){entry->trace_hi, entry->trace_lo, entry->span_id};
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
        .key = key_of(&pair->table, id),
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

/* Undoes what refers to the entry |id| at the tail, whose wait has ended. */
static void
untie(struct pair *pair, uint32_t id)
{
    struct pair_table *table = &pair->table;
    const struct pair_entry *entry = pair_at(table, id);
    bool is_kept = false;

    leave_parent(pair, id);
    if (entry->flags & MAY_LINK)
        pair_unlink(pair, id);
    if (entry->flags & PAIR_PRODUCER)
        keep_producer(pair, id);
    if (entry->in)
        is_kept = pair_retire(pair, id);
    if (entry->flags & PAIR_PASSED && !is_kept)
        pair_index_remove(
            &table->index,
            pair_hash(&table->index, entry->trace_lo, entry->span_id), id);
}

/* Whether |entry| has to be untied.  No branches: of what sort it is nobody can
 * predict. */
static bool
is_tied(const struct pair_table *table, const struct pair_entry *entry)
{
    uint32_t flags = entry->flags & (MAY_LINK | PAIR_PRODUCER | PAIR_PASSED);
    bool waits = (entry->parent != 0) & !(entry->flags & PAIR_JOINED);
    bool is_between = (pair_live(table, entry->parent) != 0) &
                      (pair_live(table, entry->next) != 0);

    return ((flags | entry->in) != 0) | waits | is_between;
}

/* Forgets those before |end|, whose waits have ended. */
static void
forget_to(struct pair *pair, uint64_t end)
{
    struct pair_table *table = &pair->table;
    uint32_t tied[BLOCK];
    uint32_t producer[BLOCK];

    while (table->tail < end) {
        uint64_t from = table->tail;
        uint32_t id = pair_ids_at(&table->ids, from);
        uint32_t len = pair_table_run(table, from, end);
        uint32_t tied_len = 0;
        uint32_t producer_len = 0;
        len = len < BLOCK ? len : BLOCK;
        for (uint32_t i = 0; i < len; i++) {
            const struct pair_entry *entry = pair_at(table, id + i);
            pair_prefetch(table, id + i + BLOCK);
            tied[tied_len] = i;
            tied_len += is_tied(table, entry);
            producer[producer_len] = i;
            producer_len += (entry->flags & PAIR_PRODUCER) != 0;
        }
        for (uint32_t i = 0; i < producer_len; i++)
            pair_producers_ahead(&pair->producers,
                                 key_of(table, id + producer[i]));
        for (uint32_t i = 0; i < tied_len; i++) {
            pair_table_forget(table, from + tied[i]);
            untie(pair, id + tied[i]);
        }
        pair_table_forget(table, from + len);
    }
    pair_table_rest(table);
}

void
pair_end_horizons(struct pair *pair, uint64_t arrived_ns)
{
    struct pair_table *table = &pair->table;
    uint64_t end = first_after(pair, table->tail, arrived_ns / NS_PER_MS);

    end_waits_to(pair, end);
    forget_to(pair, end);
}

/* ---- room ---- */

/* Whether |id|, whose wait is about to be ended early, waits for anything. */
static bool
is_waiting(const struct pair *pair, uint32_t id)
{
    const struct pair_entry *entry = pair_at(&pair->table, id);

    if (entry->flags & PAIR_SYNTHETIC)
        return false;
    if (is_missing_parent(pair, entry) || awaits_outcome(entry->flags))
        return true;
    if (!(entry->flags & MAY_LINK))
        return false; /* its facts are far */
    for (uint32_t i = pair_facts(&pair->table, id)->out; i;) {
        const struct pair_link *link = pair_link_at(&pair->table, i);
        if (!(link->flags & PAIR_LINK_MARK) &&
            pair_at(&pair->table, link->dst)->flags & PAIR_ABSENT)
            return true;
        i = link->next_out;
    }
    return false;
}

/* Forgets the |len| oldest. */
static void
evict(struct pair *pair, uint32_t len)
{
    struct pair_table *table = &pair->table;
    uint64_t end = table->tail + len;

    for (uint64_t at = table->wait; at < end; at++) {
        uint32_t id = pair_ids_at(&table->ids, at);
        pair_prefetch(table, pair_ids_at(&table->ids, at + BLOCK));
        if (is_waiting(pair, id))
            pair_tell_evicted(pair, id);
    }
    end_waits_to(pair, end);
    pair->stats.evicted += len;
    forget_to(pair, end);
}

void
pair_make_room(struct pair *pair, uint32_t spans, uint32_t others)
{
    const struct pair_table *table = &pair->table;
    uint64_t need = (uint64_t)pair_table_live(table) + spans;

    assert(spans <= table->max_spans);
    if (need > table->max_spans)
        evict(pair, (uint32_t)(need - table->max_spans));
    while (pair_table_live(table) > 0 &&
           (uint64_t)table->pool_used + others > table->pool_cap)
        evict(pair, 1);
}
