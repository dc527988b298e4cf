/*
 * hll - how many distinct names went by, without keeping one of them.
 *
 * A HyperLogLog of 2^14 registers: 16 KiB, a standard error of 0.8 %, so that
 * an estimate is within 3 % all but once in several thousand times.
 *
 * Names are hashed under a seed of its own, which goes with it into the store:
 * what was counted before a restart is known again after it, and a sender
 * cannot choose names that count for more or less.
 *
 * Threads    Any thread adds and estimates; hll_load before others see it.
 */
#ifndef GRAPH_HLL_H
#define GRAPH_HLL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct hll;

/* hll_new returns NULL when memory is short. */
struct hll *hll_new(void);
void hll_free(struct hll *hll);

/* hll_add counts the thing whose well-mixed 64-bit hash under hll_seed is
 * |hash|; true if that changed anything. */
uint64_t hll_seed(const struct hll *hll);
bool hll_add(struct hll *hll, uint64_t hash);

uint64_t hll_estimate(const struct hll *hll);

/* hll_save appends all of it to |out|, 12 KiB at most and less while few names
 * were counted.  hll_load replaces |hll| by that: ERR_CORRUPT, and |hll| is
 * empty. */
void hll_save(const struct hll *hll, struct buf *out);
enum err hll_load(struct hll *hll, str saved);

#endif
