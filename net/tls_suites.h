/*
 * tls_suites - cipher suites by the names that IANA has for them, in which
 * auditors and the Collector write them: TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256.
 *
 * Known are those that this OpenSSL offers by itself to clients of today and
 * that a certificate of RSA or ECDSA can be used with: nothing weaker can be
 * asked for.
 *
 * Memory     tls_suites_fini.
 * Threads    Any.
 */
#ifndef NET_TLS_SUITES_H
#define NET_TLS_SUITES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct ssl_ctx_st; /* SSL_CTX */

/* As OpenSSL takes them, the first is preferred.  NULL: none of that version
 * was named, and what is offered by itself stays. */
struct tls_suites {
    char *tls12;
    char *tls13;
};

/*
 * tls_suites_read finds |names|.
 *
 * ERR_NOMEM, ERR_INVALID: one is not known; |why| (may be NULL) says which, and
 * the nearest.
 */
enum err tls_suites_read(struct tls_suites *out, const char *const *names,
                         size_t len, struct buf *why);
/* tls_suites_apply has |ctx|, an SSL_CTX, offer them; false: memory is short.
 */
bool tls_suites_apply(const struct tls_suites *suites, struct ssl_ctx_st *ctx);
void tls_suites_fini(struct tls_suites *suites);

#endif
