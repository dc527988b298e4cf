/* Rings: the newest displaces the oldest. */
#include "tests/bench/traces.h"

const struct trace_place *
traces_parent(const struct traces *traces, size_t service, bool is_ingress,
              uint64_t random)
{
    const struct trace_place *ring = traces->local[service];
    size_t len = traces->local_len[service];
    size_t cap = TRACES_LOCAL;

    if (is_ingress) {
        ring = traces->callers;
        len = traces->callers_len;
        cap = TRACES_CALLERS;
    }
    len = len < cap ? len : cap;
    return len ? &ring[random % len] : NULL;
}

void
traces_note(struct traces *traces, size_t service, bool is_egress,
            const struct trace_place *place)
{
    if (is_egress)
        traces->callers[traces->callers_len++ % TRACES_CALLERS] = *place;
    else
        traces->local[service][traces->local_len[service]++ % TRACES_LOCAL] =
            *place;
}
