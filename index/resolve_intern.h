/*
 * resolve_intern - names as small numbers, for all files of a repository.
 *
 * Like base/texts.h, but a view stays good for as long as the table: text that
 * outlives it is not copied, the rest goes to blocks that never move.
 *
 * Memory     intern_init, intern_fini.
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_INTERN_H
#define INDEX_RESOLVE_INTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* The number of a name; 0 is the empty one. */
typedef uint32_t sym;

struct intern_block;

struct intern {
    str *texts; /* of each number */
    uint32_t *hashes;
    uint32_t len;
    uint32_t cap;
    uint32_t *slots;
    uint32_t slot_cap;
    struct intern_block *blocks;
    bool failed; /* no memory: something is missing */
};

bool intern_init(struct intern *names);
void intern_fini(struct intern *names);

/* intern_view keeps |text| itself, which must outlive the table. */
sym intern_view(struct intern *names, str text);
/* intern_copy keeps a copy. */
sym intern_copy(struct intern *names, str text);
/* intern_find is 0 if there is no such name. */
sym intern_find(const struct intern *names, str text);

#endif
