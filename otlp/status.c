/*
 * The table follows OTLP 1.11.0, "OTLP/gRPC Response" and "OTLP/HTTP
 * Response".  Two rows deserve a word: RESOURCE_EXHAUSTED without RetryInfo
 * makes a client drop the data, so it is only for what can never pass; and 503
 * is chosen over 429 because it says the same over both protocols.
 */
#include "otlp/status.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/utf8.h"
#include "net/inflate.h"
#include "otlp/proto/google_rpc.pb-c.h"
#include "otlp/proto/grpc_health.pb-c.h"
#include "otlp/proto/trace_response.pb-c.h"

enum { ANSWER_MAX = 4096 };

/* grpc_code has those that transports need; this one is ours alone. */
enum { CODE_NOT_FOUND = 5 };

enum detail { DETAIL_NONE, DETAIL_BAD_REQUEST, DETAIL_RETRY };

#define TYPE_URL "type.googleapis.com/google.rpc."

struct row {
    int http;
    int code; /* google.rpc.Code, which is also gRPC's */
    enum metric metric;
    enum detail detail;
    const char *header; /* HTTP, with |value|; of DETAIL_RETRY: Retry-After */
    const char *value;
    const char *message;
};

/* clang-format off */
static const struct row table[] = {
    [REFUSE_MALFORMED] = {
        400, GRPC_CODE_INVALID_ARGUMENT, METRIC_REFUSED_INVALID,
        DETAIL_BAD_REQUEST, NULL, NULL,
        "malformed request"},
    [REFUSE_TOO_LARGE] = {
        413, GRPC_CODE_RESOURCE_EXHAUSTED, METRIC_REFUSED_TOO_LARGE,
        DETAIL_NONE, NULL, NULL,
        "the request is larger than this server takes; send smaller batches"},
    [REFUSE_ENCODING] = {
        415, GRPC_CODE_UNIMPLEMENTED, METRIC_REFUSED_UNSUPPORTED,
        DETAIL_NONE, "accept-encoding", ENCODINGS_ACCEPTED,
        "unsupported compression; accepted: " ENCODINGS_ACCEPTED},
    [REFUSE_MEDIA_TYPE] = {
        415, GRPC_CODE_INVALID_ARGUMENT, METRIC_REFUSED_UNSUPPORTED,
        DETAIL_NONE, "accept", "application/x-protobuf, application/json",
        "unsupported content type; accepted: application/x-protobuf, "
        "application/json"},
    [REFUSE_METHOD] = {
        405, GRPC_CODE_UNIMPLEMENTED, METRIC_REFUSED_UNSUPPORTED,
        DETAIL_NONE, "allow", "POST",
        "only POST is supported here"},
    [REFUSE_PATH] = {
        404, GRPC_CODE_UNIMPLEMENTED, METRIC_REFUSED_UNSUPPORTED,
        DETAIL_NONE, NULL, NULL,
        "nothing is served here"},
    [REFUSE_DENIED] = {
        401, GRPC_CODE_UNAUTHENTICATED, METRIC_REFUSED_DENIED,
        DETAIL_NONE, "www-authenticate", "Bearer",
        "a valid bearer token is required"},
    [REFUSE_UNKNOWN] = {
        404, CODE_NOT_FOUND, METRIC_REFUSED_UNSUPPORTED,
        DETAIL_NONE, NULL, NULL,
        "unknown service"},
    [REFUSE_FULL] = {
        503, GRPC_CODE_UNAVAILABLE, METRIC_REFUSED_FULL,
        DETAIL_RETRY, "retry-after", NULL,
        "too much is waiting; try again later"},
    [REFUSE_STORE] = {
        503, GRPC_CODE_UNAVAILABLE, METRIC_REFUSED_STORE,
        DETAIL_RETRY, "retry-after", NULL,
        "the spans could not be stored; try again later"},
};
/* clang-format on */

enum refusal
refusal_of_err(enum err err)
{
    switch (err) {
    case ERR_INVALID:
        return REFUSE_MALFORMED;
    case ERR_TOO_LARGE:
        return REFUSE_TOO_LARGE;
    case ERR_UNSUPPORTED:
        return REFUSE_ENCODING;
    case ERR_DENIED:
        return REFUSE_DENIED;
    case ERR_FULL:
    case ERR_NOMEM:
        return REFUSE_FULL;
    default: /* ours, not the sender's: it keeps the data and comes back */
        return REFUSE_STORE;
    }
}

enum refusal
refusal_of_problem(enum request_problem problem)
{
    switch (problem) {
    case REQUEST_TOO_LARGE:
        return REFUSE_TOO_LARGE;
    case REQUEST_UNSUPPORTED_ENCODING:
        return REFUSE_ENCODING;
    case REQUEST_NO_ROOM:
        return REFUSE_FULL;
    default:
        return REFUSE_MALFORMED;
    }
}

static str
content_type(enum body_format format)
{
    return format == BODY_JSON ? STR("application/json")
                               : STR("application/x-protobuf");
}

static void
send_reply(struct request *req, const struct reply *reply)
{
    metrics_observe(METRIC_REQUEST_SECONDS,
                    clock_mono_ns() - req->received_mono_ns);
    request_reply(req, reply);
}

static void
add_packed(struct buf *out, const ProtobufCMessage *message)
{
    char *at = buf_grow(out, protobuf_c_message_get_packed_size(message));

    if (at)
        out->len += protobuf_c_message_pack(message, (uint8_t *)at);
}

static void
add_json_str(struct buf *out, str text)
{
    buf_add_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '"' || c == '\\')
            buf_add_char(out, '\\');
        if (c < 0x20)
            buf_printf(out, "\\u%04x", c);
        else
            buf_add_char(out, (char)c);
    }
    buf_add_char(out, '"');
}

bool
status_is_final(enum refusal why)
{
    return table[why].detail != DETAIL_RETRY;
}

const char *
status_words(enum refusal why)
{
    return table[why].message;
}

/* One refusal, about to be written down. */
struct draft {
    const struct row *row;
    char *message; /* NUL-terminated, clean */
    uint32_t retry_ms;
};

static void
add_detail_pb(struct buf *out, const struct draft *draft)
{
    if (draft->row->detail == DETAIL_RETRY) {
        Spangraph__Wire__Duration delay;
        Spangraph__Wire__RetryInfo info;
        spangraph__wire__duration__init(&delay);
        spangraph__wire__retry_info__init(&info);
        delay.seconds = draft->retry_ms / 1000;
        delay.nanos = (int32_t)(draft->retry_ms % 1000 * NS_PER_MS);
        info.retry_delay = &delay;
        add_packed(out, &info.base);
        return;
    }
    static char field[] = "body";
    Spangraph__Wire__BadRequest bad;
    Spangraph__Wire__BadRequest__FieldViolation violation;
    Spangraph__Wire__BadRequest__FieldViolation *list[] = {&violation};
    spangraph__wire__bad_request__init(&bad);
    spangraph__wire__bad_request__field_violation__init(&violation);
    violation.field = field;
    violation.description = draft->message;
    bad.n_field_violations = 1;
    bad.field_violations = list;
    add_packed(out, &bad.base);
}

static void
add_status_pb(struct buf *out, const struct draft *draft)
{
    static char retry_type[] = TYPE_URL "RetryInfo";
    static char bad_type[] = TYPE_URL "BadRequest";
    struct buf packed = {.cap_max = ANSWER_MAX};
    Spangraph__Wire__Status status;
    Spangraph__Wire__Any any;
    Spangraph__Wire__Any *details[] = {&any};

    spangraph__wire__status__init(&status);
    spangraph__wire__any__init(&any);
    status.code = draft->row->code;
    status.message = draft->message;
    if (draft->row->detail != DETAIL_NONE) {
        add_detail_pb(&packed, draft);
        any.type_url =
            draft->row->detail == DETAIL_RETRY ? retry_type : bad_type;
        any.value.data = (uint8_t *)packed.ptr;
        any.value.len = packed.len;
        status.n_details = 1;
        status.details = details;
    }
    add_packed(out, &status.base);
    out->failed |= packed.failed;
    buf_fini(&packed);
}

static void
add_status_json(struct buf *out, const struct draft *draft)
{
    str message = str_of(draft->message);

    buf_printf(out, "{\"code\":%d,\"message\":", draft->row->code);
    add_json_str(out, message);
    if (draft->row->detail == DETAIL_RETRY) {
        buf_printf(out,
                   ",\"details\":[{\"@type\":\"" TYPE_URL "RetryInfo\","
                   "\"retryDelay\":\"%u.%03us\"}]",
                   draft->retry_ms / 1000, draft->retry_ms % 1000);
    } else if (draft->row->detail == DETAIL_BAD_REQUEST) {
        buf_add(out, STR(",\"details\":[{\"@type\":\"" TYPE_URL "BadRequest\","
                         "\"fieldViolations\":[{\"field\":\"body\","
                         "\"description\":"));
        add_json_str(out, message);
        buf_add(out, STR("}]}]"));
    }
    buf_add_char(out, '}');
}

static void
refuse_http(struct request *req, enum body_format format,
            const struct draft *draft)
{
    struct buf body = {.cap_max = ANSWER_MAX};
    char seconds[16];
    struct header header = {str_of(draft->row->header),
                            str_of(draft->row->value)};

    if (draft->row->detail == DETAIL_RETRY) {
        /* Whole seconds, rounded up, and never 0: that means "at once". */
        uint32_t wait_s = draft->retry_ms / 1000 +
                          (draft->retry_ms % 1000 != 0 || !draft->retry_ms);
        snprintf(seconds, sizeof(seconds), "%u", wait_s);
        header.value = str_of(seconds);
    }
    if (format == BODY_JSON)
        add_status_json(&body, draft);
    else
        add_status_pb(&body, draft);
    send_reply(req, &(struct reply){
                        .status = draft->row->http,
                        .content_type = content_type(format),
                        .body = body.failed ? STR("") : buf_str(&body),
                        .headers = &header,
                        .header_len = draft->row->header ? 1 : 0,
                    });
    buf_fini(&body);
}

static void
refuse_grpc(struct request *req, const struct draft *draft)
{
    static const struct header accepted = {
        STR_INIT("grpc-accept-encoding"),
        STR_INIT("identity, " ENCODINGS_ACCEPTED)};
    struct buf details = {.cap_max = ANSWER_MAX};
    bool is_encoding = draft->row == &table[REFUSE_ENCODING];

    if (draft->row->detail != DETAIL_NONE)
        add_status_pb(&details, draft);
    send_reply(req,
               &(struct reply){
                   .status = draft->row->code,
                   .grpc_message = str_of(draft->message),
                   .grpc_details = details.failed ? STR("") : buf_str(&details),
                   .headers = &accepted,
                   .header_len = is_encoding ? 1 : 0,
               });
    buf_fini(&details);
}

void
status_refuse(struct request *req, enum body_format format, enum refusal why,
              str message, uint32_t retry_ms)
{
    struct draft draft = {.row = &table[why], .retry_ms = retry_ms};
    struct buf clean = {.cap_max = ANSWER_MAX};
    static char none[] = "";

    utf8_clean(&clean, message.len > 0 ? message : str_of(draft.row->message),
               STATUS_MESSAGE_MAX);
    buf_cstr(&clean);
    draft.message = clean.failed ? none : clean.ptr;
    metrics_add(draft.row->metric, 1);
    if (req->protocol == REQUEST_GRPC)
        refuse_grpc(req, &draft);
    else
        refuse_http(req, format, &draft);
    buf_fini(&clean);
}

static void
add_partial_json(struct buf *out, uint64_t rejected, str message)
{
    buf_add(out, STR("{\"partialSuccess\":{"));
    if (rejected > 0) {
        buf_add(out, STR("\"rejectedSpans\":\""));
        buf_add_u64(out, rejected);
        buf_add(out, message.len > 0 ? STR("\",") : STR("\""));
    }
    if (message.len > 0) {
        buf_add(out, STR("\"errorMessage\":"));
        add_json_str(out, message);
    }
    buf_add(out, STR("}}"));
}

static void
add_partial_pb(struct buf *out, uint64_t rejected, char *message)
{
    Spangraph__Wire__ExportPartialSuccess partial;
    Spangraph__Wire__ExportResponse response;

    spangraph__wire__export_partial_success__init(&partial);
    spangraph__wire__export_response__init(&response);
    partial.rejected = (int64_t)rejected;
    partial.error_message = message;
    response.partial_success = &partial;
    add_packed(out, &response.base);
}

void
status_accept(struct request *req, enum body_format format, uint64_t rejected,
              str message)
{
    struct buf body = {.cap_max = ANSWER_MAX};
    struct buf clean = {.cap_max = ANSWER_MAX};
    static char none[] = "";
    bool is_partial = rejected > 0 || message.len > 0;

    if (is_partial) {
        utf8_clean(&clean, message, STATUS_MESSAGE_MAX);
        buf_cstr(&clean);
    }
    if (format == BODY_JSON && is_partial)
        add_partial_json(&body, rejected, buf_str(&clean));
    else if (format == BODY_JSON)
        buf_add(&body, STR("{}"));
    else if (is_partial)
        add_partial_pb(&body, rejected, clean.failed ? none : clean.ptr);
    send_reply(req,
               &(struct reply){
                   .status = req->protocol == REQUEST_GRPC ? GRPC_CODE_OK : 200,
                   .content_type = content_type(format),
                   .body = buf_str(&body),
               });
    buf_fini(&clean);
    buf_fini(&body);
}

void
status_health(struct request *req, bool serving)
{
    struct buf body = {.cap_max = ANSWER_MAX};
    Spangraph__Wire__HealthCheckResponse response;

    spangraph__wire__health_check_response__init(&response);
    response.status =
        serving
            ? SPANGRAPH__WIRE__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING
            : SPANGRAPH__WIRE__HEALTH_CHECK_RESPONSE__SERVING_STATUS__NOT_SERVING;
    add_packed(&body, &response.base);
    send_reply(req,
               &(struct reply){.status = GRPC_CODE_OK, .body = buf_str(&body)});
    buf_fini(&body);
}
