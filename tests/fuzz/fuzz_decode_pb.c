/*
 * Any bytes as a protobuf request: the decoder has to agree with protobuf-c,
 * and where both accept, JSON printed from it has to give the same values.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "otlp/decode_state.h"
#include "tests/support/otlp_oracle.h"
#include "tests/support/pb_mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned int seed);

/* By fields; now and then by bytes, so that what is no message comes too. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                        unsigned int seed)
{
    return pb_mutate_some(data, size, max_size, seed, 8, LLVMFuzzerMutate);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct decode_scratch *scratch;
    decode_span_fn *variants[DECODE_SPAN_FNS];
    size_t variants_len = decode_span_fns(variants);

    if (!scratch)
        scratch = decode_scratch_new();
    if (!scratch || size > 1 << 16)
        return 0;
    for (size_t i = 0; i < variants_len; i++) {
        scratch->span_fn = variants[i];
        const char *difference =
            otlp_difference(scratch, (str){(const char *)data, size}, i == 0);
        if (difference) {
            fprintf(stderr, "%s\n", difference);
            abort();
        }
    }
    return 0;
}
