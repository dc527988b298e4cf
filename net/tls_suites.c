#include "net/tls_suites.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/obj_mac.h>
#include <openssl/ssl.h>

#include "base/nearest.h"

enum { KNOWN_MAX = 128, QUOTED_MAX = 128 };

/* Without parameters of DH, which nobody configures, DHE agrees with none. */
static bool
is_usable(const SSL_CIPHER *cipher)
{
    int auth = SSL_CIPHER_get_auth_nid(cipher);
    int exchange = SSL_CIPHER_get_kx_nid(cipher);

    return (auth == NID_auth_rsa || auth == NID_auth_ecdsa ||
            auth == NID_auth_any) &&
           (exchange == NID_kx_ecdhe || exchange == NID_kx_rsa ||
            exchange == NID_kx_any) &&
           SSL_CIPHER_standard_name(cipher);
}

static size_t
list_known(SSL_CTX *ctx, const SSL_CIPHER *out[KNOWN_MAX])
{
    STACK_OF(SSL_CIPHER) *all = SSL_CTX_get_ciphers(ctx);
    size_t len = 0;

    for (int i = 0; i < sk_SSL_CIPHER_num(all) && len < KNOWN_MAX; i++) {
        const SSL_CIPHER *cipher = sk_SSL_CIPHER_value(all, i);

        if (is_usable(cipher))
            out[len++] = cipher;
    }
    return len;
}

static enum err
complain(const char *name, const SSL_CIPHER *const *known, size_t len,
         struct buf *why)
{
    const char *names[KNOWN_MAX];

    if (!why)
        return ERR_INVALID;
    for (size_t i = 0; i < len; i++)
        names[i] = SSL_CIPHER_standard_name(known[i]);
    const char *nearest = nearest_name(names, len, str_of(name));

    buf_printf(why, "no cipher suite \"%.*s\"", QUOTED_MAX, name);
    if (nearest)
        buf_printf(why, "; did you mean %s?", nearest);
    return ERR_INVALID;
}

/* Adds |cipher| to the list of its version. */
static void
add(const SSL_CIPHER *cipher, struct buf *tls12, struct buf *tls13)
{
    bool is_tls13 = strcmp(SSL_CIPHER_get_version(cipher), "TLSv1.3") == 0;
    struct buf *to = is_tls13 ? tls13 : tls12;

    if (to->len)
        buf_add_char(to, ':');
    buf_add(to, str_of(SSL_CIPHER_get_name(cipher)));
}

static enum err
read_all(SSL_CTX *ctx, const char *const *names, size_t len, struct buf *tls12,
         struct buf *tls13, struct buf *why)
{
    const SSL_CIPHER *known[KNOWN_MAX];
    size_t known_len = list_known(ctx, known);

    for (size_t i = 0; i < len; i++) {
        size_t at = 0;

        while (at < known_len &&
               strcmp(SSL_CIPHER_standard_name(known[at]), names[i]) != 0)
            at++;
        if (at == known_len)
            return complain(names[i], known, known_len, why);
        add(known[at], tls12, tls13);
    }
    return tls12->failed || tls13->failed ? ERR_NOMEM : OK;
}

static bool
copy(char **out, struct buf *list)
{
    *out = list->len ? strdup(buf_cstr(list)) : NULL;
    return *out || !list->len;
}

enum err
tls_suites_read(struct tls_suites *out, const char *const *names, size_t len,
                struct buf *why)
{
    SSL_CTX *ctx = len ? SSL_CTX_new(TLS_server_method()) : NULL;
    struct buf tls12 = {0};
    struct buf tls13 = {0};
    enum err err = ctx || !len ? OK : ERR_NOMEM;

    *out = (struct tls_suites){0};
    if (ctx)
        err = read_all(ctx, names, len, &tls12, &tls13, why);
    if (!err && (!copy(&out->tls12, &tls12) || !copy(&out->tls13, &tls13)))
        err = ERR_NOMEM;
    if (err)
        tls_suites_fini(out);
    buf_fini(&tls12);
    buf_fini(&tls13);
    SSL_CTX_free(ctx);
    return err;
}

bool
tls_suites_apply(const struct tls_suites *suites, SSL_CTX *ctx)
{
    return (!suites->tls12 ||
            SSL_CTX_set_cipher_list(ctx, suites->tls12) == 1) &&
           (!suites->tls13 ||
            SSL_CTX_set_ciphersuites(ctx, suites->tls13) == 1);
}

void
tls_suites_fini(struct tls_suites *suites)
{
    free(suites->tls12);
    free(suites->tls13);
    *suites = (struct tls_suites){0};
}
