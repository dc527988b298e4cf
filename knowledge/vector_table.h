/*
 * vector_table - from the hash of a text to a number, not 0.
 *
 * Memory     vector_table_fini; zero-initialise.  24 bytes a slot, half full.
 * Threads    None.
 */
#ifndef KNOWLEDGE_VECTOR_TABLE_H
#define KNOWLEDGE_VECTOR_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"

struct vector_slot {
    struct digest128 hash;
    uint32_t value; /* 0: none, but a hash may have been here */
    uint32_t is_used;
};
struct vector_table {
    struct vector_slot *slots;
    size_t cap;
    size_t used;
};
void vector_table_fini(struct vector_table *table);

/* vector_table_get: 0 if there is none. */
uint32_t
vector_table_get(const struct vector_table *table, struct digest128 hash);
/* vector_table_set: |value| 0 removes.  ERR_NOMEM. */
enum err vector_table_set(struct vector_table *table, struct digest128 hash,
                          uint32_t value);

#endif
