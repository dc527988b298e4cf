/*
 * stay - how long to stay away from where there is no room.
 *
 * What was let in lately took so long, from its coming to its end, waiting
 * included; so where all places are taken, those before you are done by then.
 *
 * Threads    Any.
 */
#ifndef BASE_STAY_H
#define BASE_STAY_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/str.h"

/* Zeroed: nothing was let in yet. */
struct stay {
    atomic_uint_fast64_t mean_ns; /* newer ones count more */
};

/* Nobody is told to stay away for longer, since what is slow now may have gone
 * by then. */
enum { STAY_MOST_S = 60, STAY_TEXT_CAP = 4 };

/* stay_note counts one that is done, |took_ns| after it came. */
void stay_note(struct stay *stay, uint64_t took_ns);

/* stay_text is the whole seconds to stay away as Retry-After has them: 1 to
 * STAY_MOST_S. */
str stay_text(const struct stay *stay, char out[STAY_TEXT_CAP]);

#endif
