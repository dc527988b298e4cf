/*
 * A request is refused at the first thing that is wrong with it, in the order
 * of receiver_handle: who asks, what for, how, and only then its bytes.  The
 * health check comes before all that: probes carry no token.
 *
 * A lane is held from begin to submit, never while the sink makes the spans
 * safe, so that lanes are as few as threads.  What is needed for the answer
 * then is a struct pending, which the sink's |done| brings back.
 */
#include "otlp/receiver.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "net/tokens.h"
#include "otlp/decode.h"
#include "otlp/proto/grpc_health.pb-c.h"
#include "otlp/status.h"

enum { HEALTH_REQUEST_MAX = 4096 };

#define COLLECTOR     "opentelemetry.proto.collector."
#define TRACE_SERVICE COLLECTOR "trace.v1.TraceService"

struct receiver {
    struct trace_sink sink;
    char *traces_path;
    enum other_signals other_signals;
    struct tokens *tokens;
    atomic_bool is_serving;
    atomic_bool is_warned; /* of discarded signals, once */
    /* When each kind of refusal was last logged (log_is_due). */
    _Atomic uint64_t said_ns[REFUSE_COUNT];
    pthread_mutex_t lock; /* for the lanes */
    size_t *lanes;        /* those that are free */
    size_t lanes_free;
    struct decode_scratch **scratch; /* of each lane */
    size_t lane_len;
};

struct pending {
    struct receiver *receiver;
    struct request *req;
    enum body_format format;
    struct decode_result result;
};

enum route { ROUTE_NONE, ROUTE_TRACES, ROUTE_OTHER, ROUTE_HEALTH };

/* All but HTTP's path for traces, which is configured. */
static const struct {
    enum request_protocol protocol;
    enum route route;
    const char *path;
} routes[] = {
    {REQUEST_GRPC, ROUTE_TRACES, "/" TRACE_SERVICE "/Export"},
    {REQUEST_GRPC, ROUTE_HEALTH, "/grpc.health.v1.Health/Check"},
    {REQUEST_GRPC, ROUTE_OTHER, "/" COLLECTOR "logs.v1.LogsService/Export"},
    {REQUEST_GRPC, ROUTE_OTHER,
     "/" COLLECTOR "metrics.v1.MetricsService/Export"},
    {REQUEST_GRPC, ROUTE_OTHER,
     "/" COLLECTOR "profiles.v1development.ProfilesService/Export"},
    {REQUEST_HTTP, ROUTE_OTHER, "/v1/logs"},
    {REQUEST_HTTP, ROUTE_OTHER, "/v1/metrics"},
    {REQUEST_HTTP, ROUTE_OTHER, "/v1development/profiles"},
};

static enum route
route_of(const struct receiver *receiver, const struct request *req)
{
    if (req->protocol == REQUEST_HTTP &&
        str_eq(req->path, str_of(receiver->traces_path)))
        return ROUTE_TRACES;
    for (size_t i = 0; i < sizeof(routes) / sizeof(*routes); i++)
        if (routes[i].protocol == req->protocol &&
            str_eq(req->path, str_of(routes[i].path)))
            return routes[i].route;
    return ROUTE_NONE;
}

/* Reads |format| off the content type; false when it is neither, and then an
 * answer is protobuf, the more common one. */
static bool
read_format(const struct request *req, enum body_format *format)
{
    static const struct {
        str name;
        enum body_format format;
    } types[] = {
        {STR_INIT("application/x-protobuf"), BODY_PROTOBUF},
        {STR_INIT("application/json"), BODY_JSON},
    };
    str type = request_header(req, STR("content-type"));
    const char *end = type.len ? memchr(type.ptr, ';', type.len) : NULL;

    *format = BODY_PROTOBUF;
    if (req->protocol == REQUEST_GRPC)
        return true;
    if (end)
        type.len = (size_t)(end - type.ptr);
    while (type.len > 0 && type.ptr[type.len - 1] == ' ')
        type.len--;
    for (size_t i = 0; i < 2; i++) {
        if (type.len == types[i].name.len &&
            strncasecmp(type.ptr, types[i].name.ptr, type.len) == 0) {
            *format = types[i].format;
            return true;
        }
    }
    return false;
}

/* What is refused for good its sender drops, so whoever runs this should hear
 * of it, though not of each one.  Who only looks (GET) has nothing to drop. */
static void
log_refusal(struct receiver *receiver, const struct request *req,
            enum refusal why, str message)
{
    if (!status_is_final(why) || !str_eq(req->method, STR("POST")) ||
        !log_is_due(&receiver->said_ns[why]))
        return;
    if (!message.len)
        message = str_of(status_words(why));
    log_warn("a request was refused, and its sender drops it; the same again "
             "is not logged for a minute",
             "why", "%.*s", (int)message.len, message.ptr);
}

static void
answer_refusal(struct receiver *receiver, struct request *req,
               enum body_format format, enum refusal why, str message)
{
    status_refuse(req, format, why, message,
                  receiver->sink.retry_ms(receiver->sink.ctx));
}

static void
refuse(struct receiver *receiver, struct request *req, enum body_format format,
       enum refusal why, str message)
{
    log_refusal(receiver, req, why, message);
    answer_refusal(receiver, req, format, why, message);
}

/* Lanes. */

static bool
take_lane(struct receiver *receiver, size_t *lane)
{
    bool is_found = false;

    pthread_mutex_lock(&receiver->lock);
    if (receiver->lanes_free > 0) {
        *lane = receiver->lanes[--receiver->lanes_free];
        is_found = true;
    }
    pthread_mutex_unlock(&receiver->lock);
    return is_found;
}

static void
give_lane(struct receiver *receiver, size_t lane)
{
    pthread_mutex_lock(&receiver->lock);
    receiver->lanes[receiver->lanes_free++] = lane;
    pthread_mutex_unlock(&receiver->lock);
}

/* Traces. */

static void
accept_traces(const struct pending *pending)
{
    const struct decode_result *result = &pending->result;
    struct buf message = {.cap_max = 1024};

    metrics_add(METRIC_SPANS_ACCEPTED, result->accepted);
    metrics_add(METRIC_SPANS_REJECTED, result->rejected);
    if (result->rejected > 0)
        buf_printf(&message, "%u of %u spans rejected; the first: %s",
                   result->rejected, result->accepted + result->rejected,
                   result->reject_reason ? result->reject_reason : "invalid");
    if (result->has_bad_text)
        buf_printf(&message, "%stext that is not UTF-8 was left out",
                   message.len > 0 ? "; " : "");
    status_accept(pending->req, pending->format, result->rejected,
                  buf_str(&message));
    buf_fini(&message);
}

static void
on_done(void *ctx, enum err err)
{
    struct pending *pending = ctx;

    if (err)
        refuse(pending->receiver, pending->req, pending->format,
               refusal_of_err(err), STR(""));
    else
        accept_traces(pending);
    free(pending);
}

static void
refuse_decode(const struct pending *pending, enum err err)
{
    const struct decode_result *result = &pending->result;
    struct buf message = {.cap_max = 1024};

    if (err == ERR_INVALID)
        buf_printf(&message, "malformed request at byte %zu: %s",
                   result->error_at, result->error ? result->error : "invalid");
    refuse(pending->receiver, pending->req, pending->format,
           refusal_of_err(err), buf_str(&message));
    buf_fini(&message);
}

static enum err
decode(struct receiver *receiver, size_t lane, struct pending *pending,
       const struct span_visitor *visitor)
{
    str body = pending->req->body;
    uint64_t begin_ns = clock_mono_ns();
    enum err err = pending->format == BODY_JSON
                       ? decode_json(receiver->scratch[lane], body, false,
                                     visitor, &pending->result)
                       : decode_protobuf(receiver->scratch[lane], body, visitor,
                                         &pending->result);

    metrics_observe(METRIC_DECODE_SECONDS, clock_mono_ns() - begin_ns);
    return err;
}

/* Takes |pending| over, whatever happens. */
static void
export_on_lane(struct receiver *receiver, size_t lane, struct pending *pending)
{
    const struct trace_sink *sink = &receiver->sink;
    struct span_visitor visitor;
    enum err err = sink->begin(sink->ctx, lane, &visitor);

    if (err) {
        on_done(pending, err);
        return;
    }
    err = decode(receiver, lane, pending, &visitor);
    if (err) {
        sink->abort(sink->ctx, lane);
        refuse_decode(pending, err);
        free(pending);
        return;
    }
    if (pending->result.accepted == 0 && pending->result.rejected == 0) {
        sink->abort(sink->ctx, lane);
        on_done(pending, OK);
        return;
    }
    sink->submit(sink->ctx, lane, pending->req->body, pending->result.rejected,
                 on_done, pending);
}

static void
export_traces(struct receiver *receiver, struct request *req,
              enum body_format format)
{
    struct pending *pending = malloc(sizeof(*pending));
    size_t lane;

    metrics_add(METRIC_RECEIVED_BYTES, (int64_t)req->body.len);
    if (!pending || !take_lane(receiver, &lane)) {
        free(pending);
        refuse(receiver, req, format, REFUSE_FULL, STR(""));
        return;
    }
    *pending =
        (struct pending){.receiver = receiver, .req = req, .format = format};
    export_on_lane(receiver, lane, pending);
    give_lane(receiver, lane);
}

/* Other signals. */

static void
discard(struct receiver *receiver, struct request *req, enum body_format format)
{
    static const char warning[] =
        "discarded: this server keeps traces only; this is said once";
    bool is_warned = atomic_exchange(&receiver->is_warned, true);

    metrics_add(METRIC_DISCARDED_OTHER, 1);
    if (!is_warned)
        log_warn("a sender's logs, metrics or profiles are discarded", "path",
                 "%.*s", (int)req->path.len, req->path.ptr);
    status_accept(req, format, 0, is_warned ? STR("") : str_of(warning));
}

/* Health. */

static void
check_health(struct receiver *receiver, struct request *req)
{
    Spangraph__Wire__HealthCheckRequest *check = NULL;

    if (!req->problem && req->body.len <= HEALTH_REQUEST_MAX)
        check = spangraph__wire__health_check_request__unpack(
            NULL, req->body.len, (const uint8_t *)req->body.ptr);
    if (req->problem)
        answer_refusal(receiver, req, BODY_PROTOBUF,
                       refusal_of_problem(req->problem), STR(""));
    else if (!check)
        answer_refusal(receiver, req, BODY_PROTOBUF, REFUSE_MALFORMED, STR(""));
    else if (*check->service == '\0' ||
             strcmp(check->service, TRACE_SERVICE) == 0)
        status_health(req, atomic_load(&receiver->is_serving));
    else
        answer_refusal(receiver, req, BODY_PROTOBUF, REFUSE_UNKNOWN, STR(""));
    if (check)
        spangraph__wire__health_check_request__free_unpacked(check, NULL);
}

static void
refuse_problem(struct receiver *receiver, struct request *req,
               enum body_format format)
{
    str message = STR("");

    if (req->problem == REQUEST_BAD_ENCODING)
        message = STR("malformed request: the body does not decompress");
    else if (req->problem == REQUEST_BAD_FRAME)
        message = STR("malformed request: not exactly one whole message");
    refuse(receiver, req, format, refusal_of_problem(req->problem), message);
}

static void
handle_signal(struct receiver *receiver, struct request *req,
              enum body_format format, enum route route)
{
    if (req->problem)
        refuse_problem(receiver, req, format);
    else if (route == ROUTE_OTHER)
        discard(receiver, req, format);
    else
        export_traces(receiver, req, format);
}

/* What a request is refused for whatever its body, or REFUSE_COUNT. */
static enum refusal
judge(const struct receiver *receiver, const struct request *req,
      enum route route, bool is_known)
{
    if (!tokens_allow(receiver->tokens,
                      request_header(req, STR("authorization"))))
        return REFUSE_DENIED;
    if (route == ROUTE_NONE ||
        (route == ROUTE_OTHER &&
         receiver->other_signals == OTHER_SIGNALS_REJECT))
        return REFUSE_PATH;
    if (!str_eq(req->method, STR("POST")))
        return REFUSE_METHOD;
    return is_known ? REFUSE_COUNT : REFUSE_MEDIA_TYPE;
}

size_t
receiver_body_most(void *ctx, const struct request *req)
{
    const struct receiver *receiver = ctx;
    enum route route = route_of(receiver, req);
    enum body_format format;
    bool is_known = read_format(req, &format);

    if (route == ROUTE_HEALTH)
        return HEALTH_REQUEST_MAX;
    return judge(receiver, req, route, is_known) == REFUSE_COUNT ? SIZE_MAX : 0;
}

void
receiver_handle(void *ctx, struct request *req)
{
    struct receiver *receiver = ctx;
    enum route route = route_of(receiver, req);
    enum body_format format;
    bool is_known = read_format(req, &format);

    if (route == ROUTE_HEALTH) {
        check_health(receiver, req);
        return;
    }
    if (route == ROUTE_TRACES)
        metrics_add(req->protocol == REQUEST_GRPC ? METRIC_RECEIVED_GRPC
                                                  : METRIC_RECEIVED_HTTP,
                    1);
    enum refusal why = judge(receiver, req, route, is_known);
    if (why == REFUSE_COUNT)
        handle_signal(receiver, req, format, route);
    else
        refuse(receiver, req, format, why,
               why == REFUSE_PATH && route == ROUTE_OTHER
                   ? STR("this server takes traces only")
                   : STR(""));
}

static enum err
make_lanes(struct receiver *receiver, size_t len)
{
    receiver->lanes = calloc(len + 1, sizeof(*receiver->lanes));
    receiver->scratch = calloc(len + 1, sizeof(struct decode_scratch *));
    if (!receiver->lanes || !receiver->scratch)
        return ERR_NOMEM;
    for (; receiver->lane_len < len; receiver->lane_len++) {
        size_t lane = receiver->lane_len;
        if (!(receiver->scratch[lane] = decode_scratch_new()))
            return ERR_NOMEM;
        /* The first lane is taken first: it stays warm when one is enough. */
        receiver->lanes[len - 1 - lane] = lane;
    }
    receiver->lanes_free = len;
    return OK;
}

enum err
receiver_new(struct receiver **out, const struct receiver_cfg *cfg,
             const struct trace_sink *sink)
{
    enum err err = ERR_NOMEM;
    struct receiver *receiver = calloc(1, sizeof(*receiver));

    *out = NULL;
    if (!receiver)
        return ERR_NOMEM;
    pthread_mutex_init(&receiver->lock, NULL);
    atomic_init(&receiver->is_serving, false);
    atomic_init(&receiver->is_warned, false);
    for (size_t i = 0; i < REFUSE_COUNT; i++)
        atomic_init(&receiver->said_ns[i], 0);
    receiver->sink = *sink;
    receiver->other_signals = cfg->other_signals;
    receiver->traces_path = strdup(cfg->traces_path);
    receiver->tokens = tokens_new();
    if (!receiver->traces_path || !receiver->tokens)
        goto out;
    if ((err = tokens_set(receiver->tokens, cfg->tokens, cfg->token_len)))
        goto out;
    if ((err = make_lanes(receiver, cfg->lanes)))
        goto out;
    *out = receiver;
    receiver = NULL;
out:
    receiver_free(receiver);
    return err;
}

void
receiver_free(struct receiver *receiver)
{
    if (!receiver)
        return;
    for (size_t i = 0; receiver->scratch && i < receiver->lane_len; i++)
        decode_scratch_free(receiver->scratch[i]);
    free(receiver->scratch);
    free(receiver->lanes);
    tokens_free(receiver->tokens);
    free(receiver->traces_path);
    pthread_mutex_destroy(&receiver->lock);
    free(receiver);
}

enum err
receiver_set_tokens(struct receiver *receiver, const char *const *tokens,
                    size_t len)
{
    return tokens_set(receiver->tokens, tokens, len);
}

void
receiver_set_serving(struct receiver *receiver, bool serving)
{
    atomic_store(&receiver->is_serving, serving);
}
