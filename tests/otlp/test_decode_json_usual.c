/*
 * What is written as usual is read by another way than the rest.  A space where
 * that way does not expect one leads around it; so each document is read with
 * and without, and both must see the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/otlp_oracle.h"
#include "tests/support/span_count.h"

#define BEGIN                                                                 \
    "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":"            \
    "\"service.name\",\"value\":{\"stringValue\":\"shop\"}}]},\"scopeSpans\"" \
    ":[{\"scope\":{\"name\":\"lib\"},\"spans\":["
#define END "]}]}]}"
#define IDS                                             \
    "{\"traceId\":\"0af7651916cd43dd8448eb211c80319C\"" \
    ",\"spanId\":\"b7ad6b7169203331\""
#define PARENT ",\"parentSpanId\":\"00f067aa0ba902b7\""
#define HEAD                                                    \
    ",\"name\":\"GET "                                          \
    "/cart\",\"kind\":2,\"startTimeUnixNano\":\"17672269073449" \
    "01546\",\"endTimeUnixNano\":\"1767226907384825950\""
#define STRING "{\"key\":\"http.route\",\"value\":{\"stringValue\":\"/cart\"}}"
#define NUMBER "{\"key\":\"server.port\",\"value\":{\"intValue\":8080}}"
#define QUOTED                                                        \
    "{\"key\":\"http.response.status_code\",\"value\":{\"intValue\":" \
    "\"200\"}}"
#define BOOL                                                              \
    "{\"key\":\"messaging.destination.temporary\",\"value\":{\"boolValue" \
    "\":true}}"
#define FALSE "{\"key\":\"app.cache.hit\",\"value\":{\"boolValue\":false}}"

/* As the SDK for JavaScript, the Collector and a minimal sender write. */
static const char *const documents[] = {
    BEGIN IDS PARENT HEAD
    ",\"attributes\":[" STRING "," NUMBER "," BOOL
    "],\"droppedAttributesCount\":0,\"events\":[],\"droppedEventsCount\":0,"
    "\"status\":{\"code\":0},\"links\":[],\"droppedLinksCount\":0,\"flags\":"
    "257}" END,
    BEGIN IDS ",\"traceState\":\"ot=th:8\"" PARENT HEAD
              ",\"attributes\":[" QUOTED "," FALSE "," STRING
              "],\"events\":[{\"timeUnixNano\":\"17\",\"name\":\"e\"}],"
              "\"status\":{\"code\":2},\"flags\":1}," IDS HEAD
              ",\"attributes\":[],\"status\":{}}" END,
    BEGIN IDS HEAD "}" END,
};
enum { DOCUMENTS = sizeof(documents) / sizeof(documents[0]) };

/* Appends |from| with a space behind the bracket of each span and attribute. */
static void
put_spaced(struct buf *out, str from)
{
    static const str starts[] = {STR_INIT("{\"traceId\""),
                                 STR_INIT("{\"key\"")};

    for (size_t i = 0; i < from.len; i++) {
        str rest = str_cut(from, i, from.len);
        buf_add_char(out, from.ptr[i]);
        if (str_starts(rest, starts[0]) || str_starts(rest, starts[1]))
            buf_add_char(out, ' ');
    }
}

static void
check_same(struct decode_scratch *scratch, str document)
{
    struct otlp_seen usual;
    struct otlp_seen other;
    struct buf spaced = {0};

    put_spaced(&spaced, document);
    otlp_decode_json(&usual, scratch, document, false);
    otlp_decode_json(&other, scratch, buf_str(&spaced), false);
    if (usual.err != other.err ||
        (!usual.err && !str_eq(buf_str(&usual.log), buf_str(&other.log))))
        fail_msg("%.*s\n%s\n%s", (int)document.len, document.ptr,
                 buf_cstr(&usual.log), buf_cstr(&other.log));
    assert_true(!usual.err || usual.result.error_at <= document.len);
    otlp_seen_fini(&usual);
    otlp_seen_fini(&other);
    buf_fini(&spaced);
}

static void
what_is_usual_is_seen_as_what_is_not(void **state)
{
    for (size_t i = 0; i < DOCUMENTS; i++) {
        struct otlp_seen seen;
        check_same(*state, str_of(documents[i]));
        otlp_decode_json(&seen, *state, str_of(documents[i]), false);
        assert_int_equal(seen.err, OK);
        assert_int_equal(seen.result.accepted, i == 1 ? 2 : 1);
        assert_int_equal(seen.result.rejected, 0);
        otlp_seen_fini(&seen);
    }
}

/* Each of the bytes that mean something, instead of the one |at|. */
static void
check_others(struct decode_scratch *scratch, char *bytes, size_t len, size_t at)
{
    static const char others[] = "\"\\09ax ,:{}[]\xc3\x1f";
    char held = bytes[at];

    for (size_t i = 0; i + 1 < sizeof(others); i++) {
        bytes[at] = others[i];
        check_same(scratch, (str){bytes, len});
    }
    bytes[at] = held;
}

static void
every_byte_may_be_another(void **state)
{
    for (size_t i = 0; i < DOCUMENTS; i++) {
        char *bytes = strdup(documents[i]);
        size_t len = strlen(bytes);
        for (size_t at = 0; at < len; at++)
            check_others(*state, bytes, len, at);
        free(bytes);
    }
}

/* A byte is left out, or comes twice. */
static void
every_byte_may_be_missing(void **state)
{
    for (size_t i = 0; i < DOCUMENTS; i++) {
        str all = str_of(documents[i]);
        for (size_t at = 0; at < all.len; at++) {
            struct buf bytes = {0};
            buf_add(&bytes, str_cut(all, 0, at));
            buf_add(&bytes, str_cut(all, at + 1, all.len));
            check_same(*state, buf_str(&bytes));
            buf_reset(&bytes);
            buf_add(&bytes, str_cut(all, 0, at + 1));
            buf_add(&bytes, str_cut(all, at, all.len));
            check_same(*state, buf_str(&bytes));
            buf_fini(&bytes);
        }
    }
}

/* What was cut off stands behind, so that it could be read. */
static void
every_prefix_is_refused_at_its_end_or_before(void **state)
{
    uint32_t spans = 0;
    const struct span_visitor visitor = span_count(&spans);
    struct decode_result result;

    for (size_t i = 0; i < DOCUMENTS; i++) {
        size_t all = strlen(documents[i]);
        char *memory = calloc(1, all + 512);
        assert_non_null(memory);
        memcpy(memory, documents[i], all);
        for (size_t len = 0; len < all; len++) {
            assert_int_equal(decode_json(*state, (str){memory, len}, false,
                                         &visitor, &result),
                             ERR_INVALID);
            assert_true(result.error_at <= len);
        }
        free(memory);
    }
}

static void
check_number(struct decode_scratch *scratch, const char *number)
{
    struct buf document = {0};

    buf_printf(&document,
               BEGIN IDS
               ",\"name\":\"n\",\"kind\":1,\"startTimeUnixNano\":\"%s\","
               "\"endTimeUnixNano\":\"%s\",\"attributes\":[{\"key\":"
               "\"server.port\",\"value\":{\"intValue\":%s}},{\"key\":"
               "\"http.status_code\",\"value\":{\"intValue\":\"%s\"}}],"
               "\"flags\":%s}" END,
               number, number, number, number, number);
    check_same(scratch, buf_str(&document));
    buf_fini(&document);
}

/* All lengths, so each limit of the quick ways and one more. */
static void
numbers_of_every_length_are_read(void **state)
{
    static const char nines[] = "999999999999999999999";
    static const char zeros[] = "100000000000000000000";
    static const char digits[] = "12345678901234567890";
    char number[32] = "";

    for (int len = 0; len < 22; len++) {
        (void)snprintf(number, sizeof(number), "%.*s", len, nines);
        check_number(*state, number);
        (void)snprintf(number, sizeof(number), "%.*s", len, zeros);
        check_number(*state, number);
        (void)snprintf(number, sizeof(number), "%.*s", len, digits);
        check_number(*state, number);
        (void)snprintf(number, sizeof(number), "0%.*s", len, digits);
        check_number(*state, number);
        (void)snprintf(number, sizeof(number), "-%.*s", len, digits);
        check_number(*state, number);
        (void)snprintf(number, sizeof(number), "%.*s.0", len, digits);
        check_number(*state, number);
    }
    check_number(*state, "18446744073709551615");
    check_number(*state, "18446744073709551616");
    check_number(*state, "4294967295");
    check_number(*state, "4294967296");
}

static void
texts_of_every_length_are_read(void **state)
{
    static const char format[] =
        BEGIN IDS ",\"traceState\":\"%.*s\",\"name\":\"%.*s\",\"attributes\":["
                  "{\"key\":\"%.*s\",\"value\":{\"stringValue\":\"%.*s\"}},"
                  "{\"key\":\"http.route\",\"value\":{\"stringValue\":\"%.*s\""
                  "}}]}" END;
    char text[200];

    for (int len = 0; len < 140; len++) {
        struct buf document = {0};
        memset(text, 'a', sizeof(text));
        buf_printf(&document, format, len, text, len, text, len, text, len,
                   text, len, text);
        check_same(*state, buf_str(&document));
        buf_reset(&document);
        if (len >= 2) {
            text[len - 2] = '\xc3';
            text[len - 1] = '\xa9';
        }
        buf_printf(&document, format, len, text, len, text, len, text, len,
                   text, len, text);
        check_same(*state, buf_str(&document));
        buf_fini(&document);
    }
}

static int
set_up(void **state)
{
    *state = decode_scratch_new();
    return *state == NULL;
}

static int
tear_down(void **state)
{
    decode_scratch_free(*state);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_usual_is_seen_as_what_is_not),
        cmocka_unit_test(every_byte_may_be_another),
        cmocka_unit_test(every_byte_may_be_missing),
        cmocka_unit_test(every_prefix_is_refused_at_its_end_or_before),
        cmocka_unit_test(numbers_of_every_length_are_read),
        cmocka_unit_test(texts_of_every_length_are_read),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
