/*
 * idset - which of many numbers are in a list, asked again and again.
 *
 * A bit for each number up to the largest: for ids, which are dense.  ids_has
 * is for short lists, or for asking once.
 *
 * Memory     An empty one is zeroed; idset_fini frees it, and it is empty
 *            again.
 * Threads    None.
 */
#ifndef BASE_IDSET_H
#define BASE_IDSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/ids.h"

struct idset {
    uint64_t *words;
    size_t len;
};

void idset_fini(struct idset *set);

/* idset_add, idset_add_all: ERR_NOMEM, and what was in it is in it still. */
enum err idset_add(struct idset *set, uint32_t id);
enum err idset_add_all(struct idset *set, const struct ids *list);

bool idset_has(const struct idset *set, uint32_t id);

#endif
