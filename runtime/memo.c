/*
 * Lines of four keys, each line one of the cache.  All four are compared and
 * then one is asked, without a branch: which of them it is, is what a predictor
 * cannot know.
 *
 * A key of a service has three lines.  The first two are of the eight that lie
 * together for the service, so that they can be asked for ahead: services share
 * these, and one line more to choose from leaves hardly a key without a place
 * there.  The third, which is only looked at when it is not there, is anywhere,
 * as the only one is of a key that is of no service.  A new key takes an empty
 * place or, where all lines are full, one in the last that depends on the key
 * alone: so where five keys share a line and come by turns, two of them
 * displace each other and three stay.
 *
 * Strings of up to 64 bytes, which nearly all are, are hashed as words: no
 * branch depends on what is in them, and no function is called.
 */
#include "runtime/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum {
    A_MAX = 32,
    B_MAX = 64,
    WAYS = 4,
    NEAR = 8, /* lines of a service */
    LINES_MIN = MEMO_MIN / WAYS,
    LINES_MAX = MEMO_MAX / WAYS,
};

struct line {
    _Alignas(64) uint64_t tags[WAYS]; /* 0: empty */
    struct memo_value values[WAYS];
};

_Static_assert(sizeof(struct line) == 64, "a line of the cache");

struct memo {
    struct line *lines;
    uint64_t seed;
    uint32_t len; /* lines; a power of two */
    unsigned shift;
    uint32_t displaced; /* keys, since there are so many lines */
    void *memory;       /* what to free */
};

/* Sets up |len| empty lines; false: no memory, and nothing was changed. */
static bool
set_lines(struct memo *memo, uint32_t len)
{
    /* From calloc, whose pages take no memory before they are used. */
    enum { ALIGN = _Alignof(struct line) };
    char *memory = calloc(1, len * sizeof(struct line) + ALIGN - 1);

    if (!memory)
        return false;
    size_t beyond = (uintptr_t)memory % ALIGN;
    memo->lines = (void *)(memory + (beyond ? ALIGN - beyond : 0));
    memo->memory = memory;
    memo->len = len;
    memo->shift = 64 - (unsigned)__builtin_ctz(len);
    memo->displaced = 0;
    return true;
}

struct memo *
memo_new(void)
{
    struct memo *memo = calloc(1, sizeof(*memo));

    if (!memo || !set_lines(memo, LINES_MIN)) {
        free(memo);
        return NULL;
    }
    memo->seed = hash_seed();
    return memo;
}

void
memo_free(struct memo *memo)
{
    if (!memo)
        return;
    free(memo->memory);
    free(memo);
}

void
memo_forget(struct memo *memo)
{
    memset(memo->lines, 0, memo->len * sizeof(*memo->lines));
    memo->displaced = 0;
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

/* All bytes of a string of up to 32, some of them twice.  Of strings of the
 * same length they are the same if and only if the strings are. */
struct words {
    uint64_t w[4];
};

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

static inline uint64_t
hash_short(uint64_t hash, const struct memo_key *key, uint64_t seed)
{
    struct words words;

    if (key->a.len > 0) {
        words = words_of(key->a);
        hash = hash_words(hash, &words, seed);
    }
    if (key->b.len > 32) {
        words = words_of((str){key->b.ptr + key->b.len - 32, 32});
        hash = hash_words(hash, &words, seed);
    }
    words = words_of((str){key->b.ptr, key->b.len < 32 ? key->b.len : 32});
    return hash_words(hash, &words, seed);
}

static inline void
hash_key(struct memo_key *key, uint64_t seed)
{
    uint64_t what = key->owner | (uint64_t)key->use << 32;
    uint64_t lens = key->a.len | (uint64_t)key->b.len << 32;
    uint64_t hash = hash_mix(seed ^ what, lens);

    if (key->a.len <= A_MAX && key->b.len <= B_MAX)
        hash = hash_short(hash, key, seed);
    else
        hash = hash_bytes(key->b, hash_mix(hash, hash_bytes(key->a, seed)));
    key->tag = hash | 1;
}

/* The number of the first of the lines of |service|. */
static inline uint64_t
near_of(const struct memo *memo, uint32_t service)
{
    uint64_t hash = service * UINT64_C(0x9e3779b97f4a7c15);

    return hash >> memo->shift & ~(uint64_t)(NEAR - 1);
}

static inline bool
is_near(const struct memo_key *key)
{
    return key->use >= MEMO_VERSION;
}

/* Without a branch: what the next key is about depends on what was sent. */
static inline struct line *
first_line(const struct memo *memo, const struct memo_key *key)
{
    uint64_t near = near_of(memo, key->owner) + (key->tag >> 1) % NEAR;
    uint64_t any = key->tag >> memo->shift;
    uint64_t mask = 0 - (uint64_t)is_near(key);

    return &memo->lines[any ^ ((any ^ near) & mask)];
}

/* The second and the third, of a key that is near. */
static inline struct line *
second_line(const struct memo *memo, const struct memo_key *key)
{
    uint64_t beyond = 1 + (key->tag >> 4) % (NEAR - 1);

    return &memo->lines[near_of(memo, key->owner) +
                        ((key->tag >> 1) + beyond) % NEAR];
}

static inline struct line *
last_line(const struct memo *memo, const struct memo_key *key)
{
    return &memo->lines[key->tag >> memo->shift];
}

static inline bool
find_in(const struct line *line, uint64_t tag, struct memo_value *out)
{
    unsigned at = (line->tags[1] == tag) + 2 * (line->tags[2] == tag) +
                  3 * (line->tags[3] == tag);

    if (line->tags[at] != tag)
        return false;
    *out = line->values[at];
    return true;
}

void
memo_ahead(const struct memo *memo, uint32_t service)
{
    const struct line *line = &memo->lines[near_of(memo, service)];

    for (unsigned i = 0; i < NEAR; i++)
        __builtin_prefetch(line + i);
}

bool
memo_find(struct memo *memo, struct memo_key *key, struct memo_value *out)
{
    hash_key(key, memo->seed);
    return find_in(first_line(memo, key), key->tag, out) ||
           (is_near(key) && (find_in(second_line(memo, key), key->tag, out) ||
                             find_in(last_line(memo, key), key->tag, out)));
}

/* A place in |line| that is empty, or WAYS. */
static unsigned
empty_place(const struct line *line)
{
    unsigned at = 0;

    while (at < WAYS && line->tags[at])
        at++;
    return at;
}

/* Twice the lines, and all forgotten. */
static void
grow(struct memo *memo)
{
    void *old = memo->memory;

    memo->displaced = 0;
    if (memo->len < LINES_MAX && set_lines(memo, 2 * memo->len))
        free(old);
}

void
memo_put(struct memo *memo, const struct memo_key *key, struct memo_value value)
{
    if (memo->displaced > memo->len / 2)
        grow(memo);
    struct line *line = first_line(memo, key);
    unsigned at = empty_place(line);

    if (at == WAYS && is_near(key)) {
        line = second_line(memo, key);
        at = empty_place(line);
    }
    if (at == WAYS) {
        line = last_line(memo, key);
        at = empty_place(line);
    }
    if (at == WAYS) {
        at = (unsigned)(key->tag >> 1) % WAYS;
        memo->displaced++;
    }
    line->tags[at] = key->tag;
    line->values[at] = value;
}
