/*
 * Rows become buffers, since a row is only good until its statement goes on.
 */
#include "knowledge/document.h"

#include "store/knowledge_store.h"

void
document_fini(struct document *document)
{
    buf_fini(&document->url);
    buf_fini(&document->source_name);
    buf_fini(&document->source_gid);
    buf_fini(&document->source_url);
    *document = (struct document){0};
}

static enum err
read_source(struct moment *moment, struct document *out)
{
    const struct ks_value *row;

    ks_ask(moment->store, KS_SOURCE, KS_ARGS(ks_int(out->source)));
    if (ks_next(moment->store, KS_SOURCE, &row)) {
        buf_add(&out->source_gid, row[1].text);
        buf_add(&out->source_name, row[2].text);
        buf_add(&out->source_url, row[3].text);
    }
    return ks_end(moment->store, KS_SOURCE);
}

enum err
document_get(struct moment *moment, int64_t oid, struct document *out)
{
    const struct ks_value *row;
    bool is_there = false;
    enum err err;

    *out = (struct document){0};
    if (!moment->store || !oid)
        return ERR_NOT_FOUND;
    ks_ask(moment->store, KS_DOCUMENT, KS_ARGS(ks_int(oid)));
    if (ks_next(moment->store, KS_DOCUMENT, &row)) {
        is_there = true;
        out->source = row[3].num;
        buf_add(&out->url, row[4].text);
    }
    err = ks_end(moment->store, KS_DOCUMENT);
    if (!err && is_there)
        err = read_source(moment, out);
    if (err)
        return err;
    return is_there ? OK : ERR_NOT_FOUND;
}

void
document_chunk_fini(struct document_chunk *chunk)
{
    buf_fini(&chunk->gid);
    buf_fini(&chunk->heading);
    buf_fini(&chunk->body);
    *chunk = (struct document_chunk){0};
}

enum err
document_chunk_get(struct moment *moment, int64_t oid,
                   struct document_chunk *out)
{
    const struct ks_value *row;
    bool is_there = false;

    *out = (struct document_chunk){0};
    if (!moment->store)
        return ERR_NOT_FOUND;
    ks_ask(moment->store, KS_CHUNK, KS_ARGS(ks_int(oid)));
    if (ks_next(moment->store, KS_CHUNK, &row)) {
        is_there = true;
        buf_add(&out->gid, row[1].text);
        buf_add(&out->heading, row[4].text);
        buf_add(&out->body, row[5].text);
    }
    enum err err = ks_end(moment->store, KS_CHUNK);
    if (err)
        return err;
    return is_there ? OK : ERR_NOT_FOUND;
}
