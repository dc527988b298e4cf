#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sorted.h"

enum { ROWS_MAX = 40 };

struct row {
    uint32_t key;
    char rest[20]; /* so that rows are no powers of two */
};

static int
by_key(const void *key, const void *row)
{
    uint32_t a = *(const uint32_t *)key;
    uint32_t b = ((const struct row *)row)->key;

    return (a > b) - (a < b);
}

/* The slow way. */
static size_t
first_of(const struct row *rows, size_t len, uint32_t key)
{
    size_t at = 0;

    while (at < len && rows[at].key < key)
        at++;
    return at;
}

/* Of all lengths, with runs of equal keys and gaps between them. */
static void
the_first_that_is_not_before_the_key_is_found(void **state)
{
    struct row rows[ROWS_MAX];

    (void)state;
    for (uint32_t step = 1; step <= 5; step++)
        for (size_t len = 0; len <= ROWS_MAX; len++) {
            for (uint32_t i = 0; i < len; i++)
                rows[i] = (struct row){.key = 1 + i / step * 2};
            for (uint32_t key = 0; key <= 2 * ROWS_MAX + 2; key++)
                assert_int_equal(
                    sorted_first(&key, rows, len, sizeof(*rows), by_key),
                    first_of(rows, len, key));
        }
}

static void
no_rows_need_no_array(void **state)
{
    uint32_t key = 1;

    (void)state;
    assert_int_equal(sorted_first(&key, NULL, 0, sizeof(struct row), by_key),
                     0);
}

/* Places of rows, in the order of the rows; the key knows the rows. */
struct sought {
    const struct row *rows;
    uint32_t key;
};

static int
by_row(const void *key, const void *place)
{
    const struct sought *sought = key;

    return by_key(&sought->key, &sought->rows[*(const uint32_t *)place]);
}

static void
a_key_may_hold_what_rows_are_looked_up_in(void **state)
{
    const struct row rows[] = {{.key = 5}, {.key = 1}, {.key = 3}};
    const uint32_t order[] = {1, 2, 0};
    struct sought sought = {rows, 3};

    (void)state;
    assert_int_equal(sorted_first(&sought, order, 3, sizeof(*order), by_row),
                     1);
    sought.key = 6;
    assert_int_equal(sorted_first(&sought, order, 3, sizeof(*order), by_row),
                     3);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_that_is_not_before_the_key_is_found),
        cmocka_unit_test(no_rows_need_no_array),
        cmocka_unit_test(a_key_may_hold_what_rows_are_looked_up_in),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
