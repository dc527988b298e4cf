/*
 * http - one GET, by libcurl, with every door shut that a crawler needs not.
 *
 * http and https alone, no proxy, no cookies, no passwords, no redirect that is
 * not asked for anew; each connection is checked against crawl/address.h when
 * it is made.  Bodies are bounded as they are decompressed.
 *
 * libcurl is loaded when http_open is called, in the process that asks, so
 * that no other carries it.
 *
 * Threads    None; one at a time.
 */
#ifndef CRAWL_HTTP_H
#define CRAWL_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "crawl/url.h"

struct http;

struct http_cfg {
    const char *agent;        /* User-Agent */
    const char *const *allow; /* rules of crawl/address.h */
    size_t allow_len;
    const char *ca_file; /* NULL: the system's */
    uint32_t timeout_ms; /* of one page */
    int control_fd;      /* closed by the other side: stop; -1: none */
};

struct http_ask {
    const struct url *url;
    const char *etag; /* NULL: none is known */
    const char *modified;
    size_t max_bytes;
};

enum http_end {
    HTTP_OK,      /* |status| says the rest */
    HTTP_REFUSED, /* an address that must not be asked */
    HTTP_LARGE,   /* more than max_bytes */
    HTTP_SLOW,
    HTTP_FAILED,    /* no connection, no name, a bad certificate, ... */
    HTTP_CANCELLED, /* the control descriptor was closed */
};

struct http_reply {
    enum http_end end;
    long status;
    uint32_t retry_s; /* Retry-After; 0: none */
    struct buf body;
    struct buf type; /* Content-Type */
    struct buf etag;
    struct buf modified;
    struct buf location;
    struct buf why; /* of what is not HTTP_OK */
};
void http_reply_fini(struct http_reply *reply);

/* http_open: ERR_UNSUPPORTED, libcurl is not installed; ERR_NOMEM.  |cfg| must
 * outlive it. */
enum err
http_open(struct http **out, const struct http_cfg *cfg, struct buf *why);
void http_close(struct http *http);

/* http_get fills |reply|, zeroed.  ERR_NOMEM. */
enum err http_get(struct http *http, const struct http_ask *ask,
                  struct http_reply *reply);

#endif
