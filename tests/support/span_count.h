/*
 * span_count - a visitor of spans that counts them and passes over the rest.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_SPAN_COUNT_H
#define TESTS_SUPPORT_SPAN_COUNT_H

#include <stdint.h>

#include "model/span.h"

/* span_count returns a visitor that adds to |spans|.  Of its functions only
 * `span` looks at `ctx`: a test that wants to see more takes the others. */
struct span_visitor span_count(uint32_t *spans);

#endif
