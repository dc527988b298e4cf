#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/pem.h>

#include "net/tls.h"
#include "tests/support/net_kit.h"
#include "tests/support/pki.h"

#define GET "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n"

enum { PATH_LEN = 128 };

static void
use_tls(struct server_listener *listener)
{
    listener->tls.cert_file = pki_path("server.crt");
    listener->tls.key_file = pki_path("server.key");
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

/* Nobody is asked for its password, on whatever terminal we are started. */
static void
encrypt_key(const char *name)
{
    FILE *file = fopen(pki_path(name), "w");

    assert_non_null(file);
    assert_int_equal(PEM_write_PKCS8PrivateKey(file, pki_ca_key(),
                                               EVP_aes_128_cbc(), "pass", 4,
                                               NULL, NULL),
                     1);
    assert_int_equal(fclose(file), 0);
}

static void
what_cannot_be_listened_on_is_said(void **state)
{
    struct buf why = {.cap_max = 0};
    struct server_listener listener = {.address = "127.0.0.1",
                                       .limits = server_limits_default};
    struct kit kit;

    (void)state;
    pki_write(pki_path("junk.pem"), NULL, NULL);
    use_tls(&listener);
    assert_int_equal(try_listen(&listener, &why), OK);
    listener.tls.cert_file = pki_path("absent");
    assert_int_equal(try_listen(&listener, &why), ERR_DENIED);
    assert_true(kit_has(&why, "absent"));
    listener.tls.cert_file = pki_path("junk.pem");
    assert_int_equal(try_listen(&listener, &why), ERR_INVALID);
    assert_true(kit_has(&why, "junk.pem"));
    use_tls(&listener);
    listener.tls.key_file = pki_path("client.key");
    assert_int_equal(try_listen(&listener, &why), ERR_INVALID);
    use_tls(&listener);
    encrypt_key("secret.key");
    listener.tls.key_file = pki_path("secret.key");
    assert_int_equal(try_listen(&listener, &why), ERR_INVALID);
    assert_true(kit_has(&why, "secret.key: it is encrypted"));
    use_tls(&listener);
    listener.tls.client_ca_file = pki_path("junk.pem");
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
    assert_true(kit_has(&why, "Address already in use"));
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
                   pki_path("s.sock"));
    listener->address = socket_address;
}

static int
connect_unix(void)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)snprintf(addr.sun_path, sizeof(addr.sun_path), "%s",
                   pki_path("s.sock"));
    if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Puts |with| in the place of |name|, with its time. */
static void
put_in_place(const char *with, const char *name)
{
    struct stat st;

    assert_int_equal(stat(pki_path(name), &st), 0);
    const struct timespec times[] = {st.st_atim, st.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, pki_path(with), times, 0), 0);
    assert_int_equal(rename(pki_path(with), pki_path(name)), 0);
}

static void
another_certificate_is_seen_whatever_its_time(void **state)
{
    const struct server_tls cfg = {.cert_file = pki_path("next.crt"),
                                   .key_file = pki_path("next.key")};
    struct tls_source *source;
    struct buf why = {.cap_max = 0};

    (void)state;
    pki_issue("next", "localhost", "DNS:localhost", 31);
    pki_issue("other", "localhost", "DNS:localhost", 32);
    assert_int_equal(tls_source_new(&source, &cfg, &why), OK);
    assert_false(tls_source_is_stale(source));
    put_in_place("other.crt", "next.crt");
    assert_true(tls_source_is_stale(source));
    assert_int_equal(tls_source_reload(source, &why), ERR_INVALID);
    assert_false(tls_source_is_stale(source));
    put_in_place("other.key", "next.key");
    assert_true(tls_source_is_stale(source));
    assert_int_equal(tls_source_reload(source, &why), OK);
    assert_false(tls_source_is_stale(source));
    tls_source_free(source);
    buf_fini(&why);
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
                   pki_path("s.sock"));
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
    pki_write(pki_path("s.sock"), NULL, NULL);
    assert_int_equal(try_listen(&listener, &why), ERR_BUSY);
    assert_int_equal(access(pki_path("s.sock"), F_OK), 0);
    unlink(pki_path("s.sock"));

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
        cmocka_unit_test(what_cannot_be_listened_on_is_said),
        cmocka_unit_test(another_certificate_is_seen_whatever_its_time),
        cmocka_unit_test(a_socket_file_is_taken_over_when_nobody_listens),
    };

    return cmocka_run_group_tests(tests, pki_make, pki_drop);
}
