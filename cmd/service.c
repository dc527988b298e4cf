/*
 * The parts of the service in the order in which data goes through them, and
 * stopped in that order too, so that what was taken in is also counted.
 *
 * Two event loops: one receives, one answers questions, so that neither waits
 * for the other.
 */
#include "cmd/service.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/api.h"
#include "base/clock.h"
#include "base/log.h"
#include "cmd/admin.h"
#include "cmd/agent.h"
#include "cmd/ai.h"
#include "cmd/changes.h"
#include "cmd/confine.h"
#include "cmd/crawling.h"
#include "cmd/demo.h"
#include "cmd/inlet.h"
#include "cmd/lean.h"
#include "cmd/life.h"
#include "cmd/link.h"
#include "cmd/listen.h"
#include "cmd/options.h"
#include "cmd/refresh.h"
#include "cmd/regroup.h"
#include "cmd/restore.h"
#include "cmd/self_trace.h"
#include "cmd/session.h"
#include "cmd/sink.h"
#include "cmd/tokens.h"
#include "cmd/watch.h"
#include "gc/gc.h"
#include "graph/query.h"
#include "graph/world.h"
#include "mcp/mcp.h"
#include "net/server.h"
#include "store/files.h"
#include "store/sqlite.h"
#include "store/store.h"

/* A lane for each thread that may decode at once, and one for the demo. */
enum { LANES = 4, DEMO_LANE = LANES };

/* For pages that ask over MCP, whose headers grow with each revision. */
static const char *const any_header[] = {"*"};
enum { CORS_S = 600 };

struct service {
    struct config *cfg; /* changed by reload alone, on the main thread */
    struct watch watch;
    struct self_trace *self_trace; /* NULL: off */
    struct demo_home *demo_home;   /* NULL: no demo */
    struct demo *demo;
    struct session session;
    struct sink *sink;
    struct trace_sink trace_sink;
    struct inlet *inlet;
    struct server *answer;
    struct cors cors; /* of it */
    struct agent *agent;
    struct crawling *crawling;
    struct ai *ai; /* NULL: off */
    struct refresh *refresh;
    struct regroup *regroup;
    struct api *api;
    struct query *query; /* of the api */
    struct gc *gc;
    struct link *link;
    struct admin *admin; /* NULL: off */
    struct changes *changes;
    struct buf why;
};

static enum err
start_inlet(struct service *service)
{
    enum err err = sink_new(&service->sink, &service->session, LANES + 1,
                            &service->trace_sink);

    if (!err && service->self_trace)
        sink_drop_service(service->sink,
                          str_of(service->cfg->self_trace.service_name));
    if (!err)
        err = inlet_open(&service->inlet, service->cfg, &service->trace_sink,
                         LANES, &service->why);
    return err;
}

/* /mcp, a message to `/`, and what answers as the tools do are the agents'; the
 * rest is for people and machines that watch. */
static bool
is_for_agents(const struct request *req)
{
    return req->protocol == REQUEST_HTTP &&
           (str_eq(req->path, STR("/mcp")) || mcp_is_sse(req->path) ||
            mcp_is_rest(req->path) ||
            (str_eq(req->path, STR("/")) && str_eq(req->method, STR("POST"))));
}

static void
handle_query(void *ctx, struct request *req)
{
    struct service *service = ctx;

    self_trace_request(service->self_trace, req);
    if (is_for_agents(req))
        agent_handle(service->agent, req);
    else
        api_handle(service->api, req);
}

static size_t
query_body_most(void *ctx, const struct request *req)
{
    return is_for_agents(req) ? MCP_BODY_MAX : api_body_most(ctx, req);
}

static bool
is_ready(void *ctx)
{
    const struct service *service = ctx;

    return engine_is_writable(service->session.engine);
}

static enum err
start_api(struct service *service)
{
    const struct config *cfg = service->cfg;
    /* A reader for each thread: a scrape waits for no slow page. */
    const struct query_cfg query = {SERVER_WORK_THREADS, agent_ages(cfg)};
    struct tokens tokens;
    enum err err = tokens_read(&tokens, &cfg->query_tokens,
                               cfg->query_tokens_file, &service->why);

    if (!err)
        err = query_open(&service->query, cfg->dir, &query, &service->why);
    const struct api_cfg api = {
        .allowed_hosts = cfg->allowed_hosts.item,
        .allowed_host_len = cfg->allowed_hosts.len,
        .allowed_origins = cfg->allowed_origins.item,
        .allowed_origin_len = cfg->allowed_origins.len,
        .tokens = tokens.item,
        .token_len = tokens.len,
        .query = service->query,
        .world = agent_world(service->agent),
        .service_graph = cfg->service_graph_metrics,
        .answer_ns = cfg->answer_timeout_ns,
    };
    if (!err)
        err = api_new(&service->api, &api, is_ready, service);
    tokens_fini(&tokens);
    return err;
}

static enum err
write_for_gc(void *ctx, gc_work_fn *work, void *work_ctx)
{
    struct service *service = ctx;
    enum err err = engine_write(service->session.engine, work, work_ctx);

    changes_note(service->changes);
    return err;
}

static void
flushed(void *ctx, uint64_t duration_ns, enum err err)
{
    struct service *service = ctx;

    changes_note(service->changes);
    if (service->self_trace)
        self_trace_flushed(service->self_trace, duration_ns, err);
}

static enum err
start_gc(struct service *service)
{
    const struct config *cfg = service->cfg;
    const struct gc_cfg gc = {
        .interval_ns = cfg->gc_interval_ns,
        .eligible_after_ns = cfg->gc_eligible_ns,
        .grace_ns = cfg->gc_grace_ns,
        .sweep = cfg->gc_sweep,
    };

    return gc_start(&service->gc, &gc, write_for_gc, service);
}

static enum err
start_link(struct service *service)
{
    const struct link_cfg link = {.session = &service->session,
                                  .query = service->query,
                                  .code =
                                      world_code(agent_world(service->agent)),
                                  .changes = service->changes};

    return link_start(&service->link, &link);
}

static enum err
start_refresh(struct service *service)
{
    const struct refresh_cfg refresh = {
        .query = service->query,
        .world = agent_world(service->agent),
        .knowledge = agent_knowledge(service->agent),
    };

    return service->cfg->refresh ? refresh_start(&service->refresh, &refresh)
                                 : OK;
}

static enum err
start_ai(struct service *service)
{
    return ai_start(service->ai, service->query,
                    world_code(agent_world(service->agent)),
                    agent_knowledge(service->agent));
}

static enum err
start_agent(struct service *service)
{
    const struct agent_parts parts = {
        .sources = crawling_rules(service->crawling),
        .vectors = ai_vectors(service->ai),
        .changes = service->changes,
    };

    return agent_new(&service->agent, service->cfg, &parts, false,
                     &service->why);
}

static enum err
start_regroup(struct service *service)
{
    const struct regroup_cfg regroup = {
        .query = service->query,
        .world = agent_world(service->agent),
        .knowledge = agent_knowledge(service->agent),
    };

    return service->cfg->query.enabled
               ? regroup_start(&service->regroup, &regroup)
               : OK;
}

/* Before spans come in, so that a port that is taken is told in time. */
static enum err
start_admin(struct service *service)
{
    const struct admin_parts parts = {.inlet = service->inlet,
                                      .answer = service->answer,
                                      .is_writable = is_ready,
                                      .ctx = service};

    return admin_start(&service->admin, service->cfg, &parts, &service->why);
}

/* Whoever opens the database with a program of his own is to have been told. */
static void
tell_sqlite(void)
{
    if (sqlite_may_corrupt(sqlite_number()))
        log_warn("this SQLite can corrupt a database that another program "
                 "writes, too, unless its distributor has mended it; open none "
                 "of the data folder while the service runs",
                 "sqlite", "%s", sqlite_version());
}

/* What can be known before there is a store. */
static enum err
check(struct service *service)
{
    const struct config *cfg = service->cfg;
    enum err err = agent_check(cfg, &service->why);

    if (!err)
        err = admin_check(cfg, &service->why);
    if (!err && access(cfg->dir, F_OK))
        err = listen_try(cfg, &service->why);
    return err;
}

static enum err
start(struct service *service)
{
    const struct config *cfg = service->cfg;
    enum err err = check(service);
    bool restored = false;

    if (!err)
        err = files_make_dir(cfg->dir, &service->why);
    if (!err)
        err = restore_take(cfg->dir, &restored, &service->why);
    if (restored)
        log_info("restored what was waiting", "data", "%s", cfg->dir);
    /* Its processes need the network, which is given up below. */
    if (!err)
        err = crawling_start(&service->crawling, cfg, false, &service->why);
    if (err)
        return err;
    confine_report(cfg, confine_service(cfg));
    tell_sqlite();
    if ((err = session_open(&service->session, cfg, clock_wall_ns(),
                            &service->why)) ||
        (err = self_trace_start(&service->self_trace, cfg, &service->why)))
        return err;
    if (!(service->changes = changes_new(cfg->dir)))
        return ERR_NOMEM;
    engine_on_flush(service->session.engine, flushed, service);
    if ((err = engine_start(service->session.engine)) ||
        (err = start_inlet(service)) ||
        (err = ai_open(&service->ai, cfg, true, &service->why)) ||
        (err = start_agent(service)) || (err = start_api(service)) ||
        (err = server_new(&service->answer)))
        return err;
    service->cors = (struct cors){
        .origins = cfg->allowed_origins.item,
        .origin_len = cfg->allowed_origins.len,
        .headers = any_header,
        .header_len = 1,
        .methods = "GET, POST",
        .max_age_s = CORS_S,
    };
    const struct listen_to to = {.what = "query",
                                 .key = "query.endpoint",
                                 .handler = handle_query,
                                 .body_most = query_body_most,
                                 .ctx = service,
                                 .cors = &service->cors};
    agent_set_server(service->agent, service->answer);
    api_set_server(service->api, service->answer);
    if ((err = inlet_listen(service->inlet, &service->why)) ||
        (err = listen_http(service->answer, &cfg->query, cfg->request_bytes,
                           &to, &service->why)))
        return err;
    if ((err = start_gc(service)) || (err = start_link(service)) ||
        (err = start_refresh(service)) || (err = start_ai(service)) ||
        (err = start_regroup(service)) ||
        (err = server_start(service->answer)) || (err = start_admin(service)))
        return err;
    if (!(err = inlet_start(service->inlet)) && service->demo_home)
        err = demo_start(&service->demo, &service->trace_sink, DEMO_LANE);
    return err;
}

static void
print_demo(struct service *service)
{
    const struct config *cfg = service->cfg;
    struct demo_places at;

    demo_home_place(at.grpc, &cfg->grpc, inlet_grpc_port(service->inlet));
    demo_home_place(at.http, &cfg->http, inlet_http_port(service->inlet));
    demo_home_place(at.query, &cfg->query,
                    cfg->query.enabled ? server_port(service->answer, 0) : 0);
    demo_home_print(service->demo_home, &at);
}

/* The inflow first, so that all below it drains and is written; who asks has
 * what that leaves of the drain. */
static void
stop(struct service *service)
{
    uint64_t until_ns = clock_mono_ns() + service->cfg->drain_ns;

    demo_stop(service->demo);
    if (service->api)
        api_set_draining(service->api);
    inlet_stop(service->inlet, life_left_ms(until_ns));
    crawling_halt(service->crawling);
    refresh_stop(service->refresh);
    ai_stop(service->ai);
    regroup_stop(service->regroup);
    gc_stop(service->gc);
    link_stop(service->link);
    if (service->session.engine)
        engine_stop(service->session.engine);
    agent_stop(service->agent);
    if (service->answer)
        server_stop(service->answer, life_left_ms(until_ns));
    admin_stop(service->admin);
    server_free(service->answer);
    api_free(service->api);
    query_close(service->query);
    agent_free(service->agent);
    ai_close(service->ai);
    inlet_close(service->inlet);
    crawling_stop(service->crawling);
    sink_free(service->sink);
    session_close(&service->session);
    self_trace_stop(service->self_trace);
    changes_free(service->changes);
}

/* Read once: who asks over MCP and who asks elsewhere are let in alike. */
static enum err
reload_query(struct service *service, struct buf *why)
{
    const struct config *cfg = service->cfg;
    struct tokens tokens;
    enum err err =
        tokens_read(&tokens, &cfg->query_tokens, cfg->query_tokens_file, why);

    if (!err)
        err = agent_set_tokens(service->agent, &tokens);
    if (!err)
        err = api_set_tokens(service->api, tokens.item, tokens.len);
    tokens_fini(&tokens);
    return err;
}

static void
report(enum err err, const char *whose, struct buf *why)
{
    if (err)
        log_error("tokens not reloaded, the old ones stay", whose, "%s",
                  why->len ? buf_cstr(why) : err_str(err));
    buf_reset(why);
}

/* Has a file changed that read_files reads? */
static bool
have_changed(void *ctx)
{
    struct service *service = ctx;
    const struct config *cfg = service->cfg;
    const char *const files[] = {cfg->tokens_file, cfg->query_tokens_file,
                                 cfg->admin_tokens_file, cfg->ai.api_key_file};

    return watch_look(&service->watch, files, sizeof(files) / sizeof(*files));
}

static void
read_files(void *ctx)
{
    struct service *service = ctx;
    struct buf why = {0};

    report(inlet_reload(service->inlet, &why), "receivers", &why);
    report(reload_query(service, &why), "query", &why);
    report(admin_reload(service->admin, &why), "admin", &why);
    report(ai_reload(service->ai, &why), "ai", &why);
    buf_fini(&why);
    server_reload(service->answer);
    log_info("reloaded", NULL, NULL);
}

int
service_run(struct config *cfg, struct demo_home *demo_home)
{
    struct service *service = calloc(1, sizeof(*service));
    sigset_t set = life_block_signals();

    life_raise_files();
    if (!service)
        return EXIT_CANNOT_RUN;
    service->cfg = cfg;
    service->demo_home = demo_home;
    /* Request bodies come and go by the megabyte: keep the pages.  Much larger
     * ones grow without being copied, which would hold up a loop. */
    (void)mallopt(M_MMAP_THRESHOLD, 8 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 256 << 20);
    store_set_up();
    (void)have_changed(service);
    enum err err = start(service);
    if (err) {
        fprintf(stderr, "spangraph serve: %s\n",
                service->why.len ? buf_cstr(&service->why) : err_str(err));
    } else {
        (void)lean_start();
        log_info("ready", "data", "%s", cfg->dir);
        if (demo_home)
            print_demo(service);
        life_wait(&set, cfg,
                  &(struct life_calls){.have_changed = have_changed,
                                       .read_files = read_files,
                                       .ctx = service});
    }
    stop(service);
    buf_fini(&service->why);
    free(service);
    log_flush();
    if (!err)
        log_info("stopped", NULL, NULL);
    return err ? EXIT_CANNOT_RUN : EXIT_CLEAN;
}
