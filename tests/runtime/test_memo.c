#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/memo.h"

/* Both strings stand at the end of an array, so that a read behind them is
 * found by the sanitizer. */
struct strings {
    char a[MEMO_KEY_MAX + 1];
    char b[MEMO_KEY_MAX + 1];
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
a_key_of_the_most_bytes_is_kept_and_one_longer_is_not(void **state)
{
    static const size_t a_lens[] = {0, 1, 30, 100, MEMO_KEY_MAX};
    struct strings strings;

    (void)state;
    fill(&strings);
    for (size_t i = 0; i < sizeof(a_lens) / sizeof(a_lens[0]); i++) {
        struct memo *memo = memo_new();
        size_t b_len = MEMO_KEY_MAX - a_lens[i];
        assert_non_null(memo);
        put(memo, key_of(&strings, a_lens[i], b_len), 3);
        assert_true(holds(memo, key_of(&strings, a_lens[i], b_len), 3));
        put(memo, key_of(&strings, a_lens[i], b_len + 1), 4);
        assert_false(holds(memo, key_of(&strings, a_lens[i], b_len + 1), 4));
        memo_free(memo);
    }
}

static void
a_new_key_displaces_the_older_of_its_pair(void **state)
{
    enum { KEYS = 3 * MEMO_LEN };
    struct memo *memo = memo_new();
    uint32_t held = 0;

    (void)state;
    assert_non_null(memo);
    for (uint32_t i = 0; i < KEYS; i++) {
        struct memo_key key = {.use = MEMO_TOPIC,
                               .b = {(const char *)&i, sizeof(i)}};
        put(memo, key, i);
        assert_true(holds(memo, key, i));
    }
    for (uint32_t i = 0; i < KEYS; i++) {
        struct memo_key key = {.use = MEMO_TOPIC,
                               .b = {(const char *)&i, sizeof(i)}};
        held += holds(memo, key, i);
    }
    assert_true(held > MEMO_LEN / 2 && held <= MEMO_LEN);
    memo_free(memo);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_found_by_all_of_its_bytes),
        cmocka_unit_test(a_byte_does_not_move_from_one_string_to_the_other),
        cmocka_unit_test(a_key_of_the_most_bytes_is_kept_and_one_longer_is_not),
        cmocka_unit_test(a_new_key_displaces_the_older_of_its_pair),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
