#include "tests/bench/wide.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "otlp/fields.h"

enum { ROUTES = 10, CALLS = 10, KIND_SERVER = 2, KIND_CLIENT = 3 };

static void
put_varint(struct buf *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        buf_add_char(to, (char)(value | 0x80));
    buf_add_char(to, (char)value);
}

static void
put_bytes(struct buf *to, unsigned field, const void *bytes, size_t len)
{
    put_varint(to, field << 3 | 2);
    put_varint(to, len);
    buf_add(to, (str){bytes, len});
}

static void
put_time(struct buf *to, unsigned field, uint64_t ns)
{
    put_varint(to, field << 3 | 1);
    buf_add(to, (str){(const char *)&ns, sizeof(ns)});
}

static void
put_attribute(struct buf *to, unsigned field, const char *key, const char *text)
{
    struct buf value = {0};
    struct buf pair = {0};

    put_bytes(&value, VALUE_STRING, text, strlen(text));
    put_bytes(&pair, ATTRIBUTE_KEY, key, strlen(key));
    put_bytes(&pair, ATTRIBUTE_VALUE, value.ptr, value.len);
    put_bytes(to, field, pair.ptr, pair.len);
    buf_fini(&value);
    buf_fini(&pair);
}

struct ids {
    uint64_t trace;
    uint64_t span;
    uint64_t parent; /* 0: none */
};

static void
put_span(struct buf *spans, struct ids ids, uint32_t route, int kind,
         uint64_t now_ns)
{
    uint64_t trace[2] = {hash_mix(ids.trace, 1), hash_mix(ids.trace, 2)};
    struct buf span = {0};
    char path[48];

    put_bytes(&span, SPAN_TRACE_ID, trace, sizeof(trace));
    put_bytes(&span, SPAN_SPAN_ID, &ids.span, sizeof(ids.span));
    if (ids.parent)
        put_bytes(&span, SPAN_PARENT_ID, &ids.parent, sizeof(ids.parent));
    put_bytes(&span, SPAN_NAME, "GET", 3);
    put_varint(&span, SPAN_KIND << 3);
    put_varint(&span, (uint64_t)kind);
    put_time(&span, SPAN_START, now_ns);
    put_time(&span, SPAN_END,
             now_ns + NS_PER_MS + hash_mix(ids.span, 3) % (50 * NS_PER_MS));
    if (kind == KIND_SERVER) {
        (void)snprintf(path, sizeof(path), "/svc%" PRIu32 "/r%" PRIu32,
                       route / ROUTES, route % ROUTES);
        put_attribute(&span, SPAN_ATTRIBUTES, "http.route", path);
        put_attribute(&span, SPAN_ATTRIBUTES, "http.request.method", "GET");
    }
    put_bytes(spans, SCOPE_SPANS_SPANS, span.ptr, span.len);
    buf_fini(&span);
}

/* All spans of the requests that come in at |route|, each to its service. */
static void
put_trace(struct buf *spans, uint32_t services, uint32_t route, uint64_t now_ns)
{
    const struct ids root = {.trace = route, .span = hash_mix(route, 4) | 1};

    put_span(&spans[route / ROUTES], root, route, KIND_SERVER, now_ns);
    for (uint32_t i = 0; i < CALLS; i++) {
        uint32_t callee =
            (uint32_t)(hash_mix(route, i) >> 32) % (services * ROUTES);
        struct ids egress = {route, hash_mix(route, 16 + i) | 1, root.span};
        struct ids ingress = {route, hash_mix(route, 32 + i) | 1, egress.span};
        put_span(&spans[route / ROUTES], egress, route, KIND_CLIENT, now_ns);
        put_span(&spans[callee / ROUTES], ingress, callee, KIND_SERVER, now_ns);
    }
}

static str
request_of(uint32_t service, const struct buf *spans)
{
    struct buf resource = {0};
    struct buf both = {0};
    struct buf request = {0};
    char name[32];

    (void)snprintf(name, sizeof(name), "svc%" PRIu32, service);
    put_attribute(&resource, RESOURCE_ATTRIBUTES, "service.name", name);
    put_bytes(&both, RESOURCE_SPANS_RESOURCE, resource.ptr, resource.len);
    put_bytes(&both, RESOURCE_SPANS_SCOPE_SPANS, spans->ptr, spans->len);
    put_bytes(&request, REQUEST_RESOURCE_SPANS, both.ptr, both.len);
    size_t len = request.len;
    if (!buf_grow(&request, PAYLOAD_PAD))
        abort();
    memset(request.ptr + len, 0, PAYLOAD_PAD);
    buf_fini(&resource);
    buf_fini(&both);
    return (str){request.ptr, len};
}

struct payload *
wide_new(uint32_t services, uint64_t now_ns)
{
    struct payload *payload = calloc(1, sizeof(*payload));
    struct buf *spans = calloc(services, sizeof(*spans));

    if (!payload || !spans)
        abort();
    payload->batches = calloc(services, sizeof(*payload->batches));
    payload->json = calloc(services, sizeof(*payload->json));
    payload->len = services;
    payload->spans = (size_t)services * ROUTES * (1 + 2 * CALLS);
    if (!payload->batches || !payload->json)
        abort();
    for (uint32_t route = 0; route < services * ROUTES; route++)
        put_trace(spans, services, route, now_ns);
    for (uint32_t i = 0; i < services; i++) {
        payload->batches[i] = request_of(i, &spans[i]);
        payload->bytes += payload->batches[i].len;
        buf_fini(&spans[i]);
    }
    free(spans);
    return payload;
}
