/*
 * pair_producers - those who sent messages that may still be linked to.
 *
 * A message can lie in a queue for a day; its producer is forgotten as a span
 * after the horizon, but what a link needs to know of it is kept here.  First
 * in, first out; the newest of two with one id counts.
 *
 * Memory     48 bytes a producer and 16 to 32 of index, reserved at once,
 *            touched as it is used.
 * Bound      max_producers; beyond, the oldest go.  PAIR_CROWD_MAX with ids
 *            that differ in the high half of the trace id alone; beyond, one of
 *            them goes for a newer one.
 * Threads    None.
 */
#ifndef RUNTIME_PAIR_PRODUCERS_H
#define RUNTIME_PAIR_PRODUCERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/places.h"
#include "runtime/pair_table.h"

/* Bits of pair_producer.flags. */
enum {
    PAIR_PRODUCER_FAILED = 1,
    PAIR_PRODUCER_WEIGHTED = 2,
    PAIR_PRODUCER_SYNTHETIC = 4,
    PAIR_PRODUCER_FLAGS = 7,
};

struct pair_producer {
    struct pair_key key; /* span_id 0: was replaced by a newer one */
    uint64_t weight : 53;
    uint64_t flags : 11;
    uint32_t until_s; /* can be linked through this second */
    uint32_t site;
    uint32_t code; /* symbol it sends in, or 0 */
    uint32_t version;
};

_Static_assert(sizeof(struct pair_producer) == 48, "as documented above");

struct pair_producers {
    struct pair_producer *ring;
    struct places places;
    uint64_t seed[2]; /* of both words: a known factor of 0 is one place */
    uint64_t head;    /* positions in the ring */
    uint64_t tail;
    uint64_t saved; /* those before it are saved */
    uint32_t cap;
    uint32_t slots_max; /* of |places| */
    uint32_t used;      /* without those that were replaced */
};

/* pair_producers_init: ERR_NOMEM; may be given to fini in any case. */
enum err pair_producers_init(struct pair_producers *set, uint32_t cap);
void pair_producers_fini(struct pair_producers *set);

/* pair_producers_add puts in |producer| if it lives beyond |now_s| and beyond
 * the one of that key that is known. */
void pair_producers_add(struct pair_producers *set,
                        const struct pair_producer *producer, uint32_t now_s);

/* pair_producers_ahead asks for the memory that adding |key| needs. */
void
pair_producers_ahead(const struct pair_producers *set, struct pair_key key);

/* pair_producers_find is who has |key| and still lives, or NULL; valid until
 * the next add. */
const struct pair_producer *
pair_producers_find(const struct pair_producers *set, struct pair_key key,
                    uint32_t now_s);

/* pair_producers_expire forgets those whose time is over. */
void pair_producers_expire(struct pair_producers *set, uint32_t now_s);

/* As pair_save_producers and pair_load_producers of pair.h. */
uint32_t pair_producers_save(struct pair_producers *set, struct buf *out,
                             uint32_t *until_s);
enum err
pair_producers_load(struct pair_producers *set, str bytes, uint32_t now_s);

#endif
