#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/memo.h"

enum { STRING_MAX = 300 };

/* Both strings stand at the end of an array, so that a read behind them is
 * found by the sanitizer. */
struct strings {
    char a[STRING_MAX];
    char b[STRING_MAX];
};

static struct memo_key
key_of(struct strings *strings, size_t a_len, size_t b_len)
{
    return (struct memo_key){
        .use = MEMO_ROUTE,
        .owner = 7,
        .a = {strings->a + sizeof(strings->a) - a_len, a_len},
        .b = {strings->b + sizeof(strings->b) - b_len, b_len},
    };
}

static void
fill(struct strings *strings)
{
    for (size_t i = 0; i < sizeof(strings->a); i++) {
        strings->a[i] = (char)('a' + i % 26);
        strings->b[i] = (char)('A' + i % 23);
    }
}

static bool
holds(struct memo *memo, struct memo_key key, uint32_t id)
{
    struct memo_value value = {0, 0};

    return memo_find(memo, &key, &value) && value.id == id && value.flags == 5;
}

static void
put(struct memo *memo, struct memo_key key, uint32_t id)
{
    struct memo_value value = {0, 0};

    assert_false(memo_find(memo, &key, &value));
    memo_put(memo, &key, (struct memo_value){id, 5});
}

/* The |bytes| are changed at each place, and |key| not found then. */
static void
check_bytes(struct memo *memo, struct memo_key key, char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        bytes[i] ^= 1;
        assert_false(holds(memo, key, 3));
        bytes[i] ^= 1;
    }
}

static void
check_lengths(size_t a_len, size_t b_len)
{
    struct memo *memo = memo_new();
    struct strings strings;

    assert_non_null(memo);
    fill(&strings);
    struct memo_key key = key_of(&strings, a_len, b_len);
    put(memo, key, 3);
    assert_true(holds(memo, key, 3));
    check_bytes(memo, key, strings.a + sizeof(strings.a) - a_len, a_len);
    check_bytes(memo, key, strings.b + sizeof(strings.b) - b_len, b_len);
    key.owner++;
    assert_false(holds(memo, key, 3));
    key.owner--;
    key.use = MEMO_NAME;
    assert_false(holds(memo, key, 3));
    key.use = MEMO_ROUTE;
    if (b_len > 0) {
        key.b.len--; /* the same beginning */
        assert_false(holds(memo, key, 3));
        key.b.len++;
    }
    assert_true(holds(memo, key, 3));
    memo_free(memo);
}

static void
a_key_is_found_by_all_of_its_bytes(void **state)
{
    static const size_t a_lens[] = {0, 1, 3, 4, 8, 15, 16, 32, 33, 60};

    (void)state;
    for (size_t i = 0; i < sizeof(a_lens) / sizeof(a_lens[0]); i++)
        for (size_t len = 0; len <= 70; len++)
            check_lengths(a_lens[i], len);
}

static void
a_byte_does_not_move_from_one_string_to_the_other(void **state)
{
    static const size_t lens[] = {2, 8, 20, 40, 80};
    struct strings strings;

    (void)state;
    memset(&strings, 'x', sizeof(strings));
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        struct memo *memo = memo_new();
        assert_non_null(memo);
        put(memo, key_of(&strings, lens[i], lens[i]), 3);
        assert_false(
            holds(memo, key_of(&strings, lens[i] - 1, lens[i] + 1), 3));
        assert_false(
            holds(memo, key_of(&strings, lens[i] + 1, lens[i] - 1), 3));
        assert_true(holds(memo, key_of(&strings, lens[i], lens[i]), 3));
        memo_free(memo);
    }
}

static void
a_key_of_any_length_is_kept(void **state)
{
    static const size_t lens[] = {0, 32, 33, 64, 65, STRING_MAX};
    enum { LENS = sizeof(lens) / sizeof(lens[0]) };

    (void)state;
    for (size_t i = 0; i < LENS * LENS; i++)
        check_lengths(lens[i / LENS], lens[i % LENS]);
}

/* Asks for |len| keys of |use|, those of a service by turns of |services|, and
 * puts those that are not held.  Returns how many were. */
static uint32_t
ask(struct memo *memo, enum memo_use use, uint32_t services, uint32_t len)
{
    uint32_t held = 0;

    for (uint32_t i = 0; i < len; i++) {
        struct memo_key key = {.use = use,
                               .owner = i % services,
                               .b = {(const char *)&i, sizeof(i)}};
        struct memo_value value;
        memo_ahead(memo, key.owner);
        if (memo_find(memo, &key, &value)) {
            assert_int_equal(value.id, i);
            held++;
            continue;
        }
        memo_put(memo, &key, (struct memo_value){i, 5});
        assert_true(holds(memo, key, i));
    }
    return held;
}

/* Whoever they belong to: to nobody, to one service, each to its own. */
static void
keys_that_do_not_fit_make_it_grow_until_they_do(void **state)
{
    static const struct {
        enum memo_use use;
        uint32_t services;
    } rows[] = {{MEMO_EXTERNAL, 1},
                {MEMO_ROUTE, 1},
                {MEMO_ROUTE, 1000},
                {MEMO_ROUTE, UINT32_MAX}};
    enum { KEYS = MEMO_MAX / 4, TURNS = 30 };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct memo *memo = memo_new();
        uint32_t held = 0;
        assert_non_null(memo);
        assert_int_equal(ask(memo, rows[i].use, rows[i].services, KEYS), 0);
        for (int turn = 0; turn < TURNS; turn++)
            held = ask(memo, rows[i].use, rows[i].services, KEYS);
        assert_true(held > KEYS / 100 * 98);
        memo_free(memo);
    }
}

static void
of_few_keys_hardly_any_is_displaced(void **state)
{
    enum { KEYS = MEMO_MIN / 16 };
    struct memo *memo = memo_new();

    (void)state;
    assert_non_null(memo);
    (void)ask(memo, MEMO_ROUTE, 10, KEYS);
    /* A few, where the lines of two services happen to be the same. */
    assert_true(ask(memo, MEMO_ROUTE, 10, KEYS) >= KEYS - KEYS / 16);
    memo_free(memo);
}

static void
it_holds_no_more_than_the_most(void **state)
{
    enum { KEYS = 2 * MEMO_MAX };
    struct memo *memo = memo_new();
    uint32_t held = 0;

    (void)state;
    assert_non_null(memo);
    (void)ask(memo, MEMO_ROUTE, 5000, KEYS);
    for (uint32_t i = 0; i < KEYS; i++) {
        struct memo_key key = {.use = MEMO_ROUTE,
                               .owner = i % 5000,
                               .b = {(const char *)&i, sizeof(i)}};
        held += holds(memo, key, i);
    }
    assert_true(held > MEMO_MAX / 2 && held <= MEMO_MAX);
    memo_free(memo);
}

static void
all_is_forgotten_at_once_and_there_is_room_again(void **state)
{
    enum { KEYS = MEMO_MIN / 16 };
    struct memo *memo = memo_new();

    (void)state;
    assert_non_null(memo);
    for (int turn = 0; turn < 100; turn++) {
        assert_int_equal(ask(memo, MEMO_ROUTE, 10, KEYS), 0);
        assert_true(ask(memo, MEMO_ROUTE, 10, KEYS) > KEYS * 9 / 10);
        memo_forget(memo);
    }
    memo_free(memo);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_found_by_all_of_its_bytes),
        cmocka_unit_test(a_byte_does_not_move_from_one_string_to_the_other),
        cmocka_unit_test(a_key_of_any_length_is_kept),
        cmocka_unit_test(keys_that_do_not_fit_make_it_grow_until_they_do),
        cmocka_unit_test(of_few_keys_hardly_any_is_displaced),
        cmocka_unit_test(it_holds_no_more_than_the_most),
        cmocka_unit_test(all_is_forgotten_at_once_and_there_is_room_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
