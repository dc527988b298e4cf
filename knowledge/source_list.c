/*
 * Sources as entities: adding them, all of them, and what their chunks mention.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

#include "base/grow.h"
#include "base/path.h"
#include "crawl/url.h"
#include "knowledge/links.h"
#include "knowledge/schedule.h"
#include "knowledge/source.h"
#include "knowledge/source_parts.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"

void
oids_fini(struct oids *list)
{
    free(list->items);
    *list = (struct oids){0};
}

enum err
oids_add(struct oids *list, int64_t oid)
{
    if (!grow_room(list->items, list->len, list->cap))
        return ERR_NOMEM;
    list->items[list->len++] = oid;
    return OK;
}

bool
source_is_http(str url)
{
    return (url.len >= 5 && strncasecmp(url.ptr, "http:", 5) == 0) ||
           (url.len >= 6 && strncasecmp(url.ptr, "https:", 6) == 0);
}

enum err
source_patterns(const cJSON *patterns, struct buf *out)
{
    char *text = patterns ? cJSON_PrintUnformatted(patterns) : NULL;

    if (!patterns)
        return OK;
    if (!text)
        return ERR_NOMEM;
    buf_reset(out);
    buf_add(out, str_of(text));
    cJSON_free(text);
    return out->failed ? ERR_NOMEM : OK;
}

/* |real| is a real path, or NULL if there is none. */
static bool
may_crawl(const struct source_rules *rules, const char *real)
{
    if (!rules || (rules->anywhere && rules->root_len == 0))
        return true;
    for (size_t i = 0; i < rules->root_len && real; i++)
        if (path_is_within(real, rules->roots[i]))
            return true;
    return false;
}

/* What is not allowed is not told whether it is there. */
static enum err
deny(struct moment *moment, const char *path)
{
    return moment_fail(moment, ERR_DENIED,
                       "directory '%.200s' is not there or may not be crawled "
                       "here; the operator can allow folders with "
                       "knowledge.roots",
                       path);
}

enum err
source_check_folder(struct moment *moment, const char *path)
{
    return may_crawl(moment->sources, path) ? OK : deny(moment, path);
}

enum err
source_check_schedule(struct moment *moment, str text)
{
    struct schedule schedule;

    if (text.len == 0 || schedule_parse(text, &schedule) == OK)
        return OK;
    return moment_fail(moment, ERR_INVALID,
                       "schedule \"%.*s\" is none; use 1h, 12h, 7d (at least "
                       "%dm), hourly, daily, weekly, monthly, or five fields "
                       "of cron in UTC: 0 3 * * 1",
                       (int)(text.len < 60 ? text.len : 60), text.ptr,
                       SCHEDULE_MIN_S / 60);
}

static enum err
read_site(struct moment *moment, str text, struct buf *out)
{
    struct buf why = {0};
    struct url url;
    enum err err = url_parse(text, &url, &why);

    if (err && err != ERR_NOMEM)
        err = moment_fail(moment, ERR_INVALID, "'%.*s' cannot be crawled: %s",
                          (int)(text.len < 200 ? text.len : 200), text.ptr,
                          buf_cstr(&why));
    if (!err) {
        buf_add(out, buf_str(&url.text));
        url_fini(&url);
    }
    buf_fini(&why);
    return err ? err : out->failed ? ERR_NOMEM : OK;
}

/* A directory is stored as the path that it really is. */
static enum err
read_folder(struct moment *moment, str url, struct buf *out)
{
    struct buf path = {0};
    struct stat st;
    enum err err = OK;

    buf_add(&path, url);
    char *real = url.len && url.ptr[0] == '/' && !path.failed
                     ? realpath(buf_cstr(&path), NULL)
                     : NULL;
    if (url.len && url.ptr[0] == '/' && !may_crawl(moment->sources, real))
        err = deny(moment, buf_cstr(&path));
    if (!err && real && stat(real, &st) == 0 && S_ISDIR(st.st_mode))
        buf_add(out, str_of(real));
    else if (!err)
        err = moment_fail(moment, ERR_INVALID,
                          "'%.*s' is no http(s) URL and no directory of this "
                          "machine (an absolute path)",
                          (int)(url.len < 200 ? url.len : 200), url.ptr);
    free(real);
    buf_fini(&path);
    return err;
}

static enum err
read_url(struct moment *moment, str url, struct buf *out)
{
    url = text_trim(url);
    if (source_is_http(url))
        return read_site(moment, url, out);
    if (url.len > 7 && strncasecmp(url.ptr, "file://", 7) == 0)
        url = str_cut(url, 7, url.len);
    return read_folder(moment, url, out);
}

static int64_t
number(const cJSON *metadata, const char *name, int64_t otherwise, int64_t most)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(metadata, name);

    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 1))
        return otherwise;
    return item->valuedouble < (double)most ? (int64_t)item->valuedouble : most;
}

static enum err
insert(struct moment *moment, int64_t oid, str url, const cJSON *metadata)
{
    const char *schedule = cJSON_GetStringValue(
        cJSON_GetObjectItemCaseSensitive(metadata, "schedule"));
    const cJSON *patterns =
        cJSON_GetObjectItemCaseSensitive(metadata, "include_patterns");
    bool is_rude = cJSON_IsFalse(
        cJSON_GetObjectItemCaseSensitive(metadata, "respect_robots"));
    struct buf include = {0};
    struct buf exclude = {0};
    enum err err = source_check_schedule(moment, str_of(schedule));

    if (!patterns)
        patterns = cJSON_GetObjectItemCaseSensitive(metadata, "crawl_patterns");
    if (!err)
        err = source_patterns(patterns, &include);
    if (!err)
        err = source_patterns(
            cJSON_GetObjectItemCaseSensitive(metadata, "exclude_patterns"),
            &exclude);
    if (!err)
        err =
            ks_run(moment->store, KS_SOURCE_ADD,
                   KS_ARGS(ks_int(oid), ks_text(url),
                           ks_cstr(source_is_http(url) ? "website" : "local"),
                           ks_int(number(metadata, "crawl_depth", SOURCE_DEPTH,
                                         SOURCE_DEPTH_MAX)),
                           ks_cstr(include.len ? buf_cstr(&include) : "[]"),
                           ks_cstr(exclude.len ? buf_cstr(&exclude) : "[]"),
                           ks_cstr(schedule ? schedule : ""), ks_int(!is_rude),
                           ks_int(number(metadata, "max_pages", SOURCE_PAGES,
                                         SOURCE_PAGES_MAX))));
    buf_fini(&include);
    buf_fini(&exclude);
    return err;
}

static enum err
find_url(struct moment *moment, str url, int64_t *oid)
{
    const struct ks_value *row;

    *oid = 0;
    ks_ask(moment->store, KS_SOURCE_BY_URL, KS_ARGS(ks_text(url)));
    if (ks_next(moment->store, KS_SOURCE_BY_URL, &row))
        *oid = row[0].num;
    return ks_end(moment->store, KS_SOURCE_BY_URL);
}

enum err
source_register(struct moment *moment, int64_t oid, str url,
                const cJSON *metadata)
{
    struct buf path = {0};
    struct object known = {0};
    int64_t other = 0;
    enum err err = read_url(moment, url, &path);

    if (!err)
        err = find_url(moment, buf_str(&path), &other);
    if (!err && other && !(err = object_of_oid(moment, other, &known)))
        err = moment_fail(moment, ERR_INVALID, "that source is there: %s",
                          buf_cstr(&known.gid));
    if (!err)
        err = insert(moment, oid, buf_str(&path), metadata);
    object_fini(&known);
    buf_fini(&path);
    return err;
}

enum err
source_of_url(struct moment *moment, str url, struct object *out)
{
    struct buf path = {0};
    int64_t oid = 0;
    bool is_new;
    enum err err = read_url(moment, url, &path);

    if (!err)
        err = find_url(moment, buf_str(&path), &oid);
    if (!err && oid) {
        err = object_of_oid(moment, oid, out);
    } else if (!err) {
        str title = buf_str(&path);
        size_t chars = text_chars(title);

        while (chars-- > ENTITY_TITLE_MAX) /* the end tells more */
            title = str_cut(title, 1, title.len);
        const struct entity_new add = {
            .type = "source", .title = title, .content = buf_str(&path)};

        err = entity_add(moment, &add, out, &is_new);
        if (!err)
            err = insert(moment, out->oid, buf_str(&path), NULL);
        if (!err)
            err = entity_index(moment, out->oid);
    }
    buf_fini(&path);
    return err;
}

/* ---- mentions ---- */

static enum err
link_chunk(struct moment *moment, int64_t oid, size_t *linked)
{
    const struct ks_value *row;
    struct buf body = {0};
    int64_t document = 0;
    enum err err;

    ks_ask(moment->store, KS_CHUNK, KS_ARGS(ks_int(oid)));
    if (ks_next(moment->store, KS_CHUNK, &row)) {
        document = row[2].num;
        buf_add(&body, row[5].text);
    }
    err = ks_end(moment->store, KS_CHUNK);
    if (!err && body.failed)
        err = ERR_NOMEM;
    if (!err)
        err =
            links_mention(moment, document, buf_str(&body), "MENTIONS", linked);
    buf_fini(&body);
    return err ? err
               : ks_run(moment->store, KS_CHUNK_LINKED, KS_ARGS(ks_int(oid)));
}

enum err
source_link(struct moment *moment, size_t max, cJSON *data)
{
    struct oids chunks = {0};
    const struct ks_value *row;
    size_t linked = 0;
    size_t done = 0;
    enum err err = OK;

    ks_ask(moment->store, KS_CHUNKS_PENDING, KS_ARGS(ks_int(INT32_MAX)));
    while (!err && ks_next(moment->store, KS_CHUNKS_PENDING, &row))
        err = oids_add(&chunks, row[0].num);
    enum err end = ks_end(moment->store, KS_CHUNKS_PENDING);
    err = err ? err : end;
    for (; done < chunks.len && done < max && !err; done++) {
        size_t found = 0;

        err = link_chunk(moment, chunks.items[done], &found);
        linked += found;
    }
    cJSON_AddNumberToObject(data, "chunks_processed", (double)done);
    cJSON_AddNumberToObject(data, "links_created", (double)linked);
    cJSON_AddNumberToObject(data, "chunks_remaining",
                            (double)(chunks.len - done));
    oids_fini(&chunks);
    return err;
}

enum err
source_link_status(struct moment *moment, cJSON *data)
{
    cJSON *array = cJSON_AddArrayToObject(data, "sources");
    const struct ks_value *row;
    double pending = 0;

    if (moment->store) {
        ks_ask(moment->store, KS_CHUNK_STATUS, NULL, 0);
        while (ks_next(moment->store, KS_CHUNK_STATUS, &row)) {
            cJSON *item = cJSON_CreateObject();
            struct buf id = {0};

            buf_add(&id, row[0].text);
            cJSON_AddStringToObject(item, "source_id", buf_cstr(&id));
            cJSON_AddNumberToObject(item, "chunks", row[1].real);
            cJSON_AddNumberToObject(item, "pending", row[2].real);
            cJSON_AddItemToArray(array, item);
            pending += row[2].real;
            buf_fini(&id);
        }
    }
    cJSON_AddNumberToObject(data, "chunks_pending", pending);
    return moment->store ? ks_end(moment->store, KS_CHUNK_STATUS) : OK;
}
