/*
 * hash - fast keyed hashes for tables, and SHA-256 for identities.
 *
 * Table hashes are seeded once a process with random bytes, so that a sender
 * who chooses the keys cannot choose the collisions.  Identities (node and
 * edge hashes, request digests) must be the same everywhere and take no seed.
 *
 * Threads    Any thread.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum { SHA256_LEN = 32 };

struct digest128 {
    uint64_t hi;
    uint64_t lo;
};

/* hash_seed returns random bytes from the kernel, different in each call. */
uint64_t hash_seed(void);

/* hash_bytes is XXH3-64 of |bytes| under |seed|. */
uint64_t hash_bytes(str bytes, uint64_t seed);

/* hash_digest is XXH3-128 of |bytes|, unseeded. */
struct digest128 hash_digest(str bytes);

/*
 * hash_sha256 writes the SHA-256 of |len| parts, one after another, to |out|
 * of SHA256_LEN bytes.
 */
void hash_sha256(const str *parts, size_t len, unsigned char *out);

/* hash_git_blob is the name that git gives to a file of |bytes|; for telling
 * whether a file is still the one that was read. */
enum { GIT_BLOB_LEN = 20 };
void hash_git_blob(str bytes, unsigned char out[GIT_BLOB_LEN]);

/* hash_sha256_many is the same for many in a row, several times faster: hand
 * the same |state|, NULL at first, to each, and free it after the last. */
struct hash_state;
void hash_sha256_many(struct hash_state **state, const str *parts, size_t len,
                      unsigned char *out);
void hash_state_free(struct hash_state *state);

/* hash_mix folds two words into one; a multiply and a xor. */
static inline uint64_t
hash_mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)(a ^ UINT64_C(0x9e3779b97f4a7c15)) *
                   (b ^ UINT64_C(0xe7037ed1a0b428db));

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif
