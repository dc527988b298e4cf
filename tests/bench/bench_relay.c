/*
 * What a span costs in a sidecar, beside what the gateway pays for it, and how
 * much of a request is forwarded, on the usual payload (14 attributes, 530
 * bytes a span, 512 spans a request).
 *
 *     bench_relay [seconds a measurement]
 */
#include <stdio.h>
#include <stdlib.h>

#include <libdeflate.h>

#include "base/clock.h"
#include "otlp/decode.h"
#include "relay/pack.h"
#include "relay/strip.h"
#include "runtime/intake.h"
#include "tests/support/payload.h"
#include "tests/support/span_count.h"

enum { REQUESTS = 32, SPANS = 512, LEVELS = 4 };

struct kit {
    struct payload *payload;
    struct decode_scratch *scratch;
    struct strip *strip;
    struct pack *pack;
    struct buf out;
    struct intake_lane *lane;
    size_t bytes;
};

typedef void work_fn(struct kit *kit, str request);

static void
decode(struct kit *kit, str request, const struct span_visitor *visitor)
{
    struct decode_result result;

    if (decode_protobuf(kit->scratch, request, visitor, &result))
        abort();
}

static void
only_decode(struct kit *kit, str request)
{
    uint32_t spans = 0;
    const struct span_visitor visitor = span_count(&spans);

    decode(kit, request, &visitor);
}

static void
strip(struct kit *kit, str request)
{
    struct span_visitor visitor;
    uint32_t spans;

    strip_begin(kit->strip, &visitor);
    decode(kit, request, &visitor);
    buf_reset(&kit->out);
    if (strip_take(kit->strip, &kit->out, &spans) || spans != SPANS)
        abort();
    kit->bytes += kit->out.len;
}

static void
strip_and_pack(struct kit *kit, str request)
{
    size_t before = kit->bytes;
    str packed;

    strip(kit, request);
    if (pack_gzip(kit->pack, buf_str(&kit->out), &packed))
        abort();
    kit->bytes = before + packed.len;
}

static void
take_in(struct kit *kit, str request)
{
    struct span_visitor visitor;
    struct stub_batch *batch;

    intake_begin(kit->lane, clock_wall_ns(), &visitor);
    decode(kit, request, &visitor);
    if (intake_take(kit->lane, &batch))
        abort();
    stub_batch_free(batch);
}

/* Nanoseconds a span. */
static double
measure(struct kit *kit, work_fn *work, double seconds)
{
    uint64_t end_ns = clock_mono_ns() + (uint64_t)(seconds * 1e9);
    uint64_t begin_ns = clock_mono_ns();
    uint64_t spans = 0;

    kit->bytes = 0;
    for (size_t i = 0; clock_mono_ns() < end_ns; i++) {
        work(kit, kit->payload->batches[i % REQUESTS]);
        spans += SPANS;
    }
    kit->bytes = (size_t)((double)kit->bytes / (double)spans);
    return (double)(clock_mono_ns() - begin_ns) / (double)spans;
}

/* What each level of libdeflate makes of stripped spans. */
static void
compare_levels(struct kit *kit)
{
    static const int levels[LEVELS] = {1, 3, 6, 9};

    strip(kit, kit->payload->batches[0]);
    for (int i = 0; i < LEVELS; i++) {
        struct libdeflate_compressor *one =
            libdeflate_alloc_compressor(levels[i]);
        size_t most = libdeflate_gzip_compress_bound(one, kit->out.len);
        char *to = malloc(most);
        size_t len = 0;
        uint64_t begin_ns = clock_mono_ns();
        for (int n = 0; n < 20; n++)
            len = libdeflate_gzip_compress(one, kit->out.ptr, kit->out.len, to,
                                           most);
        printf("  level %d: %4.0f ns, %3zu bytes a span\n", levels[i],
               (double)(clock_mono_ns() - begin_ns) / 20 / SPANS, len / SPANS);
        free(to);
        libdeflate_free_compressor(one);
    }
}

static void
run(struct kit *kit, double seconds)
{
    double came = (double)kit->payload->bytes / (double)kit->payload->spans;

    printf("decode             %5.0f ns a span, %4.0f bytes came\n",
           measure(kit, only_decode, seconds), came);
    double took = measure(kit, strip, seconds);
    printf("+ strip            %5.0f ns a span, %4zu bytes\n", took,
           kit->bytes);
    took = measure(kit, strip_and_pack, seconds);
    printf("+ pack             %5.0f ns a span, %4zu bytes: %.0f %% are "
           "forwarded\n",
           took, kit->bytes, 100.0 * (double)kit->bytes / came);
    double direct = measure(kit, take_in, seconds);
    printf("decode and intake  %5.0f ns a span, in the gateway: a sidecar is "
           "%.1f of that\n",
           direct, took / direct);
    compare_levels(kit);
}

int
main(int argc, char **argv)
{
    struct kit kit = {.payload = payload_new(REQUESTS, SPANS, true),
                      .scratch = decode_scratch_new(),
                      .strip = strip_new(),
                      .pack = pack_new()};
    const struct nodes_cfg names = {
        .max_nodes = 1000000, .max_routes = 3000, .max_symbols = 3000};
    const struct intake_cfg cfg = {.past_ns = UINT64_MAX};
    struct nodes *nodes = NULL;
    struct routes *routes = NULL;

    if (!kit.payload || !kit.scratch || !kit.strip || !kit.pack ||
        nodes_new(&nodes, names) || routes_new(&routes, nodes) ||
        intake_lane_new(&kit.lane, &cfg, nodes, routes))
        return 1;
    run(&kit, argc > 1 ? atof(argv[1]) : 1);
    intake_lane_free(kit.lane);
    routes_free(routes);
    nodes_free(nodes);
    buf_fini(&kit.out);
    pack_free(kit.pack);
    strip_free(kit.strip);
    decode_scratch_free(kit.scratch);
    payload_free(kit.payload);
    return 0;
}
