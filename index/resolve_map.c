/*
 * Linear probing, at most half full.  Keys are made of small numbers, so they
 * are mixed first.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "index/resolve_impl.h"

enum { MAP_CAP = 64 };

void
map_fini(struct map *map)
{
    free(map->keys);
    free(map->values);
    *map = (struct map){0};
}

static uint32_t
find_slot(const struct map *map, uint64_t key)
{
    uint32_t at = (uint32_t)hash_mix(key, 0) & (map->cap - 1);

    while (map->keys[at] && map->keys[at] != key)
        at = (at + 1) & (map->cap - 1);
    return at;
}

static bool
widen(struct map *map)
{
    uint32_t cap = map->cap ? 2 * map->cap : MAP_CAP;
    struct map old = *map;
    uint64_t *keys = calloc(cap, sizeof(*keys));
    uint32_t *values = calloc(cap, sizeof(*values));

    if (!keys || !values) {
        free(keys);
        free(values);
        return false;
    }
    *map = (struct map){keys, values, cap, old.len};
    for (uint32_t i = 0; i < old.cap; i++) {
        if (!old.keys[i])
            continue;
        uint32_t at = find_slot(map, old.keys[i]);
        map->keys[at] = old.keys[i];
        map->values[at] = old.values[i];
    }
    map_fini(&old);
    return true;
}

bool
map_put(struct map *map, uint64_t key, uint32_t value)
{
    if (2 * map->len >= map->cap && !widen(map))
        return false;
    uint32_t at = find_slot(map, key);
    if (map->keys[at])
        return true;
    map->keys[at] = key;
    map->values[at] = value;
    map->len++;
    return true;
}

uint32_t
map_get(const struct map *map, uint64_t key)
{
    return map->cap && key ? map->values[find_slot(map, key)] : 0;
}

uint32_t *
map_slot(struct map *map, uint64_t key)
{
    uint32_t at = map->cap ? find_slot(map, key) : 0;

    return map->cap && map->keys[at] == key ? &map->values[at] : NULL;
}
