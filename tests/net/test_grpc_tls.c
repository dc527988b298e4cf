#include "net/grpc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <openssl/crypto.h>

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/support/dir.h"
#include "tests/support/grpc_client.h"
#include "tests/support/test_cert.h"

/* A server with certificates in a folder of its own. */
struct fixture {
    char folder[64];
    char cert_file[80];
    char key_file[80];
    char ca_file[80];
    struct test_cert ca;
    struct test_cert server;
    struct server_listener listener;
    struct grpc_endpoint *endpoint;
    char target[64];
    atomic_int handled;
    struct buf peer;
    bool is_tls;
};

static void
handle(void *ctx, struct request *req)
{
    struct fixture *fix = ctx;

    buf_reset(&fix->peer);
    buf_add(&fix->peer, req->tls_peer_name);
    fix->is_tls = req->is_tls;
    atomic_fetch_add(&fix->handled, 1);
    req->ops->reply(req, &(struct reply){.status = 0, .body = STR("ok")});
}

static void
init_fixture(struct fixture *fix)
{
    *fix = (struct fixture){0};
    dir_make(fix->folder);
    snprintf(fix->cert_file, sizeof(fix->cert_file), "%s/cert", fix->folder);
    snprintf(fix->key_file, sizeof(fix->key_file), "%s/key", fix->folder);
    snprintf(fix->ca_file, sizeof(fix->ca_file), "%s/ca", fix->folder);
    fix->ca = test_cert_make("test-ca", NULL);
    fix->server = test_cert_make("localhost", &fix->ca);
    test_cert_write(fix->cert_file, &fix->server.cert);
    test_cert_write(fix->key_file, &fix->server.key);
    test_cert_write(fix->ca_file, &fix->ca.cert);
    fix->listener = (struct server_listener){
        .address = "127.0.0.1",
        .tls = {.cert_file = fix->cert_file, .key_file = fix->key_file},
        .limits = {.body_bytes = 1 << 20,
                   .header_bytes = 16384,
                   .budget_bytes = 64 << 20,
                   .connections = 16,
                   .streams = 128},
        .handler = handle,
        .ctx = fix,
    };
}

static enum err
open_fixture(struct fixture *fix, const char *said)
{
    struct buf why = {.cap_max = 1024};
    enum err err = grpc_endpoint_new(&fix->endpoint, &fix->listener, &why);

    if (said && !strstr(buf_cstr(&why), said))
        fail_msg("\"%s\" does not say \"%s\"", buf_cstr(&why), said);
    buf_fini(&why);
    if (err)
        return err;
    assert_int_equal(grpc_endpoint_start(fix->endpoint), OK);
    snprintf(fix->target, sizeof(fix->target), "127.0.0.1:%u",
             grpc_endpoint_port(fix->endpoint));
    return OK;
}

static void
fini_fixture(struct fixture *fix)
{
    if (fix->endpoint)
        grpc_endpoint_stop(fix->endpoint, 1000);
    grpc_endpoint_free(fix->endpoint);
    dir_remove(fix->folder);
    test_cert_fini(&fix->ca);
    test_cert_fini(&fix->server);
    buf_fini(&fix->peer);
}

/* The status of one call by a client that trusts |ca| and shows |own|. */
static int
call_status(struct fixture *fix, const struct test_cert *ca,
            const struct test_cert *own)
{
    grpc_ssl_pem_key_cert_pair pair = {own ? own->key.ptr : NULL,
                                       own ? own->cert.ptr : NULL};
    grpc_channel_credentials *creds = grpc_ssl_credentials_create_ex(
        ca->cert.ptr, own ? &pair : NULL, NULL, NULL);
    struct grpc_client client;

    grpc_client_open(&client, fix->target, creds, false);
    struct grpc_answer answer =
        grpc_client_call(&client, EXPORT_PATH, STR("x"), NULL, 0, 5000);
    grpc_client_close(&client);
    grpc_channel_credentials_release(creds);
    grpc_answer_fini(&answer);
    return answer.status;
}

static void
calls_come_over_tls_and_never_beside_it(void **state)
{
    struct fixture fix;
    struct grpc_client plain;

    (void)state;
    init_fixture(&fix);
    assert_int_equal(open_fixture(&fix, NULL), OK);
    assert_int_equal(call_status(&fix, &fix.ca, NULL), 0);
    assert_int_equal(fix.handled, 1);
    assert_true(fix.is_tls);
    assert_int_equal(fix.peer.len, 0);
    grpc_client_open(&plain, fix.target, NULL, false);
    struct grpc_answer answer =
        grpc_client_call(&plain, EXPORT_PATH, STR("x"), NULL, 0, 5000);
    assert_int_not_equal(answer.status, 0);
    assert_int_equal(fix.handled, 1);
    grpc_answer_fini(&answer);
    grpc_client_close(&plain);
    fini_fixture(&fix);
}

static void
a_client_must_show_a_certificate_that_the_ca_has_signed(void **state)
{
    struct fixture fix;

    (void)state;
    init_fixture(&fix);
    fix.listener.tls.client_ca_file = fix.ca_file;
    struct test_cert other_ca = test_cert_make("other-ca", NULL);
    struct test_cert stranger = test_cert_make("agent", &other_ca);
    struct test_cert agent = test_cert_make("agent", &fix.ca);
    assert_int_equal(open_fixture(&fix, NULL), OK);
    assert_int_not_equal(call_status(&fix, &fix.ca, NULL), 0);
    assert_int_not_equal(call_status(&fix, &fix.ca, &stranger), 0);
    assert_int_equal(fix.handled, 0);
    assert_int_equal(call_status(&fix, &fix.ca, &agent), 0);
    assert_int_equal(fix.handled, 1);
    assert_true(str_eq(buf_str(&fix.peer), STR("agent")));
    test_cert_fini(&other_ca);
    test_cert_fini(&stranger);
    test_cert_fini(&agent);
    fini_fixture(&fix);
}

static void
only_clients_with_an_allowed_name_are_served(void **state)
{
    const char *const names[] = {"agent-1", "agent-2"};
    struct fixture fix;

    (void)state;
    init_fixture(&fix);
    fix.listener.tls.client_ca_file = fix.ca_file;
    fix.listener.tls.allowed_names = names;
    fix.listener.tls.allowed_len = 2;
    struct test_cert good = test_cert_make("agent-2", &fix.ca);
    struct test_cert bad = test_cert_make("agent-3", &fix.ca);
    assert_int_equal(open_fixture(&fix, NULL), OK);
    assert_int_equal(call_status(&fix, &fix.ca, &bad),
                     GRPC_CODE_PERMISSION_DENIED);
    assert_int_equal(fix.handled, 0);
    assert_int_equal(call_status(&fix, &fix.ca, &good), 0);
    assert_int_equal(fix.handled, 1);
    assert_true(str_eq(buf_str(&fix.peer), STR("agent-2")));
    test_cert_fini(&good);
    test_cert_fini(&bad);
    fini_fixture(&fix);
}

static void
certificates_that_cannot_be_used_are_told_at_once(void **state)
{
    struct fixture fix;
    struct test_cert other = test_cert_make("localhost", NULL);
    struct buf junk = {.cap_max = 0};

    (void)state;
    init_fixture(&fix);
    buf_add(&junk, STR("no certificate"));
    fix.listener.tls.key_file = NULL;
    assert_int_equal(open_fixture(&fix, "without its key"), ERR_INVALID);
    fix.listener.tls.key_file = fix.key_file;
    fix.listener.tls.allowed_len = 1;
    assert_int_equal(open_fixture(&fix, "client CA"), ERR_INVALID);
    fix.listener.tls.allowed_len = 0;
    test_cert_write(fix.key_file, &other.key);
    assert_int_equal(open_fixture(&fix, "does not belong"), ERR_INVALID);
    test_cert_write(fix.key_file, &junk);
    assert_int_equal(open_fixture(&fix, "private key"), ERR_INVALID);
    test_cert_write(fix.cert_file, &junk);
    assert_int_equal(open_fixture(&fix, "no PEM certificate"), ERR_INVALID);
    test_cert_write(fix.cert_file, &fix.server.cert);
    test_cert_write(fix.key_file, &fix.server.key);
    fix.listener.tls.client_ca_file = fix.ca_file;
    test_cert_write(fix.ca_file, &junk);
    assert_int_equal(open_fixture(&fix, "no PEM certificate"), ERR_INVALID);
    unlink(fix.ca_file);
    assert_int_equal(open_fixture(&fix, "No such file"), ERR_DENIED);
    test_cert_fini(&other);
    buf_fini(&junk);
    fini_fixture(&fix);
}

static void
renewed_certificates_are_taken_up_without_a_stop(void **state)
{
    struct fixture fix;

    (void)state;
    init_fixture(&fix);
    fix.listener.tls.reload_ms = 1;
    struct test_cert new_ca = test_cert_make("new-ca", NULL);
    struct test_cert renewed = test_cert_make("localhost", &new_ca);
    assert_int_equal(open_fixture(&fix, NULL), OK);
    assert_int_equal(call_status(&fix, &fix.ca, NULL), 0);

    /* Half of the pair alone is of no use: the old one stays. */
    test_cert_write(fix.cert_file, &renewed.cert);
    usleep(5000);
    assert_int_equal(call_status(&fix, &fix.ca, NULL), 0);
    test_cert_write(fix.key_file, &renewed.key);
    usleep(5000);
    assert_int_equal(call_status(&fix, &new_ca, NULL), 0);
    assert_int_not_equal(call_status(&fix, &fix.ca, NULL), 0);
    test_cert_fini(&new_ca);
    test_cert_fini(&renewed);
    fini_fixture(&fix);
}

static void
without_an_interval_only_a_reload_looks_again(void **state)
{
    struct fixture fix;

    (void)state;
    init_fixture(&fix);
    struct test_cert new_ca = test_cert_make("new-ca", NULL);
    struct test_cert renewed = test_cert_make("localhost", &new_ca);
    assert_int_equal(open_fixture(&fix, NULL), OK);
    test_cert_write(fix.cert_file, &renewed.cert);
    test_cert_write(fix.key_file, &renewed.key);
    assert_int_equal(call_status(&fix, &fix.ca, NULL), 0);
    grpc_endpoint_reload(fix.endpoint);
    assert_int_equal(call_status(&fix, &new_ca, NULL), 0);
    test_cert_fini(&new_ca);
    test_cert_fini(&renewed);
    fini_fixture(&fix);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_come_over_tls_and_never_beside_it),
        cmocka_unit_test(
            a_client_must_show_a_certificate_that_the_ca_has_signed),
        cmocka_unit_test(only_clients_with_an_allowed_name_are_served),
        cmocka_unit_test(certificates_that_cannot_be_used_are_told_at_once),
        cmocka_unit_test(renewed_certificates_are_taken_up_without_a_stop),
        cmocka_unit_test(without_an_interval_only_a_reload_looks_again),
    };

    /* Core's threads free connections while the process ends already. */
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
