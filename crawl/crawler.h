/*
 * crawler - walks of sites, in processes of their own.
 *
 * The process that serves may not connect to anything, and should not carry a
 * client of HTTP and TLS.  So a small process is made before it confines
 * itself; for each walk that one makes another, which loads libcurl, confines
 * itself to the network and the files of name service and certificates, has
 * its pages read by a third (crawl/reader.h), and tells page by page what it
 * found.  One that dies takes its walk with it and nothing else.
 *
 *     crawler_start(&crawler, &cfg);         while there is one thread
 *     crawler_walk(crawler, &ask, &hear, &sum, &why);
 *     crawler_stop(crawler);
 *
 * Bound      CRAWLER_WALKS at once.
 * Threads    crawler_start, crawler_stop: the owner.  crawler_walk: any.
 */
#ifndef CRAWL_CRAWLER_H
#define CRAWL_CRAWLER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "crawl/site.h"

/* A walk holds a thread of those that answer; two leave the others some. */
enum { CRAWLER_WALKS = 2 };

struct crawler;

/* What it points at must outlive the crawler. */
struct crawler_cfg {
    const char *agent;
    const char *const *allow; /* rules of crawl/address.h */
    size_t allow_len;
    const char *ca_file; /* NULL: the system's */
    uint32_t timeout_ms; /* of one page */
    bool is_open;        /* the process that fetches is not confined */
};

struct crawler_ears {
    void *ctx;
    enum err (*page)(void *ctx, const struct site_page *page);
    bool (*is_cancelled)(void *ctx); /* asked a few times a second */
};

/* crawler_start: ERR_NOMEM, ERR_IO. */
enum err crawler_start(struct crawler **out, const struct crawler_cfg *cfg);
/* crawler_halt ends the walks under way, and all later ones, as cancelled.  Any
 * thread. */
void crawler_halt(struct crawler *crawler);
void crawler_stop(struct crawler *crawler);

/*
 * crawler_walk returns when the walk is over; |sum->why| is why it ended early.
 *
 * ERR_INVALID    the start is no URL
 * ERR_BUSY       CRAWLER_WALKS are under way
 * ERR_CANCELLED  |ears| said so
 * ERR_UNSUPPORTED, ERR_IO  no libcurl; the process died, or could not be made
 * errors of ears->page
 */
enum err crawler_walk(struct crawler *crawler, const struct site_ask *ask,
                      const struct crawler_ears *ears, struct site_sum *sum,
                      struct buf *why);

#endif
