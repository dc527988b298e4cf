/*
 * source - where documents come from, and taking them in.
 *
 * A source is a directory of this machine or a site.  What changed since the
 * last time is told by the bytes of a document, not by dates; what is gone
 * stays, marked removed.  Documents are cut into chunks (knowledge/chunk.h),
 * which search finds and mentions are read from.
 *
 * A crawl works in moments of its own, short ones, so that others write
 * meanwhile: struct source_host says how to begin and end one.
 *
 * Bound      SOURCE_PAGES_MAX documents of SOURCE_PAGE_BYTES each; nothing
 *            outside the directory, no symbolic link is followed; of a site
 *            as crawl/site.h.
 * Threads    As the moment; source_crawl any, one at a time for a source.
 */
#ifndef KNOWLEDGE_SOURCE_H
#define KNOWLEDGE_SOURCE_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "knowledge/entity.h"

enum {
    SOURCE_PAGES = 50, /* of a crawl, unless asked otherwise */
    SOURCE_PAGES_MAX = 500,
    SOURCE_DEPTH = 2,
    SOURCE_DEPTH_MAX = 5,
    SOURCE_PAGE_BYTES = 1 << 20,
};

struct crawler;

/* What may be crawled, and how; of knowledge_cfg. */
struct source_rules {
    struct crawler *crawler;  /* NULL: no sites */
    bool anywhere;            /* any folder, if |roots| names none */
    const char *const *roots; /* folders that may be crawled, with all below */
    size_t root_len;
    uint32_t delay_ms; /* of crawl/site.h; 0 of the others: a default */
    uint32_t max_ms;
    size_t page_bytes;
};

/* Who crawls: on whose behalf, and in what moments. */
struct source_host {
    void *ctx;
    struct knowledge *knowledge;
    struct buf *why; /* of what goes wrong; moment.why, too */
    /* begin makes a moment that reads or |writes|; end as knowledge_end. */
    enum err (*begin)(void *ctx, struct moment *moment, bool writes);
    enum err (*end)(void *ctx, struct moment *moment, enum err err);
    bool (*is_cancelled)(void *ctx);                   /* NULL: never */
    void (*note)(void *ctx, size_t done, size_t most); /* NULL: nobody cares */
};

struct source_ask {
    int64_t depth;        /* 0: as it is */
    int64_t max_pages;    /* 0: as it is */
    int robots;           /* 1: respect, -1: do not, 0: as it is */
    str schedule;         /* .ptr NULL: as it is */
    const cJSON *include; /* arrays of globs (base/match.h); NULL: as it is */
    const cJSON *exclude;
};

/* source_register makes a source of entity |oid|; |metadata| may hold
 * crawl_depth, schedule, respect_robots, include_patterns (or crawl_patterns),
 * exclude_patterns, max_pages.
 * ERR_INVALID: |url| is no URL and no directory, or known already. */
enum err source_register(struct moment *moment, int64_t oid, str url,
                         const cJSON *metadata);

/* source_of_url finds the source |url|, or adds it. */
enum err source_of_url(struct moment *moment, str url, struct object *out);

/* source_apply keeps what is asked with the source. */
enum err
source_apply(struct moment *moment, int64_t oid, const struct source_ask *ask);

/*
 * source_crawl takes in what changed.  |data| gets source_id, url, depth,
 * status, added, changed, unchanged, removed, failed, skipped, documents.
 *
 * ERR_INVALID      the directory or the start of the site cannot be read, and
 *                  nothing changed
 * ERR_BUSY         it is being crawled, or too many are
 * ERR_CANCELLED    what was taken in before stays
 * ERR_UNSUPPORTED  no sites are crawled here
 */
enum err source_crawl(const struct source_host *host, int64_t oid, cJSON *data);

/* source_refresh crawls all; data.sources_refreshed, sources_queued, failed,
 * results. */
enum err source_refresh(const struct source_host *host, cJSON *data);

/* source_due finds a source whose schedule says that it is time, but none of
 * |not_yet|; 0: there is none.  One that was interrupted is due at once. */
enum err source_due(struct moment *moment, const int64_t *not_yet, size_t len,
                    int64_t *out);

/* source_is_torn: does a source say that it is being crawled?  When nobody
 * crawls, source_mend makes that `interrupted`. */
enum err source_is_torn(struct moment *moment, bool *out);
enum err source_mend(struct moment *moment);

/* source_link reads the mentions of at most |max| chunks that were not read;
 * data.chunks_processed, links_created, chunks_remaining. */
enum err source_link(struct moment *moment, size_t max, cJSON *data);
/* source_link_status: data.sources: source_id, chunks, pending. */
enum err source_link_status(struct moment *moment, cJSON *data);

#endif
