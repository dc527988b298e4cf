/*
 * The same endpoint without gRPC core: an event loop of its own that answers
 * gRPC among its HTTP/2 streams.  Built instead of net/grpc.c by
 * `make GRPC=nghttp2`.
 */
#include <stdlib.h>

#include "net/grpc.h"

struct grpc_endpoint {
    struct server *server;
    size_t index;
};

/* Its listener knows of itself what it needs. */
enum err
grpc_endpoint_set_up(bool needs_tls13, const char *tls12)
{
    (void)needs_tls13;
    (void)tls12;
    return OK;
}

const char *
grpc_endpoint_lacks(const struct server_tls *tls)
{
    (void)tls;
    return NULL;
}

bool
grpc_endpoint_takes(const struct server_listener *listener)
{
    (void)listener;
    return true;
}

enum err
grpc_endpoint_new(struct grpc_endpoint **out,
                  const struct server_listener *listener, struct buf *why)
{
    struct grpc_endpoint *endpoint = calloc(1, sizeof(*endpoint));
    enum err err;

    *out = NULL;
    if (!endpoint)
        return ERR_NOMEM;
    if (!(err = server_new(&endpoint->server)))
        server_set_name(endpoint->server, "grpc");
    if (!err)
        err = server_listen(endpoint->server, listener, &endpoint->index, why);
    if (err) {
        grpc_endpoint_free(endpoint);
        return err;
    }
    *out = endpoint;
    return OK;
}

uint16_t
grpc_endpoint_port(const struct grpc_endpoint *endpoint)
{
    return server_port(endpoint->server, endpoint->index);
}

struct server *
grpc_endpoint_server(const struct grpc_endpoint *endpoint)
{
    return endpoint->server;
}

enum err
grpc_endpoint_start(struct grpc_endpoint *endpoint)
{
    return server_start(endpoint->server);
}

void
grpc_endpoint_reload(struct grpc_endpoint *endpoint)
{
    server_reload(endpoint->server);
}

void
grpc_endpoint_stop(struct grpc_endpoint *endpoint, uint32_t drain_ms)
{
    server_stop(endpoint->server, drain_ms);
}

void
grpc_endpoint_free(struct grpc_endpoint *endpoint)
{
    if (!endpoint)
        return;
    server_free(endpoint->server);
    free(endpoint);
}
