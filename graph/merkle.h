/*
 * merkle - one hash for all edges of a snapshot, by the recipe of `knowing`.
 *
 * Edges stand in groups by package of their source and type.  A group's root
 * is that of its sorted hashes, a package's that of its sorted group roots,
 * the root that of the sorted package roots:
 *
 *     interior = SHA-256("merkle\0" left right), an odd one pairs with itself
 *     snapshot = SHA-256("snapshot\0" root)
 *
 * One leaf is its own root, but not at the top: there a single package is
 * paired with itself.  No leaves: 32 zeros.
 *
 * Threads    Any.
 */
#ifndef GRAPH_MERKLE_H
#define GRAPH_MERKLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"

struct merkle_leaf {
    uint32_t package; /* any number that is one for each package */
    uint32_t type;
    unsigned char hash[SHA256_LEN];
};

/* merkle_root sorts |leaves| and writes the root to |out|.  ERR_NOMEM. */
enum err
merkle_root(struct merkle_leaf *leaves, size_t len, unsigned char *out);

void merkle_snapshot(const unsigned char *root, unsigned char *out);

#endif
