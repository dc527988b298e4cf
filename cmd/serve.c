/*
 * The service: main's parts in the order in which data goes through them, and
 * stopped in that order too, so that what was taken in is also counted.
 *
 * Two event loops: one receives, one answers questions, so that neither waits
 * for the other.
 */
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/clock.h"
#include "base/log.h"
#include "cmd/agent.h"
#include "cmd/confine.h"
#include "cmd/link.h"
#include "cmd/listen.h"
#include "cmd/options.h"
#include "cmd/session.h"
#include "cmd/sink.h"
#include "cmd/tokens.h"
#include "gc/gc.h"
#include "graph/query.h"
#include "graph/world.h"
#include "net/grpc.h"
#include "net/server.h"
#include "otlp/receiver.h"
#include "store/files.h"

/* A lane for each thread that may decode at once. */
enum { LANES = 4 };

struct service {
    const struct config *cfg;
    struct session session;
    struct sink *sink;
    struct trace_sink trace_sink;
    struct receiver *receiver;
    struct server *ingest;
    struct server *answer;
    struct grpc_endpoint *grpc;
    struct agent *agent;
    struct api *api;
    struct query *query; /* of the api */
    struct gc *gc;
    struct link *link;
    struct buf why;
};

static enum err
start_receiver(struct service *service)
{
    const struct config *cfg = service->cfg;
    struct tokens tokens;
    enum err err =
        tokens_read(&tokens, &cfg->tokens, cfg->tokens_file, &service->why);

    if (err)
        return err;
    const struct receiver_cfg receiver = {
        .traces_path = cfg->traces_path,
        .other_signals = strcmp(cfg->other_signals, "discard") == 0
                             ? OTHER_SIGNALS_DISCARD
                             : OTHER_SIGNALS_REJECT,
        .tokens = tokens.item,
        .token_len = tokens.len,
        .lanes = LANES,
    };
    err = sink_new(&service->sink, &service->session, LANES,
                   &service->trace_sink);
    if (!err)
        err = receiver_new(&service->receiver, &receiver, &service->trace_sink);
    tokens_fini(&tokens);
    return err;
}

static enum err
listen_grpc(struct service *service)
{
    const struct config_listener *cfg = &service->cfg->grpc;
    struct server_listener listener;
    char host[LISTEN_HOST_CAP];
    enum err err;

    if (!cfg->enabled)
        return OK;
    err = listen_from_config(&listener, cfg, service->cfg->request_bytes, host,
                             &service->why);
    if (err)
        return err;
    listener.handler = receiver_handle;
    listener.ctx = service->receiver;
    err = grpc_endpoint_new(&service->grpc, &listener, &service->why);
    if (!err)
        listen_log("grpc", host, grpc_endpoint_port(service->grpc));
    return err;
}

static enum err
listen_http(struct service *service, struct server *server,
            const struct config_listener *cfg, const char *what,
            request_handler *handler, void *ctx)
{
    struct server_listener listener;
    char host[LISTEN_HOST_CAP];
    size_t index;
    enum err err;

    if (!cfg->enabled)
        return OK;
    err = listen_from_config(&listener, cfg, service->cfg->request_bytes, host,
                             &service->why);
    if (err)
        return err;
    listener.handler = handler;
    listener.ctx = ctx;
    err = server_listen(server, &listener, &index, &service->why);
    if (!err)
        listen_log(what, host, server_port(server, index));
    return err;
}

/* /mcp is the agents'; the rest is for people and machines that watch. */
static void
handle_query(void *ctx, struct request *req)
{
    struct service *service = ctx;

    if (req->protocol == REQUEST_HTTP && str_eq(req->path, STR("/mcp")))
        agent_handle(service->agent, req);
    else
        api_handle(service->api, req);
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
    const struct query_cfg query = {.readers = 2, .ages = agent_ages(cfg)};
    struct tokens tokens;
    enum err err = tokens_read(&tokens, &cfg->query_tokens,
                               cfg->query_tokens_file, &service->why);

    if (!err)
        err = query_open(&service->query, cfg->dir, &query, &service->why);
    const struct api_cfg api = {
        .allowed_hosts = cfg->allowed_hosts.item,
        .allowed_host_len = cfg->allowed_hosts.len,
        .tokens = tokens.item,
        .token_len = tokens.len,
        .query = service->query,
        .service_graph = cfg->service_graph_metrics,
    };
    if (!err)
        err = api_new(&service->api, &api, is_ready, service);
    tokens_fini(&tokens);
    return err;
}

static enum err
write_for_gc(void *ctx, gc_work_fn *work, void *work_ctx)
{
    return engine_write(ctx, work, work_ctx);
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

    return gc_start(&service->gc, &gc, write_for_gc, service->session.engine);
}

static enum err
start_link(struct service *service)
{
    const struct link_cfg link = {.session = &service->session,
                                  .query = service->query,
                                  .code =
                                      world_code(agent_world(service->agent))};

    return link_start(&service->link, &link);
}

static enum err
start(struct service *service)
{
    const struct config *cfg = service->cfg;
    enum err err = files_make_dir(cfg->dir, &service->why);

    if (err)
        return err;
    confine_report(cfg, confine_service(cfg));
    if ((err = session_open(&service->session, cfg, clock_wall_ns(),
                            &service->why)) ||
        (err = engine_start(service->session.engine)) ||
        (err = start_receiver(service)) ||
        (err = agent_new(&service->agent, cfg, false, &service->why)) ||
        (err = start_api(service)) || (err = server_new(&service->ingest)) ||
        (err = server_new(&service->answer)))
        return err;
    agent_set_server(service->agent, service->answer);
    api_set_server(service->api, service->answer);
    if ((err = listen_grpc(service)) ||
        (err = listen_http(service, service->ingest, &cfg->http, "http",
                           receiver_handle, service->receiver)) ||
        (err = listen_http(service, service->answer, &cfg->query, "query",
                           handle_query, service)))
        return err;
    if ((err = start_gc(service)) || (err = start_link(service)) ||
        (err = server_start(service->answer)) ||
        (err = server_start(service->ingest)))
        return err;
    if (service->grpc)
        err = grpc_endpoint_start(service->grpc);
    if (!err)
        receiver_set_serving(service->receiver, true);
    return err;
}

/* The inflow first, so that all below it drains and is written. */
static void
stop(struct service *service)
{
    uint32_t drain_ms = (uint32_t)(service->cfg->drain_ns / NS_PER_MS);

    if (service->receiver)
        receiver_set_serving(service->receiver, false);
    if (service->api)
        api_set_draining(service->api);
    if (service->grpc)
        grpc_endpoint_stop(service->grpc, drain_ms);
    if (service->ingest)
        server_stop(service->ingest, drain_ms);
    gc_stop(service->gc);
    link_stop(service->link);
    if (service->session.engine)
        engine_stop(service->session.engine);
    agent_stop(service->agent);
    if (service->answer)
        server_stop(service->answer, drain_ms);
    grpc_endpoint_free(service->grpc);
    server_free(service->ingest);
    server_free(service->answer);
    api_free(service->api);
    query_close(service->query);
    agent_free(service->agent);
    receiver_free(service->receiver);
    sink_free(service->sink);
    session_close(&service->session);
}

static enum err
reload_receiver(struct service *service, struct buf *why)
{
    const struct config *cfg = service->cfg;
    struct tokens tokens;
    enum err err = tokens_read(&tokens, &cfg->tokens, cfg->tokens_file, why);

    if (!err)
        err = receiver_set_tokens(service->receiver, tokens.item, tokens.len);
    tokens_fini(&tokens);
    return err;
}

static enum err
reload_api(struct service *service, struct buf *why)
{
    const struct config *cfg = service->cfg;
    struct tokens tokens;
    enum err err =
        tokens_read(&tokens, &cfg->query_tokens, cfg->query_tokens_file, why);

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

static void
reload(struct service *service)
{
    struct buf why = {0};

    report(reload_receiver(service, &why), "receivers", &why);
    report(agent_reload(service->agent, &why), "query", &why);
    report(reload_api(service, &why), "query", &why);
    buf_fini(&why);
    server_reload(service->ingest);
    server_reload(service->answer);
    if (service->grpc)
        grpc_endpoint_reload(service->grpc);
    log_info("reloaded", NULL, NULL);
}

/* Blocks the signals we wait for, in this thread and all it will start. */
static sigset_t
block_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    return set;
}

static void
wait_for_end(struct service *service, const sigset_t *set)
{
    int number = 0;

    while (sigwait(set, &number) == 0 && number == SIGHUP)
        reload(service);
    log_info("stopping", "signal", "%s", strsignal(number));
    /* A second one ends at once. */
    pthread_sigmask(SIG_UNBLOCK, set, NULL);
}

static int
run(const struct config *cfg)
{
    struct service *service = calloc(1, sizeof(*service));
    sigset_t set = block_signals();

    if (!service)
        return EXIT_CANNOT_RUN;
    service->cfg = cfg;
    /* Request bodies come and go by the megabyte: keep the pages. */
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 30);
    (void)mallopt(M_TRIM_THRESHOLD, 256 << 20);
    enum err err = start(service);
    if (err) {
        fprintf(stderr, "spangraph serve: %s\n",
                service->why.len ? buf_cstr(&service->why) : err_str(err));
    } else {
        log_info("ready", "data", "%s", cfg->dir);
        wait_for_end(service, &set);
    }
    stop(service);
    buf_fini(&service->why);
    free(service);
    if (!err)
        log_info("stopped", NULL, NULL);
    return err ? EXIT_CANNOT_RUN : EXIT_CLEAN;
}

int
cmd_serve(const struct command *self, int argc, char **argv)
{
    const char *dir = NULL;
    const char *file = NULL;
    bool json = false;
    const struct option_spec specs[] = {
        {"config", OPTION_STR, &file, "FILE",
         "configuration, YAML; without one everything has a default"},
        {"data", OPTION_STR, &dir, "DIR",
         "folder of the database, instead of store.dir (data)"},
        {"json", OPTION_FLAG, &json, NULL,
         "log JSON, instead of service.log.format"},
    };
    struct config cfg;

    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc > 1) {
        fprintf(stderr, "spangraph serve: \"%s\" is one word too many\n",
                argv[1]);
        return EXIT_USAGE;
    }
    if (session_load_config(&cfg, self->name, file, dir))
        return EXIT_USAGE;
    if (json)
        session_log_json(&cfg, self->name);
    int status = run(&cfg);
    config_fini(&cfg);
    return status;
}
