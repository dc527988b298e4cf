#include "api/api.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/metrics.h"

struct api {
    struct api_cfg cfg;
    api_ready_fn *ready;
    void *ctx;
    atomic_bool draining;
};

enum err
api_new(struct api **out, const struct api_cfg *cfg, api_ready_fn *ready,
        void *ctx)
{
    struct api *api = calloc(1, sizeof(*api));

    *out = api;
    if (!api)
        return ERR_NOMEM;
    api->cfg = *cfg;
    api->ready = ready;
    api->ctx = ctx;
    return OK;
}

void
api_free(struct api *api)
{
    free(api);
}

void
api_set_draining(struct api *api)
{
    atomic_store(&api->draining, true);
}

/* The name in a Host header, without port and brackets. */
static str
host_name(str host)
{
    const char *end;

    if (host.len && host.ptr[0] == '[') {
        end = memchr(host.ptr, ']', host.len);
        return end ? str_cut(host, 1, (size_t)(end - host.ptr)) : host;
    }
    end = host.len ? memchr(host.ptr, ':', host.len) : NULL;
    return end ? str_cut(host, 0, (size_t)(end - host.ptr)) : host;
}

static bool
is_name(str host, const char *name)
{
    return host.len == strlen(name) &&
           strncasecmp(host.ptr, name, host.len) == 0;
}

/* Probes call a pod by its address: a literal IP cannot be rebound. */
static bool
is_address(str host)
{
    bool digits = host.len > 0;

    for (size_t i = 0; i < host.len; i++) {
        if (host.ptr[i] == ':')
            return true;
        if (!strchr("0123456789.", host.ptr[i]))
            digits = false;
    }
    return digits;
}

static bool
is_allowed(const struct api *api, const struct request *req)
{
    str host = host_name(request_header(req, STR("host")));

    if (host.len == 0 || is_address(host) || is_name(host, "localhost"))
        return true;
    for (size_t i = 0; i < api->cfg.allowed_host_len; i++) {
        if (is_name(host, api->cfg.allowed_hosts[i]))
            return true;
    }
    return false;
}

static void
answer(struct request *req, int status, str type, str body)
{
    const struct header headers[] = {
        {STR("cache-control"), STR("no-store")},
        {STR("x-content-type-options"), STR("nosniff")},
        {STR("allow"), STR("GET, HEAD")},
    };

    request_reply(req, &(struct reply){
                           .status = status,
                           .content_type = type,
                           .body = body,
                           .headers = headers,
                           .header_len = status == 405 ? 3 : 2,
                       });
}

static void
answer_ready(struct api *api, struct request *req)
{
    bool draining = atomic_load(&api->draining);
    bool writable = api->ready(api->ctx);
    int status = writable && !draining ? 200 : 503;
    struct buf body = {0};

    if (!str_starts(req->query, STR("verbose"))) {
        answer(req, status, STR("text/plain"),
               status == 200 ? STR("ready\n") : STR("not ready\n"));
        return;
    }
    buf_printf(&body, "{\"ready\":%s,\"store_writable\":%s,\"draining\":%s}\n",
               status == 200 ? "true" : "false", writable ? "true" : "false",
               draining ? "true" : "false");
    answer(req, status, STR("application/json"), buf_str(&body));
    buf_fini(&body);
}

static void
answer_metrics(struct request *req)
{
    struct buf body = {0};

    metrics_print(&body);
    answer(req, body.failed ? 503 : 200,
           STR("application/openmetrics-text; version=1.0.0; charset=utf-8"),
           buf_str(&body));
    buf_fini(&body);
}

void
api_handle(void *ctx, struct request *req)
{
    struct api *api = ctx;

    if (req->protocol == REQUEST_GRPC) {
        request_reply(req,
                      &(struct reply){.status = GRPC_CODE_UNIMPLEMENTED,
                                      .grpc_message = STR("no such service")});
        return;
    }
    if (!is_allowed(api, req))
        answer(req, 403, STR("text/plain"),
               STR("this Host is not answered; see query.allowed_hosts\n"));
    else if (!str_eq(req->method, STR("GET")) &&
             !str_eq(req->method, STR("HEAD")))
        answer(req, 405, STR("text/plain"), STR("GET only\n"));
    else if (str_eq(req->path, STR("/healthz")))
        answer(req, 200, STR("text/plain"), STR("ok\n"));
    else if (str_eq(req->path, STR("/readyz")))
        answer_ready(api, req);
    else if (str_eq(req->path, STR("/metrics")))
        answer_metrics(req);
    else
        answer(req, 404, STR("text/plain"),
               STR("try /mcp, /healthz, /readyz or /metrics\n"));
}
