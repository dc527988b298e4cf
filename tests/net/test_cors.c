#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "net/cors.h"
#include "tests/support/net_kit.h"

static const char *const origins[] = {"https://*.example.com",
                                      "http://localhost:3000"};
static const char *const headers[] = {"Authorization"};
static const char *const any[] = {"*"};

static const struct cors listed = {
    .origins = origins,
    .origin_len = 2,
    .has_globs = true,
    .headers = headers,
    .header_len = 1,
    .methods = "GET, POST",
    .max_age_s = 7200,
};

/* What a listener with |cors| says to |method| with |fields|. */
static void
say(struct kit *kit, const struct cors *cors, const char *method,
    const char *path, const char *fields)
{
    char text[1024];

    kit_session(kit, http1_new, NULL);
    kit->env.cors = cors;
    snprintf(text, sizeof(text),
             "%s %s HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n%s\r\n", method,
             path, fields);
    kit_feed(kit, str_of(text));
}

static bool
is_answered_ahead(const struct cors *cors, const char *fields)
{
    struct kit kit;

    say(&kit, cors, "OPTIONS", "/echo", fields);
    bool is_ahead = kit_has(&kit.out, "HTTP/1.1 204");

    assert_int_equal(kit.requests, is_ahead ? 0 : 1);
    assert_int_equal(kit_has(&kit.out, "access-control-allow-methods: "),
                     is_ahead);
    kit_session_fini(&kit);
    return is_ahead;
}

static void
what_is_asked_ahead_is_answered_in_the_handler_s_stead(void **state)
{
    struct kit kit;

    (void)state;
    say(&kit, &listed, "OPTIONS", "/echo",
        "Origin: https://shop.example.com\r\n"
        "Access-Control-Request-Method: POST\r\n"
        "Access-Control-Request-Headers: authorization, content-type\r\n");
    assert_int_equal(kit.requests, 0);
    assert_true(kit_has(&kit.out, "HTTP/1.1 204"));
    assert_true(kit_has(&kit.out, "\r\naccess-control-allow-origin: "
                                  "https://shop.example.com\r\n"));
    assert_true(
        kit_has(&kit.out, "\r\naccess-control-allow-methods: POST\r\n"));
    assert_true(kit_has(&kit.out, "\r\naccess-control-allow-headers: "
                                  "authorization, content-type\r\n"));
    assert_true(
        kit_has(&kit.out, "\r\naccess-control-allow-credentials: true\r\n"));
    assert_true(kit_has(&kit.out, "\r\naccess-control-max-age: 7200\r\n"));
    assert_true(kit_has(&kit.out, "\r\nvary: Origin"));
    kit_session_fini(&kit);
}

static void
no_age_is_said_without_one(void **state)
{
    struct cors cors = listed;
    struct kit kit;

    (void)state;
    cors.max_age_s = 0;
    say(&kit, &cors, "OPTIONS", "/echo",
        "Origin: http://localhost:3000\r\n"
        "Access-Control-Request-Method: GET\r\n");
    assert_true(kit_has(&kit.out, "HTTP/1.1 204"));
    assert_false(kit_has(&kit.out, "access-control-max-age"));
    kit_session_fini(&kit);
}

static void
only_what_is_listed_is_answered_ahead(void **state)
{
#define METHOD "Access-Control-Request-Method: POST\r\n"
#define ASKS   "Access-Control-Request-Headers: "
    static const struct {
        const char *fields;
        bool is_ahead;
    } rows[] = {
        {"Origin: http://localhost:3000\r\n" METHOD, true},
        {"Origin: http://localhost:3001\r\n" METHOD, false},
        {"Origin: https://example.com\r\n" METHOD, false},
        {"Origin: null\r\n" METHOD, false},
        {METHOD, false},
        {"Origin: http://localhost:3000\r\n", false},
        {"Origin: http://localhost:3000\r\n"
         "Access-Control-Request-Method: DELETE\r\n",
         false},
        {"Origin: http://localhost:3000\r\n" METHOD ASKS "\r\n", true},
        {"Origin: http://localhost:3000\r\n" METHOD ASKS
         "Accept,Content-Type , x-requested-with,AUTHORIZATION\r\n",
         true},
        {"Origin: http://localhost:3000\r\n" METHOD ASKS
         "authorization,x-other\r\n",
         false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(is_answered_ahead(&listed, rows[i].fields),
                         rows[i].is_ahead);

    struct cors all = listed;
    all.headers = any;
    assert_true(is_answered_ahead(&all, rows[9].fields));
    assert_false(is_answered_ahead(NULL, rows[0].fields));
}

static void
whole_origins_are_no_globs(void **state)
{
    struct cors whole = listed;

    (void)state;
    whole.has_globs = false;
    assert_true(
        is_answered_ahead(&whole, "Origin: HTTP://localhost:3000\r\n" METHOD));
    assert_false(is_answered_ahead(
        &whole, "Origin: https://shop.example.com\r\n" METHOD));
}

static bool
is_marked(const struct cors *cors, const char *fields)
{
    struct kit kit;

    say(&kit, cors, "POST", "/echo", fields);
    assert_int_equal(kit.requests, 1);
    assert_true(kit_has(&kit.out, "HTTP/1.1 200 OK"));
    assert_true(kit_has(&kit.out, "\r\nx-kit: yes"));
    bool is = kit_has(&kit.out, "access-control-allow-origin: ");

    assert_int_equal(kit_has(&kit.out, "\r\nvary: Origin\r\n"), is);
    assert_int_equal(
        kit_has(&kit.out, "\r\naccess-control-expose-headers: Retry-After, "),
        is);
    kit_session_fini(&kit);
    return is;
}

static void
pages_that_are_listed_may_read_answers(void **state)
{
    (void)state;
    assert_true(is_marked(&listed, "Origin: https://a.example.com\r\n"));
    assert_false(is_marked(&listed, "Origin: https://a.example.org\r\n"));
    assert_false(is_marked(&listed, ""));
    assert_false(is_marked(NULL, "Origin: https://a.example.com\r\n"));
}

static void
pages_may_read_the_headers_that_are_listed(void **state)
{
    struct cors cors = listed;
    struct kit kit;

    (void)state;
    cors.exposed = "Retry-After, X-Team";
    say(&kit, &cors, "POST", "/echo", "Origin: https://a.example.com\r\n");
    assert_true(kit_has(&kit.out, "\r\naccess-control-expose-headers: "
                                  "Retry-After, X-Team\r\n"));
    kit_session_fini(&kit);
    say(&kit, &cors, "POST", "/echo", "Origin: https://a.example.org\r\n");
    assert_false(kit_has(&kit.out, "access-control-expose-headers"));
    kit_session_fini(&kit);
}

static void
pages_may_read_streams(void **state)
{
    struct kit kit;

    (void)state;
    say(&kit, &listed, "POST", "/hold", "Origin: https://a.example.com\r\n");
    struct request *req = kit_held(&kit, 1);

    request_stream_open(req, &(struct reply){.status = 200});
    assert_true(request_stream_write(req, STR("one")));
    request_stream_close(req);
    kit_feed(&kit, STR(""));
    assert_true(kit_has(&kit.out, "access-control-allow-origin: "
                                  "https://a.example.com\r\n"));
    assert_true(kit_has(&kit.out, "one"));
    kit_session_fini(&kit);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            what_is_asked_ahead_is_answered_in_the_handler_s_stead),
        cmocka_unit_test(no_age_is_said_without_one),
        cmocka_unit_test(only_what_is_listed_is_answered_ahead),
        cmocka_unit_test(whole_origins_are_no_globs),
        cmocka_unit_test(pages_that_are_listed_may_read_answers),
        cmocka_unit_test(pages_may_read_the_headers_that_are_listed),
        cmocka_unit_test(pages_may_read_streams),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
