/*
 * listen - from a configured endpoint to what net/ takes.
 *
 * Threads    None.
 */
#ifndef CMD_LISTEN_H
#define CMD_LISTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "cmd/config.h"
#include "net/server.h"

enum { LISTEN_HOST_CAP = 256 };

/* listen_from_config fills |out| but for the handler; its address lives in
 * |host|.  ERR_INVALID: |why| says which endpoint. */
enum err
listen_from_config(struct server_listener *out,
                   const struct config_listener *cfg, uint64_t budget_bytes,
                   char host[LISTEN_HOST_CAP], struct buf *why);

/* listen_needs_tls13: TLS 1.2 is not spoken there. */
bool listen_needs_tls13(const struct config_listener *cfg);

/* What answers on a listener, what the log calls it, and the key of its
 * endpoint. */
struct listen_to {
    const char *what;
    const char *key;
    request_handler *handler;
    request_body_most *body_most; /* as in struct server_listener */
    void *ctx;
    const struct cors *cors; /* likewise, but that it may list no origin */
    bool is_any_thread;      /* as in struct server_listener */
};

/* listen_http opens |cfg| on |server|, unless it is off, and says where. Errors
 * as server_listen. */
enum err
listen_http(struct server *server, const struct config_listener *cfg,
            uint64_t budget_bytes, const struct listen_to *to, struct buf *why);

/* listen_try opens all listeners of |cfg|, without their certificates, and
 * closes them again: who cannot listen anyway need not make a store first.
 * Errors as server_listen. */
enum err listen_try(const struct config *cfg, struct buf *why);

/* listen_advise adds to |why| what to do about |err| of listening where |key|
 * says, if that can be told. */
void listen_advise(enum err err, const char *key, struct buf *why);

/* listen_log says where |what| can be reached. */
void listen_log(const char *what, const char *host, uint16_t port);

/* listen_takes: what goes to |host|, an address or localhost, comes to the
 * listener at |address|, were the ports the same, by any address that this
 * machine has.  Other names are not looked up. */
bool listen_takes(const char *address, const char *host);

/* listen_is_loopback: only this machine can reach |host|. */
bool listen_is_loopback(const char *host);

#endif
