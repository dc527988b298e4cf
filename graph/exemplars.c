/*
 * A table by edge and failure.  Nothing is cleared: an entry of another minute
 * is an empty one, and one of another take was found already.  Entries of a
 * minute are only ever added, so a search ends at the first empty one.
 */
#include "graph/exemplars.h"

#include <stdlib.h>

#include "base/hash.h"

enum { SLOTS = 2 * EXEMPLARS_MAX, S_PER_MIN = 60 };

struct slot {
    struct edge_key key;
    uint32_t minute;          /* 0: of none */
    uint32_t take;            /* whose it is */
    struct exemplar exemplar; /* both halves of the id are 0: taken back */
};

struct exemplars {
    uint64_t seed;
    uint32_t minute; /* since the epoch, from 1 on; it never falls */
    uint32_t take;
    uint32_t len; /* of this minute */
    struct slot slots[SLOTS];
};

/* The entry of |key| in this minute, or the empty one where it belongs. */
static uint32_t
find(const struct exemplars *exemplars, struct edge_key key, bool failed)
{
    uint64_t hash = hash_mix((uint64_t)key.src << 32 | key.dst,
                             exemplars->seed + UINT64_C(2) * key.kind + failed);

    for (uint32_t at = (uint32_t)hash;; at++) {
        const struct slot *slot = &exemplars->slots[at % SLOTS];
        if (slot->minute != exemplars->minute ||
            (edge_key_eq(slot->key, key) && slot->exemplar.failed == failed))
            return at % SLOTS;
    }
}

/* An id of zeros is none. */
static bool
is_empty(const struct exemplar *exemplar)
{
    return (exemplar->trace_hi | exemplar->trace_lo) == 0;
}

void
exemplars_note(struct exemplars *exemplars, const struct edge_obs *obs,
               uint64_t trace_hi, uint64_t trace_lo)
{
    bool failed = obs->errors != 0;
    struct slot *slot = &exemplars->slots[find(exemplars, obs->key, failed)];
    bool is_new = slot->minute != exemplars->minute;
    struct exemplar *old = &slot->exemplar;

    if (obs->count < 0) {
        if (!is_new && slot->take == exemplars->take &&
            old->trace_hi == trace_hi && old->trace_lo == trace_lo)
            old->trace_hi = old->trace_lo = 0;
        return;
    }
    bool is_later = slot->take == exemplars->take && obs->at_s > old->at_s;
    if (is_new ? exemplars->len == EXEMPLARS_MAX : !is_empty(old) && !is_later)
        return;
    exemplars->len += is_new;
    *slot = (struct slot){
        .key = obs->key,
        .minute = exemplars->minute,
        .take = exemplars->take,
        .exemplar = {trace_hi, trace_lo, obs->at_s, failed},
    };
}

uint32_t
exemplars_find(const struct exemplars *exemplars, struct edge_key key,
               struct exemplar out[EXEMPLARS_EDGE_MAX])
{
    uint32_t len = 0;

    for (int failed = 0; failed < 2; failed++) {
        const struct slot *slot =
            &exemplars->slots[find(exemplars, key, failed != 0)];
        if (slot->minute == exemplars->minute &&
            slot->take == exemplars->take && !is_empty(&slot->exemplar))
            out[len++] = slot->exemplar;
    }
    return len;
}

void
exemplars_end_take(struct exemplars *exemplars, uint32_t now_s)
{
    uint32_t minute = now_s / S_PER_MIN + 1;

    exemplars->take++;
    if (minute <= exemplars->minute)
        return;
    exemplars->minute = minute;
    exemplars->len = 0;
}

struct exemplars *
exemplars_new(void)
{
    struct exemplars *exemplars = calloc(1, sizeof(*exemplars));

    if (exemplars) {
        exemplars->seed = hash_seed();
        exemplars->minute = 1;
    }
    return exemplars;
}

void
exemplars_free(struct exemplars *exemplars)
{
    free(exemplars);
}
