/*
 * site_fetch - one page of a walk: politely, by the rules of robots.txt, and
 * through redirects.  Not for others than crawl/site.c.
 *
 * Threads    None.
 */
#ifndef CRAWL_SITE_FETCH_H
#define CRAWL_SITE_FETCH_H

#include "crawl/robots.h"
#include "crawl/site.h"
#include "crawl/url.h"

/* The rules of one scheme, host and port. */
struct site_rules {
    struct buf origin;
    struct robots robots;
    bool is_closed; /* they could not be had: nothing may be read */
    struct buf why;
};

struct site_fetcher {
    const struct site_ask *ask;
    const struct site_ops *ops;
    const struct url *start;
    struct site_rules rules[4];
    size_t rule_len;
    uint64_t last_ms; /* when the last request ended; 0: there was none */
    bool is_cancelled;
};

enum fetch_end {
    FETCH_PAGE, /* 200, in site_answer.reply */
    FETCH_SAME, /* 304 */
    FETCH_GONE, /* 404, 410 */
    FETCH_OUT,  /* robots.txt does not allow it */
    FETCH_FAILED,
    FETCH_FATAL, /* nothing of the site may be read now */
    FETCH_STOPPED,
};

struct site_answer {
    enum fetch_end end;
    struct url at; /* what it was answered by */
    struct http_reply reply;
    struct buf why; /* of what failed */
};
void site_answer_fini(struct site_answer *answer);

/* site_fetch asks for |url|, with the validators of |known| if there is one;
 * |out| is zeroed. */
enum err site_fetch(struct site_fetcher *fetcher, const struct url *url,
                    const struct site_known *known, struct site_answer *out);
/* site_fetch_rules: what robots.txt of |url|'s origin says; NULL where it is
 * ignored, or could not be had. */
enum err site_fetch_rules(struct site_fetcher *fetcher, const struct url *url,
                          const struct robots **out);
void site_fetcher_fini(struct site_fetcher *fetcher);

#endif
