/*
 * traces - which span is whose child, for the payload.
 *
 * A caller remembers the spans it made and asks for a parent for the next: an
 * ingress gets an egress of any service, others get an ingress or an internal
 * span of their own.  Few of the last ones are remembered, so that traces stay
 * as small as those of a shop.
 *
 * Threads    None.
 */
#ifndef TESTS_BENCH_TRACES_H
#define TESTS_BENCH_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRACES_SERVICES = 10, TRACES_CALLERS = 2048, TRACES_LOCAL = 256 };

struct trace_place {
    uint8_t trace_id[16];
    uint8_t span_id[8];
};

struct traces {
    struct trace_place callers[TRACES_CALLERS];
    struct trace_place local[TRACES_SERVICES][TRACES_LOCAL];
    size_t callers_len; /* ever noted */
    size_t local_len[TRACES_SERVICES];
};

/* traces_parent picks one by |random|; NULL: none is known yet. */
const struct trace_place *
traces_parent(const struct traces *traces, size_t service, bool is_ingress,
              uint64_t random);

/* traces_note remembers a span that may have children. */
void traces_note(struct traces *traces, size_t service, bool is_egress,
                 const struct trace_place *place);

#endif
