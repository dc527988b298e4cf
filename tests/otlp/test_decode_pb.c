#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "otlp/decode_state.h"
#include "tests/support/decode_seen.h"
#include "tests/support/otlp_oracle.h"

#define SPAN(seen, body) \
    seen_protobuf_span(seen, STR(SEEN_TRACE_ID SEEN_SPAN_ID), STR(body))

static void
an_empty_request_is_a_good_one(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(seen_protobuf(seen, STR("")), OK);
    assert_string_equal(seen->calls, "");
    assert_int_equal(seen_protobuf(seen, STR("\x0a\x00")), OK);
    assert_string_equal(seen->calls, "r");
    assert_int_equal(seen_protobuf(seen, STR("\x0a\x02\x12\x00")), OK);
    assert_string_equal(seen->calls, "rs");
    assert_string_equal(seen->scope, "/");
}

static void
ids_are_numbers_in_network_order(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(SPAN(seen, "\x22\x08\x21\x22\x23\x24\x25\x26\x27\x28"),
                     OK);
    assert_int_equal(seen->span.trace_hi, UINT64_C(0x0102030405060708));
    assert_int_equal(seen->span.trace_lo, UINT64_C(0x090a0b0c0d0e0f10));
    assert_int_equal(seen->span.span_id, UINT64_C(0x1112131415161718));
    assert_int_equal(seen->span.parent_id, UINT64_C(0x2122232425262728));
    assert_int_equal(seen->result.accepted, 1);
}

static void
a_bad_id_rejects_that_span_alone(void **state)
{
    const struct {
        str ids;
        const char *reason;
    } cases[] = {
        {{"", 0}, "trace id is not 16 bytes or is all zeros"},
        {STR(SEEN_SPAN_ID), "trace id is not 16 bytes or is all zeros"},
        {STR("\x0a\x0f"
             "123456789012345" SEEN_SPAN_ID),
         "trace id is not 16 bytes or is all zeros"},
        {STR("\x0a\x11"
             "12345678901234567" SEEN_SPAN_ID),
         "trace id is not 16 bytes or is all zeros"},
        {STR("\x0a\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" SEEN_SPAN_ID),
         "trace id is not 16 bytes or is all zeros"},
        {STR(SEEN_TRACE_ID), "span id is not 8 bytes or is all zeros"},
        {STR(SEEN_TRACE_ID "\x12\x07"
                           "1234567"),
         "span id is not 8 bytes or is all zeros"},
        {STR(SEEN_TRACE_ID "\x12\x09"
                           "123456789"),
         "span id is not 8 bytes or is all zeros"},
        {STR(SEEN_TRACE_ID "\x12\x08\0\0\0\0\0\0\0\0"),
         "span id is not 8 bytes or is all zeros"},
        {STR(SEEN_TRACE_ID SEEN_SPAN_ID "\x22\x07"
                                        "1234567"),
         "parent span id is not 8 bytes"},
        {STR(SEEN_TRACE_ID SEEN_SPAN_ID "\x22\x10"
                                        "1234567890123456"),
         "parent span id is not 8 bytes"},
    };
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(seen_protobuf_span(seen, cases[i].ids, STR("")), OK);
        assert_int_equal(seen->result.rejected, 1);
        assert_int_equal(seen->result.accepted, 0);
        assert_string_equal(seen->result.reject_reason, cases[i].reason);
        assert_string_equal(seen->calls, "rs");
    }
}

static void
a_rejected_span_does_not_stop_the_batch(void **state)
{
    struct seen *seen = *state;
    str good = STR(SEEN_TRACE_ID SEEN_SPAN_ID);
    struct buf spans = {0};
    struct buf scope = {0};
    struct buf request = {0};

    seen_put_field(&spans, 2, good);
    seen_put_field(&spans, 2, STR(SEEN_TRACE_ID));
    seen_put_field(&spans, 2, STR(SEEN_SPAN_ID));
    seen_put_field(&spans, 2, good);
    seen_put_field(&scope, 2, buf_str(&spans));
    seen_put_field(&request, 1, buf_str(&scope));
    assert_int_equal(seen_protobuf(seen, buf_str(&request)), OK);
    assert_string_equal(seen->calls, "rs..");
    assert_int_equal(seen->result.accepted, 2);
    assert_int_equal(seen->result.rejected, 2);
    assert_string_equal(seen->result.reject_reason,
                        "span id is not 8 bytes or is all zeros");
    buf_fini(&spans);
    buf_fini(&scope);
    buf_fini(&request);
}

static void
a_parent_id_that_is_empty_or_all_zeros_is_none(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(SPAN(seen, "\x22\x00"), OK);
    assert_int_equal(seen->result.accepted, 1);
    assert_int_equal(seen->span.parent_id, 0);
    assert_int_equal(SPAN(seen, "\x22\x08\0\0\0\0\0\0\0\0"), OK);
    assert_int_equal(seen->result.accepted, 1);
    assert_int_equal(seen->span.parent_id, 0);
}

static void
the_last_of_a_repeated_field_wins(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(SPAN(seen, "\x22\x03"
                                "abc\x22\x00"
                                "\x2a\x01"
                                "a"
                                "\x2a\x01"
                                "b\x30\x02\x30\x03" SEEN_TRACE_ID),
                     OK);
    assert_int_equal(seen->result.accepted, 1);
    assert_int_equal(seen->span.name.len, 1);
    assert_int_equal(seen->span.kind, SPAN_CLIENT);
    assert_int_equal(SPAN(seen, "\x22\x03"
                                "abc\x22\x08"
                                "12345678"),
                     OK);
    assert_int_equal(seen->result.accepted, 1);
    assert_int_equal(SPAN(seen, SEEN_TRACE_ID "\x12\x01x"), OK);
    assert_int_equal(seen->result.rejected, 1);
}

static void
times_flags_and_state_are_read(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(
        SPAN(seen, "\x1a\x03"
                   "a=b"
                   "\x39\x01\0\0\0\0\0\0\0"
                   "\x41\xff\xff\xff\xff\xff\xff\xff\xff\x85\x01\x01\x03\0\0"),
        OK);
    assert_int_equal(seen->span.start_ns, 1);
    assert_int_equal(seen->span.end_ns, UINT64_MAX);
    assert_int_equal(seen->span.flags, 1 | SPAN_HAS_IS_REMOTE | SPAN_IS_REMOTE);
    assert_int_equal(seen->span.trace_state.len, 3);
}

static void
an_unknown_enum_number_is_the_unspecified_one(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(SPAN(seen, "\x30\x05\x7a\x02\x18\x02"), OK);
    assert_int_equal(seen->span.kind, SPAN_CONSUMER);
    assert_int_equal(seen->span.status, SPAN_ERROR);
    assert_int_equal(SPAN(seen, "\x30\x06\x7a\x02\x18\x03"), OK);
    assert_int_equal(seen->span.kind, SPAN_UNSPECIFIED);
    assert_int_equal(seen->span.status, SPAN_UNSET);
    /* -1, and 2^32 + 2 of which 32 bits are kept */
    assert_int_equal(SPAN(seen, "\x30\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
                     OK);
    assert_int_equal(seen->span.kind, SPAN_UNSPECIFIED);
    assert_int_equal(SPAN(seen, "\x30\x82\x80\x80\x80\x10"), OK);
    assert_int_equal(seen->span.kind, SPAN_SERVER);
}

static void
the_later_status_decides_the_code(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(SPAN(seen, "\x7a\x02\x18\x02\x7a\x03\x12\x01x"), OK);
    assert_int_equal(seen->span.status, SPAN_UNSET);
    assert_int_equal(SPAN(seen, "\x7a\x02\x18\x02\x7a\x00"), OK);
    assert_int_equal(seen->span.status, SPAN_UNSET);
    assert_int_equal(SPAN(seen, "\x7a\x03\x12\x01x\x7a\x02\x18\x01"), OK);
    assert_int_equal(seen->span.status, SPAN_OK);
}

static void
a_known_field_of_another_wire_type_is_refused(void **state)
{
    static const uint8_t usual[] = {2, 2, 2, 2, 2, 0, 1, 1,
                                    2, 0, 2, 0, 2, 0, 2, 5};
    const str contents[] = {STR("\x00"), STR("12345678"), STR("\x00"),
                            {"", 0},     {"", 0},         STR("1234")};
    struct seen *seen = *state;

    for (unsigned number = 1; number <= 17; number++) {
        for (unsigned type = 0; type < 6; type++) {
            struct buf body = {0};
            bool good = number > 16 || type == usual[number - 1];

            buf_add_char(
                &body, (char)((number << 3 | type) | (number > 15 ? 0x80 : 0)));
            if (number > 15)
                buf_add_char(&body, 1);
            buf_add(&body, contents[type]);
            good &= type != 3 && type != 4; /* groups */
            assert_int_equal(seen_protobuf_span(seen,
                                                STR(SEEN_TRACE_ID SEEN_SPAN_ID),
                                                buf_str(&body)),
                             good ? OK : ERR_INVALID);
            buf_fini(&body);
        }
    }
}

static void
links_with_valid_ids_are_kept_up_to_the_limit(void **state)
{
    struct seen *seen = *state;

    for (size_t len = SPAN_LINKS_MAX - 1; len <= SPAN_LINKS_MAX + 1; len++) {
        struct buf body = {0};
        struct buf request = {0};

        buf_add(&body, STR(SEEN_TRACE_ID SEEN_SPAN_ID));
        seen_put_field(&body, 13, STR(SEEN_TRACE_ID)); /* without a span id */
        seen_put_field(
            &body, 13,
            STR("\x0a\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" SEEN_SPAN_ID));
        for (size_t i = 0; i < len; i++)
            seen_put_field(&body, 13, STR(SEEN_TRACE_ID SEEN_SPAN_ID));
        /* Three levels with lengths of three bytes. */
        for (size_t i = 0; i < 3; i++) {
            buf_reset(&request);
            buf_add_char(&request, i < 2 ? 0x12 : 0x0a);
            buf_add_char(&request, (char)(body.len | 0x80));
            buf_add_char(&request, (char)(body.len >> 7 | 0x80));
            buf_add_char(&request, (char)(body.len >> 14));
            buf_add(&request, buf_str(&body));
            buf_reset(&body);
            buf_add(&body, buf_str(&request));
        }
        assert_int_equal(seen_protobuf(seen, buf_str(&request)), OK);
        size_t kept = len < SPAN_LINKS_MAX ? len : SPAN_LINKS_MAX;
        assert_int_equal(seen->span.link_len, kept);
        assert_int_equal(seen->span.links_dropped, 2 + len - kept);
        assert_int_equal(seen->links[kept - 1].trace_lo,
                         UINT64_C(0x090a0b0c0d0e0f10));
        assert_int_equal(seen->links[kept - 1].span_id,
                         UINT64_C(0x1112131415161718));
        buf_fini(&body);
        buf_fini(&request);
    }
}

static void
resource_and_scope_come_first_wherever_they_were_sent(void **state)
{
    struct seen *seen = *state;
    str name = STR("\x0a\x16\x0a\x0cservice.name\x12\x06\x0a\x04shop");
    struct buf scope = {0};
    struct buf body = {0};
    struct buf request = {0};

    seen_put_field(&scope, 2, STR(SEEN_TRACE_ID SEEN_SPAN_ID));
    seen_put_field(&scope, 1,
                   STR("\x0a\x03lib\x12\x01"
                       "1"));
    seen_put_field(&scope, 2, STR(SEEN_TRACE_ID SEEN_SPAN_ID));
    seen_put_field(&scope, 1,
                   STR("\x12\x01"
                       "2")); /* merges */
    seen_put_field(&body, 2, buf_str(&scope));
    seen_put_field(&body, 1, name);
    seen_put_field(&body, 1, STR("\x0a\x0f\x0a\x0bserver.port\x12\x00"));
    seen_put_field(&request, 1, buf_str(&body));
    assert_int_equal(seen_protobuf(seen, buf_str(&request)), OK);
    assert_string_equal(seen->calls, "rs..");
    assert_string_equal(seen->scope, "lib/2");
    assert_int_equal(seen->resource.value[ATTR_SERVICE_NAME].len, 4);
    assert_true(attr_has(&seen->resource, ATTR_SERVER_PORT));
    buf_fini(&scope);
    buf_fini(&body);
    buf_fini(&request);
}

static void
no_resource_of_the_one_before_remains(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(
        seen_protobuf(seen,
                      STR("\x0a\x1a\x0a\x18\x0a\x16\x0a\x0cservice.name\x12\x06"
                          "\x0a\x04shop\x0a\x00")),
        OK);
    assert_string_equal(seen->calls, "rr");
    assert_false(attr_has(&seen->resource, ATTR_SERVICE_NAME));
}

static void
unknown_fields_are_skipped_at_every_level(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(
        seen_protobuf(seen, STR("\x10\x01\x0a\x06\x20\x01\x12\x02\x20\x01"
                                "\xfd\x7f"
                                "1234\xf2\x7f\x01\xff")),
        OK);
    assert_string_equal(seen->calls, "rs");
    assert_int_equal(SPAN(seen, "\x88\x01\x05\x92\x01\x02\xff\xff"), OK);
    assert_int_equal(seen->result.accepted, 1);
}

static void
malformed_fields_are_refused_and_the_place_is_told(void **state)
{
    const struct {
        str bytes;
        size_t at;
    } cases[] = {
        {STR("\x0a"), 0},     /* no length */
        {STR("\x0a\x01"), 0}, /* length beyond the end */
        {STR("\x0a\x00\x0a\x7f"), 2},
        {STR("\x0a\x80\x80\x80\x80\x80\x00"), 0}, /* length of 6 bytes */
        {STR("\x0a\xff\xff\xff\xff\x7f"), 0},
        {STR("\x8a\x80\x80\x80\x80\x00\x00"), 0}, /* tag of 6 bytes */
        {STR("\x02\x00"), 0},                     /* field number 0 */
        {STR("\x13\x14"), 0},                     /* group */
        {STR("\x16"), 0},                         /* no such wire type */
        {STR("\x10\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), 0},
        {STR("\x10\x80"), 0},
        {STR("\x11"
             "1234567"),
         0},
        {STR("\x15"
             "123"),
         0},
        {STR("\x0a\x02\x12\x01"), 2},
    };
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(seen_protobuf(seen, cases[i].bytes), ERR_INVALID);
        assert_string_equal(seen->result.error, "malformed protobuf field");
        assert_int_equal(seen->result.error_at, cases[i].at);
    }
    assert_int_equal(seen_protobuf(seen, STR("\x08\x01")), ERR_INVALID);
    assert_string_equal(seen->result.error,
                        "protobuf field of the wrong wire type");
    assert_int_equal(seen_protobuf(seen, STR("")),
                     OK); /* the scratch is as new */
    assert_null(seen->result.error);
}

static void
long_forms_of_tags_and_lengths_mean_the_same(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(
        seen_protobuf(seen, STR("\x8a\x80\x80\x80\x00\x84\x80\x80\x80"
                                "\x00\x92\x00\x81\x00\x10")),
        ERR_INVALID);
    assert_int_equal(
        seen_protobuf(seen, STR("\x8a\x80\x80\x80\x00\x84\x80\x80\x80"
                                "\x00\x92\x00\x80\x00")),
        OK);
    assert_string_equal(seen->calls, "rs");
    assert_int_equal(seen_protobuf_span(seen,
                                        STR("\x8a\x00\x10"
                                            "1234567890123456"
                                            "\x92\x00\x88\x00"
                                            "12345678"),
                                        STR("\xaa\x80\x00\x81\x00"
                                            "n")),
                     OK);
    assert_int_equal(seen->result.accepted, 1);
    assert_int_equal(seen->span.name.len, 1);
}

static void
a_length_beyond_its_own_message_is_refused(void **state)
{
    static const char span[] = SEEN_TRACE_ID SEEN_SPAN_ID
        "\x1a\x03"
        "a=b\x22\x08"
        "12345678"
        "\x2a\x04name"
        "\x30\x02"
        "\x39"
        "12345678"
        "\x41"
        "12345678"
        "\x4a\x12\x0a\x0bserver.port\x12\x03\x18\x90\x3f"
        "\x4a\x0d\x0a\x08url.path\x12\x03\x0a\x01/"
        "\x5a\x16\x09"
        "12345678\x12\x01"
        "e\x1a\x08\x0a\x01k\x12\x03\x18\x90\x3f"
        "\x7a\x02\x18\x02\x85\x01\x01\x01\x00\x00";
    decode_span_fn *fns[DECODE_SPAN_FNS];
    size_t fns_len = decode_span_fns(fns);
    struct seen *seen = *state;

    for (size_t i = 0; i < fns_len; i++) {
        seen->scratch->span_fn = fns[i];
        for (size_t len = 0; len < sizeof(span) - 1; len++) {
            const char *difference;
            struct buf level[3] = {{0}};

            /* What was cut off stands behind, so that it could be read. */
            seen_put_field(&level[0], 2, (str){span, len});
            buf_add(&level[0], (str){span + len, sizeof(span) - 1 - len});
            seen_put_field(&level[1], 2, buf_str(&level[0]));
            seen_put_field(&level[2], 1, buf_str(&level[1]));
            difference =
                otlp_difference(seen->scratch, buf_str(&level[2]), false);
            if (difference)
                fail_msg("%s at %zu", difference, len);
            for (size_t j = 0; j < 3; j++)
                buf_fini(&level[j]);
        }
    }
    seen->scratch->span_fn = fns[0];
}

static void
every_prefix_of_a_request_is_read_without_going_beyond(void **state)
{
    static const char request[] =
        "\x0a\x7f\x0a\x18\x0a\x16\x0a\x0cservice.name\x12\x06\x0a\x04shop"
        "\x12\x63\x0a\x05\x0a\x03lib\x12\x5a" SEEN_TRACE_ID SEEN_SPAN_ID
        "\x22\x08"
        "12345678\x2a\x04name\x30\x02\x39"
        "12345678\x41"
        "12345678"
        "\x4a\x10\x0a\x0bserver.port\x12\x01\x4a";
    struct seen *seen = *state;

    for (size_t len = 0; len < sizeof(request); len++) {
        const char *difference =
            otlp_difference(seen->scratch, (str){request, len}, false);
        if (difference)
            fail_msg("%s at %zu", difference, len);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_request_is_a_good_one),
        cmocka_unit_test(ids_are_numbers_in_network_order),
        cmocka_unit_test(a_bad_id_rejects_that_span_alone),
        cmocka_unit_test(a_rejected_span_does_not_stop_the_batch),
        cmocka_unit_test(a_parent_id_that_is_empty_or_all_zeros_is_none),
        cmocka_unit_test(the_last_of_a_repeated_field_wins),
        cmocka_unit_test(times_flags_and_state_are_read),
        cmocka_unit_test(an_unknown_enum_number_is_the_unspecified_one),
        cmocka_unit_test(the_later_status_decides_the_code),
        cmocka_unit_test(a_known_field_of_another_wire_type_is_refused),
        cmocka_unit_test(links_with_valid_ids_are_kept_up_to_the_limit),
        cmocka_unit_test(resource_and_scope_come_first_wherever_they_were_sent),
        cmocka_unit_test(no_resource_of_the_one_before_remains),
        cmocka_unit_test(unknown_fields_are_skipped_at_every_level),
        cmocka_unit_test(malformed_fields_are_refused_and_the_place_is_told),
        cmocka_unit_test(long_forms_of_tags_and_lengths_mean_the_same),
        cmocka_unit_test(a_length_beyond_its_own_message_is_refused),
        cmocka_unit_test(
            every_prefix_of_a_request_is_read_without_going_beyond),
    };

    return cmocka_run_group_tests(tests, seen_setup, seen_teardown);
}
