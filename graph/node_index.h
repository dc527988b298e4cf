/*
 * node_index - where nodes lie, and how they are found without a lock.
 *
 * The storage behind graph/nodes.c, and nobody else's business: records that
 * never move, their strings, and a hash table over them.  It knows nothing of
 * limits, routes or saving.
 *
 * Memory     Grows; nothing is given back before node_index_fini.
 * Threads    Any thread finds.  One at a time adds; the caller sees to that.
 */
#ifndef GRAPH_NODE_INDEX_H
#define GRAPH_NODE_INDEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "model/node.h"

enum {
    NODE_CHUNK_FIRST = 1024,
    NODE_CHUNKS = 22, /* NODE_CHUNK_FIRST << NODE_CHUNKS is 2^32 */
    NODE_RESERVE = 64 /* records beyond those asked for that always fit */
};

struct overflow_node;

struct node_record {
    const char *name;
    const char *env;
    struct overflow_node *_Atomic overflow; /* of one that is in use */
    uint32_t owner;
    uint16_t name_len;
    uint16_t env_len;
    _Atomic uint32_t alias;
    _Atomic uint32_t routes;  /* of a service: its heuristic routes */
    _Atomic uint32_t symbols; /* likewise */
    _Atomic uint8_t source;
    uint8_t kind;
    bool is_queued; /* to be saved again, and not given yet */
    bool is_target; /* some alias points here */
};

struct node_key {
    uint64_t hash;
    str name;
    str env;
    uint32_t owner;
    enum node_kind kind;
};

struct node_table;
struct node_block;

struct node_index {
    uint64_t seed;
    struct node_table *_Atomic table;
    struct node_record *_Atomic chunks[NODE_CHUNKS];
    _Atomic uint32_t len;
    struct node_block *blocks; /* of strings; the adding thread's */
};

/* node_index_init: false without memory; node_index_fini is due either way. */
bool node_index_init(struct node_index *index);
void node_index_fini(struct node_index *index);

/* node_index_key leaves out |env| unless |kind| is a service. */
struct node_key
node_index_key(const struct node_index *index, enum node_kind kind,
               uint32_t owner, str name, str env);

/* node_index_find is the id of |key|, or 0. */
uint32_t
node_index_find(const struct node_index *index, const struct node_key *key);

/*
 * node_index_add gives a new node, whose strings are copied, the next id; 0
 * when memory is short.  node_index_add_static copies nothing and needs no
 * memory: it is for NODE_RESERVE nodes at most after an add that failed.
 */
uint32_t node_index_add(struct node_index *index, const struct node_key *key,
                        uint8_t source);
uint32_t node_index_add_static(struct node_index *index,
                               const struct node_key *key, uint8_t source);

/* node_index_has_room says whether one more fits beside the reserve; it makes
 * that room if it can. */
bool node_index_has_room(struct node_index *index);

/* node_index_at is the record of |id|, which exists. */
static inline struct node_record *
node_index_at(const struct node_index *index, uint32_t id)
{
    uint64_t at = (uint64_t)id - 1;
    unsigned chunk = 63 - (unsigned)__builtin_clzll(at / NODE_CHUNK_FIRST + 1);
    uint64_t first = (uint64_t)NODE_CHUNK_FIRST * ((UINT64_C(1) << chunk) - 1);

    return atomic_load_explicit(&index->chunks[chunk], memory_order_acquire) +
           (at - first);
}

#endif
