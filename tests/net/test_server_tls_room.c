#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/crypto.h>
#include <openssl/ssl.h>

#include "tests/support/net_kit.h"
#include "tests/support/pki.h"

#define GET "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n"

/* What OpenSSL has, for the server and for the client. */
static atomic_size_t taken;

static void *
count_malloc(size_t len, const char *file, int line)
{
    void *at = malloc(len);

    (void)file;
    (void)line;
    taken += at ? malloc_usable_size(at) : 0;
    return at;
}

static void
count_free(void *at, const char *file, int line)
{
    (void)file;
    (void)line;
    taken -= at ? malloc_usable_size(at) : 0;
    free(at);
}

static void *
count_realloc(void *old, size_t len, const char *file, int line)
{
    size_t had = old ? malloc_usable_size(old) : 0;
    void *at = realloc(old, len);

    (void)file;
    (void)line;
    if (at)
        taken += malloc_usable_size(at) - had;
    return at;
}

static void
use_tls(struct server_listener *listener)
{
    listener->tls.cert_file = pki_path("server.crt");
    listener->tls.key_file = pki_path("server.key");
}

/* Sends |bytes|, and reads until there is an answer to a GET. */
static void
talk(SSL *ssl, str bytes, struct buf *out)
{
    char room[16384];
    int got = 1;

    buf_reset(out);
    assert_int_equal(SSL_write(ssl, bytes.ptr, (int)bytes.len), bytes.len);
    while (got > 0 && !kit_count(out, STR("GET /echo"))) {
        got = SSL_read(ssl, room, sizeof(room));
        if (got > 0)
            buf_add(out, (str){room, (size_t)got});
    }
}

static void
a_connection_keeps_little_of_what_has_passed(void **state)
{
    enum { LEN = 1 << 20, KEPT = 64 << 10 };
    struct kit kit;
    struct buf post = {.cap_max = 0};
    struct buf out = {.cap_max = 0};

    (void)state;
    kit_start(&kit, use_tls);
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    SSL *ssl = SSL_new(ctx);
    int fd = kit_connect(&kit);
    SSL_set_fd(ssl, fd);
    assert_int_equal(SSL_connect(ssl), 1);
    talk(ssl, STR(GET), &out);
    size_t before = taken;
    buf_printf(&post,
               "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n",
               LEN);
    for (size_t i = 0; i < LEN; i++)
        buf_add_char(&post, 'x');
    buf_add(&post, STR(GET));
    talk(ssl, buf_str(&post), &out);
    assert_true(out.len > LEN);
    assert_true(taken < before + KEPT);
    buf_fini(&post);
    buf_fini(&out);
    SSL_free(ssl);
    SSL_CTX_free(ctx);
    close(fd);
    kit_stop(&kit);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_connection_keeps_little_of_what_has_passed),
    };

    if (CRYPTO_set_mem_functions(count_malloc, count_realloc, count_free) != 1)
        return 1;
    return cmocka_run_group_tests(tests, pki_make, pki_drop);
}
