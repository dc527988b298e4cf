/*
 * What there is comes in three lists, one a world, each read again only when
 * its world has changed.  An index over all of them is made beside the one in
 * use and put in its place.  Vectors that nobody has are removed only when all
 * worlds could be read.
 */
#include "knowledge/vectors_parts.h"

#include <stdlib.h>
#include <string.h>

#include "store/knowledge_store.h"

enum { TRACES_EVERY_MS = 30000, DROP_STEP = 256 };

static const enum vector_world worlds[VECTOR_LISTS] = {
    VECTOR_KNOWLEDGE, VECTOR_TRACES, VECTOR_CODE};

/* ---- loading ---- */

static enum err
find_dim(struct vectors *v, struct knowledge_store *store)
{
    int64_t dim = v->cfg.dim;
    enum err err = OK;

    if (v->matrix.dim)
        return OK;
    if (!dim)
        err = ks_number(store, KS_EMBEDDING_DIM, KS_ARGS(ks_cstr(v->cfg.model)),
                        &dim);
    if (!err && dim > 0 && dim <= EMBED_DIM_MAX)
        vectors_set_dim(v, (uint32_t)dim);
    return err;
}

static struct digest128
hash_of(str bytes)
{
    struct digest128 hash = {0};

    if (bytes.len == sizeof(hash))
        memcpy(&hash, bytes.ptr, sizeof(hash));
    return hash;
}

/* What was stored since, by this process or another. */
static enum err
load(struct vectors *v, struct knowledge_store *store)
{
    size_t bytes = v->matrix.dim * sizeof(float);
    float *unit = calloc(v->matrix.dim + 1, sizeof(*unit));
    const struct ks_value *row;
    enum err err = unit ? OK : ERR_NOMEM;

    if (err)
        return err;
    ks_ask(store, KS_EMBEDDINGS,
           KS_ARGS(ks_cstr(v->cfg.model), ks_int(v->matrix.dim),
                   ks_int(v->last_id)));
    while (!err && ks_next(store, KS_EMBEDDINGS, &row)) {
        struct digest128 hash = hash_of(row[1].text);

        if (row[2].text.len == bytes && !vector_table_get(&v->by_row, hash)) {
            memcpy(unit, row[2].text.ptr, bytes);
            err = vectors_keep(v, row[0].num, hash, unit);
        }
        /* What there is no room for is looked at again. */
        if (!err)
            v->last_id = row[0].num;
    }
    enum err end = ks_end(store, KS_EMBEDDINGS);
    free(unit);
    return err && err != ERR_FULL ? err : end;
}

/* ---- the index ---- */

static enum err
add_item(struct vectors *v, struct vector_index *index, size_t at,
         struct vector_item item)
{
    uint32_t text = vector_table_get(&index->by_hash, item.hash);

    index->items[at] = item;
    if (text) {
        struct vector_text *known = &index->texts[text - 1];

        index->next[at] = index->next[known->first];
        index->next[known->first] = (uint32_t)at + 1;
        return OK;
    }
    index->texts[index->text_len++] = (struct vector_text){
        .hash = item.hash,
        .row = vector_table_get(&v->by_row, item.hash),
        .first = (uint32_t)at,
        .is_refused = vector_table_get(&v->refused, item.hash) != 0,
    };
    return vector_table_set(&index->by_hash, item.hash,
                            (uint32_t)index->text_len);
}

static enum err
make_index(struct vectors *v, struct vector_index **out)
{
    struct vector_index *index = calloc(1, sizeof(*index));
    size_t len = 0;
    enum err err = index ? OK : ERR_NOMEM;

    *out = index;
    for (int i = 0; i < VECTOR_LISTS; i++)
        len += v->lists[i].len;
    if (!err) {
        index->items = calloc(len + 1, sizeof(*index->items));
        index->next = calloc(len + 1, sizeof(*index->next));
        index->texts = calloc(len + 1, sizeof(*index->texts));
        index->code = code_hold(v->code);
        if (!index->items || !index->next || !index->texts)
            err = ERR_NOMEM;
    }
    for (int i = 0; i < VECTOR_LISTS && !err; i++)
        for (size_t k = 0; k < v->lists[i].len && !err; k++)
            err = add_item(v, index, index->len++, v->lists[i].items[k]);
    return err;
}

static void
use_index(struct vectors *v, struct vector_index *index)
{
    struct vector_index *before = v->index;

    pthread_rwlock_wrlock(&v->lock);
    for (uint32_t row = 0; row < v->matrix.len; row++)
        v->rows[row].text = 0;
    for (size_t i = 0; i < index->text_len; i++)
        if (index->texts[i].row)
            v->rows[index->texts[i].row - 1].text = (uint32_t)i + 1;
    v->index = index;
    pthread_rwlock_unlock(&v->lock);
    vectors_index_free(before);
    v->cursor = 0;
}

/* ---- reading what there is ---- */

static bool
has_changed(const struct vectors *v, int list, int64_t revision,
            const struct code *code, uint64_t now_ms)
{
    if (!(v->cfg.worlds & worlds[list]))
        return false;
    if (!v->is_read[list])
        return true;
    if (worlds[list] == VECTOR_KNOWLEDGE)
        return revision != v->revision;
    if (worlds[list] == VECTOR_CODE)
        return code != v->code;
    return now_ms - v->traces_ms >= TRACES_EVERY_MS;
}

static enum err
read_list(struct vectors *v, const struct vector_place *place, int list)
{
    struct vector_items fresh = {0};
    enum err err = vector_texts_read(place, worlds[list], &fresh);

    if (err) {
        vector_items_fini(&fresh);
        return err;
    }
    vector_items_fini(&v->lists[list]);
    v->lists[list] = fresh;
    v->is_read[list] = true;
    if (worlds[list] == VECTOR_CODE) {
        code_drop(v->code);
        v->code = code_hold(place->code);
    }
    return OK;
}

static enum err
read_all(struct vectors *v, const struct vector_place *place, uint64_t now_ms,
         bool *is_changed)
{
    struct knowledge_store *store = place->moment->store;
    int64_t revision = 0;
    enum err err = OK;

    *is_changed = !v->index;
    if (store && !(err = find_dim(v, store)) && v->matrix.dim)
        err = load(v, store);
    if (store && !err)
        err = ks_number(store, KS_REVISION, NULL, 0, &revision);
    for (int i = 0; i < VECTOR_LISTS && !err; i++) {
        if (!has_changed(v, i, revision, place->code, now_ms))
            continue;
        *is_changed = true;
        err = read_list(v, place, i);
        if (!err && worlds[i] == VECTOR_KNOWLEDGE)
            v->revision = revision;
        if (worlds[i] == VECTOR_TRACES)
            v->traces_ms = now_ms;
    }
    v->is_whole = !err && store &&
                  (!(v->cfg.worlds & VECTOR_TRACES) || place->moment->view) &&
                  (!(v->cfg.worlds & VECTOR_CODE) || place->code);
    return err;
}

/* ---- removing ---- */

static enum err
drop_rows(const struct moment *moment, const int64_t *ids, size_t len)
{
    enum err err = OK;

    for (size_t i = 0; i < len && !err; i++)
        err = ks_run(moment->store, KS_EMBEDDING_DROP, KS_ARGS(ks_int(ids[i])));
    return err;
}

static void
forget_rows(struct vectors *v, const uint32_t *rows, size_t len)
{
    pthread_rwlock_wrlock(&v->lock);
    for (size_t i = 0; i < len; i++) {
        (void)vector_table_set(&v->by_row, v->rows[rows[i]].hash, 0);
        vector_matrix_clear(&v->matrix, rows[i]);
        v->rows[rows[i]] = (struct vector_row){0};
    }
    pthread_rwlock_unlock(&v->lock);
}

/* A few hundred in a transaction, so that nobody waits for long. */
static enum err
sweep(struct vectors *v, const struct vectors_host *host, struct buf *why)
{
    uint32_t rows[DROP_STEP];
    int64_t ids[DROP_STEP];
    uint32_t row = 0;
    enum err err = OK;

    while (row < v->matrix.len && !err) {
        struct moment moment = {.why = why};
        int64_t revision = 0;
        size_t len = 0;

        for (; row < v->matrix.len && len < DROP_STEP; row++)
            if (v->rows[row].id && !v->rows[row].text) {
                rows[len] = row;
                ids[len++] = v->rows[row].id;
            }
        if (!len)
            break;
        err = host->begin(host->ctx, &moment, true, NULL);
        if (err)
            break;
        err = ks_number(moment.store, KS_REVISION, NULL, 0, &revision);
        if (!err)
            err = drop_rows(&moment, ids, len);
        err = host->end(host->ctx, &moment, err);
        if (!err) {
            vectors_wrote(v, revision);
            forget_rows(v, rows, len);
        }
    }
    return err;
}

/* Those of another model stay until each text has one of this. */
static enum err
drop_foreign(struct vectors *v, const struct vectors_host *host,
             struct buf *why)
{
    const struct ks_value args[] = {ks_cstr(v->cfg.model),
                                    ks_int(v->matrix.dim)};
    struct moment moment = {.why = why};
    int64_t revision = 0;
    int64_t count = 0;
    enum err err = host->begin(host->ctx, &moment, false, NULL);

    if (err)
        return err;
    if (moment.store)
        err = ks_number(moment.store, KS_EMBEDDING_FOREIGN, args, 2, &count);
    err = host->end(host->ctx, &moment, err);
    if (!err && count) {
        err = host->begin(host->ctx, &moment, true, NULL);
        if (err)
            return err;
        err = ks_number(moment.store, KS_REVISION, NULL, 0, &revision);
        if (!err)
            err = ks_run(moment.store, KS_EMBEDDING_DROP_FOREIGN, args, 2);
        err = host->end(host->ctx, &moment, err);
        if (!err)
            vectors_wrote(v, revision);
    }
    v->has_foreign = err != OK;
    return err;
}

enum err
vectors_look(struct vectors *v, const struct vectors_host *host,
             uint64_t now_ms, struct buf *why)
{
    struct moment moment = {.why = why};
    struct vector_index *index = NULL;
    const struct code *code = NULL;
    bool is_changed = false;
    enum err err = host->begin(host->ctx, &moment, false, &code);

    if (err)
        return err;
    const struct vector_place place = {&moment, code, v->cfg.max_text};
    err = read_all(v, &place, now_ms, &is_changed);
    err = host->end(host->ctx, &moment, err);
    code_drop(code);
    if (!err && is_changed) {
        err = make_index(v, &index);
        if (err)
            vectors_index_free(index);
        else
            use_index(v, index);
    }
    if (!err && v->may_write && v->is_whole && v->matrix.dim)
        err = sweep(v, host, why);
    vectors_count(v);
    if (!err && v->may_write && v->is_whole && v->matrix.dim &&
        v->has_foreign && !v->status.pending)
        err = drop_foreign(v, host, why);
    return err;
}
