/*
 * What a gateway sees of a stripped request is what it would have seen of the
 * original.  A seed that fails is printed; STRIP_SEED starts there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/intake.h"
#include "tests/support/otlp_oracle.h"
#include "tests/support/otlp_random.h"
#include "tests/support/payload.h"
#include "tests/support/strip_rig.h"

enum { ROUNDS = 3000 };

/* Links that are no good are gone, and nobody looks at their number. */
static void
forget_dropped(struct buf *log)
{
    static const char mark[] = " dropped ";
    char *at = (char *)(uintptr_t)buf_cstr(log);

    while ((at = memmem(at, (size_t)(log->ptr + log->len - at), mark,
                        sizeof(mark) - 1)))
        for (at += sizeof(mark) - 1; *at >= '0' && *at <= '9'; at++)
            *at = '#';
}

/* A number of dropped links has any length. */
static str
squeeze(struct buf *log)
{
    size_t to = 0;

    forget_dropped(log);
    for (size_t i = 0; i < log->len; i++)
        if (i == 0 || log->ptr[i] != '#' || log->ptr[i - 1] != '#')
            log->ptr[to++] = log->ptr[i];
    return (str){log->ptr, to};
}

/* Returns whether the request was good. */
static bool
check_same(struct strip_rig *f, str bytes, bool json, uint64_t seed)
{
    struct otlp_seen before = {0};
    struct otlp_seen after = {0};
    bool is_good;

    if (json)
        otlp_decode_json(&before, f->scratch, bytes, false);
    else
        otlp_decode_protobuf(&before, f->scratch, bytes);
    is_good = before.err == OK;
    assert_int_equal(strip_rig_strip(f, bytes, json), before.err);
    if (is_good) {
        otlp_decode_protobuf(&after, f->scratch, buf_str(&f->out));
        assert_int_equal(after.err, OK);
        if (!str_eq(squeeze(&before.log), squeeze(&after.log)))
            fail_msg("STRIP_SEED=%llu\n%s\n%s", (unsigned long long)seed,
                     buf_cstr(&before.log), buf_cstr(&after.log));
        assert_int_equal(after.result.accepted, before.result.accepted);
        assert_int_equal(after.result.rejected, 0);
        assert_int_equal(f->spans, before.result.accepted);
    }
    otlp_seen_fini(&before);
    otlp_seen_fini(&after);
    return is_good;
}

static void
compare_rounds(struct strip_rig *f, bool wild)
{
    const char *text = getenv("STRIP_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : 1;
    struct buf request = {0};
    uint64_t good = 0;

    for (uint64_t end = seed + ROUNDS; seed < end; seed++) {
        struct otlp_random random = {.state = seed, .wild = wild};
        buf_reset(&request);
        otlp_random_request(&random, &request);
        good += check_same(f, buf_str(&request), false, seed);
        /* What is stripped already stays as it is, to the byte. */
        struct buf once = {0};
        buf_add(&once, buf_str(&f->out));
        if (check_same(f, buf_str(&once), false, seed))
            assert_true(str_eq(buf_str(&once), buf_str(&f->out)));
        buf_fini(&once);
        /* And what is broken is never taken for something else. */
        for (int i = 0; i < 4; i++) {
            otlp_random_mutate(&random, &request);
            (void)check_same(f, buf_str(&request), false, seed);
        }
    }
    assert_true(good > ROUNDS / 2);
    buf_fini(&request);
}

static void
usual_requests_mean_the_same_when_stripped(void **state)
{
    compare_rounds(*state, false);
}

static void
odd_and_hostile_requests_mean_the_same_or_are_refused(void **state)
{
    compare_rounds(*state, true);
}

static void
json_means_the_same_as_protobuf(void **state)
{
    struct payload *payload = payload_new(4, 200, true);

    for (size_t i = 0; i < payload->len; i++) {
        assert_true(check_same(*state, payload->json[i], true, i));
        assert_true(check_same(*state, payload->batches[i], false, i));
    }
    payload_free(payload);
}

/* ---- every key and every field ---- */

static void
put(struct buf *out, unsigned field, str body)
{
    buf_add_char(out, (char)(field << 3 | 2));
    for (size_t len = body.len;; len >>= 7) {
        buf_add_char(out, (char)(len > 0x7f ? len | 0x80 : len));
        if (len <= 0x7f)
            break;
    }
    buf_add(out, body);
}

static void
put_attribute(struct buf *out, unsigned field, const char *key, str value)
{
    struct buf body = {0};

    put(&body, 1, str_of(key));
    put(&body, 2, value);
    put(out, field, buf_str(&body));
    buf_fini(&body);
}

#define IDS            \
    "\x0a\x10"         \
    "0123456789abcdef" \
    "\x12\x08"         \
    "01234567"

/* One span with |key| as |value|, on itself and on its resource. */
static void
request_with(struct buf *out, const char *key, str value)
{
    struct buf level[4] = {{0}};

    put_attribute(&level[0], 1, key, value);
    buf_add(&level[1], STR(IDS));
    put_attribute(&level[1], 9, key, value);
    put(&level[2], 2, buf_str(&level[1]));
    put(&level[3], 1, buf_str(&level[0]));
    put(&level[3], 2, buf_str(&level[2]));
    buf_reset(out);
    put(out, 1, buf_str(&level[3]));
    for (int i = 0; i < 4; i++)
        buf_fini(&level[i]);
}

/* By what the intake asks of its own table, so that a key that is added there
 * is asked for here. */
static void
every_key_that_is_read_is_forwarded_in_every_type(void **state)
{
#define NAME(id, key) key,
    static const char *const keys[] = {ATTRS(NAME)};
#undef NAME
    static const str values[] = {
        STR_INIT("\x0a\x05hello"),
        STR_INIT("\x0a\x00"),
        STR_INIT("\x10\x01"),
        STR_INIT("\x10\x00"),
        STR_INIT("\x18\x2a"),
        STR_INIT("\x18\xff\xff\xff\xff\xff\xff"
                 "\xff\xff\xff\x01"),
        STR_INIT("\x21\x00\x00\x00\x00\x00\x00\xf0\x3f"),
        STR_INIT("\x2a\x04\x0a\x02\x18\x01"),
        STR_INIT("\x3a\x02"
                 "ab"),
        STR_INIT(""),
    };
    struct strip_rig *f = *state;
    struct buf request = {0};

    for (size_t i = 0; i < ATTR_COUNT; i++) {
        assert_true(intake_knows_key(keys[i]));
        for (size_t v = 0; v < sizeof(values) / sizeof(*values); v++) {
            request_with(&request, keys[i], values[v]);
            assert_true(check_same(f, buf_str(&request), false, i));
            assert_non_null(
                memmem(f->out.ptr, f->out.len, keys[i], strlen(keys[i])));
        }
    }
    buf_fini(&request);
}

static void
every_field_of_a_span_is_forwarded(void **state)
{
    static const char fields[] = IDS "\x1a\x07ot=th:8"
                                     "\x22\x08"
                                     "parentid"
                                     "\x2a\x04name"
                                     "\x30\x03"
                                     "\x39\x01\x02\x03\x04\x05\x06\x07\x08"
                                     "\x41\x02\x02\x03\x04\x05\x06\x07\x08"
                                     "\x6a\x1c\x0a\x10"
                                     "fedcba9876543210"
                                     "\x12\x08"
                                     "76543210"
                                     "\x7a\x02\x18\x02"
                                     "\x85\x01\x01\x03\x00\x00";
    struct strip_rig *f = *state;
    struct buf request = {0};

    otlp_random_wrap((str){fields, sizeof(fields) - 1}, &request);
    assert_true(check_same(f, buf_str(&request), false, 0));
    struct otlp_seen seen = {0};
    otlp_decode_protobuf(&seen, f->scratch, buf_str(&f->out));
    const char *log = buf_cstr(&seen.log);
    assert_non_null(strstr(log, "706172656e746964")); /* parent */
    assert_non_null(strstr(log, "578437695752307201 578437695752307202 301 3 "
                                "2 4:name 7:ot=th:8"));
    assert_non_null(strstr(log, "link 66656463"));
    otlp_seen_fini(&seen);
    buf_fini(&request);
}

/* What nobody reads is not kept: neither keys nor values nor texts. */
static void
what_is_not_read_is_dropped(void **state)
{
    static const char span[] = IDS "\x4a\x15\x0a\x0b"
                                   "card.number"
                                   "\x12\x06\x0a\x04"
                                   "CARD"
                                   "\x5a\x08\x12\x06"
                                   "SECRET" /* event */
                                   "\x7a\x08\x12\x06"
                                   "SECRET" /* status message */
                                   "\x4a\x14\x0a\x08"
                                   "url.full"
                                   "\x12\x08\x3a\x06"
                                   "SECRET"; /* bytes */
    struct strip_rig *f = *state;
    struct buf request = {0};

    otlp_random_wrap((str){span, sizeof(span) - 1}, &request);
    assert_true(check_same(f, buf_str(&request), false, 0));
    assert_true(f->out.len > 0 && f->out.len < request.len);
    assert_null(memmem(f->out.ptr, f->out.len, "SECRET", 6));
    assert_null(memmem(f->out.ptr, f->out.len, "CARD", 4));
    assert_null(memmem(f->out.ptr, f->out.len, "card", 4));
    assert_non_null(memmem(f->out.ptr, f->out.len, "url.full", 8));
    buf_fini(&request);
}

static void
requests_one_after_the_other_are_one(void **state)
{
    struct strip_rig *f = *state;
    struct payload *payload = payload_new(3, 50, false);
    struct otlp_seen alone = {0};
    struct otlp_seen together = {0};
    struct buf all = {0};
    struct buf logs = {0};

    for (size_t i = 0; i < payload->len; i++) {
        assert_int_equal(strip_rig_strip(f, payload->batches[i], false), OK);
        buf_add(&all, buf_str(&f->out));
        otlp_decode_protobuf(&alone, f->scratch, payload->batches[i]);
        buf_add(&logs, squeeze(&alone.log));
        otlp_seen_fini(&alone);
    }
    otlp_decode_protobuf(&together, f->scratch, buf_str(&all));
    assert_true(str_eq(buf_str(&logs), squeeze(&together.log)));
    otlp_seen_fini(&together);
    buf_fini(&all);
    buf_fini(&logs);
    payload_free(payload);
}

/* Lengths of one, two, three and four bytes, at each level. */
static void
messages_of_any_length_are_written(void **state)
{
    static const size_t lens[] = {0,     1,     126,   127,     128,    129,
                                  16383, 16384, 70000, 2097151, 2097200};
    struct strip_rig *f = *state;

    for (size_t i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
        struct buf value = {0};
        struct buf request = {0};
        char *text = malloc(lens[i] + 1);
        memset(text, 'x', lens[i] + 1);
        put(&value, 1, (str){text, lens[i]});
        request_with(&request, "url.path", buf_str(&value));
        assert_true(check_same(f, buf_str(&request), false, i));
        assert_true(f->out.len <= request.len);
        free(text);
        buf_fini(&value);
        buf_fini(&request);
    }
}

static void
a_request_without_spans_has_none(void **state)
{
    struct strip_rig *f = *state;

    assert_int_equal(strip_rig_strip(f, STR(""), false), OK);
    assert_int_equal(f->spans, 0);
    assert_int_equal(f->out.len, 0);
}

/* A buffer that may not grow stands in for want of memory. */
static void
what_could_not_be_collected_whole_is_not_handed_out(void **state)
{
    struct strip_rig *f = *state;
    struct payload *payload = payload_new(1, 50, false);
    struct span_visitor visitor;
    struct buf small = {.cap_max = 100};
    uint32_t spans;

    strip_begin(f->strip, &visitor);
    assert_int_equal(
        decode_protobuf(f->scratch, payload->batches[0], &visitor, &f->result),
        OK);
    buf_add(&small, STR("before"));
    assert_int_equal(strip_take(f->strip, &small, &spans), ERR_NOMEM);
    assert_int_equal(small.len, strlen("before"));
    buf_fini(&small);
    payload_free(payload);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_requests_mean_the_same_when_stripped),
        cmocka_unit_test(odd_and_hostile_requests_mean_the_same_or_are_refused),
        cmocka_unit_test(json_means_the_same_as_protobuf),
        cmocka_unit_test(every_key_that_is_read_is_forwarded_in_every_type),
        cmocka_unit_test(every_field_of_a_span_is_forwarded),
        cmocka_unit_test(what_is_not_read_is_dropped),
        cmocka_unit_test(requests_one_after_the_other_are_one),
        cmocka_unit_test(messages_of_any_length_are_written),
        cmocka_unit_test(a_request_without_spans_has_none),
        cmocka_unit_test(what_could_not_be_collected_whole_is_not_handed_out),
    };

    return cmocka_run_group_tests(tests, strip_rig_setup, strip_rig_teardown);
}
