/*
 * crawling - what of the knowledge may be crawled, by the configuration, and
 * the processes that do.
 *
 * Threads    The owner; before it makes threads and confines itself.
 */
#ifndef CMD_CRAWLING_H
#define CMD_CRAWLING_H

#include "base/buf.h"
#include "cmd/config.h"
#include "knowledge/source.h"

struct crawling;

/* crawling_check: ERR_INVALID, a rule of knowledge.crawl.allow is none; |why|
 * says which. */
enum err crawling_check(const struct config *cfg, struct buf *why);

/*
 * crawling_start reads |cfg|, which crawling_check has passed and which must
 * outlive it.  |is_local|: for somebody who may read what this process may.
 * ERR_IO, ERR_NOMEM.
 */
enum err crawling_start(struct crawling **out, const struct config *cfg,
                        bool is_local, struct buf *why);
/* crawling_halt ends the crawls under way, soon. */
void crawling_halt(struct crawling *crawling);
void crawling_stop(struct crawling *crawling);

/* crawling_rules is for knowledge_cfg; NULL gives NULL. */
const struct source_rules *crawling_rules(const struct crawling *crawling);

#endif
