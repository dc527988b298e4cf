#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/evp.h>

#include "base/clock.h"
#include "net/client.h"
#include "tests/support/fake_gateway.h"
#include "tests/support/net_kit.h"
#include "tests/support/pki.h"

struct fixture {
    struct fake_gateway gateway;
    struct client *client;
    struct client_answer answer;
    struct buf why;
};

static void
open_client(struct fixture *f, const struct fake_step *steps, size_t len)
{
    *f = (struct fixture){0};
    fake_gateway_start(&f->gateway, steps, len, 0);
    const struct client_cfg cfg = {.url = f->gateway.url, .stop_fd = -1};
    assert_int_equal(client_open(&f->client, &cfg, &f->why), OK);
}

static void
close_client(struct fixture *f)
{
    client_close(f->client);
    fake_gateway_stop(&f->gateway);
    buf_fini(&f->answer.body);
    buf_fini(&f->answer.retry_after);
    buf_fini(&f->why);
}

static enum err
post(struct fixture *f, str body, uint32_t timeout_ms)
{
    const struct client_request req = {.method = "POST",
                                       .headers = "X-Test: yes\r\n",
                                       .body = body,
                                       .timeout_ms = timeout_ms};

    buf_reset(&f->why);
    return client_send(f->client, &req, &f->answer, &f->why);
}

static bool
holds(const struct buf *text, const char *what)
{
    return text->len && memmem(text->ptr, text->len, what, strlen(what));
}

static void
one_connection_carries_many_requests(void **state)
{
    struct fixture f;

    (void)state;
    open_client(&f, NULL, 0);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(post(&f, STR("hello"), 5000), OK);
        assert_int_equal(f.answer.status, 200);
        assert_true(f.answer.is_sent);
    }
    assert_true(fake_gateway_wait(&f.gateway, 5));
    assert_int_equal(f.gateway.connections, 1);
    assert_true(holds(&f.gateway.got[4].head, "POST / HTTP/1.1\r\nHost: 127."));
    assert_true(holds(&f.gateway.got[4].head, "\r\nX-Test: yes\r\n"));
    assert_true(str_eq(buf_str(&f.gateway.got[4].body), STR("hello")));
    close_client(&f);
}

static void
a_large_body_arrives_whole(void **state)
{
    struct fixture f;
    struct buf body = {0};

    (void)state;
    open_client(&f, NULL, 0);
    for (uint32_t i = 0; i < 1 << 20; i++)
        buf_add(&body, (str){(const char *)&i, sizeof(i)});
    assert_int_equal(post(&f, buf_str(&body), 20000), OK);
    assert_true(fake_gateway_wait(&f.gateway, 1));
    assert_true(str_eq(buf_str(&f.gateway.got[0].body), buf_str(&body)));
    buf_fini(&body);
    close_client(&f);
}

static void
the_answer_comes_with_its_body_and_when_to_come_back(void **state)
{
    static const struct fake_step steps[] = {
        {.status = 503,
         .headers = "X-Other: 1\r\nretry-AFTER: 17\r\nX-More: 2\r\n",
         .body = STR_INIT("later")},
        {.status = 200, .headers = "Retry-Afterwards: 3\r\n"},
    };
    struct fixture f;

    (void)state;
    open_client(&f, steps, 2);
    assert_int_equal(post(&f, STR(""), 5000), OK);
    assert_int_equal(f.answer.status, 503);
    assert_string_equal(buf_cstr(&f.answer.retry_after), "17");
    assert_string_equal(buf_cstr(&f.answer.body), "later");
    assert_int_equal(post(&f, STR(""), 5000), OK);
    assert_int_equal(f.answer.status, 200);
    assert_int_equal(f.answer.retry_after.len, 0);
    assert_int_equal(f.answer.body.len, 0);
    close_client(&f);
}

static void
a_connection_that_was_closed_meanwhile_is_made_anew(void **state)
{
    static const struct fake_step steps[] = {
        {.act = FAKE_LEAVE},
        {.act = FAKE_ANSWER, .headers = "Connection: close\r\n"},
        {.act = FAKE_LEAVE},
    };
    struct fixture f;

    (void)state;
    open_client(&f, steps, 3);
    for (int i = 0; i < 4; i++)
        assert_int_equal(post(&f, STR("x"), 5000), OK);
    assert_int_equal(fake_gateway_got(&f.gateway), 4);
    assert_int_equal(f.gateway.connections, 4);
    close_client(&f);
}

/* What went out whole may have been taken, and the caller is told. */
static void
an_answer_that_does_not_come_whole_is_none(void **state)
{
    static const struct fake_step steps[] = {
        {.act = FAKE_HANG_UP},
        {.act = FAKE_CUT, .body = STR_INIT("0123456789012345678901234567")},
        {.act = FAKE_NOISE, .body = STR_INIT("220 mail.example ESMTP\r\n")},
        {.act = FAKE_NOISE,
         .body = STR_INIT("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc")},
        {.act = FAKE_LATE, .ms = 400},
    };
    static const char *const why[] = {"cut off", "cut off", "not HTTP",
                                      "cut off", "no whole answer"};
    struct fixture f;

    (void)state;
    open_client(&f, steps, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(post(&f, STR("x"), i == 4 ? 100 : 5000), ERR_IO);
        if (!strstr(buf_cstr(&f.why), why[i]))
            fail_msg("%d: %s", i, buf_cstr(&f.why));
        assert_true(f.answer.is_sent);
    }
    /* The late answer is not taken for that of the next request. */
    assert_int_equal(post(&f, STR("x"), 5000), OK);
    close_client(&f);
}

static void
what_stands_before_the_answer_is_passed_over(void **state)
{
    static const struct fake_step steps[] = {
        {.act = FAKE_NOISE,
         .body = STR_INIT("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 429 Slow\r\n"
                          "Content-Length: 2\r\n\r\nno")},
        {.act = FAKE_NOISE, /* ends with the connection */
         .body = STR_INIT("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall")},
    };
    struct fixture f;

    (void)state;
    open_client(&f, steps, 2);
    assert_int_equal(post(&f, STR("x"), 5000), OK);
    assert_int_equal(f.answer.status, 429);
    assert_string_equal(buf_cstr(&f.answer.body), "no");
    assert_int_equal(post(&f, STR("x"), 5000), OK);
    assert_string_equal(buf_cstr(&f.answer.body), "all");
    close_client(&f);
}

static void
an_answer_over_the_limit_is_refused(void **state)
{
    static const struct fake_step steps[] = {
        {.body = STR_INIT("0123456789")},
        {.body = STR_INIT("0123456789a")},
    };
    struct fixture f;

    (void)state;
    open_client(&f, steps, 2);
    f.answer.body.cap_max = 10;
    assert_int_equal(post(&f, STR("x"), 5000), OK);
    assert_int_equal(post(&f, STR("x"), 5000), ERR_TOO_LARGE);
    close_client(&f);
}

static void *
stop_soon(void *fd)
{
    const uint64_t one = 1;

    usleep(100000);
    assert_int_equal(write(*(int *)fd, &one, sizeof(one)), sizeof(one));
    return NULL;
}

static void
a_wait_ends_when_it_is_told_to(void **state)
{
    static const struct fake_step steps[] = {{.act = FAKE_LATE, .ms = 3000}};
    struct fixture f = {0};
    int stop = eventfd(0, 0);
    pthread_t thread;

    (void)state;
    fake_gateway_start(&f.gateway, steps, 1, 0);
    const struct client_cfg cfg = {.url = f.gateway.url, .stop_fd = stop};
    assert_int_equal(client_open(&f.client, &cfg, &f.why), OK);
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, &stop), 0);
    uint64_t begin_ns = clock_mono_ns();
    assert_int_equal(post(&f, STR("x"), 20000), ERR_CANCELLED);
    assert_true(clock_mono_ns() - begin_ns < 2 * NS_PER_S);
    pthread_join(thread, NULL);
    close_client(&f);
    close(stop);
}

static void
nobody_there_is_said(void **state)
{
    struct fixture f;

    (void)state;
    open_client(&f, NULL, 0);
    fake_gateway_stop(&f.gateway);
    assert_int_equal(post(&f, STR("x"), 5000), ERR_IO);
    assert_false(f.answer.is_sent);
    assert_non_null(strstr(buf_cstr(&f.why), "refused"));
    client_close(f.client);
    /* A name that is none (RFC 6761). */
    const struct client_cfg cfg = {.url = "http://none.invalid", .stop_fd = -1};
    assert_int_equal(client_open(&f.client, &cfg, &f.why), OK);
    assert_int_equal(post(&f, STR("x"), 5000), ERR_IO);
    assert_non_null(strstr(buf_cstr(&f.why), "none.invalid:80: "));
    client_close(f.client);
    buf_fini(&f.why);
    buf_fini(&f.answer.body);
}

static void
what_is_no_url_is_refused(void **state)
{
    static const char *const bad[] = {"",
                                      "gateway:4318",
                                      "ftp://gateway",
                                      "http://",
                                      "http://me:secret@gateway",
                                      "http://gate way",
                                      "http://gateway:99999"};
    struct client *client;
    struct buf why = {0};
    uint16_t port;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        const struct client_cfg cfg = {.url = bad[i], .stop_fd = -1};
        buf_reset(&why);
        assert_int_equal(client_open(&client, &cfg, &why), ERR_INVALID);
        assert_null(client);
        assert_non_null(
            strstr(buf_cstr(&why), "is no http:// or https:// URL"));
        assert_int_equal(client_port(bad[i], &port), ERR_INVALID);
    }
    assert_int_equal(client_port("http://gateway", &port), OK);
    assert_int_equal(port, 80);
    assert_int_equal(client_port("https://gateway/", &port), OK);
    assert_int_equal(port, 443);
    assert_int_equal(client_port("https://[::1]:4318/v1/traces", &port), OK);
    assert_int_equal(port, 4318);
    buf_fini(&why);
}

static void
a_single_fetch_closes_behind_itself(void **state)
{
    static const struct fake_step steps[] = {{.body = STR_INIT("a graph")}};
    struct fake_gateway gateway;
    struct buf body = {0};
    struct buf why = {0};
    char url[96];
    int status;

    (void)state;
    fake_gateway_start(&gateway, steps, 1, 0);
    (void)snprintf(url, sizeof(url), "%s/some?thing=1", gateway.url);
    const struct client_request req = {
        .method = "GET", .url = url, .timeout_ms = 5000};
    assert_int_equal(client_fetch(&req, &status, &body, &why), OK);
    assert_int_equal(status, 200);
    assert_string_equal(buf_cstr(&body), "a graph");
    assert_true(fake_gateway_wait(&gateway, 1));
    assert_true(holds(&gateway.got[0].head, "GET /some?thing=1 HTTP/1.1\r\n"));
    assert_true(holds(&gateway.got[0].head, "\r\nConnection: close\r\n"));
    fake_gateway_stop(&gateway);
    buf_fini(&body);
    buf_fini(&why);
}

/* ---- TLS ---- */

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
    assert_non_null(strstr(buf_cstr(&why), "TLS: the handshake failed"));
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
        cmocka_unit_test(one_connection_carries_many_requests),
        cmocka_unit_test(a_large_body_arrives_whole),
        cmocka_unit_test(the_answer_comes_with_its_body_and_when_to_come_back),
        cmocka_unit_test(a_connection_that_was_closed_meanwhile_is_made_anew),
        cmocka_unit_test(an_answer_that_does_not_come_whole_is_none),
        cmocka_unit_test(what_stands_before_the_answer_is_passed_over),
        cmocka_unit_test(an_answer_over_the_limit_is_refused),
        cmocka_unit_test(a_wait_ends_when_it_is_told_to),
        cmocka_unit_test(nobody_there_is_said),
        cmocka_unit_test(what_is_no_url_is_refused),
        cmocka_unit_test(a_single_fetch_closes_behind_itself),
        cmocka_unit_test(a_server_that_is_who_it_should_be_is_talked_to),
        cmocka_unit_test(a_server_that_is_not_is_refused),
        cmocka_unit_test(a_server_without_tls_is_refused),
        cmocka_unit_test(a_certificate_is_shown_where_it_is_asked_for),
        cmocka_unit_test(files_that_are_no_certificates_are_named),
    };

    return cmocka_run_group_tests(tests, pki_make, pki_drop);
}
