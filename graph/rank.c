/*
 * Power iteration over the arcs as they lie, out and in: the weight of each is
 * worked out once.  Each round sends the share of every place along its arcs;
 * what a place without arcs has goes back to the seeds, so that nothing is
 * lost.  Sums run in the order of places and arcs, never of threads or hashes.
 */
#include "graph/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct rank_cfg rank_cfg_default = {
    .restart = 0.2,
    .epsilon = 1e-6,
    .rounds = 60,
};

/* How near two places are that an arc of a type connects. */
static const double type_weights[JOINED_TYPE_END] = {
    [CODE_CALLS] = 1.0,
    [CODE_IMPORTS] = 0.2,
    [CODE_IMPLEMENTS] = 0.8,
    [CODE_EXTENDS] = 0.8,
    [CODE_OVERRIDES] = 0.8,
    [CODE_HANDLES_ROUTE] = 0.9,
    [CODE_PUBLISHES] = 0.8,
    [CODE_SUBSCRIBES] = 0.8,
    [CODE_CONSUMES] = 0.9,
    [CODE_TESTS] = 0.5,
    [CODE_CONTAINS] = 0.3,
    [CODE_REFERENCES] = 0.6,
    [CODE_MAY_DISPATCH] = 0.3,
    [CODE_MAY_CALL] = 0.1,
    [JOINED_HANDS_ON] = 0, /* the reference beside it has its weight */
    [JOINED_RUNTIME_CALLS] = 1.0,
    [JOINED_RUNTIME_RPC] = 1.0,
    [JOINED_RUNTIME_PRODUCES] = 0.8,
    [JOINED_RUNTIME_CONSUMES] = 0.8,
    [JOINED_RUNTIME_QUERIES] = 0.8,
};

/* What was observed is never worth less than a guess. */
static double
traffic_weight(const struct joined_arc *arc, uint32_t now_s)
{
    double age_s = arc->last_s < now_s ? (double)(now_s - arc->last_s) : 0;
    double recency = exp2(-age_s / (double)RANK_HALF_LIFE_S);
    double calls = arc->count > 0 ? (double)arc->count : 0;

    return 0.1 + recency * (1 + log10(1 + calls));
}

double
rank_arc_weight(const struct joined_arc *arc, uint32_t now_s, uint8_t evidence)
{
    bool is_observed = arc->type >= JOINED_RUNTIME_CALLS;

    if (evidence && !(evidence & (is_observed ? BY_OBSERVED : BY_STATIC)))
        return 0;
    if (arc->type >= JOINED_TYPE_END)
        return 0;
    double weight = type_weights[arc->type];
    /* The confidence of an observed edge is its age, which counts here. */
    return is_observed ? weight * traffic_weight(arc, now_s)
                       : weight * arc->permille / 1000.0;
}

struct walk {
    const struct joined *joined;
    double *seeds; /* share of each place; sum to 1 */
    double *now;
    double *next;
    double *sums; /* of the weights of the arcs of each place */
    float *out;   /* weights of joined->out */
    float *in;
};

static enum err
open_walk(struct walk *w)
{
    size_t places = w->joined->place_len;
    size_t arcs = (size_t)w->joined->arc_len + 1;

    w->seeds = calloc(places + 1, sizeof(*w->seeds));
    w->now = calloc(places + 1, sizeof(*w->now));
    w->next = calloc(places + 1, sizeof(*w->next));
    w->sums = calloc(places + 1, sizeof(*w->sums));
    w->out = calloc(arcs, sizeof(*w->out));
    w->in = calloc(arcs, sizeof(*w->in));
    return w->seeds && w->now && w->next && w->sums && w->out && w->in
               ? OK
               : ERR_NOMEM;
}

static void
close_walk(struct walk *w)
{
    free(w->seeds);
    free(w->now);
    free(w->next);
    free(w->sums);
    free(w->out);
    free(w->in);
}

static enum err
set_seeds(struct walk *w, const struct rank_seed *seeds, size_t len)
{
    double sum = 0;

    for (size_t i = 0; i < len; i++) {
        bool is_place = seeds[i].place > 0 &&
                        seeds[i].place < w->joined->place_len &&
                        seeds[i].weight > 0 && isfinite(seeds[i].weight);
        if (!is_place)
            continue;
        w->seeds[seeds[i].place] += seeds[i].weight;
        sum += seeds[i].weight;
    }
    if (sum <= 0)
        return ERR_INVALID;
    for (uint32_t p = 0; p < w->joined->place_len; p++)
        w->seeds[p] /= sum;
    memcpy(w->now, w->seeds, w->joined->place_len * sizeof(*w->now));
    return OK;
}

static double
weigh_side(const struct joined_arc *arcs, uint32_t from, uint32_t to,
           const struct rank_cfg *cfg, float *weights)
{
    double sum = 0;

    for (uint32_t i = from; i < to; i++) {
        weights[i] =
            (float)rank_arc_weight(&arcs[i], cfg->now_s, cfg->evidence);
        sum += (double)weights[i];
    }
    return sum;
}

static void
weigh(struct walk *w, const struct rank_cfg *cfg)
{
    const struct joined *j = w->joined;

    for (uint32_t p = 1; p < j->place_len; p++)
        w->sums[p] =
            weigh_side(j->out, j->out_at[p], j->out_at[p + 1], cfg, w->out) +
            weigh_side(j->in, j->in_at[p], j->in_at[p + 1], cfg, w->in);
}

static void
send_share(struct walk *w, uint32_t p, double share)
{
    const struct joined *j = w->joined;

    for (uint32_t i = j->out_at[p]; i < j->out_at[p + 1]; i++)
        w->next[j->out[i].place] += share * (double)w->out[i];
    for (uint32_t i = j->in_at[p]; i < j->in_at[p + 1]; i++)
        w->next[j->in[i].place] += share * (double)w->in[i];
}

/* One step of the walk; how far the shares moved. */
static double
step(struct walk *w, double restart)
{
    uint32_t places = w->joined->place_len;
    double home = 0; /* what goes back to the seeds */
    double moved = 0;

    memset(w->next, 0, places * sizeof(*w->next));
    for (uint32_t p = 1; p < places; p++) {
        if (w->now[p] <= 0)
            continue;
        bool is_end = w->sums[p] <= 0;
        home += w->now[p] * (is_end ? 1 : restart);
        if (!is_end)
            send_share(w, p, w->now[p] * (1 - restart) / w->sums[p]);
    }
    for (uint32_t p = 1; p < places; p++) {
        w->next[p] += home * w->seeds[p];
        moved += fabs(w->next[p] - w->now[p]);
    }
    double *swap = w->now;
    w->now = w->next;
    w->next = swap;
    return moved;
}

enum err
rank_walk(const struct joined *joined, const struct rank_seed *seeds,
          size_t len, const struct rank_cfg *cfg, double **out,
          uint32_t *rounds)
{
    struct walk w = {.joined = joined};
    uint32_t round = 0;
    enum err err;

    *out = NULL;
    if ((err = open_walk(&w)) || (err = set_seeds(&w, seeds, len)))
        goto out;
    weigh(&w, cfg);
    while (round < cfg->rounds) {
        round++;
        if (step(&w, cfg->restart) < cfg->epsilon)
            break;
    }
    *out = w.now;
    w.now = NULL;
out:
    if (rounds)
        *rounds = round;
    close_walk(&w);
    return err;
}
