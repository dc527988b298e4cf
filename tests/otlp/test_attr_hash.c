#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "otlp/attr_hash.h"

enum { SEEDS_MAX = 50 * 1000 * 1000 };

/* What to write into attr_hash.h when a new key collides. */
static uint64_t
search_seed(void)
{
    struct attr_index index;
    uint64_t seed = ATTR_HASH_SEED;

    for (int i = 0; i < SEEDS_MAX; i++) {
        seed = (seed ^ seed >> 29) * UINT64_C(0xbf58476d1ce4e5b9) + 2;
        if (attr_index_build(&index, seed | 1))
            return seed | 1;
    }
    return 0;
}

static void
every_key_has_a_slot_of_its_own(void **state)
{
    struct attr_index index;

    (void)state;
    if (!attr_index_build(&index, ATTR_HASH_SEED))
        fail_msg("ATTR_HASH_SEED collides, take 0x%016llx",
                 (unsigned long long)search_seed());
}

static void
every_key_is_found_and_nothing_near_it(void **state)
{
    struct attr_index index;
    uint8_t bytes[64] = {0};

    (void)state;
    assert_true(attr_index_build(&index, ATTR_HASH_SEED));
    for (size_t slot = 0; slot < ATTR_COUNT; slot++) {
        char *key = (char *)bytes + 8;
        size_t len = attr_keys[slot].len;

        memcpy(key, attr_keys[slot].text, ATTR_KEY_MAX);
        assert_int_equal(attr_find(&index, (str){key, len}), slot);
        for (size_t i = 0; i < len; i++) {
            if (i >= ATTR_KEY_COMPARED && i < len - 7)
                continue; /* not looked at, as attr_hash.h says */
            key[i] ^= 0x20;
            assert_int_equal(attr_find(&index, (str){key, len}), ATTR_COUNT);
            key[i] ^= 0x20;
        }
        key[len] = 'x';
        assert_int_equal(attr_find(&index, (str){key, len + 1}), ATTR_COUNT);
    }
}

static void
keys_too_short_or_too_long_are_unknown(void **state)
{
    struct attr_index index;
    char bytes[256] = "service.name";

    (void)state;
    assert_true(attr_index_build(&index, ATTR_HASH_SEED));
    assert_int_equal(attr_find(&index, (str){bytes, 12}), ATTR_SERVICE_NAME);
    for (size_t len = 0; len < 128; len++) {
        if (len != 12) {
            assert_int_equal(attr_find(&index, (str){bytes, len}), ATTR_COUNT);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_has_a_slot_of_its_own),
        cmocka_unit_test(every_key_is_found_and_nothing_near_it),
        cmocka_unit_test(keys_too_short_or_too_long_are_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
