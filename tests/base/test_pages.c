#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/pages.h"

/* ---- a kernel that moves no pages (Makefile: --wrap) ---- */

static bool cannot_move;

void *__real_mremap(void *old, size_t old_len, size_t len, int flags, void *to);
void *__wrap_mremap(void *old, size_t old_len, size_t len, int flags, void *to);

/* As some failures are: the place is already free. */
void *
__wrap_mremap(void *old, size_t old_len, size_t len, int flags, void *to)
{
    if (!cannot_move)
        return __real_mremap(old, old_len, len, flags, to);
    assert_int_equal(munmap(to, len), 0);
    errno = ENOMEM;
    return MAP_FAILED;
}

/* ---- tests ---- */

static bool
are_zeros(const char *at, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (at[i] != 0)
            return false;
    return true;
}

static void
large_ones_begin_with_a_huge_page_and_are_zeros(void **state)
{
    const size_t sizes[] = {1,          4096,           PAGES_HUGE - 1,
                            PAGES_HUGE, PAGES_HUGE + 1, 5 * PAGES_HUGE + 12345};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        char *pages = pages_reserve(sizes[i]);
        assert_non_null(pages);
        if (sizes[i] >= PAGES_HUGE)
            assert_int_equal((uintptr_t)pages % PAGES_HUGE, 0);
        pages_be_huge(pages, sizes[i]);
        assert_true(are_zeros(pages, sizes[i]));
        memset(pages, 1, sizes[i]);
        pages_release(pages, sizes[i]);
    }
}

static void
more_than_there_can_be_is_refused(void **state)
{
    (void)state;
    assert_null(pages_reserve(SIZE_MAX));
    assert_null(pages_reserve(SIZE_MAX / 2 + 1));
    assert_null(pages_reserve(SIZE_MAX / 2));
    pages_release(NULL, PAGES_HUGE);
}

static void
what_is_dropped_is_zeros(void **state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = pages_reserve(2 * page);

    (void)state;
    assert_non_null(pages);
    memset(pages, 1, 2 * page);
    pages_drop(pages, page);
    assert_true(are_zeros(pages, page));
    assert_int_equal(pages[page], 1);
    pages_release(pages, 2 * page);
}

static void
pages_move_and_both_places_can_be_used(void **state)
{
    const size_t len = PAGES_HUGE;

    (void)state;
    for (int huge = 0; huge < 2; huge++) {
        char *pages = pages_reserve(3 * len);
        assert_non_null(pages);
        if (huge)
            pages_be_huge(pages, 3 * len);
        memset(pages, 1, 3 * len);
        pages_move(pages, pages + len, len);
        assert_true(are_zeros(pages + len, len));
        assert_int_equal(pages[2 * len], 1);
        memset(pages, 2, 3 * len);
        pages_release(pages, 3 * len);
    }
}

static void
where_pages_cannot_move_there_are_fresh_ones(void **state)
{
    const size_t len = PAGES_HUGE;
    char *pages = pages_reserve(3 * len);

    (void)state;
    assert_non_null(pages);
    memset(pages, 1, 3 * len);
    cannot_move = true;
    pages_move(pages, pages + len, len);
    cannot_move = false;
    assert_true(are_zeros(pages, 2 * len));
    assert_int_equal(pages[2 * len], 1);
    memset(pages, 2, 3 * len);
    pages_release(pages, 3 * len);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_ones_begin_with_a_huge_page_and_are_zeros),
        cmocka_unit_test(more_than_there_can_be_is_refused),
        cmocka_unit_test(what_is_dropped_is_zeros),
        cmocka_unit_test(pages_move_and_both_places_can_be_used),
        cmocka_unit_test(where_pages_cannot_move_there_are_fresh_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
