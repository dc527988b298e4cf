/*
 * The matrix gives more than are wanted, by numbers of a byte; those are read
 * whole and put in order.  How near is near depends on the model: some put any
 * two texts at 0.7.  So what counts is how far a text is from what is usual for
 * this question.
 */
#include "knowledge/vectors_parts.h"

#include <stdlib.h>
#include <string.h>

#include "store/knowledge_store.h"

enum { OBJECTS_MAX = 4 }; /* that have one text, and are told */

/* Below, a text is as near as any. */
#define SHARE_LEAST 0.1F

/* The objects of a row.  Those of code are of the graph that was indexed; of
 * another their numbers mean others. */
static void
add_objects(const struct vectors *v, const struct code *code,
            struct vector_near near, struct vectors_hits *out)
{
    const struct vector_row *row = &v->rows[near.row];
    const struct vector_index *index = v->index;
    uint32_t item = row->text ? index->texts[row->text - 1].first + 1 : 0;

    for (int i = 0; item && i < OBJECTS_MAX && out->len < VECTORS_HITS;
         item = index->next[item - 1]) {
        const struct vector_item *at = &index->items[item - 1];
        struct vectors_hit *hit = &out->items[out->len];

        if (at->world == VECTOR_CODE && index->code != code)
            continue;
        *hit = (struct vectors_hit){.id = row->id, .share = near.likeness};
        hit->spot = vector_item_spot(at, &hit->chunk);
        out->len++;
        i++;
    }
}

static enum err
scan(struct vectors *v, const struct moment *moment, const float *unit,
     struct vectors_hits *out, float *usual)
{
    const struct code *code = moment->joined ? moment->joined->code : NULL;
    struct vector_near *near = calloc(VECTORS_NEAREST, sizeof(*near));

    if (!near)
        return ERR_NOMEM;
    pthread_rwlock_rdlock(&v->lock);
    size_t len =
        vector_matrix_scan(&v->matrix, unit, VECTORS_NEAREST, near, usual);
    for (size_t i = 0; i < len && v->index; i++)
        add_objects(v, code, near[i], out);
    pthread_rwlock_unlock(&v->lock);
    free(near);
    return OK;
}

/* By all the numbers.  One that was removed meanwhile stays as it is. */
static enum err
look_closer(struct moment *moment, const float *unit, uint32_t dim,
            struct vectors_hits *hits)
{
    float *room = calloc(dim, sizeof(*room));
    int64_t last = 0;
    float likeness = 0;
    enum err err = room ? OK : ERR_NOMEM;

    for (size_t i = 0; i < hits->len && !err; i++) {
        const struct ks_value *row;
        struct vectors_hit *hit = &hits->items[i];

        if (hit->id == last) {
            hit->share = likeness;
            continue;
        }
        ks_ask(moment->store, KS_EMBEDDING_VEC, KS_ARGS(ks_int(hit->id)));
        if (ks_next(moment->store, KS_EMBEDDING_VEC, &row) &&
            row[0].text.len == dim * sizeof(*room)) {
            memcpy(room, row[0].text.ptr, row[0].text.len);
            hit->share = vector_likeness(unit, room, dim);
        }
        err = ks_end(moment->store, KS_EMBEDDING_VEC);
        last = hit->id;
        likeness = hit->share;
    }
    free(room);
    return err;
}

static int
by_share(const void *a, const void *b)
{
    const struct vectors_hit *x = a;
    const struct vectors_hit *y = b;

    if (x->share < y->share || x->share > y->share)
        return x->share > y->share ? -1 : 1;
    return (x->spot > y->spot) - (x->spot < y->spot);
}

static void
keep_near(struct vectors_hits *hits, float usual)
{
    size_t kept = 0;

    for (size_t i = 0; i < hits->len; i++) {
        struct vectors_hit hit = hits->items[i];

        hit.share = usual < 1 ? (hit.share - usual) / (1 - usual) : 0;
        hit.share = hit.share < 1 ? hit.share : 1;
        if (hit.share >= SHARE_LEAST)
            hits->items[kept++] = hit;
    }
    hits->len = kept;
    if (kept > 1)
        qsort(hits->items, kept, sizeof(*hits->items), by_share);
}

enum err
vectors_find(struct vectors *v, struct moment *moment,
             const struct embed_ticket *ticket, struct vectors_hits *out)
{
    float usual = 0;

    out->len = 0;
    pthread_rwlock_rdlock(&v->lock);
    uint32_t dim = v->matrix.dim;
    pthread_rwlock_unlock(&v->lock);
    if (!dim || !moment->store || !ticket->is_waited)
        return ERR_BUSY;
    float *unit = calloc(dim, sizeof(*unit));
    enum err err =
        unit ? embed_query_take(v->query, ticket, dim, unit) : ERR_NOMEM;
    if (!err)
        err = scan(v, moment, unit, out, &usual);
    if (!err)
        err = look_closer(moment, unit, dim, out);
    if (!err)
        keep_near(out, usual);
    free(unit);
    return err;
}
