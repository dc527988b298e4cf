/*
 * Who a client talks to over TLS, and who it does not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/evp.h>

#include "net/client.h"
#include "tests/support/net_kit.h"
#include "tests/support/pki.h"

static const char *cert_name;

static void
use_cert(struct server_listener *listener)
{
    char file[64];

    (void)snprintf(file, sizeof(file), "%s.crt", cert_name);
    listener->tls.cert_file = pki_path(file);
    (void)snprintf(file, sizeof(file), "%s.key", cert_name);
    listener->tls.key_file = pki_path(file);
}

static void
ask_client(struct server_listener *listener)
{
    use_cert(listener);
    listener->tls.client_ca_file = pki_path("ca.crt");
}

/* One request to https://|host|; the answer's status, or 0 and |why|. */
static int
fetch_tls(const struct kit *kit, const char *host, struct client_cfg cfg,
          struct buf *why)
{
    struct client *client = NULL;
    struct client_answer answer = {0};
    const struct client_request req = {
        .method = "POST", .body = STR("hello"), .timeout_ms = 5000};
    char url[96];

    (void)snprintf(url, sizeof(url), "https://%s:%u/echo", host, kit->port);
    cfg.url = url;
    cfg.stop_fd = -1;
    buf_reset(why);
    enum err err = client_open(&client, &cfg, why);
    for (int i = 0; i < 2 && !err; i++)
        err = client_send(client, &req, &answer, why);
    client_close(client);
    buf_fini(&answer.body);
    buf_fini(&answer.retry_after);
    return err ? 0 : answer.status;
}

static void
issue_expired(void)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = pki_cert(key, "localhost", "DNS:localhost", 9, false);

    X509_gmtime_adj(X509_getm_notAfter(cert), -60);
    assert_true(X509_sign(cert, pki_ca_key(), EVP_sha256()) > 0);
    pki_write(pki_path("other.crt"), cert, NULL);
    pki_write(pki_path("other.key"), NULL, key);
    X509_free(cert);
    EVP_PKEY_free(key);
}

static void
a_server_that_is_who_it_should_be_is_talked_to(void **state)
{
    const struct client_cfg trusting = {.ca_file = pki_path("ca.crt")};
    struct client_cfg named = trusting;
    struct buf why = {0};
    struct kit kit = {0};

    (void)state;
    cert_name = "server";
    kit_start(&kit, use_cert);
    assert_int_equal(fetch_tls(&kit, "localhost", trusting, &why), 200);
    named.server_name = "localhost"; /* asked for by its address */
    assert_int_equal(fetch_tls(&kit, "127.0.0.1", named, &why), 200);
    kit_stop(&kit);
    pki_issue("next", "x", "IP:127.0.0.1", 7);
    cert_name = "next";
    kit_start(&kit, use_cert);
    assert_int_equal(fetch_tls(&kit, "127.0.0.1", trusting, &why), 200);
    kit_stop(&kit);
    buf_fini(&why);
}

static void
a_server_that_is_not_is_refused(void **state)
{
    const struct client_cfg trusting = {.ca_file = pki_path("ca.crt")};
    const struct client_cfg system = {0};
    const struct client_cfg misled = {.ca_file = pki_path("ca.crt"),
                                      .server_name = "other.example"};
    struct buf why = {0};
    struct kit kit = {0};

    (void)state;
    cert_name = "server";
    kit_start(&kit, use_cert);
    assert_int_equal(fetch_tls(&kit, "localhost", system, &why), 0);
    if (!strstr(buf_cstr(&why), "self-signed certificate") &&
        !strstr(buf_cstr(&why), "unable to get local issuer"))
        fail_msg("%s", buf_cstr(&why));
    assert_int_equal(fetch_tls(&kit, "127.0.0.1", trusting, &why), 0);
    assert_non_null(strcasestr(buf_cstr(&why), "ip address mismatch"));
    assert_int_equal(fetch_tls(&kit, "localhost", misled, &why), 0);
    assert_non_null(strcasestr(buf_cstr(&why), "hostname mismatch"));
    assert_int_equal(kit.requests, 0);
    kit_stop(&kit);
    issue_expired();
    cert_name = "other";
    kit_start(&kit, use_cert);
    assert_int_equal(fetch_tls(&kit, "localhost", trusting, &why), 0);
    assert_non_null(strstr(buf_cstr(&why), "certificate has expired"));
    assert_int_equal(kit.requests, 0);
    kit_stop(&kit);
    buf_fini(&why);
}

static void
a_server_without_tls_is_refused(void **state)
{
    const struct client_cfg trusting = {.ca_file = pki_path("ca.crt")};
    struct buf why = {0};
    struct kit kit = {0};

    (void)state;
    kit_start(&kit, NULL);
    assert_int_equal(fetch_tls(&kit, "localhost", trusting, &why), 0);
    assert_non_null(
        strstr(buf_cstr(&why), "TLS: the handshake failed: no TLS is spoken"));
    kit_stop(&kit);
    buf_fini(&why);
}

static void
a_certificate_is_shown_where_it_is_asked_for(void **state)
{
    const struct client_cfg known = {.ca_file = pki_path("ca.crt"),
                                     .cert_file = pki_path("client.crt"),
                                     .key_file = pki_path("client.key")};
    const struct client_cfg unknown = {.ca_file = pki_path("ca.crt")};
    struct buf why = {0};
    struct kit kit = {0};

    (void)state;
    cert_name = "server";
    kit_start(&kit, ask_client);
    assert_int_equal(fetch_tls(&kit, "localhost", known, &why), 200);
    assert_int_equal(fetch_tls(&kit, "localhost", unknown, &why), 0);
    if (!strstr(buf_cstr(&why), "alert certificate required"))
        fail_msg("%s", buf_cstr(&why));
    kit_stop(&kit);
    buf_fini(&why);
}

static void
files_that_are_no_certificates_are_named(void **state)
{
    struct client_cfg cfgs[] = {
        {.ca_file = pki_path("none.crt")},
        {.ca_file = pki_path("server.key")},
        {.cert_file = pki_path("none.crt"), .key_file = pki_path("client.key")},
        {.cert_file = pki_path("client.crt"),
         .key_file = pki_path("server.key")},
    };
    static const char *const named[] = {"none.crt", "server.key", "none.crt",
                                        "server.key"};
    struct client *client;
    struct buf why = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(cfgs) / sizeof(*cfgs); i++) {
        cfgs[i].url = "https://localhost:1";
        cfgs[i].stop_fd = -1;
        buf_reset(&why);
        assert_int_equal(client_open(&client, &cfgs[i], &why), ERR_INVALID);
        assert_non_null(strstr(buf_cstr(&why), named[i]));
    }
    buf_fini(&why);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_that_is_who_it_should_be_is_talked_to),
        cmocka_unit_test(a_server_that_is_not_is_refused),
        cmocka_unit_test(a_server_without_tls_is_refused),
        cmocka_unit_test(a_certificate_is_shown_where_it_is_asked_for),
        cmocka_unit_test(files_that_are_no_certificates_are_named),
    };

    return cmocka_run_group_tests(tests, pki_make, pki_drop);
}
