/*
 * A ring in order of time, and open addressing from digest to place in the
 * ring.  Digests are hashes already, but the sender chooses the bytes: the
 * index is seeded, both halves of a key: one that makes a factor of the hash 0
 * would have all of them meet in one place.  Removing moves later slots up, so
 * that no search ends early and there are no tombstones.
 */
#include "runtime/digests.h"

#include <stdlib.h>
#include <string.h>

enum { CAP_MIN = 1024 };

struct seen {
    struct digest128 digest;
    uint64_t at_ns;
};

struct digests {
    struct seen *ring;
    uint32_t *slots; /* place in the ring + 1; 0: empty */
    uint32_t cap;    /* of the ring, a power of two; slots are twice that */
    uint64_t tail;   /* positions, ever rising; the oldest held */
    uint64_t head;   /* the next */
    uint64_t seed[2];
};

static struct seen *
seen_at(const struct digests *digests, uint64_t position)
{
    return &digests->ring[position & (digests->cap - 1)];
}

static uint32_t
slot_mask(const struct digests *digests)
{
    return 2 * digests->cap - 1;
}

static uint32_t
home_of(const struct digests *digests, struct digest128 digest)
{
    return (uint32_t)hash_mix(digest.hi ^ digests->seed[0],
                              digest.lo ^ digests->seed[1]) &
           slot_mask(digests);
}

/* Returns the slot of |digest|, or the empty one where it would go. */
static uint32_t
find(const struct digests *digests, struct digest128 digest)
{
    uint32_t i = home_of(digests, digest);

    for (; digests->slots[i] != 0; i = (i + 1) & slot_mask(digests)) {
        const struct seen *seen = &digests->ring[digests->slots[i] - 1];
        if (seen->digest.hi == digest.hi && seen->digest.lo == digest.lo)
            break;
    }
    return i;
}

static void
forget(struct digests *digests, uint64_t position)
{
    uint32_t mask = slot_mask(digests);
    uint32_t hole = find(digests, seen_at(digests, position)->digest);

    for (uint32_t i = (hole + 1) & mask; digests->slots[i] != 0;
         i = (i + 1) & mask) {
        const struct seen *seen = &digests->ring[digests->slots[i] - 1];
        uint32_t home = home_of(digests, seen->digest);
        if (((i - home) & mask) < ((i - hole) & mask))
            continue;
        digests->slots[hole] = digests->slots[i];
        hole = i;
    }
    digests->slots[hole] = 0;
}

static void
put(struct digests *digests, const struct seen *seen)
{
    uint64_t position = digests->head++;

    *seen_at(digests, position) = *seen;
    digests->slots[find(digests, seen->digest)] =
        (uint32_t)(position & (digests->cap - 1)) + 1;
}

static enum err
make(struct digests *out, uint32_t cap)
{
    *out = (struct digests){.cap = cap, .seed = {hash_seed(), hash_seed()}};
    out->ring = calloc(cap, sizeof(*out->ring));
    out->slots = calloc(2 * (size_t)cap, sizeof(*out->slots));
    if (out->ring && out->slots)
        return OK;
    free(out->ring);
    free(out->slots);
    return ERR_NOMEM;
}

static enum err
grow(struct digests *digests)
{
    struct digests bigger;

    if (digests->cap == DIGESTS_MAX || make(&bigger, 2 * digests->cap))
        return ERR_NOMEM;
    /* Positions stay what they were: marks are positions. */
    bigger.tail = bigger.head = digests->tail;
    while (bigger.head < digests->head)
        put(&bigger, seen_at(digests, bigger.head));
    free(digests->ring);
    free(digests->slots);
    digests->ring = bigger.ring;
    digests->slots = bigger.slots;
    digests->cap = bigger.cap;
    memcpy(digests->seed, bigger.seed, sizeof(digests->seed));
    return OK;
}

enum err
digests_new(struct digests **out)
{
    struct digests *digests = malloc(sizeof(*digests));

    *out = NULL;
    if (!digests || make(digests, CAP_MIN)) {
        free(digests);
        return ERR_NOMEM;
    }
    *out = digests;
    return OK;
}

void
digests_free(struct digests *digests)
{
    if (!digests)
        return;
    free(digests->ring);
    free(digests->slots);
    free(digests);
}

bool
digests_has(const struct digests *digests, struct digest128 digest)
{
    return digests->slots[find(digests, digest)] != 0;
}

void
digests_add(struct digests *digests, struct digest128 digest, uint64_t at_ns)
{
    const struct seen seen = {.digest = digest, .at_ns = at_ns};

    if (digests->head - digests->tail == digests->cap && grow(digests))
        forget(digests, digests->tail++);
    put(digests, &seen);
}

void
digests_expire(struct digests *digests, uint64_t before_ns)
{
    while (digests->tail < digests->head &&
           seen_at(digests, digests->tail)->at_ns < before_ns)
        forget(digests, digests->tail++);
}

uint64_t
digests_mark(const struct digests *digests)
{
    return digests->head;
}

void
digests_rewind(struct digests *digests, uint64_t mark)
{
    while (digests->head > mark && digests->head > digests->tail)
        forget(digests, --digests->head);
}
