/*
 * peers - how many connections each address has.
 *
 * So that one sender cannot take all the connections there are.  An IPv6
 * address is known by its first 64 bits: whoever has one has all behind them;
 * but all of it counts where many share those: of a translator from IPv4
 * (64:ff9b::/96) and on one link (fe80::/10).
 *
 * Memory     16 bytes for each of two to four times as many connections as
 * there may be, allocated at once.
 * Threads    None.
 */
#ifndef NET_PEERS_H
#define NET_PEERS_H

#include <stdbool.h>
#include <stdint.h>

#include <sys/socket.h>

struct peers;

/* peers_new: for |connections| at once, |most| of each address.  NULL: no
 * memory. */
struct peers *peers_new(uint32_t connections, uint32_t most);
void peers_free(struct peers *peers);

/* peers_key is how |address| is known, a hash by |seed|; 0 for what is no IP
 * address. */
uint64_t peers_key(uint64_t seed, const struct sockaddr_storage *address);

/* peers_enter counts one more of |key|; false: it has as many as it may, or
 * all are taken. */
bool peers_enter(struct peers *peers, uint64_t key);

/* peers_leave counts one less, of a |key| that was let in. */
void peers_leave(struct peers *peers, uint64_t key);

#endif
