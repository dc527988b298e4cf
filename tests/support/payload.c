/*
 * Spans are built as protobuf-c structs in one arena per batch, packed, printed
 * as JSON, and forgotten.  A batch is one service instance, as an SDK sends it.
 */
#include "tests/support/payload.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/arena.h"
#include "tests/support/otlp_json.h"
#include "tests/support/otlp_random.h"
#include "tests/support/traces.h"

typedef Opentelemetry__Proto__Collector__Trace__V1__ExportTraceServiceRequest
    request_t;
typedef Opentelemetry__Proto__Trace__V1__ResourceSpans resource_spans_t;
typedef Opentelemetry__Proto__Trace__V1__ScopeSpans scope_spans_t;
typedef Opentelemetry__Proto__Trace__V1__Span span_t;
typedef Opentelemetry__Proto__Trace__V1__Span__Event event_t;
typedef Opentelemetry__Proto__Trace__V1__Status status_t;
typedef Opentelemetry__Proto__Common__V1__InstrumentationScope scope_t;
typedef Opentelemetry__Proto__Resource__V1__Resource resource_t;
typedef Opentelemetry__Proto__Common__V1__AnyValue value_t;
typedef Opentelemetry__Proto__Common__V1__KeyValue key_value_t;

enum {
    ARENA_BYTES = 128 << 20,
    ATTRS_MAX = 32,
    SERVICES = TRACES_SERVICES,
};

struct maker {
    struct arena arena;
    struct otlp_random random;
    bool shuffle;
    size_t attrs;
    struct traces traces;
};

static const char *const services[SERVICES] = {
    "frontend",       "checkout", "cart",  "payment",  "product-catalog",
    "recommendation", "shipping", "email", "currency", "ad"};
static const char *const agents[] = {
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)",
    "python-requests/2.32.3", "Go-http-client/1.1", "okhttp/4.12.0"};
static const char *const statements[] = {
    "SELECT id, name, description, price_units, price_nanos FROM products "
    "WHERE id = $1",
    "INSERT INTO orders (order_id, user_id, total, currency) VALUES ($1, $2, "
    "$3, $4)",
    "UPDATE carts SET items = $1 WHERE user_id = $2",
    "SELECT count(*) FROM ads WHERE category = $1 AND active = true"};

static uint64_t
below(struct maker *m, uint64_t bound)
{
    return otlp_random_below(&m->random, bound);
}

static void *
take(struct maker *m, size_t size)
{
    void *memory = arena_alloc(&m->arena, 1, size, 16);

    if (!memory)
        abort();
    return memory;
}

static char *print(struct maker *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static char *
print(struct maker *m, const char *format, ...)
{
    va_list args;
    char text[512];

    va_start(args, format);
    int len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return memcpy(take(m, (size_t)len + 1), text, (size_t)len + 1);
}

struct list {
    key_value_t *items[ATTRS_MAX];
    size_t len;
};

static value_t *
add(struct maker *m, struct list *list, const char *key)
{
    key_value_t *kv = take(m, sizeof(*kv));
    value_t *value = take(m, sizeof(*value));

    assert(list->len < ATTRS_MAX);
    opentelemetry__proto__common__v1__key_value__init(kv);
    opentelemetry__proto__common__v1__any_value__init(value);
    kv->key = print(m, "%s", key);
    kv->value = value;
    list->items[list->len++] = kv;
    return value;
}

static void
add_str(struct maker *m, struct list *list, const char *key, char *text)
{
    value_t *value = add(m, list, key);

    value->value_case = 1;
    value->string_value = text;
}

static void
add_int(struct maker *m, struct list *list, const char *key, uint64_t number)
{
    value_t *value = add(m, list, key);

    value->value_case = 3;
    value->int_value = (int64_t)number;
}

static char *
address(struct maker *m)
{
    int zone = (int)below(m, 8);
    int net = (int)below(m, 256);

    return print(m, "10.%d.%d.%d", zone, net, (int)below(m, 254) + 1);
}

static void
http_new(struct maker *m, struct list *l, bool server, const char *peer)
{
    add_str(m, l, "http.request.method", print(m, "GET"));
    add_int(m, l, "http.response.status_code", below(m, 20) ? 200 : 500);
    add_str(m, l, "network.protocol.version", print(m, "1.1"));
    add_str(m, l, "server.address", print(m, "%s", peer));
    add_int(m, l, "server.port", 8080);
    add_str(m, l, "url.scheme", print(m, "http"));
    add_str(m, l, "network.peer.address", address(m));
    add_int(m, l, "network.peer.port", 30000 + below(m, 30000));
    if (server) {
        add_str(m, l, "http.route", print(m, "/api/%s/{id}/items", peer));
        add_str(m, l, "url.path",
                print(m, "/api/%s/%06d/items", peer, (int)below(m, 1000000)));
        add_str(m, l, "client.address", address(m));
        add_str(m, l, "user_agent.original",
                print(m, "%s", agents[below(m, 4)]));
    } else {
        add_str(m, l, "url.full",
                print(m, "http://%s:8080/api/%s/%06d", peer, peer,
                      (int)below(m, 1000000)));
        add_str(m, l, "peer.service", print(m, "%s", peer));
    }
}

static void
http_old(struct maker *m, struct list *l, bool server, const char *peer)
{
    add_str(m, l, "http.method", print(m, "GET"));
    add_int(m, l, "http.status_code", below(m, 20) ? 200 : 404);
    add_str(m, l, "http.flavor", print(m, "1.1"));
    add_str(m, l, "http.scheme", print(m, "http"));
    add_str(m, l, server ? "net.host.name" : "net.peer.name",
            print(m, "%s", peer));
    add_int(m, l, server ? "net.host.port" : "net.peer.port", 8080);
    add_str(m, l, "net.sock.peer.addr", address(m));
    if (server) {
        add_str(m, l, "http.route", print(m, "/api/%s/{id}", peer));
        add_str(m, l, "http.target",
                print(m, "/api/%s/%06d", peer, (int)below(m, 1000000)));
        add_str(m, l, "http.client_ip", address(m));
        add_str(m, l, "http.user_agent", print(m, "%s", agents[below(m, 4)]));
        add_int(m, l, "net.sock.peer.port", 30000 + below(m, 30000));
    } else {
        add_str(m, l, "http.url",
                print(m, "http://%s:8080/api/%s/%06d", peer, peer,
                      (int)below(m, 1000000)));
        add_int(m, l, "http.response_content_length", below(m, 90000));
    }
}

static void
rpc(struct maker *m, struct list *l, const char *peer)
{
    add_str(m, l, "rpc.system", print(m, "grpc"));
    add_str(m, l, "rpc.service", print(m, "oteldemo.%sService", peer));
    add_str(m, l, "rpc.method", print(m, "GetProduct"));
    add_int(m, l, "rpc.grpc.status_code", 0);
    add_str(m, l, "server.address", print(m, "%s", peer));
    add_int(m, l, "server.port", 9555);
    add_str(m, l, "network.peer.address", address(m));
    add_int(m, l, "network.peer.port", 30000 + below(m, 30000));
    add_str(m, l, "network.transport", print(m, "tcp"));
}

static void
database(struct maker *m, struct list *l, bool old)
{
    const char *statement = statements[below(m, 4)];

    add_str(m, l, old ? "db.system" : "db.system.name", print(m, "postgresql"));
    add_str(m, l, old ? "db.name" : "db.namespace", print(m, "shop"));
    add_str(m, l, old ? "db.operation" : "db.operation.name",
            print(m, "%.6s", statement));
    add_str(m, l, old ? "db.statement" : "db.query.text",
            print(m, "%s", statement));
    add_str(m, l, old ? "db.sql.table" : "db.collection.name",
            print(m, "products"));
    add_str(m, l, old ? "net.peer.name" : "server.address",
            print(m, "postgresql-primary.db.svc.cluster.local"));
    add_int(m, l, old ? "net.peer.port" : "server.port", 5432);
    add_str(m, l, old ? "net.transport" : "network.peer.address",
            old ? print(m, "ip_tcp") : address(m));
}

static void
messaging(struct maker *m, struct list *l, bool publish, bool old)
{
    add_str(m, l, "messaging.system", print(m, "kafka"));
    add_str(m, l, "messaging.destination.name", print(m, "orders"));
    add_str(m, l, old ? "messaging.operation" : "messaging.operation.type",
            print(m, publish ? "publish" : "process"));
    add_int(m, l, "messaging.kafka.message.offset", below(m, 10000000));
    add_str(m, l, "messaging.destination.partition.id",
            print(m, "%d", (int)below(m, 12)));
    add_int(m, l, "messaging.message.body.size", 100 + below(m, 9000));
    add_str(m, l, "server.address", print(m, "kafka.svc.cluster.local"));
    add_int(m, l, "server.port", 9092);
}

static void
internal(struct maker *m, struct list *l)
{
    add_int(m, l, "code.lineno", below(m, 900));
    for (uint64_t i = 0, len = 5 + below(m, 5); i < len; i++)
        add_str(m, l, print(m, "app.step.%d", (int)i),
                print(m, "value-%d", (int)below(m, 1000)));
}

/* What an application adds of its own. */
static void
extras(struct maker *m, struct list *l, const char *service)
{
    add_int(m, l, "thread.id", 1 + below(m, 400));
    add_str(m, l, "thread.name", print(m, "worker-%d", (int)below(m, 64)));
    if (below(m, 2))
        add_str(m, l, "app.user.id",
                print(m, "user-%08x", (unsigned)below(m, UINT32_MAX)));
    if (below(m, 2))
        add_str(m, l, "app.tenant.id",
                print(m, "tenant-%03d", (int)below(m, 200)));
    if (below(m, 10) < 3)
        add_str(m, l, "code.function", print(m, "handle_%s", service));
    if (below(m, 10) < 3)
        add_str(m, l, "code.namespace", print(m, "com.ex.%s.handler", service));
    if (below(m, 10) < 3) {
        value_t *value = add(m, l, "app.cache.hit");
        value->value_case = 2;
        value->bool_value = (protobuf_c_boolean)below(m, 2);
    }
    if (below(m, 10) < 2) {
        value_t *value = add(m, l, "app.cart.total");
        value->value_case = 4;
        value->double_value = (double)below(m, 50000) / 100;
    }
}

static void
shuffle(struct maker *m, struct list *list)
{
    for (size_t i = list->len; i > 1; i--) {
        size_t j = below(m, i);
        key_value_t *held = list->items[j];

        list->items[j] = list->items[i - 1];
        list->items[i - 1] = held;
    }
}

static size_t
hand_over(struct maker *m, struct list *list, key_value_t ***out)
{
    *out = take(m, list->len * sizeof(**out));
    memcpy(*out, list->items, list->len * sizeof(**out));
    return list->len;
}

/* Returns the kind of the span; the mix is that of the shop. */
static Opentelemetry__Proto__Trace__V1__Span__SpanKind
attributes(struct maker *m, struct list *l, size_t service, char **name)
{
    const char *self = services[service];
    const char *peer = services[below(m, SERVICES)];
    bool old = service % 3 == 0;
    uint64_t dice = below(m, 100);

    if (dice < 50) {
        bool server = dice < 25;
        (old ? http_old : http_new)(m, l, server, server ? self : peer);
        *name = print(m, "GET /api/%s/{id}", server ? self : peer);
        return server ? 2 : 3;
    }
    if (dice < 68) {
        rpc(m, l, peer);
        *name = print(m, "oteldemo.%sService/GetProduct", peer);
        return dice < 59 ? 2 : 3;
    }
    if (dice < 85) {
        database(m, l, old);
        *name = print(m, "SELECT shop.products");
        return 3;
    }
    if (dice < 90) {
        messaging(m, l, dice < 88, old);
        *name = print(m, "orders %s", dice < 88 ? "publish" : "process");
        return dice < 88 ? 4 : 5;
    }
    internal(m, l);
    *name = print(m, "render");
    return 1;
}

static void
add_event(struct maker *m, span_t *span)
{
    struct list list = {.len = 0};
    event_t *event = take(m, sizeof(*event));

    opentelemetry__proto__trace__v1__span__event__init(event);
    event->time_unix_nano = span->start_time_unix_nano + 1000;
    event->name = print(m, "message");
    add_str(m, &list, "message.type", print(m, "RECEIVED"));
    add_int(m, &list, "message.id", below(m, 100));
    event->n_attributes = hand_over(m, &list, &event->attributes);
    span->events = take(m, sizeof(*span->events));
    span->events[0] = event;
    span->n_events = 1;
}

static void
set_ids(struct maker *m, span_t *span, size_t service)
{
    struct trace_place *place = take(m, sizeof(*place));
    bool has_parent =
        traces_next(&m->traces, &m->random, service, (int)span->kind, place);
    span->trace_id = (ProtobufCBinaryData){16, place->trace_id};
    span->span_id = (ProtobufCBinaryData){8, place->span_id};
    if (has_parent)
        span->parent_span_id = (ProtobufCBinaryData){8, place->parent_id};
}

static span_t *
make_span(struct maker *m, size_t service)
{
    struct list list = {.len = 0};
    span_t *span = take(m, sizeof(*span));
    status_t *status = take(m, sizeof(*status));

    opentelemetry__proto__trace__v1__span__init(span);
    opentelemetry__proto__trace__v1__status__init(status);
    span->kind = attributes(m, &list, service, &span->name);
    set_ids(m, span, service);
    extras(m, &list, services[service]);
    if (m->shuffle)
        shuffle(m, &list);
    m->attrs += list.len;
    span->n_attributes = hand_over(m, &list, &span->attributes);
    span->start_time_unix_nano =
        UINT64_C(1767225600000000000) + below(m, UINT64_C(3600000000000));
    span->end_time_unix_nano =
        span->start_time_unix_nano + 1000000 + below(m, 80000000);
    if (below(m, 10) == 0)
        span->trace_state = print(m, "rojo=00f067aa0ba902b7");
    span->flags = below(m, 10) < 6 ? 0x101 : 0;
    if (below(m, 20) == 0)
        add_event(m, span);
    if (below(m, 50) == 0) {
        status->code = 2;
        status->message = print(m, "upstream timed out");
    }
    span->status = status;
    return span;
}

static resource_t *
make_resource(struct maker *m, size_t service)
{
    struct list list = {.len = 0};
    resource_t *resource = take(m, sizeof(*resource));

    opentelemetry__proto__resource__v1__resource__init(resource);
    add_str(m, &list, "service.name", print(m, "%s", services[service]));
    add_str(m, &list, "telemetry.sdk.language", print(m, "go"));
    add_str(m, &list, "service.version", print(m, "2.%d.1", (int)service));
    add_str(m, &list, "k8s.pod.name",
            print(m, "%s-5f6c7d8b9-x2x4q", services[service]));
    resource->n_attributes = hand_over(m, &list, &resource->attributes);
    return resource;
}

static request_t *
make_request(struct maker *m, size_t spans)
{
    request_t *request = take(m, sizeof(*request));
    resource_spans_t *rs = take(m, sizeof(*rs));
    scope_spans_t *ss = take(m, sizeof(*ss));
    scope_t *scope = take(m, sizeof(*scope));
    size_t service = below(m, SERVICES);

    opentelemetry__proto__collector__trace__v1__export_trace_service_request__init(
        request);
    opentelemetry__proto__trace__v1__resource_spans__init(rs);
    opentelemetry__proto__trace__v1__scope_spans__init(ss);
    opentelemetry__proto__common__v1__instrumentation_scope__init(scope);
    scope->name = print(m, "@opentelemetry/instrumentation-http");
    scope->version = print(m, "0.49.1");
    ss->scope = scope;
    ss->n_spans = spans;
    ss->spans = take(m, spans * sizeof(*ss->spans));
    for (size_t i = spans; i > 0; i--) /* what ends first comes first */
        ss->spans[i - 1] = make_span(m, service);
    rs->resource = make_resource(m, service);
    rs->n_scope_spans = 1;
    rs->scope_spans = memcpy(take(m, sizeof(ss)), &ss, sizeof(ss));
    request->n_resource_spans = 1;
    request->resource_spans = memcpy(take(m, sizeof(rs)), &rs, sizeof(rs));
    return request;
}

static str
padded(size_t len)
{
    char *bytes = calloc(1, len + PAYLOAD_PAD);

    if (!bytes)
        abort();
    return (str){bytes, len};
}

static void
keep(struct payload *payload, size_t at, const request_t *request)
{
    struct buf text = {0};
    size_t len =
        opentelemetry__proto__collector__trace__v1__export_trace_service_request__get_packed_size(
            request);
    str packed = padded(len);

    opentelemetry__proto__collector__trace__v1__export_trace_service_request__pack(
        request, (uint8_t *)(uintptr_t)packed.ptr);
    otlp_json_print(&text, request);
    str json = padded(text.len);
    memcpy((char *)(uintptr_t)json.ptr, text.ptr, text.len);
    buf_fini(&text);
    payload->batches[at] = packed;
    payload->json[at] = json;
    payload->bytes += packed.len;
    payload->json_bytes += json.len;
}

struct payload *
payload_new(size_t len, size_t spans_per_batch, bool shuffle_attrs)
{
    struct payload *payload = calloc(1, sizeof(*payload));
    struct maker maker = {.random = {.state = 42}, .shuffle = shuffle_attrs};
    void *memory = malloc(ARENA_BYTES);

    if (!payload || !memory)
        abort();
    payload->batches = calloc(len, sizeof(*payload->batches));
    payload->json = calloc(len, sizeof(*payload->json));
    payload->len = len;
    payload->spans = len * spans_per_batch;
    arena_init(&maker.arena, memory, ARENA_BYTES);
    for (size_t i = 0; i < len; i++) {
        keep(payload, i, make_request(&maker, spans_per_batch));
        arena_rewind(&maker.arena, 0);
    }
    payload->attrs = maker.attrs;
    free(memory);
    return payload;
}

void
payload_free(struct payload *payload)
{
    for (size_t i = 0; i < payload->len; i++) {
        free((char *)(uintptr_t)payload->batches[i].ptr);
        free((char *)(uintptr_t)payload->json[i].ptr);
    }
    free(payload->batches);
    free(payload->json);
    free(payload);
}
