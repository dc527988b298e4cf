/*
 * Any bytes as a protobuf and as a JSON request, for the memory sanitizer: do
 * the decoders read what nobody wrote.  The allocations of others' libraries
 * are unknown to it, so nothing is compared with protobuf-c or cJSON here.
 */
#include <stdint.h>

#include "otlp/decode_state.h"
#include "tests/support/otlp_oracle.h"
#include "tests/support/pb_mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned int seed);

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                        unsigned int seed)
{
    return pb_mutate_some(data, size, max_size, seed, 2, LLVMFuzzerMutate);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct decode_scratch *scratch;
    decode_span_fn *variants[DECODE_SPAN_FNS];
    size_t variants_len = decode_span_fns(variants);
    str bytes = {(const char *)data, size};
    struct otlp_seen seen;

    if (!scratch)
        scratch = decode_scratch_new();
    if (!scratch || size > 1 << 16)
        return 0;
    for (size_t i = 0; i < variants_len; i++) {
        scratch->span_fn = variants[i];
        otlp_decode_protobuf(&seen, scratch, bytes);
        otlp_seen_fini(&seen);
    }
    for (int lenient = 0; lenient < 2; lenient++) {
        otlp_decode_json(&seen, scratch, bytes, lenient);
        otlp_seen_fini(&seen);
    }
    return 0;
}
