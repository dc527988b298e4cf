/*
 * pair_sums - observations added up, to be compared.
 */
#ifndef TESTS_SUPPORT_PAIR_SUMS_H
#define TESTS_SUPPORT_PAIR_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/edge.h"

enum { PAIR_SUMS_MAX = 1024 };

/* What all observations of one key add up to. */
struct pair_sum {
    struct edge_key key;
    int64_t count;
    int64_t errors;
    int64_t known;
    int64_t weight;
    int64_t samples;  /* with a latency */
    int64_t latency;  /* sum of their buckets ... */
    int64_t squares;  /* ... and of their squares */
    int64_t at;       /* sum of the times; of spans seen, of their hours, */
    uint32_t first_s; /* ... and the first and the last */
    uint32_t last_s;
    int64_t versions; /* a checksum */
};

struct pair_sums {
    struct pair_sum sum[PAIR_SUMS_MAX];
    uint32_t len;
    bool went_below; /* something was taken back that was not told */
};

/* pair_sums_add is a pair_sink_fn. */
void pair_sums_add(void *sums, const struct edge_obs *obs);
/* pair_sums_get is zeros if nothing has that key. */
struct pair_sum
pair_sums_get(const struct pair_sums *sums, struct edge_key key);
/* pair_sums_differ says on stderr which numbers of which keys do. */
bool pair_sums_differ(const struct pair_sums *is, const struct pair_sums *want);
/* pair_sums_negative finds a key of which less than nothing is left, or was at
 * any time. */
bool pair_sums_negative(const struct pair_sums *sums, struct edge_key *where);

#endif
