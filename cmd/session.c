#include "cmd/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/path.h"
#include "cmd/ai.h"
#include "cmd/crawling.h"
#include "cmd/header_lines.h"
#include "cmd/listen.h"
#include "cmd/sidecar.h"
#include "cmd/tokens.h"
#include "mcp/tools.h"
#include "net/client.h"
#include "net/grpc.h"
#include "store/code_store.h"

static enum durability
durability_of(const char *name)
{
    if (strcmp(name, "memory") == 0)
        return DURABILITY_MEMORY;
    return strcmp(name, "os") == 0 ? DURABILITY_OS : DURABILITY_COMMIT;
}

static struct engine_cfg
engine_cfg_of(const struct config *cfg)
{
    struct engine_cfg engine = engine_cfg_default;

    engine.durability = durability_of(cfg->durability);
    engine.group_ms = (uint32_t)(cfg->group_ns / NS_PER_MS);
    engine.flush_ms = (uint32_t)(cfg->flush_ns / NS_PER_MS);
    engine.queue_stubs = (uint32_t)cfg->queue_spans;
    engine.max_edges = (uint32_t)cfg->max_edges;
    engine.exemplars = cfg->exemplars;
    engine.hour_buckets = (uint32_t)cfg->keep_hours;
    engine.day_buckets = (uint32_t)cfg->keep_days;
    engine.pair.wait_ns = cfg->wait_ns;
    engine.pair.horizon_ns = cfg->horizon_ns;
    engine.pair.link_horizon_ns = cfg->link_horizon_ns;
    engine.pair.max_spans = (uint32_t)cfg->max_spans;
    engine.pair.max_producers = (uint32_t)cfg->max_producers;
    return engine;
}

/* Fills |session|'s intake configuration.  ERR_NOMEM. */
static enum err
set_intake(struct session *session, const struct config *cfg)
{
    size_t built_in = intake_default_agents_len;
    size_t len = built_in + cfg->exclude_agents.len;

    session->agents = calloc(len + 1, sizeof(*session->agents));
    if (!session->agents)
        return ERR_NOMEM;
    for (size_t i = 0; i < len; i++)
        session->agents[i] = i < built_in
                                 ? intake_default_agents[i]
                                 : cfg->exclude_agents.item[i - built_in];
    session->intake = (struct intake_cfg){
        .past_ns = cfg->accepted_past_ns,
        .future_ns = cfg->accepted_future_ns,
        .external_by_address = cfg->external_by_address,
        .environment_by_k8s_namespace = cfg->environment_by_k8s_namespace,
        .sample_rate_key = config_text(cfg->sample_rate_key),
        .exclude_routes = cfg->exclude_routes.item,
        .exclude_routes_len = cfg->exclude_routes.len,
        .exclude_agents = session->agents,
        .exclude_agents_len = len,
    };
    return OK;
}

static enum err
open_once(struct session *session, const struct config *cfg, uint64_t now_ns,
          struct buf *why)
{
    const struct engine_cfg engine = engine_cfg_of(cfg);
    const struct nodes_cfg nodes = {
        .max_nodes = (uint32_t)cfg->max_nodes,
        .max_routes = (uint32_t)cfg->max_routes,
        .max_symbols = (uint32_t)cfg->max_symbols,
    };
    enum store_sync sync = engine.durability == DURABILITY_COMMIT
                               ? STORE_SYNC_FULL
                               : STORE_SYNC_OS;
    enum err err;

    if ((err = set_intake(session, cfg)) ||
        (err = store_open(&session->store, cfg->dir, sync, now_ns, why)) ||
        (err = nodes_new(&session->nodes, nodes)) ||
        (err = routes_new(&session->routes, session->nodes)))
        return err;
    err = engine_open(&session->engine, &engine, session->store, session->nodes,
                      session->routes, now_ns);
    if (err == ERR_CORRUPT) {
        store_set_aside(session->store, now_ns, why);
        session->store = NULL;
    }
    return err;
}

enum err
session_open(struct session *session, const struct config *cfg, uint64_t now_ns,
             struct buf *why)
{
    enum err err;

    *session = (struct session){0};
    err = open_once(session, cfg, now_ns, why);
    if (err == ERR_CORRUPT) {
        log_error("the database was damaged and has been set aside", "what",
                  "%s", buf_cstr(why));
        buf_reset(why);
        session_close(session);
        err = open_once(session, cfg, now_ns, why);
    }
    if (err && why->len == 0)
        buf_printf(why, "%s: %s", cfg->dir, err_str(err));
    if (err)
        session_close(session);
    return err;
}

void
session_close(struct session *session)
{
    engine_close(session->engine);
    routes_free(session->routes);
    nodes_free(session->nodes);
    store_close(session->store);
    free(session->agents);
    *session = (struct session){0};
}

static bool
is_there(const char *dir, const char *file)
{
    struct buf path = {0};

    buf_printf(&path, "%s/%s", dir, file);
    bool found = !path.failed && access(buf_cstr(&path), F_OK) == 0;
    buf_fini(&path);
    return found;
}

bool
session_has_code(const char *dir)
{
    return is_there(dir, CODE_STORE_FILE);
}

enum err
session_ensure(const char *dir)
{
    struct session session = {0};
    struct buf why = {0};
    struct config cfg;
    enum err err;

    if (is_there(dir, STORE_FILE) || !session_has_code(dir))
        return OK;
    if ((err = config_init(&cfg)))
        return err;
    if (!(err = config_set(&cfg, "store.dir", dir, &why)))
        err = session_open(&session, &cfg, clock_wall_ns(), &why);
    if (!err)
        session_close(&session);
    else
        fprintf(stderr, "spangraph: %s\n",
                why.len ? buf_cstr(&why) : err_str(err));
    config_fini(&cfg);
    buf_fini(&why);
    return err;
}

static enum log_level
level_of(const char *name)
{
    static const char *const names[] = {"debug", "info", "warn", "error"};
    enum log_level level = LOG_DEBUG;

    while (level < LOG_ERROR && strcmp(names[level], name) != 0)
        level++;
    return level;
}

/* Only the service logs news. */
static void
configure_log(const struct config *cfg, const char *command, bool json)
{
    enum log_level level = level_of(cfg->log_level);

    if (strcmp(command, "serve") != 0 && level == LOG_INFO)
        level = LOG_WARN;
    log_configure((struct log_cfg){.level = level, .json = json});
}

bool
session_can_read(const char *command, const char *path, bool is_folder)
{
    struct stat st;
    int code = 0;

    if (stat(path, &st) != 0 || access(path, R_OK) != 0)
        code = errno;
    else if (is_folder != S_ISDIR(st.st_mode))
        code = is_folder ? ENOTDIR : EISDIR;
    if (code)
        fprintf(stderr, "spangraph %s: %s: %s\n", command, path,
                strerror(code));
    return code == 0;
}

void
session_log(const struct config *cfg, const char *command, bool json)
{
    configure_log(cfg, command, json || strcmp(cfg->log_format, "json") == 0);
}

/* What `serve` would find out only when it opens |cfg|. */
static enum err
check_listener(const struct config_listener *cfg, bool is_grpc, struct buf *why)
{
    struct server_listener listener;
    char host[LISTEN_HOST_CAP];

    if (!cfg->enabled)
        return OK;
    enum err err = listen_from_config(&listener, cfg, 0, host, why);
    if (!err && is_grpc && !grpc_endpoint_takes(&listener)) {
        buf_printf(why,
                   "endpoint \"%s\": gRPC takes no address with a zone (%%)",
                   cfg->endpoint);
        err = ERR_INVALID;
    }
    const char *lacks =
        !err && is_grpc ? grpc_endpoint_lacks(&listener.tls) : NULL;
    if (lacks) {
        buf_printf(why, "endpoint \"%s\": %s", cfg->endpoint, lacks);
        err = ERR_INVALID;
    }
    return err;
}

/* Is |port| of |gateway|, a good URL, where |cfg| listens? */
static bool
is_own(const struct config_listener *cfg, const char *gateway, uint16_t port)
{
    char to[CLIENT_HOST_CAP];
    char host[LISTEN_HOST_CAP];
    uint16_t listens;

    return cfg->enabled && client_host(gateway, to) == OK &&
           config_split_endpoint(cfg->endpoint, host, sizeof(host), &listens) ==
               OK &&
           listens == port && listen_takes(host, to);
}

static enum err
check_gateway(const struct config *cfg, const char *gateway, struct buf *why)
{
    uint16_t port;

    if (client_port(gateway, &port)) {
        buf_printf(why,
                   "forward.endpoint \"%s\": write http://host:port or "
                   "https://host:port",
                   gateway);
        return ERR_INVALID;
    }
    /* What comes back is an exact retry, so that it would seem to be taken. */
    if (is_own(&cfg->http, gateway, port)) {
        buf_printf(why,
                   "forward.endpoint \"%s\" is where the sidecar itself "
                   "listens (receivers.otlp.protocols.http.endpoint)",
                   gateway);
        return ERR_INVALID;
    }
    return OK;
}

struct named_listener {
    const char *key;
    const struct config_listener *cfg;
};

/* Two cannot listen there.  The system gives a port to each that asks for 0. */
static bool
is_one_place(const struct config_listener *a, const struct config_listener *b)
{
    char host[LISTEN_HOST_CAP];
    uint16_t port;

    if (!a->enabled || !b->enabled || strcmp(a->endpoint, b->endpoint) != 0 ||
        config_split_endpoint(a->endpoint, host, sizeof(host), &port))
        return false;
    return port != 0 || strncmp(host, "unix:", 5) == 0;
}

static enum err
check_addresses(const struct config *cfg, struct buf *why)
{
    const char *gateway = config_text(cfg->forward.endpoint);

    if (gateway && check_gateway(cfg, gateway, why))
        return ERR_INVALID;
    const struct named_listener all[] = {
        {"receivers.otlp.protocols.grpc", &cfg->grpc},
        {"receivers.otlp.protocols.http", &cfg->http},
        {"query", &cfg->query},
        {"admin", &cfg->admin},
    };
    struct buf what = {0};
    enum err err = OK;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && !err; i++) {
        err = check_listener(all[i].cfg, i == 0, &what);
        for (size_t k = 0; k < i && !err; k++) {
            if (!is_one_place(all[k].cfg, all[i].cfg))
                continue;
            buf_printf(&what, "endpoint \"%s\" is that of %s, too",
                       all[i].cfg->endpoint, all[k].key);
            err = ERR_INVALID;
        }
        if (err)
            buf_printf(why, "%s: %s", all[i].key, buf_cstr(&what));
    }
    buf_fini(&what);
    return err;
}

static enum err
check_headers(const struct config *cfg, struct buf *why)
{
    enum err err = header_lines_check_answer(
        &cfg->http.response_headers,
        "receivers.otlp.protocols.http.response_headers", why);

    if (!err)
        err = header_lines_check_answer(&cfg->query.response_headers,
                                        "query.response_headers", why);
    if (!err)
        err = header_lines_check_names(
            &cfg->cors.exposed,
            "receivers.otlp.protocols.http.cors.exposed_headers", why);
    if (!err)
        err = header_lines_check(&cfg->forward.headers, "forward.headers", why);
    return err;
}

/* Of no matter to a command that lets nobody in. */
static enum err
check_secrets(const struct config *cfg, const char *command, struct buf *why)
{
    if (strcmp(command, "serve") != 0 && strcmp(command, "check-config") != 0)
        return OK;
    enum err err =
        tokens_check(&cfg->tokens, "receivers.otlp.auth.tokens", why);
    if (err)
        return err;
    err = tokens_check(&cfg->admin_tokens, "admin.auth.tokens", why);
    if (err)
        return err;
    if (sidecar_is_wanted(cfg))
        return tokens_check(&cfg->forward.tokens, "forward.auth.tokens", why);
    return tokens_check(&cfg->query_tokens, "query.auth.tokens", why);
}

/* The graph tells ages by the day. */
static bool
are_days(const struct config *cfg)
{
    uint64_t day_ns = S_PER_DAY * NS_PER_S;

    return cfg->gc_active_ns % day_ns == 0 && cfg->gc_stale_ns % day_ns == 0 &&
           cfg->gc_eligible_ns % day_ns == 0;
}

/* What each key allows, but not together. */
static enum err
check_sense(const struct config *cfg, struct buf *why)
{
    struct buf sets = {0};

    if (*cfg->sample_rate_key && !intake_knows_key(cfg->sample_rate_key))
        buf_printf(why,
                   "intake.sample_rate_key: \"%s\" is not among the "
                   "attributes that are read",
                   cfg->sample_rate_key);
    else if (*cfg->traces_path != '/')
        buf_printf(why,
                   "receivers.otlp.protocols.http.traces_url_path: \"%s\" "
                   "does not begin with /, and nobody would ask for it",
                   cfg->traces_path);
    else if (!*cfg->dir)
        buf_add(why, STR("store.dir must not be empty"));
    else if (cfg->self_trace.enabled && !*cfg->self_trace.service_name)
        buf_add(why, STR("service.self_trace.service_name must not be empty"));
    else if (cfg->wait_ns > cfg->horizon_ns)
        buf_add(why, STR("pairing.wait must not be longer than "
                         "pairing.horizon"));
    else if (cfg->gc_active_ns > cfg->gc_stale_ns ||
             cfg->gc_stale_ns > cfg->gc_eligible_ns)
        buf_add(why, STR("gc.active, gc.stale and gc.eligible must rise"));
    else if (!are_days(cfg))
        buf_add(why, STR("gc.active, gc.stale and gc.eligible are whole days, "
                         "such as 2d"));
    else if (tools_check_sets(cfg->toolsets, &sets))
        buf_printf(why, "query.toolsets: %s", buf_cstr(&sets));
    else if (tools_check_names(cfg->query_tools, &sets))
        buf_printf(why, "query.tools: %s", buf_cstr(&sets));
    else if (tools_check_names(cfg->query_exclude_tools, &sets))
        buf_printf(why, "query.exclude_tools: %s", buf_cstr(&sets));
    buf_fini(&sets);
    enum err err = why->len ? ERR_INVALID : check_addresses(cfg, why);
    if (!err)
        err = check_headers(cfg, why);
    if (!err)
        err = crawling_check(cfg, why);
    return err ? err : ai_check(cfg, why);
}

enum err
session_load_config(struct config *cfg, const char *command, const char *file,
                    const char *dir)
{
    struct buf why = {0};
    enum err err = config_init(cfg);

    if (!err && file)
        err = config_load(cfg, file, &why);
    if (!err && dir)
        err = config_set(cfg, "store.dir", dir, &why);
    cfg->asked.dir = dir != NULL;
    if (!err)
        err = check_sense(cfg, &why);
    if (!err)
        err = check_secrets(cfg, command, &why);
    if (err) {
        fprintf(stderr, "spangraph %s: %s\n", command,
                why.len ? buf_cstr(&why) : err_str(err));
        config_fini(cfg);
    } else {
        configure_log(cfg, command, strcmp(cfg->log_format, "json") == 0);
    }
    buf_fini(&why);
    return err;
}

void
session_reread(struct config *cfg)
{
    struct config fresh;
    struct buf why = {0};
    struct buf waiting = {0};

    if (!cfg->file)
        return;
    enum err err = config_init(&fresh);
    /* A pipe can be read at the start, and once. */
    if (!err && path_may_block(cfg->file)) {
        buf_printf(&why, "%s: not a regular file", cfg->file);
        err = ERR_IO;
    }
    if (!err && !(err = config_load(&fresh, cfg->file, &why)))
        err = check_sense(&fresh, &why);
    if (!err)
        err = check_secrets(&fresh, "serve", &why);
    if (cfg->asked.dir)
        fresh.dir = cfg->dir;
    if (cfg->asked.log_format)
        fresh.log_format = cfg->log_format;
    if (!err)
        err = config_take(cfg, &fresh, &waiting);
    log_set_level(level_of(cfg->log_level));
    if (err)
        log_error("configuration not reloaded, the old one stays", "error",
                  "%s", why.len ? buf_cstr(&why) : err_str(err));
    if (waiting.len)
        log_warn("changes that need a restart", "keys", "%s",
                 buf_cstr(&waiting));
    config_fini(&fresh);
    buf_fini(&waiting);
    buf_fini(&why);
}
