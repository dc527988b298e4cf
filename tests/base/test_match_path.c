#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/match.h"

static const struct {
    const char *rule;
    const char *path;
    bool fits;
} cases[] = {
    {"*", "a/b/c.go", true},
    {"*.js", "a/b/c.js", true},
    {"*.js", "a/b/c.jsx", false},
    {"/build/logs/", "build/logs/x.txt", true},
    {"/build/logs/", "build/logs/deep/x.txt", true},
    {"/build/logs/", "src/build/logs/x.txt", false},
    {"/build/logs/", "build/logs", false},
    {"docs/*", "docs/start.md", true},
    {"docs/*", "docs/deep/start.md", false},
    {"docs/*", "x/docs/start.md", false},
    {"apps/", "x/apps/y/z.c", true},
    {"apps/", "x/apps", false},
    {"apps", "x/apps", true},
    {"/docs/", "docs/a", true},
    {"/apps/github", "apps/github/a/b", true},
    {"/apps/github", "apps/github2", false},
    {"**/logs", "build/logs/a.txt", true},
    {"**/logs", "deep/er/logs", true},
    {"**/logs", "logs/x", true},
    {"a/**/b", "a/b/x", true},
    {"a/**/b", "a/x/y/b", true},
    {"a/**/b", "x/a/b", false},
    {"a/**", "a/b/c", true},
    {"a/**", "a", false},
    {"**", "a", true},
    {"a/*/c/**/d.c", "a/b/c/x/c/d.c", true},
    {"**/a/*", "x/a/b/a/c", true},
    {"**/a/*", "x/a/b/y/c", false},
    {"/*", "a.c", true},
    {"/*", "a/b.c", false},
    {"/", "a/b.c", true},
    {"", "a", false},
    {"a?c", "abc", true},
    {"a?c", "a/c", false},
    {"\\*.c", "*.c", true},
    {"\\*.c", "x.c", false},
    {"*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaac", false},
    {"a", "", false},
    {"/src/x.c", "src/x.c", true},
    {"/src/x.c", "src/x.cc", false},
};

static void
a_rule_fits_what_its_documentation_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (match_path(str_of(cases[i].rule), str_of(cases[i].path)) !=
            cases[i].fits)
            fail_msg("%s on %s", cases[i].rule, cases[i].path);
}

static void
a_rule_that_is_too_long_fits_nothing(void **state)
{
    char rule[1100];

    (void)state;
    memset(rule, '*', sizeof(rule));
    assert_true(match_path((str){rule, 1024}, STR("a/b")));
    assert_false(match_path((str){rule, 1025}, STR("a/b")));
}

static void
a_hostile_rule_takes_no_longer_than_it_is_long(void **state)
{
    char rule[1000] = "";
    char path[4000] = "";

    (void)state;
    for (size_t i = 0; i + 5 < sizeof(rule); i += 5)
        memcpy(rule + i, "**/a/", 5);
    memset(path, 'a', sizeof(path));
    for (size_t i = 1; i < sizeof(path); i += 2)
        path[i] = '/';
    path[sizeof(path) - 2] = 'b';
    str hostile = {rule, 995};
    for (int n = 0; n < 20; n++)
        (void)match_path(hostile, (str){path, sizeof(path)});
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rule_fits_what_its_documentation_says),
        cmocka_unit_test(a_rule_that_is_too_long_fits_nothing),
        cmocka_unit_test(a_hostile_rule_takes_no_longer_than_it_is_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
