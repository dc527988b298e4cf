/*
 * api - what operators and load balancers ask over HTTP.
 *
 *     GET /healthz   200 while the event loop answers; asks nothing else
 *     GET /readyz    200 when new data would be taken, else 503; ?verbose
 *                    tells each check as JSON
 *     GET /metrics   OpenMetrics 1.0
 *
 * Threads    api_handle: a request_handler, any thread.
 */
#ifndef API_API_H
#define API_API_H

#include <stdatomic.h>
#include <stdbool.h>

#include "net/request.h"

struct api {
    /* Whether the store takes data; any thread; must not block. */
    bool (*is_writable)(void *ctx);
    void *ctx;
    atomic_bool is_draining; /* set when shutting down */
};

/* api_handle answers |req|; |ctx| is a struct api. */
void api_handle(void *ctx, struct request *req);

#endif
