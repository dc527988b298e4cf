/*
 * Any bytes as an OTLP/JSON request, strict and lenient: what the strict
 * reader accepts the lenient one accepts too, with no fewer spans, and a
 * second reading sees the same.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/otlp_oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct decode_scratch *scratch;
    str bytes = {(const char *)data, size};
    struct otlp_seen strict;
    struct otlp_seen again;
    struct otlp_seen lenient;

    if (!scratch)
        scratch = decode_scratch_new();
    if (!scratch)
        return 0;
    otlp_decode_json(&strict, scratch, bytes, false);
    otlp_decode_json(&lenient, scratch, bytes, true);
    otlp_decode_json(&again, scratch, bytes, false);
    require(strict.err == lenient.err, "strict and lenient disagree");
    require(strict.err == again.err &&
                str_eq(buf_str(&strict.log), buf_str(&again.log)),
            "a second reading sees something else");
    require(strict.err || strict.result.accepted <= lenient.result.accepted,
            "the lenient reader rejects more");
    require(!strict.err ||
                (strict.result.error && strict.result.error_at <= size),
            "an error without a reason or place");
    otlp_seen_fini(&strict);
    otlp_seen_fini(&lenient);
    otlp_seen_fini(&again);
    return 0;
}
