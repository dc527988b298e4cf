#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/clock.h"
#include "tests/support/net_kit.h"
#include "tests/support/pki.h"

#define GET "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n"

enum { PATH_LEN = 128 };

/* A client: its certificate (NULL: none) and the answer it got. */
struct client {
    SSL_CTX *ctx;
    SSL *ssl;
    int fd;
};

static bool
open_client(struct client *client, const struct kit *kit, const char *cert,
            const char *alpn, int max_version)
{
    struct timeval wait = {.tv_sec = KIT_WAIT_MS / 1000};
    char file[PATH_LEN];

    client->ctx = SSL_CTX_new(TLS_client_method());
    SSL_CTX_load_verify_file(client->ctx, pki_path("ca.crt"));
    SSL_CTX_set_verify(client->ctx, SSL_VERIFY_PEER, NULL);
    if (max_version) {
        SSL_CTX_set_security_level(client->ctx, 0);
        SSL_CTX_set_min_proto_version(client->ctx, TLS1_VERSION);
        SSL_CTX_set_max_proto_version(client->ctx, max_version);
    }
    if (cert) {
        (void)snprintf(file, sizeof(file), "%s.crt", cert);
        SSL_CTX_use_certificate_file(client->ctx, pki_path(file),
                                     SSL_FILETYPE_PEM);
        (void)snprintf(file, sizeof(file), "%s.key", cert);
        SSL_CTX_use_PrivateKey_file(client->ctx, pki_path(file),
                                    SSL_FILETYPE_PEM);
    }
    client->ssl = SSL_new(client->ctx);
    SSL_set1_host(client->ssl, "localhost");
    if (alpn)
        SSL_set_alpn_protos(client->ssl, (const unsigned char *)alpn,
                            (unsigned)strlen(alpn));
    client->fd = kit_connect(kit);
    setsockopt(client->fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    SSL_set_fd(client->ssl, client->fd);
    ERR_clear_error();
    return SSL_connect(client->ssl) == 1;
}

static void
close_client(struct client *client)
{
    SSL_free(client->ssl);
    SSL_CTX_free(client->ctx);
    close(client->fd);
}

/* Sends |bytes| and reads until |until| or the end. */
static void
talk(struct client *client, str bytes, struct buf *out, str until)
{
    char room[16384];
    int got = 1;

    if (SSL_write(client->ssl, bytes.ptr, (int)bytes.len) <= 0)
        return;
    while (got > 0 && !kit_count(out, until)) {
        got = SSL_read(client->ssl, room, sizeof(room));
        if (got > 0)
            buf_add(out, (str){room, (size_t)got});
    }
}

/* Does a client with |cert| get an answer? */
static bool
is_served(const struct kit *kit, const char *cert)
{
    struct client client;
    struct buf out = {.cap_max = 0};

    if (open_client(&client, kit, cert, NULL, 0))
        talk(&client, STR(GET), &out, STR("GET /echo"));
    bool is_ok = kit_has(&out, "HTTP/1.1 200");
    close_client(&client);
    buf_fini(&out);
    return is_ok;
}

static void
use_tls(struct server_listener *listener)
{
    listener->tls.cert_file = pki_path("server.crt");
    listener->tls.key_file = pki_path("server.key");
    listener->limits.header_ms = 1000;
}

static void
ask_client(struct server_listener *listener)
{
    use_tls(listener);
    listener->tls.client_ca_file = pki_path("ca.crt");
}

static void
ask_names(struct server_listener *listener)
{
    static const char *const names[] = {"Agent.example", "cn-only"};

    ask_client(listener);
    listener->tls.allowed_names = names;
    listener->tls.allowed_len = 2;
}

static void
alpn_chooses_the_protocol(void **state)
{
    static const struct {
        const char *offer;
        const char *chosen;
    } offers[] = {{"\2h2\x8http/1.1", "h2"},
                  {"\x8http/1.1\2h2", "h2"},
                  {"\x8http/1.1", "http/1.1"},
                  {"\3foo", ""},
                  {NULL, ""}};
    struct kit kit;

    (void)state;
    kit_start(&kit, use_tls);
    for (size_t i = 0; i < sizeof(offers) / sizeof(offers[0]); i++) {
        struct client client;
        struct buf out = {.cap_max = 0};
        const unsigned char *name = NULL;
        unsigned len = 0;

        assert_true(open_client(&client, &kit, NULL, offers[i].offer, 0));
        SSL_get0_alpn_selected(client.ssl, &name, &len);
        assert_int_equal(len, strlen(offers[i].chosen));
        if (len)
            assert_memory_equal(name, offers[i].chosen, len);
        if (len == 2) {
            talk(&client,
                 STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"),
                 &out, STR("\0\0\0\4\1"));
            assert_int_equal(kit_count(&out, STR("\0\0\0\4\1\0\0\0\0")), 1);
        } else {
            talk(&client, STR(GET), &out, STR("GET /echo"));
            assert_true(kit_has(&out, "HTTP/1.1 200"));
        }
        buf_fini(&out);
        close_client(&client);
    }
    kit_stop(&kit);
}

static void
large_bodies_pass_both_ways(void **state)
{
    enum { LEN = 3000000 };
    struct kit kit;
    struct client client;
    struct buf post = {.cap_max = 0};
    struct buf out = {.cap_max = 0};

    (void)state;
    kit_start(&kit, use_tls);
    assert_true(open_client(&client, &kit, NULL, NULL, 0));
    buf_printf(&post,
               "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n",
               LEN);
    for (size_t i = 0; i < LEN; i++)
        buf_add_char(&post, (char)('a' + i % 26));
    buf_add(&post, STR("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n"));
    talk(&client, buf_str(&post), &out, STR("GET /echo"));
    assert_true(out.len > LEN);
    assert_true(kit_has(&out, "POST /echo? abcdefghij"));
    assert_int_equal(kit_count(&out, STR("xyza")), LEN / 26);
    buf_fini(&post);
    buf_fini(&out);
    close_client(&client);
    kit_stop(&kit);
}

static long
resident_kib(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Its answer is out, and it is only waited for. */
static void
what_comes_behind_a_refusal_is_not_kept(void **state)
{
    enum { PIECE = 1 << 20, PIECES = 96, KEPT_KIB = 32 << 10 };
    static char piece[PIECE];
    struct kit kit;
    struct client client;
    struct buf out = {.cap_max = 0};

    (void)state;
    kit_start(&kit, use_tls);
    assert_true(open_client(&client, &kit, NULL, NULL, 0));
    talk(&client, STR("no request\r\n\r\n"), &out, STR("Bad Request\n"));
    assert_true(kit_has(&out, "HTTP/1.1 400"));
    memset(piece, 'x', sizeof(piece));
    long before = resident_kib();
    for (int i = 0; i < PIECES; i++)
        kit_send(client.fd, (str){piece, sizeof(piece)});
    assert_in_range(resident_kib() - before, 0, KEPT_KIB);
    buf_fini(&out);
    close_client(&client);
    kit_stop(&kit);
}

/* The answer is still due, so the connection stays. */
static void
what_comes_behind_the_end_of_tls_is_not_taken(void **state)
{
    enum { PIECE = 1 << 20, PIECES = 96 };
    const struct timeval wait = {.tv_sec = 1};
    static char piece[PIECE];
    struct kit kit;
    struct client client;
    int taken = 0;

    (void)state;
    kit_start(&kit, use_tls);
    assert_true(open_client(&client, &kit, NULL, NULL, 0));
    str hold = STR("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_int_equal(SSL_write(client.ssl, hold.ptr, (int)hold.len), hold.len);
    struct request *held = kit_held(&kit, 1);
    assert_non_null(held);
    SSL_shutdown(client.ssl);
    assert_true(kit_wait_cancels(&kit, 1));
    setsockopt(client.fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
    while (taken < PIECES && send(client.fd, piece, PIECE, MSG_NOSIGNAL) > 0)
        taken++;
    assert_in_range(taken, 0, PIECES / 2);
    request_reply(held, &(struct reply){.status = 204});
    close_client(&client);
    kit_stop(&kit);
}

/* Each is answered by TLS, whatever the session is about. */
static void
who_asks_for_keys_and_reads_none_is_not_read(void **state)
{
    enum { KEYS = 60000 };
    const struct timeval wait = {.tv_sec = 1};
    const int small = 4 << 10;
    struct kit kit;
    struct client client;
    int asked = 0;

    (void)state;
    kit_start(&kit, use_tls);
    assert_true(open_client(&client, &kit, NULL, "\2h2", 0));
    setsockopt(client.fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
    setsockopt(client.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    setsockopt(client.fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
    while (asked < KEYS &&
           SSL_key_update(client.ssl, SSL_KEY_UPDATE_REQUESTED) == 1 &&
           SSL_do_handshake(client.ssl) == 1)
        asked++;
    assert_in_range(asked, 1, KEYS - 1);
    close_client(&client);
    kit_stop(&kit);
}

static void
old_versions_and_no_tls_are_refused(void **state)
{
    struct kit kit;
    struct client client;
    struct buf out = {.cap_max = 0};

    (void)state;
    kit_start(&kit, use_tls);
    assert_false(open_client(&client, &kit, NULL, NULL, TLS1_1_VERSION));
    close_client(&client);
    assert_true(open_client(&client, &kit, NULL, NULL, TLS1_2_VERSION));
    close_client(&client);
    int fd = kit_connect(&kit);
    kit_send(fd, STR(GET));
    assert_true(kit_recv_all(fd, &out));
    assert_false(kit_has(&out, "HTTP"));
    close(fd);
    /* a handshake that does not go on */
    fd = kit_connect(&kit);
    uint64_t start = clock_mono_ns();
    kit_send(fd, STR("\x16\x03\x01"));
    assert_true(kit_recv_all(fd, &out));
    assert_true(clock_mono_ns() - start < 3 * NS_PER_S);
    close(fd);
    buf_fini(&out);
    kit_stop(&kit);
}

static char peer_name[64];

static void
note_peer(void *ctx, struct request *req)
{
    (void)snprintf(peer_name, sizeof(peer_name), "%.*s",
                   (int)req->tls_peer_name.len, req->tls_peer_name.ptr);
    assert_true(req->is_tls);
    assert_true(req->is_loopback);
    kit_handler(ctx, req);
}

static void
ask_and_note(struct server_listener *listener)
{
    ask_client(listener);
    listener->handler = note_peer;
}

static void
a_client_must_show_a_certificate_of_the_ca(void **state)
{
    struct kit kit;
    EVP_PKEY *key = EVP_EC_gen("P-256");

    (void)state;
    /* signed by itself, under the name of one we know */
    X509 *fake = pki_cert(key, "agent.example", "DNS:agent.example", 9, true);
    pki_write(pki_path("other.crt"), fake, NULL);
    pki_write(pki_path("other.key"), NULL, key);

    kit_start(&kit, ask_and_note);
    assert_false(is_served(&kit, NULL));
    assert_false(is_served(&kit, "other"));
    assert_int_equal(kit.requests, 0);
    assert_true(is_served(&kit, "client"));
    assert_string_equal(peer_name, "agent.example");
    assert_true(is_served(&kit, "bare"));
    assert_string_equal(peer_name, "cn-only");
    assert_true(is_served(&kit, "spiffe"));
    assert_string_equal(peer_name, "spiffe://mesh/agent");
    kit_stop(&kit);
    X509_free(fake);
    EVP_PKEY_free(key);
}

static void
only_listed_names_are_served(void **state)
{
    struct kit kit;

    (void)state;
    kit_start(&kit, ask_names);
    assert_true(is_served(&kit, "client")); /* by SAN, in any case */
    assert_true(is_served(&kit, "bare"));   /* by CN */
    assert_false(is_served(&kit, "spiffe"));
    assert_int_equal(kit.requests, 2);
    kit_stop(&kit);
}

static long
serial_of(const struct kit *kit)
{
    struct client client;
    long serial = 0;

    if (open_client(&client, kit, NULL, NULL, 0)) {
        X509 *cert = SSL_get1_peer_certificate(client.ssl);
        serial = ASN1_INTEGER_get(X509_get_serialNumber(cert));
        X509_free(cert);
    }
    close_client(&client);
    return serial;
}

static void
use_next(struct server_listener *listener)
{
    listener->tls.cert_file = pki_path("next.crt");
    listener->tls.key_file = pki_path("next.key");
}

static void
use_next_and_look(struct server_listener *listener)
{
    use_next(listener);
    listener->tls.reload_ms = 50;
}

static void
a_reload_changes_new_connections_only(void **state)
{
    struct kit kit;
    struct client old;
    struct buf out = {.cap_max = 0};

    (void)state;
    pki_issue("next", "localhost", "DNS:localhost", 11);
    kit_start(&kit, use_next);
    assert_true(open_client(&old, &kit, NULL, NULL, 0));
    assert_int_equal(serial_of(&kit), 11);
    pki_issue("next", "localhost", "DNS:localhost", 12);
    assert_int_equal(serial_of(&kit), 11);
    server_reload(kit.server);
    assert_int_equal(serial_of(&kit), 12);
    talk(&old, STR(GET), &out, STR("GET /echo"));
    assert_true(kit_has(&out, "HTTP/1.1 200"));
    close_client(&old);

    /* a bad one changes nothing */
    pki_write(pki_path("next.crt"), NULL, pki_ca_key());
    server_reload(kit.server);
    assert_int_equal(serial_of(&kit), 12);
    pki_write(pki_path("next.crt"), pki_ca(), NULL); /* not of that key */
    server_reload(kit.server);
    assert_int_equal(serial_of(&kit), 12);
    unlink(pki_path("next.key"));
    server_reload(kit.server);
    assert_int_equal(serial_of(&kit), 12);
    buf_fini(&out);
    kit_stop(&kit);
}

static void
changed_files_are_found_by_themselves(void **state)
{
    struct kit kit;
    uint64_t end = clock_mono_ns() + KIT_WAIT_MS * NS_PER_MS;

    (void)state;
    pki_issue("next", "localhost", "DNS:localhost", 21);
    kit_start(&kit, use_next_and_look);
    assert_int_equal(serial_of(&kit), 21);
    pki_issue("next", "localhost", "DNS:localhost", 22);
    while (serial_of(&kit) != 22 && clock_mono_ns() < end)
        usleep(20000);
    assert_int_equal(serial_of(&kit), 22);
    kit_stop(&kit);
}

static void
reloads_lose_no_request(void **state)
{
    struct kit kit;

    (void)state;
    kit_start(&kit, use_tls);
    for (int i = 0; i < 100; i++) {
        server_reload(kit.server);
        assert_true(is_served(&kit, NULL));
    }
    kit_stop(&kit);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alpn_chooses_the_protocol),
        cmocka_unit_test(large_bodies_pass_both_ways),
        cmocka_unit_test(what_comes_behind_a_refusal_is_not_kept),
        cmocka_unit_test(what_comes_behind_the_end_of_tls_is_not_taken),
        cmocka_unit_test(who_asks_for_keys_and_reads_none_is_not_read),
        cmocka_unit_test(old_versions_and_no_tls_are_refused),
        cmocka_unit_test(a_client_must_show_a_certificate_of_the_ca),
        cmocka_unit_test(only_listed_names_are_served),
        cmocka_unit_test(a_reload_changes_new_connections_only),
        cmocka_unit_test(changed_files_are_found_by_themselves),
        cmocka_unit_test(reloads_lose_no_request),
    };

    return cmocka_run_group_tests(tests, pki_make, pki_drop);
}
