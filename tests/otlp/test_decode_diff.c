/*
 * The decoder against protobuf-c's generated code, on requests by chance.
 * OTLP_DIFF_ROUNDS makes it longer; the seed of a failure is printed, and
 * OTLP_DIFF_SEED starts there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "otlp/decode_state.h"
#include "tests/support/otlp_oracle.h"
#include "tests/support/otlp_random.h"

static uint64_t
from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 0) : otherwise;
}

static void
check(struct decode_scratch *scratch, str bytes, bool json, uint64_t seed)
{
    const char *difference = otlp_difference(scratch, bytes, json);

    if (difference)
        fail_msg("%s (OTLP_DIFF_SEED=%llu)", difference,
                 (unsigned long long)seed);
}

static void
check_truncations(struct decode_scratch *scratch, str bytes, uint64_t seed)
{
    for (size_t len = 0; len < bytes.len && bytes.len < 700; len++)
        check(scratch, str_cut(bytes, 0, len), false, seed);
}

static void
check_mutations(struct decode_scratch *scratch, struct otlp_random *random,
                str bytes, uint64_t seed)
{
    struct buf copy = {0};

    for (int i = 0; i < 8; i++) {
        buf_reset(&copy);
        buf_add(&copy, bytes);
        otlp_random_mutate(random, &copy);
        check(scratch, buf_str(&copy), false, seed);
    }
    buf_fini(&copy);
}

/* One span that is cut or mutated, in a request that is otherwise right: so
 * that nothing but the span can be what is refused. */
static void
check_broken_span(struct decode_scratch *scratch, struct otlp_random *random,
                  uint64_t seed)
{
    struct buf span = {0};
    struct buf request = {0};

    otlp_random_span(random, &span);
    for (size_t len = 0; len < span.len && span.len < 400; len++) {
        buf_reset(&request);
        otlp_random_wrap(str_cut(buf_str(&span), 0, len), &request);
        check(scratch, buf_str(&request), false, seed);
    }
    for (int i = 0; i < 16 && span.len < 2000; i++) {
        buf_reset(&request);
        otlp_random_mutate(random, &span);
        otlp_random_wrap(buf_str(&span), &request);
        check(scratch, buf_str(&request), false, seed);
    }
    buf_fini(&span);
    buf_fini(&request);
}

static void
compare_rounds(bool wild, uint64_t rounds)
{
    struct decode_scratch *scratch = decode_scratch_new();
    decode_span_fn *variants[DECODE_SPAN_FNS];
    size_t variants_len = decode_span_fns(variants);
    uint64_t seed = from_environment("OTLP_DIFF_SEED", 1);
    struct buf request = {0};

    for (uint64_t end = seed + rounds; seed < end; seed++) {
        struct otlp_random random = {.state = seed, .wild = wild};

        scratch->span_fn = variants[(seed + seed / 16) % variants_len];
        buf_reset(&request);
        otlp_random_request(&random, &request);
        check(scratch, buf_str(&request), true, seed);
        check_mutations(scratch, &random, buf_str(&request), seed);
        if (seed % 16 == 0)
            check_truncations(scratch, buf_str(&request), seed);
        if (seed % 8 == 0)
            check_broken_span(scratch, &random, seed);
    }
    buf_fini(&request);
    decode_scratch_free(scratch);
}

static void
requests_as_sent_by_sdks_are_seen_as_protobuf_c_sees_them(void **state)
{
    (void)state;
    compare_rounds(false, from_environment("OTLP_DIFF_ROUNDS", 2000));
}

static void
requests_in_odd_forms_are_seen_as_protobuf_c_sees_them(void **state)
{
    (void)state;
    compare_rounds(true, from_environment("OTLP_DIFF_ROUNDS", 2000));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            requests_as_sent_by_sdks_are_seen_as_protobuf_c_sees_them),
        cmocka_unit_test(
            requests_in_odd_forms_are_seen_as_protobuf_c_sees_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
