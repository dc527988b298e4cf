/*
 * A table of paths.  HEAD is GET here: the transport drops the body.
 */
#include "api/api.h"

#include "base/buf.h"
#include "base/metrics.h"

static const char plain[] = "text/plain; charset=utf-8";
static const char json[] = "application/json";
static const char open_metrics[] =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";

typedef void page_fn(struct api *api, struct request *req);

static void
answer(struct request *req, int status, const char *type, str body)
{
    const struct header no_cache = {STR("cache-control"), STR("no-store")};

    request_reply(req, &(struct reply){.status = status,
                                       .content_type = str_of(type),
                                       .body = body,
                                       .headers = &no_cache,
                                       .header_len = 1});
}

static void
get_health(struct api *api, struct request *req)
{
    (void)api;
    answer(req, 200, plain, STR("ok\n"));
}

static bool
is_verbose(str query)
{
    return str_starts(query, STR("verbose")) &&
           (query.len == 7 || query.ptr[7] == '=' || query.ptr[7] == '&');
}

static void
get_ready(struct api *api, struct request *req)
{
    bool writable = api->is_writable(api->ctx);
    bool draining = atomic_load(&api->is_draining);
    int status = writable && !draining ? 200 : 503;
    struct buf body = {0};

    if (is_verbose(req->query))
        buf_printf(&body,
                   "{\"ready\":%s,\"checks\":{\"store_writable\":%s,"
                   "\"accepting\":%s}}\n",
                   status == 200 ? "true" : "false",
                   writable ? "true" : "false", draining ? "false" : "true");
    else
        buf_printf(&body, "%s\n",
                   status == 200 ? "ready"
                   : draining    ? "not ready: draining"
                                 : "not ready: the store takes no data");
    answer(req, status, is_verbose(req->query) ? json : plain, buf_str(&body));
    buf_fini(&body);
}

static void
get_metrics(struct api *api, struct request *req)
{
    struct buf body = {0};

    (void)api;
    metrics_print(&body);
    if (body.failed)
        answer(req, 503, plain, STR("out of memory\n"));
    else
        answer(req, 200, open_metrics, buf_str(&body));
    buf_fini(&body);
}

static const struct page {
    const char *path;
    page_fn *get;
} pages[] = {
    {"/healthz", get_health},
    {"/readyz", get_ready},
    {"/metrics", get_metrics},
};

static void
refuse_method(struct request *req)
{
    const struct header allow = {STR("allow"), STR("GET, HEAD")};

    request_reply(req, &(struct reply){.status = 405,
                                       .content_type = str_of(plain),
                                       .body = STR("only GET and HEAD\n"),
                                       .headers = &allow,
                                       .header_len = 1});
}

void
api_handle(void *ctx, struct request *req)
{
    if (req->problem != REQUEST_WHOLE) {
        answer(req, 400, plain, STR("the request is not whole\n"));
        return;
    }
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        if (!str_eq(req->path, str_of(pages[i].path)))
            continue;
        if (str_eq(req->method, STR("GET")) || str_eq(req->method, STR("HEAD")))
            pages[i].get(ctx, req);
        else
            refuse_method(req);
        return;
    }
    answer(req, 404, plain,
           STR("not found; there are /healthz, /readyz, /metrics\n"));
}
