#include "relay/forward.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "otlp/wire.h"

enum { ANSWER_MAX = 64 << 10, SAID_MAX = 300, WIRE_PAD = 16 };

struct forward {
    struct client *client;
    char *headers;
    uint32_t timeout_ms;
    struct client_answer answer;
};

/* |url| with the path of the traces signal, unless it has one. */
static enum err
whole_url(const char *url, struct buf *out)
{
    const char *host = strstr(url, "://");
    const char *path = host ? strchr(host + 3, '/') : NULL;

    buf_add(out, str_of(url));
    if (host && (!path || path[1] == '\0'))
        buf_printf(out, "%sv1/traces", path ? "" : "/");
    return out->failed ? ERR_NOMEM : OK;
}

enum err
forward_new(struct forward **out, const struct forward_cfg *cfg,
            struct buf *why)
{
    struct forward *forward = calloc(1, sizeof(*forward));
    struct client_cfg gateway = cfg->gateway;
    struct buf headers = {0};
    struct buf url = {0};
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (!forward || (err = whole_url(cfg->gateway.url, &url)))
        goto out;
    buf_printf(&headers,
               "Content-Type: application/x-protobuf\r\n"
               "Content-Encoding: gzip\r\n%s",
               cfg->headers ? cfg->headers : "");
    err = ERR_NOMEM;
    if (headers.failed || !(forward->headers = strdup(buf_cstr(&headers))))
        goto out;
    forward->timeout_ms = cfg->timeout_ms;
    forward->answer.body.cap_max = ANSWER_MAX;
    gateway.url = buf_cstr(&url);
    if ((err = client_open(&forward->client, &gateway, why)))
        goto out;
    *out = forward;
    forward = NULL;
out:
    forward_free(forward);
    buf_fini(&headers);
    buf_fini(&url);
    return err;
}

void
forward_free(struct forward *forward)
{
    if (!forward)
        return;
    client_close(forward->client);
    buf_fini(&forward->answer.body);
    buf_fini(&forward->answer.retry_after);
    free(forward->headers);
    free(forward);
}

/* ---- answers ---- */

/* The first field |number| of |message|, which has WIRE_PAD bytes behind it. */
static bool
find_field(str message, uint32_t number, enum wire_type type,
           struct wire_field *out)
{
    const uint8_t *p = (const uint8_t *)message.ptr;
    const uint8_t *end = p + message.len;

    while (p && p < end) {
        p = wire_next(p, end, out);
        if (p && out->number == number && out->type == type)
            return true;
    }
    return false;
}

static void
add_said(struct buf *why, str said)
{
    said = str_cut(said, 0, SAID_MAX);
    if (said.len && utf8_valid(said))
        buf_printf(why, ": %.*s", (int)said.len, said.ptr);
}

/* ExportTraceServiceResponse.partial_success; its absence is full success. */
static void
read_success(str body, struct forward_answer *answer)
{
    struct wire_field field;
    struct wire_field inner;

    if (!find_field(body, 1, WIRE_BYTES, &field))
        return;
    str partial = wire_str(&field);
    if (find_field(partial, 1, WIRE_VARINT, &inner))
        answer->rejected = inner.value;
    if (find_field(partial, 2, WIRE_BYTES, &inner))
        add_said(&answer->why, wire_str(&inner));
}

/* Seconds, or a date. */
static uint32_t
read_retry_after(const char *text)
{
    struct tm when = {0};
    char *end;
    /* Not strtoull's sign: -1 would be the longest wait. */
    bool is_number = *text >= '0' && *text <= '9';
    unsigned long long seconds = strtoull(text, &end, 10);

    if (!is_number || *end) {
        uint64_t now_s = clock_wall_ns() / NS_PER_S;
        end = strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &when);
        time_t at = end && !*end ? timegm(&when) : 0;
        seconds = at > 0 && (uint64_t)at > now_s ? (uint64_t)at - now_s : 0;
    }
    if (seconds > FORWARD_WAIT_MAX_MS / 1000)
        return FORWARD_WAIT_MAX_MS;
    return (uint32_t)seconds * 1000;
}

static void
read_refusal(str body, struct forward_answer *answer)
{
    static const int listed[] = {429, 502, 503, 504};
    int status = answer->status;
    struct wire_field field;

    answer->outcome = FORWARD_REFUSED;
    if (status == 408 || status == 429 || (status >= 500 && status != 501))
        answer->outcome = FORWARD_LATER;
    answer->is_odd = answer->outcome == FORWARD_LATER;
    for (size_t i = 0; i < sizeof(listed) / sizeof(*listed); i++)
        answer->is_odd &= status != listed[i];
    /* A proxy that heard nothing in time does not know either. */
    answer->is_doubtful = status >= 500 && status != 503;
    buf_printf(&answer->why, "%d", status);
    if (find_field(body, 2, WIRE_BYTES, &field))
        add_said(&answer->why, wire_str(&field));
}

static void
read_answer(struct forward *forward, struct forward_answer *answer)
{
    struct client_answer *got = &forward->answer;

    got->body.cap_max = 0;
    char *pad = buf_grow(&got->body, WIRE_PAD);
    got->body.cap_max = ANSWER_MAX;
    if (pad)
        memset(pad, 0, WIRE_PAD);
    str body = pad ? buf_str(&got->body) : STR("");
    answer->status = got->status;
    answer->outcome = FORWARD_TAKEN;
    if (got->status >= 200 && got->status < 300)
        read_success(body, answer);
    else
        read_refusal(body, answer);
    if (answer->outcome == FORWARD_LATER && got->retry_after.len)
        answer->retry_ms = read_retry_after(buf_cstr(&got->retry_after));
}

/* No gateway says so much to a batch that it took, or says it in HTML, but
 * whoever stands between does with a page of its own: nobody knows, and it is
 * not asked for ever. */
static void
distrust(struct forward_answer *answer, bool is_long)
{
    answer->outcome = FORWARD_LATER;
    answer->is_odd = true;
    answer->is_doubtful = true;
    buf_printf(&answer->why, "%d with ", answer->status);
    if (is_long)
        buf_printf(&answer->why, "more than %d KiB", ANSWER_MAX >> 10);
    else
        buf_add(&answer->why, STR("HTML"));
    buf_add(&answer->why, STR(", which no gateway says"));
}

void
forward_send(struct forward *forward, str packed, struct forward_answer *answer)
{
    const struct client_request req = {
        .method = "POST",
        .headers = forward->headers,
        .body = packed,
        .timeout_ms = forward->timeout_ms,
    };
    struct buf why = {0};

    buf_reset(&answer->why);
    *answer = (struct forward_answer){.why = answer->why};
    enum err err = client_send(forward->client, &req, &forward->answer, &why);
    /* It was answered. */
    bool is_long = err == ERR_TOO_LARGE;
    if (is_long)
        buf_reset(&forward->answer.body);
    if (!err || is_long) {
        read_answer(forward, answer);
        if ((is_long || forward->answer.is_page) &&
            answer->outcome == FORWARD_TAKEN)
            distrust(answer, is_long);
    } else {
        answer->outcome =
            err == ERR_CANCELLED ? FORWARD_STOPPED : FORWARD_LATER;
        answer->is_doubtful = forward->answer.is_sent;
        buf_add(&answer->why, why.len ? buf_str(&why) : str_of(err_str(err)));
    }
    buf_fini(&why);
}

uint32_t
forward_wait_ms(uint32_t tries, uint32_t first_ms, uint32_t most_ms,
                uint32_t asked_ms, uint64_t random)
{
    uint64_t wait = first_ms;

    for (uint32_t i = 1; i < tries && wait < most_ms; i++)
        wait += wait / 2 + 1;
    if (wait > most_ms)
        wait = most_ms;
    wait = wait / 2 + (wait / 2 ? random % (wait / 2 + 1) : 0);
    return wait > asked_ms ? (uint32_t)wait : asked_ms;
}
