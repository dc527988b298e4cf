/*
 * memo - what these strings meant the last time.
 *
 * Spans of one service repeat the same few dozen names.  A lane remembers what
 * came of them, so that the usual span costs a hash and a comparison for each
 * name instead of canonicalising, joining and looking up.
 *
 *     if (!memo_find(memo, &key, &value)) {
 *         value = ...;
 *         memo_put(memo, &key, value);
 *     }
 *
 * Memory     MEMO_LEN entries of 128 bytes, and an eighth as many of 256 for
 *            longer keys, in pairs: a new one displaces the older of its pair.
 *            Keys over MEMO_KEY_MAX bytes are not kept.
 * Threads    None: one lane, one memo.
 */
#ifndef RUNTIME_MEMO_H
#define RUNTIME_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { MEMO_LEN = 8192, MEMO_KEY_MAX = 224 };

/* What a key is about; keys of different uses never meet. */
enum memo_use {
    MEMO_NONE,
    MEMO_ROUTE,
    MEMO_NAME,
    MEMO_TEMPLATE,
    MEMO_RPC,
    MEMO_CONSUMER,
    MEMO_TOPIC,
    MEMO_DATABASE,
    MEMO_EXTERNAL,
    MEMO_SYMBOL,
    MEMO_PLACE,
    MEMO_AGENT,
    MEMO_FAAS,
};

struct memo_key {
    enum memo_use use;
    uint32_t owner;
    str a;
    str b;
    uint64_t hash; /* set by memo_find */
};

struct memo_value {
    uint32_t id;
    uint32_t flags;
};

struct memo;

/* memo_new returns NULL when memory is short. */
struct memo *memo_new(void);
void memo_free(struct memo *memo);

/* memo_find hashes |key| and, if it is held, sets |out|. */
bool memo_find(struct memo *memo, struct memo_key *key, struct memo_value *out);

/* memo_put remembers |value| for a |key| that memo_find did not find. */
void memo_put(struct memo *memo, const struct memo_key *key,
              struct memo_value value);

#endif
