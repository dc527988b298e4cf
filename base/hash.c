#include "base/hash.h"

#include <stdlib.h>
#include <sys/random.h>

#include <openssl/evp.h>
#include <xxhash.h>

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
    XXH128_hash_t hash = XXH3_128bits(bytes.ptr, bytes.len);

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
