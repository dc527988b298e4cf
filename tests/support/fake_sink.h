/*
 * fake_sink - a trace sink that counts, behind a receiver.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_FAKE_SINK_H
#define TESTS_SUPPORT_FAKE_SINK_H

#include "base/hash.h"
#include "otlp/receiver.h"
#include "tests/support/fake_request.h"

#define GRPC_PATH "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
#define PROTOBUF  "application/x-protobuf"
#define JSON      "application/json"

/* A sink that counts, and answers as it is told. */
struct fake_sink {
    enum err begin_err;
    enum err done_err;
    bool is_later; /* keeps the answer for finish */
    int begun;
    int aborted;
    int submitted;
    uint32_t spans;
    uint32_t rejected;
    struct digest128 digest;
    void (*done)(void *ctx, enum err err);
    void *done_ctx;
};

struct sink_fixture {
    struct fake_sink sink;
    struct receiver_cfg cfg;
    struct receiver *receiver;
};

/* fake_sink_open makes the receiver, with one lane; a client that is refused
 * for a while is told 5 seconds. */
void fake_sink_open(struct sink_fixture *fix);

/* fake_sink_ask sends a POST, with content type |type| if not NULL, and
 * returns it with its answer. */
struct fake_request
fake_sink_ask(struct sink_fixture *fix, enum request_protocol protocol,
              const char *path, const char *type, str body);

/* These check an answer and release it. */
void fake_request_expect(struct fake_request fake, int status, str body);
void fake_request_expect_status(struct fake_request fake, int status);

#endif
