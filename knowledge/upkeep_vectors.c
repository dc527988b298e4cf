/*
 * How it stands with vectors, in stats, health and rebuild_index.
 */
#include "knowledge/upkeep_parts.h"
#include "knowledge/vectors.h"
#include "store/knowledge_store.h"

static void
put_text(cJSON *to, const char *name, struct buf *text)
{
    if (text->len)
        cJSON_AddStringToObject(to, name, buf_cstr(text));
    else
        cJSON_AddNullToObject(to, name);
}

static const char *
state_of(const struct vectors_status *status)
{
    if (status->why.len || status->query.is_resting)
        return "failing";
    if (!status->is_looked)
        return "starting";
    return status->pending ? "filling" : "ok";
}

void
upkeep_put_embeddings(const struct moment *moment, cJSON *data)
{
    cJSON *to = cJSON_AddObjectToObject(data, "embeddings");
    struct vectors_status status;

    if (!moment->vectors) {
        cJSON_AddStringToObject(to, "state", "off");
        return;
    }
    vectors_tell(moment->vectors, &status);
    cJSON_AddStringToObject(to, "state", state_of(&status));
    cJSON_AddStringToObject(to, "model", status.model);
    cJSON_AddNumberToObject(to, "dim", status.dim);
    cJSON_AddNumberToObject(to, "vectors", (double)status.vectors);
    cJSON_AddNumberToObject(to, "pending", (double)status.pending);
    cJSON_AddNumberToObject(to, "refused", (double)status.refused);
    cJSON_AddNumberToObject(to, "left_out", (double)status.left_out);
    put_text(to, "last_error", &status.why);
    if (status.why.len)
        cJSON_AddNumberToObject(to, "last_error_at", status.why_s);
    cJSON *query = cJSON_AddObjectToObject(to, "questions");
    cJSON_AddNumberToObject(query, "asked", (double)status.query.asked);
    cJSON_AddNumberToObject(query, "cached", (double)status.query.cached);
    cJSON_AddNumberToObject(query, "failed", (double)status.query.failed);
    cJSON_AddNumberToObject(query, "skipped", (double)status.query.skipped);
    cJSON_AddBoolToObject(query, "resting", status.query.is_resting);
    put_text(query, "last_error", &status.query.why);
    vectors_status_fini(&status);
}

enum err
upkeep_put_vectors(const struct moment *moment, cJSON *data)
{
    int64_t count = 0;
    enum err err = OK;

    if (moment->store)
        err = ks_number(moment->store, KS_EMBEDDING_COUNT, NULL, 0, &count);
    cJSON_AddNumberToObject(data, "vectors", (double)count);
    return err;
}

enum err
upkeep_rebuild_vectors(const struct moment *moment, cJSON *data)
{
    struct vectors_status status;

    if (moment->vectors) {
        vectors_tell(moment->vectors, &status);
        cJSON_AddNumberToObject(data, "vectors_pending",
                                (double)status.pending);
        vectors_status_fini(&status);
        vectors_poke(moment->vectors);
    }
    return upkeep_put_vectors(moment, data);
}
