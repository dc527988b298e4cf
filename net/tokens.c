#include "net/tokens.h"

#include <pthread.h>
#include <stdlib.h>
#include <strings.h>

#include "base/hash.h"

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

/* The token of "Bearer <token>", whose first word has no case; else empty. */
static str
bearer(str authorization)
{
    str scheme = STR("bearer ");
    str token;

    if (authorization.len < scheme.len ||
        strncasecmp(authorization.ptr, scheme.ptr, scheme.len) != 0)
        return (str){NULL, 0};
    token = str_cut(authorization, scheme.len, authorization.len);
    while (token.len > 0 && token.ptr[0] == ' ')
        token = str_cut(token, 1, token.len);
    while (token.len > 0 && token.ptr[token.len - 1] == ' ')
        token.len--;
    return token;
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
    return tokens_have(tokens, bearer(authorization));
}
