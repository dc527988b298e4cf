/* Any machine: SSE2 on x86-64, plain words elsewhere. */
#define DECODE_SPAN_FN decode_span_fast
#define DECODE_TARGET

#include "otlp/decode_span_fast.h"
