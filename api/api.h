/*
 * api - what people and machines that watch ask over HTTP.
 *
 *     GET /healthz   200 while the process answers; nothing else is looked at
 *     GET /readyz    200 while it can take in and store, else 503; both JSON,
 *                    more with ?verbose (api/health.h)
 *     GET /metrics   OpenMetrics; with the graph's services, if the caller
 *                    may know their names
 *     GET /api/dependencies?endTs&lookback
 *                    services and their calls, as Jaeger tells them; times in
 *                    milliseconds, by default the day until now
 *
 *     GET /api/graph/fields, /api/graph/data?service&env&level&from,
 * /api/health what Grafana's Node Graph API data source asks
 *
 *     GET /, /ui/...   the web page (api/ui.h)
 *     GET /api/v1/...  what it asks (api/view.h)
 *
 * Everything else is 404, other methods are 405; a Host that is not this
 * machine's or allowed (DNS rebinding) and an Origin of another's page are 403.
 *
 * Names      Who asks for names must bring a token, if any are set.  Without
 *            one, /metrics has the numbers of the process only.
 * Threads    api_handle: a request_handler; what reads the graph is done on the
 *            server's work threads.  The rest: any.
 */
#ifndef API_API_H
#define API_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "graph/query.h"
#include "graph/world.h"
#include "net/request.h"
#include "net/server.h"

struct api;

/* An api_ready_fn says whether the store can be written. */
typedef bool api_ready_fn(void *ctx);

struct api_cfg {
    const char *const *allowed_hosts; /* besides this machine's names */
    size_t allowed_host_len;
    const char *const *allowed_origins; /* of pages, besides this machine's */
    size_t allowed_origin_len;
    const char *const *tokens; /* none: everyone may know names */
    size_t token_len;
    struct query *query; /* NULL: there is no graph to tell of, nor a page */
    struct world *world; /* the code beside it; NULL: none */
    bool service_graph;  /* as metrics */
    uint64_t answer_ns;  /* longest wait for an answer; 0: no bound */
};

/* api_new: ERR_NOMEM; ERR_INVALID: an empty token.  What |cfg| points to must
 * outlive it, but for the tokens. */
enum err api_new(struct api **out, const struct api_cfg *cfg,
                 api_ready_fn *ready, void *ctx);
void api_free(struct api *api);

/* api_set_server tells where requests may block; before it is started. */
void api_set_server(struct api *api, struct server *server);

/* api_set_tokens replaces them: as tokens_set. */
enum err api_set_tokens(struct api *api, const char *const *tokens, size_t len);

/* api_set_draining: from now on not ready. */
void api_set_draining(struct api *api);

void api_handle(void *ctx, struct request *req);

/* api_body_most: none is read, so that none is waited for; a
 * request_body_most. */
size_t api_body_most(void *ctx, const struct request *req);

#endif
