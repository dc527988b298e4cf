/*
 * Sources over time: all of them anew, those that are due, and those whose
 * crawl ended with its process.
 */
#include "base/hash.h"
#include "knowledge/schedule.h"
#include "knowledge/source.h"
#include "knowledge/source_parts.h"
#include "store/knowledge_store.h"

static enum err
list_sources(struct moment *moment, struct oids *out)
{
    const struct ks_value *row;
    enum err err = OK;

    if (!moment->store)
        return OK;
    ks_ask(moment->store, KS_SOURCES, NULL, 0);
    while (!err && ks_next(moment->store, KS_SOURCES, &row))
        err = oids_add(out, row[0].num);
    enum err end = ks_end(moment->store, KS_SOURCES);
    return err ? err : end;
}

enum err
source_refresh(const struct source_host *host, cJSON *data)
{
    cJSON *results = cJSON_AddArrayToObject(data, "results");
    struct oids sources = {0};
    struct moment moment = {.why = host->why};
    double refreshed = 0;
    double failed = 0;
    enum err err = host->begin(host->ctx, &moment, false);

    if (!err)
        err = host->end(host->ctx, &moment, list_sources(&moment, &sources));
    for (size_t i = 0; i < sources.len && !err; i++) {
        cJSON *result = cJSON_CreateObject();

        err = source_crawl(host, sources.items[i], result);
        refreshed += !err;
        if (err == ERR_INVALID || err == ERR_UNSUPPORTED || err == ERR_BUSY) {
            /* One that cannot be read does not keep the others back. */
            failed++;
            cJSON_AddStringToObject(result, "error", buf_cstr(host->why));
            buf_reset(host->why);
            err = OK;
        }
        cJSON_AddItemToArray(results, result);
    }
    cJSON_AddNumberToObject(data, "sources_refreshed", refreshed);
    cJSON_AddNumberToObject(data, "sources_queued", 0);
    cJSON_AddNumberToObject(data, "failed", failed);
    oids_fini(&sources);
    return err;
}

/* ---- what is due ---- */

static bool
is_one_of(const int64_t *list, size_t len, int64_t oid)
{
    for (size_t i = 0; i < len; i++)
        if (list[i] == oid)
            return true;
    return false;
}

/* Sources of one schedule are not all due in one second; each has a delay of
 * its own, at most a tenth of its interval. */
static uint32_t
jitter_s(const struct schedule *schedule, int64_t oid)
{
    enum { MOST_S = 300, CRON_S = 30 };
    uint32_t most = schedule->every_s ? schedule->every_s / 10 : CRON_S;

    return (uint32_t)(hash_mix((uint64_t)oid, 0) %
                      ((most < MOST_S ? most : MOST_S) + UINT64_C(1)));
}

static bool
is_due(const struct moment *moment, const struct ks_value *row)
{
    struct schedule schedule;
    str status = row[12].text;
    uint32_t last_s = (uint32_t)row[11].num;

    if (row[8].text.len == 0 || schedule_parse(row[8].text, &schedule))
        return false;
    if (str_eq(status, STR("interrupted")))
        return true;
    uint32_t next_s = schedule_next(&schedule, last_s);
    return next_s == 0 ||
           (uint64_t)next_s + jitter_s(&schedule, row[0].num) <= moment->now_s;
}

enum err
source_due(struct moment *moment, const int64_t *not_yet, size_t len,
           int64_t *out)
{
    const struct ks_value *row;

    *out = 0;
    if (!moment->store)
        return OK;
    ks_ask(moment->store, KS_SOURCES, NULL, 0);
    while (!*out && ks_next(moment->store, KS_SOURCES, &row))
        if (!is_one_of(not_yet, len, row[0].num) && is_due(moment, row))
            *out = row[0].num;
    return ks_end(moment->store, KS_SOURCES);
}

enum err
source_is_torn(struct moment *moment, bool *out)
{
    const struct ks_value *row;

    *out = false;
    if (!moment->store)
        return OK;
    ks_ask(moment->store, KS_SOURCES, NULL, 0);
    while (ks_next(moment->store, KS_SOURCES, &row))
        *out |= str_eq(row[12].text, STR("crawling"));
    return ks_end(moment->store, KS_SOURCES);
}

enum err
source_mend(struct moment *moment)
{
    return ks_run(moment->store, KS_SOURCES_INTERRUPT, NULL, 0);
}
