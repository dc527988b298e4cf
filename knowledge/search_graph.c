/*
 * A random walk with restart at the best hits, over the one adjacency of all
 * worlds, by pushing: the spot with the most left over keeps a part of it and
 * hands the rest to its neighbours by the weight of the arcs.  Only what is
 * near the seeds is ever looked at, so the cost does not grow with the graph;
 * seeds keep what they have, so they stay before what is only near them.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/rank.h"
#include "knowledge/search_parts.h"

#define RESTART    0.3
#define LEAST_LEFT 1e-3 /* of all that the seeds were given */
#define LINK_DRAW  0.8

enum {
    SEEDS = 10,
    PUSHES = 40,
    FAN_MAX = 100,
    SHARES_MAX = 2048,
    SLOTS = 4096
};

struct share {
    near_spot spot;
    double kept;
    double left;
};

struct walking {
    struct lane *lane;
    struct near_types types;
    struct share *shares;
    size_t len;
    uint16_t slots[SLOTS]; /* index + 1 */
};

static struct share *
share_of(struct walking *w, near_spot spot)
{
    size_t at = (size_t)(spot * UINT64_C(0x9e3779b97f4a7c15) >> 40);

    for (;; at++) {
        uint16_t *slot = &w->slots[at % SLOTS];

        if (*slot && w->shares[*slot - 1].spot == spot)
            return &w->shares[*slot - 1];
        if (*slot)
            continue;
        if (w->len == SHARES_MAX)
            return NULL;
        w->shares[w->len] = (struct share){.spot = spot};
        *slot = (uint16_t)(w->len + 1);
        return &w->shares[w->len++];
    }
}

static double
draw_of(const struct walking *w, const struct near_arc *arc)
{
    const struct joined_arc plain = {
        .type = joined_type_of(str_of(arc->type)),
        .permille = (uint16_t)(arc->confidence * 1000),
        .count = arc->count,
        .last_s = arc->last_s,
    };

    return plain.type ? rank_arc_weight(&plain, w->lane->moment->now_s, 0)
                      : LINK_DRAW * arc->confidence;
}

/* What has very many neighbours says little of any: it keeps its share. */
static bool
is_hub(const struct walking *w, near_spot spot)
{
    const struct joined *joined = w->lane->moment->joined;
    struct object object = {0};
    enum err err = near_object(w->lane->moment, spot, &object);
    uint32_t place =
        joined && !err ? object_place(w->lane->moment, &object) : 0;
    uint32_t arcs = place ? joined->out_at[place + 1] - joined->out_at[place] +
                                joined->in_at[place + 1] - joined->in_at[place]
                          : 0;

    object_fini(&object);
    return err || arcs > FAN_MAX;
}

static void
hand_on(struct walking *w, const struct near_arcs *arcs, double amount)
{
    double sum = 0;

    for (size_t i = 0; i < arcs->len; i++)
        sum += draw_of(w, &arcs->items[i]);
    for (size_t i = 0; i < arcs->len && sum > 0; i++) {
        struct share *to = share_of(w, arcs->items[i].spot);

        if (to)
            to->left += amount * draw_of(w, &arcs->items[i]) / sum;
    }
}

static enum err
push(struct walking *w, struct share *share)
{
    near_spot spot = share->spot;
    double left = share->left;
    struct near_arcs arcs = {0};
    enum err err = OK;

    share->left = 0;
    share->kept += RESTART * left;
    if (is_hub(w, spot))
        return OK;
    err = near_arcs_of(w->lane->near, spot, NEAR_BOTH, &w->types, &arcs);
    if (!err && arcs.len <= FAN_MAX)
        hand_on(w, &arcs, (1 - RESTART) * left);
    near_arcs_fini(&arcs);
    return err;
}

static enum err
walk(struct walking *w)
{
    enum err err = OK;

    for (int i = 0; i < PUSHES && !err && !lane_is_late(w->lane); i++) {
        struct share *most = NULL;

        for (size_t k = 0; k < w->len; k++)
            if (!most || w->shares[k].left > most->left)
                most = &w->shares[k];
        if (!most || most->left < LEAST_LEFT)
            break;
        err = push(w, most);
    }
    return err;
}

static void
plant(struct walking *w)
{
    const struct search_hits *hits = w->lane->hits;
    double sum = 0;

    for (size_t i = 0; i < hits->len && i < SEEDS; i++)
        sum += hits->rows[i].score;
    for (size_t i = 0; i < hits->len && i < SEEDS && sum > 0; i++) {
        struct share *seed = share_of(w, hits->rows[i].spot);

        if (seed)
            seed->left += hits->rows[i].score / sum;
    }
}

enum err
search_graph(struct lane *lane)
{
    struct walking *w = calloc(1, sizeof(*w));
    enum err err = w ? OK : ERR_NOMEM;

    if (!err) {
        w->lane = lane;
        w->shares = calloc(SHARES_MAX, sizeof(*w->shares));
        err = w->shares ? near_types_of(lane->moment, NULL, &w->types)
                        : ERR_NOMEM;
    }
    if (!err) {
        plant(w);
        err = walk(w);
    }
    for (size_t i = 0; !err && i < w->len; i++) {
        double score = w->shares[i].kept + RESTART * w->shares[i].left;
        err = lane_add(lane, &(struct scored){w->shares[i].spot, score, 0, 0});
    }
    if (w)
        free(w->shares);
    free(w);
    return err;
}
