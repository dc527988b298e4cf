#include "net/tokens.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <openssl/evp.h>

#include "base/hash.h"

enum { BASIC_CAP = 4096 }; /* a name and a token, in base64 */

struct digest {
    unsigned char bytes[SHA256_LEN];
};

struct tokens {
    pthread_rwlock_t lock;
    struct digest *digests;
    size_t len;
};

struct tokens *
tokens_new(void)
{
    struct tokens *tokens = calloc(1, sizeof(*tokens));

    if (tokens)
        pthread_rwlock_init(&tokens->lock, NULL);
    return tokens;
}

void
tokens_free(struct tokens *tokens)
{
    if (!tokens)
        return;
    pthread_rwlock_destroy(&tokens->lock);
    free(tokens->digests);
    free(tokens);
}

enum err
tokens_set(struct tokens *tokens, const char *const *list, size_t len)
{
    struct digest *digests = calloc(len + 1, sizeof(*digests));

    if (!digests)
        return ERR_NOMEM;
    for (size_t i = 0; i < len; i++) {
        str token = str_of(list[i]);
        if (token.len == 0) {
            free(digests);
            return ERR_INVALID;
        }
        hash_sha256(&token, 1, digests[i].bytes);
    }
    pthread_rwlock_wrlock(&tokens->lock);
    struct digest *old = tokens->digests;
    tokens->digests = digests;
    tokens->len = len;
    pthread_rwlock_unlock(&tokens->lock);
    free(old);
    return OK;
}

/* What |authorization| says after |scheme|, whose letters have no case; empty:
 * it is of another. */
static str
after_scheme(str authorization, str scheme)
{
    str rest;

    if (authorization.len < scheme.len ||
        strncasecmp(authorization.ptr, scheme.ptr, scheme.len) != 0)
        return (str){NULL, 0};
    rest = str_cut(authorization, scheme.len, authorization.len);
    while (rest.len > 0 && rest.ptr[0] == ' ')
        rest = str_cut(rest, 1, rest.len);
    while (rest.len > 0 && rest.ptr[rest.len - 1] == ' ')
        rest.len--;
    return rest;
}

/* The password of "name:password", which |encoded| is in base64 and |plain|
 * becomes; empty: it is something else. */
static str
password(str encoded, unsigned char plain[BASIC_CAP])
{
    const unsigned char *colon;
    int len;

    if (encoded.len == 0 || encoded.len > BASIC_CAP)
        return (str){NULL, 0};
    len = EVP_DecodeBlock(plain, (const unsigned char *)encoded.ptr,
                          (int)encoded.len);
    /* It takes padding for zeros. */
    for (int i = 1; i <= 2 && len > 0; i++)
        len -= encoded.ptr[encoded.len - (size_t)i] == '=';
    colon = len > 0 ? memchr(plain, ':', (size_t)len) : NULL;
    if (!colon)
        return (str){NULL, 0};
    return (str){(const char *)colon + 1, (size_t)(plain + len - colon) - 1};
}

bool
tokens_have(struct tokens *tokens, str token)
{
    struct digest digest;
    unsigned is_found = 0;

    pthread_rwlock_rdlock(&tokens->lock);
    size_t len = tokens->len;
    if (len > 0)
        hash_sha256(&token, 1, digest.bytes);
    for (size_t i = 0; i < len; i++) {
        unsigned differ = 0;
        for (size_t at = 0; at < SHA256_LEN; at++)
            differ |= digest.bytes[at] ^ tokens->digests[i].bytes[at];
        is_found |= differ == 0;
    }
    pthread_rwlock_unlock(&tokens->lock);
    return len == 0 || is_found != 0;
}

bool
tokens_allow(struct tokens *tokens, str authorization)
{
    unsigned char plain[BASIC_CAP];
    str token = after_scheme(authorization, STR("bearer "));

    if (token.len == 0)
        token = password(after_scheme(authorization, STR("basic ")), plain);
    return tokens_have(tokens, token);
}
