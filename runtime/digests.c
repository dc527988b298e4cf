/*
 * A ring in order of time and an index into it.  Digests are hashes already,
 * but the sender chooses the bytes: the index is seeded, both halves of a key:
 * one that makes a factor of the hash 0 would have all of them meet in one
 * place.
 */
#include "runtime/digests.h"

#include <stdlib.h>
#include <string.h>

#include "base/places.h"

enum { CAP_MIN = 1024 };

struct seen {
    struct digest128 digest;
    uint64_t at_ns;
};

struct digests {
    struct seen *ring;
    struct places places; /* in the ring; twice as many slots */
    uint32_t cap;         /* of the ring, a power of two */
    uint64_t tail;        /* positions, ever rising; the oldest held */
    uint64_t head;        /* the next */
    uint64_t seed[2];
};

static struct seen *
seen_at(const struct digests *digests, uint64_t position)
{
    return &digests->ring[position & (digests->cap - 1)];
}

static uint32_t
hash_of(const struct digests *digests, struct digest128 digest)
{
    return (uint32_t)hash_mix(digest.hi ^ digests->seed[0],
                              digest.lo ^ digests->seed[1]);
}

static uint32_t
place_of(const struct digests *digests, uint64_t position)
{
    return (uint32_t)(position & (digests->cap - 1));
}

/* Returns the slot of |digest|, or the empty one where it would go. */
static uint32_t
find(const struct digests *digests, struct digest128 digest)
{
    const struct places *places = &digests->places;
    uint32_t hash = hash_of(digests, digest);
    uint32_t i = places_seek(places, hash, hash);

    for (; places->slots[i].place != 0; i = places_seek(places, hash, i + 1)) {
        const struct seen *seen = &digests->ring[places->slots[i].place - 1];
        if (seen->digest.hi == digest.hi && seen->digest.lo == digest.lo)
            break;
    }
    return i;
}

static void
forget(struct digests *digests, uint64_t position)
{
    uint32_t hash = hash_of(digests, seen_at(digests, position)->digest);

    places_remove(&digests->places, places_slot(&digests->places, hash,
                                                place_of(digests, position)));
}

static void
put(struct digests *digests, const struct seen *seen)
{
    uint64_t position = digests->head++;

    *seen_at(digests, position) = *seen;
    places_add(&digests->places, hash_of(digests, seen->digest),
               place_of(digests, position));
}

static enum err
make(struct digests *out, uint32_t cap)
{
    *out = (struct digests){
        .cap = cap,
        .places = {.mask = 2 * cap - 1},
        .seed = {hash_seed(), hash_seed()},
    };
    out->ring = calloc(cap, sizeof(*out->ring));
    out->places.slots = calloc(2 * (size_t)cap, sizeof(struct place_slot));
    if (out->ring && out->places.slots)
        return OK;
    free(out->ring);
    free(out->places.slots);
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
    free(digests->places.slots);
    digests->ring = bigger.ring;
    digests->places.slots = bigger.places.slots;
    digests->places.mask = bigger.places.mask;
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
    free(digests->places.slots);
    free(digests);
}

void
digests_ahead(const struct digests *digests, struct digest128 digest)
{
    places_expect(&digests->places, hash_of(digests, digest));
}

bool
digests_has(const struct digests *digests, struct digest128 digest)
{
    return digests->places.slots[find(digests, digest)].place != 0;
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
