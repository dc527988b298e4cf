/*
 * pair_table - the spans that are held, and how to find them.
 *
 * Spans that came are held in order of arrival and forgotten in that order, so
 * three positions say everything about time: from |tail| they are held, from
 * |wait| their wait goes on, before |head| they came.  Those that did not come
 * are held elsewhere (the pool), just as long as somebody refers to them.
 * Forgetting a span is moving |tail|: its id is gone from then on (pair_ids.h),
 * and its entry must not be read, for its memory may be elsewhere.
 *
 * Memory     Reserved in pair_table_init, touched as it is used; that of spans
 *            which were forgotten is used again, the last first.
 * Bound      max_spans for spans and pool_cap, which is as many or more, for
 *            the pool: each by itself, so that which spans are held depends on
 *            which came, and not on who waits for whom.  Links as said there.
 * Threads    None.
 */
#ifndef RUNTIME_PAIR_TABLE_H
#define RUNTIME_PAIR_TABLE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "runtime/pair_entry.h"
#include "runtime/pair_ids.h"
#include "runtime/pair_index.h"

enum {
    PAIR_RECENT = 2048,
    PAIR_WARM_CHUNKS = 4, /* free, and keep their pages */
};

struct pair_table {
    struct pair_entry *entries; /* the pool, then the slots */
    struct pair_facts *facts;   /* likewise */
    struct pair_link *links;
    struct pair_ids ids;
    uint64_t head;
    uint64_t wait;
    uint64_t tail;
    struct pair_index index;
    uint32_t max_spans;
    uint32_t pool_cap;
    uint32_t chunk_shift; /* log2 of the entries in a chunk */
    bool moves;           /* chunks are whole pages */
    uint32_t warm_len;
    uint32_t warm[PAIR_WARM_CHUNKS + 1]; /* the last to be left at the end */
    uint32_t pool_used;
    uint32_t pool_next; /* the first that was never used */
    uint32_t pool_free;
    uint32_t link_used;
    uint32_t link_cap;
    uint32_t link_next;
    uint32_t link_free;
};

/* pair_table_init: ERR_NOMEM; |table| can be given to fini in any case. */
enum err pair_table_init(struct pair_table *table, uint32_t max_spans);
void pair_table_fini(struct pair_table *table);

static inline struct pair_entry *
pair_at(const struct pair_table *table, uint32_t id)
{
    return &table->entries[id & table->ids.mask];
}

static inline struct pair_facts *
pair_facts(const struct pair_table *table, uint32_t id)
{
    return &table->facts[id & table->ids.mask];
}

static inline struct pair_link *
pair_link_at(const struct pair_table *table, uint32_t id)
{
    return &table->links[id];
}

static inline uint32_t
pair_table_live(const struct pair_table *table)
{
    return (uint32_t)(table->head - table->tail);
}

/* pair_live is |id|, of a span or 0, or 0 if it is gone. */
static inline uint32_t
pair_live(const struct pair_table *table, uint32_t id)
{
    return pair_ids_live(&table->ids, id);
}

/* pair_table_run is how many entries from |position| up to |end| have ids that
 * follow one another. */
static inline uint32_t
pair_table_run(const struct pair_table *table, uint64_t position, uint64_t end)
{
    uint64_t len = table->ids.span - (position & (table->ids.span - 1));

    return (uint32_t)(end - position < len ? end - position : len);
}

/* pair_table_push gives an entry at |head|, to be filled; the caller has seen
 * to it that fewer than max_spans are held. */
void pair_table_open_chunk(struct pair_table *table);
static inline uint32_t
pair_table_push(struct pair_table *table)
{
    uint64_t mask = (UINT64_C(1) << table->chunk_shift) - 1;

    assert(table->head - table->tail < table->max_spans);
    if ((table->head & mask) == 0)
        pair_table_open_chunk(table);
    uint32_t id = pair_ids_at(&table->ids, table->head++);
    table->ids.held = id + 1 - table->ids.tail;
    return id;
}

/* pair_table_forget moves |tail| on to |position|. */
void pair_table_close_chunk(struct pair_table *table, uint64_t position);
static inline void
pair_table_forget(struct pair_table *table, uint64_t position)
{
    uint64_t mask = (UINT64_C(1) << table->chunk_shift) - 1;

    assert(position >= table->tail && position <= table->head);
    for (uint64_t end = (table->tail | mask) + 1; end <= position;
         end += mask + 1)
        pair_table_close_chunk(table, end - 1);
    table->tail = position;
    table->ids.tail = pair_ids_at(&table->ids, position);
    table->ids.held = pair_ids_at(&table->ids, table->head) - table->ids.tail;
}

/* pair_table_is_recent says whether |id| came so lately that a processor will
 * have it at hand. */
static inline bool
pair_table_is_recent(const struct pair_table *table, uint32_t id)
{
    return pair_ids_at(&table->ids, table->head) - id < PAIR_RECENT;
}

/* pair_table_fit prepares for |more| entries; pair_table_rest is to be called
 * when some were forgotten: memory for none is less than for few. */
static inline void
pair_table_fit(struct pair_table *table, uint32_t more)
{
    pair_index_fit(&table->index,
                   pair_table_live(table) + table->pool_used + more);
}
static inline void
pair_table_rest(struct pair_table *table)
{
    if (pair_table_live(table) + table->pool_used == 0)
        pair_index_clear(&table->index);
}

/* pair_pool_take gives a zeroed entry without facts, or 0 if pool_cap are
 * held. */
uint32_t pair_pool_take(struct pair_table *table);
void pair_pool_give(struct pair_table *table, uint32_t id);

/* pair_link_take gives a link of zeros, or 0 if there is none left. */
uint32_t pair_link_take(struct pair_table *table);
void pair_link_give(struct pair_table *table, uint32_t id);

PAIR_PREFETCH
pair_prefetch(const struct pair_table *table, uint32_t id)
{
    __builtin_prefetch(pair_at(table, id), 1);
}

/* With its facts, which may lie on two lines. */
PAIR_PREFETCH
pair_prefetch_all(const struct pair_table *table, uint32_t id)
{
    const struct pair_facts *facts = pair_facts(table, id);

    pair_prefetch(table, id);
    __builtin_prefetch(facts, 1);
    __builtin_prefetch(&facts->out, 1);
}

#endif
