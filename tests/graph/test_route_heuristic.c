#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/routes.h"

static void
check(const char *path, const char *want)
{
    struct buf out = {0};

    route_heuristic(str_of(path), &out);
    if (strcmp(buf_cstr(&out), want) != 0)
        fail_msg("%s is %s, not %s", path, buf_cstr(&out), want);
    buf_fini(&out);
}

static void
check_segment(const char *segment, const char *want)
{
    char path[256];
    char template[256];

    (void)snprintf(path, sizeof(path), "/a/%s/b", segment);
    (void)snprintf(template, sizeof(template), "/a/%s/b", want);
    check(path, template);
}

static void
words_stay(void **state)
{
    static const char *const words[] = {
        "users",
        "Users",
        "v1",
        "v10",
        "v2beta1",
        "k6",
        "s3",
        "oauth2",
        "ec2",
        "user-names",
        "user_name",
        "getUserAccountSettings",
        "deadbeef",
        "facade",
        ".well-known",
        "users:batchGet",
        "com.example.Thing",
        "thisIsOneMoreOfTheLongNames",
        "a-customer-of-long-standing-1234",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        check_segment(words[i], words[i]);
}

static void
values_do_not(void **state)
{
    static const char *const values[] = {
        "1",
        "00123",
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "3F2504E0-4F89-11D3-9A0C-0305E82C3301",
        "deadbee1",
        "507f1f77bcf86cd799439011",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "0ujtsYcgvSTl8PAuAdqWYSMnLOv",
        "cjld2cjxh0000qzrmn831i7rn",
        "V1StGXR8_Z5jdHi6B-myT",
        "QmFzZTY0VXJsVmFsdWU",
        "cus_9s6XKzkNRiz8i3",
        "order-123",
        "user123",
        "a-customer-of-long-standing-12345",
        "joe@x.com",
        "joe%40x.com",
        "a%20b",
        "2024-01-31",
        "2024-01-31T10:00:00Z",
        "20240131",
        "10.0.0.1",
        "1.2.3",
        "fe80::1",
        "::1",
        "caf\xc3\xa9",
        "{id}",
        "{}",
        "*",
        "a=b",
        "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddd",
        "+4912345",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        check_segment(values[i], "{}");
}

static void
a_segment_may_have_40_characters(void **state)
{
    (void)state;
    check("/aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd",
          "/aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd");
    check("/aaaaaaaaaabbbbbbbbbbccccccccccddddddddddd", "/{}");
    check("/%61aaaaaaaaabbbbbbbbbbccccccccccdddddddddd",
          "/aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd");
}

static void
the_rest_of_a_url_is_cut(void **state)
{
    (void)state;
    check("", "/");
    check("/", "/");
    check("//", "/");
    check("/a//b/", "/a/b");
    check("a/b", "/a/b");
    check("/a/./b", "/a/b");
    check("/a?x=/1/2", "/a");
    check("/a#b", "/a");
    check("/a;jsessionid=1F2A/b", "/a/b");
    check("/a/;x", "/a");
    check("/A/%62/%7Ec", "/A/b/~c");
    check("/a%2Fb", "/{}");
    check("/a%", "/{}");
}

static void
extensions_are_told(void **state)
{
    (void)state;
    check("/static/app.3f2a9c.js", "/static/*.js");
    check("/favicon.ico", "/*.ico");
    check("/img/42.PNG", "/img/*.PNG");
    check("/users/17.json", "/users/{}.json");
    check("/users/list.json", "/users/list.json");
    check("/x.js/y", "/x.js/y");
    check("/mail/joe@x.com", "/mail/{}");
    check("/.env", "/.env");
    check("/file.", "/file.");
}

static void
ten_segments_are_kept_and_eleven_are_not(void **state)
{
    (void)state;
    check("/a/b/c/d/e/f/g/h/i/j", "/a/b/c/d/e/f/g/h/i/j");
    check("/a/b/c/d/e/f/g/h/i/j/k", "/{**}");
}

static void
nothing_odd_comes_through(void **state)
{
    uint64_t rng = 7;
    static const char signs[] = "/////aB1-._%4@{}?#;\x80=z";
    char text[64];
    struct buf one = {0};

    (void)state;
    for (int turn = 0; turn < 50000; turn++) {
        size_t len = (size_t)turn % sizeof(text);
        for (size_t i = 0; i < len; i++) {
            rng = rng * UINT64_C(6364136223846793005) + 1442695040888963407;
            text[i] = signs[(rng >> 33) % (sizeof(signs) - 1)];
        }
        char *exact = malloc(len ? len : 1);
        memcpy(exact, text, len);
        buf_reset(&one);
        route_heuristic((str){exact, len}, &one);
        assert_true(one.len >= 1 && one.len <= 10 * 42);
        assert_int_equal(one.ptr[0], '/');
        assert_null(memchr(one.ptr, '@', one.len));
        assert_null(memchr(one.ptr, '%', one.len));
        free(exact);
    }
    buf_fini(&one);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_stay),
        cmocka_unit_test(values_do_not),
        cmocka_unit_test(a_segment_may_have_40_characters),
        cmocka_unit_test(the_rest_of_a_url_is_cut),
        cmocka_unit_test(extensions_are_told),
        cmocka_unit_test(ten_segments_are_kept_and_eleven_are_not),
        cmocka_unit_test(nothing_odd_comes_through),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
