/*
 * decode_fast - the constants of the fast span decoders.
 *
 * They are operands in memory, beside what else an attribute asks for: as
 * constants of the program each would be an instruction, or a register too
 * many.
 *
 * Threads    Any thread; constant once set up.
 */
#ifndef OTLP_DECODE_FAST_H
#define OTLP_DECODE_FAST_H

#include <stdint.h>

struct decode_fast {
    uint64_t high_bits; /* of each byte, the one that says "more" ... */
    uint64_t low_bits;  /* ... and all others */

    /* By the tag of a value: how many bits of an attribute are neither of its
     * key nor before the last bit of its value; more than any has if it is no
     * tag that is read fast. */
    uint64_t around[256];
};

void decode_fast_init(struct decode_fast *out);

#endif
