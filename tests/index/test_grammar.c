/*
 * Tables are unpacked once, whole, or not at all.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "index/grammar.h"

enum { FIRST = 3 * 4096, SECOND = 100 };

static uint8_t first[FIRST] __attribute__((aligned(4096)));
static uint8_t second[SECOND];
static uint8_t packed[2 * FIRST];
static atomic_bool is_unpacked;
static atomic_int asked;

static const struct TSLanguage *
language(void)
{
    asked++;
    return (const struct TSLanguage *)(const void *)first;
}

static const struct grammar_part parts[] = {{first, FIRST}, {second, SECOND}};
static struct grammar grammar = {language, parts,  2,
                                 packed,   packed, &is_unpacked};

static uint8_t
byte_at(size_t i)
{
    return (uint8_t)(i * 7 + i / 256);
}

static int
setup(void **state)
{
    uint8_t plain[FIRST + SECOND];

    (void)state;
    for (size_t i = 0; i < sizeof(plain); i++)
        plain[i] = byte_at(i);
    size_t len = ZSTD_compress(packed, sizeof(packed), plain, FIRST, 3);
    if (ZSTD_isError(len))
        return -1;
    size_t more = ZSTD_compress(packed + len, sizeof(packed) - len,
                                plain + FIRST, SECOND, 3);
    if (ZSTD_isError(more))
        return -1;
    grammar.packed_end = packed + len + more;
    asked = 0;
    return 0;
}

static void
what_is_cut_or_damaged_is_no_grammar(void **state)
{
    const unsigned char *end = grammar.packed_end;

    (void)state;
    for (const unsigned char *cut = packed; cut < end; cut += 11) {
        grammar.packed_end = cut;
        assert_null(grammar_language(&grammar));
    }
    grammar.packed_end = end;
    packed[0] ^= 1;
    assert_null(grammar_language(&grammar));
    packed[0] ^= 1;
    struct grammar_part shorter[] = {{first, FIRST - 1}, {second, SECOND}};
    grammar.parts = shorter;
    assert_null(grammar_language(&grammar));
    shorter[0].bytes = FIRST;
    shorter[1].bytes = SECOND + 1;
    assert_null(grammar_language(&grammar));
    grammar.parts = parts;
    assert_int_equal(asked, 0);
}

static void *
ask(void *ctx)
{
    (void)ctx;
    return (void *)(uintptr_t)grammar_language(&grammar);
}

static void
whoever_asks_first_unpacks_it(void **state)
{
    pthread_t threads[4];

    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, NULL), 0);
    for (size_t i = 0; i < 4; i++) {
        void *got = NULL;

        assert_int_equal(pthread_join(threads[i], &got), 0);
        assert_ptr_equal(got, first);
    }
    for (size_t i = 0; i < FIRST; i++)
        assert_int_equal(first[i], byte_at(i));
    for (size_t i = 0; i < SECOND; i++)
        assert_int_equal(second[i], byte_at(FIRST + i));
    /* It is not unpacked again: those pages cannot be written to any more. */
    memset(packed, 0, sizeof(packed));
    assert_ptr_equal(grammar_language(&grammar), first);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_cut_or_damaged_is_no_grammar, setup),
        cmocka_unit_test_setup(whoever_asks_first_unpacks_it, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
