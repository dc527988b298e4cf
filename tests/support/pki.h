/*
 * pki - a certificate authority for one run of a test, in a folder of its own.
 *
 * Threads    None.
 */
#ifndef TESTS_PKI_H
#define TESTS_PKI_H

#include <stdbool.h>

#include <openssl/x509.h>

/* Group set-up and tear-down: make the folder with ca.crt, and server, client,
 * bare (no SAN) and spiffe, each .crt and .key; remove it all. */
int pki_make(void **state);
int pki_drop(void **state);

/* pki_path is a path in the folder, until eight more have been asked for. */
const char *pki_path(const char *name);

/* pki_issue writes |file|.crt and |file|.key, signed by the CA. */
void
pki_issue(const char *file, const char *name, const char *san, long serial);

/* pki_cert is a certificate signed by the CA, or |is_own|: by itself. */
X509 *pki_cert(EVP_PKEY *key, const char *name, const char *san, long serial,
               bool is_own);

/* pki_write writes what is given to a file; nothing makes an empty one. */
void pki_write(const char *path, X509 *cert, EVP_PKEY *key);

EVP_PKEY *pki_ca_key(void);
X509 *pki_ca(void);

#endif
