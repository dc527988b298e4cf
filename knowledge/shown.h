/*
 * shown - the whole of what was taken in from a source, for who reads it.
 *
 * A source, a document and a chunk keep their parts in tables of their own;
 * here they are one text, its sections, and the rest by name.
 *
 * Bound      SHOWN_SECTIONS_MAX sections.
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_SHOWN_H
#define KNOWLEDGE_SHOWN_H

#include <cjson/cJSON.h>

#include "knowledge/object.h"

enum { SHOWN_SECTIONS_MAX = 20, SHOWN_PREVIEW = 200 };

struct shown {
    struct buf content;
    cJSON *sections; /* [{heading, preview}] */
    cJSON *metadata; /* {url, crawled_at, ...} */
};
void shown_fini(struct shown *shown);

/* shown_get: ERR_NOT_FOUND without a word; |object| is no such thing. */
enum err shown_get(struct moment *moment, const struct object *object,
                   struct shown *out);

#endif
