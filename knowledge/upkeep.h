/*
 * upkeep - how the knowledge is, how much of it there is, and making its
 * indexes anew.
 *
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_UPKEEP_H
#define KNOWLEDGE_UPKEEP_H

#include <cjson/cJSON.h>

#include "knowledge/knowledge.h"

/* upkeep_health: status, graph_connected, entity_counts, errors, the SQLite in
 * use; of traces what came in and when last; and of the receiver, in the
 * process that is one, what it took and refused since its start, and what
 * waits. */
enum err upkeep_health(struct moment *moment, cJSON *data);
/* upkeep_stats: entity_counts, total_entities, relationship_counts, ... */
enum err upkeep_stats(struct moment *moment, cJSON *data);
/* upkeep_rebuild makes the communities (knowledge/groups.h) and writes the
 * tables of search anew: fts_rows, vectors, communities, ms, integrity. */
enum err upkeep_rebuild(struct moment *moment, cJSON *data);

#endif
