#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "otlp/decode_state.h"
#include "tests/support/otlp_oracle.h"

#define TRACE_ID \
    "\x0a\x10\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"
#define SPAN_ID "\x12\x08\x11\x12\x13\x14\x15\x16\x17\x18"

/* What the visitor saw of the last span, and how often it was called. */
struct seen {
    struct decode_scratch *scratch;
    struct decode_result result;
    struct span span;
    struct attr_set attrs;
    struct attr_set resource;
    struct span_link links[SPAN_LINKS_MAX];
    char calls[256]; /* r, s and a dot for each */
    char scope[64];
};

static void
note(struct seen *seen, const char *call)
{
    if (strlen(seen->calls) + 2 < sizeof(seen->calls))
        strcat(seen->calls, call);
}

static void
on_resource(void *ctx, const struct attr_set *resource)
{
    struct seen *seen = ctx;

    note(seen, "r");
    seen->resource = *resource;
}

static void
on_scope(void *ctx, str name, str version)
{
    struct seen *seen = ctx;

    note(seen, "s");
    snprintf(seen->scope, sizeof(seen->scope), "%.*s/%.*s", (int)name.len,
             name.ptr ? name.ptr : "", (int)version.len,
             version.ptr ? version.ptr : "");
}

static void
on_span(void *ctx, const struct span *span)
{
    struct seen *seen = ctx;

    note(seen, ".");
    seen->span = *span;
    seen->attrs = *span->attrs;
    memcpy(seen->links, span->links, span->link_len * sizeof(*span->links));
}

static int
setup(void **state)
{
    struct seen *seen = calloc(1, sizeof(*seen));

    *state = seen;
    return seen && (seen->scratch = decode_scratch_new()) ? 0 : -1;
}

static int
teardown(void **state)
{
    struct seen *seen = *state;

    decode_scratch_free(seen->scratch);
    free(seen);
    return 0;
}

static enum err
decode(struct seen *seen, str bytes)
{
    struct span_visitor visitor = {seen, on_resource, on_scope, on_span};
    char *copy = calloc(1, bytes.len + 512);

    assert_non_null(copy);
    if (bytes.len > 0)
        memcpy(copy, bytes.ptr, bytes.len);
    seen->calls[0] = '\0';
    enum err err = decode_protobuf(seen->scratch, (str){copy, bytes.len},
                                   &visitor, &seen->result);
    free(copy); /* and with it what the views point to */
    return err;
}

/* A field of bytes, with a length of one or two bytes. */
static void
field(struct buf *out, uint8_t number, str body)
{
    assert_true(body.len < 1 << 14);
    buf_add_char(out, (char)(number << 3 | 2));
    if (body.len > 0x7f)
        buf_add_char(out, (char)(body.len | 0x80));
    buf_add_char(out, (char)(body.len > 0x7f ? body.len >> 7 : body.len));
    buf_add(out, body);
}

/* Wraps the fields of one span as span, scope spans, resource spans. */
static enum err
decode_span(struct seen *seen, str ids, str body)
{
    struct buf level[4] = {{0}};

    buf_add(&level[0], ids);
    buf_add(&level[0], body);
    field(&level[1], 2, buf_str(&level[0]));
    field(&level[2], 2, buf_str(&level[1]));
    field(&level[3], 1, buf_str(&level[2]));
    enum err err = decode(seen, buf_str(&level[3]));
    for (size_t i = 0; i < 4; i++)
        buf_fini(&level[i]);
    return err;
}

#define SPAN(seen, body) decode_span(seen, STR(TRACE_ID SPAN_ID), STR(body))

static void
attribute(struct buf *out, str key, str any_value)
{
    struct buf body = {0};

    field(&body, 1, key);
    field(&body, 2, any_value);
    field(out, 9, buf_str(&body));
    buf_fini(&body);
}

static enum err
decode_attribute_of(struct seen *seen, str key, str any_value)
{
    struct buf body = {0};

    attribute(&body, key, any_value);
    enum err err = decode_span(seen, STR(TRACE_ID SPAN_ID), buf_str(&body));
    buf_fini(&body);
    return err;
}

static const struct attr_value *
value_of(struct seen *seen, enum attr id)
{
    assert_true(attr_has(&seen->attrs, id));
    return &seen->attrs.value[id];
}

static void
an_empty_request_is_a_good_one(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(decode(seen, STR("")), OK);
    assert_string_equal(seen->calls, "");
    assert_int_equal(decode(seen, STR("\x0a\x00")), OK);
    assert_string_equal(seen->calls, "r");
    assert_int_equal(decode(seen, STR("\x0a\x02\x12\x00")), OK);
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
        {STR(SPAN_ID), "trace id is not 16 bytes or is all zeros"},
        {STR("\x0a\x0f"
             "123456789012345" SPAN_ID),
         "trace id is not 16 bytes or is all zeros"},
        {STR("\x0a\x11"
             "12345678901234567" SPAN_ID),
         "trace id is not 16 bytes or is all zeros"},
        {STR("\x0a\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" SPAN_ID),
         "trace id is not 16 bytes or is all zeros"},
        {STR(TRACE_ID), "span id is not 8 bytes or is all zeros"},
        {STR(TRACE_ID "\x12\x07"
                      "1234567"),
         "span id is not 8 bytes or is all zeros"},
        {STR(TRACE_ID "\x12\x09"
                      "123456789"),
         "span id is not 8 bytes or is all zeros"},
        {STR(TRACE_ID "\x12\x08\0\0\0\0\0\0\0\0"),
         "span id is not 8 bytes or is all zeros"},
        {STR(TRACE_ID SPAN_ID "\x22\x07"
                              "1234567"),
         "parent span id is not 8 bytes"},
        {STR(TRACE_ID SPAN_ID "\x22\x10"
                              "1234567890123456"),
         "parent span id is not 8 bytes"},
    };
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(decode_span(seen, cases[i].ids, STR("")), OK);
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
    str good = STR(TRACE_ID SPAN_ID);
    struct buf spans = {0};
    struct buf scope = {0};
    struct buf request = {0};

    field(&spans, 2, good);
    field(&spans, 2, STR(TRACE_ID));
    field(&spans, 2, STR(SPAN_ID));
    field(&spans, 2, good);
    field(&scope, 2, buf_str(&spans));
    field(&request, 1, buf_str(&scope));
    assert_int_equal(decode(seen, buf_str(&request)), OK);
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
                                "b\x30\x02\x30\x03" TRACE_ID),
                     OK);
    assert_int_equal(seen->result.accepted, 1);
    assert_int_equal(seen->span.name.len, 1);
    assert_int_equal(seen->span.kind, SPAN_CLIENT);
    assert_int_equal(SPAN(seen, "\x22\x03"
                                "abc\x22\x08"
                                "12345678"),
                     OK);
    assert_int_equal(seen->result.accepted, 1);
    assert_int_equal(SPAN(seen, TRACE_ID "\x12\x01x"), OK);
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
each_type_of_value_is_read(void **state)
{
    struct seen *seen = *state;
    str key = STR("server.port");

    assert_int_equal(decode_attribute_of(seen, key, STR("\x0a\x01x")), OK);
    assert_int_equal(value_of(seen, ATTR_SERVER_PORT)->type, ATTR_STR);
    assert_int_equal(value_of(seen, ATTR_SERVER_PORT)->len, 1);
    assert_int_equal(decode_attribute_of(seen, key, STR("\x18\x90\x3f")), OK);
    assert_int_equal(value_of(seen, ATTR_SERVER_PORT)->type, ATTR_INT);
    assert_int_equal(value_of(seen, ATTR_SERVER_PORT)->i, 8080);
    assert_int_equal(
        decode_attribute_of(
            seen, key, STR("\x18\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01")),
        OK);
    assert_int_equal(value_of(seen, ATTR_SERVER_PORT)->i, -2);
    assert_int_equal(decode_attribute_of(seen, key, STR("\x10\x01")), OK);
    assert_int_equal(value_of(seen, ATTR_SERVER_PORT)->type, ATTR_BOOL);
    assert_true(value_of(seen, ATTR_SERVER_PORT)->b);
    assert_int_equal(decode_attribute_of(seen, key, STR("\x10\x00")), OK);
    assert_false(value_of(seen, ATTR_SERVER_PORT)->b);
    assert_int_equal(
        decode_attribute_of(seen, key, STR("\x21\0\0\0\0\0\0\xf8\x3f")), OK);
    assert_int_equal(value_of(seen, ATTR_SERVER_PORT)->type, ATTR_DOUBLE);
    assert_true(value_of(seen, ATTR_SERVER_PORT)->d == 1.5);
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
            decode_attribute_of(seen, STR("http.route"), values[i]), OK);
        assert_int_equal(value_of(seen, ATTR_HTTP_ROUTE)->type, ATTR_NONE);
    }
    /* a key alone */
    assert_int_equal(SPAN(seen, "\x4a\x0c\x0a\x0ahttp.route"), OK);
    assert_int_equal(value_of(seen, ATTR_HTTP_ROUTE)->type, ATTR_NONE);
}

static void
of_two_values_for_one_key_the_later_wins(void **state)
{
    struct seen *seen = *state;
    struct buf body = {0};

    attribute(&body, STR("server.port"), STR("\x18\x01"));
    attribute(&body, STR("server.port"), STR("\x18\x02"));
    attribute(&body, STR("server.host"), STR("\x18\x03"));
    assert_int_equal(decode_span(seen, STR(TRACE_ID SPAN_ID), buf_str(&body)),
                     OK);
    assert_int_equal(value_of(seen, ATTR_SERVER_PORT)->i, 2);
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
        decode_attribute_of(seen, STR("server.port"), STR("\x18\x01")), OK);
    assert_int_equal(
        decode_attribute_of(seen, STR("http.route"), STR("\x0a\x01/")), OK);
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
            field(&value, 1, (str){text, len});
            str key = {attr_key_text[id], attr_key_len[id]};
            assert_int_equal(decode_attribute_of(seen, key, buf_str(&value)),
                             OK);
            assert_int_equal(value_of(seen, (enum attr)id)->type, ATTR_STR);
            assert_int_equal(value_of(seen, (enum attr)id)->len, len);
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
        field(&value, 1, (str){text, len});
        assert_int_equal(
            decode_attribute_of(seen, STR("http.route"), buf_str(&value)), OK);
        assert_int_equal(value_of(seen, ATTR_HTTP_ROUTE)->len, len);
        assert_int_equal(
            decode_attribute_of(seen, (str){text, len}, buf_str(&value)), OK);
        text[at] = 'a'; /* the second byte alone */
        buf_reset(&value);
        field(&value, 1, (str){text, len});
        assert_int_equal(
            decode_attribute_of(seen, STR("http.route"), buf_str(&value)),
            ERR_INVALID);
        assert_string_equal(seen->result.error, "text is not UTF-8");
        assert_int_equal(
            decode_attribute_of(seen, (str){text, len}, STR("\x18\x01")),
            ERR_INVALID);
    }
    buf_fini(&value);
}

static void
text_is_checked_at_every_byte(void **state)
{
    struct seen *seen = *state;
    decode_span_fn *const fns[] = {seen->scratch->span_fn, decode_span_fast,
                                   decode_span_exact};
    static const size_t lens[] = {2,  31,  33,  45,  60, 64,
                                  65, 110, 127, 130, 290};

    for (size_t i = 0; i < sizeof(fns) / sizeof(fns[0]); i++)
        for (size_t j = 0; j < sizeof(lens) / sizeof(lens[0]); j++)
            check_text_places(seen, fns[i], lens[j]);
    seen->scratch->span_fn = fns[0];
}

static void
every_string_of_the_schema_has_to_be_text(void **state)
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
        assert_int_equal(decode_span(seen, STR(TRACE_ID SPAN_ID), bodies[i]),
                         ERR_INVALID);
        assert_string_equal(seen->result.error, "text is not UTF-8");
    }
    for (size_t i = 0; i < sizeof(around) / sizeof(around[0]); i++) {
        assert_int_equal(decode(seen, around[i]), ERR_INVALID);
        assert_string_equal(seen->result.error, "text is not UTF-8");
        assert_int_equal(seen->result.error_at, around[i].len - 1);
    }
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
            assert_int_equal(
                decode_span(seen, STR(TRACE_ID SPAN_ID), buf_str(&body)),
                good ? OK : ERR_INVALID);
            buf_fini(&body);
        }
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
            decode_attribute_of(seen, STR("http.route"), cases[i].value), OK);
        assert_int_equal(value_of(seen, ATTR_HTTP_ROUTE)->type, ATTR_BOOL);
        assert_int_equal(value_of(seen, ATTR_HTTP_ROUTE)->b, cases[i].truth);
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

        field(&body, 1, STR("http.route"));
        buf_add(&body, cases[i].values);
        field(&span, 9, buf_str(&body));
        enum err err = decode_span(seen, STR(TRACE_ID SPAN_ID), buf_str(&span));
        assert_int_equal(err, cases[i].type < 0 ? ERR_INVALID : OK);
        if (!err) {
            assert_int_equal(value_of(seen, ATTR_HTTP_ROUTE)->type,
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

        field(&pair, 2, buf_str(&value));
        field(&list, 1, buf_str(lists ? &pair : &value));
        field(&outer, lists ? 6 : 5, buf_str(&list));
        buf_fini(&list);
        buf_fini(&pair);
        buf_fini(&value);
        value = outer;
    }
    enum err err =
        decode_attribute_of(seen, STR("http.route"), buf_str(&value));
    buf_fini(&value);
    return err;
}

static void
values_may_nest_32_deep(void **state)
{
    struct seen *seen = *state;

    for (int lists = 0; lists < 2; lists++) {
        assert_int_equal(decode_nested(seen, 32, lists), OK);
        assert_int_equal(value_of(seen, ATTR_HTTP_ROUTE)->type, ATTR_NONE);
        assert_int_equal(decode_nested(seen, 33, lists), ERR_INVALID);
        assert_string_equal(seen->result.error,
                            "attribute value nested too deep");
    }
}

static void
links_with_valid_ids_are_kept_up_to_the_limit(void **state)
{
    struct seen *seen = *state;

    for (size_t len = SPAN_LINKS_MAX - 1; len <= SPAN_LINKS_MAX + 1; len++) {
        struct buf body = {0};
        struct buf request = {0};

        buf_add(&body, STR(TRACE_ID SPAN_ID));
        field(&body, 13, STR(TRACE_ID)); /* without a span id */
        field(&body, 13,
              STR("\x0a\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" SPAN_ID));
        for (size_t i = 0; i < len; i++)
            field(&body, 13, STR(TRACE_ID SPAN_ID));
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
        assert_int_equal(decode(seen, buf_str(&request)), OK);
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

    field(&scope, 2, STR(TRACE_ID SPAN_ID));
    field(&scope, 1,
          STR("\x0a\x03lib\x12\x01"
              "1"));
    field(&scope, 2, STR(TRACE_ID SPAN_ID));
    field(&scope, 1,
          STR("\x12\x01"
              "2")); /* merges */
    field(&body, 2, buf_str(&scope));
    field(&body, 1, name);
    field(&body, 1, STR("\x0a\x0f\x0a\x0bserver.port\x12\x00"));
    field(&request, 1, buf_str(&body));
    assert_int_equal(decode(seen, buf_str(&request)), OK);
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
        decode(seen, STR("\x0a\x1a\x0a\x18\x0a\x16\x0a\x0cservice.name\x12\x06"
                         "\x0a\x04shop\x0a\x00")),
        OK);
    assert_string_equal(seen->calls, "rr");
    assert_false(attr_has(&seen->resource, ATTR_SERVICE_NAME));
}

static void
unknown_fields_are_skipped_at_every_level(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(decode(seen, STR("\x10\x01\x0a\x06\x20\x01\x12\x02\x20\x01"
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
        assert_int_equal(decode(seen, cases[i].bytes), ERR_INVALID);
        assert_string_equal(seen->result.error, "malformed protobuf field");
        assert_int_equal(seen->result.error_at, cases[i].at);
    }
    assert_int_equal(decode(seen, STR("\x08\x01")), ERR_INVALID);
    assert_string_equal(seen->result.error,
                        "protobuf field of the wrong wire type");
    assert_int_equal(decode(seen, STR("")), OK); /* the scratch is as new */
    assert_null(seen->result.error);
}

static void
long_forms_of_tags_and_lengths_mean_the_same(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(decode(seen, STR("\x8a\x80\x80\x80\x00\x84\x80\x80\x80"
                                      "\x00\x92\x00\x81\x00\x10")),
                     ERR_INVALID);
    assert_int_equal(decode(seen, STR("\x8a\x80\x80\x80\x00\x84\x80\x80\x80"
                                      "\x00\x92\x00\x80\x00")),
                     OK);
    assert_string_equal(seen->calls, "rs");
    assert_int_equal(decode_span(seen,
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
    static const char span[] =
        TRACE_ID SPAN_ID "\x22\x08"
                         "12345678"
                         "\x2a\x04name"
                         "\x30\x02"
                         "\x39"
                         "12345678"
                         "\x41"
                         "12345678"
                         "\x4a\x12\x0a\x0bserver.port\x12\x03\x18\x90\x3f"
                         "\x4a\x0d\x0a\x08url.path\x12\x03\x0a\x01/"
                         "\x7a\x02\x18\x02\x85\x01\x01\x01\x00\x00";
    decode_span_fn *fns[3];
    struct seen *seen = *state;

    fns[0] = seen->scratch->span_fn;
    fns[1] = decode_span_fast;
    fns[2] = decode_span_exact;
    for (size_t i = 0; i < 3; i++) {
        seen->scratch->span_fn = fns[i];
        for (size_t len = 0; len < sizeof(span) - 1; len++) {
            const char *difference;
            struct buf level[3] = {{0}};

            /* What was cut off stands behind, so that it could be read. */
            field(&level[0], 2, (str){span, len});
            buf_add(&level[0], (str){span + len, sizeof(span) - 1 - len});
            field(&level[1], 2, buf_str(&level[0]));
            field(&level[2], 1, buf_str(&level[1]));
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
        "\x12\x63\x0a\x05\x0a\x03lib\x12\x5a" TRACE_ID SPAN_ID "\x22\x08"
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
        cmocka_unit_test(each_type_of_value_is_read),
        cmocka_unit_test(
            a_value_without_a_plain_type_is_present_and_unreadable),
        cmocka_unit_test(of_two_values_for_one_key_the_later_wins),
        cmocka_unit_test(no_attribute_of_the_span_before_remains),
        cmocka_unit_test(every_known_key_is_found_at_every_length_of_value),
        cmocka_unit_test(text_is_checked_at_every_byte),
        cmocka_unit_test(every_string_of_the_schema_has_to_be_text),
        cmocka_unit_test(a_known_field_of_another_wire_type_is_refused),
        cmocka_unit_test(a_bool_is_read_from_any_wire_type),
        cmocka_unit_test(two_values_in_one_attribute_merge_as_in_protobuf_c),
        cmocka_unit_test(values_may_nest_32_deep),
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

    return cmocka_run_group_tests(tests, setup, teardown);
}
