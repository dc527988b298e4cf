#include "cmd/admin.h"

#include <stdlib.h>

#include "api/debug.h"
#include "api/params.h"
#include "cmd/inlet.h"
#include "cmd/inside.h"
#include "cmd/listen.h"
#include "cmd/tokens.h"

enum { CONNS_USUAL = 1000, CONNS_MOST = 100000 };

/* Of answers under way: there are few who ask. */
enum { BUDGET_BYTES = 64 << 20 };

struct admin {
    const struct config *cfg;
    struct admin_parts parts;
    struct debug *debug;
    struct server *server;
};

/* ---- what is told ---- */

static enum err
tell_connections(void *ctx, str query, struct buf *out)
{
    const struct admin *admin = ctx;
    const struct config *cfg = admin->cfg;
    uint64_t most = CONNS_USUAL;
    const struct inside_door doors[] = {
        {"receivers.otlp.protocols.grpc", inlet_grpc_server(admin->parts.inlet),
         cfg->grpc.enabled},
        {"receivers.otlp.protocols.http", inlet_http_server(admin->parts.inlet),
         cfg->http.enabled},
        {"query", admin->parts.answer, cfg->query.enabled},
    };

    if (!params_find_number(query, STR("limit"), &most) || most == 0 ||
        most > CONNS_MOST) {
        buf_printf(out, "limit is a number of 1 to %d", CONNS_MOST);
        return ERR_INVALID;
    }
    inside_connections(doors, sizeof(doors) / sizeof(doors[0]), most, out);
    return OK;
}

static enum err
tell_memory(void *ctx, str query, struct buf *out)
{
    const struct admin *admin = ctx;

    (void)query;
    inside_memory(admin->cfg, out);
    return OK;
}

static enum err
tell_store(void *ctx, str query, struct buf *out)
{
    const struct admin *admin = ctx;

    (void)query;
    inside_store(admin->cfg, admin->parts.is_writable(admin->parts.ctx), out);
    return OK;
}

static enum err
tell_threads(void *ctx, str query, struct buf *out)
{
    (void)ctx;
    (void)query;
    inside_threads(out);
    return OK;
}

static const struct debug_report reports[] = {
    {"connections", tell_connections},
    {"memory", tell_memory},
    {"store", tell_store},
    {"threads", tell_threads},
};

/* ---- who is told ---- */

static bool
is_reached_by_others(const struct config_listener *cfg)
{
    char host[LISTEN_HOST_CAP];
    uint16_t port;

    return cfg->enabled &&
           config_split_endpoint(cfg->endpoint, host, sizeof(host), &port) ==
               OK &&
           !listen_is_loopback(host);
}

enum err
admin_check(const struct config *cfg, struct buf *why)
{
    if (!is_reached_by_others(&cfg->admin) || cfg->admin_tokens.len ||
        config_text(cfg->admin_tokens_file) ||
        config_text(cfg->admin.tls.client_ca_file))
        return OK;
    buf_printf(why,
               "admin.endpoint %s answers other machines: set "
               "admin.auth.tokens_file, or admin.tls.client_ca_file",
               cfg->admin.endpoint);
    return ERR_DENIED;
}

static enum err
take_tokens(struct admin *admin, struct buf *why)
{
    const struct config *cfg = admin->cfg;
    struct tokens tokens;
    enum err err =
        tokens_read(&tokens, &cfg->admin_tokens, cfg->admin_tokens_file, why);

    if (!err)
        err = debug_set_tokens(admin->debug, tokens.item, tokens.len);
    tokens_fini(&tokens);
    return err;
}

static size_t
no_body(void *ctx, const struct request *req)
{
    (void)ctx;
    (void)req;
    return 0;
}

static enum err
open_all(struct admin *admin, struct buf *why)
{
    const struct config *cfg = admin->cfg;
    const struct debug_cfg debug = {
        .reports = reports,
        .len = sizeof(reports) / sizeof(reports[0]),
        .ctx = admin,
        .allowed_hosts = cfg->allowed_hosts.item,
        .allowed_host_len = cfg->allowed_hosts.len,
    };
    enum err err = admin_check(cfg, why);

    if (!err)
        err = debug_new(&admin->debug, &debug);
    if (!err)
        err = take_tokens(admin, why);
    if (!err)
        err = server_new(&admin->server);
    if (err)
        return err;
    const struct listen_to to = {.what = "admin",
                                 .key = "admin.endpoint",
                                 .handler = debug_handle,
                                 .body_most = no_body,
                                 .ctx = admin->debug};

    err = listen_http(admin->server, &cfg->admin, BUDGET_BYTES, &to, why);
    return err ? err : server_start(admin->server);
}

enum err
admin_start(struct admin **out, const struct config *cfg,
            const struct admin_parts *parts, struct buf *why)
{
    *out = NULL;
    if (!cfg->admin.enabled)
        return OK;
    struct admin *admin = calloc(1, sizeof(*admin));
    enum err err = admin ? OK : ERR_NOMEM;

    if (!err) {
        admin->cfg = cfg;
        admin->parts = *parts;
        err = open_all(admin, why);
    }
    if (err)
        admin_stop(admin);
    else
        *out = admin;
    return err;
}

enum err
admin_reload(struct admin *admin, struct buf *why)
{
    if (!admin)
        return OK;
    enum err err = take_tokens(admin, why);

    server_reload(admin->server);
    return err;
}

void
admin_stop(struct admin *admin)
{
    if (!admin)
        return;
    server_stop(admin->server, 0);
    server_free(admin->server);
    debug_free(admin->debug);
    free(admin);
}
