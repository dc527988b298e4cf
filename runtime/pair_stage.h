/*
 * pair_stage - the spans of a request that are taken in together, and the steps
 * that they take.
 *
 * Each step goes through all spans before the next one begins, and is to be
 * called once, in this order:
 *
 *   hold     find duplicates, give the others an entry and put it in the index
 *   relate   find their parents, among those that were held and the stage's
 *   inherit  give them the children that came before them, in other stages
 *
 * Threads    None.
 */
#ifndef RUNTIME_PAIR_STAGE_H
#define RUNTIME_PAIR_STAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/stub.h"
#include "runtime/pair_state.h"

enum {
    PAIR_STAGE_LEN = 512,
    PAIR_GROUP = 64, /* whose memory is asked for at once */
};

/* Two entries that are to be tied. */
struct pair_duo {
    uint32_t id;
    uint32_t other;
};

struct pair_stage {
    const struct stub *stubs; /* |stub_len| of them */
    const struct span_link *links;
    uint32_t stub_len;
    uint32_t len;                   /* spans that are held */
    uint32_t heir_len;              /* of them: some waited for */
    uint32_t linker_len;            /* of them: may publish or have links */
    uint32_t half_len;              /* spans whose id another one has */
    uint64_t hash[PAIR_STAGE_LEN];  /* of each stub ... */
    uint64_t above[PAIR_STAGE_LEN]; /* ... and of the parent it names */
    uint32_t id[PAIR_STAGE_LEN];
    uint16_t stub[PAIR_STAGE_LEN];
    uint16_t linker[PAIR_STAGE_LEN];
    uint16_t half[PAIR_STAGE_LEN];        /* places of their stubs */
    struct pair_duo heir[PAIR_STAGE_LEN]; /* with the absent it replaces */
};

/* pair_has_parent says whether |stub| names one; nobody is its own. */
static inline bool
pair_has_parent(const struct stub *stub)
{
    return (stub->parent_id != 0) & (stub->parent_id != stub->span_id);
}

/* pair_fill makes the entry |id| that of |stub|, of nobody's kin yet. */
void pair_fill(const struct pair *pair, uint32_t id, const struct stub *stub);

/* pair_relate_one ties |id| to the parent that |stub| names, or has it wait;
 * |hash| is that parent's. */
void pair_relate_one(struct pair *pair, uint32_t id, const struct stub *stub,
                     uint64_t hash);

/* pair_stage_hold fills |stage| but for |stubs|, |links| and |stub_len|. */
void pair_stage_hold(struct pair *pair, struct pair_stage *stage);
void pair_stage_relate(struct pair *pair, const struct pair_stage *stage);
void pair_stage_inherit(struct pair *pair, const struct pair_stage *stage);

#endif
