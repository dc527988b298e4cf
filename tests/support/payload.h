/*
 * payload - batches of spans like those of a small shop under load.
 *
 * Ten services, HTTP, RPC, database, messaging and internal spans, old and new
 * attribute names, some 14 attributes and 530 bytes a span.  The same seed
 * gives the same bytes.
 *
 * Memory     payload_free releases all of it.
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_PAYLOAD_H
#define TESTS_SUPPORT_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct payload {
    str *batches; /* protobuf, each followed by PAYLOAD_PAD readable bytes */
    str *json;    /* the same batches */
    size_t len;
    size_t spans;
    size_t attrs;
    size_t bytes;
    size_t json_bytes;
};

enum { PAYLOAD_PAD = 512 };

/* payload_new makes |len| batches; with |shuffle| the attributes of each span
 * are in random order, otherwise in that of the instrumentation. */
struct payload *payload_new(size_t len, size_t spans_per_batch, bool shuffle);
void payload_free(struct payload *payload);

#endif
