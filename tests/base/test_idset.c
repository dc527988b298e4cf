#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/idset.h"
#include "tests/support/fail_alloc.h"

static void
it_has_what_was_added_and_nothing_else(void **state)
{
    static const uint32_t ids[] = {0, 63, 64, 65, 1023, 1024, 5000000};
    struct idset set = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        assert_false(idset_has(&set, ids[i]));
        assert_int_equal(idset_add(&set, ids[i]), OK);
        for (size_t k = 0; k <= i; k++)
            assert_true(idset_has(&set, ids[k]));
    }
    assert_false(idset_has(&set, 1));
    assert_false(idset_has(&set, 4999999));
    assert_false(idset_has(&set, UINT32_MAX));
    idset_fini(&set);
    assert_false(idset_has(&set, 64));
    idset_fini(&set);
}

static void
a_list_is_added_whole(void **state)
{
    uint32_t numbers[] = {7, 900, 7, 3};
    const struct ids list = {numbers, 4, 4};
    struct idset set = {0};

    (void)state;
    assert_int_equal(idset_add_all(&set, &list), OK);
    assert_true(idset_has(&set, 7) && idset_has(&set, 900) &&
                idset_has(&set, 3));
    assert_false(idset_has(&set, 4));
    idset_fini(&set);
}

static void
without_memory_it_is_as_it_was(void **state)
{
    struct idset set = {0};

    (void)state;
    fail_alloc_at(1, false);
    assert_int_equal(idset_add(&set, 5), ERR_NOMEM);
    assert_true(fail_alloc_end());
    assert_false(idset_has(&set, 5));
    assert_int_equal(idset_add(&set, 5), OK);
    fail_alloc_at(1, false);
    assert_int_equal(idset_add(&set, 100000), ERR_NOMEM);
    assert_true(fail_alloc_end());
    assert_true(idset_has(&set, 5));
    assert_false(idset_has(&set, 100000));
    idset_fini(&set);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_has_what_was_added_and_nothing_else),
        cmocka_unit_test(a_list_is_added_whole),
        cmocka_unit_test(without_memory_it_is_as_it_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
