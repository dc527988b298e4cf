/* Any machine: SSE2 on x86-64, plain words elsewhere. */
#define DECODE_SPAN_FN decode_span_fast

#include "otlp/decode_span_fast.h"
