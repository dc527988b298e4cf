/*
 * What comes goes through http_parser, which knows when the answer is whole.
 */
#include "net/client.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <http_parser.h>

#include "base/clock.h"
#include "net/dial.h"

struct client {
    struct dial dial;

    /* Of the answer being read. */
    http_parser parser;
    struct client_answer *answer;
    struct buf name; /* of the header being read */
    struct buf type; /* Content-Type */
    bool has_begun;
    bool is_whole;
    bool has_more; /* came behind it */
};

static int
take_name(http_parser *parser, const char *at, size_t len)
{
    struct client *client = parser->data;

    /* A new name: the value of the last one is over. */
    if (client->name.len && client->name.ptr[client->name.len - 1] == ':')
        buf_reset(&client->name);
    buf_add(&client->name, (str){at, len});
    return client->name.failed;
}

/* Is the header being read |name|, which ends with a colon? */
static bool
is_header(const struct client *client, str name)
{
    return client->name.len == name.len &&
           strncasecmp(client->name.ptr, name.ptr, name.len) == 0;
}

static int
take_value(http_parser *parser, const char *at, size_t len)
{
    struct client *client = parser->data;

    if (!client->name.len || client->name.ptr[client->name.len - 1] != ':')
        buf_add_char(&client->name, ':');
    if (is_header(client, STR("retry-after:")))
        buf_add(&client->answer->retry_after, (str){at, len});
    else if (is_header(client, STR("content-type:")))
        buf_add(&client->type, (str){at, len});
    return client->name.failed || client->type.failed ||
           client->answer->retry_after.failed;
}

static int
take_body(http_parser *parser, const char *at, size_t len)
{
    struct client *client = parser->data;

    buf_add(&client->answer->body, (str){at, len});
    return client->answer->body.failed;
}

/* What stands before the answer proper (100, 103) is not it, and what comes
 * behind it is not either. */
static int
take_end(http_parser *parser)
{
    struct client *client = parser->data;

    client->is_whole = parser->status_code >= 200;
    if (client->is_whole)
        http_parser_pause(parser, 1);
    return 0;
}

static enum err
take_bytes(struct client *client, const char *bytes, size_t len,
           struct buf *why)
{
    const http_parser_settings settings = {
        .on_header_field = take_name,
        .on_header_value = take_value,
        .on_body = take_body,
        .on_message_complete = take_end,
    };

    client->has_begun |= len > 0;
    size_t used = http_parser_execute(&client->parser, &settings, bytes, len);
    client->has_more = client->is_whole && used < len;
    if (used == len || client->is_whole)
        return OK;
    if (client->answer->body.failed)
        return ERR_TOO_LARGE;
    buf_add(why, len ? STR("the answer is not HTTP")
                     : STR("the answer was cut off"));
    return ERR_IO;
}

/* The end of the connection may be that of the answer, which http_parser is
 * told by no bytes. */
static enum err
receive(struct client *client, struct buf *why)
{
    char room[1 << 14];
    size_t got = 1;
    enum err err = OK;

    while (!err && !client->is_whole && got > 0) {
        err = dial_recv(&client->dial, room, sizeof(room), &got);
        if (!err)
            err = take_bytes(client, room, got, why);
    }
    client->answer->status = (int)client->parser.status_code;
    client->answer->is_page =
        strncasecmp(buf_cstr(&client->type), "text/html", 9) == 0;
    if (err == ERR_IO && !why->len && client->dial.trouble)
        buf_printf(why, "no whole answer came: %s", client->dial.trouble);
    else if (err == ERR_IO && !why->len)
        buf_add(why, STR("no whole answer came in time"));
    if (err || client->is_whole)
        return err;
    if (client->has_begun)
        buf_add(why, STR("the answer was cut off"));
    else if (client->dial.is_tls)
        buf_add(why, STR("the connection was closed without an answer"));
    else
        buf_add(why, STR("the connection was closed without an answer; if TLS "
                         "is spoken there, the URL begins with https://"));
    return ERR_IO;
}

static void
begin_answer(struct client *client, struct client_answer *answer)
{
    http_parser_init(&client->parser, HTTP_RESPONSE);
    client->parser.data = client;
    client->answer = answer;
    client->has_begun = false;
    client->is_whole = false;
    client->has_more = false;
    buf_reset(&client->name);
    buf_reset(&client->type);
    buf_reset(&answer->body);
    buf_reset(&answer->retry_after);
    answer->status = 0;
    answer->is_page = false;
}

static enum err
talk(struct client *client, const struct client_request *req, struct buf *why)
{
    const struct dial *peer = &client->dial;
    bool is_v6 = strchr(peer->host, ':') != NULL;
    struct buf head = {0};
    enum err err;

    buf_printf(&head,
               "%s %s HTTP/1.1\r\nHost: %s%s%s:%s\r\n"
               "Content-Length: %zu\r\n%s\r\n",
               req->method, peer->path, is_v6 ? "[" : "", peer->host,
               is_v6 ? "]" : "", peer->port, req->body.len,
               req->headers ? req->headers : "");
    err =
        head.failed ? ERR_NOMEM : dial_send(&client->dial, buf_str(&head), why);
    if (!err)
        err = dial_send(&client->dial, req->body, why);
    buf_fini(&head);
    client->answer->is_sent |= !err;
    /* A server may answer and close before it has read all; over TLS it says at
     * least why it does not. */
    struct buf heard = {0};
    if (!err || err == ERR_IO) {
        enum err got = receive(client, err ? &heard : why);
        if (err && got == ERR_IO && peer->ssl && heard.len) {
            buf_reset(why);
            buf_add(why, buf_str(&heard));
        }
        /* One that is too long is an answer. */
        err = err && got && got != ERR_TOO_LARGE ? err : got;
    }
    buf_fini(&heard);
    return err;
}

enum err
client_send(struct client *client, const struct client_request *req,
            struct client_answer *answer, struct buf *why)
{
    bool is_kept = client->dial.fd >= 0 && !dial_is_stale(&client->dial);
    enum err err = OK;

    client->dial.deadline_ns = clock_mono_ns() + req->timeout_ms * NS_PER_MS;
    answer->is_sent = false; /* by none of the tries */
    if (!answer->body.cap_max)
        answer->body.cap_max = CLIENT_ANSWER_MAX;
    for (int tries = 0; tries < 2; tries++) {
        begin_answer(client, answer);
        if (!is_kept) {
            dial_disconnect(&client->dial);
            err = dial_connect(&client->dial, why);
        }
        if (!err)
            err = talk(client, req, why);
        if (!is_kept || err != ERR_IO || client->has_begun ||
            clock_mono_ns() >= client->dial.deadline_ns)
            break;
        is_kept = false;
        err = OK;
        buf_reset(why);
    }
    if (err || client->has_more || !http_should_keep_alive(&client->parser))
        dial_disconnect(&client->dial);
    return err;
}

enum err
client_port(const char *url, uint16_t *out)
{
    struct dial dial;
    enum err err = dial_read_url(&dial, url);

    *out = err ? 0 : (uint16_t)strtoul(dial.port, NULL, 10);
    return err;
}

enum err
client_host(const char *url, char out[CLIENT_HOST_CAP])
{
    struct dial dial;
    enum err err = dial_read_url(&dial, url);

    static_assert(sizeof(dial.host) <= CLIENT_HOST_CAP, "it is copied whole");
    (void)snprintf(out, CLIENT_HOST_CAP, "%s", err ? "" : dial.host);
    return err;
}

enum err
client_open(struct client **out, const struct client_cfg *cfg, struct buf *why)
{
    struct client *client = calloc(1, sizeof(*client));

    *out = NULL;
    if (!client)
        return ERR_NOMEM;
    client->name.cap_max = client->type.cap_max = 16 << 10;
    enum err err = dial_init(&client->dial, cfg, why);
    if (err) {
        client_close(client);
        return err;
    }
    *out = client;
    return OK;
}

void
client_close(struct client *client)
{
    if (!client)
        return;
    dial_fini(&client->dial);
    buf_fini(&client->name);
    buf_fini(&client->type);
    free(client);
}

enum err
client_fetch(const struct client_request *req, int *status, struct buf *body,
             struct buf *why)
{
    const struct client_cfg cfg = {.url = req->url, .stop_fd = -1};
    struct client_request once = *req;
    struct client_answer answer = {0};
    struct client *client;
    struct buf headers = {0};
    enum err err = client_open(&client, &cfg, why);

    *status = 0;
    if (err)
        return err;
    buf_printf(&headers, "Connection: close\r\n%s",
               req->headers ? req->headers : "");
    once.headers = buf_cstr(&headers);
    err = headers.failed ? ERR_NOMEM : client_send(client, &once, &answer, why);
    *status = answer.status;
    buf_add(body, buf_str(&answer.body));
    if (!err && body->failed)
        err = ERR_NOMEM;
    buf_fini(&answer.body);
    buf_fini(&answer.retry_after);
    buf_fini(&headers);
    client_close(client);
    return err;
}
