#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "graph/pack.h"

static size_t
sum(const struct pack_item *items, size_t len)
{
    size_t tokens = 0;

    for (size_t i = 0; i < len; i++)
        tokens += items[i].is_in ? items[i].tokens : 0;
    return tokens;
}

static void
the_budget_is_never_exceeded(void **state)
{
    uint32_t seed = 7;

    (void)state;
    for (int round = 0; round < 500; round++) {
        struct pack_item items[40];
        size_t used;

        for (size_t i = 0; i < 40; i++) {
            seed = seed * 1664525 + 1013904223;
            items[i] = (struct pack_item){
                .score = (seed >> 8 & 1023) / 1024.0,
                .tokens = seed >> 20 & 255,
                .tier = (uint8_t)(seed >> 30),
            };
        }
        seed = seed * 1664525 + 1013904223;
        size_t budget = seed >> 20;
        assert_int_equal(pack_greedy(items, 40, budget, &used), OK);
        assert_true(used <= budget);
        assert_int_equal(used, sum(items, 40));
    }
}

static void
the_denser_goes_first_and_the_small_one_behind_still_fits(void **state)
{
    struct pack_item items[] = {
        {.score = 1, .tokens = 10},
        {.score = 3, .tokens = 10},
        {.score = 2, .tokens = 15},
        {.score = 0.1, .tokens = 5},
    };
    size_t used;

    (void)state;
    assert_int_equal(pack_greedy(items, 4, 27, &used), OK);
    assert_true(items[1].is_in && items[2].is_in);
    assert_false(items[0].is_in || items[3].is_in);
    assert_int_equal(used, 25);
    for (int i = 0; i < 4; i++)
        items[i].is_in = false;
    assert_int_equal(pack_greedy(items, 4, 20, &used), OK);
    assert_true(items[1].is_in && items[0].is_in);
}

static void
a_lower_tier_goes_before_any_score(void **state)
{
    struct pack_item items[] = {
        {.score = 9, .tokens = 5, .tier = 1},
        {.score = 1, .tokens = 6, .tier = 0},
    };
    size_t used;

    (void)state;
    assert_int_equal(pack_greedy(items, 2, 10, &used), OK);
    assert_true(items[1].is_in);
    assert_false(items[0].is_in);
}

static void
one_large_item_wins_over_small_crumbs(void **state)
{
    struct pack_item items[] = {
        {.score = 0.2, .tokens = 1},
        {.score = 10, .tokens = 100},
    };
    size_t used;

    (void)state;
    assert_int_equal(pack_greedy(items, 2, 100, &used), OK);
    assert_true(items[1].is_in);
    assert_false(items[0].is_in);
    assert_int_equal(used, 100);
    items[1].is_in = false;
    assert_int_equal(pack_greedy(items, 2, 101, &used), OK);
    assert_true(items[0].is_in && items[1].is_in);
}

static void
what_is_in_stays_and_is_not_counted_again(void **state)
{
    struct pack_item items[] = {
        {.score = 1, .tokens = 50, .is_in = true},
        {.score = 1, .tokens = 10},
    };
    size_t used;

    (void)state;
    assert_int_equal(pack_greedy(items, 2, 10, &used), OK);
    assert_true(items[0].is_in && items[1].is_in);
    assert_int_equal(used, 10);
    assert_int_equal(pack_greedy(items, 0, 10, &used), OK);
    assert_int_equal(used, 0);
}

static void
a_token_is_four_bytes_rounded_up(void **state)
{
    (void)state;
    assert_int_equal(pack_tokens(0), 0);
    assert_int_equal(pack_tokens(1), 1);
    assert_int_equal(pack_tokens(4), 1);
    assert_int_equal(pack_tokens(5), 2);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_budget_is_never_exceeded),
        cmocka_unit_test(
            the_denser_goes_first_and_the_small_one_behind_still_fits),
        cmocka_unit_test(a_lower_tier_goes_before_any_score),
        cmocka_unit_test(one_large_item_wins_over_small_crumbs),
        cmocka_unit_test(what_is_in_stays_and_is_not_counted_again),
        cmocka_unit_test(a_token_is_four_bytes_rounded_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
