/* Rings: the newest displaces the oldest. */
#include "tests/support/traces.h"

#include <string.h>

enum { INTERNAL = 1, SERVER, CLIENT, PRODUCER, CONSUMER, ROOTS = 8 };

static void
fill(struct otlp_random *random, uint8_t *id, size_t len)
{
    for (size_t i = 0; i < len; i++)
        id[i] = (uint8_t)(otlp_random_below(random, 256) | 1);
}

static const struct trace_place *
find_parent(const struct traces *traces, struct otlp_random *random,
            size_t service, bool is_ingress)
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
    return len ? &ring[otlp_random_below(random, len)] : NULL;
}

bool
traces_next(struct traces *traces, struct otlp_random *random, size_t service,
            int kind, struct trace_place *out)
{
    const struct trace_place *parent = NULL;

    if (otlp_random_below(random, ROOTS))
        parent = find_parent(traces, random, service,
                             kind == SERVER || kind == CONSUMER);
    fill(random, out->trace_id, sizeof(out->trace_id));
    fill(random, out->span_id, sizeof(out->span_id));
    if (parent) {
        memcpy(out->trace_id, parent->trace_id, sizeof(out->trace_id));
        memcpy(out->parent_id, parent->span_id, sizeof(out->parent_id));
    }
    if (kind == CLIENT || kind == PRODUCER)
        traces->callers[traces->callers_len++ % TRACES_CALLERS] = *out;
    else
        traces->local[service][traces->local_len[service]++ % TRACES_LOCAL] =
            *out;
    return parent != NULL;
}
