/*
 * source - where documents come from, and taking them in.
 *
 * A source is a directory of this machine.  Its documents are the text files
 * below it: what changed since the last time is told by their bytes, not by
 * dates; what is gone stays, marked removed.  Documents are cut into chunks
 * (knowledge/chunk.h), which search finds and mentions are read from.
 *
 * Bound      SOURCE_PAGES_MAX documents of SOURCE_PAGE_BYTES each; nothing
 *            outside the directory, no symbolic link is followed.
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_SOURCE_H
#define KNOWLEDGE_SOURCE_H

#include <cjson/cJSON.h>

#include "knowledge/entity.h"

enum {
    SOURCE_PAGES = 50, /* of a crawl, unless asked otherwise */
    SOURCE_PAGES_MAX = 500,
    SOURCE_DEPTH = 2,
    SOURCE_DEPTH_MAX = 5,
    SOURCE_PAGE_BYTES = 1 << 20,
};

struct source_ask {
    int64_t depth;        /* 0: as it is */
    int64_t max_pages;    /* 0: as it is */
    const cJSON *include; /* arrays of globs (base/match.h); NULL: as it is */
    const cJSON *exclude;
};

/* source_register makes a source of entity |oid|; |metadata| may hold
 * crawl_depth, schedule, include_patterns, exclude_patterns, max_pages.
 * ERR_INVALID: |url| is no URL and no directory, or known already. */
enum err source_register(struct moment *moment, int64_t oid, str url,
                         const cJSON *metadata);

/* source_of_url finds the source |url|, or adds it. */
enum err source_of_url(struct moment *moment, str url, struct object *out);

/*
 * source_crawl takes in what changed.  |data| gets source_id, url, depth,
 * status, added, changed, unchanged, removed, skipped, documents.
 *
 * ERR_INVALID      the directory cannot be read
 * ERR_UNSUPPORTED  http sources are not supported in this build
 */
enum err source_crawl(struct moment *moment, int64_t oid,
                      const struct source_ask *ask, cJSON *data);

/* source_refresh crawls all; data.sources_refreshed, sources_queued, failed. */
enum err source_refresh(struct moment *moment, cJSON *data);

/* source_link reads the mentions of at most |max| chunks that were not read;
 * data.chunks_processed, links_created, chunks_remaining. */
enum err source_link(struct moment *moment, size_t max, cJSON *data);
/* source_link_status: data.sources: source_id, chunks, pending. */
enum err source_link_status(struct moment *moment, cJSON *data);

#endif
