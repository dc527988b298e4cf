/*
 * similar - what of the knowledge is like a text.
 *
 * Candidates come from full-text search, and are judged by the shingles they
 * share (knowledge/text.h): no model is needed, and equal texts always get
 * equal answers.
 *
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_SIMILAR_H
#define KNOWLEDGE_SIMILAR_H

#include <cjson/cJSON.h>

#include "knowledge/entity.h"

enum { CONFLICT_PERMILLE = 850 };

/* similar_conflicts appends to |out| what |text|, of |type|, may repeat or
 * contradict, but for |self|: id, name, score, type (duplicate,
 * semantic_overlap, potential_contradiction), explanation. */
enum err similar_conflicts(struct moment *moment, const struct object *self,
                           str text, cJSON *out);

/* similar_link links |self| to the pattern, rule, template or topic that two
 * ways of comparing agree on, by a margin; |count| is how many. */
enum err similar_link(struct moment *moment, const struct object *self,
                      str text, size_t *count);

/* similar_tags appends to |out| words that |text| says are its subject. */
void similar_tags(str text, cJSON *out);

/* A match of full-text search. */
struct similar {
    int64_t oid;
    double score; /* of the best, more is better */
    char type[32];
    struct buf gid;
    struct buf name;
};
struct similar_list {
    struct similar items[20];
    size_t len;
};
/* similar_search finds at most |max| objects by the words of |text|. */
enum err similar_search(struct moment *moment, str text, size_t max,
                        struct similar_list *out);
void similar_list_fini(struct similar_list *list);

#endif
