/*
 * Networks as the registries of special-purpose addresses list them (IANA
 * iana-ipv4-special-registry and iana-ipv6-special-registry, RFC 6890), and
 * the addresses by which clouds tell a machine its secrets.  An IPv4 address
 * within an IPv6 one is looked at as itself.  Of IPv6 what is not in 2000::/3
 * is not public, known or not.
 */
#include "crawl/address.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/match.h"

/* An address as 16 bytes: IPv4 as ::ffff:a.b.c.d. */
struct place {
    unsigned char bytes[16];
};

struct network {
    const char *text;
    const char *kind;
};

static const char metadata[] = "cloud metadata";
static const char link_local[] = "link-local";

/* The first that fits counts. */
static const struct network networks[] = {
    {"169.254.169.254/32", metadata},
    {"169.254.170.2/32", metadata},
    {"100.100.100.200/32", metadata},
    {"168.63.129.16/32", metadata},
    {"192.0.0.192/32", metadata},
    {"fd00:ec2::254/128", metadata},
    {"0.0.0.0/8", "this network"},
    {"10.0.0.0/8", "private"},
    {"100.64.0.0/10", "carrier-grade NAT"},
    {"127.0.0.0/8", "loopback"},
    {"169.254.0.0/16", link_local},
    {"172.16.0.0/12", "private"},
    {"192.0.0.0/24", "reserved"},
    {"192.0.2.0/24", "documentation"},
    {"192.88.99.0/24", "reserved"},
    {"192.168.0.0/16", "private"},
    {"198.18.0.0/15", "benchmarking"},
    {"198.51.100.0/24", "documentation"},
    {"203.0.113.0/24", "documentation"},
    {"224.0.0.0/4", "multicast"},
    {"240.0.0.0/4", "reserved"},
    {"::1/128", "loopback"},
    {"::/128", "this network"},
    {"fc00::/7", "private"},
    {"fe80::/10", link_local},
    {"fec0::/10", "private"},
    {"ff00::/8", "multicast"},
    {"2001::/23", "reserved"},
    {"2001:db8::/32", "documentation"},
    {"3fff::/20", "documentation"},
};

/* IPv6 networks that hold an IPv4 address, and where. */
static const struct {
    const char *text;
    size_t at;
} carriers[] = {
    {"::ffff:0.0.0.0/96", 12},
    {"64:ff9b::/96", 12},
    {"2002::/16", 2},
};

static bool
read_place(str text, struct place *out, unsigned *full)
{
    char cstr[INET6_ADDRSTRLEN + 1];

    *out = (struct place){{[10] = 0xff, [11] = 0xff}};
    if (text.len >= sizeof(cstr))
        return false;
    memcpy(cstr, text.ptr, text.len);
    cstr[text.len] = '\0';
    *full = 32;
    if (inet_pton(AF_INET, cstr, out->bytes + 12) == 1)
        return true;
    *full = 128;
    return inet_pton(AF_INET6, cstr, out->bytes) == 1;
}

/* `ADDRESS/BITS`, or one address. */
static bool
read_network(str text, struct place *out, unsigned *bits)
{
    const char *slash = memchr(text.ptr, '/', text.len);
    size_t end = slash ? (size_t)(slash - text.ptr) : text.len;
    unsigned full;
    unsigned count = 0;

    if (!read_place(str_cut(text, 0, end), out, &full))
        return false;
    if (!slash) {
        *bits = 128;
        return true;
    }
    str number = str_cut(text, end + 1, text.len);
    for (size_t i = 0; i < number.len; i++) {
        if (!isdigit((unsigned char)number.ptr[i]) || count > full)
            return false;
        count = count * 10 + (unsigned)(number.ptr[i] - '0');
    }
    *bits = 128 - full + count;
    return number.len > 0 && count <= full;
}

static bool
is_in(const struct place *place, str text)
{
    struct place network;
    unsigned bits;

    if (!read_network(text, &network, &bits))
        return false;
    if (memcmp(place->bytes, network.bytes, bits / 8) != 0)
        return false;
    unsigned rest = bits % 8;
    unsigned diff = rest ? place->bytes[bits / 8] ^ network.bytes[bits / 8] : 0;
    return diff >> (8 - rest) == 0;
}

static bool
place_of(const struct sockaddr *address, struct place *out)
{
    *out = (struct place){{[10] = 0xff, [11] = 0xff}};
    if (address->sa_family == AF_INET) {
        struct sockaddr_in in;

        memcpy(&in, address, sizeof(in));
        memcpy(out->bytes + 12, &in.sin_addr, 4);
        return true;
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 in6;

        memcpy(&in6, address, sizeof(in6));
        memcpy(out->bytes, &in6.sin6_addr, 16);
        return true;
    }
    return false;
}

/* The IPv4 address that a tunnel or a translator would ask. */
static struct place
unwrap(struct place place)
{
    for (size_t i = 0; i < sizeof(carriers) / sizeof(carriers[0]); i++) {
        struct place inner = {{[10] = 0xff, [11] = 0xff}};

        if (!is_in(&place, str_of(carriers[i].text)))
            continue;
        memcpy(inner.bytes + 12, place.bytes + carriers[i].at, 4);
        return inner;
    }
    return place;
}

static const char *
kind_of(struct place place)
{
    static const struct place v4 = {{[10] = 0xff, [11] = 0xff}};

    place = unwrap(place);
    for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++)
        if (is_in(&place, str_of(networks[i].text)))
            return networks[i].kind;
    if (memcmp(place.bytes, v4.bytes, 12) == 0)
        return NULL;
    return (place.bytes[0] & 0xe0) == 0x20 ? NULL : "reserved";
}

const char *
address_kind(const struct sockaddr *address)
{
    struct place place;

    return place_of(address, &place) ? kind_of(place) : "no IP";
}

bool
address_is_rule(str text)
{
    struct place place;
    unsigned bits;

    if (text.len == 0 || text.len > 253)
        return false;
    if (read_network(text, &place, &bits))
        return true;
    for (size_t i = 0; i < text.len; i++)
        if (!isalnum((unsigned char)text.ptr[i]) &&
            !strchr("-_.*", text.ptr[i]))
            return false;
    return text.ptr[0] != '.';
}

const char *
address_refused(const char *const *rules, size_t len, str host,
                const struct sockaddr *address)
{
    struct place place;
    bool by_name = false;

    if (!place_of(address, &place))
        return "no IP";
    const char *kind = kind_of(place);
    struct place inner = unwrap(place);
    for (size_t i = 0; kind && i < len; i++) {
        str rule = str_of(rules[i]);

        if (is_in(&place, rule) || is_in(&inner, rule))
            return NULL;
        by_name |= match_glob(rule, host);
    }
    return by_name && kind != metadata && kind != link_local ? NULL : kind;
}
