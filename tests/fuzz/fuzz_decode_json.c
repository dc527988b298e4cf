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

/* A space leads around what reads spans and attributes as usually written. */
static void
require_same_with_spaces(struct decode_scratch *scratch, str bytes,
                         const struct otlp_seen *seen)
{
    static const str starts[] = {STR_INIT("{\"traceId\""),
                                 STR_INIT("{\"key\"")};
    struct otlp_seen other;
    struct buf spaced = {0};

    for (size_t i = 0; i < bytes.len; i++) {
        str rest = str_cut(bytes, i, bytes.len);
        buf_add_char(&spaced, bytes.ptr[i]);
        if (str_starts(rest, starts[0]) || str_starts(rest, starts[1]))
            buf_add_char(&spaced, ' ');
    }
    otlp_decode_json(&other, scratch, buf_str(&spaced), false);
    require(seen->err == other.err &&
                (seen->err || str_eq(buf_str(&seen->log), buf_str(&other.log))),
            "a space makes a difference");
    otlp_seen_fini(&other);
    buf_fini(&spaced);
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
    require_same_with_spaces(scratch, bytes, &strict);
    otlp_seen_fini(&strict);
    otlp_seen_fini(&lenient);
    otlp_seen_fini(&again);
    return 0;
}
