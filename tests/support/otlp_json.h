/*
 * otlp_json - a trace request as OTLP/JSON, for tests.
 *
 * Prints what protobuf-c decoded, in the order of the field numbers, compact.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_OTLP_JSON_H
#define TESTS_SUPPORT_OTLP_JSON_H

#include "base/buf.h"
#include "otlp/proto/opentelemetry_trace_service.pb-c.h"

void otlp_json_print(
    struct buf *out,
    const Opentelemetry__Proto__Collector__Trace__V1__ExportTraceServiceRequest
        *request);

#endif
