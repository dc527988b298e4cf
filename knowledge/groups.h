/*
 * groups - communities of the joined graph, kept as entities.
 *
 * What hangs together (graph/communities.h) becomes an entity of type
 * `community` with a summary put together from names and counts, key concepts,
 * and links to its members; those that hang together in turn become one of
 * level 1.  An id is made of the members, so the same members are the same
 * community.  They are of the moment they were made; manage rebuild_index
 * makes them anew.
 *
 * Bound      GROUPS_MAX communities of at least GROUP_MEMBERS_MIN members, of
 *            which GROUP_LINKS_MAX are linked.
 * Threads    As the moment, which writes.
 */
#ifndef KNOWLEDGE_GROUPS_H
#define KNOWLEDGE_GROUPS_H

#include <stddef.h>

#include "knowledge/knowledge.h"

enum { GROUPS_MAX = 100, GROUP_MEMBERS_MIN = 3, GROUP_LINKS_MAX = 50 };

/* groups_make: |count| is how many there are then, of both levels. */
enum err groups_make(struct moment *moment, size_t *count);

#endif
