#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/clock.h"
#include "runtime/digests.h"

static struct digest128
digest(uint64_t n)
{
    return (struct digest128){n, n * 3};
}

static void
what_was_added_is_known_until_it_expires(void **state)
{
    struct digests *digests = NULL;

    (void)state;
    assert_int_equal(digests_new(&digests), OK);
    for (uint64_t n = 1; n <= 50000; n++)
        digests_add(digests, digest(n), n);
    for (uint64_t n = 1; n <= 50000; n++)
        assert_true(digests_has(digests, digest(n)));
    assert_false(digests_has(digests, digest(50001)));
    digests_expire(digests, 20000);
    assert_false(digests_has(digests, digest(19999)));
    assert_true(digests_has(digests, digest(20000)));
    digests_expire(digests, UINT64_MAX);
    assert_false(digests_has(digests, digest(50000)));
    digests_expire(digests, UINT64_MAX);
    digests_free(digests);
}

static void
rewinding_forgets_what_came_after_the_mark(void **state)
{
    struct digests *digests = NULL;

    (void)state;
    assert_int_equal(digests_new(&digests), OK);
    for (uint64_t round = 0; round < 2000; round++) {
        digests_add(digests, digest(2 * round + 1), round);
        uint64_t mark = digests_mark(digests);
        for (uint64_t n = 0; n < round % 5; n++)
            digests_add(digests, digest(1000000 + n), round);
        digests_rewind(digests, mark);
        assert_false(digests_has(digests, digest(1000000)));
    }
    for (uint64_t round = 0; round < 2000; round++)
        assert_true(digests_has(digests, digest(2 * round + 1)));
    digests_rewind(digests, 0);
    assert_false(digests_has(digests, digest(1)));
    digests_free(digests);
}

static void
beyond_the_bound_the_oldest_go(void **state)
{
    struct digests *digests = NULL;

    (void)state;
    assert_int_equal(digests_new(&digests), OK);
    for (uint64_t n = 0; n < DIGESTS_MAX + 10; n++)
        digests_add(digests, digest(n + 1), 1);
    assert_false(digests_has(digests, digest(10)));
    assert_true(digests_has(digests, digest(11)));
    assert_true(digests_has(digests, digest(DIGESTS_MAX + 10)));
    digests_free(digests);
}

static void
a_random_course_agrees_with_a_plain_list(void **state)
{
    enum { KINDS = 3000 };
    static uint64_t at[KINDS]; /* when added; 0: not held */
    struct digests *digests = NULL;
    unsigned seed = 5;

    (void)state;
    assert_int_equal(digests_new(&digests), OK);
    for (uint64_t now = 1; now < 60000; now++) {
        unsigned kind = (unsigned)rand_r(&seed) % KINDS;
        assert_int_equal(digests_has(digests, digest(kind)), at[kind] != 0);
        if (at[kind] == 0) {
            digests_add(digests, digest(kind), now);
            at[kind] = now;
        }
        if (now % 500 == 0) {
            digests_expire(digests, now - 1500 < now ? now - 1500 : 0);
            for (int i = 0; i < KINDS; i++)
                at[i] = now > 1500 && at[i] < now - 1500 ? 0 : at[i];
        }
    }
    digests_free(digests);
}

/* How long it takes to add digests that share their lower half, or do not. */
static uint64_t
time_ns(bool is_shared)
{
    enum { LEN = 30000 };
    /* The factor of hash_mix with this is 0, whatever the other one is. */
    const uint64_t no_lo = UINT64_C(0xe7037ed1a0b428db);
    struct digests *digests = NULL;
    uint64_t begin_ns = clock_mono_ns();

    assert_int_equal(digests_new(&digests), OK);
    for (uint64_t n = 1; n <= LEN; n++)
        digests_add(digests, (struct digest128){n, is_shared ? no_lo : n}, n);
    uint64_t took_ns = clock_mono_ns() - begin_ns;
    digests_free(digests);
    return took_ns;
}

/* A sender can look for bytes of such digests. */
static void
digests_of_one_half_have_many_places(void **state)
{
    (void)state;
    uint64_t usual_ns = time_ns(false);

    assert_in_range(time_ns(true), 0, 20 * usual_ns + 10 * NS_PER_MS);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_is_known_until_it_expires),
        cmocka_unit_test(rewinding_forgets_what_came_after_the_mark),
        cmocka_unit_test(beyond_the_bound_the_oldest_go),
        cmocka_unit_test(digests_of_one_half_have_many_places),
        cmocka_unit_test(a_random_course_agrees_with_a_plain_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
