/*
 * site - a walk over the pages of one host, page by page, breadth first.
 *
 * It begins at one page and follows links that stay on the host, that the
 * patterns want and that robots.txt allows.  Pages known from an earlier walk
 * that no link leads to any more are asked for, too, so that each is told as
 * it is: gone, or just not linked.
 *
 * All that touches the world is asked of struct site_ops, so the walk itself is
 * a function of the answers.
 *
 * Bound      site_ask.max_pages requests for pages, SITE_FRONTIER addresses,
 *            site_ask.max_ms.
 * Threads    None.
 */
#ifndef CRAWL_SITE_H
#define CRAWL_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "crawl/html.h"
#include "crawl/http.h"

enum {
    SITE_FRONTIER = 20000,
    SITE_REDIRECTS = 5,        /* RFC 9309, 2.3.1.2, has robots follow five */
    SITE_DELAY_MAX_MS = 10000, /* of what robots.txt may ask for */
    SITE_RETRY_MAX_S = 10,
    SITE_FAILURES = 10, /* in a row end the walk */
};

struct site_known {
    str url;
    str etag;
    str modified;
};

struct site_ask {
    str start;
    uint32_t depth; /* links away from the start */
    uint32_t max_pages;
    uint32_t delay_ms; /* between two requests, at least */
    uint32_t max_ms;
    size_t page_bytes; /* as they come, decompressed */
    bool ignores_robots;
    bool discovers;     /* sitemaps and llms.txt, before any link */
    const str *include; /* match_path on the path, where `/` at its end stands
                           for `/index.html`; with :// match_glob on the URL */
    size_t include_len;
    const str *exclude;
    size_t exclude_len;
    const struct site_known *known;
    size_t known_len;
};

enum site_what {
    SITE_TEXT,   /* a page and its text */
    SITE_SAME,   /* a known page that has not changed since */
    SITE_GONE,   /* a known page that is no more, or no longer wanted */
    SITE_FAILED, /* a page that could not be had now */
};

struct site_page {
    enum site_what what;
    str url;
    str parent; /* the page that linked it, or empty */
    str title;
    str text;
    str etag;
    str modified;
    str why; /* of SITE_GONE and SITE_FAILED */
};

struct site_sum {
    uint32_t asked;   /* pages */
    uint32_t skipped; /* other types, not to be kept */
    bool is_truncated;
    bool is_cancelled;
    struct buf why; /* why it ended early; empty: it did not */
};

struct site_ops {
    void *ctx;
    enum err (*get)(void *ctx, const struct http_ask *ask,
                    struct http_reply *reply);
    /* read: ERR_TOO_LARGE, ERR_UNSUPPORTED (its charset), ERR_CORRUPT (whoever
     * reads it died of it); ERR_NOMEM ends the walk. */
    enum err (*read)(void *ctx, bool is_html, str type, str bytes,
                     struct html_page *out);
    enum err (*emit)(void *ctx, const struct site_page *page);
    bool (*wait)(void *ctx, uint32_t ms); /* false: cancelled */
    uint64_t (*now_ms)(void *ctx);
};

/* site_walk: ERR_INVALID (the start is no URL, in sum->why), ERR_NOMEM, errors
 * of emit.  What the site does is told in |sum|. */
enum err site_walk(const struct site_ask *ask, const struct site_ops *ops,
                   struct site_sum *sum);

/* site_wants: do the patterns want |url|? */
bool site_wants(const struct site_ask *ask, const struct url *url);

#endif
