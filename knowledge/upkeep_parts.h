/*
 * upkeep_parts - of vectors, for knowledge/upkeep.c.  Not for others.
 *
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_UPKEEP_PARTS_H
#define KNOWLEDGE_UPKEEP_PARTS_H

#include "knowledge/upkeep.h"

/* upkeep_put_embeddings puts `embeddings`: its state, model, how many texts
 * have a vector and how many wait for one, and what failed last. */
void upkeep_put_embeddings(const struct moment *moment, cJSON *data);

/* upkeep_put_vectors puts `vectors`: how many are stored. */
enum err upkeep_put_vectors(const struct moment *moment, cJSON *data);

/* upkeep_rebuild_vectors has all texts looked at anew, soon: those that have no
 * vector, or one of another model, are asked for. */
enum err upkeep_rebuild_vectors(const struct moment *moment, cJSON *data);

#endif
