#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>

#include <cmocka.h>

#include "net/peers.h"
#include "tests/support/size.h"

enum { SEED = 7 };

static uint64_t
key_of(int family, const char *text)
{
    struct sockaddr_storage address = {.ss_family = (sa_family_t)family};
    void *to = family == AF_INET
                   ? (void *)&((struct sockaddr_in *)(void *)&address)->sin_addr
                   : &((struct sockaddr_in6 *)(void *)&address)->sin6_addr;

    assert_int_equal(inet_pton(family, text, to), 1);
    return peers_key(SEED, &address);
}

static void
an_address_is_known_by_what_one_owner_has(void **state)
{
    struct sockaddr_storage local = {.ss_family = AF_UNIX};
    uint64_t v4 = key_of(AF_INET, "192.0.2.1");

    (void)state;
    assert_true(v4 == key_of(AF_INET6, "::ffff:192.0.2.1"));
    assert_true(v4 != key_of(AF_INET, "192.0.2.2"));
    assert_true(v4 != key_of(AF_INET6, "::ffff:192.0.2.2"));
    assert_true(key_of(AF_INET6, "2001:db8:1:2::1") ==
                key_of(AF_INET6, "2001:db8:1:2:3:4:5:6"));
    assert_true(key_of(AF_INET6, "2001:db8:1:2::1") !=
                key_of(AF_INET6, "2001:db8:1:3::1"));
    assert_true(peers_key(SEED, &local) == 0);
}

static void
where_many_share_a_prefix_all_of_it_counts(void **state)
{
    static const struct {
        const char *one, *other;
        bool is_same;
    } cases[] = {
        {"64:ff9b::192.0.2.1", "64:ff9b::192.0.2.1", true},
        {"64:ff9b::192.0.2.1", "64:ff9b::192.0.2.2", false},
        {"64:ff9b::1:0:0:1", "64:ff9b::1:0:0:2", true}, /* not the /96 */
        {"64:ff9b::1:0:1", "64:ff9b::1:0:2", true},
        {"64:ff9c::1", "64:ff9c::2", true},
        {"fe80::1", "fe80::1", true},
        {"fe80::1", "fe80::2", false},
        {"fec0::1", "fec0::2", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(key_of(AF_INET6, cases[i].one) ==
                             key_of(AF_INET6, cases[i].other),
                         cases[i].is_same);
}

static void
an_address_has_as_many_as_it_may_and_not_one_more(void **state)
{
    struct peers *peers = peers_new(8, 3);

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_true(peers_enter(peers, 7));
    assert_false(peers_enter(peers, 7));
    assert_true(peers_enter(peers, 8));
    peers_leave(peers, 7);
    assert_true(peers_enter(peers, 7));
    assert_false(peers_enter(peers, 7));
    peers_free(peers);
}

/* Keys of few homes, so that they stand in each other's way. */
static void
what_comes_and_goes_is_counted_like_in_a_list(void **state)
{
    enum { KEYS = 40, CONNECTIONS = 24, MOST = 3 };
    struct peers *peers = peers_new(CONNECTIONS, MOST);
    uint32_t count[KEYS] = {0};
    uint32_t all = 0;
    uint64_t random = 1;

    (void)state;
    for (int step = 0; step < 200000; step++) {
        uint32_t i = (uint32_t)(size_roll(&random) % KEYS);
        uint64_t key = 1 + i % 5 + (uint64_t)(i / 5) * 64;

        if (size_roll(&random) % 2) {
            bool may = all < CONNECTIONS && count[i] < MOST;

            assert_int_equal(peers_enter(peers, key), may);
            count[i] += may;
            all += may;
        } else if (count[i]) {
            peers_leave(peers, key);
            count[i]--;
            all--;
        }
    }
    peers_free(peers);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_known_by_what_one_owner_has),
        cmocka_unit_test(where_many_share_a_prefix_all_of_it_counts),
        cmocka_unit_test(an_address_has_as_many_as_it_may_and_not_one_more),
        cmocka_unit_test(what_comes_and_goes_is_counted_like_in_a_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
