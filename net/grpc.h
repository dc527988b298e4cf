/*
 * grpc - a unary gRPC server on gRPC core.
 *
 * The only file of ours that knows gRPC core, whose C API is not stable and
 * whose version in Debian 12 gets no security updates: keep it on trusted
 * networks; elsewhere build with GRPC=nghttp2 and let net/server.h answer on
 * this port too.  Calls arrive as struct request, like all others; core's own
 * decompression is off (spec/performance.md section 7), net/inflate.h does it.
 *
 * Bound      As struct server_limits, but for what core 1.51 cannot count: the
 *            connections of one address and the least rate of a body.  A quota
 *            on core's memory (the budget, or four bodies if that is more)
 *            stands in for both: past it core ends idle connections, and calls,
 *            without RetryInfo; net/grpc_log.h counts them.
 *            header_ms bounds the handshake, write_ms a ping.  An idle
 *            connection is closed after half to all of idle_ms.
 *            Of a message larger than body_bytes the handler is told up to
 *            twice as much, or 16 MiB; beyond, core refuses it untold.
 *            Reads 512 KiB of a socket at a time (net/grpc_portion.h).
 * Differs    Answers are unary: request_stream_open answers UNIMPLEMENTED.
 *            An encoding other than gzip and deflate is known by its first
 *            bytes (zstd is taken; snappy and lz4 are refused), because core
 *            forgets its name.  Of a call that sends several messages the
 *            first is answered.  "0.0.0.0" listens on IPv6 too.
 * Threads    new, start, stop, free: the owner.  Handlers are called on the
 *            completion queue's thread, and with |is_any_thread| for large
 *            bodies on another.
 */
#ifndef NET_GRPC_H
#define NET_GRPC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "net/server.h"

struct grpc_endpoint;

/*
 * grpc_endpoint_set_up goes before the first listener of the process, while
 * there is one thread: core has one list of ciphers for all listeners, which it
 * reads of the environment: that of TLS 1.2 (net/tls_suites.h; NULL: the usual
 * one).  With |needs_tls13| it is one that no client of TLS 1.2 can use.
 * tls.needs_tls13 and tls.suites of a listener on core do nothing.  ERR_NOMEM.
 */
enum err grpc_endpoint_set_up(bool needs_tls13, const char *tls12);

/* grpc_endpoint_lacks: what |tls| asks for and core cannot do, in words; NULL:
 * nothing. */
const char *grpc_endpoint_lacks(const struct server_tls *tls);

/* grpc_endpoint_takes: is the address of |listener| one that can be bound? Core
 * takes none with a zone. */
bool grpc_endpoint_takes(const struct server_listener *listener);

/* grpc_endpoint_new binds |listener| (address, port, tls, limits, handler);
 * errors as server_listen. */
enum err
grpc_endpoint_new(struct grpc_endpoint **out,
                  const struct server_listener *listener, struct buf *why);
uint16_t grpc_endpoint_port(const struct grpc_endpoint *endpoint);

/* grpc_endpoint_reload looks for changed certificates at the next handshake;
 * those that are of no use are logged and the old ones stay.  Any thread. */
void grpc_endpoint_reload(struct grpc_endpoint *endpoint);

/* grpc_endpoint_server is the server below, for net/glance.h; NULL: it is gRPC
 * core, which tells nobody who is connected. */
struct server *grpc_endpoint_server(const struct grpc_endpoint *endpoint);

enum err grpc_endpoint_start(struct grpc_endpoint *endpoint);
void grpc_endpoint_stop(struct grpc_endpoint *endpoint, uint32_t drain_ms);
void grpc_endpoint_free(struct grpc_endpoint *endpoint);

#endif
