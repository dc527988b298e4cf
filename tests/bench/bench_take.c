/*
 * bench_take - from the bytes of a request to its stubs: decoding and intake
 * as one, as a receiver's lane runs them.
 *
 *     bench_take [batches] [spans a batch] [rounds]
 *
 * Each request is copied into the same buffer, as the kernel does, and before
 * it WASTE bytes elsewhere are read, as the graph thread does: so caches and
 * predictor know as little as they do in the service.  Neither is timed.
 * Printed is, for each contestant, the mean over the batches of the least CPU
 * time of the rounds; so what else runs on the machine hardly shows.  To
 * compare two versions, run both by turns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "otlp/decode.h"
#include "runtime/intake.h"
#include "tests/support/payload.h"

enum { BATCHES_MAX = 1024, WASTE = 4 << 20, LINE = 64 };

struct bench {
    struct payload *payload;
    struct decode_scratch *scratch;
    struct nodes *nodes;
    struct routes *routes;
    struct intake_lane *lane;
    char *request;
    uint64_t *waste;
    uint64_t now_ns;
    uint64_t sum;
};

static void
on_resource(void *ctx, const struct attr_set *resource)
{
    ((struct bench *)ctx)->sum += resource->mask[0];
}

static void
on_scope(void *ctx, str name, str version)
{
    ((struct bench *)ctx)->sum += name.len + version.len;
}

static void
on_span(void *ctx, const struct span *span)
{
    ((struct bench *)ctx)->sum +=
        span->trace_lo + span->attrs->mask[0] + span->attrs->mask[1];
}

static void
decode(struct bench *b, str bytes, bool json, const struct span_visitor *to)
{
    struct decode_result result;
    enum err err = json ? decode_json(b->scratch, bytes, false, to, &result)
                        : decode_protobuf(b->scratch, bytes, to, &result);

    if (err || result.rejected) {
        fprintf(stderr, "a batch is refused\n");
        exit(1);
    }
}

static void
decode_only(struct bench *b, str bytes, bool json)
{
    const struct span_visitor to = {b, on_resource, on_scope, on_span};

    decode(b, bytes, json, &to);
}

static void
take(struct bench *b, str bytes, bool json)
{
    struct span_visitor to;
    struct stub_batch *batch;

    intake_begin(b->lane, b->now_ns, &to);
    decode(b, bytes, json, &to);
    if (intake_take(b->lane, &batch))
        abort();
    b->sum += batch->stub_len + batch->stubs[0].endpoint;
    stub_batch_free(batch);
}

static uint64_t
cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

typedef void run_fn(struct bench *b, str bytes, bool json);

/* ns of one run of |fn| on batch |i|. */
static uint64_t
once(struct bench *b, run_fn *fn, size_t i, bool json)
{
    str from = json ? b->payload->json[i] : b->payload->batches[i];

    memcpy(b->request, from.ptr, from.len + PAYLOAD_PAD);
    for (size_t at = 0; at < WASTE / sizeof(*b->waste);
         at += LINE / sizeof(*b->waste))
        b->sum += b->waste[at]++;
    uint64_t start = cpu_ns();
    fn(b, (str){b->request, from.len}, json);
    return cpu_ns() - start;
}

static void
measure(struct bench *b, const char *name, run_fn *fn, bool json, int rounds)
{
    static uint64_t least[BATCHES_MAX];
    uint64_t sum = 0;

    memset(least, 0xff, sizeof(least));
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < b->payload->len; i++) {
            uint64_t ns = once(b, fn, i, json);
            least[i] = ns < least[i] ? ns : least[i];
        }
    for (size_t i = 0; i < b->payload->len; i++)
        sum += least[i];
    printf("%-24s %6.1f ns a span\n", name,
           (double)sum / (double)b->payload->spans);
}

static bool
bench_init(struct bench *b, size_t batches, size_t spans)
{
    static const struct nodes_cfg nodes_cfg = {
        .max_nodes = 100000, .max_routes = 3000, .max_symbols = 3000};
    static struct intake_cfg cfg = {.past_ns = NS_PER_S * 3600,
                                    .future_ns = NS_PER_S * 600,
                                    .exclude_agents = intake_default_agents};
    size_t most = 0;

    cfg.exclude_agents_len = intake_default_agents_len;
    b->payload = payload_new(batches, spans, true);
    for (size_t i = 0; i < batches; i++)
        if (b->payload->json[i].len > most)
            most = b->payload->json[i].len;
    b->request = malloc(most + PAYLOAD_PAD);
    b->waste = calloc(1, WASTE);
    b->scratch = decode_scratch_new();
    b->now_ns = UINT64_C(1767225600000000000) + NS_PER_S * 3600;
    return b->request && b->waste && b->scratch &&
           !nodes_new(&b->nodes, nodes_cfg) &&
           !routes_new(&b->routes, b->nodes) &&
           !intake_lane_new(&b->lane, &cfg, b->nodes, b->routes);
}

int
main(int argc, char **argv)
{
    size_t batches = argc > 1 ? (size_t)atol(argv[1]) : 64;
    size_t spans = argc > 2 ? (size_t)atol(argv[2]) : 512;
    int rounds = argc > 3 ? atoi(argv[3]) : 9;
    const char *only = argc > 4 ? argv[4] : "";
    struct bench b = {0};

    if (batches == 0 || batches > BATCHES_MAX || spans == 0 || rounds < 1) {
        fprintf(stderr, "usage: bench_take [batches] [spans] [rounds] "
                        "[take | decode | json]\n");
        return 2;
    }
    if (!bench_init(&b, batches, spans))
        return 4;
    if (strcmp(only, "json") != 0 && strcmp(only, "take") != 0)
        measure(&b, "protobuf, decode", decode_only, false, rounds);
    if (strcmp(only, "json") != 0 && strcmp(only, "decode") != 0)
        measure(&b, "protobuf, with intake", take, false, rounds);
    if (!*only)
        measure(&b, "JSON, decode", decode_only, true, rounds);
    if (!*only || strcmp(only, "json") == 0)
        measure(&b, "JSON, with intake", take, true, rounds);
    printf("checksum %llx\n", (unsigned long long)b.sum);
    intake_lane_free(b.lane);
    routes_free(b.routes);
    nodes_free(b.nodes);
    decode_scratch_free(b.scratch);
    free(b.waste);
    free(b.request);
    payload_free(b.payload);
    return 0;
}
