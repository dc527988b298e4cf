/*
 * wide - batches of spans that touch many edges: the graph of
 * `bench_growth fill`.
 *
 * Each service serves ten routes, and each route calls ten others: a hundred
 * edges a service, each met once a round.  A batch is what one service sends:
 * its ingress and egress spans, and what others called in it.  Small spans,
 * two attributes at most, since not they are measured.
 *
 * Memory     As tests/support/payload.h; no JSON.
 * Threads    None.
 */
#ifndef TESTS_BENCH_WIDE_H
#define TESTS_BENCH_WIDE_H

#include <stdint.h>

#include "tests/support/payload.h"

/* wide_new makes a batch for each of |services|, spans of |now_ns|. */
struct payload *wide_new(uint32_t services, uint64_t now_ns);

#endif
