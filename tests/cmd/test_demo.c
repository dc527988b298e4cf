/*
 * demo: ids nobody had before, times that end now, and everything else as it
 * was recorded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "cmd/demo.h"

static char *
freshen(const char *json, uint64_t seed, uint64_t shift_ns)
{
    struct buf out = {0};

    demo_freshen(str_of(json), seed, shift_ns, &out);
    assert_false(out.failed);
    char *copy = strdup(buf_cstr(&out));
    buf_fini(&out);
    assert_non_null(copy);
    return copy;
}

static void
assert_freshened(const char *json, const char *expected)
{
    char *got = freshen(json, 7, 100);

    assert_string_equal(got, expected);
    free(got);
}

static void
times_move_and_nothing_else_does(void **state)
{
    (void)state;
    assert_freshened("{\"startTimeUnixNano\":\"5\",\"a\":\"5\"}",
                     "{\"startTimeUnixNano\":\"105\",\"a\":\"5\"}");
    assert_freshened("\"timeUnixNano\":\"1\"", "\"timeUnixNano\":\"101\"");
    assert_freshened("{}", "{}");
    assert_freshened("", "");
    assert_freshened("{\"endTimeUnixNano\":\"soon\"}",
                     "{\"endTimeUnixNano\":\"soon\"}");
    assert_freshened("{\"endTimeUnixNano\":\"99999999999999999999\"}",
                     "{\"endTimeUnixNano\":\"99999999999999999999\"}");
    assert_freshened("{\"endTimeUnixNano\":\"5", "{\"endTimeUnixNano\":\"5");
    assert_freshened("\":\"", "\":\"");
}

static void
what_is_no_id_stays(void **state)
{
    (void)state;
    assert_freshened("{\"spanId\":\"\"}", "{\"spanId\":\"\"}");
    assert_freshened("{\"spanId\":\"0123\"}", "{\"spanId\":\"0123\"}");
    assert_freshened("{\"spanId\":\"0123456789abcdeg\"}",
                     "{\"spanId\":\"0123456789abcdeg\"}");
    assert_freshened("{\"key\":\"traceId\"}", "{\"key\":\"traceId\"}");
}

static void
an_id_is_the_same_wherever_it_stands_and_new_under_a_new_seed(void **state)
{
    static const char json[] = "[{\"spanId\":\"0123456789abcdef\"},"
                               "{\"parentSpanId\":\"0123456789abcdef\"}]";
    const size_t at = strlen("[{\"spanId\":\"");
    const size_t other = strlen("[{\"spanId\":\"0123456789abcdef\"},"
                                "{\"parentSpanId\":\"");
    char *one = freshen(json, 1, 0);
    char *two = freshen(json, 2, 0);

    (void)state;
    assert_int_equal(strlen(one), strlen(json));
    assert_memory_equal(one + at, one + other, 16);
    assert_memory_not_equal(one + at, json + at, 16);
    assert_memory_not_equal(one + at, two + at, 16);
    free(one);
    free(two);
}

/* Counts the ids of |key| in all of |json|. */
static size_t
count_key(const cJSON *json, const char *key)
{
    size_t count = 0;
    const cJSON *child;

    cJSON_ArrayForEach(child, json)
    {
        count += child->string && strcmp(child->string, key) == 0;
        count += count_key(child, key);
    }
    return count;
}

static void
the_recording_stays_json_that_ends_now(void **state)
{
    const uint64_t now_ns = UINT64_C(1900000000000000000);
    uint64_t last_ns = demo_last_end_ns(demo_trace());
    struct buf out = {0};
    size_t lines = 0;
    size_t spans = 0;

    (void)state;
    assert_true(last_ns > UINT64_C(1700000000000000000));
    demo_freshen(demo_trace(), 3, now_ns - last_ns, &out);
    assert_false(out.failed);
    assert_true(demo_last_end_ns(buf_str(&out)) == now_ns);
    for (char *save = NULL,
              *line = strtok_r((char *)(uintptr_t)buf_cstr(&out), "\n", &save);
         line; line = strtok_r(NULL, "\n", &save)) {
        cJSON *json = cJSON_Parse(line);

        assert_non_null(json);
        spans += count_key(json, "endTimeUnixNano");
        lines++;
        cJSON_Delete(json);
    }
    assert_int_equal(lines, 3);
    assert_int_equal(spans, 69);
    buf_fini(&out);
}

static void
the_routes_are_there(void **state)
{
    (void)state;
    assert_non_null(
        memmem(demo_routes().ptr, demo_routes().len, "GET /legacy/cart", 16));
}

/* ---- the thread, over a sink that counts ---- */

struct counting {
    size_t begun;
    size_t aborted;
};

static enum err
begin(void *ctx, size_t lane, struct span_visitor *out)
{
    struct counting *counting = ctx;

    assert_int_equal(lane, 9);
    *out = (struct span_visitor){0};
    counting->begun++;
    return ERR_FULL;
}

static void
abandon(void *ctx, size_t lane)
{
    (void)lane;
    ((struct counting *)ctx)->aborted++;
}

static void
a_queue_without_room_is_waited_for_and_the_end_does_not_hang(void **state)
{
    struct counting counting = {0};
    const struct trace_sink sink = {
        .ctx = &counting, .begin = begin, .abort = abandon};
    struct demo *demo = NULL;

    (void)state;
    assert_int_equal(demo_start(&demo, &sink, 9), OK);
    demo_stop(demo);
    assert_true(counting.begun <= 1);
    assert_int_equal(counting.aborted, 0);
    demo_stop(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_move_and_nothing_else_does),
        cmocka_unit_test(what_is_no_id_stays),
        cmocka_unit_test(
            an_id_is_the_same_wherever_it_stands_and_new_under_a_new_seed),
        cmocka_unit_test(the_recording_stays_json_that_ends_now),
        cmocka_unit_test(the_routes_are_there),
        cmocka_unit_test(
            a_queue_without_room_is_waited_for_and_the_end_does_not_hang),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
