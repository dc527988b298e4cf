/*
 * Registers only rise, each by compare and swap, so threads add without a lock
 * and in any order.  The estimate is Ertl's ("New cardinality estimation
 * algorithms for HyperLogLog sketches", 2017): one formula that is unbiased
 * from zero to 2^50, with no tables of corrections and no switch between
 * methods.
 */
#include "graph/hll.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { HLL_BITS = 14, HLL_LEN = 1 << HLL_BITS, HLL_RANK_MAX = 64 - HLL_BITS };

struct hll {
    _Atomic uint8_t rank[HLL_LEN];
};

struct hll *
hll_new(void)
{
    return calloc(1, sizeof(struct hll));
}

void
hll_free(struct hll *hll)
{
    free(hll);
}

void
hll_add(struct hll *hll, uint64_t hash)
{
    _Atomic uint8_t *slot = &hll->rank[hash >> HLL_RANK_MAX];
    uint64_t rest = hash << HLL_BITS;
    unsigned zeros = rest ? (unsigned)__builtin_clzll(rest) : HLL_RANK_MAX;
    uint8_t rank = (uint8_t)(zeros + 1);
    uint8_t old = atomic_load_explicit(slot, memory_order_relaxed);

    while (old < rank &&
           !atomic_compare_exchange_weak_explicit(
               slot, &old, rank, memory_order_relaxed, memory_order_relaxed))
        ;
}

/* Corrects for registers that are still zero; |share| of them is in 0..1. */
static double
sigma(double share)
{
    double y = 1;
    double z = share;
    double before;

    if (share >= 1)
        return INFINITY;
    do {
        share *= share;
        before = z;
        z += share * y;
        y += y;
    } while (z > before);
    return z;
}

/* Corrects for registers that are full; |share| is of those that are not. */
static double
tau(double share)
{
    double y = 1;
    double z = 1 - share;
    double before;

    if (share <= 0 || share >= 1)
        return 0;
    do {
        share = sqrt(share);
        before = z;
        y *= 0.5;
        z -= (1 - share) * (1 - share) * y;
    } while (z < before);
    return z / 3;
}

uint64_t
hll_estimate(const struct hll *hll)
{
    const double len = HLL_LEN;
    const double alpha = 0.7213475204444817; /* 1 / (2 ln 2) */
    unsigned count[HLL_RANK_MAX + 2] = {0};

    for (unsigned i = 0; i < HLL_LEN; i++)
        count[atomic_load_explicit(&hll->rank[i], memory_order_relaxed)]++;

    double z = len * tau(1 - count[HLL_RANK_MAX + 1] / len);
    for (int rank = HLL_RANK_MAX; rank >= 1; rank--)
        z = 0.5 * (z + count[rank]);
    z += len * sigma(count[0] / len);
    return (uint64_t)llround(alpha * len * len / z);
}
