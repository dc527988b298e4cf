/*
 * The least version of TLS, of a server and of gRPC core: the latter has it for
 * the whole process, so these tests are one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "net/grpc.h"
#include "tests/support/net_kit.h"
#include "tests/support/pki.h"

/* Is a client heard that speaks |version| alone, with any cipher it has? */
static bool
is_heard(uint16_t port, int version)
{
    const struct kit kit = {.port = port};
    struct timeval wait = {.tv_sec = KIT_WAIT_MS / 1000};
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    int fd = kit_connect(&kit);

    assert_int_equal(SSL_CTX_load_verify_file(ctx, pki_path("ca.crt")), 1);
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_security_level(ctx, 0);
    assert_int_equal(SSL_CTX_set_cipher_list(ctx, "ALL:COMPLEMENTOFALL"), 1);
    SSL_CTX_set_min_proto_version(ctx, version);
    SSL_CTX_set_max_proto_version(ctx, version);
    SSL *ssl = SSL_new(ctx);
    assert_int_equal(
        SSL_set_alpn_protos(ssl, (const unsigned char *)"\x02h2", 3), 0);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    SSL_set_fd(ssl, fd);
    bool is_done = SSL_connect(ssl) == 1;
    if (is_done)
        assert_int_equal(SSL_version(ssl), version);
    SSL_free(ssl);
    SSL_CTX_free(ctx);
    close(fd);
    ERR_clear_error();
    return is_done;
}

static void
use_tls(struct server_listener *listener)
{
    listener->tls.cert_file = pki_path("server.crt");
    listener->tls.key_file = pki_path("server.key");
}

static void
use_tls13(struct server_listener *listener)
{
    use_tls(listener);
    listener->tls.needs_tls13 = true;
}

static void
a_server_speaks_the_least_version_and_above(void **state)
{
    struct kit kit;

    (void)state;
    kit_start(&kit, use_tls);
    assert_false(is_heard(kit.port, TLS1_1_VERSION));
    assert_true(is_heard(kit.port, TLS1_2_VERSION));
    assert_true(is_heard(kit.port, TLS1_3_VERSION));
    kit_stop(&kit);
    kit_start(&kit, use_tls13);
    assert_false(is_heard(kit.port, TLS1_2_VERSION));
    assert_true(is_heard(kit.port, TLS1_3_VERSION));
    kit_stop(&kit);
}

static void
a_reload_keeps_the_least_version(void **state)
{
    struct kit kit;

    (void)state;
    kit_start(&kit, use_tls13);
    server_reload(kit.server);
    assert_false(is_heard(kit.port, TLS1_2_VERSION));
    assert_true(is_heard(kit.port, TLS1_3_VERSION));
    kit_stop(&kit);
}

static void
the_endpoint_of_grpc_does_so_too(void **state)
{
    struct server_listener listener = {.address = "127.0.0.1",
                                       .limits = server_limits_default,
                                       .handler = kit_handler};
    struct grpc_endpoint *endpoint = NULL;
    struct buf why = {.cap_max = 1024};

    (void)state;
    use_tls13(&listener);
    assert_int_equal(grpc_endpoint_set_up(true, NULL), OK);
    assert_int_equal(grpc_endpoint_new(&endpoint, &listener, &why), OK);
    assert_int_equal(grpc_endpoint_start(endpoint), OK);
    uint16_t port = grpc_endpoint_port(endpoint);
    assert_false(is_heard(port, TLS1_1_VERSION));
    assert_false(is_heard(port, TLS1_2_VERSION));
    assert_true(is_heard(port, TLS1_3_VERSION));
    grpc_endpoint_stop(endpoint, 1000);
    grpc_endpoint_free(endpoint);
    buf_fini(&why);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_speaks_the_least_version_and_above),
        cmocka_unit_test(a_reload_keeps_the_least_version),
        cmocka_unit_test(the_endpoint_of_grpc_does_so_too),
    };

    return cmocka_run_group_tests(tests, pki_make, pki_drop);
}
