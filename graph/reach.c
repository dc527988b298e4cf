/*
 * Breadth first, a layer at a time.  Depth is that of the shortest way; the
 * confidence of a place is that of the way whose weakest arc is strongest among
 * those within max_depth, found by letting each layer improve the next until
 * nothing improves.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "graph/joined.h"
#include "graph/query_stop.h"

#define NONE UINT32_MAX

struct reach {
    const struct joined *joined;
    const struct joined_ask *ask;
    uint64_t types;
    uint8_t evidence;
    uint32_t *step_of; /* by place, index + 1 */
    struct joined_walk *out;
    size_t cap;
};

static bool
is_wanted(const struct reach *r, const struct joined_arc *arc)
{
    return (r->types & JOINED_BIT(arc->type)) != 0 &&
           (r->evidence & arc->evidence) != 0;
}

static void
arcs_of(const struct reach *r, uint32_t place, uint32_t *from, uint32_t *to)
{
    const struct joined *joined = r->joined;
    const uint32_t *at = r->ask->is_backward ? joined->in_at : joined->out_at;

    *from = at[place];
    *to = at[place + 1];
}

static const struct joined_arc *
arc_at(const struct reach *r, uint32_t i)
{
    return r->ask->is_backward ? &r->joined->in[i] : &r->joined->out[i];
}

static enum err
add_step(struct reach *r, const struct joined_step *step)
{
    struct joined_walk *out = r->out;

    if (r->ask->max_places && out->len >= r->ask->max_places) {
        out->is_truncated = true;
        return OK;
    }
    if (!grow_room(out->steps, out->len, r->cap))
        return ERR_NOMEM;
    out->steps[out->len++] = *step;
    r->step_of[step->place] = (uint32_t)out->len;
    return OK;
}

static uint16_t
weaker(uint16_t a, uint16_t b)
{
    return a < b ? a : b;
}

static enum err
expand(struct reach *r, uint32_t index)
{
    const struct joined_step step = r->out->steps[index];
    uint32_t from;
    uint32_t to;
    enum err err = OK;

    arcs_of(r, step.place, &from, &to);
    for (uint32_t i = from; i < to && !err; i++) {
        const struct joined_arc *arc = arc_at(r, i);
        if (!is_wanted(r, arc) || r->step_of[arc->place])
            continue;
        if (step.depth == r->ask->max_depth) {
            r->out->has_more = true;
            return OK;
        }
        err = add_step(r, &(struct joined_step){
                              .place = arc->place,
                              .depth = step.depth + 1,
                              .parent = index,
                              .arc = i,
                              .permille = weaker(step.permille, arc->permille),
                          });
    }
    return err;
}

/* One round: what each place's arcs can make better.  Starts stay as they are.
 */
static bool
improve(struct reach *r)
{
    bool better = false;

    for (size_t k = 0; k < r->out->len; k++) {
        const struct joined_step step = r->out->steps[k];
        uint32_t from;
        uint32_t to;

        arcs_of(r, step.place, &from, &to);
        for (uint32_t i = from; i < to; i++) {
            const struct joined_arc *arc = arc_at(r, i);
            uint32_t at = r->step_of[arc->place];
            if (at == 0 || !is_wanted(r, arc))
                continue;
            struct joined_step *next = &r->out->steps[at - 1];
            uint16_t permille = weaker(step.permille, arc->permille);
            if (next->depth == 0 || permille <= next->permille)
                continue;
            next->permille = permille;
            better = true;
        }
    }
    return better;
}

static int
by_depth_and_place(const void *left, const void *right)
{
    const struct joined_step *a = left;
    const struct joined_step *b = right;

    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* Sorted by depth and place, with parents that follow. */
static void
sort_steps(struct reach *r)
{
    struct joined_walk *out = r->out;

    for (size_t i = 0; i < out->len; i++) {
        uint32_t parent = out->steps[i].parent;
        out->steps[i].parent =
            out->steps[i].depth ? out->steps[parent].place : NONE;
    }
    if (out->len)
        qsort(out->steps, out->len, sizeof(*out->steps), by_depth_and_place);
    for (size_t i = 0; i < out->len; i++)
        r->step_of[out->steps[i].place] = (uint32_t)i;
    for (size_t i = 0; i < out->len; i++) {
        uint32_t place = out->steps[i].parent;
        out->steps[i].parent = place == NONE ? 0 : r->step_of[place];
    }
}

static enum err
run(struct reach *r)
{
    enum err err = OK;

    for (size_t i = 0; i < r->ask->from_len && !err; i++) {
        uint32_t place = r->ask->from[i];
        if (place && place < r->joined->place_len && !r->step_of[place])
            err = add_step(
                r, &(struct joined_step){.place = place, .permille = 1000});
    }
    for (uint32_t i = 0; i < r->out->len && !err; i++)
        if (!(err = query_check_at(r->ask->view, i)))
            err = expand(r, i);
    for (uint32_t round = 0; round < r->ask->max_depth && !err; round++)
        if ((err = query_check(r->ask->view)) || !improve(r))
            break;
    if (!err)
        sort_steps(r);
    return err;
}

static enum err
prepare(struct reach *r, const struct joined *joined,
        const struct joined_ask *ask)
{
    r->joined = joined;
    r->ask = ask;
    r->types = ask->types ? ask->types : JOINED_CALLS;
    r->evidence = ask->evidence ? ask->evidence : BY_BOTH;
    r->step_of = calloc((size_t)joined->place_len + 1, sizeof(*r->step_of));
    return r->step_of ? OK : ERR_NOMEM;
}

enum err
joined_reach(const struct joined *joined, const struct joined_ask *ask,
             struct joined_walk *out)
{
    struct reach r = {.out = out};

    *out = (struct joined_walk){0};
    enum err err = prepare(&r, joined, ask);
    if (!err)
        err = run(&r);
    free(r.step_of);
    if (err)
        joined_walk_fini(out);
    return err;
}

void
joined_walk_fini(struct joined_walk *walk)
{
    free(walk->steps);
    *walk = (struct joined_walk){0};
}

/* ---- paths ---- */

/* A way is grown from its end: |back[i]| is the way one place shorter. */
struct way {
    uint32_t place;
    uint32_t back; /* index, or NONE */
    uint32_t depth;
};

struct ways {
    struct reach reach;
    uint32_t *distance; /* to a target, by place; NONE: cannot reach one */
    struct way *ways;
    size_t len;
    size_t cap;
    struct joined_paths *out;
    size_t place_cap;
};

/* Ways looked at before a search gives up and says so. */
enum { WAYS_MAX = 200000 };

static bool
is_on(const struct ways *w, uint32_t at, uint32_t place)
{
    for (; at != NONE; at = w->ways[at].back)
        if (w->ways[at].place == place)
            return true;
    return false;
}

static enum err
add_way(struct ways *w, struct way way)
{
    if (!grow_room(w->ways, w->len, w->cap))
        return ERR_NOMEM;
    w->ways[w->len++] = way;
    return OK;
}

static enum err
keep_path(struct ways *w, uint32_t at)
{
    struct joined_paths *out = w->out;
    size_t first = out->at[out->len];
    size_t need = first + w->ways[at].depth + 1;

    if (need > w->place_cap) {
        size_t cap = 2 * need;
        uint32_t *places = realloc(out->places, cap * sizeof(*places));
        if (!places)
            return ERR_NOMEM;
        out->places = places;
        w->place_cap = cap;
    }
    out->at[++out->len] = (uint32_t)need;
    for (; at != NONE; at = w->ways[at].back)
        out->places[first + w->ways[at].depth] = w->ways[at].place;
    return OK;
}

/* How far each place is from the nearest of |to|, going backward. */
static enum err
measure(struct ways *w, const struct ids *to)
{
    const struct joined_ask back = {
        .from = to->ids,
        .from_len = to->len,
        .is_backward = !w->reach.ask->is_backward,
        .evidence = w->reach.ask->evidence,
        .types = w->reach.ask->types,
        .max_depth = w->reach.ask->max_depth,
        .view = w->reach.ask->view,
    };
    struct joined_walk walk;
    size_t places = (size_t)w->reach.joined->place_len + 1;
    enum err err = joined_reach(w->reach.joined, &back, &walk);

    if (err)
        return err;
    w->distance = malloc(places * sizeof(*w->distance));
    if (w->distance) {
        memset(w->distance, 0xff, places * sizeof(*w->distance));
        for (size_t i = 0; i < walk.len; i++)
            w->distance[walk.steps[i].place] = walk.steps[i].depth;
    }
    joined_walk_fini(&walk);
    return w->distance ? OK : ERR_NOMEM;
}

static enum err
grow_way(struct ways *w, uint32_t index)
{
    const struct way way = w->ways[index];
    uint32_t before = 0;
    uint32_t from;
    uint32_t to;
    enum err err = OK;

    arcs_of(&w->reach, way.place, &from, &to);
    for (uint32_t i = from; i < to && !err; i++) {
        const struct joined_arc *arc = arc_at(&w->reach, i);
        /* Arcs are sorted by place: of several the first is enough. */
        if (!is_wanted(&w->reach, arc) || arc->place == before ||
            w->distance[arc->place] == NONE ||
            way.depth + 1 + w->distance[arc->place] > w->reach.ask->max_depth ||
            is_on(w, index, arc->place))
            continue;
        before = arc->place;
        err = add_way(w, (struct way){arc->place, index, way.depth + 1});
    }
    return err;
}

static enum err
search(struct ways *w, size_t max)
{
    enum err err = OK;

    for (uint32_t i = 0; i < w->len && !err; i++) {
        if (i >= WAYS_MAX || w->out->len > max)
            break;
        if (w->distance[w->ways[i].place] > 0)
            err = grow_way(w, i);
        else if (w->out->len == max)
            w->out->is_truncated = true;
        else
            err = keep_path(w, i);
        if (w->out->is_truncated)
            return err;
    }
    w->out->is_truncated |= w->len > WAYS_MAX;
    return err;
}

enum err
joined_find_paths(const struct joined *joined, const struct joined_ask *ask,
                  const struct ids *to, size_t max, struct joined_paths *out)
{
    struct ways w = {.out = out};
    enum err err = prepare(&w.reach, joined, ask);

    *out = (struct joined_paths){.at = calloc(max + 2, sizeof(*out->at))};
    if (!err && !out->at)
        err = ERR_NOMEM;
    if (!err)
        err = measure(&w, to);
    for (size_t i = 0; i < ask->from_len && !err; i++)
        if (ask->from[i] && ask->from[i] < joined->place_len &&
            w.distance[ask->from[i]] != NONE)
            err = add_way(&w, (struct way){ask->from[i], NONE, 0});
    if (!err)
        err = search(&w, max);
    free(w.reach.step_of);
    free(w.distance);
    free(w.ways);
    if (err)
        joined_paths_fini(out);
    return err;
}

void
joined_paths_fini(struct joined_paths *paths)
{
    free(paths->places);
    free(paths->at);
    *paths = (struct joined_paths){0};
}

const struct joined_arc *
joined_arc_between(const struct joined *joined, uint32_t from, uint32_t to,
                   uint64_t types, uint8_t evidence)
{
    const struct joined_arc *best = NULL;

    if (from == 0 || from >= joined->place_len)
        return NULL;
    for (uint32_t i = joined->out_at[from]; i < joined->out_at[from + 1]; i++) {
        const struct joined_arc *arc = &joined->out[i];
        if (arc->place == to && JOINED_BIT(arc->type) & types &&
            arc->evidence & evidence &&
            (!best || arc->permille > best->permille))
            best = arc;
    }
    return best;
}
