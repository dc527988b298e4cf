/*
 * A crawl of a folder is one transaction, so one that fails changes nothing.
 * One of a site takes minutes, so it is a transaction a page: what was read
 * stays read, and what was not is as it was.
 */
#include "knowledge/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crawl/crawler.h"
#include "knowledge/folder.h"
#include "knowledge/source_parts.h"
#include "store/knowledge_store.h"

void
source_fini(struct source *source)
{
    buf_fini(&source->gid);
    buf_fini(&source->url);
    buf_fini(&source->include);
    buf_fini(&source->exclude);
    buf_fini(&source->schedule);
    buf_fini(&source->status);
}

enum err
source_read(struct moment *moment, int64_t oid, struct source *out)
{
    const struct ks_value *row;
    enum err err = ERR_NOT_FOUND;

    ks_ask(moment->store, KS_SOURCE, KS_ARGS(ks_int(oid)));
    if (ks_next(moment->store, KS_SOURCE, &row)) {
        out->oid = row[0].num;
        buf_add(&out->gid, row[1].text);
        buf_add(&out->url, row[3].text);
        out->depth = row[5].num;
        buf_add(&out->include, row[6].text);
        buf_add(&out->exclude, row[7].text);
        buf_add(&out->schedule, row[8].text);
        out->robots = row[9].num != 0;
        out->max_pages = row[10].num;
        buf_add(&out->status, row[12].text);
        err = out->url.failed ? ERR_NOMEM : OK;
    }
    enum err end = ks_end(moment->store, KS_SOURCE);
    return end ? end : err;
}

/* ---- settings ---- */

static int64_t
at_most(int64_t value, int64_t most)
{
    return value < most ? value : most;
}

static enum err
save(struct moment *moment, struct source *source)
{
    return ks_run(
        moment->store, KS_SOURCE_SET,
        KS_ARGS(ks_int(source->oid), ks_int(source->depth),
                ks_text(buf_str(&source->include)),
                ks_text(buf_str(&source->exclude)), ks_int(source->max_pages),
                ks_text(buf_str(&source->schedule)), ks_int(source->robots)));
}

enum err
source_apply(struct moment *moment, int64_t oid, const struct source_ask *ask)
{
    struct source source = {0};
    bool is_new = ask->depth || ask->max_pages || ask->include ||
                  ask->exclude || ask->robots;
    enum err err = OK;

    if (!is_new && !ask->schedule.ptr)
        return OK;
    if (ask->schedule.ptr)
        err = source_check_schedule(moment, ask->schedule);
    if (!err)
        err = source_read(moment, oid, &source);
    /* Beyond a limit is the limit, and the answer says so. */
    if (ask->depth)
        source.depth = at_most(ask->depth, SOURCE_DEPTH_MAX);
    if (ask->max_pages)
        source.max_pages = at_most(ask->max_pages, SOURCE_PAGES_MAX);
    if (ask->robots)
        source.robots = ask->robots > 0;
    if (ask->schedule.ptr) {
        buf_reset(&source.schedule);
        buf_add(&source.schedule, ask->schedule);
    }
    if (!err)
        err = source_patterns(ask->include, &source.include);
    if (!err)
        err = source_patterns(ask->exclude, &source.exclude);
    if (!err)
        err = save(moment, &source);
    /* What was not wanted then may be now, on pages that did not change. */
    if (!err && is_new)
        err = ks_run(moment->store, KS_SOURCE_STATUS,
                     KS_ARGS(ks_int(oid), ks_cstr("pending"), ks_cstr("")));
    source_fini(&source);
    return err;
}

/* ---- a folder ---- */

static enum err
meet_file(void *ctx, str path, str text)
{
    struct crawl *crawl = ctx;
    struct source_page page = {
        .path = path, .parent = buf_str(&crawl->source.url), .text = text};

    return crawl_meet(crawl, &page);
}

static enum err
walk_folder(struct crawl *crawl, const char **status)
{
    struct source *source = &crawl->source;
    cJSON *include = cJSON_Parse(buf_cstr(&source->include));
    cJSON *exclude = cJSON_Parse(buf_cstr(&source->exclude));
    struct folder_sum sum = {0};
    const struct folder_ask ask = {
        .root = buf_cstr(&source->url),
        .depth = (int)source->depth,
        .max = (size_t)source->max_pages,
        .bytes = SOURCE_PAGE_BYTES,
        .include = include,
        .exclude = exclude,
    };
    enum err err = source_check_folder(crawl->moment, buf_cstr(&source->url));

    if (!err)
        err = folder_walk(&ask, meet_file, crawl, &sum, crawl->moment->why);
    if (!err && !sum.is_truncated)
        err = crawl_miss_others(crawl);
    crawl->skipped = sum.skipped;
    *status = sum.is_truncated ? "partial" : "completed";
    cJSON_Delete(include);
    cJSON_Delete(exclude);
    return err == ERR_NOT_FOUND || err == ERR_DENIED ? ERR_INVALID : err;
}

/* ---- a crawl ---- */

static enum err
finish(struct crawl *crawl, const char *status, struct buf *error)
{
    struct moment *moment = crawl->moment;
    bool has_failed = strcmp(status, "failed") == 0;

    return ks_run(moment->store, KS_SOURCE_CRAWLED,
                  KS_ARGS(ks_int(crawl->source.oid),
                          ks_int(has_failed ? 0 : moment->now_s),
                          ks_cstr(status), ks_text(buf_str(error))));
}

static enum err
crawl_folder(const struct source_host *host, struct crawl *crawl,
             const char **status)
{
    struct moment moment = {.why = host->why};
    struct buf none = {0};
    enum err err = host->begin(host->ctx, &moment, true);

    if (err)
        return err;
    crawl->moment = &moment;
    err = walk_folder(crawl, status);
    if (!err)
        err = finish(crawl, *status, &none);
    crawl->moment = NULL;
    return host->end(host->ctx, &moment, err);
}

static enum err
note_end(const struct source_host *host, struct crawl *crawl,
         const char *status, struct buf *error)
{
    struct moment moment = {.why = host->why};
    enum err err = host->begin(host->ctx, &moment, true);

    if (err)
        return err;
    crawl->moment = &moment;
    err = finish(crawl, status, error);
    crawl->moment = NULL;
    return host->end(host->ctx, &moment, err);
}

static void
answer(struct crawl *crawl, const char *status, struct buf *error, cJSON *data)
{
    const struct {
        const char *name;
        size_t count;
    } counts[] = {
        {"added", crawl->added},
        {"changed", crawl->changed},
        {"unchanged", crawl->unchanged},
        {"removed", crawl->removed},
        {"failed", crawl->failed},
        {"skipped", crawl->skipped},
        {"documents", crawl->added + crawl->changed + crawl->unchanged},
        {"chunks", crawl->chunks},
        {"links", crawl->linked},
    };

    cJSON_AddStringToObject(data, "source_id", buf_cstr(&crawl->source.gid));
    cJSON_AddStringToObject(data, "url", buf_cstr(&crawl->source.url));
    cJSON_AddNumberToObject(data, "depth", (double)crawl->source.depth);
    cJSON_AddNumberToObject(data, "max_pages", (double)crawl->source.max_pages);
    cJSON_AddStringToObject(data, "status", status);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        cJSON_AddNumberToObject(data, counts[i].name, (double)counts[i].count);
    if (error->len)
        cJSON_AddStringToObject(data, "error", buf_cstr(error));
    if (crawl->failures) {
        cJSON_AddItemToObject(data, "failures", crawl->failures);
        crawl->failures = NULL;
    }
}

static enum err
read_settings(const struct source_host *host, int64_t oid, struct source *out)
{
    struct moment moment = {.why = host->why};
    enum err err = host->begin(host->ctx, &moment, false);

    if (err)
        return err;
    err = moment.store ? source_read(&moment, oid, out) : ERR_NOT_FOUND;
    return host->end(host->ctx, &moment, err);
}

/* A site of which nothing could be read is an error to who asked; one that was
 * read in part is an answer. */
static enum err
crawl_claimed(const struct source_host *host, struct crawl *crawl, cJSON *data)
{
    bool is_http = source_is_http(buf_str(&crawl->source.url));
    const char *status = "failed";
    struct buf error = {0};
    enum err err = is_http ? crawl_site(host, crawl, &status, &error)
                           : crawl_folder(host, crawl, &status);

    if (is_http) {
        enum err end = note_end(host, crawl, status, &error);
        err = err ? err : end;
    } else if (err == ERR_INVALID) {
        buf_add(&error, buf_str(host->why));
        (void)note_end(host, crawl, "failed", &error);
    }
    if (!err && strcmp(status, "failed") == 0) {
        buf_reset(host->why);
        buf_printf(host->why, "%s", buf_cstr(&error));
        err = ERR_INVALID;
    }
    if (!err)
        answer(crawl, status, &error, data);
    buf_fini(&error);
    return err;
}

enum err
source_crawl(const struct source_host *host, int64_t oid, cJSON *data)
{
    struct crawl crawl = {0};
    enum err err = read_settings(host, oid, &crawl.source);

    if (!err && !knowledge_claim(host->knowledge, oid)) {
        buf_printf(host->why,
                   "%s is being crawled now; try again when it is "
                   "done",
                   buf_cstr(&crawl.source.gid));
        err = ERR_BUSY;
    } else if (!err) {
        err = crawl_claimed(host, &crawl, data);
        knowledge_unclaim(host->knowledge, oid);
    }
    cJSON_Delete(crawl.failures);
    oids_fini(&crawl.met);
    source_fini(&crawl.source);
    return err;
}
