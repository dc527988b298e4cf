/*
 * A crawl is a walk over the directory with what is stored beside it: a
 * document whose bytes are the same is only counted; one that is new or changed
 * is cut into chunks anew; what was not met, where all was met, is marked
 * removed.  All of it is one transaction, so a crawl that fails changes
 * nothing.
 */
#include "knowledge/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "knowledge/chunk.h"
#include "knowledge/folder.h"
#include "knowledge/links.h"
#include "knowledge/source_parts.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"

/* What is read of a row of sources. */
struct source {
    int64_t oid;
    struct buf gid;
    struct buf url;
    struct buf include;
    struct buf exclude;
    int64_t depth;
    int64_t max_pages;
};

struct crawl {
    struct moment *moment;
    struct source source;
    struct oids met; /* documents */
    size_t added;
    size_t changed;
    size_t unchanged;
    size_t removed;
    size_t chunks;
    size_t linked;
};

enum { LINKED_AT_ONCE = 200 };

static void
source_fini(struct source *source)
{
    buf_fini(&source->gid);
    buf_fini(&source->url);
    buf_fini(&source->include);
    buf_fini(&source->exclude);
}

static enum err
read_source(struct moment *moment, int64_t oid, struct source *out)
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
        out->max_pages = row[10].num;
        err = out->url.failed ? ERR_NOMEM : OK;
    }
    enum err end = ks_end(moment->store, KS_SOURCE);
    return end ? end : err;
}

/* ---- documents ---- */

static enum err
drop_chunks(struct moment *moment, int64_t document)
{
    struct oids oids = {0};
    const struct ks_value *row;
    enum err err = OK;

    ks_ask(moment->store, KS_CHUNKS, KS_ARGS(ks_int(document)));
    while (!err && ks_next(moment->store, KS_CHUNKS, &row))
        err = oids_add(&oids, row[0].num);
    enum err end = ks_end(moment->store, KS_CHUNKS);
    err = err ? err : end;
    for (size_t i = 0; i < oids.len && !err; i++) {
        err = entity_unindex(moment, oids.items[i]);
        if (!err)
            err = ks_run(moment->store, KS_OBJECT_DELETE,
                         KS_ARGS(ks_int(oids.items[i])));
    }
    oids_fini(&oids);
    return err ? err
               : ks_run(moment->store, KS_LINK_CLEAR,
                        KS_ARGS(ks_int(document), ks_cstr("mention")));
}

static enum err
add_chunk(struct crawl *crawl, str gid, int64_t document, size_t seq,
          const struct chunk *chunk)
{
    struct moment *moment = crawl->moment;
    struct knowledge_store *store = moment->store;
    char id[96];
    int64_t oid;
    size_t linked = 0;
    bool links_now = crawl->chunks < LINKED_AT_ONCE;
    enum err err;

    snprintf(id, sizeof(id), "chunk_%.*s_%zu", (int)entity_id_tail(gid).len,
             entity_id_tail(gid).ptr, seq);
    err = ks_run(store, KS_OBJECT_ADD,
                 KS_ARGS(ks_cstr(id), ks_int(WORLD_DOC), ks_cstr("chunk"),
                         ks_text(buf_str(&chunk->heading)), ks_cstr(""),
                         ks_int(moment->now_s)));
    oid = ks_last_id(store);
    if (!err)
        err = ks_run(
            store, KS_CHUNK_ADD,
            KS_ARGS(ks_int(oid), ks_int(document), ks_int((int64_t)seq),
                    ks_text(buf_str(&chunk->heading)), ks_text(chunk->body),
                    ks_int((int64_t)chunk->words)));
    if (!err)
        err = entity_index(moment, oid);
    if (!err && links_now)
        err = links_mention(moment, document, chunk->body, "MENTIONS", &linked);
    if (!err && links_now)
        err = ks_run(store, KS_CHUNK_LINKED, KS_ARGS(ks_int(oid)));
    crawl->linked += linked;
    crawl->chunks++;
    return err;
}

static enum err
add_chunks(struct crawl *crawl, str gid, int64_t document, str text)
{
    struct chunk_list chunks = {0};
    enum err err = chunk_split(text, &chunks);

    for (size_t i = 0; i < chunks.len && !err; i++)
        err = add_chunk(crawl, gid, document, i, &chunks.items[i]);
    chunk_list_fini(&chunks);
    return err;
}

struct page {
    str path;
    str text;
    unsigned char hash[SHA256_LEN];
};

static enum err
add_document(struct crawl *crawl, const struct page *page)
{
    struct moment *moment = crawl->moment;
    struct knowledge_store *store = moment->store;
    unsigned char hash[SHA256_LEN];
    const str parts[] = {buf_str(&crawl->source.gid), {"", 1}, page->path};
    struct buf gid = {0};
    struct buf name = {0};
    str title = chunk_title(page->text);
    int64_t oid = 0;
    enum err err;

    hash_sha256(parts, 3, hash);
    buf_add(&gid, STR("document_"));
    buf_add_hex(&gid, (str){(const char *)hash, 8});
    utf8_clean(&name, title.len ? title : page->path, ENTITY_TITLE_MAX);
    err = gid.failed || name.failed
              ? ERR_NOMEM
              : ks_run(store, KS_OBJECT_ADD,
                       KS_ARGS(ks_text(buf_str(&gid)), ks_int(WORLD_DOC),
                               ks_cstr("document"), ks_text(buf_str(&name)),
                               ks_cstr(""), ks_int(moment->now_s)));
    if (!err) {
        oid = ks_last_id(store);
        err = ks_run(
            store, KS_DOCUMENT_ADD,
            KS_ARGS(ks_int(oid), ks_int(crawl->source.oid), ks_text(page->path),
                    ks_text(buf_str(&crawl->source.url)), ks_text(page->text),
                    ks_blob(page->hash, SHA256_LEN), ks_int(moment->now_s),
                    ks_cstr("")));
    }
    if (!err)
        err = link_add(moment, (struct link_ends){oid, crawl->source.oid},
                       "CRAWLED_FROM", 1, "derived", NULL);
    if (!err)
        err = add_chunks(crawl, buf_str(&gid), oid, page->text);
    if (!err)
        err = oids_add(&crawl->met, oid);
    crawl->added++;
    buf_fini(&gid);
    buf_fini(&name);
    return err;
}

static enum err
change_document(struct crawl *crawl, const struct page *page, str gid,
                int64_t oid)
{
    struct moment *moment = crawl->moment;
    str title = chunk_title(page->text);
    struct buf name = {0};
    enum err err;

    utf8_clean(&name, title.len ? title : page->path, ENTITY_TITLE_MAX);
    err = name.failed ? ERR_NOMEM : drop_chunks(moment, oid);
    if (!err)
        err = ks_run(moment->store, KS_DOCUMENT_SET,
                     KS_ARGS(ks_int(oid), ks_text(page->text),
                             ks_blob(page->hash, SHA256_LEN),
                             ks_int(moment->now_s), ks_cstr("")));
    if (!err)
        err = ks_run(moment->store, KS_OBJECT_RENAME,
                     KS_ARGS(ks_int(oid), ks_text(buf_str(&name)),
                             ks_int(moment->now_s)));
    buf_fini(&name);
    return err ? err : add_chunks(crawl, gid, oid, page->text);
}

static enum err
meet(void *ctx, str path, str text)
{
    struct crawl *crawl = ctx;
    struct knowledge_store *store = crawl->moment->store;
    struct page page = {.path = path, .text = text};
    const struct ks_value *row;
    struct buf gid = {0};
    int64_t oid = 0;
    bool is_same = false;
    bool was_removed = false;
    enum err err;

    hash_sha256(&text, 1, page.hash);
    ks_ask(store, KS_DOCUMENT_BY_URL,
           KS_ARGS(ks_int(crawl->source.oid), ks_text(path)));
    if (ks_next(store, KS_DOCUMENT_BY_URL, &row)) {
        oid = row[0].num;
        buf_add(&gid, row[1].text);
        is_same =
            str_eq(row[7].text, (str){(const char *)page.hash, SHA256_LEN});
        was_removed = row[9].num != 0;
    }
    err = ks_end(store, KS_DOCUMENT_BY_URL);
    if (!err && oid)
        err = oids_add(&crawl->met, oid);
    if (!err && !oid) {
        err = add_document(crawl, &page);
    } else if (!err && is_same && !was_removed) {
        crawl->unchanged++;
    } else if (!err) {
        crawl->changed += !was_removed;
        crawl->added += was_removed;
        err = change_document(crawl, &page, buf_str(&gid), oid);
    }
    buf_fini(&gid);
    return err;
}

static bool
was_met(const struct crawl *crawl, int64_t oid)
{
    for (size_t i = 0; i < crawl->met.len; i++)
        if (crawl->met.items[i] == oid)
            return true;
    return false;
}

static enum err
remove_others(struct crawl *crawl)
{
    struct moment *moment = crawl->moment;
    struct oids gone = {0};
    const struct ks_value *row;
    enum err err = OK;

    ks_ask(moment->store, KS_DOCUMENTS, KS_ARGS(ks_int(crawl->source.oid)));
    while (!err && ks_next(moment->store, KS_DOCUMENTS, &row))
        if (!was_met(crawl, row[0].num))
            err = oids_add(&gone, row[0].num);
    enum err end = ks_end(moment->store, KS_DOCUMENTS);
    err = err ? err : end;
    for (size_t i = 0; i < gone.len && !err; i++) {
        err = drop_chunks(moment, gone.items[i]);
        if (!err)
            err = ks_run(moment->store, KS_DOCUMENT_REMOVE,
                         KS_ARGS(ks_int(gone.items[i]), ks_int(moment->now_s)));
    }
    crawl->removed = gone.len;
    oids_fini(&gone);
    return err;
}

/* ---- a crawl ---- */

/* What is asked replaces what is stored. */
static enum err
apply(struct crawl *crawl, const struct source_ask *ask)
{
    struct source *source = &crawl->source;
    struct moment *moment = crawl->moment;
    enum err err;

    /* Beyond a limit is the limit, and the answer says so. */
    if (ask->depth)
        source->depth =
            ask->depth < SOURCE_DEPTH_MAX ? ask->depth : SOURCE_DEPTH_MAX;
    if (ask->max_pages)
        source->max_pages = ask->max_pages < SOURCE_PAGES_MAX
                                ? ask->max_pages
                                : SOURCE_PAGES_MAX;
    if ((err = source_patterns(ask->include, &source->include)) ||
        (err = source_patterns(ask->exclude, &source->exclude)))
        return err;
    return ks_run(moment->store, KS_SOURCE_SET,
                  KS_ARGS(ks_int(source->oid), ks_int(source->depth),
                          ks_text(buf_str(&source->include)),
                          ks_text(buf_str(&source->exclude)),
                          ks_int(source->max_pages)));
}

static enum err
walk(struct crawl *crawl, struct folder_sum *sum)
{
    struct source *source = &crawl->source;
    cJSON *include = cJSON_Parse(buf_cstr(&source->include));
    cJSON *exclude = cJSON_Parse(buf_cstr(&source->exclude));
    const struct folder_ask ask = {
        .root = buf_cstr(&source->url),
        .depth = (int)source->depth,
        .max = (size_t)source->max_pages,
        .bytes = SOURCE_PAGE_BYTES,
        .include = include,
        .exclude = exclude,
    };
    enum err err = folder_walk(&ask, meet, crawl, sum, crawl->moment->why);

    if (!err && !sum->is_truncated)
        err = remove_others(crawl);
    cJSON_Delete(include);
    cJSON_Delete(exclude);
    return err == ERR_NOT_FOUND || err == ERR_DENIED ? ERR_INVALID : err;
}

static void
answer(struct crawl *crawl, const struct folder_sum *sum, cJSON *data)
{
    cJSON_AddStringToObject(data, "source_id", buf_cstr(&crawl->source.gid));
    cJSON_AddStringToObject(data, "url", buf_cstr(&crawl->source.url));
    cJSON_AddNumberToObject(data, "depth", (double)crawl->source.depth);
    cJSON_AddNumberToObject(data, "max_pages", (double)crawl->source.max_pages);
    cJSON_AddStringToObject(data, "status",
                            sum->is_truncated ? "partial" : "completed");
    cJSON_AddNumberToObject(data, "added", (double)crawl->added);
    cJSON_AddNumberToObject(data, "changed", (double)crawl->changed);
    cJSON_AddNumberToObject(data, "unchanged", (double)crawl->unchanged);
    cJSON_AddNumberToObject(data, "removed", (double)crawl->removed);
    cJSON_AddNumberToObject(data, "skipped", (double)sum->skipped);
    cJSON_AddNumberToObject(
        data, "documents",
        (double)(crawl->added + crawl->changed + crawl->unchanged));
    cJSON_AddNumberToObject(data, "chunks", (double)crawl->chunks);
    cJSON_AddNumberToObject(data, "links", (double)crawl->linked);
}

enum err
source_crawl(struct moment *moment, int64_t oid, const struct source_ask *ask,
             cJSON *data)
{
    struct crawl crawl = {.moment = moment};
    struct folder_sum sum = {0};
    enum err err = read_source(moment, oid, &crawl.source);

    if (!err && source_is_http(buf_str(&crawl.source.url)))
        err = moment_fail(moment, ERR_UNSUPPORTED,
                          "http sources are not supported in this build: %s",
                          buf_cstr(&crawl.source.url));
    if (!err)
        err = apply(&crawl, ask);
    if (!err)
        err = walk(&crawl, &sum);
    if (!err)
        err =
            ks_run(moment->store, KS_SOURCE_CRAWLED,
                   KS_ARGS(ks_int(oid), ks_int(moment->now_s),
                           ks_cstr(sum.is_truncated ? "partial" : "completed"),
                           ks_cstr("")));
    if (!err)
        answer(&crawl, &sum, data);
    oids_fini(&crawl.met);
    source_fini(&crawl.source);
    return err;
}
