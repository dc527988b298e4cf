#include "tests/support/pair_sums.h"

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

static bool
is_equal(const struct pair_sum *a, const struct pair_sum *b)
{
    return a->count == b->count && a->errors == b->errors &&
           a->known == b->known && a->weight == b->weight &&
           a->samples == b->samples && a->latency == b->latency &&
           a->squares == b->squares && a->at == b->at &&
           a->first_s == b->first_s && a->last_s == b->last_s &&
           a->versions == b->versions;
}

bool
pair_sums_differ(const struct pair_sums *a, const struct pair_sums *b,
                 struct edge_key *where)
{
    for (int side = 0; side < 2; side++) {
        const struct pair_sums *one = side ? b : a;
        const struct pair_sums *two = side ? a : b;
        for (uint32_t i = 0; i < one->len; i++) {
            struct pair_sum other = pair_sums_get(two, one->sum[i].key);
            *where = one->sum[i].key;
            if (!is_equal(&one->sum[i], &other))
                return true;
        }
    }
    return false;
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
