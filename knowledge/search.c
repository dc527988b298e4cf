/*
 * Each lane writes spots in its own order; fusing looks only at ranks, so the
 * scales of the lanes need no comparing.  The lanes that read what the others
 * found come last: cover, which puts all worlds on one scale and whose share
 * therefore multiplies what the ranks gave, and graph, which starts from the
 * best and keeps them, so that what is only near a hit does not overtake it.
 */
#include "knowledge/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "knowledge/search_parts.h"
#include "knowledge/vectors.h"
#include "store/knowledge_store.h"

/* Tuned on packages that are not those it is measured on (docs/search.md). */
#define IDENT_LEAST 0.75
/* What is left of a hit that covers nothing. */
#define BARE 0.05
/* What meaning adds to that, of 1. */
#define MEANT 0.25
static const struct search_lane_row {
    const char *name;
    lane_fn *find;
    double weight;
    bool is_plain;
} lanes[LANE_COUNT] = {
    [LANE_BM25] = {"bm25", search_texts, 1, true},
    [LANE_NAMES] = {"names", search_names, 1, true},
    [LANE_NGRAM] = {"ngram", search_ngrams, 0.25, false},
    [LANE_IDENT] = {"ident", search_idents, 3, false},
    [LANE_VECTOR] = {"vector", search_vectors, 1, false},
    [LANE_COVER] = {"cover", search_cover, 2, false},
    [LANE_GRAPH] = {"graph", search_graph, 0.5, false},
};

const char *
search_lane_str(enum search_lane lane)
{
    return lanes[lane].name;
}

bool
lane_is_late(const struct lane *lane)
{
    return lane->ask->deadline_ns && clock_mono_ns() > lane->ask->deadline_ns;
}

enum err
lane_add(struct lane *lane, const struct scored *row)
{
    if (!grow_room(lane->rows, lane->len, lane->cap))
        return ERR_NOMEM;
    lane->rows[lane->len++] = *row;
    return OK;
}

static int
by_score(const void *a, const void *b)
{
    const struct scored *x = a;
    const struct scored *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->spot > y->spot) - (x->spot < y->spot);
}

/* ---- fusing ---- */

static struct search_hit *
hit_of(struct search_hits *hits, near_spot spot)
{
    for (size_t i = 0; i < hits->len; i++)
        if (hits->rows[i].spot == spot)
            return &hits->rows[i];
    if (!grow_room(hits->rows, hits->len, hits->cap))
        return NULL;
    struct search_hit *hit = &hits->rows[hits->len++];
    *hit = (struct search_hit){.spot = spot};
    return hit;
}

int
search_by_score(const void *a, const void *b)
{
    const struct search_hit *x = a;
    const struct search_hit *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->spot > y->spot) - (x->spot < y->spot);
}

/* One name among many words says less than a name alone. */
static double
weight_of(const struct search_hits *hits, int lane)
{
    if (lane == LANE_IDENT)
        return IDENT_LEAST + (lanes[lane].weight - IDENT_LEAST) * hits->exact;
    return lanes[lane].weight;
}

static void
fuse(struct search_hits *hits)
{
    double most = 0;

    for (int lane = 0; lane < LANE_COUNT; lane++)
        if (hits->used >> lane & 1)
            most += weight_of(hits, lane) / (SEARCH_K + 1);
    for (size_t i = 0; i < hits->len; i++) {
        struct search_hit *hit = &hits->rows[i];

        hit->score = 0;
        for (int lane = 0; lane < LANE_COUNT; lane++)
            if (hit->ranks[lane])
                hit->score +=
                    weight_of(hits, lane) / (SEARCH_K + hit->ranks[lane]);
        hit->score = most > 0 ? hit->score / most : 0;
        /* What means the same in other words covers none of them. */
        double cover = hit->cover + MEANT * hit->meaning;
        if (hits->used >> LANE_COVER & 1)
            hit->score *= (BARE + (cover < 1 ? cover : 1)) / (1 + BARE);
    }
    if (hits->len > 1)
        qsort(hits->rows, hits->len, sizeof(*hits->rows), search_by_score);
}

/* Several rows of one spot are one hit, by the best of them. */
static enum err
take_lane(struct lane *lane, enum search_lane which)
{
    struct search_hits *hits = lane->hits;
    uint16_t rank = 0;

    if (lane->len > 1)
        qsort(lane->rows, lane->len, sizeof(*lane->rows), by_score);
    for (size_t i = 0; i < lane->len && rank < SEARCH_LANE_MAX; i++) {
        const struct scored *row = &lane->rows[i];
        struct search_hit *hit = row->spot ? hit_of(hits, row->spot) : NULL;

        if (!hit && row->spot)
            return ERR_NOMEM;
        if (!hit)
            continue;
        hit->keys |= row->keys;
        if (!hit->chunk)
            hit->chunk = row->chunk;
        if (!hit->ranks[which])
            hit->ranks[which] = ++rank;
        if (which == LANE_VECTOR && row->score > hit->meaning)
            hit->meaning = row->score;
        if (which == LANE_COVER)
            hit->cover = row->score < 1 ? row->score : 1;
    }
    return OK;
}

/* ---- the lanes ---- */

static void
run_lane(const struct lane *base, enum search_lane which)
{
    struct lane lane = *base;
    struct search_hits *hits = base->hits;
    size_t before = hits->len;
    enum err err = OK;

    if (base->ask->broken >> which & 1)
        err = ERR_STORE;
    else if (lane_is_late(base))
        err = ERR_BUSY;
    if (!err)
        err = lanes[which].find(&lane);
    if (!err)
        err = take_lane(&lane, which);
    free(lane.rows);
    if (!err) {
        hits->used |= 1U << which;
        return;
    }
    hits->degraded |= 1U << which;
    hits->len = before;
    for (size_t i = 0; i < hits->len; i++)
        hits->rows[i].ranks[which] = 0;
}

/* Not all run each time. */
static bool
is_wanted(const struct lane *base, enum search_lane which)
{
    if (which == LANE_VECTOR && !base->ticket)
        return false;
    return lanes[which].is_plain || !base->ask->is_plain;
}

enum err
search_is_over(struct moment *moment, const struct object *object, bool *out)
{
    int64_t over = 0;
    enum err err = OK;

    if (moment->store && object->oid && object->world <= WORLD_COMMUNITY)
        err = ks_number(moment->store, KS_IS_OVER,
                        KS_ARGS(ks_int(object->oid), ks_int(moment->now_s)),
                        &over);
    *out = over;
    return err;
}

static enum err
drop_what_is_over(struct moment *moment, struct search_hits *hits)
{
    size_t kept = 0;
    enum err err = OK;

    for (size_t i = 0; i < hits->len && !err; i++) {
        struct object object = {0};
        bool is_over = false;

        err = near_object(moment, hits->rows[i].spot, &object);
        if (!err)
            err = search_is_over(moment, &object, &is_over);
        if (!err && !is_over && object.world != WORLD_NONE)
            hits->rows[kept++] = hits->rows[i];
        object_fini(&object);
    }
    hits->len = kept;
    return err;
}

enum err
search_find(struct near *near, struct moment *moment,
            const struct search_ask *ask, struct search_hits *out)
{
    struct search_words words;
    struct search_observed observed;
    struct embed_ticket ticket;
    struct lane base = {.near = near,
                        .moment = moment,
                        .ask = ask,
                        .words = &words,
                        .observed = &observed,
                        .hits = out};
    /* Its vector comes while the others are at work. */
    if (!ask->is_plain && vectors_is_on(moment->vectors)) {
        vectors_ask(moment->vectors, ask->query, &ticket);
        base.ticket = &ticket;
    }
    enum err err = search_observe(moment, &observed);

    *out = (struct search_hits){0};
    search_words_read(ask->query, &words);
    if (!err && moment->joined)
        err = code_terms_of(moment->joined->code, &base.terms);
    if (!err && base.terms)
        err = code_runs_of(moment->joined->code, base.terms, &base.runs);
    if (moment->store)
        ks_until(moment->store, ask->deadline_ns);
    for (int lane = 0; lane < LANE_COUNT && !err; lane++) {
        if (!is_wanted(&base, (enum search_lane)lane))
            continue;
        if (lane == LANE_COVER || lane == LANE_GRAPH)
            fuse(out);
        run_lane(&base, (enum search_lane)lane);
    }
    if (moment->store)
        ks_until(moment->store, 0);
    if (!err && !out->used && lane_is_late(&base))
        err = ERR_BUSY;
    if (!err)
        err = drop_what_is_over(moment, out);
    fuse(out);
    if (!err && !ask->is_plain)
        err = search_group(&base);
    search_observed_fini(&observed);
    return err;
}

void
search_hits_fini(struct search_hits *hits)
{
    free(hits->rows);
    *hits = (struct search_hits){0};
}
