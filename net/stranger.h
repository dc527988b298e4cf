/*
 * stranger - a line in the log for a client that speaks what a port does not.
 *
 * It cannot be answered in words that it would understand, and comes again
 * every few seconds: so whoever runs the service is told, once a minute for
 * each port, and what to do.
 *
 * Threads    Any.
 */
#ifndef NET_STRANGER_H
#define NET_STRANGER_H

#include <stdbool.h>
#include <stdint.h>

/* What one port has said; zeroed to begin. */
struct stranger_log {
    _Atomic uint64_t tls_ns;
    _Atomic uint64_t plain_ns;
};

/* stranger_is_tls: |byte| is the first of a client that begins with TLS. */
static inline bool
stranger_is_tls(uint8_t byte)
{
    return byte == 22; /* a handshake: RFC 8446, 5.1 */
}

/* stranger_speaks_tls: to |port|, which has none; stranger_speaks_plain:
 * anything else, to one that has.  A |port| of 0 is gRPC's. */
void stranger_speaks_tls(struct stranger_log *log, uint16_t port);
void stranger_speaks_plain(struct stranger_log *log, uint16_t port);

#endif
