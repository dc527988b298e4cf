/*
 * groups - communities of the joined graph, kept as entities.
 *
 * What hangs together (graph/communities.h) becomes an entity of type
 * `community` with a summary put together from names and counts, key concepts,
 * and links to its members; those that hang together in turn become one of
 * level 1.  An id is made of the members it had first, and kept while at least
 * half of them stay (knowledge/groups_kept.h).  They are of the index and of
 * the observed edges they were made of; manage rebuild_index makes them, and a
 * service anew when these are others (cmd/regroup.h).
 *
 * Bound      GROUPS_MAX communities of at least GROUP_MEMBERS_MIN members, of
 *            which GROUP_LINKS_MAX are linked.
 * Threads    As the moment, which writes.
 */
#ifndef KNOWLEDGE_GROUPS_H
#define KNOWLEDGE_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "knowledge/knowledge.h"

enum { GROUPS_MAX = 100, GROUP_MEMBERS_MIN = 3, GROUP_LINKS_MAX = 50 };

/* groups_age_of tells whether what there is was made of another index than
 * |code|, and of fewer or other observed edges than there are; of none nothing
 * is old. */
struct groups_age {
    bool is_code_old;
    bool is_traffic_old;
    uint32_t made_s;
};
enum err groups_age_of(struct moment *moment, const struct code *code,
                       struct groups_age *out);

/* groups_make: |count| is how many there are then, of both levels. */
enum err groups_make(struct moment *moment, size_t *count);

#endif
