/*
 * libgit2 is loaded, or it is said what to install.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "index/git.h"

static void
all_calls_are_found(void **state)
{
    struct git_calls git;
    struct buf why = {0};

    (void)state;
    assert_int_equal(git_load(&git, GIT_LIBRARY, &why), OK);
    assert_int_equal(why.len, 0);
#define CHECK(name) assert_non_null(git.name);
    GIT_CALLS(CHECK)
#undef CHECK
    assert_true(git.libgit2_init() >= 1);
    assert_int_equal(git.libgit2_shutdown(), 0);
    buf_fini(&why);
}

static void
a_library_that_is_not_there_is_named(void **state)
{
    struct git_calls git;
    struct buf why = {0};

    (void)state;
    assert_int_equal(git_load(&git, "libgit2.so.0.0", &why), ERR_UNSUPPORTED);
    assert_non_null(strstr(buf_cstr(&why), "libgit2.so.0.0, which is not"));
    assert_non_null(strstr(buf_cstr(&why), "Debian: libgit2-"));
    buf_fini(&why);
}

static void
a_library_that_lacks_a_call_is_refused(void **state)
{
    struct git_calls git;
    struct buf why = {0};

    (void)state;
    assert_int_equal(git_load(&git, "libm.so.6", &why), ERR_UNSUPPORTED);
    assert_non_null(strstr(buf_cstr(&why), "libm.so.6 has no git_"));
    buf_fini(&why);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_calls_are_found),
        cmocka_unit_test(a_library_that_is_not_there_is_named),
        cmocka_unit_test(a_library_that_lacks_a_call_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
