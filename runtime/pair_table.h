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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "runtime/pair_entry.h"
#include "runtime/pair_ids.h"
#include "runtime/pair_index.h"

enum {
    PAIR_WARM_CHUNKS = 4, /* free, and keep their pages */
};

struct pair_link;

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

#endif
