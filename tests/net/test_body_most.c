/* What a handler would not read is not waited for, and not decompressed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/metrics.h"
#include "tests/support/net_kit.h"

enum { LARGE = 5 * REQUEST_SMALL };

static int asked;
static size_t most;

/* As one that sees all of the header, and no body. */
static size_t
tell_most(void *ctx, const struct request *req)
{
    (void)ctx;
    asked++;
    assert_true(str_eq(req->method, STR("POST")));
    assert_true(str_eq(req->path, STR("/echo")));
    assert_true(str_eq(req->query, STR("q")));
    assert_true(str_eq(request_header(req, STR("x-who")), STR("me")));
    assert_int_equal(req->body.len, 0);
    return most;
}

static void
begin(struct kit *kit, size_t bytes)
{
    kit_session(kit, http1_new, NULL);
    kit->env.body_most = tell_most;
    asked = 0;
    most = bytes;
}

static void
head(struct kit *kit, const char *fields, size_t len)
{
    struct buf out = {.cap_max = 0};

    buf_printf(&out, "POST /echo?q HTTP/1.1\r\nHost: h\r\nX-Who: me\r\n%s",
               fields);
    if (len)
        buf_printf(&out, "Content-Length: %zu\r\n", len);
    buf_add(&out, STR("\r\n"));
    kit_feed(kit, buf_str(&out));
    buf_fini(&out);
}

static void
feed(struct kit *kit, size_t len)
{
    char *body = malloc(len);

    memset(body, 'x', len);
    kit_feed(kit, (str){body, len});
    free(body);
}

static void
refused(struct kit *kit)
{
    assert_int_equal(kit->requests, 1);
    assert_int_equal(kit->problem, REQUEST_TOO_LARGE);
    assert_int_equal(metrics_get(METRIC_MEMORY_RESERVED), 0);
    assert_int_equal(asked, 1);
    kit_session_fini(kit);
}

static void
taken(struct kit *kit, size_t len, int times)
{
    assert_int_equal(kit->requests, 1);
    assert_int_equal(kit->problem, REQUEST_WHOLE);
    assert_int_equal(kit->body.len, len);
    assert_int_equal(asked, times);
    kit_session_fini(kit);
}

static void
what_is_declared_is_answered_by_its_header(void **state)
{
    struct kit kit;

    (void)state;
    begin(&kit, 0);
    head(&kit, "", REQUEST_SMALL + 1);
    refused(&kit);
    begin(&kit, LARGE);
    head(&kit, "", LARGE + 1);
    refused(&kit);

    begin(&kit, 0); /* not worth asking */
    head(&kit, "", REQUEST_SMALL);
    assert_int_equal(kit.requests, 0);
    feed(&kit, REQUEST_SMALL);
    taken(&kit, REQUEST_SMALL, 0);
    begin(&kit, LARGE);
    head(&kit, "", LARGE);
    assert_int_equal(kit.requests, 0);
    feed(&kit, LARGE);
    taken(&kit, LARGE, 1);
}

static void
what_is_not_declared_when_there_is_too_much(void **state)
{
    struct kit kit;

    (void)state;
    for (size_t over = 0; over < 2; over++) {
        begin(&kit, 0);
        head(&kit, "Transfer-Encoding: chunked\r\n", 0);
        kit_feed(&kit, over ? STR("4001\r\n") : STR("4000\r\n"));
        feed(&kit, REQUEST_SMALL);
        assert_int_equal(kit.requests, 0);
        if (over) {
            feed(&kit, 1);
            refused(&kit);
        } else {
            kit_feed(&kit, STR("\r\n0\r\n\r\n"));
            taken(&kit, REQUEST_SMALL, 0);
        }
    }
}

static void
what_is_compressed_when_it_would_become_too_much(void **state)
{
    static const size_t lens[][2] = {{0, 1}, {LARGE, LARGE + 1}};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        size_t len = lens[i / 2][i % 2];
        unsigned char *plain = calloc(1, len + 1);
        unsigned char packed[1000];
        uLongf packed_len = sizeof(packed);
        struct kit kit;

        begin(&kit, lens[i / 2][0]);
        assert_int_equal(compress(packed, &packed_len, plain, len), Z_OK);
        head(&kit, "Content-Encoding: deflate\r\n", packed_len);
        kit_feed(&kit, (str){(char *)packed, packed_len});
        if (i % 2)
            refused(&kit);
        else
            taken(&kit, len, 1);
        free(plain);
    }
}

static void
without_somebody_to_ask_the_limits_hold(void **state)
{
    struct kit kit;

    (void)state;
    begin(&kit, 0);
    kit.env.body_most = NULL;
    head(&kit, "", LARGE);
    feed(&kit, LARGE);
    taken(&kit, LARGE, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_declared_is_answered_by_its_header),
        cmocka_unit_test(what_is_not_declared_when_there_is_too_much),
        cmocka_unit_test(what_is_compressed_when_it_would_become_too_much),
        cmocka_unit_test(without_somebody_to_ask_the_limits_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
