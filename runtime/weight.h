/*
 * weight - how many spans one sampled span stands for (R10).
 *
 * Read from the span's tracestate and attributes, in this order: `ot=th`,
 * `ot=p`, `es=s`, Jaeger's sampler.*, SampleRate, a key of the operator's
 * choice.  Exact to one part in WEIGHT_ONE, by integers alone.
 *
 * A probability of zero (`ot=p:63`, `es=s:0`) says that the span was kept for
 * other reasons and stands for none.  A weight is never 0, so it gets the
 * least there is, 1/WEIGHT_ONE: nothing in any sum, and known.
 *
 * Threads    Any thread; no state.
 */
#ifndef RUNTIME_WEIGHT_H
#define RUNTIME_WEIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "model/attr.h"

/*
 * weight_of returns the weight of a span, at least 1 and at most WEIGHT_MAX,
 * and whether anything told it; if nothing did, WEIGHT_ONE.  |rate_key| is the
 * attribute that says "one in N", or ATTR_COUNT.
 */
uint64_t weight_of(str trace_state, const struct attr_set *attrs,
                   enum attr rate_key, bool *is_known);

#endif
