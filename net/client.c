/*
 * A socket that blocks, with timeouts of its own, and a deadline looked at
 * between reads; TLS is a layer that reads and writes in its place.  What comes
 * goes through http_parser, which knows when the answer is whole.
 */
#include "net/client.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <http_parser.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/clock.h"

struct peer {
    char host[256];
    char port[8];
    const char *path;
    bool is_tls;
};

struct client {
    int fd;
    SSL_CTX *ctx;
    SSL *ssl;
    uint64_t deadline_ns;
    struct buf *body;
    bool is_whole;
};

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

static enum err
read_url(const char *url, struct peer *out)
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
    out->path = parts.field_set & 1 << UF_PATH
                    ? url + parts.field_data[UF_PATH].off
                    : "/";
    return OK;
}

static void
set_timeouts(int fd, uint32_t timeout_ms)
{
    const struct timeval time = {.tv_sec = timeout_ms / 1000,
                                 .tv_usec =
                                     (suseconds_t)(timeout_ms % 1000) * 1000};

    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
}

static enum err
dial(struct client *client, const struct peer *peer, uint32_t timeout_ms,
     struct buf *why)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    int code = getaddrinfo(peer->host, peer->port, &hints, &list);

    for (const struct addrinfo *at = list; at && client->fd < 0;
         at = at->ai_next) {
        client->fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, 0);
        if (client->fd < 0)
            continue;
        set_timeouts(client->fd, timeout_ms);
        if (connect(client->fd, at->ai_addr, at->ai_addrlen) == 0)
            break;
        close(client->fd);
        client->fd = -1;
    }
    if (list)
        freeaddrinfo(list);
    if (client->fd >= 0)
        return OK;
    buf_printf(why, "%s:%s: %s", peer->host, peer->port,
               code ? gai_strerror(code) : strerror(errno));
    return ERR_IO;
}

static enum err
begin_tls(struct client *client, const struct peer *peer, struct buf *why)
{
    client->ctx = SSL_CTX_new(TLS_client_method());
    if (!client->ctx || !SSL_CTX_set_default_verify_paths(client->ctx) ||
        !SSL_CTX_set_min_proto_version(client->ctx, TLS1_2_VERSION))
        return ERR_NOMEM;
    SSL_CTX_set_verify(client->ctx, SSL_VERIFY_PEER, NULL);
    client->ssl = SSL_new(client->ctx);
    if (!client->ssl || !SSL_set_fd(client->ssl, client->fd) ||
        !SSL_set_tlsext_host_name(client->ssl, peer->host))
        return ERR_NOMEM;
    if (!X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(client->ssl),
                                       peer->host) &&
        !SSL_set1_host(client->ssl, peer->host))
        return ERR_NOMEM;
    if (SSL_connect(client->ssl) == 1)
        return OK;
    long verify = SSL_get_verify_result(client->ssl);
    buf_printf(why, "%s:%s: TLS: %s", peer->host, peer->port,
               verify != X509_V_OK ? X509_verify_cert_error_string(verify)
                                   : "the handshake failed");
    return ERR_IO;
}

static enum err
send_all(struct client *client, str bytes, struct buf *why)
{
    while (bytes.len) {
        int chunk = bytes.len > 1 << 20 ? 1 << 20 : (int)bytes.len;
        ssize_t sent = client->ssl ? SSL_write(client->ssl, bytes.ptr, chunk)
                                   : send(client->fd, bytes.ptr, (size_t)chunk,
                                          MSG_NOSIGNAL);

        if (sent <= 0) {
            buf_printf(why, "cannot send: %s", strerror(errno));
            return ERR_IO;
        }
        bytes = str_cut(bytes, (size_t)sent, bytes.len);
    }
    return OK;
}

static int
take_body(http_parser *parser, const char *at, size_t len)
{
    struct client *client = parser->data;

    buf_add(client->body, (str){at, len});
    return client->body->failed;
}

static int
take_end(http_parser *parser)
{
    struct client *client = parser->data;

    client->is_whole = true;
    return 0;
}

static enum err
receive(struct client *client, int *status, struct buf *why)
{
    const http_parser_settings settings = {.on_body = take_body,
                                           .on_message_complete = take_end};
    char room[1 << 14];
    http_parser parser;

    http_parser_init(&parser, HTTP_RESPONSE);
    parser.data = client;
    while (!client->is_whole && clock_mono_ns() < client->deadline_ns) {
        ssize_t got = client->ssl
                          ? SSL_read(client->ssl, room, (int)sizeof(room))
                          : recv(client->fd, room, sizeof(room), 0);
        size_t len = got > 0 ? (size_t)got : 0;

        if (http_parser_execute(&parser, &settings, room, len) != len) {
            if (client->body->failed)
                return ERR_TOO_LARGE;
            buf_add(why, STR("the answer is not HTTP"));
            return ERR_IO;
        }
        if (got <= 0)
            break;
    }
    *status = (int)parser.status_code;
    if (client->is_whole)
        return OK;
    buf_add(why, STR("no whole answer came in time"));
    return ERR_IO;
}

static enum err
talk(struct client *client, const struct client_request *req,
     const struct peer *peer, struct buf *why)
{
    struct buf head = {0};
    enum err err;

    buf_printf(&head,
               "%s %s HTTP/1.1\r\nHost: %s%s%s:%s\r\nConnection: close\r\n"
               "Content-Length: %zu\r\n%s\r\n",
               req->method, peer->path, strchr(peer->host, ':') ? "[" : "",
               peer->host, strchr(peer->host, ':') ? "]" : "", peer->port,
               req->body.len, req->headers ? req->headers : "");
    err = head.failed ? ERR_NOMEM : send_all(client, buf_str(&head), why);
    if (!err)
        err = send_all(client, req->body, why);
    buf_fini(&head);
    return err;
}

enum err
client_fetch(const struct client_request *req, int *status, struct buf *body,
             struct buf *why)
{
    struct client client = {
        .fd = -1,
        .deadline_ns = clock_mono_ns() + req->timeout_ms * NS_PER_MS,
        .body = body,
    };
    struct peer peer;
    enum err err = read_url(req->url, &peer);

    *status = 0;
    body->cap_max = CLIENT_ANSWER_MAX;
    if (err) {
        buf_printf(why, "%s is no http:// or https:// URL", req->url);
        return err;
    }
    err = dial(&client, &peer, req->timeout_ms, why);
    if (!err && peer.is_tls)
        err = begin_tls(&client, &peer, why);
    if (!err)
        err = talk(&client, req, &peer, why);
    if (!err)
        err = receive(&client, status, why);
    SSL_free(client.ssl);
    SSL_CTX_free(client.ctx);
    if (client.fd >= 0)
        close(client.fd);
    return err;
}
