/* A resource is read as it usually comes, and in any other valid form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/decode_seen.h"
#include "tests/support/otlp_oracle.h"

/* Attributes of a resource: as usual, of other types, and in unusual forms. */
#define NAME    "\x0a\x16\x0a\x0cservice.name\x12\x06\x0a\x04shop"
#define RENAMED "\x0a\x16\x0a\x0cservice.name\x12\x06\x0a\x04mall"
#define ACCENTED                                   \
    "\x0a\x17\x0a\x0cservice.name\x12\x07\x0a\x05" \
    "caf\xc3\xa9"
#define BROKEN                                     \
    "\x0a\x16\x0a\x0cservice.name\x12\x06\x0a\x04" \
    "caf\xc3"
#define OTHER    "\x0a\x12\x0a\x0bprocess.pid\x12\x03\x18\x90\x3f"
#define PORT     "\x0a\x12\x0a\x0bserver.port\x12\x03\x18\x90\x3f"
#define LIST     "\x0a\x0a\x0a\x04tags\x12\x02\x2a\x00"
#define LONG_TAG "\x8a\x00\x16\x0a\x0cservice.name\x12\x06\x0a\x04mall"
#define DROPPED  "\x10\x07"

/* A request of one span whose resource has the |fields|. */
static void
put_request(struct buf *out, str fields)
{
    struct buf parts = {0};
    struct buf scope = {0};

    buf_reset(out);
    seen_put_field(&scope, 2, STR(SEEN_TRACE_ID SEEN_SPAN_ID));
    seen_put_field(&parts, 1, fields);
    seen_put_field(&parts, 2, buf_str(&scope));
    seen_put_field(out, 1, buf_str(&parts));
    buf_fini(&scope);
    buf_fini(&parts);
}

static void
check_service(struct seen *seen, str fields, const char *service)
{
    struct buf request = {0};

    put_request(&request, fields);
    const char *difference =
        otlp_difference(seen->scratch, buf_str(&request), false);
    if (difference)
        fail_msg("%s, for %s", difference, service);
    assert_int_equal(seen_protobuf(seen, buf_str(&request)), OK);
    assert_string_equal(seen->service, service);
    buf_fini(&request);
}

static void
attributes_are_read_whatever_stands_between_them(void **state)
{
    struct seen *seen = *state;

    check_service(seen, STR(NAME), "shop");
    check_service(seen, STR(OTHER PORT NAME OTHER), "shop");
    assert_int_equal(seen->resource.value[ATTR_SERVER_PORT].i, 8080);
    check_service(seen, STR(LIST NAME DROPPED LIST PORT), "shop");
    assert_true(attr_has(&seen->resource, ATTR_SERVER_PORT));
    check_service(seen, STR(OTHER), "");
    check_service(seen, (str){NULL, 0}, "");
}

static void
of_two_names_the_later_wins_in_any_form(void **state)
{
    struct seen *seen = *state;

    check_service(seen, STR(NAME RENAMED), "mall");
    check_service(seen, STR(RENAMED NAME), "shop");
    check_service(seen, STR(NAME LONG_TAG), "mall");
    check_service(seen, STR(LONG_TAG NAME), "shop");
    check_service(seen, STR(ACCENTED LIST NAME), "shop");
    check_service(seen, STR(NAME LIST ACCENTED), "caf\xc3\xa9");
    check_service(seen, STR(NAME ACCENTED RENAMED DROPPED), "mall");
}

static void
a_name_that_is_no_text_is_empty(void **state)
{
    struct seen *seen = *state;

    check_service(seen, STR(BROKEN), "");
    assert_true(seen->result.has_bad_text);
    check_service(seen, STR(NAME BROKEN RENAMED), "mall");
    assert_true(seen->result.has_bad_text);
    check_service(seen, STR(ACCENTED PORT BROKEN LIST), "");
    check_service(seen, STR(BROKEN PORT ACCENTED), "caf\xc3\xa9");
}

/* What was cut off stands behind, so that it could be read. */
static void
each_prefix_is_read_without_going_beyond(void **state)
{
    static const char fields[] = NAME OTHER LIST ACCENTED PORT;
    struct seen *seen = *state;

    for (size_t len = 0; len < sizeof(fields); len++) {
        struct buf parts = {0};
        struct buf request = {0};

        seen_put_field(&parts, 1, (str){fields, len});
        buf_add(&parts, (str){fields + len, sizeof(fields) - 1 - len});
        seen_put_field(&request, 1, buf_str(&parts));
        const char *difference =
            otlp_difference(seen->scratch, buf_str(&request), false);
        if (difference)
            fail_msg("%s at %zu", difference, len);
        buf_fini(&parts);
        buf_fini(&request);
    }
}

/* Around the lengths of vectors, and where one byte no longer says how long the
 * text, its attribute, or the resource is; of some the last letter is not
 * ASCII. */
static void
a_text_of_any_length_is_read(void **state)
{
    struct seen *seen = *state;

    for (size_t len = 0; len < 200; len++) {
        char text[256] = {0};
        struct buf value = {0};
        struct buf pair = {0};
        struct buf fields = {0};

        memset(text, 'x', len);
        if (len >= 2 && len % 3 == 0)
            memcpy(text + len - 2, "\xc3\xa9", 2);
        seen_put_field(&value, 1, (str){text, len});
        seen_put_field(&pair, 1, STR("service.name"));
        seen_put_field(&pair, 2, buf_str(&value));
        buf_add(&fields, STR(PORT));
        seen_put_field(&fields, 1, buf_str(&pair));
        buf_add(&fields, STR(OTHER));
        check_service(seen, buf_str(&fields), text);
        buf_fini(&value);
        buf_fini(&pair);
        buf_fini(&fields);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_are_read_whatever_stands_between_them),
        cmocka_unit_test(of_two_names_the_later_wins_in_any_form),
        cmocka_unit_test(a_name_that_is_no_text_is_empty),
        cmocka_unit_test(each_prefix_is_read_without_going_beyond),
        cmocka_unit_test(a_text_of_any_length_is_read),
    };

    return cmocka_run_group_tests(tests, seen_setup, seen_teardown);
}
