/* Chosen when the program runs on a machine that has it. */
#if defined(__x86_64__) && !defined(BYTES64_PLAIN)

#define DECODE_AVX2    1
#define DECODE_PEXT    1
#define DECODE_SPAN_FN decode_span_fast_pext

#include "otlp/decode_span_fast.h"

#else
typedef int decode_span_fast_pext_is_not_for_this_machine;
#endif
