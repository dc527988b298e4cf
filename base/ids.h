/*
 * ids - a list of numbers that grows: what a search found, what a question is
 * about.
 *
 * Memory     An empty one is zeroed; ids_fini frees it, and it is empty again.
 * Order      As added; the same number may be there more than once.
 * Threads    None.
 */
#ifndef BASE_IDS_H
#define BASE_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct ids {
    uint32_t *ids;
    size_t len;
    size_t cap;
};

void ids_fini(struct ids *list);

/* ids_add: ERR_NOMEM, and the list is as it was. */
enum err ids_add(struct ids *list, uint32_t id);

/* ids_has is O(len). */
bool ids_has(const struct ids *list, uint32_t id);

#endif
