/*
 * The first items are those that sorting all of them would put there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/first.h"

enum { ITEMS = 300, ROUNDS = 2000 };

struct item {
    uint32_t key;
    uint16_t name; /* its own: no two items compare equal */
};

static int
compare(const void *left, const void *right, void *ctx)
{
    const struct item *a = left;
    const struct item *b = right;

    (*(size_t *)ctx)++;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

static uint32_t
next(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 8;
}

static void
fill(struct item *items, size_t len, uint32_t keys, uint32_t *seed)
{
    for (size_t i = 0; i < len; i++)
        items[i] = (struct item){next(seed) % keys, (uint16_t)i};
}

static void
the_first_are_those_of_all_sorted(void **state)
{
    struct item items[ITEMS], sorted[ITEMS];
    size_t compared = 0;
    uint32_t seed = 7;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        size_t len = next(&seed) % (ITEMS + 1);
        size_t first = next(&seed) % (ITEMS + 1);
        unsigned char met[ITEMS] = {0};

        fill(items, len, 1 + next(&seed) % 100, &seed);
        memcpy(sorted, items, sizeof(items));
        if (len)
            qsort_r(sorted, len, sizeof(*sorted), compare, &compared);
        first_in_order(items, len, sizeof(*items), first, compare, &compared);
        for (size_t i = 0; i < first && i < len; i++)
            assert_int_equal(items[i].name, sorted[i].name);
        for (size_t i = 0; i < len; i++)
            assert_int_equal(met[items[i].name]++, 0);
    }
}

static void
few_of_many_cost_about_one_comparison_each(void **state)
{
    enum { MANY = 60000 };
    struct item *items = calloc(MANY, sizeof(*items));
    size_t compared = 0;
    uint32_t seed = 3;

    (void)state;
    assert_non_null(items);
    fill(items, MANY, UINT32_MAX, &seed);
    first_in_order(items, MANY, sizeof(*items), 50, compare, &compared);
    assert_true(compared < MANY + MANY / 5);
    free(items);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_are_those_of_all_sorted),
        cmocka_unit_test(few_of_many_cost_about_one_comparison_each),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
