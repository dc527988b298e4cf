/*
 * Which addresses a crawler asks: each network of the table at its first and
 * last address, and one past it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "crawl/address.h"

union any {
    struct sockaddr sa;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
};

static union any
address_of(const char *text)
{
    union any out = {.in6 = {0}};

    out.in6.sin6_family = AF_INET6;
    if (inet_pton(AF_INET6, text, &out.in6.sin6_addr) == 1)
        return out;
    out = (union any){.in = {.sin_family = AF_INET}};
    if (inet_pton(AF_INET, text, &out.in.sin_addr) != 1)
        fail_msg("%s is no address", text);
    return out;
}

static void
only_public_addresses_are_public(void **state)
{
    static const struct {
        const char *text;
        const char *kind;
    } rows[] = {
        {"1.1.1.1", NULL},
        {"8.8.8.8", NULL},
        {"0.0.0.0", "this network"},
        {"0.255.255.255", "this network"},
        {"9.255.255.255", NULL},
        {"10.0.0.0", "private"},
        {"10.255.255.255", "private"},
        {"11.0.0.0", NULL},
        {"100.63.255.255", NULL},
        {"100.64.0.0", "carrier-grade NAT"},
        {"100.127.255.255", "carrier-grade NAT"},
        {"100.128.0.0", NULL},
        {"100.100.100.200", "cloud metadata"},
        {"126.255.255.255", NULL},
        {"127.0.0.0", "loopback"},
        {"127.255.255.255", "loopback"},
        {"128.0.0.0", NULL},
        {"168.63.129.16", "cloud metadata"},
        {"168.63.129.17", NULL},
        {"169.253.255.255", NULL},
        {"169.254.0.0", "link-local"},
        {"169.254.169.254", "cloud metadata"},
        {"169.254.170.2", "cloud metadata"},
        {"169.254.255.255", "link-local"},
        {"169.255.0.0", NULL},
        {"172.15.255.255", NULL},
        {"172.16.0.0", "private"},
        {"172.31.255.255", "private"},
        {"172.32.0.0", NULL},
        {"192.0.0.1", "reserved"},
        {"192.0.0.192", "cloud metadata"},
        {"192.0.2.1", "documentation"},
        {"192.88.99.1", "reserved"},
        {"192.167.255.255", NULL},
        {"192.168.0.0", "private"},
        {"192.168.255.255", "private"},
        {"192.169.0.0", NULL},
        {"198.17.255.255", NULL},
        {"198.18.0.0", "benchmarking"},
        {"198.19.255.255", "benchmarking"},
        {"198.20.0.0", NULL},
        {"198.51.100.7", "documentation"},
        {"203.0.113.7", "documentation"},
        {"223.255.255.255", NULL},
        {"224.0.0.0", "multicast"},
        {"239.255.255.255", "multicast"},
        {"240.0.0.0", "reserved"},
        {"255.255.255.255", "reserved"},
        {"::", "this network"},
        {"::1", "loopback"},
        {"::2", "reserved"},
        {"::127.0.0.1", "reserved"},
        {"::ffff:127.0.0.1", "loopback"},
        {"::ffff:10.1.2.3", "private"},
        {"::ffff:169.254.169.254", "cloud metadata"},
        {"::ffff:8.8.8.8", NULL},
        {"64:ff9b::7f00:1", "loopback"},
        {"64:ff9b::808:808", NULL},
        {"64:ff9b:1::1", "reserved"},
        {"100::1", "reserved"},
        {"2001::1", "reserved"},
        {"2001:db8::1", "documentation"},
        {"2001:4860:4860::8888", NULL},
        {"2002:7f00:1::", "loopback"},
        {"2002:a9fe:a9fe::", "cloud metadata"},
        {"2002:808:808::", NULL},
        {"2606:4700::1111", NULL},
        {"3fff::1", "documentation"},
        {"4000::1", "reserved"},
        {"fc00::1", "private"},
        {"fd00:ec2::254", "cloud metadata"},
        {"fdff::1", "private"},
        {"fe80::1", "link-local"},
        {"fec0::1", "private"},
        {"ff02::1", "multicast"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        union any address = address_of(rows[i].text);
        const char *kind = address_kind(&address.sa);

        if ((kind == NULL) != (rows[i].kind == NULL) ||
            (kind && strcmp(kind, rows[i].kind) != 0))
            fail_msg("%s is %s", rows[i].text, kind ? kind : "public");
    }
    const struct sockaddr unix_one = {.sa_family = AF_UNIX};
    assert_string_equal(address_kind(&unix_one), "no IP");
}

static void
a_rule_opens_what_it_names_and_nothing_else(void **state)
{
    static const struct {
        const char *rule;
        const char *host;
        const char *address;
        bool opens;
    } rows[] = {
        {"127.0.0.0/8", "localhost", "127.0.0.1", true},
        {"127.0.0.1", "localhost", "127.0.0.1", true},
        {"127.0.0.1", "localhost", "127.0.0.2", false},
        {"127.0.0.0/8", "x", "::ffff:127.0.0.1", true},
        {"127.0.0.0/8", "x", "2002:7f00:1::", true},
        {"127.0.0.0/8", "x", "10.0.0.1", false},
        {"10.0.0.0/8", "x", "10.1.2.3", true},
        {"10.1.2.0/23", "x", "10.1.3.255", true},
        {"10.1.2.0/23", "x", "10.1.4.0", false},
        {"0.0.0.0/0", "x", "192.168.1.1", true},
        {"::1/128", "x", "::1", true},
        {"fd00::/8", "x", "fd12::1", true},
        {"fd00::/8", "x", "fc00::1", false},
        {"docs.internal", "docs.internal", "10.0.0.1", true},
        {"docs.internal", "docs.internal", "127.0.0.1", true},
        {"docs.internal", "evil.docs.internal", "10.0.0.1", false},
        {"*.internal", "docs.internal", "10.0.0.1", true},
        {"*.internal", "docs.internal.evil", "10.0.0.1", false},
        {"docs.internal", "docs.internal", "169.254.169.254", false},
        {"docs.internal", "docs.internal", "169.254.1.1", false},
        {"docs.internal", "docs.internal", "fe80::1", false},
        {"docs.internal", "docs.internal", "fd00:ec2::254", false},
        {"169.254.169.254", "x", "169.254.169.254", true},
        {"169.254.0.0/16", "x", "169.254.169.254", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        union any address = address_of(rows[i].address);
        const char *rules[] = {rows[i].rule};

        assert_true(address_is_rule(str_of(rows[i].rule)));
        if ((address_refused(rules, 1, str_of(rows[i].host), &address.sa) ==
             NULL) != rows[i].opens)
            fail_msg("%s and %s", rows[i].rule, rows[i].address);
        assert_non_null(
            address_refused(NULL, 0, str_of(rows[i].host), &address.sa));
    }
}

static void
what_is_no_rule_is_told(void **state)
{
    static const char *const rows[] = {"",          "10.0.0.0/33", "a b",
                                       "http://a/", "10.0.0.0/",   "::1/129",
                                       ".internal", "a/24"};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (address_is_rule(str_of(rows[i])))
            fail_msg("%s is a rule", rows[i]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_public_addresses_are_public),
        cmocka_unit_test(a_rule_opens_what_it_names_and_nothing_else),
        cmocka_unit_test(what_is_no_rule_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
