#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/ssl.h>

#include "net/grpc.h"
#include "net/tls_suites.h"
#include "tests/support/net_kit.h"
#include "tests/support/pki.h"

#define AES128    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"
#define AES256    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"
#define AES128RSA "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
#define AES256RSA "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"

static void
names_of_iana_become_openssl_s(void **state)
{
    const char *const names[] = {AES256RSA, "TLS_AES_256_GCM_SHA384", AES128};
    struct tls_suites suites;
    struct buf why = {0};

    (void)state;
    assert_int_equal(tls_suites_read(&suites, names, 3, &why), OK);
    assert_string_equal(suites.tls12, "ECDHE-RSA-AES256-GCM-SHA384:"
                                      "ECDHE-ECDSA-AES128-GCM-SHA256");
    assert_string_equal(suites.tls13, "TLS_AES_256_GCM_SHA384");
    tls_suites_fini(&suites);
    assert_int_equal(tls_suites_read(&suites, names, 1, &why), OK);
    assert_null(suites.tls13);
    tls_suites_fini(&suites);
    assert_int_equal(tls_suites_read(&suites, NULL, 0, &why), OK);
    assert_null(suites.tls12);
    assert_null(suites.tls13);
    buf_fini(&why);
}

static void
nothing_weak_can_be_asked_for(void **state)
{
    static const char *const weak[] = {
        "TLS_RSA_WITH_NULL_SHA256",
        "TLS_RSA_WITH_RC4_128_SHA",
        "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
        "TLS_ECDH_anon_WITH_AES_128_CBC_SHA",
        "TLS_PSK_WITH_AES_256_CBC_SHA384",
        "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256",
        "ALL",
        "DEFAULT@SECLEVEL=0",
        "ECDHE-RSA-AES256-GCM-SHA384",
        "",
    };
    struct tls_suites suites;
    struct buf why = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(weak) / sizeof(weak[0]); i++)
        assert_int_equal(tls_suites_read(&suites, &weak[i], 1, &why),
                         ERR_INVALID);
    buf_reset(&why);
    const char *const typo = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA265";
    assert_int_equal(tls_suites_read(&suites, &typo, 1, &why), ERR_INVALID);
    assert_non_null(strstr(buf_cstr(&why), "did you mean " AES128RSA "?"));
    assert_int_equal(tls_suites_read(&suites, &typo, 1, NULL), ERR_INVALID);
    buf_fini(&why);
}

/* What is agreed on at |port| with a client of |version| alone; "": nothing. */
static void
agree(uint16_t port, int version, char out[64])
{
    struct timeval wait = {.tv_sec = 5};
    struct kit at = {.port = port};
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    int fd = kit_connect(&at);
    SSL *ssl = SSL_new(ctx);

    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    SSL_set_min_proto_version(ssl, version);
    SSL_set_max_proto_version(ssl, version);
    SSL_set_fd(ssl, fd);
    out[0] = '\0';
    if (SSL_connect(ssl) == 1)
        (void)snprintf(out, 64, "%s",
                       SSL_CIPHER_standard_name(SSL_get_current_cipher(ssl)));
    SSL_free(ssl);
    SSL_CTX_free(ctx);
    close(fd);
}

/* The key of the certificate may be of either kind. */
static const char *const chosen[] = {AES128, AES128RSA,
                                     "TLS_CHACHA20_POLY1305_SHA256"};

static void
use_chosen(struct server_listener *listener)
{
    listener->tls = (struct server_tls){.cert_file = pki_path("server.crt"),
                                        .key_file = pki_path("server.key"),
                                        .suites = chosen,
                                        .suite_len = 3};
}

static void
use_tls12(struct server_listener *listener)
{
    use_chosen(listener);
    listener->tls.suite_len = 0;
    listener->tls.only_tls12 = true;
}

static void
a_server_offers_them_alone(void **state)
{
    struct kit kit;
    char suite[64];

    (void)state;
    kit_start(&kit, use_chosen);
    agree(kit.port, TLS1_2_VERSION, suite);
    assert_non_null(strstr(suite, "WITH_AES_128_GCM_SHA256"));
    agree(kit.port, TLS1_3_VERSION, suite);
    assert_string_equal(suite, chosen[2]);
    kit_stop(&kit);
}

static void
a_server_speaks_no_newer_version(void **state)
{
    struct kit kit;
    char suite[64];

    (void)state;
    kit_start(&kit, use_tls12);
    agree(kit.port, TLS1_3_VERSION, suite);
    assert_string_equal(suite, "");
    agree(kit.port, TLS1_2_VERSION, suite);
    assert_string_not_equal(suite, "");
    kit_stop(&kit);
}

static void
core_says_what_it_cannot(void **state)
{
    const struct server_tls plain = {.suites = chosen, .suite_len = 2};
    const struct server_tls with_tls13 = {.suites = chosen, .suite_len = 3};
    const struct server_tls old = {.only_tls12 = true};

    (void)state;
    assert_null(grpc_endpoint_lacks(&plain));
    if (grpc_endpoint_lacks(&old)) {
        assert_non_null(strstr(grpc_endpoint_lacks(&old), "tls.max_version"));
        assert_non_null(
            strstr(grpc_endpoint_lacks(&with_tls13), "tls.cipher_suites"));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_iana_become_openssl_s),
        cmocka_unit_test(nothing_weak_can_be_asked_for),
        cmocka_unit_test(a_server_offers_them_alone),
        cmocka_unit_test(a_server_speaks_no_newer_version),
        cmocka_unit_test(core_says_what_it_cannot),
    };

    return cmocka_run_group_tests(tests, pki_make, pki_drop);
}
