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
#include "base/hash.h"
#include "base/str.h"
#include "knowledge/source.h"

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
/* source_check_folder: may |path|, which must be a real one, be crawled?
 * ERR_DENIED, with what would allow it. */
enum err source_check_folder(struct moment *moment, const char *path);
/* source_check_schedule: ERR_INVALID with what it may be. */
enum err source_check_schedule(struct moment *moment, str text);

/* A row of sources. */
struct source {
    int64_t oid;
    struct buf gid;
    struct buf url;
    struct buf include;
    struct buf exclude;
    struct buf schedule;
    struct buf status;
    int64_t depth;
    int64_t max_pages;
    bool robots;
};
enum err source_read(struct moment *moment, int64_t oid, struct source *out);
void source_fini(struct source *source);

/* What becomes a document. */
struct source_page {
    str path; /* of a file below the source, or a URL */
    str parent;
    str title; /* empty: its first heading, or its path */
    str text;
    str validators; /* ETag, line end, Last-Modified; or empty */
    unsigned char hash[SHA256_LEN];
};

/* A crawl under way; |moment| is the one it works in now. */
struct crawl {
    struct moment *moment;
    struct source source;
    struct oids met; /* documents */
    size_t added;
    size_t changed;
    size_t unchanged;
    size_t removed;
    size_t failed;
    size_t skipped;
    size_t chunks;
    size_t linked;
    cJSON *failures; /* of the first few: url, why */
};

enum err crawl_meet(struct crawl *crawl, struct source_page *page);
/* crawl_miss: |path| is no more. */
enum err crawl_miss(struct crawl *crawl, str path);
/* crawl_miss_others: nor is what was not met. */
enum err crawl_miss_others(struct crawl *crawl);

/* crawl_site walks the site of |crawl|; the status it ended with, and why. */
enum err crawl_site(const struct source_host *host, struct crawl *crawl,
                    const char **status, struct buf *error);

#endif
