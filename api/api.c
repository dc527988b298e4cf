#include "api/api.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "api/health.h"
#include "api/host.h"
#include "api/jobs.h"
#include "api/links.h"
#include "api/nodegraph.h"
#include "api/params.h"
#include "api/scrape.h"
#include "api/ui.h"
#include "api/view.h"
#include "api/write.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "net/tokens.h"

enum { MS_PER_S = 1000, LOOKBACK_MS = 86400 * MS_PER_S };

struct api {
    struct api_cfg cfg;
    struct tokens *tokens;
    struct server *server;
    api_ready_fn *ready;
    void *ctx;
    atomic_bool draining;
    struct jobs jobs;
    struct scrape scrape;
};

enum err
api_new(struct api **out, const struct api_cfg *cfg, api_ready_fn *ready,
        void *ctx)
{
    struct api *api = calloc(1, sizeof(*api));
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (!api)
        return err;
    jobs_init(&api->jobs, cfg->answer_ns);
    scrape_init(&api->scrape);
    if (!(api->tokens = tokens_new()))
        goto out;
    if ((err = api_set_tokens(api, cfg->tokens, cfg->token_len)))
        goto out;
    api->cfg = *cfg;
    api->ready = ready;
    api->ctx = ctx;
    *out = api;
    api = NULL;
out:
    api_free(api);
    return err;
}

void
api_free(struct api *api)
{
    if (!api)
        return;
    tokens_free(api->tokens);
    jobs_fini(&api->jobs);
    scrape_fini(&api->scrape);
    free(api);
}

void
api_set_server(struct api *api, struct server *server)
{
    api->server = server;
}

enum err
api_set_tokens(struct api *api, const char *const *tokens, size_t len)
{
    return tokens_set(api->tokens, tokens, len);
}

void
api_set_draining(struct api *api)
{
    atomic_store(&api->draining, true);
}

static void
answer(const struct api *api, struct request *req, int status, str type,
       str body)
{
    char away[STAY_TEXT_CAP];
    struct header headers[] = {
        {STR("cache-control"), STR("no-store")},
        {STR("x-content-type-options"), STR("nosniff")},
        {STR("allow"), STR("GET, HEAD")},
    };

    if (status == 401)
        headers[2] = (struct header){STR("www-authenticate"),
                                     STR("Bearer realm=\"spangraph\"")};
    else if (status == 503)
        headers[2] = (struct header){STR("retry-after"),
                                     stay_text(&api->jobs.stay, away)};

    request_reply(
        req, &(struct reply){
                 .status = status,
                 .content_type = type,
                 .body = body,
                 .headers = headers,
                 .header_len =
                     status == 405 || status == 401 || status == 503 ? 3 : 2,
             });
}

static void
answer_health(struct api *api, struct request *req)
{
    const struct health health = {
        .is_writable = api->ready(api->ctx),
        .is_draining = atomic_load(&api->draining),
        .now_s = clock_wall_ns() / NS_PER_S,
    };
    bool is_well = true;
    struct buf body = {0};

    if (str_eq(req->path, STR("/readyz")))
        is_well = health_ready(&health, req->query, &body);
    else
        health_alive(&health, req->query, &body);
    answer(api, req, is_well ? 200 : 503, STR("application/json"),
           buf_str(&body));
    buf_fini(&body);
}

/* ---- what is asked of the graph ---- */

/* A request that is answered where it may block. */
struct job {
    struct api *api;
    struct request *req;
    uint32_t from_s; /* of dependencies */
    uint32_t to_s;
    struct jobs_entry entry;
};

static void
answer_links_error(const struct api *api, struct request *req, int status,
                   const char *why)
{
    struct buf body = {0};

    buf_printf(&body,
               "{\"data\":null,\"total\":0,\"limit\":0,\"offset\":0,"
               "\"errors\":[{\"code\":%d,\"msg\":\"%s\"}]}",
               status, why);
    answer(api, req, status, STR("application/json"), buf_str(&body));
    buf_fini(&body);
}

static enum err
make_links(void *ctx, struct buf *out)
{
    struct job *job = ctx;
    struct query_view *view = NULL;
    enum err err = jobs_begin(&job->entry, job->api->cfg.query,
                              (uint32_t)(clock_wall_ns() / NS_PER_S), &view);

    if (!err)
        err = links_metrics(view, LINKS_MAX, out);
    query_end(view);
    return err;
}

/* With those of the graph, if |job| may look at it, and can. */
static void
answer_metrics(struct api *api, struct request *req, struct job *job)
{
    struct buf body = {0};

    metrics_print(&body);
    if (job && !body.failed) {
        body.len -= strlen("# EOF\n");
        (void)scrape_tell(&api->scrape, make_links, job, &body);
        buf_add(&body, STR("# EOF\n"));
    }
    if (job)
        jobs_leave(&job->entry);
    answer(api, req, body.failed ? 503 : 200,
           STR("application/openmetrics-text; version=1.0.0; charset=utf-8"),
           buf_str(&body));
    buf_fini(&body);
}

static void
run_metrics(void *ctx)
{
    struct job *job = ctx;

    answer_metrics(job->api, job->req, job);
    free(job);
}

static void
run_dependencies(void *ctx)
{
    struct job *job = ctx;
    struct query_view *view = NULL;
    struct buf body = {0};
    enum err err =
        jobs_begin(&job->entry, job->api->cfg.query, job->to_s, &view);

    if (!err)
        err = links_dependencies(view, job->from_s, LINKS_MAX, &body);
    jobs_end(&job->entry, view);
    if (err)
        answer_links_error(job->api, job->req, 503, jobs_why(err));
    else
        answer(job->api, job->req, 200, STR("application/json"),
               buf_str(&body));
    buf_fini(&body);
    free(job);
}

static void
run_graph(void *ctx)
{
    struct job *job = ctx;
    struct query_view *view = NULL;
    struct buf body = {0};
    struct buf why = {0};
    uint32_t now_s = (uint32_t)(clock_wall_ns() / NS_PER_S);
    enum err err = jobs_begin(&job->entry, job->api->cfg.query, now_s, &view);

    if (!err)
        err = nodegraph_answer(view, job->req->query, &body, &why);
    jobs_end(&job->entry, view);
    if (err == ERR_INVALID)
        answer(job->api, job->req, 400, STR("text/plain"), buf_str(&why));
    else if (err)
        answer(job->api, job->req, 503, STR("text/plain"),
               str_of(jobs_why(err)));
    else
        answer(job->api, job->req, 200, STR("application/json"),
               buf_str(&body));
    buf_fini(&body);
    buf_fini(&why);
    free(job);
}

/* What the page is told is for it alone, and for no other site. */
static void
answer_view(const struct api *api, struct request *req, int status, str body)
{
    char away[STAY_TEXT_CAP];
    const struct header headers[] = {
        {STR("cache-control"), STR("no-store")},
        {STR("x-content-type-options"), STR("nosniff")},
        {STR("cross-origin-resource-policy"), STR("same-origin")},
        {STR("content-security-policy"),
         STR("default-src 'none'; frame-ancestors 'none'")},
        status == 503 ? (struct header){STR("retry-after"),
                                        stay_text(&api->jobs.stay, away)}
                      : (struct header){STR("www-authenticate"),
                                        STR("Bearer realm=\"spangraph\"")},
    };

    request_reply(req, &(struct reply){
                           .status = status,
                           .content_type = STR("application/json"),
                           .body = body,
                           .headers = headers,
                           .header_len = status == 401 || status == 503 ? 5 : 4,
                       });
}

static void
answer_view_error(const struct api *api, struct request *req, int status,
                  str why)
{
    struct buf body = {0};

    write_open(&body, NULL, '{');
    write_text(&body, "error", why);
    write_close(&body, '}');
    answer_view(api, req, status, buf_str(&body));
    buf_fini(&body);
}

static void
run_view(void *ctx)
{
    struct job *job = ctx;
    struct api *api = job->api;
    const struct view_cfg cfg = {.query = api->cfg.query,
                                 .world = api->cfg.world,
                                 .stop = {jobs_is_over, &job->entry}};
    const struct view_state state = {
        .now_s = (uint32_t)(clock_wall_ns() / NS_PER_S),
        .is_writable = api->ready(api->ctx),
        .is_draining = atomic_load(&api->draining)};
    struct buf body = {0};
    struct buf why = {0};
    enum err err =
        view_answer(&cfg, state, job->req->path, job->req->query, &body, &why);

    jobs_leave(&job->entry);
    if (!err)
        answer_view(job->api, job->req, 200, buf_str(&body));
    else if (err == ERR_INVALID)
        answer_view_error(job->api, job->req, 400, buf_str(&why));
    else if (err == ERR_NOT_FOUND)
        answer_view_error(job->api, job->req, 404, buf_str(&why));
    else
        answer_view_error(job->api, job->req, 503,
                          why.len ? buf_str(&why) : str_of(jobs_why(err)));
    buf_fini(&body);
    buf_fini(&why);
    free(job);
}

/* Runs |work| where it may block, which frees the job.  False: there is no
 * room for it, and the request is still to be answered. */
static bool
start_job(const struct job *what, void (*work)(void *ctx))
{
    struct server *server = what->api->server;
    struct job *job = malloc(sizeof(*job));

    if (!job)
        return false;
    *job = *what;
    jobs_enter(&job->api->jobs, &job->entry, job->req);
    if (!server) {
        work(job);
        return true;
    }
    /* Who watches is answered also when much is asked. */
    enum err err = work == run_metrics
                       ? server_work_short(server, work, job)
                       : server_work(server, job->req->share, work, job);
    if (!err)
        return true;
    jobs_withdraw(&job->entry);
    free(job);
    return false;
}

static bool
may_know_names(const struct api *api, const struct request *req)
{
    return tokens_allow(api->tokens, request_header(req, STR("authorization")));
}

static void
take_metrics(struct api *api, struct request *req)
{
    const struct job job = {.api = api, .req = req};

    if (!api->cfg.query || !api->cfg.service_graph ||
        !may_know_names(api, req) || !start_job(&job, run_metrics))
        answer_metrics(api, req, NULL);
}

static void
take_graph(struct api *api, struct request *req)
{
    const struct job job = {.api = api, .req = req};
    struct buf body = {0};

    if (str_eq(req->path, STR("/api/health"))) {
        answer(api, req, 200, STR("text/plain"), STR("ok\n"));
    } else if (str_eq(req->path, STR("/api/graph/fields"))) {
        nodegraph_fields(&body);
        answer(api, req, body.failed ? 503 : 200, STR("application/json"),
               buf_str(&body));
    } else if (!may_know_names(api, req)) {
        answer(api, req, 401, STR("text/plain"),
               STR("a bearer token is needed\n"));
    } else if (!start_job(&job, run_graph)) {
        answer(api, req, 503, STR("text/plain"),
               STR("too much is under way; try again\n"));
    }
    buf_fini(&body);
}

static void
take_view(struct api *api, struct request *req)
{
    const struct job job = {.api = api, .req = req};

    if (!may_know_names(api, req))
        answer_view_error(api, req, 401, STR("a bearer token is needed"));
    else if (!start_job(&job, run_view))
        answer_view_error(api, req, 503,
                          STR("too much is under way; try again"));
}

static bool
is_graph(str path)
{
    return str_eq(path, STR("/api/health")) ||
           str_eq(path, STR("/api/graph/fields")) ||
           str_eq(path, STR("/api/graph/data"));
}

static void
take_dependencies(struct api *api, struct request *req)
{
    uint64_t now_ms = clock_wall_ns() / NS_PER_MS;
    uint64_t end_ms = now_ms;
    uint64_t lookback_ms = LOOKBACK_MS;
    struct job job = {.api = api, .req = req};

    if (!may_know_names(api, req)) {
        answer_links_error(api, req, 401, "a bearer token is needed");
        return;
    }
    if (!params_find_number(req->query, STR("endTs"), &end_ms)) {
        answer_links_error(api, req, 400, "unable to parse param 'endTs'");
        return;
    }
    if (!params_find_number(req->query, STR("lookback"), &lookback_ms)) {
        answer_links_error(api, req, 400, "unable to parse param 'lookback'");
        return;
    }
    end_ms = end_ms < now_ms ? end_ms : now_ms;
    lookback_ms = lookback_ms < end_ms ? lookback_ms : end_ms;
    job.to_s = (uint32_t)(end_ms / MS_PER_S);
    job.from_s = (uint32_t)((end_ms - lookback_ms) / MS_PER_S);
    if (!start_job(&job, run_dependencies))
        answer_links_error(api, req, 503, "too much is under way; try again");
}

size_t
api_body_most(void *ctx, const struct request *req)
{
    (void)ctx;
    (void)req;
    return 0;
}

/* Answers whoever asks in another's name: that of a host, or of a page. */
static bool
refuse_stranger(struct api *api, struct request *req)
{
    const struct host_pages pages = {
        api->cfg.allowed_hosts,
        api->cfg.allowed_host_len,
        api->cfg.allowed_origins,
        api->cfg.allowed_origin_len,
    };
    str host = request_header(req, STR("host"));

    if (!host_is_known(host, pages.hosts, pages.host_len))
        answer(api, req, 403, STR("text/plain"),
               STR("this Host is not answered; see query.allowed_hosts\n"));
    else if (!host_knows_page(request_header(req, STR("origin")), host, &pages))
        answer(api, req, 403, STR("text/plain"),
               STR("this Origin is not answered; see query.allowed_origins\n"));
    else
        return false;
    return true;
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
    if (refuse_stranger(api, req))
        return;
    if (!str_eq(req->method, STR("GET")) && !str_eq(req->method, STR("HEAD")))
        answer(api, req, 405, STR("text/plain"), STR("GET only\n"));
    else if (str_eq(req->path, STR("/healthz")) ||
             str_eq(req->path, STR("/readyz")))
        answer_health(api, req);
    else if (str_eq(req->path, STR("/metrics")))
        take_metrics(api, req);
    else if (api->cfg.query && str_eq(req->path, STR("/api/dependencies")))
        take_dependencies(api, req);
    else if (api->cfg.query && is_graph(req->path))
        take_graph(api, req);
    else if (api->cfg.query && view_has(req->path))
        take_view(api, req);
    else if (api->cfg.query && ui_has(req->path))
        ui_answer(req);
    else
        answer(api, req, 404, STR("text/plain"),
               STR("try /, /mcp, /healthz, /readyz or /metrics\n"));
}
