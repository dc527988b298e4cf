/*
 * Breadth first, so the first way to a spot is a shortest one.  Spots that were
 * met are kept in a table by open addressing, at most half full.
 */
#include "knowledge/near.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "graph/joined.h"
#include "knowledge/links.h"
#include "knowledge/text.h"

/* ---- types ---- */

#define CALLS_BITS                                               \
    (JOINED_BIT(CODE_CALLS) | JOINED_BIT(JOINED_RUNTIME_CALLS) | \
     JOINED_BIT(JOINED_RUNTIME_RPC) | JOINED_BIT(JOINED_HANDS_ON))
#define GUESS_BITS (JOINED_BIT(CODE_MAY_CALL) | JOINED_BIT(CODE_MAY_DISPATCH))

/* What is asked by one word and stored by others. */
static const struct alias {
    const char *word;
    uint64_t arcs;
} aliases[] = {
    {"CALLS", CALLS_BITS},
    {"EXTENDS", JOINED_BIT(CODE_EXTENDS) | JOINED_BIT(CODE_IMPLEMENTS)},
    {"DEFINES", JOINED_BIT(CODE_CONTAINS)},
    {"HANDLES", JOINED_BIT(CODE_HANDLES_ROUTE)},
    {"READS", JOINED_BIT(JOINED_RUNTIME_QUERIES)},
};

static void
add_link_type(struct near_types *types, const char *type)
{
    for (size_t i = 0; i < types->link_len; i++)
        if (types->links[i] == type)
            return;
    if (type && types->link_len < NEAR_LINKS_MAX)
        types->links[types->link_len++] = type;
}

static bool
read_type(struct near_types *types, str word)
{
    const char *link = link_type_of(word);
    uint64_t arcs = 0;

    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
        if (text_same(word, str_of(aliases[i].word)))
            arcs |= aliases[i].arcs;
    for (int type = 1; type < JOINED_TYPE_END; type++)
        if ((type < CODE_EDGE_END || type >= JOINED_HANDS_ON) &&
            text_same(word, str_of(joined_type_str((uint8_t)type))))
            arcs |= JOINED_BIT(type);
    types->arcs |= arcs;
    if (link) {
        add_link_type(types, link);
        add_link_type(types, link_type_reverse(link));
    }
    return link || arcs;
}

static enum err
fail_type(struct moment *moment, str word)
{
    moment_fail(moment, ERR_INVALID,
                "unknown relationship type '%.*s'; there are:", (int)word.len,
                word.ptr);
    for (int type = 1; type < JOINED_TYPE_END; type++)
        if (type < CODE_EDGE_END || type >= JOINED_HANDS_ON)
            buf_printf(moment->why, " %s", joined_type_str((uint8_t)type));
    for (size_t i = 0; link_types[i]; i++)
        buf_printf(moment->why, " %s", link_types[i]);
    return ERR_INVALID;
}

enum err
near_types_of(struct moment *moment, const cJSON *words, struct near_types *out)
{
    const cJSON *word;

    *out = (struct near_types){0};
    if (!words || !words->child) {
        out->arcs = ~GUESS_BITS;
        for (size_t i = 0; link_types[i]; i++)
            add_link_type(out, link_types[i]);
        return OK;
    }
    cJSON_ArrayForEach(word, words)
    {
        str text = text_trim(str_of(word->valuestring));

        if (!read_type(out, text))
            return fail_type(moment, text_cut(text, 60));
    }
    return OK;
}

/* ---- the walk ---- */

struct met {
    near_spot *slots;
    size_t cap; /* a power of two */
};

/* meet says whether |spot| is new. */
static bool
meet(struct met *met, near_spot spot)
{
    uint64_t at = spot * UINT64_C(0x9e3779b97f4a7c15) >> 20;

    for (;; at++) {
        near_spot *slot = &met->slots[at & (met->cap - 1)];

        if (*slot == spot)
            return false;
        if (!*slot) {
            *slot = spot;
            return true;
        }
    }
}

static enum err
add_step(struct near_walk *walk, const struct near_step *step)
{
    if (!grow_room(walk->steps, walk->len, walk->cap))
        return ERR_NOMEM;
    walk->steps[walk->len++] = *step;
    return OK;
}

static enum err
walk_on(struct near *near, const struct near_ask *ask, struct met *met,
        size_t at, struct near_walk *out)
{
    const struct near_step from = out->steps[at];
    const struct near_types *types =
        at == 0 && ask->first ? ask->first : ask->types;
    struct near_arcs arcs = {0};
    enum err err = near_arcs_of(near, from.arc.spot, ask->way, types, &arcs);

    out->is_truncated |= arcs.is_truncated;
    for (size_t i = 0; i < arcs.len && !err; i++) {
        const struct near_step step = {.arc = arcs.items[i],
                                       .depth = from.depth + 1,
                                       .parent = (uint32_t)at};

        if (out->len == ask->max_spots) {
            out->is_truncated |= meet(met, step.arc.spot);
            break;
        }
        if (meet(met, step.arc.spot))
            err = add_step(out, &step);
    }
    near_arcs_fini(&arcs);
    return err;
}

enum err
near_walk(struct near *near, const struct near_ask *ask, struct near_walk *out)
{
    const struct near_step start = {.arc = {.spot = ask->from, .type = ""}};
    struct met met = {.cap = 64};
    enum err err;

    *out = (struct near_walk){0};
    while (met.cap < 2 * (ask->max_spots + 2))
        met.cap *= 2;
    met.slots = calloc(met.cap, sizeof(*met.slots));
    if (!met.slots)
        return ERR_NOMEM;
    meet(&met, ask->from);
    err = add_step(out, &start);
    for (size_t at = 0; at < out->len && !err; at++)
        if (out->steps[at].depth < ask->max_depth)
            err = walk_on(near, ask, &met, at, out);
    free(met.slots);
    return err;
}

void
near_walk_fini(struct near_walk *walk)
{
    free(walk->steps);
    *walk = (struct near_walk){0};
}
