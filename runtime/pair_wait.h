/*
 * pair_wait - what time does to entries: waits end, horizons end, and when
 * there is no room the oldest go early.
 *
 * Threads    None.
 */
#ifndef RUNTIME_PAIR_WAIT_H
#define RUNTIME_PAIR_WAIT_H

#include <stdint.h>

#include "runtime/pair_state.h"

/* pair_end_waits ends the waits of those that came by |arrived_ns|. */
void pair_end_waits(struct pair *pair, uint64_t arrived_ns);

/* pair_end_horizons forgets those that came by |arrived_ns|. */
void pair_end_horizons(struct pair *pair, uint64_t arrived_ns);

/* pair_make_room forgets the oldest, and no more of them than it must, until
 * |spans| more, at most max_spans, and |others| in the pool may be held. */
void pair_make_room(struct pair *pair, uint32_t spans, uint32_t others);

#endif
