#include "cmd/inlet.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/listen.h"
#include "cmd/tokens.h"
#include "net/grpc.h"
#include "net/server.h"
#include "net/tls_suites.h"

struct inlet {
    const struct config *cfg;
    struct receiver *receiver;
    struct server *server;
    struct grpc_endpoint *grpc; /* NULL: off */
    struct cors cors;
    struct buf exposed; /* of it */
};

enum err
inlet_set_up(const struct config *cfg)
{
    const struct config_list *names = &cfg->grpc.tls.suites;
    struct tls_suites suites;
    enum err err = tls_suites_read(&suites, names->item, names->len, NULL);

    if (!err)
        err =
            grpc_endpoint_set_up(listen_needs_tls13(&cfg->grpc), suites.tls12);
    tls_suites_fini(&suites);
    return err;
}

enum err
inlet_open(struct inlet **out, const struct config *cfg,
           const struct trace_sink *sink, size_t lanes, struct buf *why)
{
    struct inlet *inlet = calloc(1, sizeof(*inlet));
    struct tokens tokens = {0};
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (!inlet)
        return ERR_NOMEM;
    inlet->cfg = cfg;
    if ((err = tokens_read(&tokens, &cfg->tokens, cfg->tokens_file, why)))
        goto out;
    const struct receiver_cfg receiver = {
        .traces_path = cfg->traces_path,
        .other_signals = strcmp(cfg->other_signals, "discard") == 0
                             ? OTHER_SIGNALS_DISCARD
                             : OTHER_SIGNALS_REJECT,
        .tokens = tokens.item,
        .token_len = tokens.len,
        .lanes = lanes,
    };
    if ((err = receiver_new(&inlet->receiver, &receiver, sink)) ||
        (err = server_new(&inlet->server)))
        goto out;
    *out = inlet;
    inlet = NULL;
out:
    tokens_fini(&tokens);
    inlet_close(inlet);
    return err;
}

static enum err
listen_grpc(struct inlet *inlet, struct buf *why)
{
    const struct config_listener *cfg = &inlet->cfg->grpc;
    struct server_listener listener;
    char host[LISTEN_HOST_CAP];
    enum err err;

    if (!cfg->enabled)
        return OK;
    err = listen_from_config(&listener, cfg, inlet->cfg->request_bytes, host,
                             why);
    if (err)
        return err;
    listener.handler = receiver_handle;
    listener.body_most = receiver_body_most;
    listener.ctx = inlet->receiver;
    listener.is_any_thread = true;
    err = grpc_endpoint_new(&inlet->grpc, &listener, why);
    if (!err)
        listen_log("grpc", host, grpc_endpoint_port(inlet->grpc));
    listen_advise(err, "receivers.otlp.protocols.grpc.endpoint", why);
    return err;
}

enum err
inlet_listen(struct inlet *inlet, struct buf *why)
{
    const struct config *cfg = inlet->cfg;
    const struct listen_to to = {.what = "http",
                                 .key =
                                     "receivers.otlp.protocols.http.endpoint",
                                 .handler = receiver_handle,
                                 .body_most = receiver_body_most,
                                 .ctx = inlet->receiver,
                                 .cors = &inlet->cors,
                                 .is_any_thread = true};
    enum err err = listen_grpc(inlet, why);

    buf_add(&inlet->exposed, STR("Retry-After, WWW-Authenticate"));
    for (size_t i = 0; i < cfg->cors.exposed.len; i++)
        buf_printf(&inlet->exposed, ", %s", cfg->cors.exposed.item[i]);
    if (!err && inlet->exposed.failed)
        err = ERR_NOMEM;
    inlet->cors = (struct cors){
        .origins = cfg->cors.origins.item,
        .origin_len = cfg->cors.origins.len,
        .has_globs = true,
        .headers = cfg->cors.headers.item,
        .header_len = cfg->cors.headers.len,
        .methods = "POST",
        .exposed = buf_cstr(&inlet->exposed),
        .max_age_s = (uint32_t)cfg->cors.max_age_s,
    };
    if (!err)
        err = listen_http(inlet->server, &cfg->http, cfg->request_bytes, &to,
                          why);
    return err;
}

enum err
inlet_start(struct inlet *inlet)
{
    enum err err = server_start(inlet->server);

    if (!err && inlet->grpc)
        err = grpc_endpoint_start(inlet->grpc);
    if (!err)
        receiver_set_serving(inlet->receiver, true);
    return err;
}

uint16_t
inlet_grpc_port(const struct inlet *inlet)
{
    return inlet->grpc ? grpc_endpoint_port(inlet->grpc) : 0;
}

uint16_t
inlet_http_port(const struct inlet *inlet)
{
    return inlet->cfg->http.enabled ? server_port(inlet->server, 0) : 0;
}

struct server *
inlet_grpc_server(const struct inlet *inlet)
{
    return inlet->grpc ? grpc_endpoint_server(inlet->grpc) : NULL;
}

struct server *
inlet_http_server(const struct inlet *inlet)
{
    return inlet->cfg->http.enabled ? inlet->server : NULL;
}

enum err
inlet_reload(struct inlet *inlet, struct buf *why)
{
    const struct config *cfg = inlet->cfg;
    struct tokens tokens;
    enum err err = tokens_read(&tokens, &cfg->tokens, cfg->tokens_file, why);

    if (!err)
        err = receiver_set_tokens(inlet->receiver, tokens.item, tokens.len);
    tokens_fini(&tokens);
    server_reload(inlet->server);
    if (inlet->grpc)
        grpc_endpoint_reload(inlet->grpc);
    return err;
}

void
inlet_stop(struct inlet *inlet, uint32_t drain_ms)
{
    if (!inlet)
        return;
    receiver_set_serving(inlet->receiver, false);
    /* Both at once: one slow sender on each does not make it twice as long. */
    server_drain(inlet->server, drain_ms);
    if (inlet->grpc)
        grpc_endpoint_stop(inlet->grpc, drain_ms);
    server_stop(inlet->server, drain_ms);
}

void
inlet_close(struct inlet *inlet)
{
    if (!inlet)
        return;
    grpc_endpoint_free(inlet->grpc);
    server_free(inlet->server);
    receiver_free(inlet->receiver);
    buf_fini(&inlet->exposed);
    free(inlet);
}
