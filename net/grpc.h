/*
 * grpc - a unary gRPC server on gRPC core.
 *
 * The only file of ours that knows gRPC core, whose C API is not stable and
 * whose version in Debian 12 gets no security updates: keep it on trusted
 * networks; elsewhere build with GRPC=nghttp2 and let net/server.h answer on
 * this port too.  Calls arrive as struct request, like all others; core's own
 * decompression is off (spec/performance.md section 7), net/inflate.h does it.
 *
 * Threads    new, start, stop, free: the owner.  Handlers are called on the
 *            completion queue's thread.
 */
#ifndef NET_GRPC_H
#define NET_GRPC_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "net/server.h"

struct grpc_endpoint;

/* grpc_endpoint_new binds |listener| (address, port, tls, limits, handler);
 * errors as server_listen. */
enum err
grpc_endpoint_new(struct grpc_endpoint **out,
                  const struct server_listener *listener, struct buf *why);
uint16_t grpc_endpoint_port(const struct grpc_endpoint *endpoint);

/* grpc_endpoint_reload looks for changed certificates at the next handshake;
 * those that are of no use are logged and the old ones stay.  Any thread. */
void grpc_endpoint_reload(struct grpc_endpoint *endpoint);

enum err grpc_endpoint_start(struct grpc_endpoint *endpoint);
void grpc_endpoint_stop(struct grpc_endpoint *endpoint, uint32_t drain_ms);
void grpc_endpoint_free(struct grpc_endpoint *endpoint);

#endif
