/*
 * Registers only rise, each by compare and swap, so threads add without a lock
 * and in any order.  The estimate is Ertl's ("New cardinality estimation
 * algorithms for HyperLogLog sketches", 2017): one formula that is unbiased
 * from zero to 2^50, with no tables of corrections and no switch between
 * methods.
 *
 * Saved is the seed, then the registers: while fewer than a quarter are in use
 * three bytes for each of those (14 bits which, 6 bits its rank), else six bits
 * for each of all.  The length tells which.
 */
#include "graph/hll.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { HLL_BITS = 14, HLL_LEN = 1 << HLL_BITS, HLL_RANK_MAX = 64 - HLL_BITS };
enum { FEW_BYTES = 3, FEW_MAX = HLL_LEN / 4 - 1, ALL_BYTES = HLL_LEN / 4 * 3 };

struct hll {
    uint64_t seed;
    _Atomic uint8_t rank[HLL_LEN];
};

struct hll *
hll_new(void)
{
    struct hll *hll = calloc(1, sizeof(*hll));

    if (hll)
        hll->seed = hash_seed();
    return hll;
}

void
hll_free(struct hll *hll)
{
    free(hll);
}

uint64_t
hll_seed(const struct hll *hll)
{
    return hll->seed;
}

bool
hll_add(struct hll *hll, uint64_t hash)
{
    _Atomic uint8_t *slot = &hll->rank[hash >> HLL_RANK_MAX];
    uint64_t rest = hash << HLL_BITS;
    unsigned zeros = rest ? (unsigned)__builtin_clzll(rest) : HLL_RANK_MAX;
    uint8_t rank = (uint8_t)(zeros + 1);
    uint8_t old = atomic_load_explicit(slot, memory_order_relaxed);

    while (old < rank) {
        if (atomic_compare_exchange_weak_explicit(
                slot, &old, rank, memory_order_relaxed, memory_order_relaxed))
            return true;
    }
    return false;
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

static void
put_24(struct buf *out, uint32_t bits)
{
    const char bytes[] = {(char)bits, (char)(bits >> 8), (char)(bits >> 16)};

    buf_add(out, (str){bytes, sizeof(bytes)});
}

static uint32_t
get_24(const char *at)
{
    const unsigned char *bytes = (const unsigned char *)at;

    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
}

void
hll_save(const struct hll *hll, struct buf *out)
{
    uint8_t rank[HLL_LEN]; /* of one moment */
    unsigned used = 0;

    for (unsigned i = 0; i < HLL_LEN; i++) {
        rank[i] = atomic_load_explicit(&hll->rank[i], memory_order_relaxed);
        used += rank[i] != 0;
    }
    buf_add(out, (str){(const char *)&hll->seed, sizeof(hll->seed)});
    for (unsigned i = 0; used <= FEW_MAX && i < HLL_LEN; i++) {
        if (rank[i])
            put_24(out, i << 6 | rank[i]);
    }
    for (unsigned i = 0; used > FEW_MAX && i < HLL_LEN; i += 4)
        put_24(out, rank[i] | (uint32_t)rank[i + 1] << 6 |
                        (uint32_t)rank[i + 2] << 12 |
                        (uint32_t)rank[i + 3] << 18);
}

static enum err
load_few(struct hll *hll, str saved)
{
    if (saved.len % FEW_BYTES || saved.len > (size_t)FEW_MAX * FEW_BYTES)
        return ERR_CORRUPT;
    for (size_t at = 0; at < saved.len; at += FEW_BYTES) {
        uint32_t bits = get_24(saved.ptr + at);
        if (bits >> 6 >= HLL_LEN || (bits & 63) > HLL_RANK_MAX + 1)
            return ERR_CORRUPT;
        atomic_init(&hll->rank[bits >> 6], (uint8_t)(bits & 63));
    }
    return OK;
}

static enum err
load_all(struct hll *hll, str saved)
{
    for (unsigned i = 0; i < HLL_LEN; i++) {
        uint32_t bits = get_24(saved.ptr + (size_t)i / 4 * 3) >> i % 4 * 6 & 63;
        if (bits > HLL_RANK_MAX + 1)
            return ERR_CORRUPT;
        atomic_init(&hll->rank[i], (uint8_t)bits);
    }
    return OK;
}

enum err
hll_load(struct hll *hll, str saved)
{
    enum err err = ERR_CORRUPT;

    memset(hll->rank, 0, sizeof(hll->rank));
    if (saved.len < sizeof(hll->seed))
        return err;
    memcpy(&hll->seed, saved.ptr, sizeof(hll->seed));
    saved = str_cut(saved, sizeof(hll->seed), saved.len);
    err = saved.len == ALL_BYTES ? load_all(hll, saved) : load_few(hll, saved);
    if (err)
        memset(hll->rank, 0, sizeof(hll->rank));
    return err;
}
