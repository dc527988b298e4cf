/*
 * Indexes are sorted by tier and density, then walked once a tier.
 */
#include "graph/pack.h"

#include <stdlib.h>

static double
density(const struct pack_item *item)
{
    return item->score / (item->tokens ? item->tokens : 1);
}

static int
compare_items(const void *left, const void *right, void *ctx)
{
    const struct pack_item *items = ctx;
    size_t a = *(const size_t *)left;
    size_t b = *(const size_t *)right;

    if (items[a].tier != items[b].tier)
        return items[a].tier < items[b].tier ? -1 : 1;
    if (density(&items[a]) != density(&items[b]))
        return density(&items[a]) > density(&items[b]) ? -1 : 1;
    return (a > b) - (a < b);
}

/* Takes from order[from..to), all of one tier; the tokens taken. */
static size_t
pack_tier(struct pack_item *items, const size_t *order, size_t len,
          size_t budget)
{
    size_t used = 0;
    double score = 0;
    const struct pack_item *best = NULL;

    for (size_t i = 0; i < len; i++) {
        struct pack_item *item = &items[order[i]];
        if (item->tokens > budget)
            continue;
        if (!best || item->score > best->score)
            best = item;
        if (item->tokens > budget - used)
            continue;
        item->is_in = true;
        used += item->tokens;
        score += item->score;
    }
    if (!best || best->is_in || best->score <= score)
        return used;
    for (size_t i = 0; i < len; i++)
        items[order[i]].is_in = &items[order[i]] == best;
    return best->tokens;
}

enum err
pack_greedy(struct pack_item *items, size_t len, size_t budget, size_t *used)
{
    size_t *order = malloc((len + 1) * sizeof(*order));
    size_t left = 0;

    *used = 0;
    if (!order)
        return ERR_NOMEM;
    for (size_t i = 0; i < len; i++)
        if (!items[i].is_in)
            order[left++] = i;
    if (left)
        qsort_r(order, left, sizeof(*order), compare_items, items);
    for (size_t from = 0, to = 0; from < left; from = to) {
        uint8_t tier = items[order[from]].tier;
        while (to < left && items[order[to]].tier == tier)
            to++;
        *used += pack_tier(items, order + from, to - from, budget - *used);
    }
    free(order);
    return OK;
}
