/*
 * A request that is told of gets other operations: they note the answer, put
 * the transport's own back and call those.  They are found again by where they
 * are: at the beginning of what is kept of the request.
 */
#include "cmd/self_trace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/steady.h"
#include "base/thread.h"
#include "cmd/self_span.h"
#include "net/client.h"

enum {
    SEND_EVERY_S = 2,
    SEND_AT = SELF_SPANS_MAX / 2,
    TIMEOUT_MS = 5000,
    LAST_TIMEOUT_MS = 2000,
    SERVER_ERROR = 500
};

struct self_trace {
    const char *service;
    uint64_t one_in;
    struct buf url;
    struct buf headers;
    atomic_uint_fast64_t seen;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_stopped;
    size_t len;
    struct self_span waiting[SELF_SPANS_MAX];
    struct self_span sending[SELF_SPANS_MAX]; /* the thread's */
};

/* ---- what is told ---- */

static bool
is_chosen(struct self_trace *trace)
{
    return trace &&
           atomic_fetch_add_explicit(&trace->seen, 1, memory_order_relaxed) %
                   trace->one_in ==
               0;
}

static void
add_span(struct self_trace *trace, const struct self_span *span)
{
    pthread_mutex_lock(&trace->lock);
    bool fits = trace->len < SELF_SPANS_MAX;
    if (fits)
        trace->waiting[trace->len++] = *span;
    if (trace->len >= SEND_AT)
        pthread_cond_signal(&trace->changed);
    pthread_mutex_unlock(&trace->lock);
    if (!fits)
        metrics_add(METRIC_SELF_LOST, 1);
}

void
self_trace_flushed(void *ctx, uint64_t duration_ns, enum err err)
{
    struct self_trace *trace = ctx;
    struct self_span span;
    uint64_t now_ns = clock_wall_ns();

    if (!is_chosen(trace))
        return;
    self_span_begin(&span, (str){0}, now_ns - duration_ns);
    span.end_ns = now_ns;
    span.has_failed = err != OK;
    (void)snprintf(span.name, sizeof(span.name), "flush");
    add_span(trace, &span);
}

/* ---- requests ---- */

struct told {
    struct request_ops ops; /* first: request.ops points here */
    struct told *self;
    const struct request_ops *real;
    struct self_trace *trace;
    uint64_t start_mono_ns;
    struct self_span span;
};

static struct told *
told_of(const struct request *req)
{
    return ((const struct told *)(const void *)req->ops)->self;
}

static void
finish(struct told *told)
{
    struct self_span *span = &told->span;

    span->end_ns = span->start_ns + (clock_mono_ns() - told->start_mono_ns);
    span->has_failed = span->status >= SERVER_ERROR;
    add_span(told->trace, span);
    free(told);
}

static void
reply(struct request *req, const struct reply *answer)
{
    struct told *told = told_of(req);

    told->span.status = answer->status;
    req->ops = told->real;
    request_reply(req, answer);
    finish(told);
}

static void
stream_open(struct request *req, const struct reply *head)
{
    struct told *told = told_of(req);

    told->span.status = head->status;
    told->real->stream_open(req, head);
}

static bool
stream_write(struct request *req, str bytes)
{
    return told_of(req)->real->stream_write(req, bytes);
}

static void
stream_close(struct request *req)
{
    struct told *told = told_of(req);

    req->ops = told->real;
    request_stream_close(req);
    finish(told);
}

void
self_trace_request(struct self_trace *trace, struct request *req)
{
    struct told *told = is_chosen(trace) ? malloc(sizeof(*told)) : NULL;

    if (!told)
        return;
    *told = (struct told){
        .ops = {reply, stream_open, stream_write, stream_close},
        .self = told,
        .real = req->ops,
        .trace = trace,
        .start_mono_ns = clock_mono_ns(),
    };
    self_span_begin(&told->span, request_header(req, STR("traceparent")),
                    clock_wall_ns());
    if (self_span_of_request(&told->span, req))
        req->ops = &told->ops;
    else
        free(told);
}

/* ---- sending ---- */

static void
send_spans(struct self_trace *trace, size_t len, uint32_t timeout_ms)
{
    struct buf json = {0};
    struct buf answer = {0};
    struct buf why = {0};
    int status = 0;
    enum err err = ERR_NOMEM;

    if (self_span_json(trace->sending, len, trace->service, &json)) {
        const struct client_request req = {
            .method = "POST",
            .url = buf_cstr(&trace->url),
            .headers = buf_cstr(&trace->headers),
            .body = buf_str(&json),
            .timeout_ms = timeout_ms,
        };
        err = client_fetch(&req, &status, &answer, &why);
    }
    if (!err && status / 100 != 2)
        buf_printf(&why, "answered %d", status);
    if (err || why.len)
        log_warn("spans of the service itself are lost", "why", "%s",
                 why.len ? buf_cstr(&why) : err_str(err));
    metrics_add(err || why.len ? METRIC_SELF_LOST : METRIC_SELF_SENT,
                (int64_t)len);
    buf_fini(&json);
    buf_fini(&answer);
    buf_fini(&why);
}

static void *
run(void *ctx)
{
    struct self_trace *trace = ctx;
    bool is_stopped = false;

    thread_set_name("self-trace");
    while (!is_stopped) {
        uint64_t until_ns = clock_mono_ns() + SEND_EVERY_S * NS_PER_S;

        pthread_mutex_lock(&trace->lock);
        while (!trace->is_stopped && trace->len < SEND_AT &&
               steady_wait(&trace->changed, &trace->lock, until_ns))
            continue;
        size_t len = trace->len;
        memcpy(trace->sending, trace->waiting, len * sizeof(*trace->sending));
        trace->len = 0;
        is_stopped = trace->is_stopped;
        pthread_mutex_unlock(&trace->lock);
        if (len)
            send_spans(trace, len, is_stopped ? LAST_TIMEOUT_MS : TIMEOUT_MS);
    }
    return NULL;
}

/* ---- beginning and end ---- */

static void
add_base(struct buf *out, const char *base)
{
    static const str path = {"/v1/traces", sizeof("/v1/traces") - 1};
    str text = str_of(base);

    while (text.len && text.ptr[text.len - 1] == '/')
        text.len--;
    buf_add(out, text);
    if (text.len < path.len ||
        !str_eq(str_cut(text, text.len - path.len, text.len), path))
        buf_add(out, path);
}

void
self_trace_url(const struct config *cfg, struct buf *out)
{
    const char *whole =
        config_text(getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"));
    const char *base = config_text(getenv("OTEL_EXPORTER_OTLP_ENDPOINT"));

    if (config_text(cfg->self_trace.endpoint))
        add_base(out, cfg->self_trace.endpoint);
    else if (whole)
        buf_add(out, str_of(whole));
    else
        add_base(out, base ? base : "http://localhost:4318");
}

/* OTEL_EXPORTER_OTLP_HEADERS: name=value, with commas between. */
static void
add_headers(struct buf *out)
{
    const char *at = getenv("OTEL_EXPORTER_OTLP_HEADERS");

    buf_add(out, STR("Content-Type: application/json\r\n"));
    for (; at && *at; at += *at == ',') {
        size_t len = strcspn(at, ",");
        size_t name = strcspn(at, "=,");

        if (name && name < len && !memchr(at, '\r', len) &&
            !memchr(at, '\n', len))
            buf_printf(out, "%.*s: %.*s\r\n", (int)name, at,
                       (int)(len - name - 1), at + name + 1);
        at += len;
    }
}

static void
free_all(struct self_trace *trace)
{
    pthread_cond_destroy(&trace->changed);
    pthread_mutex_destroy(&trace->lock);
    buf_fini(&trace->url);
    buf_fini(&trace->headers);
    free(trace);
}

enum err
self_trace_start(struct self_trace **out, const struct config *cfg,
                 struct buf *why)
{
    struct self_trace *trace;
    uint16_t port;
    enum err err = OK;

    *out = NULL;
    if (!cfg->self_trace.enabled)
        return OK;
    trace = calloc(1, sizeof(*trace));
    if (!trace)
        return ERR_NOMEM;
    pthread_mutex_init(&trace->lock, NULL);
    steady_init(&trace->changed);
    trace->service = cfg->self_trace.service_name;
    trace->one_in = cfg->self_trace.one_in;
    self_trace_url(cfg, &trace->url);
    add_headers(&trace->headers);
    if (client_port(buf_cstr(&trace->url), &port)) {
        buf_printf(why,
                   "service.self_trace.endpoint: %s is no http:// or https:// "
                   "URL",
                   buf_cstr(&trace->url));
        err = ERR_INVALID;
    } else if (trace->headers.failed ||
               pthread_create(&trace->thread, NULL, run, trace) != 0) {
        err = ERR_NOMEM;
    }
    if (err)
        free_all(trace);
    else
        *out = trace;
    return err;
}

void
self_trace_stop(struct self_trace *trace)
{
    if (!trace)
        return;
    pthread_mutex_lock(&trace->lock);
    trace->is_stopped = true;
    pthread_cond_signal(&trace->changed);
    pthread_mutex_unlock(&trace->lock);
    (void)pthread_join(trace->thread, NULL);
    free_all(trace);
}
