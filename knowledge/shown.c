/*
 * Columns are those of store/knowledge_sql.c.
 */
#include "knowledge/shown.h"

#include <string.h>

#include "knowledge/text.h"
#include "store/knowledge_store.h"

void
shown_fini(struct shown *shown)
{
    buf_fini(&shown->content);
    cJSON_Delete(shown->sections);
    cJSON_Delete(shown->metadata);
    *shown = (struct shown){0};
}

static void
put_text(cJSON *object, const char *name, str text)
{
    struct buf copy = {0};

    buf_add(&copy, text);
    cJSON_AddStringToObject(object, name, buf_cstr(&copy));
    buf_fini(&copy);
}

static void
put_number(cJSON *object, const char *name, int64_t value)
{
    cJSON_AddNumberToObject(object, name, (double)value);
}

/* Seconds since the epoch, or null for never. */
static void
put_when(cJSON *object, const char *name, int64_t at_s)
{
    if (at_s)
        put_number(object, name, at_s);
    else
        cJSON_AddNullToObject(object, name);
}

static void
put_json(cJSON *object, const char *name, str text)
{
    cJSON *value = cJSON_ParseWithLength(text.ptr, text.len);

    cJSON_AddItemToObject(object, name, value ? value : cJSON_CreateArray());
}

static void
put_hex(cJSON *object, const char *name, str bytes)
{
    struct buf hex = {0};

    buf_add_hex(&hex, bytes);
    cJSON_AddStringToObject(object, name, buf_cstr(&hex));
    buf_fini(&hex);
}

static enum err
put_gid(struct moment *moment, cJSON *object, const char *name, int64_t oid)
{
    struct object other = {0};
    enum err err = object_of_oid(moment, oid, &other);

    if (!err && other.gid.len)
        put_text(object, name, buf_str(&other.gid));
    object_fini(&other);
    return err;
}

static void
add_section(struct shown *out, str heading, str text)
{
    cJSON *row = cJSON_CreateObject();

    put_text(row, "heading", heading.len ? heading : STR("content"));
    put_text(row, "preview", text_cut(text_trim(text), SHOWN_PREVIEW));
    cJSON_AddItemToArray(out->sections, row);
}

/* ---- a source ---- */

static enum err
get_source(struct moment *moment, int64_t oid, struct shown *out)
{
    cJSON *facts = out->metadata;
    const struct ks_value *row;
    bool is_there = false;

    ks_ask(moment->store, KS_SOURCE, KS_ARGS(ks_int(oid)));
    if (ks_next(moment->store, KS_SOURCE, &row)) {
        is_there = true;
        put_text(facts, "url", row[3].text);
        put_text(facts, "source_type", row[4].text);
        put_number(facts, "crawl_depth", row[5].num);
        put_json(facts, "crawl_patterns", row[6].text);
        put_json(facts, "exclude_patterns", row[7].text);
        put_text(facts, "schedule", row[8].text);
        cJSON_AddBoolToObject(facts, "respect_robots", row[9].num != 0);
        put_number(facts, "max_pages", row[10].num);
        put_when(facts, "last_crawled", row[11].num);
        put_text(facts, "crawl_status", row[12].text);
        put_text(facts, "crawl_error", row[13].text);
        put_number(facts, "document_count", row[14].num);
        put_number(facts, "total_tokens", row[15].num);
        add_section(out, STR("url"), row[3].text);
        buf_add(&out->content, row[3].text);
    }
    enum err err = ks_end(moment->store, KS_SOURCE);
    return err ? err : is_there ? OK : ERR_NOT_FOUND;
}

/* ---- a document ---- */

static enum err
add_chunks(struct moment *moment, int64_t oid, struct shown *out)
{
    cJSON *path = cJSON_AddArrayToObject(out->metadata, "section_path");
    const struct ks_value *row;
    int count = 0;

    ks_ask(moment->store, KS_CHUNKS, KS_ARGS(ks_int(oid)));
    for (; ks_next(moment->store, KS_CHUNKS, &row); count++) {
        if (count >= SHOWN_SECTIONS_MAX)
            continue;
        add_section(out, row[4].text, row[5].text);
        const cJSON *last = cJSON_GetArrayItem(
            out->sections, cJSON_GetArraySize(out->sections) - 1);
        cJSON_AddItemToArray(
            path, cJSON_Duplicate(cJSON_GetObjectItem(last, "heading"), true));
    }
    put_number(out->metadata, "chunks", count);
    return ks_end(moment->store, KS_CHUNKS);
}

static enum err
get_document(struct moment *moment, int64_t oid, struct shown *out)
{
    cJSON *facts = out->metadata;
    const struct ks_value *row;
    int64_t source = 0;
    bool is_there = false;

    ks_ask(moment->store, KS_DOCUMENT, KS_ARGS(ks_int(oid)));
    if (ks_next(moment->store, KS_DOCUMENT, &row)) {
        is_there = true;
        source = row[3].num;
        put_text(facts, "url", row[4].text);
        put_text(facts, "parent_url", row[5].text);
        buf_add(&out->content, row[6].text);
        put_hex(facts, "content_hash", row[7].text);
        put_when(facts, "crawled_at", row[8].num);
        put_when(facts, "removed_at", row[9].num);
    }
    enum err err = ks_end(moment->store, KS_DOCUMENT);
    if (!err && is_there)
        err = put_gid(moment, facts, "source_id", source);
    if (!err && is_there)
        err = add_chunks(moment, oid, out);
    return err ? err : is_there ? OK : ERR_NOT_FOUND;
}

/* ---- a chunk ---- */

static enum err
get_chunk(struct moment *moment, int64_t oid, struct shown *out)
{
    cJSON *facts = out->metadata;
    const struct ks_value *row;
    int64_t document = 0;
    bool is_there = false;

    ks_ask(moment->store, KS_CHUNK, KS_ARGS(ks_int(oid)));
    if (ks_next(moment->store, KS_CHUNK, &row)) {
        is_there = true;
        document = row[2].num;
        put_number(facts, "seq", row[3].num);
        put_text(facts, "heading_path", row[4].text);
        put_number(facts, "words", row[6].num);
        add_section(out, row[4].text, row[5].text);
        buf_add(&out->content, row[5].text);
    }
    enum err err = ks_end(moment->store, KS_CHUNK);
    if (!err && is_there)
        err = put_gid(moment, facts, "document_id", document);
    return err ? err : is_there ? OK : ERR_NOT_FOUND;
}

enum err
shown_get(struct moment *moment, const struct object *object, struct shown *out)
{
    enum err err = ERR_NOT_FOUND;

    *out = (struct shown){0};
    if (!moment->store || !object->oid || object->world != WORLD_DOC)
        return err;
    out->sections = cJSON_CreateArray();
    out->metadata = cJSON_CreateObject();
    if (!out->sections || !out->metadata)
        err = ERR_NOMEM;
    else if (strcmp(object->type, "source") == 0)
        err = get_source(moment, object->oid, out);
    else if (strcmp(object->type, "document") == 0)
        err = get_document(moment, object->oid, out);
    else if (strcmp(object->type, "chunk") == 0)
        err = get_chunk(moment, object->oid, out);
    if (!err && out->content.failed)
        err = ERR_NOMEM;
    return err;
}
