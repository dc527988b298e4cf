/*
 * What is decompressed: all of it, to the bound and no further, wherever it is
 * cut off or damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "crawl/gunzip.h"
#include "tests/support/gzip.h"

enum { BOMB = 64 << 20, BOUND = 1 << 20 };

static void
what_was_compressed_is_read(void **state)
{
    struct buf packed = {0};
    struct buf plain = {0};

    (void)state;
    gzip_add(STR("<loc>one</loc>"), &packed);
    gzip_add(STR(""), &packed);
    gzip_add(STR("<loc>two</loc>"), &packed);
    assert_true(gunzip_is(buf_str(&packed)));
    assert_int_equal(gunzip(buf_str(&packed), 28, &plain), OK);
    assert_string_equal(buf_cstr(&plain), "<loc>one</loc><loc>two</loc>");
    /* Padding behind it is none of it. */
    buf_add(&packed, STR("    "));
    buf_reset(&plain);
    assert_int_equal(gunzip(buf_str(&packed), 28, &plain), OK);
    assert_int_equal(plain.len, 28);
    buf_reset(&plain);
    assert_int_equal(gunzip(buf_str(&packed), 27, &plain), ERR_FULL);
    assert_true(plain.len <= 27);
    buf_fini(&packed);
    buf_fini(&plain);
}

static void
a_bomb_ends_at_the_bound(void **state)
{
    char *zeros = calloc(1, BOMB);
    struct buf packed = {0};
    struct buf plain = {0};

    (void)state;
    assert_non_null(zeros);
    gzip_add((str){zeros, BOMB}, &packed);
    assert_true(packed.len < BOMB / 500);
    assert_int_equal(gunzip(buf_str(&packed), BOUND, &plain), ERR_FULL);
    assert_true(plain.len <= BOUND);
    assert_true(plain.cap <= 2 * BOUND);
    /* Of many members the sum counts. */
    buf_reset(&packed);
    buf_reset(&plain);
    for (int i = 0; i < 3; i++)
        gzip_add((str){zeros, BOUND / 2}, &packed);
    assert_int_equal(gunzip(buf_str(&packed), BOUND, &plain), ERR_FULL);
    assert_int_equal(plain.len, BOUND);
    free(zeros);
    buf_fini(&packed);
    buf_fini(&plain);
}

static void
what_is_cut_off_or_damaged_is_refused(void **state)
{
    struct buf packed = {0};
    struct buf plain = {0};

    (void)state;
    gzip_add(STR("<loc>http://a/1</loc><loc>http://a/2</loc>"), &packed);
    for (size_t len = 0; len < packed.len; len++) {
        char *copy = malloc(len + 1); /* exact, for the sanitizer */

        assert_non_null(copy);
        memcpy(copy, buf_str(&packed).ptr, len);
        assert_int_equal(gunzip((str){copy, len}, BOUND, &plain), ERR_INVALID);
        free(copy);
        buf_reset(&plain);
    }
    for (size_t i = 10; i < packed.len; i++) {
        char *copy = malloc(packed.len);

        assert_non_null(copy);
        memcpy(copy, buf_str(&packed).ptr, packed.len);
        copy[i] ^= 0x55;
        assert_int_equal(gunzip((str){copy, packed.len}, BOUND, &plain),
                         ERR_INVALID);
        free(copy);
        buf_reset(&plain);
    }
    assert_false(gunzip_is(STR("<loc>")));
    assert_false(gunzip_is(STR("\x1f")));
    assert_false(gunzip_is(STR("")));
    buf_fini(&packed);
    buf_fini(&plain);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_compressed_is_read),
        cmocka_unit_test(a_bomb_ends_at_the_bound),
        cmocka_unit_test(what_is_cut_off_or_damaged_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
