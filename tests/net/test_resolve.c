#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/net_kit.h"

/* RFC 9112, 3.2.2: not that of the header, which names nobody then. */
static void
the_host_is_that_of_a_target_in_absolute_form(void **state)
{
    static const char *const cases[][2] = {
        {"GET http://there/echo HTTP/1.1\r\nA: b\r\nHost: localhost\r\n\r\n",
         "a: b\nhost: there\n"},
        {"GET http://there?a HTTP/1.1\r\nHost:\r\n\r\n", "host: there\n"},
        {"GET http://localhost@there:1/echo HTTP/1.1\r\nHost: "
         "localhost\r\n\r\n",
         "host: localhost@there:1\n"},
        {"GET http://there/echo HTTP/1.0\r\n\r\n", "host: there\n"},
        {"GET http://there/echo HTTP/1.0\r\nA: b\r\n\r\n",
         "a: b\nhost: there\n"},
        {"GET /echo?http://there/ HTTP/1.1\r\nHost: b\r\n\r\n", "host: b\n"},
        {"GET /http://there/ HTTP/1.1\r\nHost: b\r\n\r\n", "host: b\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct kit kit;

        kit_session(&kit, http1_new, NULL);
        kit_feed(&kit, str_of(cases[i][0]));
        assert_int_equal(kit.requests, 1);
        assert_string_equal(buf_cstr(&kit.seen), cases[i][1]);
        kit_session_fini(&kit);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_is_that_of_a_target_in_absolute_form),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
