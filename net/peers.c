/*
 * Open addressing, at most half full, and no marks of what has gone: those
 * behind are moved up.  Keys are seeded hashes, their collisions nobody's
 * choice.
 */
#include "net/peers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <netinet/in.h>

#include "base/hash.h"

struct slot {
    uint64_t key; /* 0: none */
    uint32_t count;
};

struct peers {
    uint32_t most;
    uint32_t left; /* connections that there may be yet */
    uint64_t mask;
    struct slot slot[];
};

struct peers *
peers_new(uint32_t connections, uint32_t most)
{
    uint64_t len = 2;

    while (len < (uint64_t)connections * 2)
        len *= 2;
    struct peers *peers = calloc(1, sizeof(*peers) + len * sizeof(struct slot));
    if (!peers)
        return NULL;
    peers->most = most;
    peers->left = connections;
    peers->mask = len - 1;
    return peers;
}

void
peers_free(struct peers *peers)
{
    free(peers);
}

/* How many bytes of it belong to one owner. */
static size_t
owned_len(const struct in6_addr *address)
{
    static const unsigned char nat64[12] = {0, 0x64, 0xff, 0x9b};

    return IN6_IS_ADDR_LINKLOCAL(address) ||
                   memcmp(address, nat64, sizeof(nat64)) == 0
               ? 16
               : 8;
}

uint64_t
peers_key(uint64_t seed, const struct sockaddr_storage *address)
{
    const struct sockaddr_in *v4 = (const void *)address;
    const struct sockaddr_in6 *v6 = (const void *)address;
    str bytes = {(const char *)&v4->sin_addr, sizeof(v4->sin_addr)};

    if (address->ss_family == AF_INET6) {
        bool is_v4 = IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr);

        bytes.ptr = (const char *)&v6->sin6_addr + (is_v4 ? 12 : 0);
        bytes.len = is_v4 ? 4 : owned_len(&v6->sin6_addr);
    } else if (address->ss_family != AF_INET) {
        return 0;
    }
    uint64_t key = hash_bytes(bytes, seed);
    return key ? key : 1;
}

/* The slot of |key|, or the empty one where it would be. */
static uint64_t
find(const struct peers *peers, uint64_t key)
{
    uint64_t at = key & peers->mask;

    while (peers->slot[at].key && peers->slot[at].key != key)
        at = (at + 1) & peers->mask;
    return at;
}

bool
peers_enter(struct peers *peers, uint64_t key)
{
    struct slot *slot = &peers->slot[find(peers, key)];

    if (!peers->left || slot->count >= peers->most)
        return false;
    slot->key = key;
    slot->count++;
    peers->left--;
    return true;
}

void
peers_leave(struct peers *peers, uint64_t key)
{
    uint64_t hole = find(peers, key);

    assert(peers->slot[hole].key == key && peers->slot[hole].count > 0);
    peers->left++;
    if (--peers->slot[hole].count > 0)
        return;
    for (uint64_t at = (hole + 1) & peers->mask; peers->slot[at].key;
         at = (at + 1) & peers->mask) {
        uint64_t home = peers->slot[at].key & peers->mask;

        /* It may move up unless its home lies behind the hole. */
        if (((at - home) & peers->mask) < ((at - hole) & peers->mask))
            continue;
        peers->slot[hole] = peers->slot[at];
        hole = at;
    }
    peers->slot[hole] = (struct slot){0};
}
