/*
 * pair_ahead - entries are asked for before they are needed.
 *
 * Threads    None.
 */
#ifndef RUNTIME_PAIR_AHEAD_H
#define RUNTIME_PAIR_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/pair_table.h"

enum { PAIR_RECENT = 2048 };

/* pair_table_is_recent says whether |id| came so lately that a processor will
 * have it at hand. */
static inline bool
pair_table_is_recent(const struct pair_table *table, uint32_t id)
{
    return pair_ids_at(&table->ids, table->head) - id < PAIR_RECENT;
}

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
