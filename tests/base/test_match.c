#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/match.h"

static const struct {
    const char *pattern;
    const char *text;
    bool fits;
} globs[] = {
    {"*", "", true},
    {"GET /a*", "GET /a/b", true},
    {"GET /a?", "GET /ab", true},
    {"GET /a?", "GET /a", false},
    {"*a*b", "aaab", true},
    {"*a*b", "aaac", false},
    {"GET /files/{**}", "GET /files/{**}", true},
    {"GET /files/{**}", "GET /files/{}", false},
    {"GET /files/{**}", "GET /files/{id}", false},
    {"* /files/{**}", "GET /files/{**}", true},
    {"* /files/{**}", "GET /files/{}", false},
    {"GET /{**}*", "GET /{**}/x", true},
    {"GET /{*", "GET /{**}", true},
    {"GET /{***}", "GET /{id}", true},
    {"**}", "GET /{}", true},
    {"{**", "{x", true},
};

static void
a_glob_fits_what_its_stars_take(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(globs) / sizeof(globs[0]); i++)
        if (match_glob(str_of(globs[i].pattern), str_of(globs[i].text)) !=
            globs[i].fits)
            fail_msg("%s on %s", globs[i].pattern, globs[i].text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_glob_fits_what_its_stars_take),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
