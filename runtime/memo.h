/*
 * memo - what these strings meant the last time.
 *
 * Spans of one service repeat the same few dozen names.  A lane remembers what
 * came of them, so that the usual span costs a hash and one line of the cache
 * for each name instead of canonicalising, joining and looking up.
 *
 *     memo_ahead(memo, service);     the spans of another service come
 *     if (!memo_find(memo, &key, &value)) {
 *         value = ...;
 *         memo_put(memo, &key, value);
 *     }
 *
 * A key is known by 63 bits of a keyed hash, its strings are not kept: that a
 * new name is taken for one of a full memo has a chance of 1 in 2^45.
 *
 * Memory     64 KiB at first, MEMO_MIN keys.  When new keys displace many
 *            others it begins anew in twice as much, up to 4 MiB, MEMO_MAX
 *            keys; without memory for that it stays as it is.
 * Threads    None: one lane, one memo.
 */
#ifndef RUNTIME_MEMO_H
#define RUNTIME_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { MEMO_MIN = 4096, MEMO_MAX = 262144 };

/* What a key is about; keys of different uses never meet. */
enum memo_use {
    MEMO_NONE,
    MEMO_ENVIRONMENT,
    MEMO_SERVICE,
    MEMO_SCOPE,
    MEMO_TOPIC,
    MEMO_DATABASE,
    MEMO_EXTERNAL,
    MEMO_MODEL,
    MEMO_AGENT,
    /* Of a service, which is the owner. */
    MEMO_VERSION,
    MEMO_ROUTE,
    MEMO_NAME,
    MEMO_TEMPLATE,
    MEMO_RPC,
    MEMO_MCP,
    MEMO_CONSUMER,
    MEMO_SYMBOL,
    MEMO_PLACE,
};

struct memo_key {
    enum memo_use use;
    uint32_t owner;
    str a;
    str b;
    uint64_t tag; /* set by memo_find */
};

struct memo_value {
    uint32_t id;
    uint32_t flags;
};

struct memo;

/* memo_new returns NULL when memory is short. */
struct memo *memo_new(void);
void memo_free(struct memo *memo);

/* memo_forget forgets all; the memory stays. */
void memo_forget(struct memo *memo);

/* memo_ahead asks for the memory where the keys of |service| are. */
void memo_ahead(const struct memo *memo, uint32_t service);

/* memo_find hashes |key| and, if it is held, sets |out|. */
bool memo_find(struct memo *memo, struct memo_key *key, struct memo_value *out);

/* memo_put remembers |value| for a |key| that memo_find did not find. */
void memo_put(struct memo *memo, const struct memo_key *key,
              struct memo_value value);

#endif
