#include "knowledge/vector_texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "graph/code_terms.h"
#include "knowledge/embed_wire.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"

enum { SAID_MAX = 24 };

void
vector_items_fini(struct vector_items *items)
{
    free(items->items);
    *items = (struct vector_items){0};
}

/* One world being gone through. */
struct reading {
    struct moment *moment;
    const struct code *code;
    size_t max;
    struct vector_items *out;
    struct buf text;
};

static enum err
add_item(struct reading *r, struct vector_item item)
{
    struct vector_items *out = r->out;

    if (r->text.failed)
        return ERR_NOMEM;
    if (!r->text.len)
        return OK;
    if (!grow_room(out->items, out->len, out->cap))
        return ERR_NOMEM;
    item.hash = hash_digest(buf_str(&r->text));
    out->items[out->len++] = item;
    return OK;
}

static void
add_line(struct buf *out, str text)
{
    if (!text.len)
        return;
    if (out->len)
        buf_add_char(out, '\n');
    buf_add(out, text);
}

static void
cut(struct buf *text, size_t max)
{
    text->len = embed_wire_cut(buf_str(text), max).len;
}

/* ---- what was added ---- */

/* What describes a text is often how it begins. */
static str
without_description(str body)
{
    const char *end = memchr(body.ptr, '\n', body.len);
    str first = {body.ptr, end ? (size_t)(end - body.ptr) : body.len};
    str rest = str_cut(body, first.len + 1, body.len);

    return str_starts(rest, first) ? rest : body;
}

static void
write_added(const struct ks_value *row, size_t max, struct buf *out)
{
    add_line(out, row[2].text);
    add_line(out, text_trim(row[3].text));
    add_line(out, without_description(row[4].text));
    cut(out, max);
}

static enum err
read_added(struct reading *r)
{
    struct knowledge_store *store = r->moment->store;
    const struct ks_value *row;
    enum err err = OK;

    if (!store)
        return OK;
    ks_ask(store, KS_SEARCH_TEXTS, NULL, 0);
    while (!err && ks_next(store, KS_SEARCH_TEXTS, &row)) {
        buf_reset(&r->text);
        write_added(row, r->max, &r->text);
        err = add_item(r, (struct vector_item){
                              .number = (uint64_t)row[0].num,
                              .document = row[1].num,
                              .world = VECTOR_KNOWLEDGE,
                          });
    }
    enum err end = ks_end(store, KS_SEARCH_TEXTS);
    return err ? err : end;
}

static enum err
write_one_added(struct moment *moment, int64_t oid, size_t max, struct buf *out)
{
    const struct ks_value *row;

    if (!moment->store)
        return OK;
    ks_ask(moment->store, KS_SEARCH_TEXT, KS_ARGS(ks_int(oid)));
    if (ks_next(moment->store, KS_SEARCH_TEXT, &row))
        write_added(row, max, out);
    return ks_end(moment->store, KS_SEARCH_TEXT);
}

/* ---- traces ---- */

static void
write_node(const struct query_view *view, uint32_t id, size_t max,
           struct buf *out)
{
    const struct query_node *node = query_node(view, id);

    if (!node->name.len)
        return;
    buf_printf(out, "%s %.*s", node_kind_str(node->kind), (int)node->name.len,
               node->name.ptr);
    if (node->owner)
        buf_printf(out, "\nservice %.*s", (int)node->service.len,
                   node->service.ptr);
    cut(out, max);
}

static enum err
read_nodes(struct reading *r)
{
    const struct query_find all = {.kinds = (1U << (NODE_SYMBOL + 1)) - 2};
    struct ids ids = {0};
    enum err err = OK;

    if (r->moment->view)
        err = query_find(r->moment->view, &all, &ids);
    for (size_t i = 0; i < ids.len && !err; i++) {
        buf_reset(&r->text);
        write_node(r->moment->view, ids.ids[i], r->max, &r->text);
        err = add_item(r, (struct vector_item){.number = ids.ids[i],
                                               .world = VECTOR_TRACES});
    }
    ids_fini(&ids);
    return err;
}

/* ---- code ---- */

struct vertex_lines {
    struct buf *out;
    uint32_t said;
};

static void
write_field(void *ctx, const struct code_field_text *of)
{
    struct vertex_lines *lines = ctx;

    switch (of->field) {
    case FIELD_SAID:
        if (lines->said++ < SAID_MAX)
            add_line(lines->out, of->text);
        break;
    case FIELD_SIGNATURE:
    case FIELD_PACKAGE:
    case FIELD_PATH:
    case FIELD_DOC:
        add_line(lines->out, of->text);
        break;
    default:
        break;
    }
}

static void
write_vertex(const struct code *code, const struct code_terms *terms,
             uint32_t id, size_t max, struct buf *out)
{
    const struct code_vertex *node = code_node(code, id);
    struct vertex_lines lines = {.out = out};

    buf_printf(out, "%s %.*s", code_kind_str(node->kind), (int)node->name.len,
               node->name.ptr);
    code_fields_each(code, terms->fields, id, write_field, &lines);
    cut(out, max);
}

static enum err
read_vertices(struct reading *r)
{
    const struct code *code = r->code;
    const struct code_terms *terms = NULL;
    enum err err = code ? code_terms_of(code, &terms) : OK;

    for (uint32_t i = 1; code && i < code->node_len && !err; i++) {
        if (!terms->lengths[i])
            continue;
        buf_reset(&r->text);
        write_vertex(code, terms, i, r->max, &r->text);
        err = add_item(r,
                       (struct vector_item){.number = i, .world = VECTOR_CODE});
    }
    return err;
}

static enum err
write_one_vertex(const struct code *code, uint64_t id, size_t max,
                 struct buf *out)
{
    const struct code_terms *terms = NULL;

    if (!code || id >= code->node_len)
        return OK;
    enum err err = code_terms_of(code, &terms);
    if (!err)
        write_vertex(code, terms, (uint32_t)id, max, out);
    return err;
}

/* ---- all ---- */

enum err
vector_texts_read(const struct vector_place *place, enum vector_world world,
                  struct vector_items *out)
{
    struct reading r = {place->moment, place->code, place->max, out, {0}};
    enum err err = world == VECTOR_KNOWLEDGE ? read_added(&r)
                   : world == VECTOR_TRACES  ? read_nodes(&r)
                                             : read_vertices(&r);

    buf_fini(&r.text);
    return err;
}

enum err
vector_texts_of(const struct vector_place *place,
                const struct vector_item *item, struct buf *out)
{
    struct moment *moment = place->moment;
    enum err err = OK;

    if (item->world == VECTOR_KNOWLEDGE)
        err = write_one_added(moment, (int64_t)item->number, place->max, out);
    else if (item->world == VECTOR_CODE)
        err = write_one_vertex(place->code, item->number, place->max, out);
    else if (moment->view)
        write_node(moment->view, (uint32_t)item->number, place->max, out);
    return err || !out->failed ? err : ERR_NOMEM;
}

near_spot
vector_item_spot(const struct vector_item *item, int64_t *chunk)
{
    struct object object = {0};

    *chunk = 0;
    if (item->world == VECTOR_CODE)
        object.vertex = (uint32_t)item->number;
    else if (item->world == VECTOR_TRACES)
        object.node = (uint32_t)item->number;
    else
        object.oid = item->document ? item->document : (int64_t)item->number;
    if (item->document)
        *chunk = (int64_t)item->number;
    return near_spot_of(&object);
}
