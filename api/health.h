/*
 * health - what a probe is told: is the process alive, can it take in.
 *
 * JSON, one object and a line's end: {"alive":true}, {"ready":true}; or
 * {"ready":false,"reason":"draining"}.  Asked with `verbose`, in any value but
 * 0 and false, there is more, for people.
 *
 * Threads    Any; nothing is waited for.
 */
#ifndef API_HEALTH_H
#define API_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

struct health {
    bool is_writable; /* the store */
    bool is_draining;
    uint64_t now_s; /* Unix time */
};

/* health_alive appends that the process answers, which is all that it says:
 * whoever restarts what is not alive would lose a store that is only full. */
void health_alive(const struct health *health, str query, struct buf *out);

/* health_ready appends whether what is sent can be taken in and stored, and
 * returns it. */
bool health_ready(const struct health *health, str query, struct buf *out);

#endif
