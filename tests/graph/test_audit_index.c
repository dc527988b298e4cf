/*
 * What an observed route may be among the declared: the index against looking
 * at each of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/audit_index.h"

enum { ROWS = 300, ROUNDS = 3000, SERVICES = 3, TEXT = 64 };

static uint32_t seed = 1;

static uint32_t
any(uint32_t below)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 16) % below;
}

/* Few words, so that many paths end with one another. */
static str
any_path(char *text)
{
    static const char *const words[] = {"a", "b", "ab", "{}", "{}", "{**}"};
    uint32_t len = any(4);
    size_t at = 0;

    text[0] = 0;
    for (uint32_t i = 0; i < len; i++)
        at += (size_t)snprintf(text + at, TEXT - at, "/%s", words[any(6)]);
    return at ? str_of(text) : STR("/");
}

static str
any_method(void)
{
    static const char *const methods[] = {"GET", "POST", "ANY"};

    return str_of(methods[any(3)]);
}

static int
compare_rows(const void *a, const void *b)
{
    const struct candidate *left = a;
    const struct candidate *right = b;

    if (left->service != right->service)
        return left->service < right->service ? -1 : 1;
    return str_order(route_path_trim(left->route.pattern),
                     route_path_trim(right->route.pattern));
}

static void
mark(void *ctx, struct candidate *row, enum fit fit)
{
    (void)ctx;
    assert_int_equal(row->id, FIT_NONE); /* once */
    row->id = (uint32_t)fit;
}

static void
the_index_finds_what_looking_at_each_finds(void **state)
{
    static char texts[ROWS + 1][TEXT];
    static struct candidate all[ROWS];
    struct candidate *rows = all;
    struct audit_index index;
    unsigned found[FIT_GUESSED + 1] = {0};

    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        all[i].service = any(SERVICES);
        all[i].route.method = any_method();
        all[i].route.pattern = any_path(texts[i]);
    }
    qsort(all, ROWS, sizeof(all[0]), compare_rows);
    assert_int_equal(audit_index_make(&index, &rows, ROWS), OK);
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint32_t service = any(SERVICES + 1); /* one has none */
        bool is_guess = any(2);
        struct route_name name = {any_method(),
                                  route_path_trim(any_path(texts[ROWS]))};
        for (size_t i = 0; i < ROWS; i++)
            all[i].id = FIT_NONE;
        audit_index_each(&index, service, name, is_guess, mark, NULL);
        for (size_t i = 0; i < ROWS; i++) {
            struct route_name declared = {
                all[i].route.method, route_path_trim(all[i].route.pattern)};
            enum fit fit = route_clears(declared, name, is_guess);
            if (all[i].service != service || fit == FIT_EXACT)
                fit = FIT_NONE;
            assert_int_equal(all[i].id, fit);
            found[fit]++;
        }
    }
    assert_true(found[FIT_MOUNTED] > 1000);
    assert_true(found[FIT_GUESSED] > 1000);
    audit_index_fini(&index);
}

static void
an_index_of_nothing_finds_nothing(void **state)
{
    struct candidate *rows = NULL;
    struct audit_index index;

    (void)state;
    assert_int_equal(audit_index_make(&index, &rows, 0), OK);
    audit_index_each(&index, 0, (struct route_name){STR("GET"), STR("a/b")},
                     true, mark, NULL);
    audit_index_fini(&index);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_finds_what_looking_at_each_finds),
        cmocka_unit_test(an_index_of_nothing_finds_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
