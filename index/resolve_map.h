/*
 * resolve_map - a growing open table from a number to a number.
 *
 * Zero-initialise to start.  0 is no key.
 *
 * Memory     map_fini frees.
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_MAP_H
#define INDEX_RESOLVE_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct map {
    uint64_t *keys;
    uint32_t *values;
    uint32_t cap;
    uint32_t len;
};

void map_fini(struct map *map);
/* map_put is false without memory; a key stays with its first value. */
bool map_put(struct map *map, uint64_t key, uint32_t value);
uint32_t map_get(const struct map *map, uint64_t key); /* 0: none */
/* map_slot is where the value of a key stands; NULL: no such key. */
uint32_t *map_slot(struct map *map, uint64_t key);

#endif
