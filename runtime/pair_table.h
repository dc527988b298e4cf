/*
 * pair_table - the spans that are held, and how to find them.
 *
 * Spans that came are held in order of arrival and forgotten in that order, so
 * three positions say everything about time: from |tail| they are held, from
 * |wait| their wait goes on, before |head| they came.  Those that did not come
 * are held elsewhere (the pool), just as long as somebody refers to them.
 *
 * Memory     Reserved in pair_table_init, touched as it is used; chunks that
 *            were given back are used again, the last one first.
 * Bound      max_spans for entries of both sorts; links as said there.
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
#include "runtime/pair_index.h"

enum { PAIR_RECENT = 2048 };

struct pair_table {
    struct pair_entry *entries; /* the pool, then the chunks */
    struct pair_facts *facts;   /* likewise */
    struct pair_link *links;
    uint32_t *order;       /* chunks by position, a ring */
    uint32_t *free_chunks; /* a stack */
    uint64_t head;
    uint64_t wait;
    uint64_t tail;
    struct pair_index index;
    uint32_t max_spans;
    uint32_t chunk_shift; /* log2 of the entries in a chunk */
    uint32_t chunk_cap;
    uint32_t order_mask;
    uint32_t free_len;
    uint32_t first;  /* id of the first entry of chunk 0 */
    uint32_t pushed; /* the last id that was */
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
    return &table->entries[id];
}

static inline struct pair_facts *
pair_facts(const struct pair_table *table, uint32_t id)
{
    return &table->facts[id];
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

/* pair_table_id is the entry at a position from tail up to head. */
static inline uint32_t
pair_table_id(const struct pair_table *table, uint64_t position)
{
    uint64_t number = position >> table->chunk_shift;
    uint32_t chunk = table->order[number & table->order_mask];
    uint32_t mask = (UINT32_C(1) << table->chunk_shift) - 1;

    return table->first + (chunk << table->chunk_shift) +
           ((uint32_t)position & mask);
}

/* pair_table_run is how many entries from |position| up to |end| have ids that
 * follow one another. */
static inline uint32_t
pair_table_run(const struct pair_table *table, uint64_t position, uint64_t end)
{
    uint64_t len = UINT64_C(1) << table->chunk_shift;

    len -= position & (len - 1);
    return (uint32_t)(end - position < len ? end - position : len);
}

/* pair_table_push gives an entry at |head|, to be filled; the caller has seen
 * to it that fewer than max_spans are held. */
uint32_t pair_table_push_far(struct pair_table *table);
static inline uint32_t
pair_table_push(struct pair_table *table)
{
    uint64_t mask = (UINT64_C(1) << table->chunk_shift) - 1;

    assert(table->head - table->tail < table->max_spans);
    if ((table->head & mask) == 0)
        return pair_table_push_far(table);
    table->head++;
    return ++table->pushed;
}
/* pair_table_pop forgets the entry at |tail|, which is in no list. */
void pair_table_give_chunk(struct pair_table *table);
static inline void
pair_table_pop(struct pair_table *table)
{
    uint64_t mask = (UINT64_C(1) << table->chunk_shift) - 1;

    assert(table->tail < table->head);
    table->tail++;
    if ((table->tail & mask) == 0)
        pair_table_give_chunk(table);
}
/* pair_table_chunk_end is the position after the chunk |tail| is in, or
 * |head|. */
uint64_t pair_table_chunk_end(const struct pair_table *table);

/* pair_table_is_recent says whether |id| came so lately that a processor will
 * have it at hand: a guess, cheap, and near the start of a chunk often wrong.
 */
static inline bool
pair_table_is_recent(const struct pair_table *table, uint32_t id)
{
    return pair_table_id(table, table->head) - id < PAIR_RECENT;
}

/* pair_pool_take gives a zeroed entry without facts, or 0 if max_spans are
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
