/*
 * In the order in which data goes through them: listeners, relay.  They stop in
 * that order too, and share the drain: what the listeners leave of it is the
 * forwarder's.
 */
#include "cmd/sidecar.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/api.h"
#include "base/clock.h"
#include "base/log.h"
#include "cmd/admin.h"
#include "cmd/confine.h"
#include "cmd/header_lines.h"
#include "cmd/inlet.h"
#include "cmd/lean.h"
#include "cmd/life.h"
#include "cmd/listen.h"
#include "cmd/options.h"
#include "cmd/session.h"
#include "cmd/tokens.h"
#include "cmd/watch.h"
#include "net/server.h"
#include "relay/relay.h"
#include "store/files.h"

/* A lane for each thread that may decode at once. */
enum { LANES = 4 };

struct sidecar {
    struct config *cfg; /* changed by reload alone, on the main thread */
    struct relay *relay;
    struct watch watch;
    struct trace_sink sink;
    struct inlet *inlet;
    struct server *answer;
    struct api *api;
    struct admin *admin; /* NULL: off */
    struct buf why;
};

bool
sidecar_is_wanted(const struct config *cfg)
{
    return config_text(cfg->forward.endpoint) != NULL;
}

/* ---- the gateway ---- */

static enum err
add_headers(const struct config *cfg, struct buf *out, struct buf *why)
{
    struct tokens tokens;
    enum err err = tokens_read(&tokens, &cfg->forward.tokens,
                               cfg->forward.tokens_file, why);

    if (!err && tokens.len > 1) {
        buf_add(why, STR("forward.auth: one token is enough"));
        err = ERR_INVALID;
    }
    if (!err && tokens.len)
        buf_printf(out, "Authorization: Bearer %s\r\n", tokens.item[0]);
    tokens_fini(&tokens);
    if (!err)
        err = header_lines_check(&cfg->forward.headers, "forward.headers", why);
    for (size_t i = 0; i < cfg->forward.headers.len && !err; i++)
        buf_printf(out, "%s\r\n", cfg->forward.headers.item[i]);
    return err ? err : out->failed ? ERR_NOMEM : OK;
}

static enum err
set_gateway(struct sidecar *sidecar, struct buf *why)
{
    const struct config_forward *cfg = &sidecar->cfg->forward;
    struct buf headers = {0};
    enum err err = add_headers(sidecar->cfg, &headers, why);
    const struct forward_cfg forward = {
        .gateway =
            {
                .url = cfg->endpoint,
                .ca_file = config_text(cfg->ca_file),
                .cert_file = config_text(cfg->cert_file),
                .key_file = config_text(cfg->key_file),
                .server_name = config_text(cfg->server_name),
                .stop_fd = relay_stop_fd(sidecar->relay),
            },
        .headers = buf_cstr(&headers),
        .timeout_ms = (uint32_t)(cfg->timeout_ns / NS_PER_MS),
    };

    if (!err && !forward.gateway.cert_file != !forward.gateway.key_file) {
        buf_add(why, STR("forward.tls needs both cert_file and key_file"));
        err = ERR_INVALID;
    }
    if (!err)
        err = relay_set_gateway(sidecar->relay, &forward, why);
    buf_fini(&headers);
    return err;
}

static enum err
start_relay(struct sidecar *sidecar)
{
    const struct config *cfg = sidecar->cfg;
    const struct relay_cfg relay = {
        .dir = cfg->dir,
        .spool =
            {
                .max_bytes = cfg->forward.spool_bytes,
                .batch_bytes = cfg->forward.batch_bytes,
                .batch_age_ns = cfg->forward.batch_age_ns,
                .is_durable = strcmp(cfg->durability, "commit") == 0,
            },
        .answer_at_once = strcmp(cfg->durability, "memory") == 0,
        .group_ms = (uint32_t)(cfg->group_ns / NS_PER_MS),
        .retry_first_ms = (uint32_t)(cfg->forward.retry_first_ns / NS_PER_MS),
        .retry_most_ms = (uint32_t)(cfg->forward.retry_most_ns / NS_PER_MS),
        .lanes = LANES,
    };
    enum err err = relay_open(&sidecar->relay, &relay, &sidecar->why);

    if (!err)
        err = set_gateway(sidecar, &sidecar->why);
    if (!err)
        err = relay_start(sidecar->relay);
    if (!err)
        relay_get_sink(sidecar->relay, &sidecar->sink);
    return err;
}

/* ---- what it is asked ---- */

static bool
is_ready(void *ctx)
{
    const struct sidecar *sidecar = ctx;

    return relay_is_writable(sidecar->relay);
}

static enum err
start_api(struct sidecar *sidecar)
{
    const struct config *cfg = sidecar->cfg;
    const struct api_cfg api = {
        .allowed_hosts = cfg->allowed_hosts.item,
        .allowed_host_len = cfg->allowed_hosts.len,
        .allowed_origins = cfg->allowed_origins.item,
        .allowed_origin_len = cfg->allowed_origins.len,
    };
    enum err err = api_new(&sidecar->api, &api, is_ready, sidecar);

    if (!err)
        err = server_new(&sidecar->answer);
    if (!err)
        err = listen_http(sidecar->answer, &cfg->query, cfg->request_bytes,
                          &(struct listen_to){.what = "query",
                                              .key = "query.endpoint",
                                              .handler = api_handle,
                                              .body_most = api_body_most,
                                              .ctx = sidecar->api},
                          &sidecar->why);
    return err;
}

static enum err
start_admin(struct sidecar *sidecar)
{
    const struct admin_parts parts = {.inlet = sidecar->inlet,
                                      .answer = sidecar->answer,
                                      .is_writable = is_ready,
                                      .ctx = sidecar};

    return admin_start(&sidecar->admin, sidecar->cfg, &parts, &sidecar->why);
}

/* ---- life ---- */

static enum err
start(struct sidecar *sidecar)
{
    const struct config *cfg = sidecar->cfg;
    enum err err = admin_check(cfg, &sidecar->why);

    if (!err && access(cfg->dir, F_OK))
        err = listen_try(cfg, &sidecar->why);
    if (!err)
        err = files_make_dir(cfg->dir, &sidecar->why);
    if (err)
        return err;
    confine_report(cfg, confine_service(cfg));
    if ((err = start_relay(sidecar)) ||
        (err = inlet_open(&sidecar->inlet, cfg, &sidecar->sink, LANES,
                          &sidecar->why)) ||
        (err = start_api(sidecar)) ||
        (err = inlet_listen(sidecar->inlet, &sidecar->why)) ||
        (err = server_start(sidecar->answer)) || (err = start_admin(sidecar)))
        return err;
    return inlet_start(sidecar->inlet);
}

static void
stop(struct sidecar *sidecar)
{
    uint64_t until_ns = clock_mono_ns() + sidecar->cfg->drain_ns;

    if (sidecar->api)
        api_set_draining(sidecar->api);
    inlet_stop(sidecar->inlet, life_left_ms(until_ns));
    if (sidecar->relay)
        relay_stop(sidecar->relay, life_left_ms(until_ns));
    if (sidecar->answer)
        server_stop(sidecar->answer, life_left_ms(until_ns));
    admin_stop(sidecar->admin);
    inlet_close(sidecar->inlet);
    server_free(sidecar->answer);
    api_free(sidecar->api);
    relay_close(sidecar->relay);
}

/* Has a file changed that read_files reads? */
static bool
have_changed(void *ctx)
{
    struct sidecar *sidecar = ctx;
    const struct config *cfg = sidecar->cfg;
    const struct config_forward *forward = &cfg->forward;
    const char *const files[] = {
        cfg->tokens_file, cfg->admin_tokens_file, forward->tokens_file,
        forward->ca_file, forward->cert_file,     forward->key_file,
    };

    return watch_look(&sidecar->watch, files, sizeof(files) / sizeof(*files));
}

static void
read_files(void *ctx)
{
    struct sidecar *sidecar = ctx;
    struct buf why = {0};
    enum err err = inlet_reload(sidecar->inlet, &why);

    if (err)
        log_error("tokens not reloaded, the old ones stay", "receivers", "%s",
                  why.len ? buf_cstr(&why) : err_str(err));
    buf_reset(&why);
    if ((err = admin_reload(sidecar->admin, &why)))
        log_error("tokens not reloaded, the old ones stay", "admin", "%s",
                  why.len ? buf_cstr(&why) : err_str(err));
    buf_reset(&why);
    if ((err = set_gateway(sidecar, &why)))
        log_error("the gateway's settings are not reloaded, the old ones stay",
                  "forward", "%s", why.len ? buf_cstr(&why) : err_str(err));
    buf_fini(&why);
    server_reload(sidecar->answer);
    log_info("reloaded", NULL, NULL);
}

int
sidecar_run(struct config *cfg)
{
    struct sidecar sidecar = {.cfg = cfg};
    sigset_t set = life_block_signals();

    life_raise_files();
    /* One arena for all threads: it is to be small before it is fast. */
    (void)mallopt(M_ARENA_MAX, 1);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 20);
    (void)have_changed(&sidecar);
    enum err err = start(&sidecar);
    if (err) {
        fprintf(stderr, "spangraph serve: %s\n",
                sidecar.why.len ? buf_cstr(&sidecar.why) : err_str(err));
    } else {
        (void)lean_start();
        log_info("ready", "forward", "%s", cfg->forward.endpoint);
        life_wait(&set, cfg,
                  &(struct life_calls){.have_changed = have_changed,
                                       .read_files = read_files,
                                       .ctx = &sidecar});
    }
    stop(&sidecar);
    buf_fini(&sidecar.why);
    if (!err)
        log_info("stopped", NULL, NULL);
    return err ? EXIT_CANNOT_RUN : EXIT_CLEAN;
}
