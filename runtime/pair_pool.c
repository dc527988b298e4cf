#include "runtime/pair_pool.h"

#include "runtime/pair_ahead.h"

uint32_t
pair_pool_take(struct pair_table *table)
{
    uint32_t id = table->pool_free;

    if (table->pool_used >= table->pool_cap)
        return 0;
    if (id != 0) {
        table->pool_free = pair_at(table, id)->next;
        pair_prefetch(table, table->pool_free);
    } else {
        id = table->pool_next++;
    }
    table->pool_used++;
    *pair_at(table, id) = (struct pair_entry){0};
    return id;
}

void
pair_pool_give(struct pair_table *table, uint32_t id)
{
    pair_at(table, id)->span_id = 0; /* nobody's (pair_index_is) */
    pair_at(table, id)->next = table->pool_free;
    table->pool_free = id;
    table->pool_used--;
}

uint32_t
pair_link_take(struct pair_table *table)
{
    uint32_t id = table->link_free;

    if (id != 0)
        table->link_free = pair_link_at(table, id)->next_out;
    else if (table->link_next < table->link_cap)
        id = table->link_next++;
    else
        return 0;
    table->link_used++;
    *pair_link_at(table, id) = (struct pair_link){0};
    return id;
}

void
pair_link_give(struct pair_table *table, uint32_t id)
{
    pair_link_at(table, id)->next_out = table->link_free;
    table->link_free = id;
    table->link_used--;
}
