#include "tests/support/test_cert.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

static void
take_bio(struct buf *out, BIO *bio)
{
    char *data;
    long len = BIO_get_mem_data(bio, &data);

    buf_add(out, (str){data, (size_t)len});
    buf_cstr(out);
    BIO_free(bio);
}

static void
add_extension(X509 *cert, int nid, const char *value)
{
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, nid, value);

    X509_add_ext(cert, extension, -1);
    X509_EXTENSION_free(extension);
}

static void
sign(X509 *cert, EVP_PKEY *key, const struct test_cert *issuer)
{
    if (!issuer) {
        add_extension(cert, NID_basic_constraints, "critical,CA:TRUE");
        X509_set_issuer_name(cert, X509_get_subject_name(cert));
        X509_sign(cert, key, EVP_sha256());
        return;
    }
    BIO *cert_bio = BIO_new_mem_buf(issuer->cert.ptr, (int)issuer->cert.len);
    BIO *key_bio = BIO_new_mem_buf(issuer->key.ptr, (int)issuer->key.len);
    X509 *ca = PEM_read_bio_X509(cert_bio, NULL, NULL, NULL);
    EVP_PKEY *ca_key = PEM_read_bio_PrivateKey(key_bio, NULL, NULL, NULL);
    X509_set_issuer_name(cert, X509_get_subject_name(ca));
    X509_sign(cert, ca_key, EVP_sha256());
    EVP_PKEY_free(ca_key);
    X509_free(ca);
    BIO_free(key_bio);
    BIO_free(cert_bio);
}

struct test_cert
test_cert_make(const char *name, const struct test_cert *issuer)
{
    struct test_cert made = {.cert.cap_max = 0};
    X509 *cert = X509_new();
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509_NAME *subject = X509_get_subject_name(cert);
    char names[300];
    unsigned serial = 1;
    BIO *bio;

    RAND_bytes((unsigned char *)&serial, sizeof(serial));
    X509_set_version(cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), serial >> 1);
    X509_gmtime_adj(X509_getm_notBefore(cert), -3600);
    X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
    X509_set_pubkey(cert, key);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                               (const unsigned char *)name, -1, -1, 0);
    snprintf(names, sizeof(names), "DNS:%s,IP:127.0.0.1", name);
    add_extension(cert, NID_subject_alt_name, names);
    sign(cert, key, issuer);
    bio = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(bio, cert);
    take_bio(&made.cert, bio);
    bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL);
    take_bio(&made.key, bio);
    EVP_PKEY_free(key);
    X509_free(cert);
    return made;
}

void
test_cert_fini(struct test_cert *cert)
{
    buf_fini(&cert->cert);
    buf_fini(&cert->key);
}

void
test_cert_write(const char *path, const struct buf *pem)
{
    FILE *file = fopen(path, "we");

    if (!file || fwrite(pem->ptr, 1, pem->len, file) != pem->len)
        abort();
    fclose(file);
}
