#include "knowledge/vector_table.h"

#include <stdlib.h>

void
vector_table_fini(struct vector_table *table)
{
    free(table->slots);
    *table = (struct vector_table){0};
}

/* The slot of |hash|, or the free one where it would go. */
static struct vector_slot *
find(const struct vector_table *table, struct digest128 hash)
{
    size_t at = (size_t)hash.lo & (table->cap - 1);

    while (table->slots[at].is_used && (table->slots[at].hash.lo != hash.lo ||
                                        table->slots[at].hash.hi != hash.hi))
        at = (at + 1) & (table->cap - 1);
    return &table->slots[at];
}

uint32_t
vector_table_get(const struct vector_table *table, struct digest128 hash)
{
    return table->cap ? find(table, hash)->value : 0;
}

/* What was removed is left behind. */
static enum err
grow(struct vector_table *table)
{
    struct vector_table fresh = {0};
    size_t live = 0;

    for (size_t i = 0; i < table->cap; i++)
        live += table->slots[i].value != 0;
    fresh.cap = 64;
    while (fresh.cap < 4 * (live + 1))
        fresh.cap *= 2;
    fresh.slots = calloc(fresh.cap, sizeof(*fresh.slots));
    if (!fresh.slots)
        return ERR_NOMEM;
    for (size_t i = 0; i < table->cap; i++)
        if (table->slots[i].value)
            *find(&fresh, table->slots[i].hash) = table->slots[i];
    fresh.used = live;
    free(table->slots);
    *table = fresh;
    return OK;
}

enum err
vector_table_set(struct vector_table *table, struct digest128 hash,
                 uint32_t value)
{
    if (2 * (table->used + 1) > table->cap && grow(table))
        return ERR_NOMEM;
    struct vector_slot *slot = find(table, hash);
    table->used += !slot->is_used;
    *slot = (struct vector_slot){hash, value, 1};
    return OK;
}
