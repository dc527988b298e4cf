#include "cmd/crawling.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/version.h"
#include "crawl/address.h"
#include "crawl/crawler.h"

struct crawling {
    struct source_rules rules;
    struct crawler_cfg crawler_cfg;
    struct crawler *crawler;
    const char **roots;
};

enum err
crawling_check(const struct config *cfg, struct buf *why)
{
    for (size_t i = 0; i < cfg->crawl_allow.len; i++) {
        if (address_is_rule(str_of(cfg->crawl_allow.item[i])))
            continue;
        buf_printf(why,
                   "knowledge.crawl.allow: \"%s\" is no host and no network; "
                   "write docs.internal, *.internal or 10.0.0.0/8",
                   cfg->crawl_allow.item[i]);
        return ERR_INVALID;
    }
    return OK;
}

/* What may be indexed may be crawled. */
static enum err
join_roots(struct crawling *crawling, const struct config *cfg)
{
    size_t len = cfg->roots.len + cfg->index_paths.len;
    size_t at = 0;

    crawling->roots = calloc(len + 1, sizeof(*crawling->roots));
    if (!crawling->roots)
        return ERR_NOMEM;
    for (size_t i = 0; i < cfg->roots.len; i++)
        crawling->roots[at++] = cfg->roots.item[i];
    for (size_t i = 0; i < cfg->index_paths.len; i++)
        crawling->roots[at++] = cfg->index_paths.item[i];
    crawling->rules.roots = crawling->roots;
    crawling->rules.root_len = len;
    return OK;
}

enum err
crawling_start(struct crawling **out, const struct config *cfg, bool is_local,
               struct buf *why)
{
    struct crawling *crawling = calloc(1, sizeof(*crawling));

    *out = NULL;
    if (!crawling)
        return ERR_NOMEM;
    crawling->rules = (struct source_rules){
        .anywhere = is_local,
        .delay_ms = (uint32_t)(cfg->crawl_delay_ns / NS_PER_MS),
        .max_ms = (uint32_t)(cfg->crawl_time_ns / NS_PER_MS),
        .page_bytes = cfg->crawl_page_bytes,
    };
    crawling->crawler_cfg = (struct crawler_cfg){
        .agent = "spangraph/" SPANGRAPH_VERSION,
        .allow = cfg->crawl_allow.item,
        .allow_len = cfg->crawl_allow.len,
        .ca_file = config_text(cfg->crawl_ca_file),
        .timeout_ms = (uint32_t)(cfg->crawl_page_ns / NS_PER_MS),
        .is_open = strcmp(cfg->sandbox, "off") == 0,
    };
    enum err err = join_roots(crawling, cfg);
    if (!err && cfg->crawl) {
        err = crawler_start(&crawling->crawler, &crawling->crawler_cfg);
        if (err)
            buf_add(why, STR("the process that crawls cannot be made"));
    }
    crawling->rules.crawler = crawling->crawler;
    if (err)
        crawling_stop(crawling);
    else
        *out = crawling;
    return err;
}

void
crawling_halt(struct crawling *crawling)
{
    if (crawling && crawling->crawler)
        crawler_halt(crawling->crawler);
}

void
crawling_stop(struct crawling *crawling)
{
    if (!crawling)
        return;
    crawler_stop(crawling->crawler);
    free(crawling->roots);
    free(crawling);
}

const struct source_rules *
crawling_rules(const struct crawling *crawling)
{
    return crawling ? &crawling->rules : NULL;
}
