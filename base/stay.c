#include "base/stay.h"

#include <stdio.h>

#include "base/clock.h"

enum { WEIGHT = 8 }; /* of what was, to one that is new */

/* Of two at once one may be lost: it is a mean. */
void
stay_note(struct stay *stay, uint64_t took_ns)
{
    const uint64_t most_ns = STAY_MOST_S * NS_PER_S;
    uint64_t mean_ns =
        atomic_load_explicit(&stay->mean_ns, memory_order_relaxed);

    took_ns = took_ns < most_ns ? took_ns : most_ns;
    mean_ns = (mean_ns * (WEIGHT - 1) + took_ns) / WEIGHT;
    atomic_store_explicit(&stay->mean_ns, mean_ns, memory_order_relaxed);
}

str
stay_text(const struct stay *stay, char out[STAY_TEXT_CAP])
{
    uint64_t mean_ns =
        atomic_load_explicit(&stay->mean_ns, memory_order_relaxed);
    unsigned s = (unsigned)((mean_ns + NS_PER_S - 1) / NS_PER_S);
    int len = snprintf(out, STAY_TEXT_CAP, "%u", s ? s % 100 : 1);

    return (str){out, (size_t)len};
}
