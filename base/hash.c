#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include <openssl/evp.h>
#include <xxhash.h>
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
/* Long inputs with what the processor has: the same hash, twice as fast. */
#define XXH_DISPATCH_DISABLE_REPLACE
#include <xxh_x86dispatch.h>
#define digest_of XXH3_128bits_dispatch
#else
#define digest_of XXH3_128bits
#endif

uint64_t
hash_seed(void)
{
    uint64_t seed;

    if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
        abort(); /* no randomness, no defence against chosen keys */
    return seed;
}

uint64_t
hash_bytes(str bytes, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes.ptr, bytes.len, seed);
}

struct digest128
hash_digest(str bytes)
{
    XXH128_hash_t hash = digest_of(bytes.ptr, bytes.len);

    return (struct digest128){.hi = hash.high64, .lo = hash.low64};
}

void
hash_sha256(const str *parts, size_t len, unsigned char *out)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();

    if (!ctx || !EVP_DigestInit_ex(ctx, EVP_sha256(), NULL))
        abort(); /* an identity cannot be made up */
    for (size_t i = 0; i < len; i++)
        EVP_DigestUpdate(ctx, parts[i].ptr, parts[i].len);
    EVP_DigestFinal_ex(ctx, out, NULL);
    EVP_MD_CTX_free(ctx);
}

void
hash_git_blob(str bytes, unsigned char out[GIT_BLOB_LEN])
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    char head[32];
    int len = snprintf(head, sizeof(head), "blob %zu", bytes.len);

    if (!ctx || !EVP_DigestInit_ex(ctx, EVP_sha1(), NULL))
        abort();
    EVP_DigestUpdate(ctx, head, (size_t)len + 1); /* with its NUL */
    EVP_DigestUpdate(ctx, bytes.ptr, bytes.len);
    EVP_DigestFinal_ex(ctx, out, NULL);
    EVP_MD_CTX_free(ctx);
}

/* What makes one hash slow is finding the algorithm and making room for it. */
struct hash_state {
    EVP_MD *sha256;
    EVP_MD_CTX *ctx;
};

static struct hash_state *
new_state(void)
{
    struct hash_state *state = calloc(1, sizeof(*state));

    if (!state)
        abort();
    state->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    state->ctx = EVP_MD_CTX_new();
    if (!state->sha256 || !state->ctx)
        abort();
    return state;
}

void
hash_sha256_many(struct hash_state **state, const str *parts, size_t len,
                 unsigned char *out)
{
    if (!*state)
        *state = new_state();
    EVP_MD_CTX *ctx = (*state)->ctx;

    if (!EVP_DigestInit_ex2(ctx, (*state)->sha256, NULL))
        abort();
    for (size_t i = 0; i < len; i++)
        EVP_DigestUpdate(ctx, parts[i].ptr, parts[i].len);
    EVP_DigestFinal_ex(ctx, out, NULL);
}

void
hash_state_free(struct hash_state *state)
{
    if (!state)
        return;
    EVP_MD_CTX_free(state->ctx);
    EVP_MD_free(state->sha256);
    free(state);
}
