/*
 * site_map - addresses that a site tells of itself: llms.txt, and the sitemaps
 * that robots.txt names or that stand at /sitemap.xml.
 *
 * Sitemaps are read as sitemaps.org has them, as XML, as an index of others, or
 * as lines of text, compressed with gzip or not; of llms.txt (llmstxt.org) the
 * links of its Markdown.  What cannot be had or read tells of nothing, which is
 * no failure of the walk.
 *
 * Bound      SITE_MAPS sitemaps, SITE_MAP_PAGES addresses, a page's bytes each,
 *            before and after they are decompressed.
 * Threads    None.
 */
#ifndef CRAWL_SITE_MAP_H
#define CRAWL_SITE_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "crawl/site_fetch.h"

enum { SITE_MAPS = 8, SITE_MAP_PAGES = 10000 };

/* Addresses as they stand in a text, fields of crawl/fields.h. */
struct site_places {
    struct buf fields;
    size_t len;
    size_t max; /* more are left out */
};

/* site_map_read appends the addresses of the sitemap |text|; |is_index|: they
 * are of sitemaps.  site_map_links appends those of the links in Markdown. */
void site_map_read(str text, struct site_places *out, bool *is_index);
void site_map_links(str text, struct site_places *out);

/*
 * site_map_find asks for them and appends what they tell, llms.txt first.
 * |until_ms| ends it, and so does who stops the walk.  ERR_NOMEM.
 */
enum err site_map_find(struct site_fetcher *fetcher, uint64_t until_ms,
                       struct site_places *out);

#endif
