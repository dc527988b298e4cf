/*
 * bench_decode - spans decoded a second, beside the peers and the limit.
 *
 *     bench_decode [batches] [spans a batch] [rounds]
 *
 * Each round runs every contestant once over all batches, so that a drifting
 * clock hits all of them alike; printed is the median of the rounds, in CPU
 * time of this thread.  Cycles and instructions come from the kernel's
 * counters where it lets us.  Ends with 1 if the protobuf decoder is less than
 * FLOOR times as fast as protobuf-c in any run.
 */
#include <asm/unistd.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "otlp/decode.h"
#include "otlp/proto/opentelemetry_trace_service.pb-c.h"
#include "tests/support/cpu.h"
#include "tests/support/payload.h"

typedef Opentelemetry__Proto__Collector__Trace__V1__ExportTraceServiceRequest
    request_t;

enum { ROUNDS_MAX = 99, FLOOR = 8 };

struct sample {
    double seconds;
    uint64_t cycles;
    uint64_t instructions;
};

struct bench {
    const struct payload *payload;
    struct decode_scratch *scratch;
    uint64_t
        sum; /* of something from every span, so that nothing is left out */
};

static void
on_resource(void *ctx, const struct attr_set *resource)
{
    struct bench *b = ctx;

    b->sum += attr_str(resource, ATTR_SERVICE_NAME).len;
}

static void
on_scope(void *ctx, str name, str version)
{
    struct bench *b = ctx;

    b->sum += name.len + version.len;
}

static void
on_span(void *ctx, const struct span *span)
{
    struct bench *b = ctx;

    b->sum += span->trace_lo + span->span_id + span->name.len +
              span->attrs->mask[0] + span->attrs->mask[1];
}

static void
run_decoder(struct bench *b, const str *batches, bool json)
{
    struct span_visitor visitor = {b, on_resource, on_scope, on_span};
    struct decode_result result;

    for (size_t i = 0; i < b->payload->len; i++) {
        enum err err =
            json ? decode_json(b->scratch, batches[i], false, &visitor, &result)
                 : decode_protobuf(b->scratch, batches[i], &visitor, &result);
        if (err || result.rejected) {
            fprintf(stderr, "batch %zu: %s at %zu\n", i,
                    err ? result.error : result.reject_reason, result.error_at);
            exit(1);
        }
    }
}

static void
run_protobuf(struct bench *b)
{
    run_decoder(b, b->payload->batches, false);
}

static void
run_json(struct bench *b)
{
    run_decoder(b, b->payload->json, true);
}

static void
run_protobuf_c(struct bench *b)
{
    for (size_t i = 0; i < b->payload->len; i++) {
        str batch = b->payload->batches[i];
        request_t *request =
            opentelemetry__proto__collector__trace__v1__export_trace_service_request__unpack(
                NULL, batch.len, (const uint8_t *)batch.ptr);
        b->sum += request->n_resource_spans;
        opentelemetry__proto__collector__trace__v1__export_trace_service_request__free_unpacked(
            request, NULL);
    }
}

static void
run_cjson(struct bench *b)
{
    for (size_t i = 0; i < b->payload->len; i++) {
        str batch = b->payload->json[i];
        cJSON *tree = cJSON_ParseWithLength(batch.ptr, batch.len);

        b->sum += tree != NULL;
        cJSON_Delete(tree);
    }
}

static void
run_read_once(struct bench *b)
{
    for (size_t i = 0; i < b->payload->len; i++) {
        str batch = b->payload->batches[i];

        for (size_t at = 0; at + 8 <= batch.len; at += 8) {
            uint64_t word;
            memcpy(&word, batch.ptr + at, sizeof(word));
            b->sum += word;
        }
    }
}

static int
open_counter(uint64_t config, int group)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof(attr),
        .config = config,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };

    return (int)syscall(__NR_perf_event_open, &attr, 0, -1, group, 0);
}

static uint64_t
read_counter(int fd)
{
    uint64_t value = 0;

    if (fd < 0 || read(fd, &value, sizeof(value)) != (ssize_t)sizeof(value))
        return 0;
    return value;
}

static int
by_seconds(const void *a, const void *b)
{
    double x = ((const struct sample *)a)->seconds;
    double y = ((const struct sample *)b)->seconds;

    return (x > y) - (x < y);
}

struct contestant {
    const char *name;
    void (*run)(struct bench *b);
    bool json;
    struct sample samples[ROUNDS_MAX];
};

static void
measure(struct contestant *c, struct bench *b, int round, const int *counters)
{
    uint64_t cycles = read_counter(counters[0]);
    uint64_t instructions = read_counter(counters[1]);
    double start = cpu_seconds();

    c->run(b);
    c->samples[round] = (struct sample){
        .seconds = cpu_seconds() - start,
        .cycles = read_counter(counters[0]) - cycles,
        .instructions = read_counter(counters[1]) - instructions,
    };
}

static void
report(const struct contestant *c, const struct payload *payload, int rounds,
       double base_seconds)
{
    const struct sample *median = &c->samples[rounds / 2];
    double spans = (double)payload->spans;
    double bytes = (double)(c->json ? payload->json_bytes : payload->bytes);

    printf("%-22s %8.3f Mspan/s %7.0f MB/s %6.0f ns/span %7.2fx", c->name,
           spans / median->seconds / 1e6, bytes / median->seconds / 1e6,
           median->seconds / spans * 1e9, base_seconds / median->seconds);
    if (median->cycles)
        printf(" %6.0f cycles/span %6.0f instr/span",
               (double)median->cycles / spans,
               (double)median->instructions / spans);
    printf("\n");
}

/* Returns how many times as fast as protobuf-c the decoder is. */
static double
run_order(bool shuffle, size_t batches, size_t spans, int rounds)
{
    static struct contestant list[] = {
        {"protobuf", run_protobuf, false, {{0, 0, 0}}},
        {"protobuf-c malloc", run_protobuf_c, false, {{0, 0, 0}}},
        {"read the bytes once", run_read_once, false, {{0, 0, 0}}},
        {"json", run_json, true, {{0, 0, 0}}},
        {"cJSON parse", run_cjson, true, {{0, 0, 0}}},
    };
    enum { LEN = sizeof(list) / sizeof(list[0]) };
    struct payload *payload = payload_new(batches, spans, shuffle);
    struct bench b = {payload, decode_scratch_new(), 0};
    int counters[2] = {open_counter(PERF_COUNT_HW_CPU_CYCLES, -1), -1};

    counters[1] = open_counter(PERF_COUNT_HW_INSTRUCTIONS, -1);
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < LEN; i++)
            measure(&list[i], &b, round, counters);
    printf("%s order: %zu batches of %zu spans, %.1f attributes, %.0f bytes "
           "(%.0f in JSON) a span, median of %d\n",
           shuffle ? "random" : "stable", batches, spans,
           (double)payload->attrs / (double)payload->spans,
           (double)payload->bytes / (double)payload->spans,
           (double)payload->json_bytes / (double)payload->spans, rounds);
    for (size_t i = 0; i < LEN; i++)
        qsort(list[i].samples, (size_t)rounds, sizeof(struct sample),
              by_seconds);
    for (size_t i = 0; i < LEN; i++)
        report(&list[i], payload, rounds,
               list[list[i].json ? 4 : 1].samples[rounds / 2].seconds);
    printf("checksum %016" PRIx64 "\n\n", b.sum);
    decode_scratch_free(b.scratch);
    payload_free(payload);
    return list[1].samples[rounds / 2].seconds /
           list[0].samples[rounds / 2].seconds;
}

int
main(int argc, char **argv)
{
    size_t batches = argc > 1 ? (size_t)atol(argv[1]) : 64;
    size_t spans = argc > 2 ? (size_t)atol(argv[2]) : 512;
    int rounds = argc > 3 ? atoi(argv[3]) : 5;

    if (batches == 0 || spans == 0 || rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: bench_decode [batches] [spans] [rounds]\n");
        return 2;
    }
    double random_order = run_order(true, batches, spans, rounds);
    double stable_order = run_order(false, batches, spans, rounds);
    return random_order < FLOOR || stable_order < FLOOR;
}
