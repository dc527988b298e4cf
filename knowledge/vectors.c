#include "knowledge/vectors_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/metrics.h"

enum { REST_MS = 5000, REST_MOST_MS = 300000 };

void
vectors_index_free(struct vector_index *index)
{
    if (!index)
        return;
    free(index->items);
    free(index->next);
    free(index->texts);
    vector_table_fini(&index->by_hash);
    code_drop(index->code);
    free(index);
}

enum err
vectors_open(struct vectors **out, const struct vectors_cfg *cfg)
{
    struct vectors *v = calloc(1, sizeof(*v));
    const struct embed_query_cfg query = {
        .ops = cfg->ask,
        .model = {cfg->model, cfg->dim, cfg->dim},
        .timeout_ms = cfg->query_ms,
        .rest_ms = REST_MS,
        .rest_most_ms = REST_MOST_MS,
    };

    *out = NULL;
    if (!v)
        return ERR_NOMEM;
    v->cfg = *cfg;
    v->batch = cfg->batch;
    v->may_write = cfg->is_filling;
    v->has_foreign = true;
    v->revision = -1;
    pthread_rwlock_init(&v->lock, NULL);
    atomic_init(&v->is_poked, false);
    enum err err = embed_query_start(&v->query, &query);
    if (err)
        vectors_close(v);
    else
        *out = v;
    return err;
}

void
vectors_close(struct vectors *v)
{
    if (!v)
        return;
    embed_query_stop(v->query);
    vectors_index_free(v->index);
    vector_matrix_fini(&v->matrix);
    free(v->rows);
    vector_table_fini(&v->by_row);
    vector_table_fini(&v->refused);
    for (int i = 0; i < VECTOR_LISTS; i++)
        vector_items_fini(&v->lists[i]);
    code_drop(v->code);
    buf_fini(&v->status.why);
    pthread_rwlock_destroy(&v->lock);
    free(v);
}

/* ---- rows ---- */

void
vectors_set_dim(struct vectors *v, uint32_t dim)
{
    pthread_rwlock_wrlock(&v->lock);
    vector_matrix_init(&v->matrix, dim);
    pthread_rwlock_unlock(&v->lock);
}

bool
vectors_is_full(const struct vectors *v)
{
    size_t row = vector_matrix_row_bytes(v->matrix.dim);

    return (v->matrix.len - v->matrix.empty_len + 1) * row > v->cfg.max_bytes;
}

static enum err
make_row(struct vectors *v)
{
    return grow_room(v->rows, v->matrix.len, v->row_cap) ? OK : ERR_NOMEM;
}

enum err
vectors_keep(struct vectors *v, int64_t id, struct digest128 hash,
             const float *unit)
{
    uint32_t row = 0;
    enum err err = vectors_is_full(v) ? ERR_FULL : OK;

    pthread_rwlock_wrlock(&v->lock);
    if (!err)
        err = make_row(v);
    if (!err)
        err = vector_matrix_add(&v->matrix, unit, &row);
    if (!err) {
        struct vector_index *index = v->index;
        uint32_t text = index ? vector_table_get(&index->by_hash, hash) : 0;

        v->rows[row] = (struct vector_row){id, hash, text};
        if (text)
            index->texts[text - 1].row = row + 1;
        err = vector_table_set(&v->by_row, hash, row + 1);
    }
    pthread_rwlock_unlock(&v->lock);
    return err;
}

/* ---- telling ---- */

void
vectors_count(struct vectors *v)
{
    const struct vector_index *index = v->index;
    struct vectors_status counts = {0};

    for (size_t i = 0; index && i < index->text_len; i++) {
        counts.vectors += index->texts[i].row != 0;
        counts.refused += !index->texts[i].row && index->texts[i].is_refused;
    }
    if (index)
        counts.pending = index->text_len - counts.vectors - counts.refused;
    if (v->matrix.dim && vectors_is_full(v)) {
        counts.left_out = counts.pending;
        counts.pending = 0;
    }
    pthread_rwlock_wrlock(&v->lock);
    v->status.vectors = counts.vectors;
    v->status.refused = counts.refused;
    v->status.pending = counts.pending;
    v->status.left_out = counts.left_out;
    v->status.is_looked = index != NULL;
    pthread_rwlock_unlock(&v->lock);
    metrics_set(METRIC_EMBED_VECTORS, (int64_t)counts.vectors);
    metrics_set(METRIC_EMBED_PENDING, (int64_t)counts.pending);
    metrics_set(METRIC_EMBED_REFUSED, (int64_t)counts.refused);
    metrics_set(METRIC_EMBED_LEFT_OUT, (int64_t)counts.left_out);
}

void
vectors_fail(struct vectors *v, uint32_t now_s, str why)
{
    pthread_rwlock_wrlock(&v->lock);
    buf_reset(&v->status.why);
    buf_add(&v->status.why, why);
    v->status.why_s = why.len ? now_s : 0;
    pthread_rwlock_unlock(&v->lock);
}

void
vectors_tell(struct vectors *v, struct vectors_status *out)
{
    pthread_rwlock_rdlock(&v->lock);
    *out = v->status;
    out->why = (struct buf){0};
    buf_add(&out->why, buf_str(&v->status.why));
    out->dim = v->matrix.dim;
    pthread_rwlock_unlock(&v->lock);
    out->model = v->cfg.model;
    embed_query_tell(v->query, &out->query);
}

void
vectors_status_fini(struct vectors_status *status)
{
    buf_fini(&status->why);
    buf_fini(&status->query.why);
}

void
vectors_poke(struct vectors *v)
{
    if (v)
        atomic_store(&v->is_poked, true);
}

/* ---- questions ---- */

bool
vectors_is_on(struct vectors *v)
{
    if (!v)
        return false;
    pthread_rwlock_rdlock(&v->lock);
    bool is_on =
        !v->status.is_looked || v->status.vectors + v->status.pending > 0;
    pthread_rwlock_unlock(&v->lock);
    return is_on;
}

void
vectors_ask(struct vectors *v, str question, struct embed_ticket *ticket)
{
    pthread_rwlock_rdlock(&v->lock);
    bool is_empty = v->status.vectors == 0;
    pthread_rwlock_unlock(&v->lock);
    *ticket = (struct embed_ticket){0};
    if (!is_empty)
        embed_query_ask(v->query, question, ticket);
}
