/*
 * traces - which span is whose child, for the payload.
 *
 * A span that is no root gets a parent among those made before: an ingress an
 * egress of any service, others an ingress or an internal span of their own.
 * Few of the last ones are remembered, so that traces stay as small as those
 * of a shop.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_TRACES_H
#define TESTS_SUPPORT_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/support/otlp_random.h"

enum { TRACES_SERVICES = 10, TRACES_CALLERS = 2048, TRACES_LOCAL = 256 };

struct trace_place {
    uint8_t trace_id[16];
    uint8_t span_id[8];
    uint8_t parent_id[8];
};

struct traces {
    struct trace_place callers[TRACES_CALLERS];
    struct trace_place local[TRACES_SERVICES][TRACES_LOCAL];
    size_t callers_len; /* ever noted */
    size_t local_len[TRACES_SERVICES];
};

/* traces_next gives the ids of a span of OTLP's |kind|; false if it is a root.
 */
bool traces_next(struct traces *traces, struct otlp_random *random,
                 size_t service, int kind, struct trace_place *out);

#endif
