#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/clock.h"
#include "base/log.h"
#include "tests/support/net_kit.h"

#define GET "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n"

enum { PATH_LEN = 128, DAY = 86400 };

/* Keys and certificates of one run, in a folder of its own. */
static struct {
    char dir[PATH_LEN];
    EVP_PKEY *ca_key;
    X509 *ca;
} pki;

static const char *
path_of(const char *name)
{
    static char paths[8][2 * PATH_LEN];
    static size_t at;

    at = (at + 1) % 8;
    (void)snprintf(paths[at], sizeof(paths[at]), "%s/%s", pki.dir, name);
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

static X509 *
new_cert(EVP_PKEY *key, const char *name, const char *san, long serial)
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
    X509_set_issuer_name(cert,
                         pki.ca ? X509_get_subject_name(pki.ca) : subject);
    if (!pki.ca)
        add_extension(cert, NID_basic_constraints, "critical,CA:TRUE");
    if (san)
        add_extension(cert, NID_subject_alt_name, san);
    assert_true(X509_sign(cert, pki.ca ? pki.ca_key : key, EVP_sha256()) > 0);
    return cert;
}

static void
write_pem(const char *path, X509 *cert, EVP_PKEY *key)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    if (cert)
        PEM_write_X509(file, cert);
    if (key)
        PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL);
    assert_int_equal(fclose(file), 0);
}

/* Writes NAME.crt and NAME.key, signed by the CA. */
static void
issue(const char *file, const char *name, const char *san, long serial)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = new_cert(key, name, san, serial);
    char leaf[PATH_LEN];

    (void)snprintf(leaf, sizeof(leaf), "%s.crt", file);
    write_pem(path_of(leaf), cert, NULL);
    (void)snprintf(leaf, sizeof(leaf), "%s.key", file);
    write_pem(path_of(leaf), NULL, key);
    X509_free(cert);
    EVP_PKEY_free(key);
}

static int
make_pki(void **state)
{
    (void)state;
    log_configure((struct log_cfg){.level = LOG_ERROR + 1});
    (void)snprintf(pki.dir, sizeof(pki.dir), "/tmp/test_tls_XXXXXX");
    assert_non_null(mkdtemp(pki.dir));
    pki.ca_key = EVP_EC_gen("P-256");
    X509 *ca = new_cert(pki.ca_key, "test CA", NULL, 1);
    pki.ca = ca;
    write_pem(path_of("ca.crt"), ca, NULL);
    issue("server", "localhost", "DNS:localhost", 2);
    issue("client", "cn-of-client", "DNS:agent.example", 3);
    issue("bare", "cn-only", NULL, 4);
    issue("spiffe", "x", "URI:spiffe://mesh/agent", 5);
    return 0;
}

static int
drop_pki(void **state)
{
    static const char *const names[] = {
        "ca.crt",    "server.crt", "server.key", "client.crt", "client.key",
        "bare.crt",  "bare.key",   "spiffe.crt", "spiffe.key", "other.crt",
        "other.key", "junk.pem",   "next.crt",   "next.key",   "s.sock"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unlink(path_of(names[i]));
    rmdir(pki.dir);
    X509_free(pki.ca);
    EVP_PKEY_free(pki.ca_key);
    return 0;
}

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
    SSL_CTX_load_verify_file(client->ctx, path_of("ca.crt"));
    SSL_CTX_set_verify(client->ctx, SSL_VERIFY_PEER, NULL);
    if (max_version) {
        SSL_CTX_set_security_level(client->ctx, 0);
        SSL_CTX_set_min_proto_version(client->ctx, TLS1_VERSION);
        SSL_CTX_set_max_proto_version(client->ctx, max_version);
    }
    if (cert) {
        (void)snprintf(file, sizeof(file), "%s.crt", cert);
        SSL_CTX_use_certificate_file(client->ctx, path_of(file),
                                     SSL_FILETYPE_PEM);
        (void)snprintf(file, sizeof(file), "%s.key", cert);
        SSL_CTX_use_PrivateKey_file(client->ctx, path_of(file),
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
    listener->tls.cert_file = path_of("server.crt");
    listener->tls.key_file = path_of("server.key");
    listener->limits.header_ms = 1000;
}

static void
ask_client(struct server_listener *listener)
{
    use_tls(listener);
    listener->tls.client_ca_file = path_of("ca.crt");
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
    X509 *ours = pki.ca;

    (void)state;
    /* signed by itself, under the name of one we know */
    pki.ca = NULL;
    X509 *fake = new_cert(key, "agent.example", "DNS:agent.example", 9);
    pki.ca = ours;
    write_pem(path_of("other.crt"), fake, NULL);
    write_pem(path_of("other.key"), NULL, key);

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
    listener->tls.cert_file = path_of("next.crt");
    listener->tls.key_file = path_of("next.key");
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
    issue("next", "localhost", "DNS:localhost", 11);
    kit_start(&kit, use_next);
    assert_true(open_client(&old, &kit, NULL, NULL, 0));
    assert_int_equal(serial_of(&kit), 11);
    issue("next", "localhost", "DNS:localhost", 12);
    assert_int_equal(serial_of(&kit), 11);
    server_reload(kit.server);
    assert_int_equal(serial_of(&kit), 12);
    talk(&old, STR(GET), &out, STR("GET /echo"));
    assert_true(kit_has(&out, "HTTP/1.1 200"));
    close_client(&old);

    /* a bad one changes nothing */
    write_pem(path_of("next.crt"), NULL, pki.ca_key);
    server_reload(kit.server);
    assert_int_equal(serial_of(&kit), 12);
    write_pem(path_of("next.crt"), pki.ca, NULL); /* not of that key */
    server_reload(kit.server);
    assert_int_equal(serial_of(&kit), 12);
    unlink(path_of("next.key"));
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
    issue("next", "localhost", "DNS:localhost", 21);
    kit_start(&kit, use_next_and_look);
    assert_int_equal(serial_of(&kit), 21);
    issue("next", "localhost", "DNS:localhost", 22);
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

static enum err
try_listen(const struct server_listener *listener, struct buf *why)
{
    struct server *server;
    size_t index;

    buf_reset(why);
    assert_int_equal(server_new(&server), OK);
    enum err err = server_listen(server, listener, &index, why);
    server_free(server);
    return err;
}

static void
what_cannot_be_listened_on_is_said(void **state)
{
    struct buf why = {.cap_max = 0};
    struct server_listener listener = {.address = "127.0.0.1",
                                       .limits = server_limits_default};
    struct kit kit;

    (void)state;
    write_pem(path_of("junk.pem"), NULL, NULL);
    use_tls(&listener);
    assert_int_equal(try_listen(&listener, &why), OK);
    listener.tls.cert_file = path_of("absent");
    assert_int_equal(try_listen(&listener, &why), ERR_DENIED);
    assert_true(kit_has(&why, "absent"));
    listener.tls.cert_file = path_of("junk.pem");
    assert_int_equal(try_listen(&listener, &why), ERR_INVALID);
    assert_true(kit_has(&why, "junk.pem"));
    use_tls(&listener);
    listener.tls.key_file = path_of("client.key");
    assert_int_equal(try_listen(&listener, &why), ERR_INVALID);
    use_tls(&listener);
    listener.tls.client_ca_file = path_of("junk.pem");
    assert_int_equal(try_listen(&listener, &why), ERR_INVALID);

    listener.tls = (struct server_tls){.cert_file = NULL};
    static const char *const bad[] = {"nowhere", "", "1.2.3", "256.0.0.1",
                                      "unix:"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        listener.address = bad[i];
        assert_int_equal(try_listen(&listener, &why), ERR_INVALID);
        assert_true(why.len > 0);
    }
    kit_start(&kit, NULL);
    listener.address = "127.0.0.1";
    listener.port = kit.port;
    assert_int_equal(try_listen(&listener, &why), ERR_BUSY);
    assert_true(kit_has(&why, "address already in use"));
    kit_stop(&kit);
    assert_int_equal(try_listen(&listener, &why), OK);
    listener.address = "::1";
    listener.port = 0;
    assert_int_equal(try_listen(&listener, &why), OK);
    buf_fini(&why);
}

static char socket_address[2 * PATH_LEN];

static void
use_unix(struct server_listener *listener)
{
    (void)snprintf(socket_address, sizeof(socket_address), "unix:%s",
                   path_of("s.sock"));
    listener->address = socket_address;
}

static int
connect_unix(void)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)snprintf(addr.sun_path, sizeof(addr.sun_path), "%s",
                   path_of("s.sock"));
    if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0)
        return fd;
    close(fd);
    return -1;
}

static void
a_socket_file_is_taken_over_when_nobody_listens(void **state)
{
    struct kit kit;
    struct buf why = {.cap_max = 0};
    struct buf out = {.cap_max = 0};
    struct server_listener listener = {.limits = server_limits_default};

    (void)state;
    use_unix(&listener);
    /* left behind by one that was killed */
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    (void)snprintf(addr.sun_path, sizeof(addr.sun_path), "%s",
                   path_of("s.sock"));
    int stale = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(stale, (struct sockaddr *)&addr, sizeof(addr)), 0);
    close(stale);

    kit_start(&kit, use_unix);
    assert_int_equal(try_listen(&listener, &why), ERR_BUSY);
    int fd = connect_unix();
    assert_true(fd >= 0);
    kit_send(fd, STR(GET));
    kit_recv(fd, &out, STR("GET /echo"), 1);
    assert_true(kit_has(&out, "HTTP/1.1 200"));
    close(fd);
    kit_stop(&kit);
    assert_int_equal(connect_unix(), -1);

    /* what is no socket is left alone */
    write_pem(path_of("s.sock"), NULL, NULL);
    assert_int_equal(try_listen(&listener, &why), ERR_BUSY);
    assert_int_equal(access(path_of("s.sock"), F_OK), 0);
    unlink(path_of("s.sock"));

    char longer[300];
    (void)snprintf(longer, sizeof(longer), "unix:/tmp/%0200d", 0);
    listener.address = longer;
    assert_int_equal(try_listen(&listener, &why), ERR_INVALID);
    buf_fini(&why);
    buf_fini(&out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alpn_chooses_the_protocol),
        cmocka_unit_test(large_bodies_pass_both_ways),
        cmocka_unit_test(old_versions_and_no_tls_are_refused),
        cmocka_unit_test(a_client_must_show_a_certificate_of_the_ca),
        cmocka_unit_test(only_listed_names_are_served),
        cmocka_unit_test(a_reload_changes_new_connections_only),
        cmocka_unit_test(changed_files_are_found_by_themselves),
        cmocka_unit_test(reloads_lose_no_request),
        cmocka_unit_test(what_cannot_be_listened_on_is_said),
        cmocka_unit_test(a_socket_file_is_taken_over_when_nobody_listens),
    };

    return cmocka_run_group_tests(tests, make_pki, drop_pki);
}
