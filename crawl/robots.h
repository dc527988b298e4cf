/*
 * robots - what a site asks robots not to read (RFC 9309).
 *
 *     struct robots robots;
 *     robots_read(&robots, text, STR("spangraph"));
 *     if (robots_allows(&robots, STR("/private?x=1"))) ...
 *
 * The groups that name the agent count together, else those of `*`; of the
 * rules that fit a path the longest, and of two of one length `allow`.
 *
 * Bound      ROBOTS_BYTES are read, the least that the RFC asks for (2.5);
 *            ROBOTS_RULES rules, ROBOTS_MAPS sitemaps; what is beyond does
 *            not count.
 * Threads    None.
 */
#ifndef CRAWL_ROBOTS_H
#define CRAWL_ROBOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum { ROBOTS_BYTES = 500 * 1024, ROBOTS_RULES = 4096, ROBOTS_MAPS = 8 };

struct robots_rule {
    uint32_t at; /* of the pattern in robots.text */
    uint32_t len;
    bool allows;
};

struct robots {
    struct buf text; /* of the patterns, their escapes in one spelling */
    struct robots_rule *rules;
    size_t len;
    struct buf sitemaps; /* of whichever group; fields of crawl/fields.h */
    size_t sitemap_len;
    uint32_t delay_ms; /* Crawl-delay of the group; 0: none */
};

/* robots_read: ERR_NOMEM; whatever the bytes are, they are rules or none. */
enum err robots_read(struct robots *out, str text, str agent);
void robots_fini(struct robots *robots);

/* robots_allows: |path| with its query, as in a struct url. */
bool robots_allows(const struct robots *robots, str path);

#endif
