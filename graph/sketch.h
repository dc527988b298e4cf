/*
 * sketch - quantiles of durations, mergeable, within 2 % of the value.
 *
 * Logarithmic buckets as in DDSketch (Masson, Rim, Lee, VLDB 2019) with
 * relative accuracy 2 %: bucket i holds (g^(i-1), g^i] microseconds,
 * g = 1.02 / 0.98.  Counts only add, with either sign, so sketches merge in any
 * order.  Stored as a sorted list of (bucket, count) in varints.
 *
 * Threads    None.
 */
#ifndef GRAPH_SKETCH_H
#define GRAPH_SKETCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum { SKETCH_BUCKETS = 704 }; /* 1 us to 18 days; the last takes the rest */

struct sketch {
    int64_t count[SKETCH_BUCKETS];
};

/* sketch_bucket is the bucket of a duration; branch-light, no allocation. */
uint16_t sketch_bucket(uint64_t duration_ns);

/* sketch_value_ns is the duration a bucket stands for. */
uint64_t sketch_value_ns(uint16_t bucket);

struct sketch_count {
    uint16_t bucket;
    int64_t count;
};

/*
 * sketch_merge appends to |out| the sum of |stored|, a sketch as it is encoded
 * here or nothing, and of |counts|, by rising bucket, each once.
 *
 * ERR_CORRUPT  |stored| is no such bytes, or a sum is out of range.
 * ERR_NOMEM    |out| cannot grow.  |out| holds in both cases what it held.
 */
enum err sketch_merge(str stored, const struct sketch_count *counts, size_t len,
                      struct buf *out);

/* sketch_add_encoded adds stored buckets to |sketch|.  ERR_CORRUPT: not such
 * bytes; |sketch| is then as it was. */
enum err sketch_add_encoded(struct sketch *sketch, str bytes);

/* sketch_quantile_ns is the |q|-quantile, 0 <= q <= 1: the least duration that
 * at least the share |q| of all does not exceed; 0 if empty. */
uint64_t sketch_quantile_ns(const struct sketch *sketch, double q);

#endif
