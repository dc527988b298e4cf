/*
 * code_held - the rows a repository has now, found by what they are.
 *
 * Each row has a key - what it is: path, or package, name and kind, or both
 * ends and type - and a body, the rest.  The key finds the row that stays or
 * is replaced, the body says which.  Both are digests under a seed of this
 * process, so that nobody can choose what collides.
 *
 * Threads    None.
 */
#ifndef GRAPH_CODE_HELD_H
#define GRAPH_CODE_HELD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "store/code_store.h"

struct held_key {
    uint64_t hi;
    uint64_t lo;
    uint64_t body;
};

struct held_row {
    struct held_key key;
    uint64_t id;
    uint32_t born;
    uint32_t num; /* of a file or node */
    bool taken;   /* held_take gave it */
};

struct held {
    enum code_table table;
    uint64_t seeds[3];
    struct held_row *rows;
    unsigned char *hashes; /* nodes, edges: SHA256_LEN each */
    uint32_t *slots;       /* row + 1 */
    uint32_t len, cap, slot_cap;
    struct buf scratch;
};

/* held_load reads what is there now of |repo|.  ERR_CORRUPT, ERR_STORE,
 * ERR_NOMEM; held_fini after any result. */
enum err held_load(struct held *held, struct code_store *cs,
                   enum code_table table, uint32_t repo);
void held_fini(struct held *held);

struct held_key held_key(struct held *held, const struct code_row *row);

/* held_take finds a row with that key that was not taken yet, and takes it;
 * HELD_NONE if there is none. */
#define HELD_NONE UINT32_MAX
uint32_t held_take(struct held *held, const struct held_key *key);

static inline const unsigned char *
held_hash(const struct held *held, uint32_t row)
{
    return held->hashes + (size_t)row * SHA256_LEN;
}

#endif
