/*
 * api - what people and machines that watch ask over HTTP.
 *
 *     GET /healthz   200 while the process answers; nothing else is looked at
 *     GET /readyz    200 while it can take in and store, else 503; JSON with
 *                    ?verbose
 *     GET /metrics   OpenMetrics
 *
 * Everything else is 404, other methods are 405, and a Host that is not this
 * machine's or allowed is 403 (DNS rebinding).
 *
 * Threads    api_handle: a request_handler.  The rest: any.
 */
#ifndef API_API_H
#define API_API_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "net/request.h"

struct api;

/* An api_ready_fn says whether the store can be written. */
typedef bool api_ready_fn(void *ctx);

struct api_cfg {
    const char *const *allowed_hosts; /* besides this machine's names */
    size_t allowed_host_len;
};

/* api_new: ERR_NOMEM.  What |cfg| points to must outlive it. */
enum err api_new(struct api **out, const struct api_cfg *cfg,
                 api_ready_fn *ready, void *ctx);
void api_free(struct api *api);

/* api_set_draining: from now on not ready. */
void api_set_draining(struct api *api);

void api_handle(void *ctx, struct request *req);

#endif
