/*
 * Each lane writes spots in its own order; fusing looks only at ranks, so the
 * scales of the lanes need no comparing.  The graph lane comes last: it starts
 * from the best of the others and keeps them, so that what is only near a hit
 * does not overtake it.
 */
#include "knowledge/search.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "graph/words.h"
#include "knowledge/resolve.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"

enum {
    MATCH_WORDS = 6,
    SEEDS = 10,
    FAN = 50,
    IDENTS = 8,
    GRAM_BITS = 4096,
};
#define NGRAM_LEAST 0.25
#define NEAR_SHARE  0.5

static const char *const names[LANE_COUNT] = {
    [LANE_BM25] = "bm25",   [LANE_NAMES] = "names", [LANE_NGRAM] = "ngram",
    [LANE_IDENT] = "ident", [LANE_GRAPH] = "graph",
};
static const double weights[LANE_COUNT] = {
    [LANE_BM25] = 1,  [LANE_NAMES] = 1,   [LANE_NGRAM] = 0.5,
    [LANE_IDENT] = 2, [LANE_GRAPH] = 0.5,
};

const char *
search_lane_str(enum search_lane lane)
{
    return names[lane];
}

struct scored {
    near_spot spot;
    double score;
};

/* One lane in the making. */
struct lane {
    struct near *near;
    struct moment *moment;
    const struct search_ask *ask;
    struct scored *rows;
    size_t len;
    size_t cap;
};

static enum err
add_row(struct lane *lane, near_spot spot, double score)
{
    if (lane->len == lane->cap) {
        size_t cap = lane->cap ? 2 * lane->cap : 128;
        struct scored *rows = realloc(lane->rows, cap * sizeof(*rows));

        if (!rows)
            return ERR_NOMEM;
        lane->rows = rows;
        lane->cap = cap;
    }
    lane->rows[lane->len++] = (struct scored){spot, score};
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

/* ---- texts ---- */

static enum err
find_texts(struct lane *lane)
{
    struct knowledge_store *store = lane->moment->store;
    struct buf match = {0};
    const struct ks_value *row;
    enum err err = OK;

    if (!store)
        return OK;
    text_match_any(lane->ask->query, MATCH_WORDS, &match);
    if (match.failed)
        err = ERR_NOMEM;
    if (!err && match.len) {
        ks_ask(store, KS_FTS_MATCH,
               KS_ARGS(ks_text(buf_str(&match)), ks_int(SEARCH_LANE_MAX)));
        while (ks_next(store, KS_FTS_MATCH, &row) && !err) {
            const struct object object = {.oid = row[0].num};

            err = add_row(lane, near_spot_of(&object), -row[1].real);
        }
        enum err end = ks_end(store, KS_FTS_MATCH);
        err = err ? err : end;
    }
    buf_fini(&match);
    return err;
}

/* ---- names ---- */

static near_spot
place_spot(const struct joined *joined, uint32_t place)
{
    const struct object object = {.vertex = joined_vertex(joined, place),
                                  .node = joined_node(joined, place)};

    return near_spot_of(&object);
}

static enum err
find_names(struct lane *lane)
{
    const struct joined *joined = lane->moment->joined;
    struct words_hits hits = {0};
    enum err err;

    if (!joined || !lane->moment->view)
        return OK;
    err = words_find(joined, lane->moment->view, lane->ask->query,
                     SEARCH_LANE_MAX, &hits);
    for (size_t i = 0; i < hits.len && !err; i++)
        err = add_row(lane, place_spot(joined, hits.rows[i].place),
                      hits.rows[i].score + hits.rows[i].is_exact);
    words_fini(&hits);
    return err;
}

/* ---- runs of letters ---- */

struct grams {
    uint64_t bits[GRAM_BITS / 64];
    size_t len;
};

static bool
next_gram(str text, size_t *at, uint32_t *out)
{
    for (; *at + 3 <= text.len; (*at)++) {
        const char *p = text.ptr + *at;

        if (!isalnum((unsigned char)p[0]) || !isalnum((unsigned char)p[1]) ||
            !isalnum((unsigned char)p[2]))
            continue;
        uint32_t gram = (uint32_t)tolower((unsigned char)p[0]) << 16 |
                        (uint32_t)tolower((unsigned char)p[1]) << 8 |
                        (uint32_t)tolower((unsigned char)p[2]);
        *out = gram * UINT32_C(2654435761) >> 20;
        (*at)++;
        return true;
    }
    return false;
}

static void
make_grams(str text, struct grams *out)
{
    uint32_t gram;

    *out = (struct grams){0};
    for (size_t at = 0; next_gram(text, &at, &gram);) {
        out->len += !(out->bits[gram / 64] >> (gram % 64) & 1);
        out->bits[gram / 64] |= UINT64_C(1) << (gram % 64);
    }
}

static double
like(const struct grams *grams, str text)
{
    size_t same = 0;
    size_t len = 0;
    uint32_t gram;

    for (size_t at = 0; next_gram(text, &at, &gram); len++)
        same += grams->bits[gram / 64] >> (gram % 64) & 1;
    if (!len || !grams->len)
        return 0;
    double share = (double)same / sqrt((double)len * (double)grams->len);
    return share < 1 ? share : 1;
}

double
search_like(str a, str b)
{
    struct grams grams;

    make_grams(a, &grams);
    return like(&grams, b);
}

static enum err
add_like(struct lane *lane, const struct grams *grams, str name,
         const struct object *object)
{
    double score = like(grams, name);

    return score < NGRAM_LEAST ? OK
                               : add_row(lane, near_spot_of(object), score);
}

static enum err
find_like(struct lane *lane)
{
    const struct joined *joined = lane->moment->joined;
    const struct query_find all = {0};
    struct query_ids ids = {0};
    struct buf name = {0};
    struct grams grams;
    enum err err = OK;

    make_grams(lane->ask->query, &grams);
    if (lane->moment->view)
        err = query_find(lane->moment->view, &all, &ids);
    for (size_t i = 0; i < ids.len && !err; i++) {
        const struct object object = {.node = ids.ids[i]};

        buf_reset(&name);
        query_qualified(lane->moment->view, ids.ids[i], &name);
        err = add_like(lane, &grams, buf_str(&name), &object);
    }
    for (uint32_t i = 1; joined && i < joined->code->node_len && !err; i++) {
        const struct object object = {.vertex = i};

        err = add_like(lane, &grams, joined->code->nodes[i].name, &object);
    }
    query_ids_fini(&ids);
    buf_fini(&name);
    return err;
}

/* ---- what is named ---- */

bool
search_is_ident(str word)
{
    bool has_small = false;

    for (size_t i = 0; i < word.len; i++) {
        unsigned char c = (unsigned char)word.ptr[i];

        if (i && i + 1 < word.len && strchr("_:/.#-{", c))
            return true;
        if (has_small && isupper(c))
            return true;
        has_small = islower(c) != 0;
    }
    return word.len > 1 && (word.ptr[0] == '/' || word.ptr[0] == '{');
}

static enum err
find_one(struct lane *lane, str word, double score)
{
    struct object_list several = {0};
    struct object one = {0};
    enum err err =
        object_find(lane->moment, word, IN_ANY_WORLD, &one, &several);

    if (!err)
        err = add_row(lane, near_spot_of(&one), score);
    else if (err == ERR_NOT_FOUND || err == ERR_AMBIGUOUS)
        err = OK;
    for (size_t i = 0; i < several.len && !err; i++)
        err = add_row(lane, near_spot_of(&several.items[i]), score / 2);
    object_list_fini(&several);
    object_fini(&one);
    return err;
}

static enum err
find_idents(struct lane *lane)
{
    str query = text_trim(lane->ask->query);
    size_t found = 0;
    enum err err = find_one(lane, query, 4);

    for (size_t at = 0; at < query.len && found < IDENTS && !err;) {
        size_t end = at;

        while (end < query.len && !strchr(" \t\n\"',;?!()", query.ptr[end]))
            end++;
        str word = str_cut(query, at, end);
        if (word.len < query.len && search_is_ident(word)) {
            err = find_one(lane, word, 2);
            found++;
        }
        at = end + 1;
    }
    return err;
}

/* ---- fusing ---- */

static enum err
add_hit(struct search_hits *hits, near_spot spot, enum search_lane lane,
        size_t rank)
{
    for (size_t i = 0; i < hits->len; i++) {
        if (hits->rows[i].spot != spot)
            continue;
        if (!hits->rows[i].ranks[lane])
            hits->rows[i].ranks[lane] = (uint16_t)rank;
        return OK;
    }
    if (hits->len == hits->cap) {
        size_t cap = hits->cap ? 2 * hits->cap : 128;
        struct search_hit *rows = realloc(hits->rows, cap * sizeof(*rows));

        if (!rows)
            return ERR_NOMEM;
        hits->rows = rows;
        hits->cap = cap;
    }
    struct search_hit *hit = &hits->rows[hits->len++];
    *hit = (struct search_hit){.spot = spot};
    hit->ranks[lane] = (uint16_t)rank;
    return OK;
}

static int
by_fused(const void *a, const void *b)
{
    const struct search_hit *x = a;
    const struct search_hit *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->spot > y->spot) - (x->spot < y->spot);
}

static void
fuse(struct search_hits *hits)
{
    double most = 0;

    for (int lane = 0; lane < LANE_COUNT; lane++)
        if (hits->used >> lane & 1)
            most += weights[lane] / (SEARCH_K + 1);
    for (size_t i = 0; i < hits->len; i++) {
        struct search_hit *hit = &hits->rows[i];

        hit->score = 0;
        for (int lane = 0; lane < LANE_COUNT; lane++)
            if (hit->ranks[lane])
                hit->score += weights[lane] / (SEARCH_K + hit->ranks[lane]);
        hit->score = most > 0 ? hit->score / most : 0;
    }
    if (hits->len > 1)
        qsort(hits->rows, hits->len, sizeof(*hits->rows), by_fused);
}

static enum err
take_lane(struct lane *lane, enum search_lane which, struct search_hits *hits)
{
    enum err err = OK;

    if (lane->len > 1)
        qsort(lane->rows, lane->len, sizeof(*lane->rows), by_score);
    for (size_t i = 0; i < lane->len && i < SEARCH_LANE_MAX && !err; i++)
        err = add_hit(hits, lane->rows[i].spot, which, i + 1);
    return err;
}

/* ---- what is linked with the best ---- */

static enum err
add_share(struct lane *lane, near_spot spot, double share)
{
    for (size_t i = 0; i < lane->len; i++)
        if (lane->rows[i].spot == spot) {
            lane->rows[i].score += share;
            return OK;
        }
    return add_row(lane, spot, share);
}

static enum err
find_near(struct lane *lane, const struct search_hits *hits)
{
    struct near_types types;
    enum err err = near_types_of(lane->moment, NULL, &types);

    for (size_t i = 0; i < hits->len && i < SEEDS && !err; i++) {
        const struct search_hit *seed = &hits->rows[i];
        struct near_arcs arcs = {0};

        err = add_share(lane, seed->spot, seed->score);
        if (!err)
            err =
                near_arcs_of(lane->near, seed->spot, NEAR_BOTH, &types, &arcs);
        for (size_t k = 0; k < arcs.len && k < FAN && !err; k++)
            err =
                add_share(lane, arcs.items[k].spot,
                          seed->score * NEAR_SHARE * arcs.items[k].confidence /
                              sqrt((double)arcs.len));
        near_arcs_fini(&arcs);
    }
    return err;
}

typedef enum err lane_fn(struct lane *lane);

static enum err
run_lane(struct lane *base, enum search_lane which, struct search_hits *hits)
{
    static lane_fn *const lanes[LANE_COUNT] = {[LANE_BM25] = find_texts,
                                               [LANE_NAMES] = find_names,
                                               [LANE_NGRAM] = find_like,
                                               [LANE_IDENT] = find_idents};
    struct lane lane = *base;
    uint64_t deadline = base->ask->deadline_ns;
    enum err err;

    if (deadline && clock_mono_ns() > deadline) {
        hits->degraded |= 1U << which;
        return OK;
    }
    hits->used |= 1U << which;
    err = which == LANE_GRAPH ? find_near(&lane, hits) : lanes[which](&lane);
    if (!err)
        err = take_lane(&lane, which, hits);
    free(lane.rows);
    if (err && err != ERR_NOMEM) {
        hits->degraded |= 1U << which;
        err = OK;
    }
    return err;
}

enum err
search_find(struct near *near, struct moment *moment,
            const struct search_ask *ask, struct search_hits *out)
{
    struct lane base = {.near = near, .moment = moment, .ask = ask};
    unsigned wanted = 1U << LANE_BM25 | 1U << LANE_NAMES;
    enum err err = OK;

    *out = (struct search_hits){0};
    if (!ask->is_plain)
        wanted |= 1U << LANE_NGRAM | 1U << LANE_IDENT | 1U << LANE_GRAPH;
    for (int lane = 0; lane < LANE_COUNT && !err; lane++) {
        if (!(wanted >> lane & 1))
            continue;
        if (lane == LANE_GRAPH)
            fuse(out);
        err = run_lane(&base, (enum search_lane)lane, out);
    }
    fuse(out);
    return err;
}

void
search_hits_fini(struct search_hits *hits)
{
    free(hits->rows);
    *hits = (struct search_hits){0};
}
