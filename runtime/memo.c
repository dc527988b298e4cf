#include "runtime/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct entry {
    uint64_t hash;
    struct memo_value value;
    uint32_t owner;
    uint16_t a_len;
    uint16_t b_len;
    uint8_t use; /* MEMO_NONE: empty */
    char bytes[MEMO_KEY_MAX + 3];
};

_Static_assert(sizeof(struct entry) == 256, "four lines of the cache");

struct memo {
    uint64_t seed;
    struct entry entries[MEMO_LEN];
};

struct memo *
memo_new(void)
{
    struct memo *memo = calloc(1, sizeof(*memo));

    if (memo)
        memo->seed = hash_seed();
    return memo;
}

void
memo_free(struct memo *memo)
{
    free(memo);
}

static bool
entry_is(const struct entry *entry, const struct memo_key *key)
{
    return entry->hash == key->hash && entry->use == key->use &&
           entry->owner == key->owner &&
           str_eq((str){entry->bytes, entry->a_len}, key->a) &&
           str_eq((str){entry->bytes + entry->a_len, entry->b_len}, key->b);
}

bool
memo_find(struct memo *memo, struct memo_key *key, struct memo_value *out)
{
    uint64_t seed = memo->seed ^
                    hash_mix(key->owner, (uint64_t)key->use << 32 | key->a.len);

    key->hash = hash_bytes(key->b, seed);
    if (key->a.len > 0)
        key->hash = hash_mix(key->hash, hash_bytes(key->a, seed));
    struct entry *entry = &memo->entries[key->hash % MEMO_LEN];
    if (!entry_is(entry, key)) {
        entry = &memo->entries[(key->hash % MEMO_LEN) ^ 1];
        if (!entry_is(entry, key))
            return false;
    }
    *out = entry->value;
    return true;
}

void
memo_put(struct memo *memo, const struct memo_key *key, struct memo_value value)
{
    struct entry *entry = &memo->entries[key->hash % MEMO_LEN];

    if (key->a.len + key->b.len > MEMO_KEY_MAX)
        return;
    memo->entries[(key->hash % MEMO_LEN) ^ 1] = *entry;
    entry->hash = key->hash;
    entry->value = value;
    entry->owner = key->owner;
    entry->use = (uint8_t)key->use;
    entry->a_len = (uint16_t)key->a.len;
    entry->b_len = (uint16_t)key->b.len;
    if (key->a.len > 0)
        memcpy(entry->bytes, key->a.ptr, key->a.len);
    if (key->b.len > 0)
        memcpy(entry->bytes + key->a.len, key->b.ptr, key->b.len);
}
