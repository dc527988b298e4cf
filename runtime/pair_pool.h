/*
 * pair_pool - entries of those that did not come, and links.
 *
 * Both are given back in any order, and the last to be is taken first.
 *
 * Bound      pool_cap and link_cap of the table (pair_table.h).
 * Threads    None.
 */
#ifndef RUNTIME_PAIR_POOL_H
#define RUNTIME_PAIR_POOL_H

#include <stdint.h>

#include "runtime/pair_table.h"

/* Bits of pair_link.flags. */
#define PAIR_LINK_MARK     UINT32_C(1) /* from a publish to its marker */
#define PAIR_LINK_SHADOWED UINT32_C(2) /* a process has this message (R7) */

struct pair_link {
    uint32_t src;
    uint32_t dst; /* 0: was forgotten */
    uint32_t next_out;
    uint32_t next_in;
    uint32_t prev_in;
    uint32_t flags;
};

static inline struct pair_link *
pair_link_at(const struct pair_table *table, uint32_t id)
{
    return &table->links[id];
}

/* pair_pool_take gives a zeroed entry without facts, or 0 if pool_cap are
 * held. */
uint32_t pair_pool_take(struct pair_table *table);
void pair_pool_give(struct pair_table *table, uint32_t id);

/* pair_link_take gives a link of zeros, or 0 if there is none left. */
uint32_t pair_link_take(struct pair_table *table);
void pair_link_give(struct pair_table *table, uint32_t id);

#endif
