/*
 * A crawl of a site: the walk is another process's (crawl/crawler.h), each page
 * it tells of is a transaction here.  Validators are only sent where the last
 * crawl saw all there was: a page that has not changed says nothing of where
 * its links lead.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "crawl/crawler.h"
#include "crawl/url.h"
#include "knowledge/source_parts.h"
#include "store/knowledge_store.h"

enum { FAILURES_SHOWN = 20, SITE_TIME_MS = 600000 };

/* What the walk is asked, and where its texts are. */
struct asked {
    struct site_ask ask;
    cJSON *include;
    cJSON *exclude;
    str *patterns;
    struct buf texts; /* of known pages */
    struct site_known *known;
    size_t known_cap;
};

struct hearing {
    const struct source_host *host;
    struct crawl *crawl;
    struct url start;
    size_t pages;
};

static void
asked_fini(struct asked *asked)
{
    cJSON_Delete(asked->include);
    cJSON_Delete(asked->exclude);
    free(asked->patterns);
    free(asked->known);
    buf_fini(&asked->texts);
}

static size_t
take_patterns(const cJSON *array, str *out)
{
    const cJSON *item;
    size_t len = 0;

    cJSON_ArrayForEach(item, array)
    {
        if (cJSON_IsString(item))
            out[len++] = str_of(item->valuestring);
    }
    return len;
}

static enum err
ask_patterns(struct source *source, struct asked *out)
{
    out->include = cJSON_Parse(buf_cstr(&source->include));
    out->exclude = cJSON_Parse(buf_cstr(&source->exclude));
    size_t len = (size_t)cJSON_GetArraySize(out->include) +
                 (size_t)cJSON_GetArraySize(out->exclude);

    out->patterns = calloc(len + 1, sizeof(*out->patterns));
    if (!out->patterns)
        return ERR_NOMEM;
    out->ask.include = out->patterns;
    out->ask.include_len = take_patterns(out->include, out->patterns);
    out->ask.exclude = out->patterns + out->ask.include_len;
    out->ask.exclude_len =
        take_patterns(out->exclude, out->patterns + out->ask.include_len);
    return OK;
}

/* The lengths first: the texts move while they grow. */
static enum err
add_known(struct asked *asked, const struct ks_value *row)
{
    str etag = row[10].text;
    const char *end = etag.len ? memchr(etag.ptr, '\n', etag.len) : NULL;
    size_t cut = end ? (size_t)(end - etag.ptr) : etag.len;

    if (!grow_room(asked->known, asked->ask.known_len, asked->known_cap))
        return ERR_NOMEM;
    asked->known[asked->ask.known_len++] = (struct site_known){
        .url.len = row[4].text.len,
        .etag.len = cut,
        .modified.len = end ? etag.len - cut - 1 : 0,
    };
    buf_add(&asked->texts, row[4].text);
    buf_add(&asked->texts, str_cut(etag, 0, cut));
    if (end)
        buf_add(&asked->texts, str_cut(etag, cut + 1, etag.len));
    return asked->texts.failed ? ERR_NOMEM : OK;
}

static void
place_known(struct asked *asked, bool with_validators)
{
    const char *at = asked->texts.ptr;

    for (size_t i = 0; i < asked->ask.known_len; i++) {
        str *const parts[] = {&asked->known[i].url, &asked->known[i].etag,
                              &asked->known[i].modified};

        for (size_t k = 0; k < 3; k++) {
            parts[k]->ptr = at;
            at += parts[k]->len;
            if (k > 0 && !with_validators)
                parts[k]->len = 0;
        }
    }
    asked->ask.known = asked->known;
}

static enum err
ask_known(struct moment *moment, const struct source *source, struct asked *out)
{
    const struct ks_value *row;
    enum err err = OK;

    ks_ask(moment->store, KS_DOCUMENTS, KS_ARGS(ks_int(source->oid)));
    while (!err && ks_next(moment->store, KS_DOCUMENTS, &row))
        err = add_known(out, row);
    enum err end = ks_end(moment->store, KS_DOCUMENTS);
    place_known(out, str_eq(buf_str(&source->status), STR("completed")));
    return err ? err : end;
}

static enum err
prepare(const struct source_host *host, struct crawl *crawl, struct asked *out)
{
    const struct source_rules *rules = knowledge_sources(host->knowledge);
    struct source *source = &crawl->source;
    struct moment moment = {.why = host->why};
    enum err err = host->begin(host->ctx, &moment, true);

    if (err)
        return err;
    out->ask = (struct site_ask){
        .start = buf_str(&source->url),
        .depth = (uint32_t)source->depth,
        .max_pages = (uint32_t)source->max_pages,
        .delay_ms = rules->delay_ms,
        .max_ms = rules->max_ms ? rules->max_ms : SITE_TIME_MS,
        .page_bytes = rules->page_bytes ? rules->page_bytes : SOURCE_PAGE_BYTES,
        .ignores_robots = !source->robots,
        .discovers = true,
    };
    err = ask_patterns(source, out);
    if (!err)
        err = ask_known(&moment, source, out);
    if (!err)
        err = ks_run(
            moment.store, KS_SOURCE_STATUS,
            KS_ARGS(ks_int(source->oid), ks_cstr("crawling"), ks_cstr("")));
    return host->end(host->ctx, &moment, err);
}

/* ---- pages ---- */

static enum err
note_failure(struct crawl *crawl, const struct site_page *page)
{
    cJSON *row;
    struct buf text = {0};

    crawl->failed++;
    if (!crawl->failures)
        crawl->failures = cJSON_CreateArray();
    if (cJSON_GetArraySize(crawl->failures) >= FAILURES_SHOWN)
        return OK;
    row = cJSON_CreateObject();
    buf_add(&text, page->url);
    cJSON_AddStringToObject(row, "url", buf_cstr(&text));
    buf_reset(&text);
    buf_add(&text, page->why);
    cJSON_AddStringToObject(row, "why", buf_cstr(&text));
    buf_fini(&text);
    if (!cJSON_AddItemToArray(crawl->failures, row)) {
        cJSON_Delete(row);
        return ERR_NOMEM;
    }
    return OK;
}

static enum err
take_text(struct crawl *crawl, const struct site_page *page)
{
    struct buf validators = {0};
    struct source_page out = {
        .path = page->url,
        .parent = page->parent,
        .title = page->title,
        .text = page->text,
    };
    enum err err;

    buf_add(&validators, page->etag);
    if (page->modified.len) {
        buf_add_char(&validators, '\n');
        buf_add(&validators, page->modified);
    }
    out.validators = buf_str(&validators);
    err = validators.failed ? ERR_NOMEM : crawl_meet(crawl, &out);
    buf_fini(&validators);
    return err;
}

/* The process that walks is not believed that a page is one of the site. */
static bool
is_of_site(const struct hearing *hearing, str text)
{
    struct url url;

    if (url_parse(text, &url, NULL) != OK)
        return false;
    bool is = url_same_site(&hearing->start, &url) &&
              str_eq(buf_str(&url.text), text);
    url_fini(&url);
    return is;
}

static enum err
hear_page(void *ctx, const struct site_page *page)
{
    struct hearing *hearing = ctx;
    const struct source_host *host = hearing->host;
    struct crawl *crawl = hearing->crawl;
    struct moment moment = {.why = host->why};
    enum err err;

    if (host->note)
        host->note(host->ctx, ++hearing->pages,
                   (size_t)crawl->source.max_pages);
    if (page->what == SITE_FAILED)
        return note_failure(crawl, page);
    if (page->what == SITE_SAME) {
        crawl->unchanged++;
        return OK;
    }
    if (!is_of_site(hearing, page->url))
        return ERR_CORRUPT;
    if ((err = host->begin(host->ctx, &moment, true)))
        return err;
    crawl->moment = &moment;
    err = page->what == SITE_TEXT ? take_text(crawl, page)
                                  : crawl_miss(crawl, page->url);
    crawl->moment = NULL;
    return host->end(host->ctx, &moment, err);
}

static bool
is_cancelled(void *ctx)
{
    const struct hearing *hearing = ctx;
    const struct source_host *host = hearing->host;

    return host->is_cancelled && host->is_cancelled(host->ctx);
}

static void
judge(const struct crawl *crawl, struct site_sum *sum, const char **status,
      struct buf *error)
{
    bool has_any =
        crawl->added + crawl->changed + crawl->unchanged + crawl->removed > 0;

    *status = sum->is_truncated || crawl->failed || sum->why.len ? "partial"
                                                                 : "completed";
    if (sum->why.len)
        buf_add(error, buf_str(&sum->why));
    else if (crawl->failed)
        buf_printf(error,
                   "%zu page%s could not be had now; what was stored "
                   "of them is kept",
                   crawl->failed, crawl->failed == 1 ? "" : "s");
    if (!has_any && sum->why.len)
        *status = "failed";
}

/* What the walk's end means for the source; |err| is of crawler_walk. */
static enum err
settle(const struct source_host *host, enum err err, struct buf *error)
{
    if (err == ERR_CANCELLED)
        buf_add(error, STR("cancelled"));
    else if (host->why->len)
        buf_add(error, buf_str(host->why));
    else
        buf_add(error, str_of(err_str(err)));
    /* As an answer to who asked, not of the store. */
    return err == ERR_IO ? ERR_INVALID : err;
}

enum err
crawl_site(const struct source_host *host, struct crawl *crawl,
           const char **status, struct buf *error)
{
    const struct source_rules *rules = knowledge_sources(host->knowledge);
    struct hearing hearing = {.host = host, .crawl = crawl};
    const struct crawler_ears ears = {&hearing, hear_page, is_cancelled};
    struct asked asked = {0};
    struct site_sum sum = {0};
    enum err err = OK;

    *status = "failed";
    if (!rules || !rules->crawler) {
        buf_printf(host->why, "http sources are not crawled here: %s",
                   buf_cstr(&crawl->source.url));
        err = ERR_UNSUPPORTED;
    }
    if (!err)
        err = url_parse(buf_str(&crawl->source.url), &hearing.start, host->why);
    if (!err)
        err = prepare(host, crawl, &asked);
    if (!err)
        err = crawler_walk(rules->crawler, &asked.ask, &ears, &sum, host->why);
    if (err)
        err = settle(host, err, error);
    else
        judge(crawl, &sum, status, error);
    crawl->skipped = sum.skipped;
    url_fini(&hearing.start);
    asked_fini(&asked);
    buf_fini(&sum.why);
    return err;
}
