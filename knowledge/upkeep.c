#include "knowledge/upkeep_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/metrics.h"
#include "graph/query_stats.h"
#include "knowledge/entity.h"
#include "knowledge/groups.h"
#include "store/knowledge_store.h"
#include "store/sqlite.h"

static enum err
put_counts(struct moment *moment, enum ks_sql sql, const char *name,
           cJSON *data, double *total)
{
    cJSON *object = cJSON_AddObjectToObject(data, name);
    const struct ks_value *row;
    double sum = 0;
    enum err err = OK;

    if (moment->store) {
        ks_ask(moment->store, sql, NULL, 0);
        while (ks_next(moment->store, sql, &row)) {
            char word[64];

            snprintf(word, sizeof(word), "%.*s", (int)row[0].text.len,
                     row[0].text.ptr);
            cJSON_AddNumberToObject(object, word, row[1].real);
            sum += row[1].real;
        }
        err = ks_end(moment->store, sql);
    }
    if (total)
        *total = sum;
    return err;
}

static enum err
put_number(struct moment *moment, enum ks_sql sql, const char *name,
           cJSON *data)
{
    int64_t number = 0;
    enum err err =
        moment->store ? ks_number(moment->store, sql, NULL, 0, &number) : OK;

    cJSON_AddNumberToObject(data, name, (double)number);
    return err;
}

/* ---- health ---- */

static enum err
put_counter(void *ctx, str name, int64_t value)
{
    char word[64];

    snprintf(word, sizeof(word), "%.*s", (int)name.len, name.ptr);
    cJSON_AddNumberToObject(ctx, word, (double)value);
    return OK;
}

static enum err
put_traces(struct moment *moment, cJSON *data)
{
    cJSON *traces = cJSON_AddObjectToObject(data, "traces");
    struct query_stats stats;
    enum err err;

    if (!moment->view)
        return OK;
    err = query_stats(moment->view, NULL, &stats);
    if (err)
        return err;
    cJSON_AddNumberToObject(traces, "services", (double)stats.services);
    cJSON_AddNumberToObject(traces, "edges", (double)stats.edges);
    if (stats.last_s)
        cJSON_AddNumberToObject(traces, "last_span", stats.last_s);
    else
        cJSON_AddNullToObject(traces, "last_span");
    if (stats.last_s && stats.last_s <= moment->now_s)
        cJSON_AddNumberToObject(traces, "last_span_age_seconds",
                                moment->now_s - stats.last_s);
    return query_counters(moment->view, put_counter,
                          cJSON_AddObjectToObject(traces, "counters"));
}

/* Only the process that receives knows: another has nothing to tell. */
static void
put_receiver(cJSON *data)
{
    static const struct {
        const char *name;
        enum metric metric;
    } rows[] = {
        {"spans_accepted", METRIC_SPANS_ACCEPTED},
        {"spans_rejected", METRIC_SPANS_REJECTED},
        {"spans_evicted", METRIC_EVICTED},
        {"requests_refused_full", METRIC_REFUSED_FULL},
        {"requests_refused_store", METRIC_REFUSED_STORE},
        {"queue_spans", METRIC_QUEUE_STUBS},
        {"live_spans", METRIC_PENDING},
        {"commit_failures", METRIC_COMMIT_FAILURES},
        {"wal_bytes", METRIC_WAL_BYTES},
        {"store_bytes", METRIC_STORE_BYTES},
    };
    int64_t since_s = metrics_get(METRIC_START_SECONDS);
    cJSON *receiver;

    if (since_s == 0)
        return;
    receiver = cJSON_AddObjectToObject(data, "receiver");
    cJSON_AddNumberToObject(receiver, "started", (double)since_s);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        cJSON_AddNumberToObject(receiver, rows[i].name,
                                (double)metrics_get(rows[i].metric));
}

static void
put_sqlite(cJSON *data)
{
    cJSON *sqlite = cJSON_AddObjectToObject(data, "sqlite");

    cJSON_AddStringToObject(sqlite, "version", sqlite_version());
    cJSON_AddBoolToObject(sqlite, "two_writers_may_corrupt",
                          sqlite_may_corrupt(sqlite_number()));
}

static enum err
put_integrity(struct moment *moment, cJSON *data, cJSON *errors)
{
    const struct ks_value *row;
    char found[128] = "ok";
    enum err err = OK;

    if (moment->store) {
        ks_ask(moment->store, KS_QUICK_CHECK, NULL, 0);
        if (ks_next(moment->store, KS_QUICK_CHECK, &row))
            snprintf(found, sizeof(found), "%.*s", (int)row[0].text.len,
                     row[0].text.ptr);
        err = ks_end(moment->store, KS_QUICK_CHECK);
    }
    cJSON_AddStringToObject(data, "integrity", found);
    if (strcmp(found, "ok") != 0)
        cJSON_AddItemToArray(errors, cJSON_CreateString(found));
    return err;
}

enum err
upkeep_health(struct moment *moment, cJSON *data)
{
    cJSON *errors = cJSON_CreateArray();
    enum err err;

    err = put_integrity(moment, data, errors);
    cJSON_AddStringToObject(
        data, "status", cJSON_GetArraySize(errors) ? "unhealthy" : "healthy");
    cJSON_AddNumberToObject(data, "uptime_seconds", moment->up_s);
    cJSON_AddBoolToObject(data, "graph_connected", moment->view != NULL);
    cJSON_AddBoolToObject(data, "code_connected", moment->joined != NULL);
    if (!err)
        err = put_counts(moment, KS_OBJECT_COUNTS, "entity_counts", data, NULL);
    if (!err)
        err = put_traces(moment, data);
    put_receiver(data);
    put_sqlite(data);
    upkeep_put_embeddings(moment, data);
    cJSON_AddItemToObject(data, "errors", errors);
    return err;
}

/* ---- stats ---- */

/* Which state of each repository is loaded. */
static void
put_snapshots(const struct moment *moment, cJSON *data)
{
    const struct code *code = moment->joined ? moment->joined->code : NULL;
    cJSON *array = cJSON_AddArrayToObject(data, "snapshots");

    for (uint32_t i = 1; code && i < code->repo_len; i++) {
        cJSON *row = cJSON_CreateObject();
        struct buf text = {0};

        buf_add(&text, code->repos[i].url);
        cJSON_AddStringToObject(row, "repo", buf_cstr(&text));
        buf_reset(&text);
        buf_add(&text, code->repos[i].commit);
        cJSON_AddStringToObject(row, "commit", buf_cstr(&text));
        cJSON_AddNumberToObject(row, "indexed_at", code->repos[i].indexed_s);
        cJSON_AddItemToArray(array, row);
        buf_fini(&text);
    }
}

enum err
upkeep_stats(struct moment *moment, cJSON *data)
{
    const struct joined *joined = moment->joined;
    double total = 0;
    double links = 0;
    enum err err =
        put_counts(moment, KS_OBJECT_COUNTS, "entity_counts", data, &total);

    cJSON_AddNumberToObject(data, "total_entities", total);
    if (!err)
        err = put_counts(moment, KS_LINK_COUNTS, "relationship_counts", data,
                         &links);
    cJSON_AddNumberToObject(data, "total_relationships", links);
    if (!err)
        err = put_counts(moment, KS_LINK_ORIGINS, "relationships_by_provenance",
                         data, NULL);
    if (!err)
        err = upkeep_put_vectors(moment, data);
    upkeep_put_embeddings(moment, data);
    if (!err)
        err = put_number(moment, KS_DOC_COUNT, "search_rows", data);
    if (!err)
        err = put_number(moment, KS_REVISION, "revision", data);
    cJSON_AddNumberToObject(data, "storage_bytes",
                            moment->store ? (double)ks_bytes(moment->store)
                                          : 0);
    cJSON_AddNumberToObject(data, "code_nodes",
                            joined ? joined->code->node_len - 1 : 0);
    cJSON_AddNumberToObject(data, "code_edges",
                            joined ? joined->code->edge_len : 0);
    put_snapshots(moment, data);
    return err;
}

/* ---- rebuild ---- */

/* Every entity and chunk, also those that have no row of search. */
static enum err
index_missing(struct moment *moment, double *count)
{
    enum { STEP = 256 };
    int64_t oids[STEP];
    size_t len = STEP;
    enum err err = OK;

    *count = 0;
    while (len == STEP && !err) {
        const struct ks_value *row;

        len = 0;
        ks_ask(moment->store, KS_DOC_MISSING, NULL, 0);
        while (len < STEP && ks_next(moment->store, KS_DOC_MISSING, &row))
            oids[len++] = row[0].num;
        err = ks_end(moment->store, KS_DOC_MISSING);
        for (size_t i = 0; i < len && !err; i++)
            err = entity_index(moment, oids[i]);
        *count += (double)len;
    }
    return err;
}

enum err
upkeep_rebuild(struct moment *moment, cJSON *data)
{
    static const enum ks_sql steps[] = {KS_DOC_STRAY, KS_FTS_REBUILD,
                                        KS_IDENT_REBUILD};
    static const enum ks_sql checks[] = {KS_FTS_CHECK, KS_IDENT_CHECK};
    uint64_t begin = clock_mono_ns();
    double made = 0;
    size_t groups = 0;
    enum err err = groups_make(moment, &groups);

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !err; i++)
        err = ks_run(moment->store, steps[i], NULL, 0);
    if (!err)
        err = index_missing(moment, &made);
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]) && !err; i++)
        err = ks_run(moment->store, checks[i], NULL, 0);
    if (err)
        return err;
    err = put_number(moment, KS_DOC_COUNT, "fts_rows", data);
    cJSON_AddNumberToObject(data, "missing_made", made);
    cJSON_AddNumberToObject(data, "communities", (double)groups);
    if (!err)
        err = upkeep_rebuild_vectors(moment, data);
    cJSON_AddStringToObject(data, "integrity", "ok");
    cJSON_AddNumberToObject(
        data, "ms", (double)(clock_mono_ns() - begin) / (double)NS_PER_MS);
    return err;
}
