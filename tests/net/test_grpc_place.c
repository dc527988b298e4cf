#include "net/grpc_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/hub.h"

enum { SEED = 7 };

static uint32_t
share(const char *peer)
{
    uint32_t share = grpc_place_share(SEED, str_of(peer));

    assert_in_range(share, 1, HUB_SHARES - 1);
    return share;
}

static void
an_address_is_one_whatever_its_port(void **state)
{
    static const char *const same[][2] = {
        {"ipv4:192.0.2.1:4001", "ipv4:192.0.2.1:4002"},
        {"ipv6:[2001:db8::1]:1", "ipv6:[2001:db8::1]:2"},
        {"ipv6:[2001:db8::1]:1", "ipv6:%5B2001:db8::1%5D:2"},
        {"ipv6:[2001:db8::1]:1", "ipv6:[2001:db8::ffff:1]:1"},
        {"ipv6:%5Bfe80::1%25eth0%5D:1", "ipv6:%5Bfe80::1%25eth0%5D:2"},
        {"ipv6:[fe80::1%eth0]:1", "ipv6:[fe80::1%eth0]:2"},
        {"ipv6:[::ffff:192.0.2.1]:1", "ipv4:192.0.2.1:3"},
        {"unix:", "unix:"},
    };
    static const char *const other[][2] = {
        {"ipv4:192.0.2.1:4001", "ipv4:192.0.2.2:4001"},
        {"ipv6:[2001:db8::1]:1", "ipv6:[2001:db8:0:1::1]:1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
        assert_int_equal(share(same[i][0]), share(same[i][1]));
    for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++)
        assert_int_not_equal(share(other[i][0]), share(other[i][1]));
}

static void
of_this_machine_each_connection_is_one(void **state)
{
    (void)state;
    assert_int_not_equal(share("ipv4:127.0.0.1:4001"),
                         share("ipv4:127.0.0.1:4002"));
    assert_int_not_equal(share("ipv6:[::1]:4001"), share("ipv6:[::1]:4002"));
    assert_int_not_equal(share("ipv6:%5B::1%5D:4001"),
                         share("ipv6:%5B::1%5D:4002"));
}

static void
what_is_no_address_is_one_by_its_name(void **state)
{
    static const char *const names[] = {
        "",
        "ipv4:",
        "ipv6:",
        "ipv6:[",
        "ipv4:1.2.3.4.5:1",
        "ipv6:%5B",
        "fd:7",
        "ipv6:[1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb]:1"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        assert_int_equal(share(names[i]), share(names[i]));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_one_whatever_its_port),
        cmocka_unit_test(of_this_machine_each_connection_is_one),
        cmocka_unit_test(what_is_no_address_is_one_by_its_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
