#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/ids.h"
#include "tests/support/fail_alloc.h"

static void
what_was_added_is_there_in_order(void **state)
{
    struct ids list = {0};

    (void)state;
    assert_false(ids_has(&list, 0));
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(ids_add(&list, i / 2 * 3), OK);
    assert_int_equal(list.len, 1000);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(list.ids[i], i / 2 * 3);
    assert_true(ids_has(&list, 0));
    assert_true(ids_has(&list, 499 * 3));
    assert_false(ids_has(&list, 1));
    assert_false(ids_has(&list, 500 * 3));
    ids_fini(&list);
}

static void
what_is_freed_is_empty_and_can_be_used_again(void **state)
{
    struct ids list = {0};

    (void)state;
    assert_int_equal(ids_add(&list, 7), OK);
    ids_fini(&list);
    assert_int_equal(list.len, 0);
    assert_false(ids_has(&list, 7));
    assert_int_equal(ids_add(&list, UINT32_MAX), OK);
    assert_true(ids_has(&list, UINT32_MAX));
    ids_fini(&list);
    ids_fini(&list);
}

/* The first that needs room, and the first that needs more. */
static void
without_memory_the_list_is_as_it_was(void **state)
{
    struct ids list = {0};
    struct ids before;

    (void)state;
    for (int i = 0; i < 2; i++) {
        while (list.len < list.cap)
            assert_int_equal(ids_add(&list, (uint32_t)list.len), OK);
        before = list;
        fail_alloc_at(1, false);
        assert_int_equal(ids_add(&list, 5), ERR_NOMEM);
        assert_true(fail_alloc_end());
        assert_memory_equal(&list, &before, sizeof(list));
        assert_int_equal(ids_add(&list, (uint32_t)list.len), OK);
    }
    for (size_t i = 0; i < list.len; i++)
        assert_int_equal(list.ids[i], i);
    ids_fini(&list);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_is_there_in_order),
        cmocka_unit_test(what_is_freed_is_empty_and_can_be_used_again),
        cmocka_unit_test(without_memory_the_list_is_as_it_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
