/*
 * pair_order - spans come in at the head and are forgotten at the tail.
 *
 * Threads    None.
 */
#ifndef RUNTIME_PAIR_ORDER_H
#define RUNTIME_PAIR_ORDER_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/pair_table.h"

/* pair_table_run is how many entries from |position| up to |end| have ids that
 * follow one another. */
static inline uint32_t
pair_table_run(const struct pair_table *table, uint64_t position, uint64_t end)
{
    uint64_t len = table->ids.span - (position & (table->ids.span - 1));

    return (uint32_t)(end - position < len ? end - position : len);
}

/* pair_table_next is what pair_table_push will give. */
static inline uint32_t
pair_table_next(const struct pair_table *table)
{
    return pair_ids_at(&table->ids, table->head);
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

#endif
