/*
 * decode_resource_fast - the attributes of a resource as they usually come.
 *
 * Each request brings one, and read field by field it takes as long as two
 * spans, or as ten with all that Kubernetes adds.
 *
 * Threads    As decode_state.h.
 */
#ifndef OTLP_DECODE_RESOURCE_FAST_H
#define OTLP_DECODE_RESOURCE_FAST_H

#include <stdbool.h>
#include <stdint.h>

#include "otlp/decode_state.h"

/* decode_resource_fast reads the attributes at |p| of a resource that are as
 * usual, and returns the position behind them.  They are kept if |is_plain|;
 * else some of their text is not ASCII, and they are to be read again. */
const uint8_t *decode_resource_fast(struct decode_scratch *s, const uint8_t *p,
                                    const uint8_t *end, bool *is_plain);

#endif
