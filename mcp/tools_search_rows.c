/*
 * One result of search: the row of its object, and why it is there - the rank
 * in each lane, the keys that it has, of a document the part that fits best.
 */
#include <string.h>

#include "knowledge/document.h"
#include "knowledge/text.h"
#include "mcp/json.h"
#include "mcp/tools_reply.h"
#include "mcp/tools_search.h"

enum { PREVIEW = 500, PREVIEW_SHORT = 200 };

bool
search_is_document(const struct object *object)
{
    return strcmp(object->type, "document") == 0 ||
           strcmp(object->type, "chunk") == 0;
}

static void
put_lanes(const struct search_hit *hit, cJSON *facts)
{
    cJSON *lanes = hit ? cJSON_AddObjectToObject(facts, "lanes") : NULL;

    for (int i = 0; lanes && i < LANE_COUNT; i++)
        if (hit->ranks[i])
            put_num(lanes, search_lane_str((enum search_lane)i), hit->ranks[i]);
        else
            cJSON_AddNullToObject(lanes, search_lane_str((enum search_lane)i));
}

static void
put_keys(const struct search_row *of, cJSON *facts)
{
    cJSON *keys = of->hit && of->hit->keys
                      ? cJSON_AddArrayToObject(facts, "matched_keys")
                      : NULL;

    for (size_t i = 0; keys && i < of->hits->key_len; i++)
        if (of->hit->keys >> i & 1) {
            struct buf key = {0};

            buf_add(&key, of->hits->keys[i]);
            json_push(keys, cJSON_CreateString(buf_cstr(&key)));
            buf_fini(&key);
        }
}

/* Of a document, the part that fits best. */
static enum err
put_section(struct explore *e, int64_t oid, cJSON *row)
{
    bool is_whole = know_bool(e->run, "include_content", true);
    cJSON *facts = cJSON_GetObjectItem(row, "metadata");
    struct document_chunk chunk = {0};
    enum err err = document_chunk_get(&e->n.know.moment, oid, &chunk);

    if (!err) {
        cJSON_DeleteItemFromObject(row, "content");
        put_str(
            row, "content",
            text_cut(buf_str(&chunk.body), is_whole ? PREVIEW : PREVIEW_SHORT));
        put_str(facts, "section", buf_str(&chunk.heading));
        put_str(facts, "chunk_id", buf_str(&chunk.gid));
    }
    document_chunk_fini(&chunk);
    return err == ERR_NOT_FOUND ? OK : err;
}

static enum err
put_origin(struct explore *e, const struct object *object, cJSON *row)
{
    struct document document = {0};
    enum err err = OK;

    if (strcmp(object->type, "document") == 0)
        err = document_get(&e->n.know.moment, object->oid, &document);
    if (!err && document.source) {
        put_str(row, "url", buf_str(&document.url));
        put_str(row, "source", buf_str(&document.source_name));
    }
    document_fini(&document);
    return err == ERR_NOT_FOUND ? OK : err;
}

enum err
search_put(struct explore *e, const struct search_row *of, bool *is_full)
{
    bool is_whole = know_bool(e->run, "include_content", true);
    struct buf text = {0};
    cJSON *row = NULL;
    enum err err = near_row(&e->n, of->object, &row);

    if (err)
        return err;
    cJSON_DeleteItemFromObject(row, "description");
    err = near_preview(&e->n, of->object, is_whole ? PREVIEW : PREVIEW_SHORT,
                       &text);
    put_str(row, "content", buf_str(&text));
    buf_fini(&text);
    put_round(row, "score", of->score);
    cJSON_AddStringToObject(row, "result_origin",
                            search_is_document(of->object) ? "document"
                                                           : "graph");
    put_lanes(of->hit, cJSON_GetObjectItem(row, "metadata"));
    put_keys(of, cJSON_GetObjectItem(row, "metadata"));
    if (!err)
        err = put_origin(e, of->object, row);
    if (!err && of->hit && of->hit->chunk)
        err = put_section(e, of->hit->chunk, row);
    if (err) {
        cJSON_Delete(row);
        return err;
    }
    *is_full = !explore_push(e, row);
    return OK;
}
