#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>

#include <cmocka.h>

#include "base/thread.h"

static void
expect_name(const char *name)
{
    char got[THREAD_NAME_CAP];

    assert_int_equal(pthread_getname_np(pthread_self(), got, sizeof(got)), 0);
    assert_string_equal(got, name);
}

static void *
run(void *ctx)
{
    (void)ctx;
    thread_set_name("one");
    expect_name("one");
    /* The kernel refuses what is too long; it is cut instead. */
    thread_set_name("a name that is too long");
    expect_name("a name that is ");
    return NULL;
}

static void
a_thread_has_the_name_it_took(void **state)
{
    char before[THREAD_NAME_CAP];
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_getname_np(pthread_self(), before, sizeof(before)),
                     0);
    assert_int_equal(pthread_create(&thread, NULL, run, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    expect_name(before);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_has_the_name_it_took),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
