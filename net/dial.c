/*
 * A socket that never blocks, and poll() with what is left of the deadline
 * wherever it would; TLS is a layer that reads and writes in its place.
 */
#include "net/dial.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <http_parser.h>
#include <openssl/err.h>

#include "base/clock.h"
#include "base/path.h"
#include "net/client.h"
#include "net/tls.h"

/* ---- the URL ---- */

/* Copies one part of |url| to |out| of |cap| bytes, if it is there and fits. */
static bool
take_part(const char *url, const struct http_parser_url *parts, int which,
          char *out, size_t cap)
{
    size_t len = parts->field_data[which].len;

    if (!(parts->field_set & 1 << which) || len >= cap)
        return false;
    memcpy(out, url + parts->field_data[which].off, len);
    out[len] = '\0';
    return true;
}

static bool
copy_text(char *out, size_t cap, const char *text)
{
    return (size_t)snprintf(out, cap, "%s", text) < cap;
}

enum err
dial_read_url(struct dial *out, const char *url)
{
    struct http_parser_url parts;
    char scheme[8];
    unsigned port;

    http_parser_url_init(&parts);
    if (http_parser_parse_url(url, strlen(url), 0, &parts) != 0 ||
        parts.field_set & 1 << UF_USERINFO ||
        !take_part(url, &parts, UF_SCHEMA, scheme, sizeof(scheme)) ||
        !take_part(url, &parts, UF_HOST, out->host, sizeof(out->host)))
        return ERR_INVALID;
    out->is_tls = strcasecmp(scheme, "https") == 0;
    if (!out->is_tls && strcasecmp(scheme, "http") != 0)
        return ERR_INVALID;
    port = out->is_tls ? 443 : 80;
    if (parts.field_set & 1 << UF_PORT)
        port = parts.port;
    (void)snprintf(out->port, sizeof(out->port), "%u", port);
    return copy_text(out->path, sizeof(out->path),
                     parts.field_set & 1 << UF_PATH
                         ? url + parts.field_data[UF_PATH].off
                         : "/")
               ? OK
               : ERR_INVALID;
}

/* ---- waiting ---- */

/* Waits until the socket is ready for |events|, no longer than to |until_ns|.
 * ERR_IO: it was too long. */
static enum err
wait_until(const struct dial *dial, short events, uint64_t until_ns)
{
    for (;;) {
        struct pollfd fds[2] = {{.fd = dial->fd, .events = events},
                                {.fd = dial->stop_fd, .events = POLLIN}};
        uint64_t now_ns = clock_mono_ns();
        uint64_t left_ms =
            until_ns > now_ns ? (until_ns - now_ns) / NS_PER_MS + 1 : 0;
        int got = poll(fds, 2, left_ms > 60000 ? 60000 : (int)left_ms);
        if (got > 0 && fds[1].revents)
            return ERR_CANCELLED;
        if (got > 0)
            return OK;
        if (clock_mono_ns() >= until_ns)
            return ERR_IO;
    }
}

/* What TLS says of its failure, such as an alert that came; else the system. */
static const char *
tls_trouble(int need)
{
    unsigned long code = ERR_peek_last_error();
    const char *reason = ERR_reason_error_string(code);

    if (need == SSL_ERROR_SSL &&
        ERR_GET_REASON(code) == SSL_R_WRONG_VERSION_NUMBER)
        return "no TLS is spoken there; without it the URL begins with http://";
    return need == SSL_ERROR_SSL && reason ? reason : strerror(errno);
}

/* Waits for what TLS said that it needs, or for |events|.  ERR_IO: it has
 * failed, or too long. */
static enum err
wait_more(struct dial *dial, ssize_t got, short events)
{
    dial->trouble = NULL;
    if (dial->ssl) {
        int need = SSL_get_error(dial->ssl, (int)got);
        if (need != SSL_ERROR_WANT_READ && need != SSL_ERROR_WANT_WRITE) {
            dial->trouble = tls_trouble(need);
            return ERR_IO;
        }
        events = need == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
    } else if (errno != EAGAIN && errno != EINTR) {
        dial->trouble = strerror(errno);
        return ERR_IO;
    }
    return wait_until(dial, events, dial->deadline_ns);
}

/* ---- the connection ---- */

void
dial_disconnect(struct dial *dial)
{
    SSL_free(dial->ssl);
    dial->ssl = NULL;
    if (dial->fd >= 0)
        close(dial->fd);
    dial->fd = -1;
}

/* Connects to one address, in no more than |share_ns|. */
static enum err
dial_one(struct dial *dial, const struct addrinfo *at, uint64_t share_ns)
{
    int code = 0;
    socklen_t len = sizeof(code);
    enum err err = OK;

    dial->fd = socket(at->ai_family,
                      at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (dial->fd < 0)
        return ERR_IO;
    if (connect(dial->fd, at->ai_addr, at->ai_addrlen) == 0)
        return OK;
    if (errno == EINPROGRESS) {
        err = wait_until(dial, POLLOUT, clock_mono_ns() + share_ns);
        errno = ETIMEDOUT;
        if (!err &&
            getsockopt(dial->fd, SOL_SOCKET, SO_ERROR, &code, &len) == 0)
            errno = code;
        if (!err && errno == 0)
            return OK;
    }
    code = errno;
    close(dial->fd);
    dial->fd = -1;
    errno = code;
    return err == ERR_CANCELLED ? err : ERR_IO;
}

/* Each address gets its share of the time that is left, so that one that never
 * answers does not take all of it. */
static enum err
call(struct dial *dial, struct buf *why)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    uint64_t left = 0;
    enum err err = ERR_IO;
    int code = getaddrinfo(dial->host, dial->port, &hints, &list);

    for (const struct addrinfo *at = list; at; at = at->ai_next)
        left++;
    for (const struct addrinfo *at = list; at && err == ERR_IO;
         at = at->ai_next, left--) {
        uint64_t now_ns = clock_mono_ns();
        if (now_ns < dial->deadline_ns)
            err = dial_one(dial, at, (dial->deadline_ns - now_ns) / left);
    }
    if (list)
        freeaddrinfo(list);
    if (err == ERR_IO)
        buf_printf(why, "%s:%s: %s", dial->host, dial->port,
                   code ? gai_strerror(code) : strerror(errno));
    return err;
}

static enum err
name_peer(struct dial *dial)
{
    X509_VERIFY_PARAM *param = SSL_get0_param(dial->ssl);
    const char *name = dial->name;

    if (X509_VERIFY_PARAM_set1_ip_asc(param, name))
        return OK;
    ERR_clear_error();
    return SSL_set_tlsext_host_name(dial->ssl, name) &&
                   SSL_set1_host(dial->ssl, name)
               ? OK
               : ERR_NOMEM;
}

static enum err
begin_tls(struct dial *dial, struct buf *why)
{
    enum err err = OK;
    int done = 0;

    dial->ssl = SSL_new(dial->ctx);
    if (!dial->ssl || !SSL_set_fd(dial->ssl, dial->fd) || name_peer(dial))
        return ERR_NOMEM;
    ERR_clear_error();
    while (!err && (done = SSL_connect(dial->ssl)) != 1)
        err = wait_more(dial, done, POLLIN);
    if (err != ERR_IO)
        return err;
    long verify = SSL_get_verify_result(dial->ssl);
    buf_printf(why, "%s:%s: TLS: ", dial->host, dial->port);
    if (verify != X509_V_OK)
        buf_add(why, str_of(X509_verify_cert_error_string(verify)));
    else
        buf_printf(why, "the handshake failed: %s",
                   dial->trouble ? dial->trouble : "it took too long");
    return err;
}

enum err
dial_connect(struct dial *dial, struct buf *why)
{
    enum err err = call(dial, why);

    if (!err && dial->is_tls)
        err = begin_tls(dial, why);
    return err;
}

bool
dial_is_stale(const struct dial *dial)
{
    struct pollfd fd = {.fd = dial->fd, .events = POLLIN};

    return poll(&fd, 1, 0) != 0;
}

enum err
dial_send(struct dial *dial, str bytes, struct buf *why)
{
    enum err err = OK;

    while (!err && bytes.len) {
        size_t chunk = bytes.len > 1 << 16 ? 1 << 16 : bytes.len;
        ERR_clear_error();
        ssize_t sent = dial->ssl
                           ? SSL_write(dial->ssl, bytes.ptr, (int)chunk)
                           : send(dial->fd, bytes.ptr, chunk, MSG_NOSIGNAL);
        if (sent > 0)
            bytes = str_cut(bytes, (size_t)sent, bytes.len);
        else
            err = wait_more(dial, sent, POLLOUT);
    }
    if (err == ERR_IO)
        buf_printf(why, "cannot send: %s",
                   dial->trouble ? dial->trouble : "it took too long");
    return err;
}

enum err
dial_recv(struct dial *dial, char *to, size_t len, size_t *got)
{
    for (;;) {
        ERR_clear_error();
        ssize_t now = dial->ssl ? SSL_read(dial->ssl, to, (int)len)
                                : recv(dial->fd, to, len, 0);
        bool is_end = dial->ssl ? SSL_get_error(dial->ssl, (int)now) ==
                                      SSL_ERROR_ZERO_RETURN
                                : now == 0;
        *got = now > 0 ? (size_t)now : 0;
        if (now > 0 || is_end)
            return OK;
        enum err err = wait_more(dial, now, POLLIN);
        if (err)
            return err;
    }
}

/* ---- life ---- */

static enum err
open_tls(struct dial *dial, const struct client_cfg *cfg, struct buf *why)
{
    static const unsigned char http1[] = "\x08http/1.1";
    const char *const files[] = {cfg->ca_file, cfg->cert_file, cfg->key_file};
    const char *bad = NULL;

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (files[i] && path_may_block(files[i])) {
            buf_printf(why, "%s: not a regular file", files[i]);
            return ERR_INVALID;
        }
    dial->ctx = SSL_CTX_new(TLS_client_method());
    if (!dial->ctx ||
        !SSL_CTX_set_min_proto_version(dial->ctx, TLS1_2_VERSION) ||
        SSL_CTX_set_alpn_protos(dial->ctx, http1, sizeof(http1) - 1))
        return ERR_NOMEM;
    SSL_CTX_set_default_passwd_cb(dial->ctx, tls_no_password);
    SSL_CTX_set_verify(dial->ctx, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(dial->ctx, SSL_MODE_ENABLE_PARTIAL_WRITE |
                                    SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    if (cfg->ca_file ? !SSL_CTX_load_verify_file(dial->ctx, cfg->ca_file)
                     : !SSL_CTX_set_default_verify_paths(dial->ctx))
        bad = cfg->ca_file ? cfg->ca_file : "the system's authorities";
    else if (cfg->cert_file &&
             SSL_CTX_use_certificate_chain_file(dial->ctx, cfg->cert_file) != 1)
        bad = cfg->cert_file;
    else if (cfg->key_file &&
             (SSL_CTX_use_PrivateKey_file(dial->ctx, cfg->key_file,
                                          SSL_FILETYPE_PEM) != 1 ||
              SSL_CTX_check_private_key(dial->ctx) != 1))
        bad = cfg->key_file;
    ERR_clear_error();
    if (!bad)
        return OK;
    buf_printf(why, "%s: cannot be read, or is not what it should be", bad);
    return ERR_INVALID;
}

enum err
dial_init(struct dial *dial, const struct client_cfg *cfg, struct buf *why)
{
    *dial = (struct dial){.fd = -1, .stop_fd = cfg->stop_fd};
    enum err err = dial_read_url(dial, cfg->url);
    if (!err && !copy_text(dial->name, sizeof(dial->name),
                           cfg->server_name ? cfg->server_name : dial->host))
        err = ERR_INVALID;
    if (err)
        buf_printf(why, "%s is no http:// or https:// URL", cfg->url);
    else if (dial->is_tls)
        err = open_tls(dial, cfg, why);
    return err;
}

void
dial_fini(struct dial *dial)
{
    dial_disconnect(dial);
    SSL_CTX_free(dial->ctx);
    dial->ctx = NULL;
}
