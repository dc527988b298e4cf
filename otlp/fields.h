/*
 * fields - the field numbers of opentelemetry/proto/trace/v1/trace.proto, and
 * of what it uses, as <message>_<field>: for those who write them.
 *
 * Threads    None.
 */
#ifndef OTLP_FIELDS_H
#define OTLP_FIELDS_H

enum {
    REQUEST_RESOURCE_SPANS = 1,
    RESOURCE_SPANS_RESOURCE = 1,
    RESOURCE_SPANS_SCOPE_SPANS = 2,
    RESOURCE_ATTRIBUTES = 1,
    SCOPE_SPANS_SCOPE = 1,
    SCOPE_SPANS_SPANS = 2,
    SCOPE_NAME = 1,
    SCOPE_VERSION = 2,
    SPAN_TRACE_ID = 1,
    SPAN_SPAN_ID = 2,
    SPAN_TRACE_STATE = 3,
    SPAN_PARENT_ID = 4,
    SPAN_NAME = 5,
    SPAN_KIND = 6,
    SPAN_START = 7,
    SPAN_END = 8,
    SPAN_ATTRIBUTES = 9,
    SPAN_LINKS = 13,
    SPAN_STATUS = 15,
    SPAN_FLAGS = 16,
    LINK_TRACE_ID = 1,
    LINK_SPAN_ID = 2,
    STATUS_CODE = 3,
    ATTRIBUTE_KEY = 1,
    ATTRIBUTE_VALUE = 2,
    VALUE_STRING = 1,
    VALUE_BOOL = 2,
    VALUE_INT = 3,
    VALUE_DOUBLE = 4,
};

#endif
