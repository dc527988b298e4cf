/*
 * Names of up to 32 bytes, which nearly all are, are hashed and compared as
 * four words, so that no branch depends on what is in them, and no function is
 * called.
 */
#include "runtime/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { SHORT_MAX = 32 };

/* All bytes of a short string, some of them twice.  Of strings of the same
 * length they are the same if and only if the strings are. */
struct words {
    uint64_t w[4];
};

struct entry {
    uint64_t hash;
    uint64_t what; /* 0: empty */
    struct memo_value value;
    union {
        struct words words[2]; /* of a and b, if both are short */
        char bytes[MEMO_KEY_MAX];
    };
};

_Static_assert(sizeof(struct entry) <= 256, "four lines of the cache");

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

static inline struct words
words_of(str s)
{
    const char *p = s.ptr;

    if (s.len >= 8) {
        size_t second = s.len < 16 ? s.len - 8 : 8;
        size_t third = s.len < 16 ? 0 : s.len - 16;
        return (struct words){{load64(p), load64(p + second), load64(p + third),
                               load64(p + s.len - 8)}};
    }
    if (s.len >= 4)
        return (struct words){{load32(p), load32(p + s.len - 4), 0, 0}};
    if (s.len > 0)
        return (struct words){{(uint8_t)p[0] |
                                   (uint64_t)(uint8_t)p[s.len / 2] << 8 |
                                   (uint64_t)(uint8_t)p[s.len - 1] << 16,
                               0, 0, 0}};
    return (struct words){{0, 0, 0, 0}};
}

static inline uint64_t
hash_words(uint64_t hash, const struct words *words, uint64_t seed)
{
    return hash_mix(hash_mix(words->w[0] ^ hash, words->w[1] ^ seed) ^
                        words->w[2],
                    words->w[3] ^ seed);
}

static inline bool
words_are(const struct words *a, const struct words *b)
{
    return ((a->w[0] ^ b->w[0]) | (a->w[1] ^ b->w[1]) | (a->w[2] ^ b->w[2]) |
            (a->w[3] ^ b->w[3])) == 0;
}

/* All of a key but its strings; never 0. */
static inline uint64_t
what_of(const struct memo_key *key)
{
    return key->owner | (uint64_t)key->use << 32 | (uint64_t)key->a.len << 40 |
           (uint64_t)key->b.len << 48;
}

static inline bool
is_short(const struct memo_key *key)
{
    return key->a.len <= SHORT_MAX && key->b.len <= SHORT_MAX;
}

static inline bool
short_entry_is(const struct entry *entry, const struct memo_key *key,
               uint64_t what, const struct words *a, const struct words *b)
{
    return entry->what == what && words_are(&entry->words[1], b) &&
           (key->a.len == 0 || words_are(&entry->words[0], a));
}

static bool
find_short(struct memo *memo, struct memo_key *key, struct memo_value *out)
{
    uint64_t what = what_of(key);
    struct words b = words_of(key->b);
    struct words a = {{0, 0, 0, 0}};

    key->hash = hash_words(memo->seed ^ what, &b, memo->seed);
    if (key->a.len > 0) {
        a = words_of(key->a);
        key->hash = hash_words(key->hash, &a, memo->seed);
    }
    const struct entry *entry = &memo->entries[key->hash % MEMO_LEN];
    if (!short_entry_is(entry, key, what, &a, &b)) {
        entry = &memo->entries[(key->hash % MEMO_LEN) ^ 1];
        if (!short_entry_is(entry, key, what, &a, &b))
            return false;
    }
    *out = entry->value;
    return true;
}

static bool
long_entry_is(const struct entry *entry, const struct memo_key *key)
{
    return entry->hash == key->hash && entry->what == what_of(key) &&
           str_eq((str){entry->bytes, key->a.len}, key->a) &&
           str_eq((str){entry->bytes + key->a.len, key->b.len}, key->b);
}

static bool
find_long(struct memo *memo, struct memo_key *key, struct memo_value *out)
{
    uint64_t seed = hash_mix(memo->seed, what_of(key));

    if (key->a.len + key->b.len > MEMO_KEY_MAX)
        return false;
    key->hash = hash_bytes(key->b, seed);
    if (key->a.len > 0)
        key->hash = hash_mix(key->hash, hash_bytes(key->a, seed));
    const struct entry *entry = &memo->entries[key->hash % MEMO_LEN];
    if (!long_entry_is(entry, key)) {
        entry = &memo->entries[(key->hash % MEMO_LEN) ^ 1];
        if (!long_entry_is(entry, key))
            return false;
    }
    *out = entry->value;
    return true;
}

bool
memo_find(struct memo *memo, struct memo_key *key, struct memo_value *out)
{
    return is_short(key) ? find_short(memo, key, out)
                         : find_long(memo, key, out);
}

void
memo_put(struct memo *memo, const struct memo_key *key, struct memo_value value)
{
    if (key->a.len + key->b.len > MEMO_KEY_MAX)
        return;
    struct entry *entry = &memo->entries[key->hash % MEMO_LEN];
    memo->entries[(key->hash % MEMO_LEN) ^ 1] = *entry;
    entry->hash = key->hash;
    entry->what = what_of(key);
    entry->value = value;
    if (is_short(key)) {
        entry->words[0] = words_of(key->a);
        entry->words[1] = words_of(key->b);
        return;
    }
    if (key->a.len > 0)
        memcpy(entry->bytes, key->a.ptr, key->a.len);
    if (key->b.len > 0)
        memcpy(entry->bytes + key->a.len, key->b.ptr, key->b.len);
}
