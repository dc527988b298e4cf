/*
 * crawler_parts - what crosses between crawl/crawler.c and the process that
 * walks, crawl/walker.c.  Not for others.
 *
 * Threads    None.
 */
#ifndef CRAWL_CRAWLER_PARTS_H
#define CRAWL_CRAWLER_PARTS_H

#include "crawl/crawler.h"
#include "index/frame.h"

enum { WALK_ASK = 1, WALK_PAGE = 2, WALK_END = 3, WALK_ERROR = 4 };
enum { WALK_FRAME_MAX = 8 << 20 };

/* What an ask is packed into, and the arrays of one that was unpacked. */
struct walk_ask {
    struct site_ask ask;
    str *patterns;
    struct site_known *known;
};
void walk_ask_pack(const struct site_ask *ask, struct buf *out);
/* walk_ask_unpack: views of |packed|.  ERR_CORRUPT, ERR_NOMEM. */
enum err walk_ask_unpack(str packed, struct walk_ask *out);
void walk_ask_fini(struct walk_ask *ask);

void walk_page_pack(const struct site_page *page, struct buf *out);
/* walk_page_unpack: ERR_CORRUPT, also where a text is no UTF-8. */
enum err walk_page_unpack(str packed, uint32_t what, struct site_page *out);

void walk_sum_pack(const struct site_sum *sum, struct buf *out);
enum err walk_sum_unpack(str packed, struct site_sum *out);

/* walker_main walks for who holds the other end of |fd|. */
_Noreturn void walker_main(const struct crawler_cfg *cfg, int fd);

#endif
