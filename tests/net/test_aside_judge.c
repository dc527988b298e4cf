/* Whose bodies the loop is spared. */
#include "net/aside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"

enum { LEN = 100000, LONG_MS = 20, WARY_S = 10 };

static const struct aside_body minor = {1, ENCODING_IDENTITY, ASIDE_MINOR};
static const struct aside_body plain = {1, ENCODING_IDENTITY, ASIDE_MINOR + 1};
static const struct aside_body packed = {1, ENCODING_GZIP, 1};

static int
setup(void **state)
{
    struct aside *aside;

    assert_int_equal(aside_new(&aside), OK);
    *state = aside;
    return 0;
}

static int
teardown(void **state)
{
    aside_free(*state);
    return 0;
}

static struct aside_body
by(uint32_t share, const struct aside_body *body)
{
    struct aside_body out = *body;

    out.share = share;
    return out;
}

/* A body of LEN bytes has taken |took_ns|. */
static void
took(struct aside *aside, uint32_t share, enum encoding encoding,
     uint64_t took_ns)
{
    const struct aside_body body = {share, encoding, LEN};

    aside_judge(aside, &body, clock_mono_ns() - took_ns);
}

static bool
is_for(const struct aside *aside, uint32_t share, const struct aside_body *body)
{
    const struct aside_body its = by(share, body);

    return aside_is_for(aside, &its, clock_mono_ns());
}

static bool
is_wary(const struct aside *aside, uint64_t after_s)
{
    return aside_is_wary(aside, &plain, clock_mono_ns() + after_s * NS_PER_S);
}

static void
nobody_is_suspected_at_first(void **state)
{
    struct aside *aside = *state;

    assert_false(is_for(aside, 1, &plain));
    assert_false(is_for(aside, 1, &packed));
    assert_false(is_for(aside, 0, &plain));
    assert_false(is_wary(aside, 0));
    took(aside, 1, ENCODING_IDENTITY, NS_PER_MS / 10);
    assert_false(is_for(aside, 1, &plain));
    assert_false(is_wary(aside, 0));
    aside_judge(NULL, &plain, 0);
    assert_false(aside_is_for(NULL, &plain, 0));
    assert_false(aside_is_wary(NULL, &plain, 0));
}

/* Four milliseconds are allowed for a MiB, and 50 us for any body. */
static void
a_stranger_whose_first_body_takes_long_is_spared_the_loop(void **state)
{
    enum { ALLOWED_US = 50 + LEN * 4 / 1000, PACKED_US = 50 + LEN * 32 / 1000 };
    struct aside *aside = *state;

    took(aside, 1, ENCODING_IDENTITY, (ALLOWED_US + 900) * NS_PER_MS / 1000);
    took(aside, 2, ENCODING_GZIP, (PACKED_US + 900) * NS_PER_MS / 1000);
    assert_false(is_for(aside, 1, &plain));
    assert_false(is_for(aside, 2, &plain));
    took(aside, 3, ENCODING_IDENTITY, (ALLOWED_US + 1100) * NS_PER_MS / 1000);
    assert_true(is_for(aside, 3, &plain));
    assert_true(is_for(aside, 3, &packed));
    assert_false(is_for(aside, 3, &minor));
    took(aside, 4, ENCODING_GZIP, (PACKED_US + 1100) * NS_PER_MS / 1000);
    assert_true(is_for(aside, 4, &plain));
}

/* Another may have had the core for a while. */
static void
one_known_is_forgiven_one_but_not_two(void **state)
{
    struct aside *aside = *state;

    took(aside, 1, ENCODING_IDENTITY, 0);
    took(aside, 1, ENCODING_IDENTITY, LONG_MS * NS_PER_MS);
    assert_false(is_for(aside, 1, &plain));
    assert_false(is_wary(aside, 0));
    took(aside, 1, ENCODING_IDENTITY, LONG_MS * NS_PER_MS);
    assert_true(is_for(aside, 1, &plain));
}

static void
who_is_as_usual_again_is_trusted_again(void **state)
{
    struct aside *aside = *state;
    int bodies = 0;

    for (int i = 0; i < 100; i++)
        took(aside, 1, ENCODING_IDENTITY, LONG_MS * NS_PER_MS);
    for (; is_for(aside, 1, &plain) && bodies < 1000; bodies++)
        took(aside, 1, ENCODING_IDENTITY, 0);
    assert_in_range(bodies, 10, 200); /* of at most 0.45 ms less each */
}

/* A thousand connections have a thousand first bodies. */
static void
strangers_are_tried_elsewhere_while_there_is_one_to_fear(void **state)
{
    struct aside *aside = *state;

    took(aside, 1, ENCODING_IDENTITY, 0);
    assert_false(is_for(aside, 2, &plain));
    took(aside, 3, ENCODING_IDENTITY, LONG_MS * NS_PER_MS);
    assert_true(is_wary(aside, WARY_S - 1));
    assert_false(is_wary(aside, WARY_S + 1));
    assert_false(aside_is_wary(aside, &minor, clock_mono_ns()));
    assert_true(is_for(aside, 2, &plain));
    assert_true(is_for(aside, 0, &plain));
    assert_false(is_for(aside, 1, &plain));
    took(aside, 2, ENCODING_IDENTITY, 0);
    assert_false(is_for(aside, 2, &plain));
}

/* Of somebody, but it is not known of whom. */
static void
what_nobody_known_sent_makes_wary_and_is_held_against_none(void **state)
{
    struct aside *aside = *state;

    took(aside, 1, ENCODING_IDENTITY, 0);
    took(aside, 0, ENCODING_IDENTITY, LONG_MS * NS_PER_MS);
    assert_true(is_wary(aside, 0));
    assert_false(is_for(aside, 1, &plain));
    took(aside, 0, ENCODING_IDENTITY, 0);
    assert_true(is_for(aside, 0, &plain));
    assert_false(
        aside_is_for(aside, &plain, clock_mono_ns() + (WARY_S + 1) * NS_PER_S));
}

static void
who_takes_long_is_expected_to(void **state)
{
    struct aside *aside = *state;
    uint64_t usual_ns = aside_cost_ns(aside, &plain);

    took(aside, 1, ENCODING_IDENTITY, 0);
    assert_int_equal(aside_cost_ns(aside, &plain), usual_ns);
    for (int i = 0; i < 100; i++)
        took(aside, 1, ENCODING_IDENTITY, LONG_MS * NS_PER_MS);
    assert_in_range(aside_cost_ns(aside, &plain), usual_ns + 30 * NS_PER_MS,
                    usual_ns + 40 * NS_PER_MS);
}

/* What is packed may become much; how much, its length does not tell. */
static void
what_is_packed_is_expected_to_take_long(void **state)
{
    static const struct {
        struct aside_body a;
        struct aside_body b;
    } same[] = {
        {{1, ENCODING_ZSTD, 3 * ASIDE_PACKED},
         {1, ENCODING_IDENTITY, 12 * ASIDE_PLAIN}},
        {{1, ENCODING_GZIP, 1}, {1, ENCODING_IDENTITY, 4 * ASIDE_PLAIN}},
    };
    const struct aside_body none = {1, ENCODING_IDENTITY, 0};

    assert_int_equal(aside_cost_ns(*state, &none), 0);
    for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
        assert_int_equal(aside_cost_ns(*state, &same[i].a),
                         aside_cost_ns(*state, &same[i].b));
}

static void
what_is_packed_becomes_no_more_on_the_loop_than_is_usual(void **state)
{
    enum { MIN = 16 << 10 };
    struct aside *aside = *state;

    assert_int_equal(aside_here_max(aside, 0), MIN);
    assert_int_equal(aside_here_max(aside, MIN / 32), MIN);
    assert_int_equal(aside_here_max(aside, MIN / 32 + 1), MIN + 32);
    assert_int_equal(aside_here_max(aside, ASIDE_PLAIN / 32 - 1),
                     ASIDE_PLAIN - 32);
    assert_int_equal(aside_here_max(aside, ASIDE_PLAIN / 32 + 1), ASIDE_PLAIN);
    assert_int_equal(aside_here_max(aside, SIZE_MAX), ASIDE_PLAIN);
    assert_int_equal(aside_here_max(NULL, 1), SIZE_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nobody_is_suspected_at_first),
        TEST(a_stranger_whose_first_body_takes_long_is_spared_the_loop),
        TEST(one_known_is_forgiven_one_but_not_two),
        TEST(who_is_as_usual_again_is_trusted_again),
        TEST(strangers_are_tried_elsewhere_while_there_is_one_to_fear),
        TEST(what_nobody_known_sent_makes_wary_and_is_held_against_none),
        TEST(who_takes_long_is_expected_to),
        TEST(what_is_packed_is_expected_to_take_long),
        TEST(what_is_packed_becomes_no_more_on_the_loop_than_is_usual),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
