/*
 * What search is fed of an entity: its name, split into words too; its type,
 * category and facets as the line that stands for a signature; its id; its
 * text.  Identifiers - the name, keys, aliases - go to the trigram table, which
 * finds parts of them.
 *
 * The full-text tables hold no text of their own: to take a row out they must
 * be told what it said, so the old row goes before the new one comes.
 */
#include <stdlib.h>

#include "knowledge/entity.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"

enum { PAGE_PARTS = 2 };

struct doc {
    struct buf ident;
    struct buf name;
    struct buf sig;
    struct buf path;
    struct buf body;
    bool is_there;
};

static void
doc_fini(struct doc *doc)
{
    buf_fini(&doc->ident);
    buf_fini(&doc->name);
    buf_fini(&doc->sig);
    buf_fini(&doc->path);
    buf_fini(&doc->body);
}

static enum err
read_entity(struct moment *moment, int64_t oid, struct doc *doc)
{
    struct entity entity;
    const struct ks_value *row;
    enum err err = entity_get(moment, oid, &entity);

    if (!err && !entity.object.is_gone) {
        doc->is_there = true;
        text_split(buf_str(&entity.object.name), &doc->name);
        buf_add(&doc->ident, buf_str(&entity.object.name));
        buf_printf(&doc->sig, "%s %s", entity.object.type,
                   buf_cstr(&entity.category));
        buf_add(&doc->path, buf_str(&entity.object.gid));
        buf_printf(&doc->body, "%s\n%s", buf_cstr(&entity.description),
                   buf_cstr(&entity.content));
    }
    entity_fini(&entity);
    if (err)
        return err == ERR_NOT_FOUND ? OK : err;
    ks_ask(moment->store, KS_FACETS, KS_ARGS(ks_int(oid)));
    while (ks_next(moment->store, KS_FACETS, &row)) {
        bool is_key = str_eq(row[0].text, STR("key")) ||
                      str_eq(row[0].text, STR("alias"));
        struct buf *to = is_key ? &doc->ident : &doc->sig;

        buf_add_char(to, is_key ? '\n' : ' ');
        buf_add(to, row[1].text);
        if (is_key) {
            buf_add_char(&doc->body, '\n');
            buf_add(&doc->body, row[1].text);
        }
    }
    return ks_end(moment->store, KS_FACETS);
}

/* The end of an address is what its author called the page. */
static str
page_of(str url)
{
    size_t slashes = 0;
    size_t from = url.len;

    while (from > 0 && slashes < PAGE_PARTS)
        slashes += url.ptr[--from] == '/';
    return str_cut(url, from, url.len);
}

/* A chunk is found by the words of its document's title and address, too. */
static enum err
read_document(struct moment *moment, int64_t oid, struct doc *doc)
{
    const struct ks_value *row;

    ks_ask(moment->store, KS_DOCUMENT, KS_ARGS(ks_int(oid)));
    if (ks_next(moment->store, KS_DOCUMENT, &row)) {
        buf_add(&doc->sig, STR("document "));
        buf_add(&doc->sig, row[2].text);
        text_split(page_of(row[4].text), &doc->path);
    }
    return ks_end(moment->store, KS_DOCUMENT);
}

static enum err
read_chunk(struct moment *moment, int64_t oid, struct doc *doc)
{
    const struct ks_value *row;
    int64_t document = 0;

    ks_ask(moment->store, KS_CHUNK, KS_ARGS(ks_int(oid)));
    if (ks_next(moment->store, KS_CHUNK, &row)) {
        doc->is_there = true;
        buf_add(&doc->name, row[4].text);
        buf_add(&doc->ident, row[4].text);
        buf_add(&doc->body, row[5].text);
        document = row[2].num;
    }
    enum err err = ks_end(moment->store, KS_CHUNK);
    return err ? err : read_document(moment, document, doc);
}

enum err
entity_unindex(struct moment *moment, int64_t oid)
{
    static const enum ks_sql steps[] = {KS_FTS_DROP, KS_IDENT_DROP,
                                        KS_DOC_DROP};
    enum err err = OK;

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !err; i++)
        err = ks_run(moment->store, steps[i], KS_ARGS(ks_int(oid)));
    return err;
}

enum err
entity_index(struct moment *moment, int64_t oid)
{
    struct doc doc = {0};
    enum err err = entity_unindex(moment, oid);

    if (!err)
        err = read_entity(moment, oid, &doc);
    if (!err && !doc.is_there)
        err = read_chunk(moment, oid, &doc);
    if (!err && (doc.name.failed || doc.body.failed || doc.sig.failed ||
                 doc.ident.failed || doc.path.failed))
        err = ERR_NOMEM;
    if (!err && doc.is_there) {
        err = ks_run(
            moment->store, KS_DOC_SET,
            KS_ARGS(ks_int(oid), ks_text(buf_str(&doc.ident)),
                    ks_text(buf_str(&doc.name)), ks_text(buf_str(&doc.sig)),
                    ks_text(buf_str(&doc.path)), ks_text(buf_str(&doc.body))));
        if (!err)
            err = ks_run(moment->store, KS_FTS_ADD, KS_ARGS(ks_int(oid)));
        if (!err)
            err = ks_run(moment->store, KS_IDENT_ADD, KS_ARGS(ks_int(oid)));
    }
    doc_fini(&doc);
    return err;
}
