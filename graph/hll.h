/*
 * hll - how many distinct names went by, without keeping one of them.
 *
 * A HyperLogLog of 2^14 registers: 16 KiB, a standard error of 0.8 %, so that
 * an estimate is within 3 % all but once in several thousand times.
 *
 * Threads    Any thread adds and estimates.
 */
#ifndef GRAPH_HLL_H
#define GRAPH_HLL_H

#include <stdint.h>

struct hll;

/* hll_new returns NULL when memory is short. */
struct hll *hll_new(void);
void hll_free(struct hll *hll);

/* hll_add counts the thing whose well-mixed 64-bit hash is |hash|. */
void hll_add(struct hll *hll, uint64_t hash);

uint64_t hll_estimate(const struct hll *hll);

#endif
