/*
 * Names of up to 64 bytes, which nearly all are, are hashed and compared as
 * words: no branch depends on what is in them, and no function is called.
 * Whatever is asked of a usual one, of which |b| has no more than 32 bytes and
 * |a| fewer than 16, is on one line of the cache.  Longer keys have a table of
 * their own.
 */
#include "runtime/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { A_MAX = 32, B_MAX = 64, LONG_LEN = MEMO_LEN / 8 };

/* All bytes of a string of up to 32, some of them twice.  Of strings of the
 * same length they are the same if and only if the strings are; of fewer than
 * 16 bytes the first two are all. */
struct words {
    uint64_t w[4];
};

/* Of a key with short strings. */
struct entry {
    _Alignas(64) uint64_t what; /* 0: empty */
    struct memo_value value;
    struct words b; /* all of up to 32 bytes, or the first 32 */
    uint64_t a_head[2];
    uint64_t a_tail[2]; /* of 16 bytes and more */
    struct words b_end; /* the last 32 of more than 32 */
};

_Static_assert(sizeof(struct entry) == 128, "two lines of the cache");

struct long_entry {
    uint64_t hash;
    uint64_t what;
    struct memo_value value;
    char bytes[MEMO_KEY_MAX];
};

struct memo {
    struct entry entries[MEMO_LEN];
    struct long_entry longs[LONG_LEN];
    void *memory; /* what to free */
    uint64_t seed;
};

struct memo *
memo_new(void)
{
    /* From calloc, whose pages take no memory before they are used. */
    enum { ALIGN = _Alignof(struct memo) };
    char *memory = calloc(1, sizeof(struct memo) + ALIGN - 1);

    if (!memory)
        return NULL;
    size_t beyond = (uintptr_t)memory % ALIGN;
    struct memo *memo = (void *)(memory + (beyond ? ALIGN - beyond : 0));
    memo->memory = memory;
    memo->seed = hash_seed();
    return memo;
}

void
memo_free(struct memo *memo)
{
    if (memo)
        free(memo->memory);
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
    return key->a.len <= A_MAX && key->b.len <= B_MAX;
}

/* The words of a short key; |b_end| only of more than 32 bytes. */
struct short_key {
    struct words a;
    struct words b;
    struct words b_end;
};

static inline __attribute__((always_inline)) struct short_key
short_key(const struct memo_key *key)
{
    struct short_key out;

    if (key->b.len <= 32) {
        out.b = words_of(key->b);
    } else {
        out.b = words_of((str){key->b.ptr, 32});
        out.b_end = words_of((str){key->b.ptr + key->b.len - 32, 32});
    }
    if (key->a.len > 0)
        out.a = words_of(key->a);
    else
        out.a = (struct words){{0, 0, 0, 0}};
    return out;
}

static inline __attribute__((always_inline)) bool
entry_is(const struct entry *entry, const struct memo_key *key, uint64_t what,
         const struct short_key *words)
{
    return entry->what == what && words_are(&entry->b, &words->b) &&
           ((entry->a_head[0] ^ words->a.w[0]) |
            (entry->a_head[1] ^ words->a.w[1])) == 0 &&
           (key->b.len <= 32 || words_are(&entry->b_end, &words->b_end)) &&
           (key->a.len < 16 || ((entry->a_tail[0] ^ words->a.w[2]) |
                                (entry->a_tail[1] ^ words->a.w[3])) == 0);
}

static bool
find_short(struct memo *memo, struct memo_key *key, struct memo_value *out)
{
    struct short_key words = short_key(key);
    uint64_t what = what_of(key);

    key->hash = hash_words(memo->seed ^ what, &words.b, memo->seed);
    if (key->b.len > 32)
        key->hash = hash_words(key->hash, &words.b_end, memo->seed);
    if (key->a.len > 0)
        key->hash = hash_words(key->hash, &words.a, memo->seed);
    const struct entry *entry = &memo->entries[key->hash % MEMO_LEN];
    if (!entry_is(entry, key, what, &words)) {
        entry = &memo->entries[(key->hash % MEMO_LEN) ^ 1];
        if (!entry_is(entry, key, what, &words))
            return false;
    }
    *out = entry->value;
    return true;
}

static void
put_short(struct memo *memo, const struct memo_key *key,
          struct memo_value value)
{
    struct entry *entry = &memo->entries[key->hash % MEMO_LEN];
    struct short_key words = short_key(key);

    memo->entries[(key->hash % MEMO_LEN) ^ 1] = *entry;
    entry->what = what_of(key);
    entry->value = value;
    entry->b = words.b;
    if (key->b.len > 32)
        entry->b_end = words.b_end;
    memcpy(entry->a_head, &words.a.w[0], sizeof(entry->a_head));
    memcpy(entry->a_tail, &words.a.w[2], sizeof(entry->a_tail));
}

static bool
long_entry_is(const struct long_entry *entry, const struct memo_key *key)
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
    const struct long_entry *entry = &memo->longs[key->hash % LONG_LEN];
    if (!long_entry_is(entry, key)) {
        entry = &memo->longs[(key->hash % LONG_LEN) ^ 1];
        if (!long_entry_is(entry, key))
            return false;
    }
    *out = entry->value;
    return true;
}

static void
put_long(struct memo *memo, const struct memo_key *key, struct memo_value value)
{
    struct long_entry *entry = &memo->longs[key->hash % LONG_LEN];

    memo->longs[(key->hash % LONG_LEN) ^ 1] = *entry;
    entry->hash = key->hash;
    entry->what = what_of(key);
    entry->value = value;
    if (key->a.len > 0)
        memcpy(entry->bytes, key->a.ptr, key->a.len);
    if (key->b.len > 0)
        memcpy(entry->bytes + key->a.len, key->b.ptr, key->b.len);
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
    if (is_short(key))
        put_short(memo, key, value);
    else if (key->a.len + key->b.len <= MEMO_KEY_MAX)
        put_long(memo, key, value);
}
