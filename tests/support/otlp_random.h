/*
 * otlp_random - trace requests by chance, on the wire.
 *
 * Tame ones look like an SDK's: fields in order, short lengths.  Wild ones are
 * valid too, but have fields in any order and repeated, unknown fields, long
 * tags and lengths, odd ids, nested values.  The same seed gives the same
 * bytes.  No string has a NUL in it.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_OTLP_RANDOM_H
#define TESTS_SUPPORT_OTLP_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct otlp_random {
    uint64_t state; /* any seed */
    bool wild;
};

/* otlp_random_below is a number from 0 to |bound| - 1. */
uint64_t otlp_random_below(struct otlp_random *random, uint64_t bound);

/* otlp_random_request appends a request of at most a few kilobytes. */
void otlp_random_request(struct otlp_random *random, struct buf *out);

/* otlp_random_span appends the content of one span. */
void otlp_random_span(struct otlp_random *random, struct buf *out);

/* otlp_random_wrap appends a request that holds |span|, whatever it is, between
 * other fields; every length around it is right. */
void otlp_random_wrap(str span, struct buf *out);

/* otlp_random_mutate changes a few bytes, lengths or ranges of |bytes|. */
void otlp_random_mutate(struct otlp_random *random, struct buf *bytes);

#endif
