/*
 * sim_world - all a simulation knows, and what must be stored by it.
 *
 * The spans there are, the batches they are sent in, the machine that takes
 * them (tests/support/sim_core.h) and the model it is held against.  The model
 * is told of a batch when it was acknowledged, each once.
 *
 * Threads    None.  There is one world at a time.
 */
#ifndef TESTS_SUPPORT_SIM_WORLD_H
#define TESTS_SUPPORT_SIM_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/support/pair_forest.h"
#include "tests/support/pair_model.h"
#include "tests/support/sim_core.h"

enum {
    SIM_FORESTS = 3,
    SIM_SPANS = SIM_FORESTS * PAIR_FOREST_SPANS,
    SIM_BATCHES = 192,
    SIM_BATCH_SPANS = 6,
};

#define SIM_WAIT_NS   (60 * NS_PER_S)
#define SIM_DIGEST_NS (900 * NS_PER_S)

struct sim_batch {
    uint32_t span[SIM_BATCH_SPANS];
    uint32_t len;
    bool is_over;     /* the sender has heard, or has put it otherwise */
    bool is_kept;     /* the machine has it */
    bool is_doubtful; /* refused; a crash may show that it is there */
    uint64_t kept_ns;
    uint64_t seen_ns; /* in the journal, after a crash */
};

extern struct sim_world {
    uint64_t seed;
    uint64_t random;
    uint64_t now_ns;
    struct stub span[SIM_SPANS];
    const struct span_link *link[SIM_SPANS];
    struct pair_forest forest[SIM_FORESTS];
    uint32_t spans;
    struct sim_batch batch[SIM_BATCHES];
    uint32_t batches;
    struct sim_core core;
    struct pair_model model;
    int64_t requests; /* kept, each once */
    uint32_t crashes;
    uint32_t compared;
} world;

/* sim_world_begin makes the world of |seed|, with spans and nothing sent, and
 * an empty disk.  |shares|: some spans have one id (pair_forest_share). */
void sim_world_begin(uint64_t seed, bool shares);

/* sim_below is a number less than |n|; sim_one_in is true once in |n|. */
uint64_t sim_below(uint64_t n);
bool sim_one_in(uint64_t n);

struct digest128 sim_digest(uint32_t batch);

/* sim_expect fails the test, with the seed, unless |is| is |want|. */
void sim_expect(const char *what, uint64_t is, uint64_t want);

/* sim_break_disk has the disk fail soon, in one of its ways, until healed.
 * sim_open_again opens the machine that has ended: perhaps on a disk that fails
 * at first, perhaps with a clock that was set. */
void sim_break_disk(void);
void sim_open_again(void);

/* sim_keep: the machine has |batch| since |now_ns|. */
void sim_keep(struct sim_batch *batch, uint64_t now_ns);

/* sim_compare holds what is stored against the model, at world.model.now_ns. */
void sim_compare(void);

/* sim_look_into_journal, after a crash: what was acknowledged must be there,
 * what was refused may be; the model is told. */
void sim_look_into_journal(void);

#endif
