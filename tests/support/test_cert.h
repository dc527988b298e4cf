/*
 * test_cert - certificates made on the spot, for tests of TLS.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_TEST_CERT_H
#define TESTS_SUPPORT_TEST_CERT_H

#include "base/buf.h"

struct test_cert {
    struct buf cert; /* PEM, NUL-terminated */
    struct buf key;
};

/* test_cert_make signs a certificate with |name| as CN and as DNS name;
 * |issuer| NULL: by itself, as a CA. */
struct test_cert
test_cert_make(const char *name, const struct test_cert *issuer);
void test_cert_fini(struct test_cert *cert);

/* test_cert_write writes |pem| to |path| in place. */
void test_cert_write(const char *path, const struct buf *pem);

#endif
