/*
 * Documents of a source: one whose bytes are the same is only counted; one that
 * is new or changed is cut into chunks anew; one that is gone stays, marked,
 * without its chunks.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "knowledge/chunk.h"
#include "knowledge/links.h"
#include "knowledge/source.h"
#include "knowledge/source_parts.h"
#include "store/knowledge_store.h"

enum { LINKED_AT_ONCE = 200 };

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

static void
add_name(const struct source_page *page, struct buf *out)
{
    str title = page->title.len ? page->title : chunk_title(page->text);

    utf8_clean(out, title.len ? title : page->path, ENTITY_TITLE_MAX);
}

static enum err
add_document(struct crawl *crawl, const struct source_page *page)
{
    struct moment *moment = crawl->moment;
    struct knowledge_store *store = moment->store;
    unsigned char hash[SHA256_LEN];
    const str parts[] = {buf_str(&crawl->source.gid), {"", 1}, page->path};
    struct buf gid = {0};
    struct buf name = {0};
    int64_t oid = 0;
    enum err err;

    hash_sha256(parts, 3, hash);
    buf_add(&gid, STR("document_"));
    buf_add_hex(&gid, (str){(const char *)hash, 8});
    add_name(page, &name);
    err = gid.failed || name.failed
              ? ERR_NOMEM
              : ks_run(store, KS_OBJECT_ADD,
                       KS_ARGS(ks_text(buf_str(&gid)), ks_int(WORLD_DOC),
                               ks_cstr("document"), ks_text(buf_str(&name)),
                               ks_cstr(""), ks_int(moment->now_s)));
    if (!err) {
        oid = ks_last_id(store);
        err =
            ks_run(store, KS_DOCUMENT_ADD,
                   KS_ARGS(ks_int(oid), ks_int(crawl->source.oid),
                           ks_text(page->path), ks_text(page->parent),
                           ks_text(page->text), ks_blob(page->hash, SHA256_LEN),
                           ks_int(moment->now_s), ks_text(page->validators)));
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
change_document(struct crawl *crawl, const struct source_page *page, str gid,
                int64_t oid)
{
    struct moment *moment = crawl->moment;
    struct buf name = {0};
    enum err err;

    add_name(page, &name);
    err = name.failed ? ERR_NOMEM : drop_chunks(moment, oid);
    if (!err)
        err = ks_run(moment->store, KS_DOCUMENT_SET,
                     KS_ARGS(ks_int(oid), ks_text(page->text),
                             ks_blob(page->hash, SHA256_LEN),
                             ks_int(moment->now_s), ks_text(page->validators)));
    if (!err)
        err = ks_run(moment->store, KS_OBJECT_RENAME,
                     KS_ARGS(ks_int(oid), ks_text(buf_str(&name)),
                             ks_int(moment->now_s)));
    buf_fini(&name);
    return err ? err : add_chunks(crawl, gid, oid, page->text);
}

/* What is stored of a page. */
struct stored {
    int64_t oid; /* 0: nothing */
    struct buf gid;
    bool is_same;
    bool is_removed;
};

static enum err
find_stored(struct crawl *crawl, const struct source_page *page,
            struct stored *out)
{
    struct knowledge_store *store = crawl->moment->store;
    const struct ks_value *row;

    ks_ask(store, KS_DOCUMENT_BY_URL,
           KS_ARGS(ks_int(crawl->source.oid), ks_text(page->path)));
    if (ks_next(store, KS_DOCUMENT_BY_URL, &row)) {
        out->oid = row[0].num;
        buf_add(&out->gid, row[1].text);
        out->is_same =
            str_eq(row[7].text, (str){(const char *)page->hash, SHA256_LEN});
        out->is_removed = row[9].num != 0;
    }
    return ks_end(store, KS_DOCUMENT_BY_URL);
}

enum err
crawl_meet(struct crawl *crawl, struct source_page *page)
{
    struct stored stored = {0};
    enum err err;

    hash_sha256(&page->text, 1, page->hash);
    err = find_stored(crawl, page, &stored);
    if (!err && stored.oid)
        err = oids_add(&crawl->met, stored.oid);
    if (!err && !stored.oid) {
        err = add_document(crawl, page);
    } else if (!err && stored.is_same && !stored.is_removed) {
        crawl->unchanged++;
        if (page->validators.len)
            err =
                ks_run(crawl->moment->store, KS_DOCUMENT_SEEN,
                       KS_ARGS(ks_int(stored.oid), ks_int(crawl->moment->now_s),
                               ks_text(page->validators)));
    } else if (!err) {
        crawl->changed += !stored.is_removed;
        crawl->added += stored.is_removed;
        err = change_document(crawl, page, buf_str(&stored.gid), stored.oid);
    }
    buf_fini(&stored.gid);
    return err;
}

static enum err
remove_document(struct crawl *crawl, int64_t oid)
{
    struct moment *moment = crawl->moment;
    enum err err = drop_chunks(moment, oid);

    return err ? err
               : ks_run(moment->store, KS_DOCUMENT_REMOVE,
                        KS_ARGS(ks_int(oid), ks_int(moment->now_s)));
}

enum err
crawl_miss(struct crawl *crawl, str path)
{
    const struct source_page page = {.path = path};
    struct stored stored = {0};
    enum err err = find_stored(crawl, &page, &stored);

    if (!err && stored.oid && !stored.is_removed) {
        err = remove_document(crawl, stored.oid);
        crawl->removed++;
    }
    buf_fini(&stored.gid);
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

enum err
crawl_miss_others(struct crawl *crawl)
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
    for (size_t i = 0; i < gone.len && !err; i++)
        err = remove_document(crawl, gone.items[i]);
    crawl->removed = gone.len;
    oids_fini(&gone);
    return err;
}
