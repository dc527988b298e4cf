/*
 * source_parts - what the files of source share.  Not for others.
 *
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_SOURCE_PARTS_H
#define KNOWLEDGE_SOURCE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct oids {
    int64_t *items;
    size_t len;
    size_t cap;
};
void oids_fini(struct oids *list);
enum err oids_add(struct oids *list, int64_t oid);

bool source_is_http(str url);
/* source_patterns writes |patterns|, an array of texts, over |out| as JSON;
 * NULL leaves it. */
enum err source_patterns(const cJSON *patterns, struct buf *out);

#endif
