/*
 * decode_seen - what a decoder said of the last span, kept for a test.
 *
 * A cmocka group state: every call copies the bytes into memory that ends
 * where the decoder may no longer look, decodes them there, and keeps values
 * and texts, but no views.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_DECODE_SEEN_H
#define TESTS_SUPPORT_DECODE_SEEN_H

#include <stdbool.h>

#include "base/buf.h"
#include "otlp/decode.h"

/* The ids of a valid span, in both encodings. */
#define SEEN_TRACE_ID \
    "\x0a\x10\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"
#define SEEN_SPAN_ID "\x12\x08\x11\x12\x13\x14\x15\x16\x17\x18"
#define SEEN_JSON_IDS                                   \
    "\"traceId\":\"0102030405060708090a0b0c0d0e0f10\"," \
    "\"spanId\":\"1112131415161718\""

/* Resource and scope first: otherwise the spans are skipped before they are
 * read, and skipping checks text too. */
#define SEEN_JSON_AROUND(spans)                                           \
    "{\"resourceSpans\":[{\"resource\":{},\"scopeSpans\":[{\"scope\":{}," \
    "\"spans\":[" spans "]}]}]}"

struct seen {
    struct decode_scratch *scratch;
    struct decode_result result;
    bool lenient; /* JSON */
    struct span span;
    struct attr_set attrs;
    struct attr_set resource;
    struct span_link links[SPAN_LINKS_MAX];
    char calls[256]; /* r, s and a dot for each */
    char scope[64];  /* name/version */
    char name[256];
    char state[64];
    char text[256];    /* of http.route */
    char service[256]; /* service.name, as it is when the span comes */
};

int seen_setup(void **state);
int seen_teardown(void **state);

struct span_visitor seen_visitor(struct seen *seen);

/* seen_attr is the value of |id|, which has to be there. */
const struct attr_value *seen_attr(struct seen *seen, enum attr id);

enum err seen_protobuf(struct seen *seen, str bytes);

/* seen_protobuf_span decodes one span of |ids| and |body|. */
enum err seen_protobuf_span(struct seen *seen, str ids, str body);

/* seen_protobuf_attribute decodes a valid span with one attribute. */
enum err seen_protobuf_attribute(struct seen *seen, str key, str any_value);

/* seen_put_field appends bytes with a tag and a length of one or two bytes. */
void seen_put_field(struct buf *out, uint8_t number, str body);
void seen_put_attribute(struct buf *out, str key, str any_value);

enum err seen_json(struct seen *seen, str bytes);
enum err seen_json_text(struct seen *seen, const char *text);

/* seen_json_span decodes a valid span and |members|, which start with a
 * comma; seen_json_value one whose http.route has |any_value|. */
enum err seen_json_span(struct seen *seen, const char *members);
enum err seen_json_value(struct seen *seen, const char *any_value);

#endif
