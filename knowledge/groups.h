/*
 * groups - communities of the joined graph, kept as entities.
 *
 * What hangs together (graph/communities.h) becomes an entity of type
 * `community` with a summary put together from names and counts, key concepts,
 * and links to its members; those that hang together in turn become one of
 * level 1.  An id is made of the members it had first, and kept while at least
 * half of them stay (knowledge/groups_kept.h).  They are of the index they were
 * made of; manage rebuild_index makes them, and a service anew when the code
 * was indexed again (cmd/regroup.h).
 *
 * Bound      GROUPS_MAX communities of at least GROUP_MEMBERS_MIN members, of
 *            which GROUP_LINKS_MAX are linked.
 * Threads    As the moment, which writes.
 */
#ifndef KNOWLEDGE_GROUPS_H
#define KNOWLEDGE_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "knowledge/knowledge.h"

enum { GROUPS_MAX = 100, GROUP_MEMBERS_MIN = 3, GROUP_LINKS_MAX = 50 };

/* groups_stale: there are some, and they were made of another index of the code
 * than the moment's. */
enum err groups_stale(struct moment *moment, bool *out);

/* groups_make: |count| is how many there are then, of both levels. */
enum err groups_make(struct moment *moment, size_t *count);

#endif
