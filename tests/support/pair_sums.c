#include "tests/support/pair_sums.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

static struct pair_sum *
sum_of(struct pair_sums *sums, struct edge_key key)
{
    for (uint32_t i = 0; i < sums->len; i++) {
        if (edge_key_eq(sums->sum[i].key, key))
            return &sums->sum[i];
    }
    if (sums->len == PAIR_SUMS_MAX)
        abort();
    sums->sum[sums->len] = (struct pair_sum){.key = key};
    return &sums->sum[sums->len++];
}

/* Spans are seen several at once: by hour, and the first and last of them. */
static void
add_time(struct pair_sum *sum, const struct edge_obs *obs)
{
    uint32_t until_s = obs->until_s ? obs->until_s : obs->at_s;
    uint32_t hour = obs->at_s / S_PER_H;

    if (until_s / S_PER_H != hour || until_s < obs->at_s)
        abort();
    if (obs->key.kind != EDGE_SEEN && obs->key.kind != EDGE_SEEN_BY) {
        sum->at += (int64_t)obs->at_s * obs->count;
        return;
    }
    sum->at += (int64_t)hour * obs->count;
    if (obs->count == 0)
        return;
    if (sum->first_s == 0 || obs->at_s < sum->first_s)
        sum->first_s = obs->at_s;
    if (until_s > sum->last_s)
        sum->last_s = until_s;
}

void
pair_sums_add(void *sums, const struct edge_obs *obs)
{
    struct pair_sums *all = sums;
    struct pair_sum *sum = sum_of(all, obs->key);

    sum->count += obs->count;
    all->went_below |= sum->count < 0;
    sum->errors += obs->errors;
    sum->known += obs->weight_known;
    sum->weight += obs->weight;
    add_time(sum, obs);
    sum->versions +=
        (int64_t)(obs->src_version * UINT64_C(65537) + obs->dst_version) *
        obs->count;
    if (obs->latency == EDGE_NO_LATENCY)
        return;
    sum->samples += obs->count;
    sum->latency += (int64_t)obs->latency * obs->count;
    sum->squares += (int64_t)obs->latency * obs->latency * obs->count;
}

struct pair_sum
pair_sums_get(const struct pair_sums *sums, struct edge_key key)
{
    for (uint32_t i = 0; i < sums->len; i++) {
        if (edge_key_eq(sums->sum[i].key, key))
            return sums->sum[i];
    }
    return (struct pair_sum){.key = key};
}

/* Says which number of |key| differs, and how; true: it does. */
static bool
differs(struct edge_key key, const char *what, int64_t is, int64_t want)
{
    if (is != want)
        fprintf(stderr, "%u -> %u kind %u: %s %ld not %ld\n", key.src, key.dst,
                key.kind, what, is, want);
    return is != want;
}

static bool
sum_differs(const struct pair_sum *is, const struct pair_sum *want)
{
    struct edge_key key = is->key;

    return differs(key, "count", is->count, want->count) |
           differs(key, "errors", is->errors, want->errors) |
           differs(key, "known", is->known, want->known) |
           differs(key, "weight", is->weight, want->weight) |
           differs(key, "samples", is->samples, want->samples) |
           differs(key, "latency", is->latency, want->latency) |
           differs(key, "squares", is->squares, want->squares) |
           differs(key, "at", is->at, want->at) |
           differs(key, "first_s", is->first_s, want->first_s) |
           differs(key, "last_s", is->last_s, want->last_s) |
           differs(key, "versions", is->versions, want->versions);
}

static bool
has(const struct pair_sums *sums, struct edge_key key)
{
    for (uint32_t i = 0; i < sums->len; i++) {
        if (edge_key_eq(sums->sum[i].key, key))
            return true;
    }
    return false;
}

bool
pair_sums_differ(const struct pair_sums *is, const struct pair_sums *want)
{
    bool differ = false;

    for (uint32_t i = 0; i < is->len; i++) {
        struct pair_sum other = pair_sums_get(want, is->sum[i].key);
        differ |= sum_differs(&is->sum[i], &other);
    }
    for (uint32_t i = 0; i < want->len; i++) {
        struct pair_sum none = {.key = want->sum[i].key};
        if (!has(is, none.key))
            differ |= sum_differs(&none, &want->sum[i]);
    }
    return differ;
}

bool
pair_sums_negative(const struct pair_sums *sums, struct edge_key *where)
{
    for (uint32_t i = 0; i < sums->len; i++) {
        const struct pair_sum *sum = &sums->sum[i];
        *where = sum->key;
        if (sum->count < 0 || sum->errors < 0 || sum->known < 0 ||
            sum->weight < 0 || sum->samples < 0 || sum->errors > sum->count ||
            sum->samples > sum->count || sum->known > sum->count)
            return true;
    }
    return sums->went_below;
}
