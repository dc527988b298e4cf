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

static inline uint64_t
load64(const char *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof(word));
    return word;
}

static inline uint64_t
load32(const char *p)
{
    uint32_t word;

    memcpy(&word, p, sizeof(word));
    return word;
}

/* Names are 4 to 32 bytes long; their hash is four loads, and no call. */
static inline uint64_t
hash_name(str s, uint64_t seed)
{
    const char *end = s.ptr + s.len;

    if (s.len >= 8 && s.len <= 16)
        return hash_mix(load64(s.ptr) ^ seed, load64(end - 8) ^ s.len);
    if (s.len > 16 && s.len <= 32)
        return hash_mix(hash_mix(load64(s.ptr) ^ seed, load64(s.ptr + 8)) ^
                            load64(end - 16),
                        load64(end - 8) ^ s.len);
    if (s.len >= 4 && s.len < 8)
        return hash_mix(load32(s.ptr) ^ seed, load32(end - 4) ^ s.len << 32);
    return hash_bytes(s, seed);
}

/* |held|, which is part of an entry, and |s| are equal. */
static inline bool
is_same(const char *held, str s)
{
    uint64_t differ = 0;
    size_t i = 0;

    if (s.len < 8)
        return s.len == 0 || memcmp(held, s.ptr, s.len) == 0;
    for (; i + 8 < s.len; i += 8)
        differ |= load64(held + i) ^ load64(s.ptr + i);
    i = s.len - 8;
    return (differ | (load64(held + i) ^ load64(s.ptr + i))) == 0;
}

static bool
entry_is(const struct entry *entry, const struct memo_key *key)
{
    return entry->hash == key->hash && entry->use == key->use &&
           entry->owner == key->owner && entry->a_len == key->a.len &&
           entry->b_len == key->b.len && is_same(entry->bytes, key->a) &&
           is_same(entry->bytes + entry->a_len, key->b);
}

bool
memo_find(struct memo *memo, struct memo_key *key, struct memo_value *out)
{
    uint64_t seed = memo->seed ^
                    hash_mix(key->owner, (uint64_t)key->use << 32 | key->a.len);

    key->hash = hash_name(key->b, seed);
    if (key->a.len > 0)
        key->hash = hash_mix(key->hash, hash_name(key->a, seed));
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
