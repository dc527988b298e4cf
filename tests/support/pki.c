#include "tests/support/pki.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/log.h"
#include "tests/support/dir.h"

enum { PATH_LEN = 128, DAY = 86400 };

static char dir[64];
static EVP_PKEY *ca_key;
static X509 *ca;

const char *
pki_path(const char *name)
{
    static char paths[8][2 * PATH_LEN];
    static size_t at;

    at = (at + 1) % 8;
    (void)snprintf(paths[at], sizeof(paths[at]), "%s/%s", dir, name);
    return paths[at];
}

static void
add_extension(X509 *cert, int nid, const char *value)
{
    X509_EXTENSION *ext = X509V3_EXT_conf_nid(NULL, NULL, nid, value);

    assert_non_null(ext);
    X509_add_ext(cert, ext, -1);
    X509_EXTENSION_free(ext);
}

X509 *
pki_cert(EVP_PKEY *key, const char *name, const char *san, long serial,
         bool is_own)
{
    X509 *cert = X509_new();
    X509_NAME *subject = X509_get_subject_name(cert);

    X509_set_version(cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), serial);
    X509_gmtime_adj(X509_getm_notBefore(cert), -DAY);
    X509_gmtime_adj(X509_getm_notAfter(cert), DAY);
    X509_set_pubkey(cert, key);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               (const unsigned char *)name, -1, -1, 0);
    X509_set_issuer_name(cert, !is_own ? X509_get_subject_name(ca) : subject);
    if (is_own)
        add_extension(cert, NID_basic_constraints, "critical,CA:TRUE");
    if (san)
        add_extension(cert, NID_subject_alt_name, san);
    assert_true(X509_sign(cert, is_own ? key : ca_key, EVP_sha256()) > 0);
    return cert;
}

void
pki_write(const char *path, X509 *cert, EVP_PKEY *key)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    if (cert)
        PEM_write_X509(file, cert);
    if (key)
        PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL);
    assert_int_equal(fclose(file), 0);
}

void
pki_issue(const char *file, const char *name, const char *san, long serial)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = pki_cert(key, name, san, serial, false);
    char leaf[PATH_LEN];

    (void)snprintf(leaf, sizeof(leaf), "%s.crt", file);
    pki_write(pki_path(leaf), cert, NULL);
    (void)snprintf(leaf, sizeof(leaf), "%s.key", file);
    pki_write(pki_path(leaf), NULL, key);
    X509_free(cert);
    EVP_PKEY_free(key);
}

int
pki_make(void **state)
{
    (void)state;
    log_configure((struct log_cfg){.level = LOG_ERROR + 1});
    dir_make(dir);
    ca_key = EVP_EC_gen("P-256");
    ca = pki_cert(ca_key, "test CA", NULL, 1, true);
    pki_write(pki_path("ca.crt"), ca, NULL);
    pki_issue("server", "localhost", "DNS:localhost", 2);
    pki_issue("client", "cn-of-client", "DNS:agent.example", 3);
    pki_issue("bare", "cn-only", NULL, 4);
    pki_issue("spiffe", "x", "URI:spiffe://mesh/agent", 5);
    return 0;
}

int
pki_drop(void **state)
{
    (void)state;
    dir_remove(dir);
    X509_free(ca);
    EVP_PKEY_free(ca_key);
    return 0;
}

EVP_PKEY *
pki_ca_key(void)
{
    return ca_key;
}

X509 *
pki_ca(void)
{
    return ca;
}
