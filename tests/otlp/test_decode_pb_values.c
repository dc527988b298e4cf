#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "otlp/decode_state.h"
#include "tests/support/decode_seen.h"

#define SPAN(seen, body) \
    seen_protobuf_span(seen, STR(SEEN_TRACE_ID SEEN_SPAN_ID), STR(body))

static void
each_type_of_value_is_read(void **state)
{
    struct seen *seen = *state;
    str key = STR("server.port");

    assert_int_equal(seen_protobuf_attribute(seen, key, STR("\x0a\x01x")), OK);
    assert_int_equal(seen_attr(seen, ATTR_SERVER_PORT)->type, ATTR_STR);
    assert_int_equal(seen_attr(seen, ATTR_SERVER_PORT)->len, 1);
    assert_int_equal(seen_protobuf_attribute(seen, key, STR("\x18\x90\x3f")),
                     OK);
    assert_int_equal(seen_attr(seen, ATTR_SERVER_PORT)->type, ATTR_INT);
    assert_int_equal(seen_attr(seen, ATTR_SERVER_PORT)->i, 8080);
    assert_int_equal(
        seen_protobuf_attribute(
            seen, key, STR("\x18\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01")),
        OK);
    assert_int_equal(seen_attr(seen, ATTR_SERVER_PORT)->i, -2);
    assert_int_equal(seen_protobuf_attribute(seen, key, STR("\x10\x01")), OK);
    assert_int_equal(seen_attr(seen, ATTR_SERVER_PORT)->type, ATTR_BOOL);
    assert_true(seen_attr(seen, ATTR_SERVER_PORT)->i);
    assert_int_equal(seen_protobuf_attribute(seen, key, STR("\x10\x00")), OK);
    assert_false(seen_attr(seen, ATTR_SERVER_PORT)->i);
    assert_int_equal(
        seen_protobuf_attribute(seen, key, STR("\x21\0\0\0\0\0\0\xf8\x3f")),
        OK);
    assert_int_equal(seen_attr(seen, ATTR_SERVER_PORT)->type, ATTR_DOUBLE);
    assert_true(seen_attr(seen, ATTR_SERVER_PORT)->d == 1.5);
}

static void
a_value_without_a_plain_type_is_present_and_unreadable(void **state)
{
    const str values[] = {
        {"", 0},
        STR("\x2a\x00"), /* array */
        STR("\x2a\x04\x0a\x02\x18\x01"),
        STR("\x32\x00"), /* key-value list */
        STR("\x32\x07\x0a\x05\x0a\x01k\x12\x00"),
        STR("\x3a\x02\xff\xfe"), /* bytes need not be text */
        STR("\x40\x05"),         /* index of a profile's string */
        STR("\x4a\x01x"),        /* unknown */
    };
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        assert_int_equal(
            seen_protobuf_attribute(seen, STR("http.route"), values[i]), OK);
        assert_int_equal(seen_attr(seen, ATTR_HTTP_ROUTE)->type, ATTR_NONE);
    }
    /* a key alone */
    assert_int_equal(SPAN(seen, "\x4a\x0c\x0a\x0ahttp.route"), OK);
    assert_int_equal(seen_attr(seen, ATTR_HTTP_ROUTE)->type, ATTR_NONE);
}

static void
of_two_values_for_one_key_the_later_wins(void **state)
{
    struct seen *seen = *state;
    struct buf body = {0};

    seen_put_attribute(&body, STR("server.port"), STR("\x18\x01"));
    seen_put_attribute(&body, STR("server.port"), STR("\x18\x02"));
    seen_put_attribute(&body, STR("server.host"), STR("\x18\x03"));
    assert_int_equal(seen_protobuf_span(seen, STR(SEEN_TRACE_ID SEEN_SPAN_ID),
                                        buf_str(&body)),
                     OK);
    assert_int_equal(seen_attr(seen, ATTR_SERVER_PORT)->i, 2);
    assert_int_equal(__builtin_popcountll(seen->attrs.mask[0]) +
                         __builtin_popcountll(seen->attrs.mask[1]),
                     1);
    buf_fini(&body);
}

static void
no_attribute_of_the_span_before_remains(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(
        seen_protobuf_attribute(seen, STR("server.port"), STR("\x18\x01")), OK);
    assert_int_equal(
        seen_protobuf_attribute(seen, STR("http.route"), STR("\x0a\x01/")), OK);
    assert_false(attr_has(&seen->attrs, ATTR_SERVER_PORT));
}

static void
every_known_key_is_found_at_every_length_of_value(void **state)
{
    struct seen *seen = *state;
    struct buf value = {0};

    for (size_t id = 0; id < ATTR_COUNT; id++) {
        for (size_t len = 0; len < 200; len += 1 + len / 16 * 7) {
            char text[200];

            memset(text, 'v', sizeof(text));
            buf_reset(&value);
            seen_put_field(&value, 1, (str){text, len});
            str key = {attr_keys[id].text, attr_keys[id].len};
            assert_int_equal(
                seen_protobuf_attribute(seen, key, buf_str(&value)), OK);
            assert_int_equal(seen_attr(seen, (enum attr)id)->type, ATTR_STR);
            assert_int_equal(seen_attr(seen, (enum attr)id)->len, len);
        }
    }
    buf_fini(&value);
}

/* Puts |bad| or a good character at each place of a text. */
static void
check_text_places(struct seen *seen, decode_span_fn *span_fn, size_t len)
{
    struct buf value = {0};
    char text[300];

    seen->scratch->span_fn = span_fn;
    for (size_t at = 0; at + 2 <= len; at++) {
        memset(text, 'a', len);
        memcpy(text + at, "\xc3\xa9", 2);
        buf_reset(&value);
        seen_put_field(&value, 1, (str){text, len});
        assert_int_equal(
            seen_protobuf_attribute(seen, STR("http.route"), buf_str(&value)),
            OK);
        assert_int_equal(seen_attr(seen, ATTR_HTTP_ROUTE)->len, len);
        assert_false(seen->result.has_bad_text);
        assert_int_equal(
            seen_protobuf_attribute(seen, (str){text, len}, buf_str(&value)),
            OK);
        assert_false(seen->result.has_bad_text);
        text[at] = 'a'; /* the second byte alone */
        buf_reset(&value);
        seen_put_field(&value, 1, (str){text, len});
        assert_int_equal(
            seen_protobuf_attribute(seen, STR("http.route"), buf_str(&value)),
            OK);
        assert_int_equal(seen_attr(seen, ATTR_HTTP_ROUTE)->len, 0);
        assert_true(seen->result.has_bad_text);
        assert_int_equal(
            seen_protobuf_attribute(seen, (str){text, len}, STR("\x18\x01")),
            OK);
        assert_true(seen->result.has_bad_text);
    }
    buf_fini(&value);
}

static void
text_is_checked_at_every_byte(void **state)
{
    struct seen *seen = *state;
    decode_span_fn *fns[DECODE_SPAN_FNS];
    size_t fns_len = decode_span_fns(fns);
    static const size_t lens[] = {2,  31,  33,  45,  60, 64,
                                  65, 110, 127, 130, 290};

    for (size_t i = 0; i < fns_len; i++)
        for (size_t j = 0; j < sizeof(lens) / sizeof(lens[0]); j++)
            check_text_places(seen, fns[i], lens[j]);
    seen->scratch->span_fn = fns[0];
}

/* What is left for a value is then less than nothing, which is as many as 256
 * more in a byte. */
static void
a_key_longer_than_its_attribute_is_refused(void **state)
{
    struct seen *seen = *state;
    decode_span_fn *fns[DECODE_SPAN_FNS];
    size_t fns_len = decode_span_fns(fns);
    const str bodies[] = {
        STR("\x4a\x05\x0a\x06kkkkkk\x12\xfb\x0a\xf9"),
        STR("\x4a\x05\x0a\x06kkkkkk\x12\xfb\x18\x01"),
        STR("\x4a\x09\x0a\x06kkkkkk\x12\xff\x18\x01"),
        STR("\x4a\x0a\x0a\x06kkkkkk\x12\x00\x18\x01"),
    };

    for (size_t i = 0; i < fns_len; i++)
        for (size_t j = 0; j < sizeof(bodies) / sizeof(bodies[0]); j++) {
            seen->scratch->span_fn = fns[i];
            assert_int_equal(seen_protobuf_span(seen,
                                                STR(SEEN_TRACE_ID SEEN_SPAN_ID),
                                                bodies[j]),
                             ERR_INVALID);
        }
    seen->scratch->span_fn = fns[0];
}

static void
a_scratch_begins_with_a_line_of_the_cache(void **state)
{
    struct decode_scratch *scratches[8];
    void *between[8];

    (void)state;
    for (size_t i = 0; i < 8; i++) {
        between[i] = malloc(16 * i + 1);
        scratches[i] = decode_scratch_new();
        assert_non_null(scratches[i]);
        assert_int_equal((uintptr_t)scratches[i]->index.keys % 64, 0);
    }
    for (size_t i = 0; i < 8; i++) {
        decode_scratch_free(scratches[i]);
        free(between[i]);
    }
}

static void
a_string_that_is_no_text_is_told_of_and_costs_no_span(void **state)
{
    const str bodies[] = {
        STR("\x1a\x01\xff"),                         /* trace state */
        STR("\x2a\x01\xff"),                         /* name */
        STR("\x4a\x03\x0a\x01\xff"),                 /* key */
        STR("\x4a\x05\x12\x03\x0a\x01\xff"),         /* value */
        STR("\x4a\x07\x12\x05\x0a\x01\xff\x18\x01"), /* one that is replaced */
        STR("\x4a\x0b\x12\x09\x2a\x07\x0a\x05\x0a\x03"
            "a\xff"
            "b"),
        STR("\x4a\x09\x12\x07\x32\x05\x0a\x03\x0a\x01\xff"),
        STR("\x5a\x03\x12\x01\xff"),         /* event name */
        STR("\x5a\x05\x1a\x03\x0a\x01\xff"), /* event attribute */
        STR("\x6a\x03\x1a\x01\xff"),         /* link trace state */
        STR("\x6a\x05\x22\x03\x0a\x01\xff"), /* link attribute */
        STR("\x7a\x03\x12\x01\xff"),         /* status message */
    };
    const str around[] = {
        STR("\x0a\x03\x1a\x01\xff"), /* schema URLs */
        STR("\x0a\x05\x12\x03\x1a\x01\xff"),
        STR("\x0a\x07\x12\x05\x0a\x03\x0a\x01\xff"), /* scope */
        STR("\x0a\x07\x12\x05\x0a\x03\x12\x01\xff"),
        STR("\x0a\x09\x12\x07\x0a\x05\x1a\x03\x0a\x01\xff"),
        STR("\x0a\x07\x0a\x05\x0a\x03\x0a\x01\xff"), /* resource attribute */
        STR("\x0a\x07\x0a\x05\x1a\x03\x0a\x01\xff"), /* entity */
        STR("\x0a\x07\x0a\x05\x1a\x03\x22\x01\xff"),
    };
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        assert_int_equal(seen_protobuf_span(
                             seen, STR(SEEN_TRACE_ID SEEN_SPAN_ID), bodies[i]),
                         OK);
        assert_int_equal(seen->result.accepted, 1);
        assert_true(seen->result.has_bad_text);
    }
    for (size_t i = 0; i < sizeof(around) / sizeof(around[0]); i++) {
        assert_int_equal(seen_protobuf(seen, around[i]), OK);
        assert_true(seen->result.has_bad_text);
    }
}

static void
a_bool_is_read_from_any_wire_type(void **state)
{
    const struct {
        str value;
        bool truth;
    } cases[] = {
        {STR("\x12\x00"), false},
        {STR("\x12\x01\x00"), true},
        {STR("\x15\x80\x80\x80\x80"), false},
        {STR("\x15\x00\x00\x00\x01"), true},
        {STR("\x11\x00\x00\x00\x00\x00\x00\x00\x80"), false},
        {STR("\x11\x00\x00\x00\x00\x00\x00\x00\x02"), true},
        {STR("\x10\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02"), true},
        {STR("\x10\x80\x80\x80\x00"), false},
    };
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(
            seen_protobuf_attribute(seen, STR("http.route"), cases[i].value),
            OK);
        assert_int_equal(seen_attr(seen, ATTR_HTTP_ROUTE)->type, ATTR_BOOL);
        assert_int_equal(seen_attr(seen, ATTR_HTTP_ROUTE)->i != 0,
                         cases[i].truth);
    }
}

static void
two_values_in_one_attribute_merge_as_in_protobuf_c(void **state)
{
    const struct {
        str values; /* of a KeyValue whose key is http.route */
        int type;   /* -1: refused */
    } cases[] = {
        {STR("\x12\x00\x12\x00"), -1},
        {STR("\x12\x03\x0a\x01x\x12\x00"), ATTR_NONE},
        {STR("\x12\x03\x0a\x01x\x12\x00\x12\x00"), -1},
        {STR("\x12\x02\x18\x05\x12\x00\x12\x00"), ATTR_INT},
        {STR("\x12\x02\x3a\x00\x12\x00\x12\x00"), -1},
        {STR("\x12\x03\x3a\x01x\x12\x00\x12\x00"), ATTR_NONE},
        {STR("\x12\x00\x12\x02\x18\x05"), ATTR_INT},
        {STR("\x12\x05\x0a\x01x\x18\x05"), ATTR_INT},
        {STR("\x12\x0b\x21\0\0\0\0\0\0\xf0\x3f\x18\x05"), ATTR_INT},
        {STR("\x12\x04\x10\x01\x18\x05"), ATTR_INT},
        {STR("\x12\x05\x18\x05\x0a\x01x"), ATTR_STR},
        {STR("\x12\x05\x21\0\0\0\0"), -1},
        {STR("\x12\x01\x18"), -1},
        {STR("\x12\x02\x18\x80"), -1},
    };
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct buf body = {0};
        struct buf span = {0};

        seen_put_field(&body, 1, STR("http.route"));
        buf_add(&body, cases[i].values);
        seen_put_field(&span, 9, buf_str(&body));
        enum err err = seen_protobuf_span(seen, STR(SEEN_TRACE_ID SEEN_SPAN_ID),
                                          buf_str(&span));
        assert_int_equal(err, cases[i].type < 0 ? ERR_INVALID : OK);
        if (!err) {
            assert_int_equal(seen_attr(seen, ATTR_HTTP_ROUTE)->type,
                             cases[i].type);
        }
        buf_fini(&body);
        buf_fini(&span);
    }
}

static enum err
decode_nested(struct seen *seen, int levels, bool lists)
{
    struct buf value = {0};

    for (int i = 1; i < levels; i++) {
        struct buf list = {0};
        struct buf outer = {0};
        struct buf pair = {0};

        seen_put_field(&pair, 2, buf_str(&value));
        seen_put_field(&list, 1, buf_str(lists ? &pair : &value));
        seen_put_field(&outer, lists ? 6 : 5, buf_str(&list));
        buf_fini(&list);
        buf_fini(&pair);
        buf_fini(&value);
        value = outer;
    }
    enum err err =
        seen_protobuf_attribute(seen, STR("http.route"), buf_str(&value));
    buf_fini(&value);
    return err;
}

static void
values_may_nest_32_deep(void **state)
{
    struct seen *seen = *state;

    for (int lists = 0; lists < 2; lists++) {
        assert_int_equal(decode_nested(seen, 32, lists), OK);
        assert_int_equal(seen_attr(seen, ATTR_HTTP_ROUTE)->type, ATTR_NONE);
        assert_int_equal(decode_nested(seen, 33, lists), ERR_INVALID);
        assert_string_equal(seen->result.error,
                            "attribute value nested too deep");
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type_of_value_is_read),
        cmocka_unit_test(
            a_value_without_a_plain_type_is_present_and_unreadable),
        cmocka_unit_test(of_two_values_for_one_key_the_later_wins),
        cmocka_unit_test(no_attribute_of_the_span_before_remains),
        cmocka_unit_test(every_known_key_is_found_at_every_length_of_value),
        cmocka_unit_test(text_is_checked_at_every_byte),
        cmocka_unit_test(a_key_longer_than_its_attribute_is_refused),
        cmocka_unit_test(a_scratch_begins_with_a_line_of_the_cache),
        cmocka_unit_test(a_string_that_is_no_text_is_told_of_and_costs_no_span),
        cmocka_unit_test(a_bool_is_read_from_any_wire_type),
        cmocka_unit_test(two_values_in_one_attribute_merge_as_in_protobuf_c),
        cmocka_unit_test(values_may_nest_32_deep),
    };

    return cmocka_run_group_tests(tests, seen_setup, seen_teardown);
}
